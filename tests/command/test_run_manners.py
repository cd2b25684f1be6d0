"""`forestgomp run` tells the truth: wrong values, files of older runs, other runtimes, signals, full disks and closed
outputs."""
import functools
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from testing import BUILD, LIMIT, Missing, clean_environment, compiled, complains, expect, forestgomp, plugin

FORESTGOMP = BUILD / "bin" / "forestgomp"

REGION = """#include <stdio.h>
static int count(void) { int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
n++;
return n; }
int main(int argc, char **argv) { if (argc < 2) printf("%d\\n", count()); return 0; }
"""

ENDLESS = """#include <stdio.h>
int main(void) {
#pragma omp parallel num_threads(2)
{
#pragma omp master
{ puts("in"); fflush(stdout); }
for (volatile long i = 0;; i++); } }
"""


@functools.lru_cache
def folder():
    kept = tempfile.TemporaryDirectory()
    return kept, pathlib.Path(kept.name)


@functools.lru_cache
def program(name, text, *flags):
    target = folder()[1] / name
    target.with_suffix(".c").write_text(text)
    return compiled(target, "-fopenmp", "-O1", *flags, target.with_suffix(".c"))


def region():
    return program("region", REGION)


def test_wrong_values():
    """D6: each ends with status 2 and one line that names the option and the value, before the program starts."""
    for words in (["-n", "4x4"], ["-n", "0"], ["-n=4"], ["-b", "wide"], ["-p", "nowhere"], ["-l", "many"], ["--schedule", "foo"],
                  ["--sched", "./nope.so"], ["--sched", "cache,foo=1"], ["--sched", "affinity+nuna:cache"], ["--sched", "nope"],
                  ["--carrier", "virtual:abc"], ["--trace", "/nope/x"], ["--trace", "%q{NOT_SET}"], ["--trace", "%z"], ["--topology", "foo"],
                  ["--trace-size", "1"], ["--trace-size", "1K"], ["--slice", "abc"], ["--top", "0"], ["--stats=/nope/x"]):
        value = words[-1].split("=")[-1] if "=4" in words[-1] or "/nope" in words[-1] else words[-1]
        complains(forestgomp("run", "--stats", *words, region()), 125, value, "run: --")


def test_files_that_options_name():
    """Without what an option names the program would run without what it is for. So it does not start."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "bad.pin").write_text("pin = 7\n")
        (place / "empty").touch()
        for words, said in ((("--pin", place / "none"), "No such file"), (("--pin", place), "directory"), (("--pin", ""), "a file's name"),
                            (("--pin", place / "bad.pin"), "bad.pin"), (("--pin", place / "empty"), "empty"), (("--pin-guard",), "--pin FILE"),
                            (("--pin-guard=true",), "--pin FILE"), (("--learnt", ""), "a file's name"), (("--learnt", place / "none" / "x"), "No such file"), (("--learnt", place), "directory"),
                            (("--trace", ""), "a file's name"), (("--topology", ""), "synthetic")):
            complains(forestgomp("run", "--share", "on", *words, region()), 125, "run: --", words[0].split("=")[0], said)
        expect(forestgomp("run", "--pin-guard=false", region()).returncode == 0, "a guard that is off needs no file")
        expect(sorted(path.name for path in place.iterdir()) == ["bad.pin", "empty"], "a file was made")


def test_a_topology_of_the_environment():
    """One line, and the program runs on this machine as it is."""
    for text, said in (("cake:2", "unknown kind of level"), ("node:0", "1 to 4096"), ("/nowhere.xml", "No such file"), ("/tmp", "directory"), ("core:2 pu:1 core:2", "pu comes last")):
        result = forestgomp("run", region(), env={"FGOMP_TOPOLOGY": text})
        lines = [line for line in result.stderr.splitlines() if line]
        expect(result.returncode == 0 and result.stdout == "2\n" and len(lines) == 1, f"{text}: {result}")
        expect(f"FGOMP_TOPOLOGY={text}: " in lines[0] and said in lines[0] and "accepted: " in lines[0], lines[0])


def test_right_values():
    for words in (["-n", "4,2"], ["-b", "close,spread"], ["-p", "{0}"], ["--schedule", "guided,4"], ["--sched", "cache+numa:steal"],
                  ["--carrier", "virtual:7"], ["--topology", "node:2 core:2 pu:1"], ["-n", "3"]):
        result = forestgomp("run", *words, region())
        expect(result.returncode == 0 and result.stdout == "2\n" and not result.stderr, f"{words}: {result.stderr}")


def test_the_environment_is_left_alone():
    """Variables keep libgomp's behaviour: a complaint, the default, and the program runs."""
    result = forestgomp("run", "-n", "2,2", region(), env={"OMP_SCHEDULE": "foo", "OMP_NUM_THREADS": "4x4"})
    expect(result.returncode == 0 and result.stdout == "2\n" and "OMP_SCHEDULE" in result.stderr, result.stderr)


