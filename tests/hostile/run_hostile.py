#!/usr/bin/env python3
"""Runs programs in hostile or merely unusual surroundings: a program that is right on libgomp is right here.

  tests/hostile/run_hostile.py [options] [NAME ...]      NAME: of a program, or "3" for all programs of that finding
  tests/hostile/run_hostile.py --filters [RULE ...]      tests/programs under a sandbox, for each rule (default: a short selection)

The header comment of each program tells how to run it, one `// key: value` a line:
  finding: 3          the number by which issue 11 knows it
  mode: words         one run per line: the program's arguments, variables A=x, rules of filter.c's sandbox
  env: A=x B=y        one run per line; "env: -" is the run with nothing added
  under: RULE ...     one run per line, within filter.c's sandbox; "under: -" is the run without
  cflags: ...         added to the compiler's line
  library: F.c ...    builds F.so from F.c, with the flags that follow, beside the program
  limit: 10           seconds (default 10)
  needs: go           a tool, without which the line is MISSING
A file NAME.sh builds something else in the folder HOSTILE_BUILD when its argument is "build", and else runs that. A
program that cannot test here ends with status 77, and its last line says why."""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = HERE.parent / "programs"
sys.path.insert(0, str(HERE.parent))
from running import build, clean_environment, compile_one, execute, header  # noqa: E402

KEYS = ("finding", "mode", "env", "under", "cflags", "library", "limit", "needs")
RULE = r"[A-Z]+:[a-z_,]+$|noproc$"
SKIPPED = 77
BUILD_LIMIT = 100
LAUNCHERS = ("filter",)

RULES = [f"{action}:{call}" for call in ("perf_event_open", "membarrier", "move_pages", "get_mempolicy") for action in ("EPERM", "KILL")]
RULES.append("noproc")
# Programs that move members, wake and relieve workers, fork, or ask for memory.
SHORT = (r"^((parallel|block_cond|block_read|spin|tasks|fork_inside|locks)\[threads=8\]|nest_shapes\[OMP_NUM_THREADS=2\]"
         r"|lend\[threads=8\]|allocators)")


def runs(source):
    """All runs of a program: (name, arguments, variables, rules)."""
    keys = header(source, KEYS)
    for mode in keys.get("mode", [""]):
        for env in keys.get("env", ["-"]):
            for under in keys.get("under", ["-"]):
                words = [word for word in (mode, env, under) if word not in ("", "-")]
                rules = [word for word in f"{under} {mode}".split() if re.match(RULE, word)]
                name = source.stem + (f"[{' '.join(words)}]" if words else "")
                pairs = [word for word in f"{env} {mode}".split() if "=" in word]
                arguments = [word for word in mode.split() if "=" not in word and word not in rules]
                yield name, arguments, dict(p.split("=", 1) for p in pairs), rules


def environment(options):
    env = clean_environment()
    for name in ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES"):
        env.pop(name, None)
    if not options.libgomp:
        env["LD_LIBRARY_PATH"] = str(options.lib)
    env["HOSTILE_BUILD"] = str(options.build)
    return env


def make(source, options):
    """Builds a program; (None, "") or a verdict and why."""
    if source.suffix != ".sh":
        trouble = build(source, options.build, ["-D_GNU_SOURCE", f"-I{PROGRAMS}"], [PROGRAMS])
        return ("FAIL", f"does not compile\n{trouble}") if trouble else (None, "")
    missing = [tool for tool in header(source, KEYS).get("needs", []) if not shutil.which(tool)]
    if missing:
        return "MISSING", f"{missing[0]} (scripts/install-deps test)"
    env = dict(clean_environment(), HOSTILE_BUILD=str(options.build))
    status, reason, output = execute(["sh", source, "build"], env, BUILD_LIMIT)
    if status == SKIPPED:
        return "SKIP", (output.strip().splitlines() or ["it does not say why"])[-1]
    return ("FAIL", f"does not build: {reason}\n{output}") if reason else (None, "")


def run_one(source, run, pus, options):
    """Returns (verdict, why)."""
    _, arguments, variables, rules = run
    command = ["sh", source] if source.suffix == ".sh" else [options.build / source.stem]
    if rules:
        command = [options.build / "filter", *rules, "--", *command]
    limit = float(header(source, KEYS).get("limit", ["10"])[0]) * options.slow
    env = {**environment(options), **variables, **options.extra}
    status, reason, output = execute([*command, *arguments], env, limit, pus, options.gdb)
    lines = output.strip().splitlines()
    if status == SKIPPED:
        return "SKIP", lines[-1] if lines else "it does not say why"
    return ("FAIL", "\n    ".join([reason, *lines[-6:]])) if reason else ("PASS", "")


def several(source, run, pus, options):
    """Runs the program so many times: it passes if it passes each time."""
    bad = []
    for _ in range(options.times):
        verdict, why = run_one(source, run, pus, options)
        if verdict == "SKIP":
            return verdict, why
        if verdict == "FAIL":
            bad.append(why)
    if not bad:
        return "PASS", ""
    return "FAIL", (f"{len(bad)} of {options.times} times: " if options.times > 1 else "") + bad[0]


def wanted(source, names):
    keys = header(source, KEYS)
    return "finding" in keys and (not names or source.stem in names or any(f in names for f in keys["finding"]))


