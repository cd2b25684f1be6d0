"""An environment of Python with the wheel of this build, and with a package that brings a libgomp of its own, as wheels do."""
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

from testing import BUILD, LIMIT, ROOT, Missing, clean_environment, compiled, expect

SOURCE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
int team(void) { int n = 0;
#pragma omp parallel reduction(+ : n)
n++;
return n; }
const char *server(void) { Dl_info info; return dladdr((void *)omp_get_num_threads, &info) ? info.dli_fname : ""; }
"""

PACKAGE = """import ctypes, os
_library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "extension.so"))
_library.server.restype = ctypes.c_char_p
team = _library.team
def server():
    told = os.path.realpath(_library.server().decode())
    return "own" if "planted.libs" in told else "ForestGOMP" if "/forestgomp/lib/" in told else told
"""

# The name is as long as libgomp.so.1, so it can take its place in the file.
BROUGHT = "libgomp-a.so"


@functools.lru_cache
def kept():
    folder = tempfile.TemporaryDirectory(prefix="forestgomp-wheel-")
    return folder, pathlib.Path(folder.name)


def folder():
    return kept()[1]


def make_wheel(out):
    done = subprocess.run([ROOT / "scripts" / "wheel", "--out", out, BUILD], capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
    expect(done.returncode == 0, f"scripts/wheel: {done.stderr}")
    return next(out.glob("*.whl"))


@functools.lru_cache
def wheel():
    return make_wheel(folder() / "out")


def pip(python, *words):
    """Installs by the pip of this Python, because an environment with its own takes seconds to make."""
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, *words], capture_output=True, text=True, timeout=LIMIT,
                          env={**clean_environment(), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1"})
    if "No module named pip" in done.stderr:
        raise Missing("python3-pip (scripts/install-deps test)")
    expect(done.returncode == 0, f"pip {words[0]}: {done.stderr}")


def environment(name):
    """A fresh environment with the wheel in it; the path of its Python."""
    done = subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder() / name], capture_output=True, text=True, timeout=LIMIT)
    expect(done.returncode == 0, f"venv: {done.stderr}")
    python = folder() / name / "bin" / "python"
    pip(python, "install", "--no-deps", wheel())
    return python


def packages(python):
    return next(python.parent.parent.glob("lib*/python3*/site-packages"))


def stock_libgomp():
    told = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, timeout=LIMIT).stdout.strip()
    for path in (told, "/usr/lib/x86_64-linux-gnu/libgomp.so.1"):
        if os.path.isfile(path):
            return pathlib.Path(path)
    raise Missing("libgomp1")


def plant(site):
    """The package `planted` with a libgomp under another name."""
    libs, package = site / "planted.libs", site / "planted"
    libs.mkdir()
    package.mkdir()
    bytes_of = stock_libgomp().read_bytes()
    expect(b"\0libgomp.so.1\0" in bytes_of, "libgomp has another name")
    (libs / BROUGHT).write_bytes(bytes_of.replace(b"\0libgomp.so.1\0", b"\0" + BROUGHT.encode() + b"\0"))
    source = folder() / "extension.c"
    source.write_text(SOURCE)
    objects = folder() / "extension.o"
    compiled(objects, "-O1", "-fopenmp", "-fPIC", "-c", source)
    subprocess.run(["gcc", "-shared", objects, libs / BROUGHT, "-Wl,-rpath,$ORIGIN/../planted.libs", "-o", package / "extension.so"], check=True,
                   timeout=LIMIT)
    (package / "__init__.py").write_text(PACKAGE)
    (package / "__main__.py").write_text("import planted; planted.team(); print(planted.server())\n")


@functools.lru_cache
def python():
    """The environment that most tests share."""
    made = environment("venv")
    plant(packages(made))
    return made


@functools.lru_cache
def blank():
    """The same, in a folder whose name has a blank."""
    made = environment("My Project")
    plant(packages(made))
    return made


def command():
    return python().parent / "forestgomp"


def run(*words, env=None, cwd=None, before=None):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT, env={**clean_environment(), **(env or {})},
                          cwd=cwd or folder(), preexec_fn=before)
