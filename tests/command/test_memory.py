"""FGOMP_MEMORY: its words, and the shared object beside the library that takes samples.

The object is opened on machines with several NUMA nodes only. So the program memory_nodes pretends that there is one
node more (memory_nodes.c). All of the library is in it, and the object must lie beside it."""
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

from testing import BUILD, LIMIT, Missing, clean_environment, compiled, expect

OBJECT = "libforestgomp-samples.so"
PROGRAM = "tests/memory_nodes"
NODES = len(list(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1
NO_EFFECT = "FGOMP_MEMORY has no effect: "


def run(*words, **variables):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LIMIT,
                          env={**clean_environment(), "OMP_NUM_THREADS": "2", **variables})


def region(folder, **variables):
    """A program with one region, on the library."""
    (folder / "one.c").write_text("int main(void) { int n = 0;\n#pragma omp parallel reduction(+ : n)\n  n++;\n  return n != 2; }")
    if not (folder / "one").exists():
        compiled(folder / "one", "-fopenmp", folder / "one.c")
    return run(folder / "one", LD_LIBRARY_PATH=str(BUILD / "lib"), **variables)


def said(result):
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr!r}")
    return [line for line in result.stderr.splitlines() if line]


def one_line(result, *words):
    lines = said(result)
    expect(len(lines) == 1, f"not one line: {lines}")
    for word in words:
        expect(word in lines[0], f"{word!r} is not in {lines[0]!r}")


def test_words_that_say_nothing():
    with tempfile.TemporaryDirectory() as name:
        for word in (None, "hints", "auto", "off"):
            lines = said(region(pathlib.Path(name), **({"FGOMP_MEMORY": word} if word else {})))
            expect(not lines, f"{word}: {lines}")


def test_words_that_tell():
    """A machine with one node has one line to tell, and a program without a region none."""
    with tempfile.TemporaryDirectory() as name:
        for word in ("report", "auto+report"):
            lines = said(region(pathlib.Path(name), FGOMP_MEMORY=word))
            expect(lines and all("memory: " in line for line in lines), f"{word}: {lines}")
            expect(NODES > 1 or len(lines) == 1 and "one NUMA node" in lines[0], f"{word}: {lines}")
            lines = said(run("true", LD_PRELOAD=str(BUILD / "lib/libgomp.so.1"), FGOMP_MEMORY=word))
            expect(not lines, f"{word}, without a region: {lines}")


def test_bad_word():
    with tempfile.TemporaryDirectory() as name:
        for word in ("atuo", "auto+", "report+auto", "1"):
            one_line(region(pathlib.Path(name), FGOMP_MEMORY=word), "FGOMP_MEMORY", word, "auto, auto+report, hints, report, off", "using auto")


def test_other_threads():
    """Threads of the kernel, and members that do not really run, have no samples. Only those who ask for some are told."""
    with tempfile.TemporaryDirectory() as name:
        for variables in ({"FGOMP_THREADS": "kernel"}, {"FGOMP_CARRIER": "virtual"}):
            for word in ("auto", "auto+report", "report"):
                one_line(region(pathlib.Path(name), FGOMP_MEMORY=word, **variables), NO_EFFECT, "goes on")
            for word in (None, "hints", "off"):
                lines = said(region(pathlib.Path(name), **({"FGOMP_MEMORY": word} if word else {}), **variables))
                expect(not lines, f"{word}: {lines}")


def program(folder, foreign=None):
    """The program in a folder of its own, beside an object: the right one, or one made of the text `foreign`; '': none."""
    shutil.copy(BUILD / PROGRAM, folder / "program")
    if foreign:
        (folder / "other.c").write_text(foreign)
        compiled(folder / OBJECT, "-shared", "-fPIC", folder / "other.c")
    elif foreign is None:
        if not (BUILD / "lib" / OBJECT).exists():
            raise Missing("Zydis (scripts/install-deps build)")
        shutil.copy(BUILD / "lib" / OBJECT, folder / OBJECT)
    return folder / "program"


def refused(foreign, *words):
    """One line says why nothing is sampled, and the program goes on. Nobody is told who has not asked."""
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve(), foreign)
        for word in ("auto", "auto+report", "report"):
            one_line(run(path, "once", FGOMP_MEMORY=word), NO_EFFECT, str(path.with_name(OBJECT)), "goes on", *words)
        expect(not said(run(path, "once")), "a line without FGOMP_MEMORY")


