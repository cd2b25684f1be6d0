#!/usr/bin/env python3
"""Runs one program under many environments on two runtimes and compares the outputs. gcc's own libgomp is the
reference.

  tests/env/compare_with_libgomp.py [--reference DIR] [--only TEXT] [--serial] [-v] [BUILD]

One line "PASS setting" or "FAIL setting" each, and "N passed, N failed" at the end. BUILD/lib holds the libgomp.so.1
under test, DIR the reference (default: the one that the loader finds). The comparison leaves out thread handles."""
import argparse
import difflib
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 100  # seconds a run

# Thread handles, whole or cut short.
VARYING = [(re.compile(r"0x[0-9a-f]{3,}"), "0xADDRESS")]

# (arguments, environment): the display of each is compared too.
SERIAL = [
    ("", {}),
    ("set", {}),
    ("display", {}),
    ("display", {"OMP_DISPLAY_ENV": "false"}),
    # numbers
    *[("", {"OMP_NUM_THREADS": value}) for value in (
        "4", " 4 ", "+4", "4,3,2", "4 , 3 ,2", "1,1", "0", "-3", "", " ", "4,", ",4", "4,,3", "4,0", "4 5", "four", "4x", "4.5",
        "0x4", "99999999999999999999", "-", "4,-1", ",".join(["2"] * 500))],
    *[("", {"OMP_THREAD_LIMIT": value}) for value in ("1", "12", "0", "-1", "", "2147483648", "99999999999999999999999", "x")],
    *[("", {"OMP_MAX_ACTIVE_LEVELS": value}) for value in ("0", "1", "3", "255", "256", "100000", "-1", "", "two")],
    *[("", {"OMP_MAX_TASK_PRIORITY": value}) for value in ("0", "5", "2147483648", "-1", "")],
    *[("", {"OMP_DEFAULT_DEVICE": value}) for value in ("0", "3", "-1", "", "gpu")],
    *[("", {"OMP_NUM_TEAMS": value}) for value in ("4", "0", "-1", "x")],
    *[("", {"OMP_TEAMS_THREAD_LIMIT": value}) for value in ("4", "0", "-1", "x")],
    *[("", {"GOMP_DEBUG": value}) for value in ("0", "x", "-1")],
    *[("", {"ACC_DEVICE_NUM": value}) for value in ("0", "x")],
    # words
    *[("", {name: value}) for name in ("OMP_DYNAMIC", "OMP_NESTED", "OMP_CANCELLATION", "OMP_DISPLAY_AFFINITY")
      for value in ("true", "FALSE", " True ", "", "1", "yes")],
    *[("", {"OMP_WAIT_POLICY": value}) for value in ("active", "PASSIVE", " Active", "", "sleepy")],
    *[("", {"OMP_TARGET_OFFLOAD": value}) for value in ("default", "Disabled", "mandatory ", "", "no")],
    *[("", {"OMP_ALLOCATOR": value}) for value in ("omp_default_mem_alloc", "OMP_CONST_MEM_ALLOC", "omp_thread_mem_alloc ",
                                                   "omp_null_allocator", "1", "")],
    *[("", {"OMP_DISPLAY_ENV": value}) for value in ("true", "TRUE ", " verbose", "false", "", "no", "1")],
    # schedules
    *[("", {"OMP_SCHEDULE": value}) for value in (
        "static", "static,4", "Static , 0", "dynamic", "dynamic,0", "dynamic, 7", "guided,3", "auto", "auto,5", "monotonic:static",
        "nonmonotonic:static", "nonmonotonic : static,3", "monotonic:dynamic", "MONOTONIC: guided ,2", "nonmonotonic:dynamic,1",
        "", "fast", "static,", "static,x", "dynamic,99999999999", "dynamic,3 4", "monotonic", "nonmonotonic dynamic", "runtime",
        "static,2147483647", "static,2147483648")],
    # sizes and turns
    *[("", {"OMP_STACKSIZE": value}) for value in (
        "2048", "2048k", "64 K", "3M", "1G", "1000000B", " 10 b ", "16384b", "16383b", "0", "", "M", "1T", "1MM", "-1",
        "18014398509481984", "999999999999999999999")],
    ("", {"GOMP_STACKSIZE": "3m"}),
    ("", {"OMP_STACKSIZE": "x", "GOMP_STACKSIZE": "3m"}),
    ("", {"OMP_STACKSIZE": "2m", "GOMP_STACKSIZE": "x"}),
    *[("", {"GOMP_SPINCOUNT": value}) for value in ("0", "1000", "30k", "2 m", "5G", "1t", "infinite", "INFINITY ", "", "x", "5x",
                                                    "99999999999t")],
    ("", {"GOMP_SPINCOUNT": "10", "OMP_WAIT_POLICY": "active"}),
    # binding
    *[("", {"OMP_PROC_BIND": value}) for value in (
        "false", "true", "TRUE ", "master", "primary", "close", "spread", "spread,close", " spread , master , close", "", "maybe",
        "true,close", "spread,false", "spread,", "spread close", "close,,close")],
    *[("", {"OMP_PLACES": value}) for value in (
        "threads", "cores", "sockets", "ll_caches", "numa_domains", "THREADS ( 1 )", "cores(2)", "cores(1000)", "threads(0)",
        "cores()", "cores(1", "cores 1", "threads,cores", "boards", "", " ", "{0}", "{0},{1}", "{1},{0}", "{0,1}", "{0:2}",
        "{0:2:1}", "{1:2:-1}", "{0}:2", "{0}:2:1", "{1}:2:-1", " { 0 } , { 1 } ", "{ 0 : 2 } : 1 : 3", "0,1", "0:2", "1:2:-1",
        "{0},{1},!{1}", "{0:2},{1},!1", "{0,1,!1}", "{!1,0,1}", "{0},!{1}", "{0},!{0}", "!{0}", "{0,!1}", "{0}:2,!{1}",
        "!{0}:2", "{!0:1}", "{}", "{0", "0}", "{0},", "{0}{1}", "{a}", "{0:0}", "{0}:0", "{0:1:0}", "{0:x}", "{0}:x", "{-1}",
        "{63}", "{64}", "{0},{50}", "{50},{51}", "{0}:3:30", "{0}:3:40", "{1}:2:-2", "{1:3:-1}", "{0:1000000:0}", "{0}:65535",
        "{0}:65536", "{0},{0}:65535", "{0}:5:0", "{0:2},{0:2},{0}", "{0}:99999999999999999999", "{99999999999999999999}")],
    ("", {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "false"}),
    ("", {"OMP_PLACES": "{0},{x}", "OMP_PROC_BIND": "false"}),
    ("", {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "close"}),
    ("", {"OMP_PLACES": "bad", "OMP_PROC_BIND": "close"}),
    ("", {"OMP_PLACES": "bad", "GOMP_CPU_AFFINITY": "1"}),
    ("", {"OMP_PLACES": "{0}", "GOMP_CPU_AFFINITY": "1"}),
    ("", {"OMP_PLACES": "{0}", "GOMP_CPU_AFFINITY": "x"}),
    ("", {"OMP_PROC_BIND": "false", "GOMP_CPU_AFFINITY": "1"}),
    *[("", {"GOMP_CPU_AFFINITY": value}) for value in (
        "0", "1", "0 1", "1 0", "0-1", "0-1:1", "0,1", "0 , 1", "0-5:2", "0x1", "01", "", " ", "a", "1-0", "0-", "0:2", "0-1:0",
        "0,", "-1", "63", "64", "0 64", "65536", "0-1 0-1")],
    *[("", {"OMP_AFFINITY_FORMAT": value}) for value in ("", "%n of %N", "host %H", "x" * 5000)],
    ("", {"OMP_AFFINITY_FORMAT": "a'b\\n", "OMP_DISPLAY_ENV": "true"}),
    # affinity formats
    ("format %% %n %{thread_num} %N %{num_threads} %L %{nesting_level} %a %{ancestor_tnum} %t %T %{team_num}|%{num_teams}".split(), {}),
    ("format %5n| %.5n| %0.5n| %.1n| %5a| %.5a| %0.5a| %3A| %.9A| %0.9A| %20A| %.20A| %0.20A|".split(), {}),
    ("format %.6A| %0.6A| %6A| %A".split(), {"OMP_PLACES": "{0:2},{1}"}),
    (["format", "no field", "", "a%%b%%", "%{host}%H" * 3, "level %L thread %n affinity %A " * 30], {}),
    (["format", "%i", "%{native_thread_id}", "%.30i", "%0.30i|", "%30i|"], {}),
    *[(["format", text], {}) for text in ("%", "%q", "%05n", "%0n", "%.n", "%0.n", "%{", "%{thread", "%{threads}", "%{thread_num",
                                          "%{}", "%-5n", "%5", "%.5", "%5{bad}", "tail%", "%99999999999999999999n%n"[8:])],
]
PARALLEL = [
    ("regions 4 4 2 4 1 3".split(), {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%n/%N %L %a %A"}),
    ("regions 2 2 2".split(), {"OMP_DISPLAY_AFFINITY": "true", "OMP_PLACES": "{0},{1}", "OMP_AFFINITY_FORMAT": "%n/%N %A"}),
    *[(["members", str(count), "0"], {"OMP_NUM_THREADS": "4,3,2", "OMP_PROC_BIND": "spread,close,primary", "OMP_PLACES": places})
      for count in (1, 2, 3, 4, 7) for places in ("{0},{1}", "{0},{1},{0:2},{0},{1}")],
    *[(["members", str(count), str(bind)], {"OMP_PROC_BIND": outer, "OMP_PLACES": "{0},{1},{0:2},{0},{1},{1},{0}"})
      for outer in ("true", "primary", "spread", "close") for bind in (0, 2, 3, 4) for count in (3, 9)
      if (outer, bind, count) != ("true", 0, 9)],  # there the places are up to the runtime
    ("members 4 3".split(), {"OMP_MAX_ACTIVE_LEVELS": "2"}),
    ("members 4 4".split(), {"OMP_PROC_BIND": "false", "OMP_MAX_ACTIVE_LEVELS": "3"}),
    ("members 4 4".split(), {"OMP_PROC_BIND": "close", "OMP_MAX_ACTIVE_LEVELS": "3"}),
]


def label(arguments, environment):
    text = " ".join(f"{name}={value!r}" for name, value in environment.items())
    words = arguments if isinstance(arguments, str) else " ".join(arguments)
    name = " ".join(part for part in (text, words) if part) or "nothing set"
    return name if len(name) <= 110 else name[:100] + "..." + str(len(name))


def run(program, folder, arguments, environment):
    env = {name: value for name, value in os.environ.items() if not re.match(r"(F?GOMP|OMP|ACC)_", name)}
    env.update({"OMP_DISPLAY_ENV": "verbose", **environment})
    env.pop("LD_LIBRARY_PATH", None)
    if folder:
        env["LD_LIBRARY_PATH"] = str(folder)
    words = arguments.split() if isinstance(arguments, str) else arguments
    try:
        done = subprocess.run([str(program), *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return ["no end within %d s" % LIMIT]
    lines = [f"exit status {done.returncode}"]
    for name, stream in (("out", done.stdout), ("err", done.stderr)):
        text = stream.decode(errors="replace")
        for pattern, instead in VARYING:
            text = pattern.sub(instead, text)
        lines += [f"{name}: {line}" for line in text.split("\n")]
    if "regions" in words:  # members may report in any order
        lines[1:] = sorted(lines[1:])
    return lines


def without_quota(folder):
    """Gives both runtimes a mask that a CPU quota does not reach, because gcc's libgomp knows no quota."""
    told = subprocess.run([str(folder / ".." / "bin" / "forestgomp"), "info"], capture_output=True, text=True).stdout
    quota = re.search(r"CPU quota.*?([0-9.]+)$", told, re.M)
    if quota:
        mask = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, mask[: math.ceil(float(quota[1]))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=HERE.parent.parent / "build", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path, help="folder of the reference's libgomp.so.1")
    parser.add_argument("--only", default="", help="only settings with this text in their name")
    parser.add_argument("--serial", action="store_true", help="only settings that open no region")
    parser.add_argument("-v", action="store_true", help="show the differences")
    options = parser.parse_args()
    folder = options.build.resolve() / "lib"
    if not (folder / "libgomp.so.1").exists():
        sys.exit(f"tests/env/compare_with_libgomp.py: {folder}/libgomp.so.1 does not exist; build first, or name the build folder")
    without_quota(folder)
    failed = passed = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "report"
        subprocess.run(["gcc", "-O2", "-fopenmp", "-Wno-deprecated-declarations", str(HERE / "report.c"), "-o", str(program)],
                       check=True)
        for arguments, environment in SERIAL + ([] if options.serial else PARALLEL):
            name = label(arguments, environment)
            if options.only not in name:
                continue
            expected = run(program, options.reference, arguments, environment)
            got = run(program, folder, arguments, environment)
            if expected == got:
                passed += 1
                print("PASS", name)
                continue
            failed += 1
            print("FAIL", name, flush=True)
            if options.v:
                print("\n".join(list(difflib.unified_diff(expected, got, "reference", "ours", "", "", 0, ""))[:40]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
