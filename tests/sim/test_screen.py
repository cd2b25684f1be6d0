"""What `forestgomp sim` shows: the figures, the classes of a PU's time, progress, and one clear line for each mistake."""
import json
import math
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import time

from simulated import TRIES, call, programs, sim
from testing import BUILD, LIMIT, ROOT, clean_environment, compiled, complains, expect

FG = BUILD / "bin" / "forestgomp"


def sums(outcome, kind):
    return sum(pu[f"{kind}_ns"] for pu in outcome["per_pu"])


def speedup(machine, case, *options):
    return json.loads(call("-m", machine, "--given", "--json", *options, programs() / "given", case).stdout)["speedup"]


def test_default_speedup_is_that_of_baseline():
    """Tasks, loops and nested regions: the figure that everybody gets is the one of --baseline."""
    for machine in ("core:16", "node:4 core:16"):
        for case in ("tasks", "loop", "nested"):
            first, second = speedup(machine, case), speedup(machine, case, "--baseline")
            expect(first == second and first > 1, f"{machine} {case}: {first}, {second}")


def test_looking_for_work_is_no_computing():
    """A tree of small tasks on 16 PUs: the work is conserved, and what the runtime and its thieves do has names. Other
    programs make the timed stretches longer, so one of some tries must do."""
    times = []
    while len(times) < TRIES and not (times and times[-1]["work_ns"] < 2 * times[-1]["one_pu_work_ns"]):
        times.append(sim("core:16", "figures", "tasks", 30, baseline=True))
    outcome = times[-1]
    expect(outcome["work_ns"] < 2 * outcome["one_pu_work_ns"], f"{outcome['work_ns']} ns of {outcome['one_pu_work_ns']}")
    expect(outcome["search_ns"] > 0 and outcome["runtime_ns"] > 0, str(outcome)[:400])
    for outcome in times:
        expect(outcome["search_ns"] == sums(outcome, "search") and outcome["runtime_ns"] == sums(outcome, "runtime"), "sums")
        for pu in outcome["per_pu"]:
            spent = sum(pu[f"{kind}_ns"] for kind in ("work", "runtime", "search", "memory", "lines", "system"))
            expect(spent <= 1.01 * outcome["time_ns"], f"a PU has more time than there is: {pu}")


def test_bars_and_columns():
    for columns, counters, width in (("200", True, 40), ("107", True, None), ("80", False, None), ("60", False, 10)):
        text = call("-m", "core:2", "--no-baseline", programs() / "figures", "loops", 1, env={"COLUMNS": columns}).stdout
        table = text[text.index("\n  PU"):].strip("\n").splitlines()
        expect(("transfers" in table[0]) == counters, table[0])
        expect(max(map(len, table)) <= max(int(columns), 63), f"{columns}: {table}")
        bars = [line[5:].split()[0] for line in table[1:]]
        expect(len(bars) == 2 and all(re.fullmatch(r"[#rwmls.]+", bar) for bar in bars), str(bars))
        expect(width is None or all(len(bar) == width for bar in bars), str(bars))
    expect(re.search(r"computing # [\d.]+%, runtime's code r [\d.]+%, looking for work w [\d.]+%", text), text)


def test_repeat():
    outcome = json.loads(call("-m", "core:4", "--json", "--repeat", 5, programs() / "figures", "loops", 1).stdout)
    expect(outcome["runs"] == 5 and outcome["time_least_ns"] <= outcome["time_ns"] <= outcome["time_most_ns"], str(outcome)[:300])
    text = call("-m", "core:4", "--repeat", 3, programs() / "figures", "loops", 1).stdout
    expect(re.search(r"the median of 3 runs, from [\d.]+ .s to [\d.]+ .s\nspeed-up +[\d.]+ \([\d.]+ to [\d.]+\)", text), text)
    expect(text.startswith("0\n") and text.count("\n0\n") == 0, "the program's output is there once")
    table = json.loads(call("-m", "core:4", "--json", "--repeat", 3, "--sweep", "cores=1..4", programs() / "figures", "loops", 1).stdout)
    expect(all(run["time_least_ns"] <= run["time_ns"] <= run["time_most_ns"] for run in table["runs"]), str(table))
    text = call("-m", "core:4", "--repeat", 3, "--sweep", "cores=1..4", programs() / "figures", "loops", 1).stdout
    expect(re.search(r"policy +PUs +median +least +most", text), text)
    given = json.loads(call("-m", "core:1", "--given", "--json", "--repeat", 3, programs() / "slows").stdout)
    expect(given["time_least_ns"] == given["time_most_ns"], "given work on one PU does not vary")
    complains(call("-m", "core:4", "--repeat", 0, "true"), 2, "--repeat 0", "1 to 1000")


