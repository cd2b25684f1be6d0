"""Tests with Python packages that deal with OpenMP runtimes."""
import subprocess
import tempfile

from testing import BUILD, LIMIT, Missing, available, clean_environment, expect

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


def test_threadpoolctl():
    with tempfile.TemporaryDirectory() as folder:
        python, path = available("threadpoolctl", folder)
        if python is None:
            raise Missing(f"python3-threadpoolctl (scripts/install-deps test); pip: {path}")
        env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "OMP_NUM_THREADS": "4"} | ({"PYTHONPATH": path} if path else {})
        done = subprocess.run([python, "-c", THREADPOOLCTL], capture_output=True, text=True, timeout=LIMIT, env=env)
    expect(done.returncode == 0, (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
