"""The run on one PU: the speed-up is against it, and nothing else of it can be seen."""
import json
import pathlib
import re
import subprocess
import tempfile

from simulated import call, programs, sim
from testing import BUILD, LIMIT, ROOT, clean_environment, expect

FOUR = ("-m", "core:4", "--given")


def traces(folder, *words, options=FOUR, stdin=subprocess.DEVNULL, text=None, env=None):
    """Runs traces.c. Returns the result and the text of its file."""
    path = pathlib.Path(folder) / "file"
    words = [BUILD / "bin" / "forestgomp", "sim", *options, programs() / "traces", path, *words]
    source = {"input": text} if text is not None else {"stdin": stdin}
    result = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env={**clean_environment(), **(env or {})}, **source)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr}")
    return result, path.read_text()


def test_speedup_is_against_one_pu():
    for case in ("loop", "nested", "tasks", "split", "lock"):
        one = sim("opteron-8347he", "given", case, options=["--given", "--cores", "1"])
        outcome = sim("opteron-8347he", "given", case, options=["--given"], baseline=True)
        expect(outcome["one_pu_ns"] == one["time_ns"] and outcome["one_pu_work_ns"] == one["work_ns"], f"{case}: {outcome} {one}")
        expect(abs(outcome["speedup"] - one["time_ns"] / outcome["time_ns"]) < 1e-4, f"{case}: {outcome['speedup']}")
        same = sim("opteron-8347he", "given", case, options=["--given", "--baseline"], baseline=True)
        expect(same == outcome, "--baseline changes something")


def test_a_program_that_tells_no_work_has_no_speedup():
    result = call("-m", "core:4", "--given", programs() / "empty")
    expect("speed-up" not in result.stdout and "no speed-up: the program computes nothing" in result.stderr, f"{result}")


def test_without_baseline():
    outcome = sim("core:4", "given", "even", options=["--given"])
    expect(outcome["speedup"] is None and outcome["one_pu_ns"] is None and outcome["one_pu_work_ns"] is None, str(outcome))
    expect(abs(outcome["pus_computing"] - outcome["work_ns"] / outcome["time_ns"]) < 1e-4, str(outcome))
    text = call(*FOUR, "--no-baseline", programs() / "given", "even").stdout
    expect("speed-up" not in text and "\nPUs computing   3.9" in text, text)
    table = json.loads(call(*FOUR, "--no-baseline", "--json", "--sweep", "cores=2..4", programs() / "given", "split").stdout)
    expect(table["one_pu_ns"] is None and [run["speedup"] for run in table["runs"]] == [None, None], str(table))
    result = call(*FOUR, "--no-baseline", "--sweep", "cores=2..4", "--svg", "x.svg", programs() / "given", "split")
    expect(result.returncode == 2 and "--no-baseline" in result.stderr, result.stderr)