def test_did_you_mean():
    complains(forestgomp("rnu"), 2, "did you mean 'run'")
    complains(forestgomp("run", "--thraeds", "2", "true"), 125, "did you mean '--threads'")
    complains(forestgomp("run", "--thr=2", "true"), 125, "did you mean '--thread")


def test_an_older_trace_goes():
    """D4: no trace is taken for that of another program."""
    file = folder()[1] / "old.fgt"
    expect(forestgomp("run", "--trace", file, region()).returncode == 0 and file.exists(), "no trace")
    complains(forestgomp("run", "--trace", file, region(), "without"), 0, "no parallel region was met")
    expect(not file.exists(), "the old trace is still there")


def test_a_file_that_is_no_trace_stays():
    """By the command, and by the library: FGOMP_TRACE and FGOMP_STATS."""
    where = folder()[1] / "kept"
    where.mkdir()
    for contents in (b"notes\n", b"\0", b"FGTRACE", os.urandom(5000)):
        notes = where / "notes.txt"
        notes.write_bytes(contents)
        before = notes.stat()
        complains(forestgomp("run", "--trace", notes, region()), 125, str(notes), "is no trace")
        complains(forestgomp("sim", "--machine", "node:2 pu:2", "--trace", notes, region()), 2, str(notes), "is no trace")
        for variable in ("FGOMP_TRACE", "FGOMP_STATS"):
            result = forestgomp("run", region(), env={variable: str(notes)})
            lines = result.stderr.strip().splitlines()
            expect(result.returncode == 0 and result.stdout == "2\n" and len(lines) == 1 and "is no trace" in lines[0], f"{result}")
        now = notes.stat()
        expect(notes.read_bytes() == contents and (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns), "it was touched")
        expect([file.name for file in where.iterdir()] == ["notes.txt"], f"{list(where.iterdir())}")
    (where / "empty").touch()  # as mktemp makes it
    expect(forestgomp("run", "--trace", where / "empty", region()).returncode == 0, "an empty file")
    expect(json.loads(forestgomp("trace", where / "empty", "--json").stdout)["regions_met"] == 1, "the trace")
    for option in ("-o", "--perfetto"):
        complains(forestgomp("trace", where / "empty", option, where / ".." / "kept" / "empty"), 2, "the trace itself")
    both = where / "page"
    complains(forestgomp("trace", where / "empty", "-o", both, "--perfetto", both), 2, "at once")
    (where / "link").symlink_to(notes)
    complains(forestgomp("run", "--trace", where / "link", region()), 125, "no ordinary file")
    (where / "t.fgt.2").write_text("notes")
    script = f"{region()}; {region()}"
    expect(forestgomp("run", "--trace", where / "t.fgt", "sh", "-c", script).returncode == 0, "a script")
    expect((where / "t.fgt.2").read_text() == "notes" and (where / "t.fgt.3").exists(), "a file beside the trace")


def test_each_program_of_a_script():
    file = folder()[1] / "script.fgt"
    script = f"{region()}; {region()}; {region()}"
    expect(forestgomp("run", "--trace", file, "sh", "-c", script).stdout == "2\n2\n2\n", "the script")
    for name in ("", ".2", ".3"):
        expect(json.loads(forestgomp("trace", f"{file}{name}", "--json").stdout)["regions_met"] == 1, name)
    result = forestgomp("run", "--stats", "--json", "sh", "-c", script)
    tables = json.loads(result.stderr)
    expect(len(tables) == 3 and len({table["process"] for table in tables}) == 3, result.stderr)


def test_signs_in_names():
    name = folder()[1] / "%h-%q{RANK}-%p%%.fgt"
    expect(forestgomp("run", "--trace", name, region(), env={"RANK": "7"}).returncode == 0, "run")
    files = list(folder()[1].glob("*-7-*.fgt"))
    expect(len(files) == 1 and files[0].name.startswith(os.uname().nodename + "-7-") and files[0].name.endswith("%.fgt"), f"{files}")


