"""The hooks of libforestgomp-record.a: each entry by itself, those that compilers emit, and a program with counts that are derived by hand."""
import collections
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from testing import BUILD, PATIENCE, Missing, clean_environment, expect, forestgomp

LIMIT = 10 * PATIENCE  # seconds for one command
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "sim"))
from traces import events

ARCHIVE = BUILD / "lib" / "libforestgomp-record.a"
LINK = ["-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset", f"-L{BUILD / 'lib'}", "-l:libgomp.so.1"]
MACHINE, PUS, PASSES = "nehalem-2x4", 8, 40
CLANG = ("-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write", "-mprefer-vector-width=128")


@functools.cache
def clang():
    for name in ("clang-19", "clang"):
        if shutil.which(name):
            return name
    raise Missing("clang-19 (scripts/install-deps bench)")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT)
    expect(done.returncode == 0, f"{words[0]}: {done.stderr}")
    return done.stdout


def with_hooks(folder, name, *objects):
    return pathlib.Path(run("gcc", "-fopenmp", *objects, ARCHIVE, *LINK, "-o", folder / name) or folder / name)


def uses(folder, compiler, level, *flags):
    """The program of counts by hand; this compiler makes the part without OpenMP."""
    run("gcc", "-O2", "-fopenmp", "-fsanitize=thread", "-c", HERE / "uses.c", "-o", folder / "uses.o")
    run(compiler, level, *flags, "-c", HERE / "uses_kernel.c", "-o", folder / "kernel.o")
    return with_hooks(folder, f"uses{level}", folder / "uses.o", folder / "kernel.o")


def recorded(program, **variables):
    """Runs it with a trace. Returns the trace and what the program printed."""
    trace = program.with_suffix(".fgt")
    done = subprocess.run([BUILD / "bin" / "forestgomp", "run", "--trace", trace, program], capture_output=True, text=True, timeout=LIMIT,
                          env={**clean_environment(), **variables})
    expect(done.returncode == 0, f"{program.name}: {done.returncode} {done.stderr}")
    return trace, done.stdout


def planned(trace):
    result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--json")
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    return json.loads(result.stdout)


def pairs_of(numbers, rest=0):
    return {(i, k): numbers[PUS * i + k] for i in range(PUS) for k in range(i) if numbers[PUS * i + k] != rest}


def by_hand(trace, what):
    """3 regions x 8 members x (128 own + 64 of the partner + 64 of the table) = 6,144 records, and each unit of 8 bytes."""
    plan = planned(trace)
    expect(plan["records"] == 6144 and plan["lost_bytes"] == 0, f"{what}: {plan['records']} records")
    expect(plan["follows"] == [0, 1, 0, 0, 0, 1, 0, 0, 0], f"{what}: {plan['follows']}")
    for region, partner in zip(plan["regions"], (4, 1, 2)):
        expect(region["reads"] == PUS * 256 * 8 * PASSES, f"{what}: reads {region['reads']}")
        expect(region["writes"] == PUS * 128 * 8 * PASSES, f"{what}: writes {region['writes']}")
        pairs = {(k, k ^ partner): 2 * 64 * 8 * PASSES for k in range(PUS) if k > k ^ partner}
        table = 64 * 8 * PASSES
        expect(pairs_of(region["rwm"]) == pairs, f"{what}: {pairs_of(region['rwm'])}")
        expect(pairs_of(region["sm"], table) == {pair: weight + table for pair, weight in pairs.items()}, f"{what}: sm")


def test_counts_by_hand():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for level in ("-O0", "-O2", "-O3"):
            program = uses(folder, "gcc", level, "-fsanitize=thread")
            if level != "-O0":  # there, counters of loops lie in memory, too
                by_hand(recorded(program)[0], f"gcc {level}")
        # Members that change their kernel threads, members of one kernel thread each, and many small slices.
        for variables in ({"OMP_PROC_BIND": "close"}, {"FGOMP_THREADS": "kernel"}, {"FGOMP_SCHED": "spread"}, {"OMP_DYNAMIC": "false"}):
            by_hand(recorded(program, **variables)[0], str(variables))


def test_counts_by_hand_of_clang():
    with tempfile.TemporaryDirectory() as name:
        for level in ("-O2", "-O3"):
            by_hand(recorded(uses(pathlib.Path(name), clang(), level, *CLANG))[0], f"clang {level}")


