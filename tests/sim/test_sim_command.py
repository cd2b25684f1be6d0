"""The command `forestgomp sim`: bad input, machine files, tables, and programs that it cannot simulate."""
import json
import pathlib
import re
import subprocess
import tempfile
import time

from simulated import call, programs
from testing import BUILD, LIMIT, ROOT, clean_environment, complains, expect, forestgomp


def test_installed_layout():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder], check=True, capture_output=True)
        commands = list(pathlib.Path(folder).rglob("bin/forestgomp"))
        expect(len(commands) == 1 and not commands[0].is_symlink(), f"installed: {commands}")
        words = ["sim", "-m", "opteron-8347he", "--given", "--json", programs() / "given", "nested"]
        result = subprocess.run([commands[0], *words], capture_output=True, text=True, timeout=LIMIT, cwd="/",
                                env=clean_environment())
        expect(result.returncode == 0, result.stderr)
        expect(json.loads(result.stdout)["machine"] == json.loads(call(*words[1:]).stdout)["machine"], result.stdout)


def test_what_cannot_be_simulated():
    foreign = call("-m", "core:2", programs() / "waits", "foreign")
    expect(foreign.returncode == 0, f"regions of a thread that the program makes: {foreign.stderr}")
    complains(call("-m", "core:2", programs() / "waits", "stuck"), 1, "every thread sleeps")
    complains(call("-m", "core:2", "true", env={"FGOMP_THREADS": "kernel"}), 2, "cannot be simulated")
    complains(forestgomp("run", "--carrier", "virtual", programs() / "waits", "foreign"), 1, "first thread only")


def test_program_ends_with_the_command():
    words = [BUILD / "bin" / "forestgomp", "sim", "-m", "core:2", "cat"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment()) as process:
        process.stdin.write(b"here\n")
        process.stdin.flush()
        expect(process.stdout.readline() == b"here\n", "cat answers")
        process.kill()
        end = time.monotonic() + LIMIT
        try:
            while time.monotonic() < end:
                process.stdin.write(b"still?\n")
                process.stdin.flush()
                time.sleep(0.01)
            gone = False
        except BrokenPipeError:
            gone = True
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
    expect(gone, "the program goes on")


def test_live_run_of_given_work_is_a_no_op():
    result = forestgomp("run", programs() / "given", "even")
    expect(result.returncode == 0, result.stderr)


def test_bad_input():
    complains(call("-m", "cake:3", "true"), 2, "cake:3", "unknown kind of level", "accepted")
    for command in ("sim", "topo", "pin"):
        complains(forestgomp(command, "-m", "", *(["true"] if command != "topo" else [])), 2, "accepted")
    result = call("-m", "core:2", "true")
    expect(result.returncode == 0 and "met no parallel region" in result.stderr, str(result))
    complains(call("-m", "core:0", "true"), 2, "core:0", "1 to 4096")
    complains(call("-m", "core:2000", "true"), 2, "1024")
    complains(call("-m", "/nowhere.machine", "true"), 2, "/nowhere.machine", "No such file")
    complains(call("-m", "/nowhere.xml", "true"), 2, "/nowhere.xml")
    complains(call("-m", "core:2", "--sched", "fair", "true"), 2, "fair", "accepted")
    complains(call("-m", "core:2", "--compare", "steal,fair", "true"), 2, "fair")
    plugin = programs() / "thick.so"
    for policy, said in (("cache,nosuch", "has no option 'nosuch'"), ("cache,load=7", "not '7'"), ("cache+numa:fair", "no policy 'fair'"),
                         ("spread+cake:cache", "is not a level"), ("./no.so", "No such file"), (f"{plugin},nosuch", "has no option")):
        for command in (("sim", "-m", "core:2", "--sched", policy, "/no/such/program"), ("topo", "-m", "core:2", "-n", "2", "--sched", policy)):
            complains(forestgomp(*command), 2, policy, "is not valid", said, "accepted")
    complains(call("-m", "core:2", "--sched", "cache,nosuch", "true", env={"FGOMP_SCHED": "global"}), 2, "nosuch")
    complains(call("-m", "core:2", "--sched", f"{plugin}+numa:cache", "/no/such/program"), 127, "no program")
    complains(call("-m", "core:2", "--sweep", "cores=4..2", "true"), 2, "cores=4..2", "accepted")
    for sweep in ("1..2,4294967295", "1..4294967298", "1..2,0", "1..2,", "1..", "+1..2", "0..1"):
        complains(call("-m", "core:2", "--sweep", f"cores={sweep}", "true"), 2, sweep, "accepted")
    complains(call("-m", "core:2", "--seed", "x", "true"), 2, "--seed x")
    complains(call("-m", "core:2", "--svg", "x.svg", "true"), 2, "--sweep")
    complains(call("-m", "core:2", "--cake", "true"), 2, "--cake")
    complains(call("-m", "core:2"), 2, "which program")
    complains(call("true"), 2, "which machine")
    complains(call("-m"), 2, "needs a value")
    complains(call("-m", "core:2", "/no/such/program"), 127, "no program")
    complains(call("-m", "core:2", "/etc/passwd"), 126, "cannot run")
    result = call("-m", "core:2", "--json", programs() / "waits")
    expect(result.returncode == 2, "the program's exit status is passed on")


