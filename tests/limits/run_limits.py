#!/usr/bin/env python3
"""Memory, threads or address space come to an end at every moment of a few programs: work in flight then must end, and
right.

One run of each program counts the allocations that libgomp makes after the program's first team is there. Then each of
them fails in a run of its own, together with all later ones, and again alone. The same is done with the threads that
libgomp makes, and from the beginning of the program. A run is right if it ends in time, with status 0 and without a
word. Before the first team, one line of libgomp's and status 1 are as good. So they are in programs that fork further
teams while threads run short (FURTHER_TEAMS): libgomp ends at such a fork, and here a member may have to be born later.

In a debug build (-Db_ndebug=false) each block of the runtime's own allocator counts. Else only the pieces count that it
gets from the system, and these are too few to tell anything. So --debug builds such a library for the memory, and for
malloc called inside the runtime."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from running import PATIENCE, clean_environment  # noqa: E402

PROGRAMS = {"tasks": {}, "loops": {}, "nested": {}, "cancel": {"OMP_CANCELLATION": "true"},
            "nested-bound": {"OMP_PROC_BIND": "close,spread,close", "OMP_PLACES": "cores"},
            "nested-kernel": {"FGOMP_THREADS": "kernel"}, "tasks-spread": {"FGOMP_SCHED": "spread"}}
FURTHER_TEAMS = ("nested", "nested-bound")
LINE = re.compile(r"^\s*libgomp: (Out of memory|Thread creation failed).*\s*$")
LIMIT = 20 * PATIENCE


class Suite:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.lib = self.memory_lib = options.lib.resolve()
        self.preload = folder / "fail.so"
        self.passed = self.failed = 0

    def verdict(self, ok, name, why=""):
        self.passed += ok
        self.failed += not ok
        print(f"{'PASS' if ok else 'FAIL'} {name}" + ("" if ok else f": {why}"), flush=True)

    def build(self):
        names = sorted({name.split("-")[0] for name in PROGRAMS})
        commands = [["gcc", "-O2", "-g", "-shared", "-fPIC", "-o", self.preload, HERE / "fail.c", "-ldl"]]
        commands += [["gcc", "-O2", "-g", "-fopenmp", "-o", self.folder / name, HERE / f"{name}.c"] for name in names]
        for command in commands:
            subprocess.run(command, check=True)

    def build_debug(self):
        folder = self.folder / "debug"
        commands = [] if (folder / "build.ninja").exists() else [["meson", "setup", folder, "-Db_ndebug=false", "-Dtests=disabled"]]
        for command in [*commands, ["ninja", "-C", folder, "src/libgomp.so.1.0.0"]]:
            done = subprocess.run(command, cwd=HERE.parent.parent, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{done.stdout}{done.stderr}FAIL the debug library: it does not build")
        self.memory_lib = folder / "src"

    def run(self, name, **limits):
        """Returns (status, output, calls counted); status None: no end in time."""
        with tempfile.NamedTemporaryFile(dir=self.folder) as count, tempfile.TemporaryFile(mode="w+") as out:
            env = clean_environment() | PROGRAMS[name] | {f"LIMITS_{key.upper()}": str(value) for key, value in limits.items()}
            env |= {"LD_LIBRARY_PATH": str(self.memory_lib if limits["what"] == "memory" else self.lib), "LD_PRELOAD": str(self.preload), "LIMITS_COUNT": count.name}
            process = subprocess.Popen([self.folder / name.split("-")[0]], env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       start_new_session=True)
            try:
                status = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                status = None
            out.seek(0)
            text = Path(count.name).read_text().strip()
            return status, out.read(), int(text) if text else 0

    def judge(self, result, excused):
        status, said, _ = result
        if status is None:
            return "no end in time"
        if status == 0 and not said:
            return None
        if excused and status == 1 and LINE.match(said):
            return None
        return f"status {status}, said: {' '.join(said.split())[:200] or 'nothing'}"

    def moments(self, count):
        """Numbers of the calls that will fail: all of them, or about so many."""
        most = self.options.most
        return range(1, count + 1) if not most or count <= most else sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})

    def each(self, name, what, excused, **more):
        """Every call fails once; one verdict for all of a kind."""
        status, said, count = self.run(name, what=what, at=0, **more)
        label = " ".join([name, what, *(f"{key}" for key in more)])
        if status != 0 or said:
            self.verdict(False, label, f"without any failure: status {status}, said: {said}")
            return
        if not count:
            print(f"     {label}: no such call is made")
            return
        bad = []
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            work = [(n, once) for n in self.moments(count) for once in ({}, {"once": 1})]
            results = pool.map(lambda item: self.judge(self.run(name, what=what, at=item[0], **item[1], **more), excused), work)
            for (n, once), why in zip(work, results):
                if why:
                    bad.append(f"number {n} of {count}{' alone' if once else ' and all later ones'}: {why}")
        if self.options.all_bad:
            for line in bad[1:]:
                print(f"  {line}")
        self.verdict(not bad, f"{label} ({len(work)} runs)", f"{len(bad)} of {len(work)}: " + (bad[0] if bad else ""))

    def space(self, name):
        """The address space cannot grow once the first team is there."""
        why = self.judge(self.run(name, what="space"), name in FURTHER_TEAMS)
        self.verdict(not why, f"{name} space", why)

    def inside(self):
        """A debug build finds a scheduler that calls malloc inside the runtime, and tells of an assertion that fails there."""
        names = subprocess.run(["nm", "-D", "--defined-only", self.memory_lib / "libgomp.so.1"], capture_output=True, text=True).stdout
        if " malloc@" not in names:
            return
        for name, flag, text in (("malloc inside the runtime", "-DMALLOC", "libgomp: malloc is called inside the runtime"),
                                 ("an assertion inside the runtime", "-DASSERTION", "Assertion `")):
            plugin = self.folder / "inside.so"
            subprocess.run(["gcc", "-O2", "-shared", "-fPIC", flag, f"-I{HERE.parent.parent}/include", "-o", plugin, HERE / "inside.c"],
                           check=True)
            env = clean_environment() | {"LD_LIBRARY_PATH": str(self.memory_lib), "FGOMP_SCHED": str(plugin)}
            done = subprocess.run([self.folder / "nested"], env=env, capture_output=True, text=True, timeout=LIMIT)
            self.verdict(done.returncode == -6 and text in done.stderr, name, f"status {done.returncode}, said: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=HERE.parent.parent / "build" / "lib", help="folder with libgomp.so.1")
    parser.add_argument("--build", type=Path, metavar="DIR", help="keep the built programs there")
    parser.add_argument("--debug", action="store_true", help="build a debug library for what needs one")
    parser.add_argument("--filter", default="", metavar="RE", help="only programs whose name matches")
    parser.add_argument("--only", choices=("memory", "stacks", "threads", "space"))
    parser.add_argument("--most", type=int, default=0, metavar="N", help="of more calls than N only N fail, spread over all (default: each)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all-bad", action="store_true", help="name every run that is not right")
    options = parser.parse_args()
    folder = options.build or Path(tempfile.mkdtemp(prefix="limits-"))
    folder.mkdir(parents=True, exist_ok=True)
    suite = Suite(options, folder.resolve())
    suite.build()
    if options.debug:
        suite.build_debug()
    for name in (name for name in PROGRAMS if re.search(options.filter, name)):
        for what in ("memory", "stacks", "threads"):
            if options.only in (None, what):
                suite.each(name, what, what != "memory" and name in FURTHER_TEAMS)
        if options.only in (None, "space"):
            suite.space(name)
    if options.only is None:
        for what in ("memory", "stacks", "threads"):
            suite.each("tasks", what, True, early=1)
        suite.inside()
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


sys.exit(main())
