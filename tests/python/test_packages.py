"""Tests with Python packages that deal with OpenMP runtimes.

A package is Debian's, or one of this Python; otherwise pip gets it."""
import os
import subprocess
import sys
import tempfile

from testing import BUILD, LIMIT, Missing, clean_environment, expect

# Loads the library as a package's extension would, and lets threadpoolctl find it and set its number of threads.
THREADPOOLCTL = """
import ctypes, threadpoolctl
library = ctypes.CDLL("libgomp.so.1")
found = [entry for entry in threadpoolctl.threadpool_info() if entry["user_api"] == "openmp"]
assert len(found) == 1, found
assert found[0]["prefix"] == "libgomp" and found[0]["filepath"].startswith(%r), found
assert found[0]["num_threads"] == 4, found
with threadpoolctl.threadpool_limits(3, user_api="openmp"):
    assert library.omp_get_max_threads() == 3
    assert threadpoolctl.threadpool_info()[0]["num_threads"] == 3
assert library.omp_get_max_threads() == 4
""" % str(BUILD)


def available(package, folder):
    """A Python that has the package, and the folder to put on its path ("": none is needed); or None and why not."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.access(python, os.X_OK) and subprocess.run([python, "-c", f"import {package}"], capture_output=True, env=clean_environment()).returncode == 0:
            return python, ""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"pip took more than {LIMIT} s"
    if done.returncode == 0:
        return sys.executable, folder
    return None, (done.stderr.strip().splitlines() or ["pip failed"])[-1][:150]


def test_threadpoolctl():
    with tempfile.TemporaryDirectory() as folder:
        python, path = available("threadpoolctl", folder)
        if python is None:
            raise Missing(f"python3-threadpoolctl (scripts/install-deps test); pip: {path}")
        env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "OMP_NUM_THREADS": "4"} | ({"PYTHONPATH": path} if path else {})
        done = subprocess.run([python, "-c", THREADPOOLCTL], capture_output=True, text=True, timeout=LIMIT, env=env)
    expect(done.returncode == 0, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
