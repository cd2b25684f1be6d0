"""`forestgomp run --emulate`: counts of an unchanged program by the plug-in for QEMU, and what cannot be recorded there."""
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

from test_hooks import HERE, LIMIT, MACHINE, PASSES, PUS, counted, counted_by_member, pairs_of, planned, recorded, run
from testing import BUILD, Missing, clean_environment, compiled, complains, expect, forestgomp

PORTION, TABLE, BLOCK = 256, 64, 64


def plain(folder, name="uses", *flags):
    if not shutil.which("qemu-x86_64") or platform.machine() != "x86_64":
        raise Missing("qemu-x86_64 (scripts/install-deps test)")
    sources = [HERE / f"{source}.c" for source in ("uses", "uses_kernel")]
    run("gcc", "-O2", "-fopenmp", *flags, *sources, "-o", folder / name)
    return folder / name


def emulated(program, **variables):
    trace = program.with_suffix(".fgt")
    done = subprocess.run([BUILD / "bin" / "forestgomp", "run", "--emulate", "--trace", trace, program], capture_output=True, text=True,
                          timeout=LIMIT, env={**clean_environment(), **variables})
    expect(done.returncode == 0 and not done.stderr, f"{done.returncode} {done.stderr}")
    return trace, done.stdout


def test_counts_of_an_unchanged_program():
    """The 6,144 records are those by hand, also where a child of fork ends in between. Members have stacks, too, which nobody else uses."""
    with tempfile.TemporaryDirectory() as name:
        program = plain(pathlib.Path(name), "uses", "-no-pie", "-DFORKS")
        matrix = int(re.search(r"^([0-9a-f]+) \w matrix$", run("nm", program), re.M)[1], 16)
        trace, _ = emulated(program)
        # (region's place, member, block) -> [reads, writes]
        wanted = {}
        for place, partner in enumerate((4, 1, 2)):
            for k in range(PUS):
                first = {who: TABLE + who * PORTION for who in range(PUS)}
                wanted.update({(place, k, block): [8 * PASSES, 8 * PASSES] for block in range(first[k], first[k] + 128)})
                wanted.update({(place, k, block): [8 * PASSES, 0] for block in range(first[k ^ partner], first[k ^ partner] + 64)})
                wanted.update({(place, k, block): [8 * PASSES, 0] for block in range(TABLE)})
        found = {(place, member, (address - matrix) // BLOCK): counts for (place, member, address), counts in counted_by_member(trace).items()
                 if matrix <= address < matrix + (TABLE + PUS * PORTION) * BLOCK}
        expect(len(wanted) == 6144 and found == wanted, f"{sum(found.get(key) != wanted[key] for key in wanted)} of 6,144 differ")
        for region, partner in zip(planned(trace)["regions"], (4, 1, 2)):
            pairs = {(k, k ^ partner): 2 * 64 * 8 * PASSES for k in range(PUS) if k > k ^ partner}
            found = pairs_of(region["rwm"])
            # What else members share, such as the linker's tables, is next to nothing.
            others = {pair: found.get(pair, 0) for pair in {*found, *pairs} if not 0 <= found.get(pair, 0) - pairs.get(pair, 0) < 200}
            expect(not others, f"pairs by hand: {pairs}, but {others}")


def test_the_emulated_program_is_planned():
    """It is the same build, so its regions have their names."""
    with tempfile.TemporaryDirectory() as name:
        program = plain(pathlib.Path(name))
        result = forestgomp("pin", "-m", MACHINE, "--from", emulated(program)[0], program)
        expect(result.returncode == 0 and not result.stderr, result.stderr)


def test_each_interface_of_qemu():
    """One plug-in serves QEMU up to 8.2 (1), 9.0 (2), and later ones (3, 4): here a program plays them."""
    plugin = BUILD / "lib" / "libforestgomp-qemu.so"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = compiled(folder / "uses", "-O2", "-fopenmp", *(HERE / f"{source}.c" for source in ("uses", "uses_kernel")))
        for interface in 1, 2, 3, 4:
            emulator = folder / f"emulator{interface}"
            run("gcc", "-O1", "-Wall", "-Werror", f"-DINTERFACE={interface}", "-rdynamic", "-I", HERE.parents[1] / "src", "-I", HERE.parents[1] / "include",
                HERE / "emulator.c", "-ldl", "-o", emulator)
            trace, _ = recorded(program)
            at, reads, writes = run(emulator, plugin, trace).split()
            expect(counted(trace) == {int(at, 16): [int(reads), int(writes)]}, f"interface {interface}: {dict(counted(trace))}")


def test_what_cannot_be_emulated():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = plain(folder)
        complains(forestgomp("run", "--emulate", program), 125, "--emulate is for a trace")
        complains(forestgomp("run", "--emulate", "--trace", folder / "%p", program), 125, "'%'")
        complains(forestgomp("run", "--emulate", "--trace", folder / "x", folder / "none"), 127, "there is no program")
        complains(forestgomp("run", "--emulate", "--trace", folder / "x", program, env={"PATH": "/nowhere"}), 125, "qemu-user", "hooks")
        (folder / "qemu-x86_64").write_text("#!/bin/sh\necho \"qemu: unknown option 'plugin'\" >&2\nexit 1\n")
        (folder / "qemu-x86_64").chmod(0o755)
        complains(forestgomp("run", "--emulate", "--trace", folder / "x", program, env={"PATH": f"{folder}:/bin:/usr/bin"}), 125, "takes no plug-ins", "hooks")
        (folder / "wide.c").write_text('int main(void) { __asm__ volatile("vpaddd %zmm1, %zmm2, %zmm3"); }\n')
        run("gcc", folder / "wide.c", "-o", folder / "wide")
        result = forestgomp("run", "--emulate", "--trace", folder / "x", folder / "wide")
        expect(result.returncode == -4 and "AVX-512" in result.stderr and "hooks" in result.stderr, str(result))