def findings(options):
    """Runs the programs; returns (passed, failed)."""
    sources = sorted(s for pattern in ("*.c", "*.cpp", "*.sh") for s in HERE.glob(pattern) if wanted(s, options.names))
    if not sources:
        sys.exit(f"hostile: no program and no finding is called {' '.join(options.names)}; programs: "
                 + " ".join(sorted(s.stem for p in ("*.c", "*.cpp", "*.sh") for s in HERE.glob(p) if wanted(s, []))))
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0, "MISSING": 0}
    for source in sources:
        verdict, why = make(source, options)
        if verdict:
            counts[verdict] += 1
            print(f"{verdict} {source.stem}: {why}", flush=True)
            continue
        for run in runs(source):
            for pus in options.pus:
                name = run[0] + (f" on {pus} PU{'s' if pus > 1 else ''}" if len(options.pus) > 1 else "")
                start = time.monotonic()
                verdict, why = several(source, run, pus, options)
                took = f" ({time.monotonic() - start:.1f} s)" if options.took else ""
                counts[verdict] += 1
                print(f"{verdict} {name}{took}" + (f": {why}" if why else ""), flush=True)
    return counts["PASS"], counts["FAIL"]


def left_out(rule):
    """Programs that make the forbidden call themselves, with the reason."""
    words = {"/proc": "it reads /proc itself"} if rule == "noproc" else \
        {call: f"it calls {call} itself" for call in rule.partition(":")[2].split(",")} if rule.startswith("KILL:") else {}
    return {source.stem: why for source in sorted([*PROGRAMS.glob("*.c"), *PROGRAMS.glob("*.cpp")])
            for word, why in words.items() if word in source.read_text()}


def sandboxed(rule, selection, options):
    """Runs tests/programs under one rule; returns (passed, failed)."""
    under = f"{options.build / 'filter'} {rule} --"
    if subprocess.run([*under.split(), "true"], stdout=subprocess.DEVNULL).returncode == SKIPPED:
        print(f"SKIP {rule}: the system allows no such sandbox")
        return 0, 0
    for name, why in left_out(rule).items() if selection != SHORT else []:
        print(f"SKIP {rule} {name}: {why}")
    command = [PROGRAMS / "run_programs.py", "--build", options.build / "programs", "--under", under, "--filter", selection,
               "--leave-out", " ".join(left_out(rule)), "--slow", str(options.slow)]
    command += ["--stock"] if options.libgomp else ["--lib", options.lib]
    passed = failed = 0
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            verdict, _, rest = line.rstrip("\n").partition(" ")
            if verdict in ("PASS", "FAIL"):
                print(f"{verdict} {rule} {rest}", flush=True)
            elif line.startswith("    "):
                print(line, end="", flush=True)
            passed += verdict == "PASS"
            failed += verdict == "FAIL"
    if passed + failed == 0:
        print(f"FAIL {rule}: tests/programs/run_programs.py ran nothing, exit status {process.returncode}")
    return passed, failed or passed == 0


def filters(options):
    rules = options.names or RULES
    results = [sandboxed(rule, options.select, options) for rule in rules]
    return sum(r[0] for r in results), sum(r[1] for r in results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--lib", type=Path, default=ROOT / "build" / "lib", help="folder with libgomp.so.1 (default build/lib)")
    parser.add_argument("--libgomp", action="store_true", help="run on the system's libgomp instead")
    parser.add_argument("--build", type=Path, metavar="DIR", help="keep the built programs there")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="run each N times: it passes if all pass")
    parser.add_argument("--pus", default="2", metavar="LIST", help="numbers of CPUs to be bound to, by commas (default 2)")
    parser.add_argument("--env", action="append", default=[], metavar="A=x", help="added to each run")
    parser.add_argument("--slow", type=float, default=1, metavar="F", help="multiply all time limits")
    parser.add_argument("--gdb", action="store_true", help="print the stacks of programs that do not end")
    parser.add_argument("--took", action="store_true", help="print the time of each run")
    parser.add_argument("--list", action="store_true", help="list the runs and end")
    parser.add_argument("--filters", action="store_true", help="tests/programs under each rule")
    parser.add_argument("--select", default=SHORT, metavar="RE", help="with --filters: which programs (default: a short selection; '' for all)")
    options = parser.parse_args()
    options.extra = dict(pair.split("=", 1) for pair in options.env)
    options.pus = [int(word) for word in options.pus.split(",")]
    options.lib = options.lib.resolve()
    if not options.libgomp and not (options.lib / "libgomp.so.1").exists():
        sys.exit(f"hostile: no libgomp.so.1 in {options.lib}; build it first or name its folder with --lib")
    return options


def list_all():
    for source in sorted(s for pattern in ("*.c", "*.cpp", "*.sh") for s in HERE.glob(pattern) if wanted(s, [])):
        for name, *_ in runs(source):
            print(header(source, KEYS)["finding"][0], name)


def main():
    options = arguments()
    if options.list:
        return list_all()
    mine = None if options.build else tempfile.mkdtemp(prefix="hostile-")
    options.build = (options.build or Path(mine)).resolve()
    options.build.mkdir(parents=True, exist_ok=True)
    for name in LAUNCHERS:
        trouble = compile_one(HERE / f"{name}.c", options.build / name, ["-fno-openmp"], [*HERE.glob("*.h")])
        if trouble:
            sys.exit(f"hostile: {name}.c does not compile\n{trouble}")
    passed, failed = filters(options) if options.filters else findings(options)
    if mine:
        shutil.rmtree(mine, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