def test_one_pu_runs_once():
    """A machine of one PU, and a row of a table with the same policy on one PU: the run is not repeated."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        counted = ("sh", "-c", f"echo x >>{log}; exec {programs() / 'given'} split")
        for words, runs, ups in ((("-m", "core:1"), 1, 1), (("-m", "core:4"), 2, 3.99), (("-m", "core:4", "--no-baseline"), 1, None)):
            log.write_text("")
            speedup = json.loads(call("--given", "--json", *words, *counted).stdout)["speedup"]
            expect(len(log.read_text().split()) == runs, f"{words}: {log.read_text().split()}")
            expect(speedup == ups or abs(speedup - ups) < 0.01, f"{words}: {speedup}")
        log.write_text("")
        table = json.loads(call("--given", "--json", *FOUR, "--compare", "default,spread", "--sweep", "cores=1..4", *counted).stdout)
        expect(len(log.read_text().split()) == 6, log.read_text())
        expect(table["runs"][0]["time_ns"] == table["one_pu_ns"] and table["runs"][0]["speedup"] == 1, str(table))


def test_baseline_is_not_seen():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        result, file = traces(folder, env={"FGOMP_TRACE": str(trace)})
        expect(result.stdout.count("output of") == 1 and "output of 4" in result.stdout, result.stdout)
        expect(result.stderr.splitlines() == ["error of 4"], result.stderr)
        expect(re.search(r"\nspeed-up +3\.8\d against one simulated PU \(6400\.0 us\)\n", result.stdout), result.stdout)
        expect(file == "pus 4 sum 0\n", file)
        told = subprocess.run([BUILD / "bin" / "forestgomp", "trace", trace, "-o", pathlib.Path(folder) / "page.html"], capture_output=True,
                              text=True, timeout=LIMIT)
        expect(told.returncode == 0, told.stderr)
        traces(folder, options=(*FOUR, "--no-baseline"), env={"FGOMP_TRACE": f"{trace}2"})
        expect(abs(trace.stat().st_size - pathlib.Path(f"{trace}2").stat().st_size) < 5000, "the trace is of another run")


def test_baseline_that_fails():
    for case, said in (("leaves", "left no report (exit status 7)"), ("fails", "ended differently (exit status 5)")):
        with tempfile.TemporaryDirectory() as folder:
            result, file = traces(folder, case)
            expect("predicted time  166" in result.stdout and "\nPUs computing   3.8" in result.stdout, result.stdout)
            lines = result.stderr.splitlines()
            expect(len(lines) == 2 and lines[0] == "error of 4" and said in lines[1] and "no speed-up" in lines[1], result.stderr)
            result, _ = traces(folder, case, options=(*FOUR, "--json"))
            expect(json.loads(result.stdout)["speedup"] is None and said in result.stderr, result.stdout + result.stderr)


def test_standard_input():
    """A file is read by both runs from the same point on. A pipe is left to the real run."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = pathlib.Path(folder) / "numbers"
        numbers.write_text("5\n30000\n20000\n")
        with numbers.open("rb", buffering=0) as stdin:
            stdin.read(2)
            result, file = traces(folder, "reads", stdin=stdin)
        expect(file == "pus 4 sum 50000\n" and "against one simulated PU (3200.0 us)" in result.stdout, file + result.stdout)
        result, file = traces(folder, "reads", text="30000\n20000\n")
        expect(file == "pus 4 sum 50000\n" and "speed-up" not in result.stdout, file + result.stdout)
        expect("needs standard input again" in result.stderr, result.stderr)
        result, file = traces(folder, text="30000\n20000\n")
        expect("against one simulated PU" in result.stdout, "it does not read the pipe")


def test_standard_input_of_tables():
    table = (*FOUR, "--compare", "default,spread", "--json")
    words = [BUILD / "bin" / "forestgomp", "sim", *table, programs() / "traces", "/dev/null", "reads"]
    result = subprocess.run(words, input="30000\n", capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
    expect(result.returncode == 1 and "give it as a file" in result.stderr and not result.stdout, result.stderr)
    with tempfile.TemporaryFile("w+") as numbers:
        numbers.write("50000\n")
        numbers.seek(0)
        result = subprocess.run(words, stdin=numbers, capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
    outcome = json.loads(result.stdout)
    expect(outcome["one_pu_ns"] == 3200000 and all(3.5 < run["speedup"] < 4 for run in outcome["runs"]), result.stdout)


def test_growth_of_computing():
    """`even` gives 10 ms to each thread, and there are as many threads as PUs."""
    text = call(*FOUR, programs() / "given", "even").stdout
    expect("\nwarning: computing grew from 10.00 ms to 40.00 ms, because " in text, text)
    text = call(*FOUR, "--sweep", "cores=1..4", programs() / "given", "even").stdout
    expect("\nwarning: computing grew from 10.00 ms to 40.00 ms (default on 4 PUs), because " in text, text)
    text = call(*FOUR, programs() / "given", "split").stdout
    expect("speed-up" in text and "computing grew" not in text, text)


def test_machine_of_an_xml_file():
    """It can be cut down to one PU, with all of its caches."""
    machine = ROOT / "tests" / "data" / "machines" / "hybrid.xml"
    outcome = sim(machine, "given", "split", options=["--given"], baseline=True)
    expect(outcome["pus"] == 8 and outcome["one_pu_ns"] == 160000000 and outcome["speedup"] > 7.9, str(outcome))
    result = call("-m", machine, "--cores", 2, "true")
    expect(result.returncode == 2 and "only be cut down to one PU" in result.stderr, result.stderr)
