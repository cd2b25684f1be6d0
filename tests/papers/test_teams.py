"""Tests of bench/teams.py: the table, what is kept, the trace, and the work of each program."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from testing import BUILD, LIMIT, ROOT, complains, expect

sys.path[:0] = [str(ROOT / "bench" / "teams.d"), str(ROOT / "bench" / "papers.d")]

import begins  # noqa: E402
from lines import HELD_OUT, LINES, TUNED, Line, efficiency  # noqa: E402
from running import PROGRAMS, Failed, Runner  # noqa: E402
from runs import Job, Kept, RunFailed, Runs  # noqa: E402
from table import Table  # noqa: E402

LINE_BYTES = 64
MACHINE = "numa:2 core:4 pu:1"


def teams(*words, build=BUILD):
    return subprocess.run([ROOT / "bench" / "teams.py", "--build", build, *words], capture_output=True, text=True, timeout=LIMIT)


def table_of(figures, lines):
    """figures: {(place of the line, column): [figure of each seed]}"""
    table = Table(lines, sorted({column for _, column in figures}))
    for (place, column), seeds in figures.items():
        for seed, figure in enumerate(seeds, 1):
            table.add(lines[place], column, seed, {"figure": figure})
    return table


def test_lines():
    """45 lines were tuned on, and 45 were held out. Each has a name, a program that can be built, and a work of its own."""
    expect((len(TUNED), len(HELD_OUT)) == (45, 45), (len(TUNED), len(HELD_OUT)))
    expect(len({line.name for line in LINES}) == len({(line.machine, line.text) for line in LINES}) == 90, "two lines are alike")
    expect(all(line.program in PROGRAMS for line in LINES), {line.program for line in LINES})
    expect(all(line.higher == line.text.startswith("plain barriers") for line in LINES), "plain barriers prints an efficiency, all else a time")


def test_distance_from_best():
    time, share = TUNED[0], efficiency("e", MACHINE, "4 4 2 1000")
    table = table_of({(0, "a"): [100, 130, 104], (0, "b"): [208, 208, 208], (1, "a"): [0.8, 0.4, 0.6], (1, "b"): [0.9, 0.9, 0.9]}, [time, share])
    expect(table.best(time) == 104 and table.best(share) == 0.9, "the best is the least time, and the highest efficiency")
    expect(abs(table.off(time, "b") - 1) < 1e-9 and abs(table.off(share, "a") - 0.5) < 1e-9, (table.off(time, "b"), table.off(share, "a")))
    expect(abs(table.worst_seed(time, "a") - 0.25) < 1e-9 and abs(table.worst_seed(share, "a") - 0.5) < 1e-9, "the worst seed against the median")


def test_summary():
    """Each set counts its own lines, and a line that a policy did not run counts in none."""
    lines = [TUNED[0], TUNED[1], HELD_OUT[0], HELD_OUT[1]]
    found = table_of({(0, "a"): [100], (0, "b"): [104, 104, 116], (1, "a"): [100], (1, "b"): [114], (2, "a"): [140], (2, "b"): [100], (3, "a"): [9]}, lines).summary()
    tuned = found["b"]["tuned on"]
    expect((tuned["within_5"], tuned["within_15"], tuned["worst_seed_within_15"]) == (1, 2, 1), found)
    expect(found["b"]["held out"] == {"lines": 1, "within_5": 1, "within_15": 1, "worst_seed_within_15": 1, "worst": 0, "worst_line": lines[2].name, "mean": 0}, found)
    of_all = found["a"]["all"]
    expect((of_all["lines"], of_all["within_5"], of_all["worst_line"]) == (4, 3, lines[2].name) and abs(of_all["worst"] - 0.4) < 1e-9, of_all)


def trace_write(path, records):
    """Writes (lane, time, event's name, PU, bubble, member, b) as a trace."""
    numbers, data = begins.numbers_of_events(), b"FGTRACE\n".ljust(begins.ALIGN, b"\0")
    for lane in {record[0] for record in records}:
        packed = [struct.pack("<QHHIIIQ", time, numbers[name], pu, bubble, member, 0, b) for of, time, name, pu, bubble, member, b in records if of == lane]
        head = struct.pack("<4sIQQQQI20x", b"BLOC", 1, begins.ALIGN, len(packed), 0, 0, lane)
        data += (head + b"".join(packed)).ljust(begins.ALIGN, b"\0")
    path.write_bytes(data)


def test_begins_of_trace():
    """On PU 3 begin in time: member 1. Too late: 2. Elsewhere: 3. Not dealt: 4, and 5, which was put on a level of 4 PUs. Bubble 8 is a flat team, and its
    members are placed before that is known."""
    pu_3, level, nested = 3 << 16 | 1, 4 << 16 | 4, 2
    records = [(0, 1000, "meet", 0, 7, 0, 0), (0, 1001, "team", 0, 7, 0, nested), (0, 900, "meet", 0, 8, 0, 0), (0, 901, "place", 0, 8, 1, 9 << 16 | 1),
               (0, 902, "team", 0, 8, 0, begins.FLAT)]
    records += [(3, 10, "resume", 3, 1, 3, 0), (3, 20, "suspend", 3, 1, 3, 0)]
    records += [(0, 1002, "place", 0, 7, member, level if member == 5 else pu_3) for member in (1, 2, 3, 5, 6)]
    records += [(0, 1002, "place", 0, 8, 1, 9 << 16 | 1), (1, 1003, "begin", 9, 8, 1, 0)]
    records += [(1, 6000, "begin", 3, 7, 1, 0), (1, 6001, "begin", 3, 7, 2, 0), (2, 1003, "begin", 2, 7, 3, 0), (2, 1004, "begin", 3, 7, 4, 0),
                (2, 1005, "begin", 5, 7, 5, 0)]
    # The bubble's number comes again. Member 6 was dealt the first time only.
    records += [(0, 9000, "meet", 0, 7, 0, 0), (2, 9001, "begin", 3, 7, 6, 0)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.fgt"
        trace_write(path, records)
        found = begins.begins_count(path)
        expect(found == begins.Begins(dealt=3, there=2, in_time=1, idle=1, idle_in_time=1), found)
        path.write_bytes(b"no trace")
        try:
            begins.begins_count(path)
            raise AssertionError("a file that is no trace was read")
        except ValueError:
            pass


def test_begins_on_idle_pus():
    """PUs 1 to 6 have run something before, PU 8 has not. PU 1 is idle and begins its second member in time. PU 2 is, and a thief takes its member. PU 3 is, and begins late. PU 4
    computes, PU 5 expects a member of another region already, and PU 6 is the one that met the region."""
    def to(pu):
        return pu << 16 | 1
    records = [(4, 10, "resume", 4, 1, 4, 0), (6, 10, "begin", 6, 1, 0, 0), (2, 10, "begin", 2, 1, 2, 0), (2, 20, "end", 2, 1, 2, 0),
               (3, 10, "resume", 3, 1, 3, 0), (3, 20, "suspend", 3, 1, 3, 0), (6, 30, "end", 6, 1, 0, 0)]
    records += [(lane, time, name, lane, 1, lane, 0) for lane in (1, 5) for time, name in ((10, "resume"), (20, "suspend"))]
    records += [(5, 100, "meet", 5, 8, 0, 0), (5, 101, "place", 5, 8, 1, to(5)), (6, 110, "meet", 6, 7, 0, 0)]
    records += [(6, 120, "place", 6, 7, member, to(pu)) for member, pu in enumerate((1, 1, 2, 3, 4, 5, 6, 8), 1)]
    records += [(1, 200, "begin", 1, 7, 2, 0), (1, 300, "begin", 1, 7, 1, 0), (7, 200, "begin", 7, 7, 3, 0), (3, 9000, "begin", 3, 7, 4, 0),
                (4, 200, "begin", 4, 7, 5, 0), (5, 200, "begin", 5, 7, 6, 0), (6, 200, "begin", 6, 7, 7, 0), (8, 200, "begin", 8, 7, 8, 0)]
    # Member 3 is put there once more. PU 1 is idle again later.
    records += [(6, 121, "place", 6, 7, 3, to(2)), (1, 400, "end", 1, 7, 1, 0), (0, 500, "meet", 0, 9, 0, 0), (0, 501, "place", 0, 9, 1, to(1)),
                (1, 600, "begin", 1, 9, 1, 0)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.fgt"
        trace_write(path, records)
        found = begins.begins_count(path)
        # Those of the region that was met on PU 6: 1, 2, 3. That of bubble 8: 5, whose member never begins. That of bubble 9: 1.
        expect(found == begins.Begins(dealt=9, there=8, in_time=7, idle=5, idle_in_time=2), found)


def test_kept_after_interruption():
    """A line that was cut short is passed over, and what is added is found again."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "runs.jsonl"
        Kept(path).add({"key": "a", "figure": 1.0})
        with path.open("a") as file:
            file.write('{"key": "b", "fig')
        kept = Kept(path)
        expect(set(kept.records) == {"a"}, kept.records)
        kept.add({"key": "c", "figure": 2.0})
        expect({key: record["figure"] for key, record in Kept(path).records.items()} == {"a": 1.0, "c": 2.0}, Kept(path).records)


def build_copy(folder):
    """Returns a build folder of its own: links to the command and to the libraries, and a copy of the simulated one."""
    build = pathlib.Path(folder)
    (build / "lib" / "simulated").mkdir(parents=True)
    for entry in BUILD.iterdir():
        if entry.name not in ("lib", "bench"):
            (build / entry.name).symlink_to(entry)
    for entry in (BUILD / "lib" / "simulated").iterdir():
        if entry.name == "libgomp.so.1":
            shutil.copy(entry.resolve(), build / "lib" / "simulated" / entry.name)
    return build


def test_key_of_a_run():
    """The library, the policy, the seed, the machine and the work each make another key."""
    with tempfile.TemporaryDirectory() as folder:
        build = build_copy(folder)
        line = Line("x", MACHINE, "plain steps 2 2 4 1000")
        runs = Runs(Runner(build), build)
        runs.prepare([line])
        jobs = [Job(line, "cache", 1), Job(line, "cache", 2), Job(line, "spread", 1), Job(line, "cache", 1, True),
                Job(Line("x", "core:4", line.text), "cache", 1), Job(Line("x", MACHINE, "plain steps 2 2 5 1000"), "cache", 1)]
        keys = {runs.key(job) for job in jobs}
        with runs.runtime.open("ab") as file:
            file.write(b"\0")
        newer = Runs(Runner(build), build)
        newer.prepare([line])
        keys |= {newer.key(job) for job in jobs}
        expect(len(keys) == 2 * len(jobs), "two runs have one key")
        try:
            runs.run(jobs[0])
            raise AssertionError("a library that was built anew meanwhile is not noticed")
        except RunFailed:
            pass


def test_series():
    """A series gives its figures twice alike; the second time nothing is run. Its columns stand beside those of another series."""
    with tempfile.TemporaryDirectory() as folder:
        build = build_copy(folder)
        first, second, kept = build / "first.json", build / "second.json", build / "bench" / "teams" / "runs.jsonl"
        words = ("--seeds", "2", "--policies", "cache;spread", "--begins", "^steps 4x4$")
        done = teams("--json", first, *words, build=build)
        expect(done.returncode == 0, done.stderr)
        count = len(kept.read_text().splitlines())
        expect(count == 2 * 2 + 2, f"{count} runs")
        done = teams("--json", second, "--beside", first, *words, build=build)
        expect(done.returncode == 0 and len(kept.read_text().splitlines()) == count, done.stderr or "the second time it ran again")
        before, after = json.loads(first.read_text()), json.loads(second.read_text())
        # A line of this name that does other work stands in no column.
        first.write_text(first.read_text().replace("plain steps 4 4 40", "plain steps 4 4 41"))
        other = teams("--json", second, "--beside", first, *words, build=build)
        expect(other.returncode == 0 and set(json.loads(second.read_text())["lines"][0]["columns"]) == {"cache", "spread"}, other.stderr)
    line, again = before["lines"][0]["columns"], after["lines"][0]["columns"]
    expect(len(before["lines"]) == 1 and set(line) == {"cache", "spread"} and set(line["cache"]["seeds"]) == {"1", "2"}, before)
    expect(set(again) == {"cache", "spread", "cache (first)", "spread (first)"}, again)
    expect(all(again[column]["seeds"] == again[f"{column} (first)"]["seeds"] == line[column]["seeds"] for column in line), (line, again))
    # 40 steps of 4 teams: `cache` deals all members but those that meet the region.
    found = line["cache"]["begins"]
    expect(found["dealt"] == 40 * 4 * 3 >= found["there"] >= found["in_time"] > 0, found)
    expect("| steps 4x4 |" in done.stdout and "of 480" in done.stdout, done.stdout)


def test_bad_calls():
    for words, text in ((["nosuch"], "no line has nosuch"), (["--seeds", "0"], "give 1 or more"), (["("], "no regular expression")):
        done = teams(*words)
        expect(done.returncode == 2 and text in done.stderr, done.stderr)
    # The library would say so in each run, and run `default`.
    complains(teams("--policies", "cache;affinity,nosuch", "^mpu$"), 1, "no option 'nosuch'", "nothing was run")
    complains(teams("--build", "/nowhere", "^mpu$"), 1, "is not there")


def simulated(text):
    """Returns what the machine counted: ns of work, and lines that were gone through."""
    program, *words = text.split()
    done = subprocess.run([BUILD / "bin" / "forestgomp", "sim", "-m", MACHINE, "--given", "--no-baseline", "--json", Runner(BUILD).program(program), *words],
                          capture_output=True, text=True, timeout=LIMIT)
    expect(done.returncode == 0, f"{text}: {done.stderr}")
    report = json.loads(done.stdout)
    lines = report["lines"]
    return report["work_ns"], lines["own"] + lines["shared"] + sum(lines["other"].values()) + sum(lines["memory"].values())


def test_work_of_programs():
    """Each program does the work that its usage tells: neither an option nor the warm-up changes it unseen."""
    kb, part = 65536 // LINE_BYTES, 65536 // LINE_BYTES // 4
    for text, work, lines in (
            # 2 rounds of warm-up write; 6 phases read all and write a part.
            ("families barriers 4 4 6 1000 65536", 16 * (2 + 6) * 1000, 16 * (2 * part + 6 * (kb + part))),
            ("families regions 4 4 6 1000 65536", 16 * (2 + 6) * 1000, 16 * (2 * part + 6 * (kb + part))),
            ("families barriers 8 2 6 1000 0 live=2", (16 * 2 + 4 * 6 + 12 * 3) * 1000, 0),
            ("families regions 8 2 6 1000 0 alternate", (16 * 2 + 8 * 6 + 8 * 3) * 1000, 0),
            ("families barriers 4 2 6 1000 0 staggered", (8 * 2 + 2 * (2 + 3 + 5 + 6)) * 1000, 0),
            ("families barriers 4 2 6 1000 0 late=5", (8 * (2 + 6) + 2 * 5) * 1000, 0),
            ("families barriers 4 2 6 1000 0 sizes=5,1,3", (5 + 1 + 3 + 5) * (2 + 6) * 1000, 0),
            ("plain barriers 4 2 6 1000 sizes=3,2", 10 * (2 + 2 + 6) * 1000, 0),
            ("plain steps 4 2 6 1000", 8 * 6 * 1000, 0),
            ("plain steps 4 2 6 1000 skew=8", 2 * 6 * (1000 + 2000 + 4000 + 8000), 0),
            ("levels 2x3x2 4 1000 65536", 3 * 12 * 4 * 1000, 3 * 12 * 4 * (kb + kb // 2)),
            ("trees regions 4 1000 65536", 6 * 16 * 1000, 6 * 2 * kb),
            ("trees tasks 4 1000 65536", 6 * 16 * 1000, 6 * 2 * kb),
            ("tasks loop 2 3 4 1000 65536 8", 2 * (1 + 4) * 8 * 1000, 2 * (1 + 4) * 2 * kb),
            ("tasks pairs 2 3 4 1000 65536 8", 2 * (1 + 4) * 16 * 1000, 2 * (1 + 4) * 4 * kb)):
        found = simulated(text)
        # `skew` is a power, so a load is a ns less than it should be, at most.
        expect(work - 100 <= found[0] <= work and found[1] == lines, f"{text}: {found}, not {(work, lines)}")


def test_programs_refuse():
    """A runtime that is not simulated, and arguments that make no sense, give one line."""
    build = Runner(BUILD)
    for text, word in (("families nosuch 4 4 6 1000 0", "usage"), ("families barriers 4 4 6 1000", "usage"), ("families barriers 4 x 6 1000 0", "x is no number"),
                       ("families barriers 4 4 6 1000 0 sizes=4,", "sizes of teams"), ("plain steps 4 4 6 1000 sizes=4", "usage"),
                       ("plain steps 4 4 6 1000 warm=6", "6 is no number"), ("levels 4y4 2 1000", "sizes of teams"), ("trees both 4 1000 0", "usage"),
                       ("tasks loop 2 3 4 1000 0 0", "0 is no number")):
        program, *words = text.split()
        done = subprocess.run([BUILD / "bin" / "forestgomp", "sim", "-m", MACHINE, "--given", "--no-baseline", build.program(program), *words],
                              capture_output=True, text=True, timeout=LIMIT)
        said = [line for line in done.stderr.splitlines() if "nothing was measured" in line]
        expect(done.returncode == 2 and len(said) == 1 and word in said[0], f"{text}: {done.returncode}: {done.stderr}")
    for program in ("families", "plain", "levels", "trees", "tasks"):
        done = subprocess.run([build.program(program)], capture_output=True, text=True, timeout=LIMIT)
        complains(done, 2, "simulated machine")
