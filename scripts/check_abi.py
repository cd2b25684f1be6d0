#!/usr/bin/env python3
"""Compares the interface of a build with that of the last release, by abidiff: the functions of FGOMP_1.0 with their types, and what a scheduler
sees of forestgomp/sched.h. There is no release yet, so the interface of the last commit that changed it stands for one.

  check_abi.py [--baseline FOLDER] [--include FOLDER] [BUILD]
  check_abi.py --update [BUILD]

Prints what was removed or has changed. Exit status 1 if something has. What was added is no change. --update writes the interface of the build to
tests/data/abi: at a release, or before one where CHANGELOG.md tells users what to do."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "tests" / "data" / "abi"
# libgomp's own names have a check of their own, scripts/check_exports.py.
ONLY = "".join(f"[suppress_{kind}]\n  symbol_name_not_regexp = ^(fgomp_|omp_init_(nest_)?lock_with_hint)\n  drop = yes\n"
               for kind in ("function", "variable"))
WITHOUT = ("--drop-private-types", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--no-parameter-names",
           "--no-architecture", "--type-id-style", "hash")


def described(build, include, folder):
    """Writes library.abi and scheduler.abi, and returns their names."""
    only = folder / "only.ini"
    only.write_text(ONLY)
    scheduler = folder / "scheduler.so"
    # A scheduler is a variable of the struct that has all others in it.
    subprocess.run(["gcc", "-g", "-O0", "-shared", "-fPIC", "-I", include, ROOT / "examples" / "scheduler" / "gangs.c", "-o", scheduler], check=True)
    found = {"library.abi": build / "src" / "libgomp.so.1.0.0", "scheduler.abi": scheduler}
    for name, binary in found.items():
        out = folder / name
        subprocess.run(["abidw", "--suppressions", only, "--headers-dir", include, *WITHOUT, "--out-file", out, binary], check=True)
        # Where the sources lie is no part of the interface.
        out.write_text(out.read_text().replace(f"{ROOT}/", ""))
        if "<class-decl" not in out.read_text():
            sys.exit(f"check_abi.py: {binary} has no debugging information; the build type must be debugoptimized")
    return list(found)


def main():
    parser = argparse.ArgumentParser(prog="check_abi.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path, help="build folder (default: build)")
    parser.add_argument("--baseline", default=BASELINE, type=pathlib.Path, help="the interface to compare with (default: tests/data/abi)")
    parser.add_argument("--include", default=ROOT / "include", type=pathlib.Path, help="the headers (default: include)")
    parser.add_argument("--update", action="store_true", help="make this build's interface the one to compare with")
    options = parser.parse_args()
    if not shutil.which("abidw"):
        sys.exit("check_abi.py: there is no abidw; scripts/install-deps package installs it")
    status = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in described(options.build, options.include, folder):
            if options.update:
                options.baseline.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / file, options.baseline / file)
                continue
            told = subprocess.run(["abidiff", "--no-added-syms", options.baseline / file, folder / file], capture_output=True, text=True)
            if told.returncode:
                print(f"{file}: differs from the last release:", told.stdout + told.stderr, sep="\n")
                status = 1
    return status


try:
    sys.exit(main())
except (subprocess.CalledProcessError, OSError) as error:
    sys.exit(f"check_abi.py: {error}")