def test_trace_and_stats():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "t.fgt"
        result = call("-m", "core:4", "--trace", trace, programs() / "figures", "loops", 2)
        expect(result.returncode == 0 and trace.exists(), result.stderr)
        table = json.loads(subprocess.run([FG, "trace", "--json", trace], capture_output=True, text=True, timeout=LIMIT).stdout)
        expect(sum(region["calls"] for region in table["regions"]) == 2, str(table))
        result = call("-m", "core:4", "--trace", trace, "true")
        expect(not trace.exists(), "yesterday's trace is there")
        expect(list(pathlib.Path(folder).iterdir()) == [], "files are left")
        result = call("-m", "core:4", "--stats", programs() / "figures", "loops", 2, env={"TMPDIR": folder})
        expect(re.search(r"\nmain +2 +4 ", result.stderr), result.stderr)
        expect(list(pathlib.Path(folder).iterdir()) == [], "files are left")
        odd = pathlib.Path(folder) / "a%b"
        odd.mkdir()
        two = f"{programs() / 'figures'} loops 2 & {programs() / 'figures'} loops 2; wait"
        result = call("-m", "core:4", "--stats", "--no-baseline", "sh", "-c", two, env={"TMPDIR": odd})
        expect(len(re.findall(r"\nmain +2 +4 ", result.stderr)) == 2, result.stderr)
        expect(list(odd.iterdir()) == [], "files are left")
        trace.write_bytes(struct.pack("<8sIIQQQIIQQ", b"FGTRACE\n", 2, 32, 1, 0, 1, os.getpid(), 1, 0, 1))
        complains(call("-m", "core:4", "--trace", trace, "true"), 2, f"process {os.getpid()} is writing it")
        expect(trace.exists(), "a trace that is being written is gone")
    complains(call("-m", "core:4", "--trace", "/nope/x", "true"), 2, "/nope/x", "No such file")
    complains(call("-m", "core:4", "--stats", "--sweep", "cores=1..2", "true"), 2, "--stats")


def test_show():
    text = call("--show", "x4600").stdout
    expect(re.search(r"^transfer.hop1 +98 +\[R\] ", text, re.M) and re.search(r"^sleep +1000 +default, an estimate", text, re.M), text)
    for path in (ROOT / "share" / "machines").glob("*.machine"):
        figures = json.loads(call("--show", path.stem, "--json").stdout)
        keys = [figure["key"] for figure in figures]
        expect(len(keys) == len(set(keys)) and "wake.latency" in keys, f"{path.stem}: {keys}")
        expect(all(figure["source"] for figure in figures if figure["key"] not in ("name", "topology", "xml", "note")), f"{path.stem}: {figures}")
    figures = json.loads(call("--show", "numa:2 core:2", "--json").stdout)
    expect({"key": "topology", "value": "numa:2 core:2 pu:1", "source": "the command line"} in figures, str(figures))


def test_did_you_mean():
    complains(call("-m", "x460", "true"), 2, "x460", "did you mean 'x4600'", "accepted")
    complains(call("--show", "x460"), 2, "did you mean 'x4600'")
    complains(call("-m", "nmua:4 core:4", "true"), 2, "did you mean 'numa'")
    complains(call("-m", "core:2", "--swep", "cores=1..2", "true"), 2, "--swep", "did you mean '--sweep'")
    result = call("-m", "qqqqqqqqq", "true")
    expect(result.returncode == 2 and "did you mean" not in result.stderr, result.stderr)


