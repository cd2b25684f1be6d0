"""`forestgomp replay` of simulated runs: the recorded run itself, other policies, another machine."""
import collections
import json
import pathlib
import statistics
import tempfile

from simulated import call, programs
from testing import expect, forestgomp

MACHINE = "numa:4 core:4 pu:1"
POLICIES = ("default", "affinity", "cache", "spread")
CASES = (("barriers", "even", "4", "8", "40"), ("replayed", "uneven"), ("replayed", "tree"), ("replayed", "flat"))


def recorded(file, policy, words, seed=1, machine=MACHINE):
    result = call("-m", machine, "--given", "--no-baseline", "--seed", seed, "--sched", policy, programs() / words[0], *words[1:],
                  env={"FGOMP_TRACE": str(file)})
    expect(result.returncode == 0, result.stderr)


def replayed(file, *options):
    result = forestgomp("replay", file, "--json", *options)
    expect(result.returncode == 0 and not result.stderr, f"{result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def seeds_of(words):
    """By the order of events and by where the allocator puts things, one run of teams lasts up to 12% longer than another."""
    return range(1, {"even": 6, "uneven": 6}.get(words[1], 4))


def recorded_ns(folder, policy, words, machine=MACHINE):
    """Of runs with several seeds."""
    times = []
    for seed in seeds_of(words):
        file = pathlib.Path(folder) / "run.fgt"
        recorded(file, policy, words, seed, machine)
        times.append(replayed(file, "--runs", 1)["recorded_ns"])
    return times


def chance(times):
    """The standard error of the median of so few times."""
    return 1.25 * statistics.stdev(times) / len(times) ** 0.5 if len(times) > 1 else 0


def as_in(real, predicted):
    """Is the median of the predictions a time that real runs have? Or is it within 5% of their median, and what chance does (twice its error)?"""
    middle, found = statistics.median(real), statistics.median(predicted)
    return abs(found - middle) < 0.05 * middle + 2 * (chance(real) ** 2 + chance(predicted) ** 2) ** 0.5 or min(real) <= found <= max(real)


def recordings(words):
    """Seeds of the runs to record."""
    return seeds_of(words)[:None if words[0] == "barriers" or words[1] in ("uneven", "flat") else 1]


def test_the_recorded_run():
    with tempfile.TemporaryDirectory() as folder:
        for words in CASES:
            for policy in POLICIES if words[1] != "flat" else POLICIES[:1]:
                errors = []
                for seed in recordings(words)[:5]:
                    file = pathlib.Path(folder) / "run.fgt"
                    recorded(file, policy, words, seed)
                    told = replayed(file, "--runs", 3)
                    expect(told["replayed_share"] > 0.999 and not told["left_out"] and told["recorded_policy"] == policy, str(told))
                    errors.append(told["error"])
                expect(abs(statistics.median(errors)) < 0.05, f"{words}, {policy}: {errors}")


def test_other_policies():
    """What the replays of runs under one policy predict of others, beside real runs under those."""
    with tempfile.TemporaryDirectory() as folder:
        for words in CASES[:3]:
            predicted = collections.defaultdict(list)
            for seed in recordings(words):
                file = pathlib.Path(folder) / "first.fgt"
                recorded(file, "cache", words, seed)
                told = replayed(file, "--sched", "default,spread", "--sched", "compact,global", "--runs", max(1, 4 - len(recordings(words))))
                expect([run["policy"] for run in told["runs"]] == ["default", "spread", "compact", "global"], str(told["runs"]))
                for run in told["runs"]:
                    predicted[run["policy"]].append(run["predicted_ns"])
            for policy, times in predicted.items():
                real = recorded_ns(folder, policy, words)
                expect(as_in(real, times), f"{words}, {policy}: {times} for {real}")


def test_another_machine():
    """From 8 PUs to 16, and to one: there all the computing comes one after the other."""
    words = CASES[2]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "small.fgt"
        recorded(file, "default", words, machine="numa:2 core:4 pu:1")
        told = replayed(file, "-m", MACHINE)
        real = recorded_ns(folder, "default", words)
        expect(told["pus"] == 16 and as_in(real, [told["runs"][0]["predicted_ns"]]), f"{told} for {real}")
        told = replayed(file, "-m", "core:1", "--runs", 1)
        expect(abs(told["runs"][0]["replayed_ns"] / told["computing_ns"] - 1) < 0.02, str(told))


def test_computing_of_members():
    """The computing in a trace is what the members were given, whatever they waited: 5 rounds of 4 teams, and work outside."""
    given = 5 * 50000
    for team in range(4):
        given += 5 * sum(100000 * (1 + (k * 7 + team * 3 + phase) % 5) for k in range(2 + 4 * team) for phase in range(6))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.fgt"
        recorded(file, "affinity", CASES[1])
        told = replayed(file, "--runs", 1)
        expect(given - 51000 <= told["computing_ns"] <= 1.002 * given, f"{told['computing_ns']} for {given}")
        expect(told["regions"] == 25 and told["barriers"] == 5 * 6 * 32, str(told))


def test_barriers_that_may_be_cancelled():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.fgt"
        result = call("-m", "core:4", "--given", "--no-baseline", programs() / "replayed", "cancellable",
                      env={"FGOMP_TRACE": str(file), "OMP_CANCELLATION": "true"})
        expect(result.returncode == 0, result.stderr)
        told = replayed(file, "--runs", 1)
        expect(told["barriers"] == 5 * 4 * 20 and abs(told["error"]) < 0.05, str(told))


def test_trace_of_a_replay():
    """A replay is a run, so its trace can be shown and replayed in turn."""
    with tempfile.TemporaryDirectory() as folder:
        file, again = pathlib.Path(folder) / "run.fgt", pathlib.Path(folder) / "again.fgt"
        recorded(file, "default", CASES[1])
        first = replayed(file, "--sched", "spread", "--runs", 1, "--trace", again)
        second = replayed(again, "--runs", 1)
        expect(second["recorded_policy"] == "spread" and second["barriers"] == first["barriers"], str(second))
        expect(abs(second["computing_ns"] / first["computing_ns"] - 1) < 0.01, str(second))
