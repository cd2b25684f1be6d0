"""Builds the benchmark programs with the system's gcc, for all runtimes, into a cache folder."""

import os
import subprocess
from pathlib import Path

OPENMP = ["-fopenmp"]
# program -> (source, flags)
PROGRAMS = {name: (f"{name}.c", OPENMP) for name in
            ("whoami", "sync", "oversub", "nested", "octree", "spin", "schedule", "locks", "startup_child", "startup_nested", "wake",
             "memory", "order", "tasks_tree", "tasks_work", "tasks_clauses")}
PROGRAMS["multizone"] = ("multizone.c", [*OPENMP, "-lm"])
PROGRAMS["probe"] = ("probe.c", ["-pthread"])
PROGRAMS["startup"] = ("startup.c", [])
PROGRAMS["startup_plain"] = ("startup_child.c", ["-Wno-unknown-pragmas"])

# This program is in C++ and needs a library that may be missing. If it cannot be built, it is left out.
PROGRAMS["fib_tbb"] = ("fib_tbb.cpp", ["-ltbb", "-lstdc++"])

COMMON = ["-O2", "-Wall", "-Wextra"]


def programs_build(sources: Path, folder: Path):
    """Builds each program that is older than its source; returns program -> path. Raises RuntimeError with the compiler's words."""
    compiler = os.environ.get("CC", "gcc").split()
    folder.mkdir(parents=True, exist_ok=True)
    header = (sources / "bench.h").stat().st_mtime
    paths = {}
    for name, (source, flags) in PROGRAMS.items():
        source, target = sources / source, folder / name
        paths[name] = str(target)
        newest = max(header, source.stat().st_mtime, Path(__file__).stat().st_mtime)
        if target.exists() and target.stat().st_mtime >= newest:
            continue
        fresh = target.with_suffix(f".{os.getpid()}")
        try:
            standard = "-std=gnu17" if source.suffix == ".c" else "-std=gnu++17"
            done = subprocess.run([*compiler, standard, *COMMON, str(source), *flags, "-o", str(fresh)],
                                  capture_output=True, text=True, timeout=120)
        except FileNotFoundError:
            raise RuntimeError(f"{compiler[0]} is not installed, and the benchmark programs are built by it") from None
        if done.returncode and source.suffix != ".c":
            del paths[name]
            continue
        if done.returncode:
            raise RuntimeError(f"{source} could not be built:\n{done.stderr}")
        fresh.replace(target)
    return paths