def test_topo_takes_the_same_text():
    for text in ("numa:4 l3:1 core:4", "node:2 core:2 pu:2"):
        result = subprocess.run([FG, "topo", "-t", text, "--json"], capture_output=True, text=True, timeout=LIMIT)
        expect(result.returncode == 0 and json.loads(result.stdout)["pus"] == sim(text, "slows", options=["--given"])["pus"], result.stderr)


def test_full_disk():
    words = {"help": ("--help",), "list": ("--list",), "show": ("--show", "x4600"), "run": ("-m", "core:2", "true"),
             "json": ("-m", "core:2", "--json", "true"), "table": ("-m", "core:2", "--compare", "default", "true")}
    for name, some in words.items():
        with open("/dev/full", "w") as full:
            result = subprocess.run([FG, "sim", *some], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, env=clean_environment())
        expect(result.returncode == 1 and "cannot write standard output" in result.stderr, f"{name}: {result.returncode} {result.stderr}")
    result = call("-m", "core:2", "--given", "--sweep", "cores=1..2", "--svg", "/dev/full", programs() / "slows")
    expect(result.returncode == 1 and "cannot write '/dev/full'" in result.stderr, result.stderr)
    result = call("-m", "core:2", "--given", programs() / "slows", env={"TMPDIR": "/nowhere"})
    expect(result.returncode == 0 and "speed-up" in result.stdout, "no temporary file is needed")


def test_curves_below_1():
    with tempfile.TemporaryDirectory() as folder:
        drawing = pathlib.Path(folder) / "x.svg"
        call("-m", "core:8", "--given", "--sweep", "cores=1..8", "--svg", drawing, programs() / "slows")
        text = drawing.read_text()
    dots = [(float(y), float(value)) for y, value in re.findall(r"cy='([\d.]+)'.*?PUs: ([\d.]+)<", text)]
    levels = {word: float(y) - 4 for y, word in re.findall(r"<text x='56.0' y='([\d.]+)' text-anchor='end'>([\d/]+)</text>", text)}
    expect(len(dots) == 4 and {"1", "1/2", "1/4", "1/8"} <= set(levels), f"{dots} {levels}")
    expect([value < 1 for _, value in dots] == [False, True, True, True], str(dots))
    for y, value in dots:
        wanted = levels["1"] - math.log2(value) * (levels["1/2"] - levels["1"])
        expect(abs(y - wanted) < 10, f"{value} is drawn at {y}, not {wanted}: {levels}")


def test_programs_of_other_runtimes():
    folder = BUILD / "sim"
    with tempfile.TemporaryDirectory() as at:
        static = compiled(pathlib.Path(at) / "static", "-O2", "-static", "-fopenmp", ROOT / "tests" / "sim" / "timed.c")
        complains(call("-m", "core:2", "--json", static, "nothing"), 2, "linked statically", "-static")
        expect(call("-m", "core:2", static, "serial").returncode == 1, "a static program is a failure")
        library = compiled(pathlib.Path(at) / "libother.so", "-shared", "-fPIC", ROOT / "tests" / "sim" / "other" / "other.c")
        program = compiled(pathlib.Path(at) / "foreign", "-O2", "-fopenmp", ROOT / "tests" / "sim" / "other" / "foreign.c", library,
                           f"-L{folder.parent / 'lib'}", "-l:libgomp.so.1", f"-Wl,-rpath,{at}")
        complains(call("-m", "core:2", program), 1, "libother.so", "cannot be simulated", "gcc -fopenmp")
        complains(call("-m", "core:2", "--sweep", "cores=1..2", program), 1, "libother.so")
        result = call("-m", "core:2", program, "both")
        expect(result.returncode == 0 and "warning:" in result.stderr and "speed-up" in result.stdout, result.stderr)