def test_bad_machine_files():
    good = "topology = core:2\n"
    for text, line, word in ((good + "transfer.l4 = 3\n", 2, "transfer.l4"), (good + "pause = soon\n", 2, "soon"),
                             (good + "cake\n", 2, "key = value"), (good + "smt = 1.5\n", 2, "at most 1"), ("hops = 0 1 1\n" + good, 1, "square"),
                             (good + "name =\n", 2, "nothing follows"), ("name = x\n", 0, "neither"),
                             (good + "memory.read = 80 far\n", 2, "list of nanoseconds"), (good + "memory.write = 0\n", 2, "nanoseconds"),
                             (good + "memory.read = 1 2 3 4 5 6\n", 2, "more than 5"), (good + "memory.bandwidth.node = 0\n", 2, "MB/s"),
                             (good + "memory.speed = 3\n", 2, "memory.speed"), (good + "cache.l2 = big\n", 2, "kilobytes"),
                             (good + "cache.l3 = 5000000\n", 2, "too large"), (good + "memory.probe = -1\n", 2, "nanoseconds")):
        with tempfile.NamedTemporaryFile("w", suffix=".machine") as file:
            file.write(text)
            file.flush()
            complains(call("-m", file.name, "true"), 2, word, f"{file.name}:{line}" if line else file.name)


def test_figures_have_sources():
    files = sorted((ROOT / "share" / "machines").glob("*.machine"))
    expect(len(files) >= 9, f"{len(files)} machines")
    for path in files:
        text = path.read_text()
        for line in text.splitlines():
            if re.match(r"(transfer|memory|cache|hops)", line):
                source = line.partition("#")[2]
                expect(re.search(r"\[[A-Z]\]|estimate", source), f"{path.name}: '{line}' has no source")
                for mark in re.findall(r"\[[A-Z]\]", source):
                    expect(f"# {mark}" in text or f"{mark} as in" in text or f"{mark}, " in text or f", {mark}" in text,
                           f"{path.name}: {mark} is not explained")
    listed = {machine["name"]: machine for machine in json.loads(call("--list", "--json").stdout)}
    expect({path.stem for path in files} == set(listed), "--list has other machines")
    expect(listed["x4600"]["pus"] == 32 and listed["opteron-8347he"]["pus"] == 16, "PUs")


def test_tables_and_curves():
    with tempfile.NamedTemporaryFile(suffix=".svg") as file:
        result = call("-m", "opteron-8347he", "--given", "--compare", "default,spread", "--sweep", "cores=1..16", "--svg", file.name, "--json",
                      programs() / "given", "split")
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        drawing = pathlib.Path(file.name).read_text()
    table = json.loads(result.stdout)
    expect([(run["policy"], run["pus"]) for run in table["runs"]] ==
           [(policy, n) for policy in ("default", "spread") for n in (1, 2, 4, 8, 16)], "rows")
    expect(all(0.9 * run["pus"] <= run["speedup"] <= run["pus"] for run in table["runs"]), str(table))
    expect(drawing.startswith("<svg") and drawing.count("<circle") == 10, "drawing")


def test_a_program_that_fails_makes_a_table_fail():
    fails = ("sh", "-c", f"{programs() / 'given'} split; exit 3")
    table = call("-m", "core:2", "--given", "--compare", "default,spread", "--json", *fails)
    expect(table.returncode == 3 and "default on 2 PUs: the program ended with exit status 3" in table.stderr, f"{table}")
    expect(all(run["time_ns"] for run in json.loads(table.stdout)["runs"]), table.stdout)


def test_one_failed_run_of_several_is_told():
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        once = ("sh", "-c", f"{programs() / 'given'} split; echo x >>{log}; [ $(wc -l <{log}) != 1 ] || exit 4")
        for words in ((), ("--compare", "default")):
            log.write_text("")
            result = call("-m", "core:2", "--given", "--no-baseline", "--repeat", "3", *words, *once)
            expect(result.returncode == 4 and "1 of 3 runs failed, the first one with exit status 4" in result.stderr, f"{result}")


def test_why_a_program_does_not_start():
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script"
        script.write_text("#!/no/such/interpreter\n")
        script.chmod(0o755)
        complains(call("-m", "core:2", script), 127, "needs an interpreter that does not exist")
