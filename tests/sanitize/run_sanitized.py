#!/usr/bin/env python3
"""Runs programs built with gcc's sanitizers on the ordinary library, as users do.

ThreadSanitizer: constructs.c and some of tests/programs are right and must give no report. It must report each race of
races.c, in its function, and nothing else. AddressSanitizer and UBSan: some of tests/programs must give no report, and
the faults of faults.c must be found.
  --stock   the same programs on the system's libgomp: how many reports are false there; fails nothing
  --all     all of tests/programs that go with a sanitizer (minutes)
  --inside  the library is itself instrumented with the sanitizer of --only (make asan, make tsan): no races, no faults, programs only"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"
sys.path.insert(0, str(HERE.parent))
from running import PATIENCE, SKIPPED, clean_environment, compiler_missing, header, settings, why_skipped  # noqa: E402

TSAN = ("thread", {"TSAN_OPTIONS": "atexit_sleep_ms=0 exitcode=66"})
ASAN = ("address,undefined", {"ASAN_OPTIONS": "detect_stack_use_after_return=1:exitcode=67",
                              "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"})
FAULTS = ("leak", "stack-buffer-overflow", "heap-use-after-free", "stack-use-after-return")
# Where the runtime is instrumented, the handler that preempts must be faster than the clock that calls it. With frames
# from a heap (use after return) it is not. And members have kernel threads, because the detector knows their order
# best.
INSIDE_ADDRESS = {"ASAN_OPTIONS": "detect_stack_use_after_return=0:exitcode=67"}
INSIDE_THREAD = {"FGOMP_THREADS": "kernel"}
# The few programs of each: the constructs, then exceptions, pthreads of the program, many nested regions, storage that
# lasts.
FEW_TSAN = "tasks taskloop task_reduction doacross locks nest_random exceptions foreign threadprivate detach".split()
FEW_ASAN = "tasks nest_random exceptions foreign threadprivate detach tls_barrier cancel exit_inside block_cond jump pthread_end".split()
# The reasons: races on purpose, or calls that the detector reports (mutexes). Memory, stacks and libraries that are
# counted or preloaded. Threads that are counted, of which the sanitizer has one (pause_threads). Locked memory, of
# which it makes none (pinned) or too much (locked). Policies, which kernel threads lack (learnt). No end in time. Calls
# that the sanitizer replaces (stuck, here and below).
NOT_TSAN = ("cancel mutexes pause sched_yield foreign_many loop_abi spin spin_barrier fork_inside fork_outside fork_after fork_exec "
            "fork_aside fork_blocks fork_dynamic overflow stack preload pin plugin late_library late_tls other_runtime setuid quota "
            "pthread_exit masks bad_input bad_policy names trace sigalrm sigprof sigurg big_team full_time exit_inside exit_regions "
            "pthread_kill affinity_child deep lend idle no_region gettid idle_waiting malloc_critical block_read block_sleep "
            "block_static place_nested pause_threads pinned locked task_bounded learnt stuck").split()
# The reasons: libraries that must come first, addresses on fake stacks, overflow on purpose. plugin:
# docs/sanitizers.md. quota: it asks for the number of threads. Memory that is counted (task_bounded) or locked (pinned,
# locked). Forks while others allocate: the sanitizer's heap may be locked in the child (alloc_fork, fork_after). A
# child whose leaks are those of threads that it lacks (versions). A malloc of the program's own, which takes the
# sanitizer's place (malloc_critical).
NOT_ASAN = ("foreign_many loop_auto loop_static other_runtime overflow pin plugin preload stack quota task_bounded pinned locked alloc_fork "
            "fork_after versions malloc_critical stuck").split()
# The reasons there: the time of the instrumented runtime itself counts (spin_barrier). A thread that ends in the middle
# of its region leaves memory behind (pthread_exit). The library's thread-local storage keeps the order of locks
# (late_library).
NOT_INSIDE = ["spin_barrier", "pthread_exit", "late_library"]
# On the ordinary library, there is a line more on standard error where a process ends inside the runtime, whose threads
# are told not to look (bad_calls). One run in twenty, with forks going on, reports a block that another thread had long
# ago, though the order is told (alloc_fork).
NOT_TSAN_OUTSIDE = ["alloc_fork", "bad_calls"]
LIMIT = 30 * PATIENCE


def compile_one(source, sanitizer, folder):
    """A program, with the libraries that its header names; (program, the compiler's complaint or None)."""
    folder = folder / sanitizer.split(",")[0]
    folder.mkdir(exist_ok=True)
    target = folder / source.stem
    keys = header(source)
    work = [(source, target, " ".join(keys.get("cflags", [])).split())]
    for line in keys.get("library", []):
        name, *flags = line.split()
        work.append((PROGRAMS / name, (folder / name).with_suffix(".so"), ["-shared", "-fPIC", *flags]))
    for text, made, flags in work:
        if made.exists() and made.stat().st_mtime > text.stat().st_mtime:
            continue
        compiler = "g++" if text.suffix == ".cpp" else "gcc"
        done = subprocess.run([compiler, "-O1", "-g", "-fno-inline", "-fopenmp", f"-fsanitize={sanitizer}", f"-I{PROGRAMS}", "-o",
                               str(made), str(text), *flags], capture_output=True, text=True)
        if done.returncode:
            return target, done.stderr
    return target, None


def run(program, arguments, library, env):
    """Returns (status, output); status None: no end in time."""
    full = clean_environment() | env
    if library:
        full["LD_LIBRARY_PATH"] = str(library)
    # The sanitizers of gcc 12 know less of the address space than new kernels hand out at random.
    command = [*(["setarch", "-R"] if shutil.which("setarch") else []), str(program), *arguments]
    process = subprocess.Popen(command, env=full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               text=True, errors="replace", start_new_session=True)
    try:
        output = process.communicate(timeout=LIMIT)[0]
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return None, process.communicate()[0]


def tail(output):
    return "".join(f"    {line}\n" for line in output.splitlines()[-12:])


class Suite:
    def __init__(self, options, folder):
        self.runtime = None if options.stock else options.lib.resolve()
        self.folder = folder
        self.all = options.all
        self.filter = re.compile(options.filter)
        self.inside = options.inside
        self.failed = self.passed = 0

    def verdict(self, ok, name, output=""):
        if ok:
            self.passed += 1
            print(f"PASS {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL {name}\n{tail(output)}", end="", flush=True)

    def sources(self, few, but):
        but = but + NOT_INSIDE if self.inside else but
        every = (s for s in PROGRAMS.glob("*.c*") if not s.stem.endswith("_module") and self.filter.search(s.stem))
        return sorted(s for s in every if (s.stem not in but if self.all else s.stem in few))

    def build(self, sanitizer, sources):
        """Compiles at the same time; name -> program. Without the sanitizer's library: None."""
        probe = subprocess.run(["gcc", f"-fsanitize={sanitizer}", "-fopenmp", "-x", "c", "-", "-o", str(self.folder / "probe")],
                               input="int main(void) { return 0; }", text=True, capture_output=True)
        if probe.returncode:
            print(f"MISSING {sanitizer}: gcc's library for -fsanitize={sanitizer}")
            return None
        for source in sources:
            if compiler_missing(source):
                print(compiler_missing(source))
        sources = [source for source in sources if not compiler_missing(source)]
        programs = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for source, (target, trouble) in zip(sources, pool.map(lambda s: compile_one(s, sanitizer, self.folder), sources)):
                if trouble:
                    self.verdict(False, f"{source.stem}: does not compile", trouble)
                else:
                    programs[source] = target
        return programs

    def clean(self, sanitizer, source, program, env):
        """Runs a program without a fault under its own settings, or the first of them. Where they leave the number of
        threads open: 2, 8."""
        runs = list(settings(header(source)))
        if not self.all and source.parent != HERE:
            runs = runs[:1]
            runs[0][1].pop("OMP_NUM_THREADS", None)
        for label, own in runs:
            if own.get("FGOMP_THREADS"):
                continue
            for threads in ("2", "8") if "OMP_NUM_THREADS" not in own else (None,):
                full = env | own | ({"OMP_NUM_THREADS": threads} if threads else {})
                status, output = run(program, [], self.runtime, full)
                name = " ".join(filter(None, [sanitizer.split(",")[0], source.stem, threads, label]))
                if status == SKIPPED:
                    print(f"SKIP {name}: {why_skipped(output)}", flush=True)
                else:
                    self.verdict(status == 0, name, output)

    def threads(self):
        sanitizer, env = TSAN
        constructs, races = HERE / "constructs.c", HERE / "races.c"
        if self.inside:
            env = env | INSIDE_THREAD
        but = NOT_TSAN if self.inside else NOT_TSAN + NOT_TSAN_OUTSIDE
        programs = self.build(sanitizer, [constructs, *([] if self.inside else [races]), *self.sources(FEW_TSAN, but)])
        if programs is None:
            return
        if not self.runtime:
            return count_false(programs, env)
        for source, program in programs.items():
            if source == races:
                self.races(program, env)
            else:
                self.clean(sanitizer, source, program, env)

    def races(self, program, env):
        for name in run(program, [], self.runtime, env)[1].split():
            status, output = run(program, [name], self.runtime, env)
            found = re.findall(r"^SUMMARY: .*", output, re.M)
            right = [line for line in found if "data race" in line and f" in {name}" in line]
            self.verdict(status == 66 and right and right == found, f"race {name}", output)

    def addresses(self):
        sanitizer, env = ASAN
        faults = HERE / "faults.c"
        if self.inside:
            env = env | INSIDE_ADDRESS
        programs = self.build(sanitizer, [*([] if self.inside else [faults]), *self.sources(FEW_ASAN, NOT_ASAN)])
        for source, program in (programs or {}).items():
            if source != faults:
                self.clean(sanitizer, source, program, env)
                continue
            for name in ("none", "exit_inside"):
                status, output = run(program, [name], self.runtime, env)
                self.verdict(status == 0 and not output, f"address faults {name}", output)
            for name in FAULTS:
                status, output = run(program, [name], self.runtime, env)
                said = "LeakSanitizer: detected" if name == "leak" else f"AddressSanitizer: {name}"
                self.verdict(status == 67 and said in output, f"fault {name}", output)


def count_false(programs, env):
    for source, program in programs.items():
        if source.stem != "races":
            own = dict(pair.split("=", 1) for line in header(source).get("env", [])[:1] for pair in line.split() if "=" in pair)
            output = run(program, [], None, env | own | {"OMP_NUM_THREADS": "8"})[1]
            print(f"{source.stem}: {output.count('WARNING: ThreadSanitizer')} false reports on the system's libgomp")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", type=Path, default=HERE.parent.parent / "build" / "lib", help="folder with libgomp.so.1")
    parser.add_argument("--build", type=Path, metavar="DIR", help="keep the built programs there")
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("--only", choices=("thread", "address"))
    parser.add_argument("--filter", default="", metavar="RE", help="only programs whose name matches")
    options = parser.parse_args()
    folder = options.build or Path(tempfile.mkdtemp(prefix="sanitize-"))
    folder.mkdir(parents=True, exist_ok=True)
    suite = Suite(options, folder)
    if options.only != "address":
        suite.threads()
    if not options.stock and options.only != "thread":
        suite.addresses()
    if not options.build:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


sys.exit(main())
