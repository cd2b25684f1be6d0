"""Samples of who uses what, on the real machine: `forestgomp run --trace FILE --trace-uses`, and what `forestgomp pin` makes of them. The
exact counts of the same program come from the simulated machine."""
import pathlib
import re
import tempfile

import traces
from simulated import programs
from test_pin import MACHINE, PUS
from test_pin_plan import copied, pairs_of, planned, record
from testing import BUILD, PUS as HERE, ROOT, Missing, compiled, expect, forestgomp

OBJECT = BUILD / "lib" / "libforestgomp-samples.so"
SAMPLED, WRITES, ONE = 2, 1, 4


def need_samples():
    if not OBJECT.exists():
        raise Missing("Zydis (scripts/install-deps build)")


def sampled(folder, wanted, program, passes, *words):
    """The trace of a run with so many samples, what it printed, its events, and the uses. The passes grow until there are enough. A word
    PASSES stands for them."""
    trace = pathlib.Path(folder) / "sampled.fgt"
    for _ in range(8):
        result = forestgomp("run", "--trace", trace, "--trace-uses", program, *(passes if word == "PASSES" else word for word in words))
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        events = traces.events(trace.read_bytes())
        uses = [event for event in events if event.name == "use"]
        if len(uses) >= wanted:
            return trace, result.stdout, events, uses
        passes = int(passes * min(20, max(1.5, 1.2 * wanted / (len(uses) + 1))))
    raise AssertionError(f"{len(uses)} samples only")


def test_shares_of_pairs():
    """Some pairs share more than others. Samples of oversubscribed members tell who they are and about how much, and plan as counts do."""
    need_samples()
    with tempfile.TemporaryDirectory() as folder:
        program = copied(folder, "shared")
        exact = planned(record(folder, program, 64, 3, 4, 50, 100))
        trace, *_ = sampled(folder, 1000, program, 1000, 64, 10, "PASSES", 50, 100)
        plan = planned(trace)
        expect(plan["samples"] > 900 and plan["sure"], str({**plan, "regions": 0}))
        expect(exact["samples"] == 0, str(exact["samples"]))
        for region in plan["regions"]:
            counted, = (one for one in exact["regions"] if one["code"] == region["code"])
            for kind in ("sm", "rwm", "lines"):
                found, true = pairs_of(region[kind]), pairs_of(counted[kind])
                expect(set(true) in ({(k, k ^ 4) for k in range(4, 8)}, {(k, k ^ 1) for k in range(1, 8, 2)}), f"{kind}: {true}")
                for pair in {*found, *true}:
                    share = 100 * found.get(pair, 0) / sum(found.values())
                    wanted = 100 * true.get(pair, 0) / sum(true.values())
                    expect(abs(share - wanted) < 20, f"{kind}, members {pair}: {share:.1f}% of the sharing, not {wanted:.1f}%")
                stray = 100 * sum(weight for pair, weight in found.items() if pair not in true) / sum(found.values())
                expect(stray < 15, f"{kind}: {stray:.1f}% of the sharing is between members that share nothing")
        for each in (plan, exact):
            socket = [pu * 2 // PUS for pu in each["pus"]]
            expect(all(socket[k] == socket[k ^ 4] == socket[k ^ 1] for k in range(PUS)), str(each["pus"]))


def test_members_are_those_that_were_met():
    """Each member has data of its own, in teams of one, of two and in tasks as well. No sample tells another one's."""
    need_samples()
    with tempfile.TemporaryDirectory() as folder:
        _, said, events, uses = sampled(folder, 300, programs() / "own", 400, 100, "PASSES")
        base = int(said, 16)
        met = {event.bubble: (event.a, event.member) for event in events if event.name == "meet"}
        sizes = {event.bubble: event.a for event in events if event.name == "team"}
        inner = 0
        for use in uses:
            expect(use.a & SAMPLED and use.a >= ONE and sizes[use.bubble] > 1 and use.member < sizes[use.bubble], str(use))
            if not 0 <= use.b - base < 8 * 16384:
                continue
            bubble, member = use.bubble, use.member
            while met[bubble][0]:
                bubble, member = met[bubble]
                inner += 1
            expect((use.b - base) // 16384 == member, f"member {member} of bubble {bubble}: data of {(use.b - base) // 16384}: {use}")
        own = sum(0 <= use.b - base < 8 * 16384 for use in uses)
        expect(own > 0.9 * len(uses) and inner > 0, f"{own} of {len(uses)}, {inner} of teams of two")
        expect(any(use.a & WRITES for use in uses) and not all(use.a & WRITES for use in uses), "reads and writes")


def test_few_samples_tell_nothing():
    """A short run says so, and plans nothing."""
    need_samples()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "short.fgt"
        result = forestgomp("run", "--trace", trace, "--trace-uses", programs() / "shared", 64, 2, 100, 50, 100)
        expect(result.returncode == 0 and not result.stderr, result.stderr)
        result = forestgomp("pin", "-m", MACHINE, "--from", trace)
        few = "record a longer run" in result.stdout and "too few" in result.stdout and "PU of each" not in result.stdout
        none = result.returncode == 2 and "tells no data" in result.stderr
        expect((few and result.returncode == 0) or none, result.stdout + result.stderr)


def test_pin_samples_by_itself():
    """`forestgomp pin` records a run that does not count, and says that a program which nothing helps is as well by itself."""
    need_samples()
    if HERE < 2:
        raise Missing("two PUs")
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "kept"
        kept.mkdir()
        program = compiled(pathlib.Path(folder) / "program", "-fopenmp", ROOT / "examples" / "tutorial" / "triangle.c", "-lm")
        result = forestgomp("pin", "--runs", 6, program, env={"TMPDIR": str(kept), "OMP_NUM_THREADS": "2"})
        expect(result.returncode == 0, result.stderr)
        runs = sum(int(number) for number in re.findall(r"^\S.*?  +(\d+) +[\d.]+ \w+ +[\d.]+ \w+ ", result.stdout, re.M))
        head = re.search(r", (\d+) runs", result.stdout)
        expect(head and int(head[1]) == runs + 1, result.stdout)
        expect(not list(kept.iterdir()), str(list(kept.iterdir())))


def test_what_cannot_be_recorded():
    """One line, and the program goes on."""
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "none.fgt")
        for env, said in (({}, "FGOMP_TRACE names no file"), ({"FGOMP_TRACE": trace, "FGOMP_THREADS": "kernel"}, "user-level threads"),
                          ({"FGOMP_TRACE": trace, "FGOMP_CARRIER": "virtual"}, "real machines")):
            result = forestgomp("run", "--trace-uses", programs() / "own", 1, 1, env=env)
            lines = result.stderr.strip().splitlines()
            expect(result.returncode == 0 and len(lines) == 1 and "FGOMP_TRACE_USES has no effect" in lines[0] and said in lines[0],
                   f"{env}: {result}")