def test_object_missing():
    refused("", "No such file")


def test_foreign_object():
    table = "const struct { unsigned long layout; const char *version; } fg_samples_object = "
    refused("int other;", "does not define fg_samples_object")
    refused(table + '{1, "0.1.0"};', "another build")


def moved(result):
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stdout!r} {result.stderr!r}")
    return int(re.fullmatch(r"(\d+) pages moved\n", result.stdout)[1])


def test_pages_move():
    """They do by the preset, too, except on old kernels (boot/samples.c)."""
    by_preset = tuple(map(int, re.match(r"(\d+)\.(\d+)", platform.release()).groups())) >= (5, 11)
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve())
        for variables in ({"FGOMP_MEMORY": "auto"}, {} if by_preset else {"FGOMP_MEMORY": "auto"}):
            result = run(path, "moves", **variables)
            expect(moved(result) >= 6144 and not said(result), f"{variables}: {result.stdout!r} {result.stderr!r}")


def test_pages_move_and_report():
    with tempfile.TemporaryDirectory() as name:
        result = run(program(pathlib.Path(name).resolve()), "moves", FGOMP_MEMORY="auto+report")
        pages, lines = moved(result), said(result)
        expect(all("memory: " in line for line in lines), f"{lines}")
        expect(any(f"{pages} pages of 4 KiB moved" in line for line in lines), f"{pages}: {lines}")
        expect(any(re.search(r"region .*\d+% remote", line) for line in lines), f"{lines}")
        expect(any(re.search(rf"mapping .*\d+% remote.* {pages} pages moved", line) for line in lines), f"{pages}: {lines}")


def test_report_moves_nothing():
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve())
        result = run(path, "tells", FGOMP_MEMORY="report")
        expect(moved(result) == 0, result.stdout)
        expect(any("mapping" in line and "100% remote" in line and "not moved" in line for line in said(result)), result.stderr)


def test_bound_memory_stays():
    with tempfile.TemporaryDirectory() as name:
        result = run(program(pathlib.Path(name).resolve()), "tells", FGOMP_MEMORY="auto+report", BOUND="1")
        expect(moved(result) == 0, result.stdout)
        expect(any("mapping" in line and "policy" in line for line in said(result)), result.stderr)


def test_child_of_fork():
    """The child has a sampler of its own, and tells of its own pages. A child without a region has nothing to tell."""
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve())
        result = run(path, "forks", FGOMP_MEMORY="auto+report")
        pages = [int(number) for number in re.findall(r"(\d+) pages of 4 KiB moved", "\n".join(said(result)))]
        expect(len(pages) == 2 and all(6144 <= each <= 8192 for each in pages), result.stderr)
        result = run(path, "leaves", FGOMP_MEMORY="auto+report")
        expect(result.stderr.count("pages of 4 KiB moved") == 1, result.stderr)


def test_threads_end_and_start_again():
    with tempfile.TemporaryDirectory() as name:
        result = run(program(pathlib.Path(name).resolve()), "pauses", FGOMP_MEMORY="auto")
        expect(moved(result) >= 6144 and not said(result), f"{result.stdout!r} {result.stderr!r}")


def test_hidden_pages():
    """A sandbox forbids to ask where pages lie. That costs a line only where a report is wanted."""
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve())
        for word in ("report", "auto+report"):
            one_line(run(path, "once", FGOMP_MEMORY=word, HIDDEN="1"), "does not tell where pages lie", "nothing was sampled")
        lines = said(run(path, "once", FGOMP_MEMORY="auto", HIDDEN="1"))
        expect(not lines, f"{lines}")


def test_few_regions():
    with tempfile.TemporaryDirectory() as name:
        path = program(pathlib.Path(name).resolve())
        for word in ("auto", "report", "auto+report"):
            for until in ("once", "serial"):
                result = run(path, until, FGOMP_MEMORY=word)
                lines = said(result)
                expect(moved(result) == 0 and all("memory: " in line for line in lines), f"{result.stdout!r} {lines}")
                expect("report" in word and until == "once" or not lines, f"{word} {until}: {lines}")