def counted(trace):
    """ADDRESS of a block -> [reads, writes]"""
    counts = collections.defaultdict(lambda: [0, 0])
    for event in events(trace.read_bytes()):
        if event.name == "use":
            counts[event.b][event.a & 1] += event.a // 4
    return counts


def test_each_entry():
    """Called by itself, each entry of the archive counts as it should, and atomic operations do what they should."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("gcc", "-O1", "-w", "-fno-builtin", "-fopenmp", "-c", HERE / "entries.c", "-o", folder / "entries.o")
        trace, said = recorded(with_hooks(folder, "entries", folder / "entries.o"))
        counts, called = counted(trace), set()
        for line in said.splitlines():
            entry, at, *numbers = line.split()
            called.add(entry)
            found = counts.pop(int(at, 16), None) if numbers else []
            expect(found == [*map(int, numbers)], f"{entry}: {found}, not {numbers}")
        expect(not counts, f"more blocks: {counts}")
        expect(called == defined(), f"not called, or not there: {called ^ defined()}")


def counted_by_member(trace):
    """(place of the region in the order of calls, member, ADDRESS) -> [reads, writes]"""
    counts, met = collections.defaultdict(lambda: [0, 0]), {}
    for event in events(trace.read_bytes()):
        if event.name == "meet":
            met[event.bubble] = len(met)
        elif event.name == "use":
            counts[met[event.bubble], event.member, event.b][event.a & 1] += event.a // 4
    return counts


def defined():
    return set(re.findall(r" T (__(?:tsan|wrap)_\w+)", run("nm", ARCHIVE)))


def test_what_compilers_emit():
    """The archive has all entries that they ask for."""
    with tempfile.TemporaryDirectory() as name:
        for compiler, *flags in (("gcc", "-fsanitize=thread"), ("gcc", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1"),
                                 (clang(), *CLANG), (clang(), "-fsanitize=thread", "-mllvm", "-tsan-compound-read-before-write"),
                                 (clang(), "-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile")):
            for level in ("-O0", "-O2", "-O3"):
                target = pathlib.Path(name) / "constructs.o"
                run(compiler, level, "-w", *flags, "-c", HERE / "constructs.c", "-o", target)
                asked = set(re.findall(r" U (__tsan_\w+)", run("nm", target)))
                expect(len(asked) > 40, f"{compiler} {level}: {len(asked)}")
                expect(asked <= defined(), f"{compiler} {level} {flags}: {asked - defined()}")


def test_the_program_itself_is_planned():
    """The recording is of the program with hooks. The one that is measured has none, and is another build."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = uses(folder, "gcc", "-O2", "-fsanitize=thread")
        trace, _ = recorded(program)
        for source in ("uses", "uses_kernel"):
            run("gcc", "-O2", "-fopenmp", "-c", HERE / f"{source}.c", "-o", folder / f"{source}.o")
        plain = folder / "plain"
        run("gcc", "-fopenmp", folder / "uses.o", folder / "uses_kernel.o", "-o", plain)
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--json", plain)
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, program)
        expect(result.returncode == 0 and not result.stderr, f"the program with hooks: {result.stderr}")
        run("gcc", "-fopenmp", HERE / "entries.c", "-w", ARCHIVE, *LINK, "-o", folder / "other")
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, folder / "other")
        expect(result.returncode == 1 and "is of another program" in result.stderr, f"another program: {result.stderr}")


def test_no_trace_or_another_runtime():
    """The program runs as ever."""
    with tempfile.TemporaryDirectory() as name:
        program = uses(pathlib.Path(name), "gcc", "-O2", "-fsanitize=thread")
        expect(forestgomp("run", program).returncode == 0, "without a trace")
        done = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
        expect(done.returncode == 0 and not done.stderr, f"gcc's libgomp: {done.stderr}")


def test_a_trace_without_room():
    """It is told, and no plan is made."""
    with tempfile.TemporaryDirectory() as name:
        trace, _ = recorded(uses(pathlib.Path(name), "gcc", "-O2", "-fsanitize=thread"), FGOMP_TRACE_SIZE="64K")
        result = forestgomp("pin", "-m", MACHINE, "--from", trace)
        expect(result.returncode == 1 and "a part of the run only" in result.stderr, result.stderr)