def test_closed_and_full_outputs():
    """D8, for all commands."""
    trace = folder()[1] / "full.fgt"
    forestgomp("run", "--trace", trace, region())
    for words in (["topo"], ["topo", "--json"], ["info"], ["info", "--json"], ["trace", trace], ["trace", trace, "--json"], ["sim", "--list"],
                  ["sim", "--help"], ["--help"], ["--version"], ["run", "--help"], ["run", "--print", region()], ["run", "--check", region()]):
        for how in (">/dev/full", ">&-"):
            result = subprocess.run(["sh", "-c", f'"$@" {how}', "sh", FORESTGOMP, *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                                    env=clean_environment())
            expect(result.returncode == 1 and "cannot write" in result.stderr and len(result.stderr.splitlines()) == 1,
                   f"{words} {how}: {result.returncode} {result.stderr}")
    complains(forestgomp("run", "--stats=/dev/full", region(), "without"), 0, "no parallel region")
    result = forestgomp("run", "--stats=/dev/full", region())
    expect(result.returncode == 1 and "/dev/full" in result.stderr, result.stderr)


def test_a_closed_output_is_not_the_trace():
    """D16: what the program prints does not get into the trace."""
    file = folder()[1] / "closed.fgt"
    for options in (["--stats"], ["--trace", file]):
        result = subprocess.run(["sh", "-c", '"$@" >&-', "sh", FORESTGOMP, "run", *map(str, options), region()], capture_output=True, text=True,
                                timeout=LIMIT, env=clean_environment())
        expect(result.returncode == 0 and "no trace" not in result.stderr, result.stderr)
    expect(json.loads(forestgomp("trace", file, "--json").stdout)["regions_met"] == 1, "the trace")


def test_other_runtimes():
    """D9: static, or on another runtime: said by default."""
    static = program("static", REGION, "-static", "-Wl,--no-warnings")
    result = forestgomp("run", static)
    expect(result.returncode == 0 and result.stdout == "2\n" and "is static" in result.stderr, result.stderr)
    expect("is static" in forestgomp("run", "--stats", static).stderr, "--stats")
    check = forestgomp("run", "--check", static)
    expect(check.returncode == 1 and "is static" in check.stdout, check.stdout)
    # A program that needs LLVM's runtime, by name; its own library is as good as the real one here.
    library = folder()[1] / "libomp.so.5"
    library.with_suffix(".c").write_text("int __kmpc_nothing(void) { return 0; }\n")
    compiled(library, "-shared", "-fPIC", "-Wl,-soname,libomp.so.5", library.with_suffix(".c"))
    clang = folder()[1] / "clang"
    clang.with_suffix(".c").write_text("int __kmpc_nothing(void); int main(void) { return __kmpc_nothing(); }\n")
    compiled(clang, clang.with_suffix(".c"), library, f"-Wl,-rpath,{folder()[1]}")
    complains(forestgomp("run", clang), 0, "libomp.so.5", "do not run on ForestGOMP")
    complains(forestgomp("run", "--stats", clang), 0, "libomp.so.5", "no parallel region was met")


def test_check():
    result = forestgomp("run", "--check", "--sched", "cache", region(), env={"OMP_PLACES": "cores"})
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    for words in ("libgomp.so.1", "policy cache", "bound to places", "workers", "no other OpenMP runtime"):
        expect(words in result.stdout, f"{words}: {result.stdout}")
    lines = forestgomp("run", "--verbose", region()).stderr.splitlines()
    expect("served by ForestGOMP" in lines[0], lines[0])
    complains(forestgomp("run", "--check", "./nowhere"), 127, "there is no program './nowhere'")
    complains(forestgomp("run", "--check", "/tmp"), 126, "cannot run '/tmp'")
    result = forestgomp("run", "--check", region(), env={"FGOMP_SCHED": "nosuch", "FGOMP_SLICE": "soon"})
    expect(result.returncode == 1 and "FGOMP_SCHED=nosuch" in result.stdout and "FGOMP_SLICE=soon" in result.stdout, str(result))


def ended_by(number, *options):
    """Sends a signal to the command alone, while the program is in its region. Returns the status and what was said."""
    process = subprocess.Popen([FORESTGOMP, "run", *options, program("endless", ENDLESS, "-g")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=clean_environment())
    try:
        expect(process.stdout.readline() == "in\n", "the program did not start")
        time.sleep(0.3)
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    return process.returncode, errors


def test_a_signal_after_the_program():
    """The command itself ends by it, though nobody reads the table, and it leaves no file."""
    where, mark = folder()[1] / "late", folder()[1] / "over"
    where.mkdir()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while os.write(writer, bytes(65536)):
            pass
    except BlockingIOError:
        os.set_blocking(writer, True)
    process = subprocess.Popen([FORESTGOMP, "run", "--stats", "sh", "-c", f"{region()}; touch {mark}"], stdout=subprocess.DEVNULL, stderr=writer,
                               env={**clean_environment(), "TMPDIR": str(where)})
    try:
        end = time.monotonic() + 30
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.01)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
        expect(process.poll() == -signal.SIGTERM, f"status {process.poll()}")
        expect(not list(where.iterdir()), f"{list(where.iterdir())}")
    finally:
        os.close(reader)
        os.close(writer)
        process.kill()
        process.wait()


def test_signals_are_passed_on():
    """D10, and D3: a region that is not left is listed as far as it got."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGRTMIN + 5):
        status, errors = ended_by(number, "--stats", "--json")
        expect(status == -number, f"{number}: {status}")
        table = json.loads(errors)
        expect(table["complete"] and table["regions_open"] == 1 and "without a word" in table["note"], errors)
        only = table["regions"][0]
        expect(only["calls"] == only["open_calls"] == 1 and only["threads_max"] == 2, errors)
        expect(only["time_ns"] > 0.25e9 and 0 < only["speedup_at_most"] < 2.01, errors)


def test_killed_inside_of_a_trace():
    file = folder()[1] / "killed.fgt"
    ended_by(signal.SIGINT, "--trace", str(file))
    table = json.loads(forestgomp("trace", file, "--json").stdout)
    expect(len(table["regions"]) == 1 and table["regions"][0]["open_calls"] == 1, str(table))
    expect(table["regions"][0]["time_ns"] > 0.25e9 and table["regions"][0]["cpu_ns"] > 0, str(table))


def test_a_plugin_that_crashes():
    """D20: the message names the policy."""
    source = folder()[1] / "sad.c"
    source.write_text('#include <forestgomp/sched.h>\nstatic struct fg_runqueue *born(void *self, struct fg_bubble *b, struct fg_runqueue *range,'
                      ' struct fg_runqueue *leaf) { *(volatile int *)16 = 1; return leaf; }\n'
                      'const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "sad", .summary = "x", .born = born};\n')
    nested = program("nests", REGION.replace("n++;", "{\n#pragma omp parallel num_threads(2)\nn++; }"))
    result = forestgomp("run", "-l", "2", "--sched", plugin(source), nested)
    expect(result.returncode == -11 and "bubble scheduler sad crashed" in result.stderr, f"{result.returncode} {result.stderr}")


def test_no_room_for_a_file():
    """The user learns that nothing can be written, and not that there was no region."""
    where = folder()[1] / "no_room"
    where.mkdir()
    sim = ("sim", "-m", "core:2", "--no-baseline")
    for words in (("run", "--stats"), ("run", "--trace", where / "t"), (*sim, "--stats"), (*sim, "--trace", where / "t")):
        result = subprocess.run(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", FORESTGOMP, *map(str, words), region()], capture_output=True,
                                text=True, timeout=LIMIT, env={**clean_environment(), "TMPDIR": str(where)})
        complains(result, 1 if "--stats" in words else 125 if words[0] == "run" else 2, "cannot write", "File too large")
        expect(not list(where.iterdir()), f"{words}: {list(where.iterdir())}")


def test_a_full_disk():
    """D12: the note blames the disk, and not a size that nobody set."""
    place = folder()[1] / "small"
    place.mkdir()
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", place], capture_output=True).returncode:
        raise Missing("a file system of 300 KB: mount needs root")
    try:
        many = program("many", "static void f(void) {\n#pragma omp parallel num_threads(2)\n{ __asm__ volatile(\"\"); } }\n"
                       "int main(void) { for (int i = 0; i < 30000; i++) f(); return 0; }\n")
        file = place / "t.fgt"
        result = forestgomp("run", "--trace", file, many)
        expect(result.returncode == 0, result.stderr)
        text = forestgomp("trace", file).stdout
        table = json.loads(forestgomp("trace", file, "--json").stdout)
        expect("disk" in text and "FGOMP_TRACE_SIZE" not in text and not table["complete"], text)
    finally:
        subprocess.run(["umount", "-l", place])
