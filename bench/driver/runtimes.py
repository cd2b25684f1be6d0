"""Finds the OpenMP runtimes present and makes a folder with a `libgomp.so.1` for each, to be put first in LD_LIBRARY_PATH."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

OURS = "forestgomp"
KNOWN = ("libgomp", "libomp", "libiomp5", OURS)


@dataclass
class Runtime:
    """`folder` is None if the runtime is absent. Then `note` has the reason, else the place of the library. `env`: further variables
    of its runs."""

    name: str
    folder: Path | None
    note: str
    env: dict = field(default_factory=dict)


def _libgomp(root, _cache):
    try:
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, timeout=10).stdout
    except FileNotFoundError:
        listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=10).stdout
    for line in listed.splitlines():
        name, _, path = line.strip().partition(" => ")
        if name.startswith("libgomp.so.1 ") and path and "x32" not in name and "forestgomp" not in path \
                and root not in Path(path).resolve().parents:
            return Path(path).resolve(), ""
    return None, "not installed (Debian: libgomp1)"


def _libomp(_root, _cache):
    found = sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so.5"),
                   key=lambda p: int("".join(filter(str.isdigit, p.parts[3])) or 0))
    return (found[-1], "") if found else (None, "not installed (Debian: libomp5-19)")


def _libiomp5(_root, cache):
    """Intel's runtime comes from PyPI, once, into the cache. Debian's libiomp5.so is only another name of libomp."""
    folder = cache / "intel-openmp"
    library = folder / "libiomp5.so"
    if library.exists():
        return library, ""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
               "--retries", "0", "--timeout", "15", "--dest", str(folder), "intel-openmp"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        last = (done.stderr.strip().splitlines() or ["no library in the package"])[-1]
    except (subprocess.SubprocessError, OSError) as error:
        last = str(error)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as package:
            for member in package.namelist():
                if member.endswith("/libiomp5.so"):
                    library.write_bytes(package.read(member))
                    return library, ""
    return None, f"not available (pip download intel-openmp: {last[:120]})"


def _ours(root, _cache):
    path = root / "build" / "lib" / "libgomp.so.1"
    return (path, "") if path.exists() else (None, f"not built ({path} is missing; `make` builds it)")


FINDERS = {"libgomp": _libgomp, "libomp": _libomp, "libiomp5": _libiomp5, OURS: _ours}


def wanted_parse(text):
    """"libgomp,forestgomp:VARIABLE=VALUE,old=/path/libgomp.so.1:VARIABLE=VALUE" -> {name: (path or None, environment)}. Raises ValueError with the
    accepted form."""
    wanted = {}
    for part in text.split(","):
        head, *assignments = part.strip().split(":")
        name, _, path = head.partition("=")
        if not all("=" in assignment for assignment in assignments):
            raise ValueError(f"--runtimes {part}: what follows the path is :VARIABLE=VALUE; nothing was measured")
        env = dict(assignment.split("=", 1) for assignment in assignments)
        if path:
            if not Path(path).is_file():
                raise ValueError(f"--runtimes {part}: there is no file {path}; nothing was measured")
            wanted[name] = Path(path).resolve(), env
        elif name in KNOWN:
            wanted[name] = None, env
        else:
            raise ValueError(f"--runtimes {name}: known are {', '.join(KNOWN)}, or NAME=PATH of a libgomp.so.1; "
                             "nothing was measured")
    return wanted


def environment(folder, extra=()):
    """Returns the environment of a run: the user's, without the variables of OpenMP runtimes (FGOMP_ options stay)."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "KMP_", "LIBOMP_", "LD_PRELOAD"))}
    env.update(extra)
    if folder:
        env["LD_LIBRARY_PATH"] = str(folder)
    return env


def _check(folder, library, whoami):
    """Runs a region on it. Returns the error, or nothing."""
    try:
        done = subprocess.run([whoami], env=environment(folder), capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired:
        return "a region of two threads does not end within 10 s"
    if done.returncode:
        return f"a region of two threads fails (exit {done.returncode}: {(done.stderr.strip() or '-')[-160:]})"
    used = done.stdout.split()[-1]
    return "" if Path(used).resolve() == library.resolve() else f"the program loads {used} instead"


def _folder_make(folder, library, copied):
    """Puts `libgomp.so.1` into the folder in one step, so that no program ever finds half of it."""
    folder.mkdir(parents=True, exist_ok=True)
    if copied:
        fresh = folder / "copy.new"
        shutil.copyfile(library, fresh)
        library = fresh.replace(folder / "copy")
    link = folder / "link.new"
    link.unlink(missing_ok=True)
    link.symlink_to(library)
    link.replace(folder / "libgomp.so.1")
    return library


def runtimes_find(root, cache, whoami, wanted=None):
    """Returns a Runtime for each name, present or not, each one checked by a run. Ours, and those given by their path, are copied
    first, because they may be built anew while they are measured."""
    found = []
    for name, (path, env) in (wanted or dict.fromkeys(KNOWN, (None, {}))).items():
        library, note = (path, "") if path else FINDERS[name](root, cache)
        if library is None:
            found.append(Runtime(name, None, note))
            continue
        folder = cache / "runtimes" / name
        wrong = _check(folder, _folder_make(folder, library, path or name == OURS), whoami)
        note = " ".join([str(library), *(f"{variable}={value}" for variable, value in env.items())])
        found.append(Runtime(name, None if wrong else folder, f"not usable: {wrong}" if wrong else note, env))
    return found
