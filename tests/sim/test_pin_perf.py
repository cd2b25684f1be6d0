"""Samples of `perf` for plans: `forestgomp pin --from TRACE --perf TEXT`. A machine without counters has none, so a program tells its own
loads and stores in the form of `perf script`, and samples at ticks are written so."""
import pathlib
import shutil
import subprocess
import tempfile

import traces
from simulated import programs
from test_pin import MACHINE, PUS
from test_pin_plan import copied, pairs_of, planned, record
from test_pin_samples import SAMPLED, WRITES, ONE, need_samples, sampled
from testing import BUILD, Missing, expect, forestgomp


def told(folder, name, *words, env=None):
    """The trace of a run of sampled.c, and the file with its samples."""
    trace, text = (pathlib.Path(folder) / f"{name}.{end}" for end in ("fgt", "txt"))
    result = forestgomp("run", "--trace", trace, programs() / "sampled", *words, env=env)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    text.write_text(result.stdout)
    return trace, text


def shares(numbers):
    found = pairs_of(numbers)
    return {pair: 100 * weight / sum(found.values()) for pair, weight in found.items()}


def expect_pairs(plan, spare=0):
    """Each region has its own four pairs, which share alike. `spare` percent may be shared by others."""
    expect(len(plan["regions"]) == 2 and plan["sure"], str(plan))
    pairs = [{(k, k ^ 4) for k in range(4, PUS)}, {(k, k ^ 1) for k in range(1, PUS, 2)}]
    for region in plan["regions"]:
        for kind in ("sm", "rwm", "lines"):
            found = shares(region[kind])
            mine, = (each for each in pairs if (max(found, key=found.get)) in each)
            expect(all(abs(found.get(pair, 0) - 25) < 5 for pair in mine), f"{kind}: {found}")
            expect(sum(share for pair, share in found.items() if pair not in mine) <= spare, f"{kind}: {found}")
    socket = [pu * 2 // PUS for pu in plan["pus"]]
    expect(all(socket[k] == socket[k ^ 4] == socket[k ^ 1] for k in range(PUS)), str(plan["pus"]))


def test_each_sample_finds_its_member():
    """8 members take turns on the kernel threads of a few PUs. All samples are theirs, and none is another's."""
    with tempfile.TemporaryDirectory() as folder:
        trace, text = told(folder, "run", 64, 20, 20)
        plan = planned(trace, "--perf", text)
        expect(plan["samples"] == 20 * 2 * PUS * 20, str(plan["samples"]))
        expect_pairs(plan)
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--perf", text)
        expect("6400 loads and stores, 6400 of them in regions" in result.stdout and not result.stderr, str(result))


def test_where_the_oldest_part_is_lost():
    """The trace was written over, and each block of it tells the kernel thread anew."""
    with tempfile.TemporaryDirectory() as folder:
        trace, text = told(folder, "long", 64, 400, 20, env={"FGOMP_TRACE_SIZE": "128K"})
        events = traces.events(trace.read_bytes())
        expect(sum(event.name == "meet" for event in events) < 800, "the trace has all regions")
        plan = planned(trace, "--perf", text)
        expect(500 < plan["samples"] < 400 * 2 * PUS * 20, str(plan["samples"]))
        expect_pairs(plan)


def as_text(trace):
    """The samples at ticks, as `perf script` would tell them: with the kernel thread of the worker on which the member is, some
    ns after it last began or went on to compute."""
    file = trace.read_bytes()
    events = sorted((traces.RECORD.unpack_from(file, at + traces.BLOCK.size + i * traces.RECORD.size), lane)
                    for at, kind, _, count, lane in traces.blocks(file) if kind == 1 for i in range(count))
    carried, runs, waits, lines = {}, {}, set(), []
    for (time, event, _, bubble, member, a, b), lane in events:
        name = traces.EVENTS[event]
        if name == "carry":
            carried[lane] = a
        if name in ("wait", "end"):
            waits.add((bubble, member))
        elif name == "go":
            waits.discard((bubble, member))
        if name in ("begin", "resume", "go") and (bubble, member) not in waits:
            runs[bubble, member] = time, carried[lane]
        elif name == "use":
            time, tid = runs[bubble, member]
            runs[bubble, member] = time + 1, tid
            source = "5080144 |OP STORE" if a & WRITES else "5080142 |OP LOAD"
            lines.append(f"{tid:7} {time // 10**9:5}.{time % 10**9:09}: {a // ONE} ibs_op//: {b:16x} {source}|LVL N/A")
            expect(a & SAMPLED, "counted uses")
    return lines


def test_samples_at_ticks_tell_the_same():
    """The same samples, by perf's text, make the same plan from the same graph."""
    need_samples()
    with tempfile.TemporaryDirectory() as folder:
        trace, *_ = sampled(folder, 300, copied(folder, "shared"), 1000, 64, 10, "PASSES", 50, 100)
        text = pathlib.Path(folder) / "perf.txt"
        lines = as_text(trace)
        text.write_text("\n".join(lines) + "\n")
        own, other = planned(trace), planned(trace, "--perf", text)
        expect(own["samples"] == other["samples"] and own["pus"] == other["pus"] and own["moves"] == other["moves"], f"{own} {other}")
        for one, two in zip(own["regions"], other["regions"]):
            expect(one["code"] == two["code"] and one["records"] == two["records"], f"{one} {two}")
            for kind in ("sm", "rwm", "lines"):
                a, b = shares(one[kind]), shares(two[kind])
                expect(all(abs(a.get(pair, 0) - b.get(pair, 0)) < 0.1 for pair in {*a, *b}), f"{kind}: {a} {b}")


def refused(status, said, *words):
    result = forestgomp("pin", "-m", MACHINE, *words)
    lines = result.stderr.splitlines()
    expect(result.returncode == status and len(lines) == 1 and said in lines[0] and not result.stdout, f"{said}: {result}")


def test_wrong_texts():
    """One line each."""
    with tempfile.TemporaryDirectory() as folder:
        trace, text = told(folder, "run", 64, 4, 10)
        _, other = told(folder, "other", 64, 1, 1)
        lines = text.read_text().splitlines(keepends=True)
        made = pathlib.Path(folder) / "made.txt"
        command = "perf script --ns -F tid,time,period,event,addr,data_src"

        def without(words, what):
            made.write_text(words)
            refused(2, what, "--from", trace, "--perf", made)

        refused(1, "is of another run", "--from", trace, "--perf", other)
        tid, seconds = lines[0].split()[0], lines[0].split()[1].split(".")[0]
        made.write_text("".join(lines).replace(f" {seconds}.", " 3."))
        refused(1, "of another clock (perf mem record -k CLOCK_MONOTONIC)", "--from", trace, "--perf", made)
        made.write_text("".join(lines).replace("|OP LOAD", "|OP N/A").replace("5080142 |", "5080141 |").replace("5080144 |", "5080141 |"))
        refused(1, "tells no load and no store", "--from", trace, "--perf", made)
        without("", f"is empty: {command}")
        without("a\nb\n", f"is no text of `perf script`: {command}")
        without("PERFILE2\1\2\3\n", f"is what perf has recorded, not its text: {command} -i {made}")
        for field, cut in (("tid", lambda words: words[1:]), ("event", lambda words: words[:3] + words[4:]),
                           ("addr", lambda words: words[:4] + words[5:]), ("data_src", lambda words: words[:5])):
            without("".join(" ".join(cut(line.split())) + "\n" for line in lines), f"lack the field {field}: {command}")
        refused(2, "Is a directory", "--from", trace, "--perf", folder)
        refused(2, "No such file", "--from", trace, "--perf", f"{folder}/none")
        refused(2, "--perf needs the trace of the same run", "--perf", text, programs() / "sampled")
        refused(1, "does not tell kernel threads", "--from", record(folder, copied(folder, "uses"), 1), "--perf", text)
        made.write_text("".join(lines)[:-20])
        result = forestgomp("pin", "-m", MACHINE, "--from", trace, "--perf", made)
        expect(result.returncode == 0 and "ends in the midst of a line" in result.stderr and len(result.stderr.splitlines()) == 1, str(result))
        expect(f"{len(lines) - 1} loads and stores" in result.stdout and tid, result.stdout)


def test_perf_itself():
    """Where there is perf: the faults by which members touch pages of their own, told as stores. Nobody shares them."""
    if not shutil.which("perf"):
        raise Missing("perf")
    with tempfile.TemporaryDirectory() as folder:
        data, trace, text = (pathlib.Path(folder) / name for name in ("perf.data", "run.fgt", "perf.txt"))
        command = ["perf", "record", "-q", "-e", "page-faults:u", "-c", "1", "-d", "-k", "CLOCK_MONOTONIC", "-o", data]
        command += [BUILD / "bin" / "forestgomp", "run", "--trace", trace, programs() / "faults", "40"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise Missing(f"perf that may record: {result.stderr.strip()}")
        said = subprocess.run(["perf", "script", "-i", data, "--ns", "-F", "tid,time,period,event,addr,data_src"], capture_output=True, text=True, timeout=60)
        text.write_text(said.stdout.replace(" 1e05080021 |OP N/A", "    5080144 |OP STORE").replace(" 1 page-faults", " 1000 page-faults"))
        expect(said.stdout != text.read_text(), said.stdout[:1000] + said.stderr)
        plan = planned(trace, "--perf", text)
        region, = plan["regions"]
        expect(plan["samples"] >= 40 * PUS * 64, str(plan["samples"]))
        common = sum(region["sm"]) / 2 / (region["reads"] + region["writes"])
        expect(common < 0.05, f"{common:.3f} of the accesses are shared")
