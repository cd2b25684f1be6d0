#!/usr/bin/env python3
"""Builds the programs of this folder with the system compiler and runs them on a libgomp.so.1.

The header comment of a program tells how to run it, one `// key: value` a line:
  threads: 1 2 8     one run per number, as OMP_NUM_THREADS (without this line: one run, unset)
  env: A=x B=y       one run per such line; "env: -" is the run with nothing added
  cpus: 2            on the first two CPUs of the process's mask
  cflags: ...        added to the compiler's line
  library: F.c ...   builds F.so from F.c, with the flags that follow, beside the program
  also: F.c ...      more sources of the program
  load: preload      the library comes by LD_PRELOAD, not by LD_LIBRARY_PATH
  limit: 20          seconds (default 20)
  stock: fails (why) not run with --stock

Each run prints "PASS name" or "FAIL name: why". "SKIP name: why" is for a program that ends with status 77 and says why
(check_skip), and "MISSING name: compiler" for one that cannot be compiled."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from running import SKIPPED, build, clean_environment, compiler_missing, execute, header, settings, why_skipped  # noqa: E402

DEFAULT_LIB = HERE.parent.parent / "build" / "lib"


def run_one(program, keys, env, options):
    """Returns (passed, reason, output)."""
    full = clean_environment()
    if options.runtime:
        if keys.get("load") == ["preload"]:
            full["LD_PRELOAD"] = str(options.runtime / "libgomp.so.1")
        else:
            full["LD_LIBRARY_PATH"] = str(options.runtime)
    elif keys.get("load") == ["preload"]:
        full["LD_PRELOAD"] = "libgomp.so.1"
    full.update(env)
    full.update(options.extra)
    limit = float(keys.get("limit", ["20"])[0]) * options.slow
    cpus = int(keys["cpus"][0]) if "cpus" in keys else None
    _, reason, output = execute([*options.under, program], full, limit, cpus, options.gdb)
    return reason is None, reason, output


def check_library(program, library):
    """Ends the script unless a program really loads the library under test."""
    env = dict(clean_environment(), LD_LIBRARY_PATH=str(library))
    done = subprocess.run(["ldd", str(program)], env=env, capture_output=True, text=True)
    found = re.search(r"libgomp\.so\.1 => (\S+)", done.stdout)
    if not found or Path(found[1]).parent.resolve() != library.resolve():
        sys.exit(f"run_programs.py: {program} would not load {library}/libgomp.so.1:\n{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=DEFAULT_LIB, help="folder with libgomp.so.1 (default build/lib)")
    parser.add_argument("--stock", action="store_true", help="run on the system's libgomp instead")
    parser.add_argument("--filter", default="", metavar="RE", help="only programs or runs whose name matches")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time (default 1)")
    parser.add_argument("--build", type=Path, metavar="DIR", help="keep the built programs there")
    parser.add_argument("--under", default=[], type=str.split, metavar="CMD", help="a command that starts each program, such as a sandbox")
    parser.add_argument("--leave-out", default=[], type=str.split, metavar="NAMES", help="programs that are not run")
    parser.add_argument("--env", action="append", default=[], metavar="A=x", help="added to each run")
    parser.add_argument("--slow", type=float, default=1, metavar="F", help="multiply all time limits")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="run each setting N times")
    parser.add_argument("--gdb", action="store_true", help="print the stacks of programs that do not end")
    parser.add_argument("--times", action="store_true", help="print the time of each run")
    options = parser.parse_args()
    options.extra = dict(pair.split("=", 1) for pair in options.env)
    options.runtime = None if options.stock else options.lib.resolve()
    if options.runtime and not (options.runtime / "libgomp.so.1").exists():
        sys.exit(f"run_programs.py: no libgomp.so.1 in {options.runtime}; build it first or name its folder with --lib")

    folder = options.build or Path(tempfile.mkdtemp(prefix="programs-"))
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])
    libraries = {line.split()[0] for s in sources for line in header(s).get("library", [])}
    wanted = re.compile(options.filter)
    work = []
    for source in sources:
        keys = header(source)
        if source.name in libraries or source.stem in options.leave_out or (options.stock and "stock" in keys):
            continue
        runs = [(source, keys, f"{source.stem}[{label}]" if label else source.stem, env) for label, env in settings(keys)]
        runs = [run for run in runs if wanted.search(run[2]) for _ in range(options.repeat)]
        if runs and compiler_missing(source):
            print(compiler_missing(source))
        else:
            work += runs

    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(options.jobs, os.cpu_count() or 1)) as pool:
        programs = sorted({w[0] for w in work})
        trouble = dict(zip(programs, pool.map(lambda s: build(s, folder), programs)))
    if options.runtime:
        linked = [s for s in programs if not trouble[s] and "-fno-openmp" not in " ".join(header(s).get("cflags", []))]
        if linked:
            check_library(folder / linked[0].stem, options.runtime)

    def one(item):
        source, keys, name, env = item
        start = time.monotonic()
        result = run_one(folder / source.stem, keys, env, options)
        return name, result, time.monotonic() - start

    for source in (s for s in programs if trouble[s]):
        failed += 1
        print(f"FAIL {source.stem}: does not compile\n{trouble[source]}", flush=True)
    work = [w for w in work if not trouble[w[0]]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, (ok, reason, output), seconds in pool.map(one, work):
            took = f" {seconds:.2f} s" if options.times else ""
            if ok:
                passed += 1
                print(f"PASS {name}{took}", flush=True)
            elif reason == f"status {SKIPPED}":
                print(f"SKIP {name}: {why_skipped(output)}", flush=True)
            else:
                failed += 1
                tail = "".join(f"    {l}\n" for l in output.splitlines()[-6:])
                print(f"FAIL {name}{took}: {reason}\n{tail}", end="", flush=True)
    if not options.build:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