def on_terminal(words, is_enough, seconds=LIMIT, term="xterm", columns="100"):
    """What a terminal gets of stderr until that is enough, or in so many seconds. The program is ended after that."""
    ours, theirs = pty.openpty()
    seen = b""
    process = subprocess.Popen([FG, "sim", *map(str, words)], stdout=subprocess.DEVNULL, stderr=theirs,
                               env={**clean_environment(), "TERM": term, "COLUMNS": columns})
    os.close(theirs)
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_enough(seen.decode()):
        if select.select([ours], [], [], 0.2)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    process.terminate()
    process.wait(LIMIT)
    os.close(ours)
    return seen.decode()


def test_progress():
    words = ("-m", "core:4", "--given", programs() / "slows", "long")

    def times(seen):
        return set(re.findall(r"virtual ([\d.]+) (.?s)", seen))

    bar = r"virtual [\d.]+ .?s, \d+ s, 4 PUs\b"
    seen = on_terminal(words, lambda seen: re.search(bar, seen) and len(times(seen)) > 2)
    expect(re.search(bar, seen), repr(seen))
    expect(len(times(seen)) > 2, f"the time does not go on: {times(seen)}")
    table = on_terminal((*words[:3], "--sweep", "cores=1..4", *words[3:]), lambda seen: "virtual" in seen)
    expect("virtual" in table, "a table")
    narrow = on_terminal(words, lambda seen: seen.count("\r") > 4, columns="30")
    expect(narrow and all(len(part) < 30 for part in re.split(r"\r\x1b\[K|\r", narrow)), repr(narrow))
    expect(not on_terminal(words, len, 3, term="dumb"), "a dumb terminal gets no bar")


def test_signals_leave_nothing():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([FG, "sim", "-m", "core:4", "--given", programs() / "slows", "long"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env={**clean_environment(), "TMPDIR": folder})
            time.sleep(0.7)
            process.send_signal(number)
            process.communicate(timeout=LIMIT)
            expect(process.returncode == -number, f"{number}: {process.returncode}")
            expect(list(pathlib.Path(folder).iterdir()) == [], f"{number} leaves {list(pathlib.Path(folder).iterdir())}")


def test_interrupted_sweep_shows_its_rows():
    """The program is quick on one and two PUs, and does not end where it finds four."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"[ $FGSIM_PUS -ge 4 ] && >{folder}/four; while [ $FGSIM_PUS -ge 4 ]; do :; done; exec {programs() / 'slows'}"
        process = subprocess.Popen([FG, "sim", "-m", "core:8", "--given", "--sweep", "cores=1..8", "sh", "-c", script], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(), start_new_session=True)
        end = time.monotonic() + LIMIT
        while not (pathlib.Path(folder) / "four").exists() and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # also the program, which would run for ever
            raise
    expect(process.returncode == -signal.SIGINT, f"{process.returncode} {err}")
    rows = re.findall(r"^default +(\d+) +[\d.]+ .s +([\d.]+) ", out, re.M)
    expect([row[0] for row in rows] == ["1", "2"], out + err)
    expect("interrupted: 2 of 4 runs are done" in err, err)


def cpu_time_of(machine, words):
    """Seconds that a simulation takes of this machine's PUs."""
    before = os.times()
    result = subprocess.run([FG, "sim", "-m", machine, "--no-baseline", "--json", programs() / "figures", *words],
                            capture_output=True, text=True, timeout=2 * LIMIT, env=clean_environment())
    after = os.times()
    expect(result.returncode == 0, f"{words}: {result.stderr}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_cost_of_256_pus():
    """Regions, nested regions and tasks. Four times as many PUs cost some twelve times as much; four times that is too
    much. Other programs make the timed stretches longer, and the more so with more PUs, so one of three tries must do."""
    for words in (("loops", "5"), ("nested", "5"), ("tasks", "34")):
        tries = 0
        few, many = 1, 48
        while many >= 48 * few and tries < 3:
            few, many = (cpu_time_of(f"node:{nodes} l3:2 core:8", words) for nodes in (4, 16))
            tries += 1
        expect(many < 48 * few, f"{words}: {many:.2f} s of CPU time with 256 PUs, {few:.2f} s with 64")
