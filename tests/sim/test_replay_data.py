"""`forestgomp replay` of simulated runs whose data decide how long they take; and where it cannot tell how long."""
import json
import pathlib
import statistics
import struct
import tempfile

from simulated import call, programs
from test_replay import recorded, replayed
from testing import complains, expect, forestgomp
from traces import BLOCK, EVENTS, RECORD, blocks

TWO_NODES = "numa:2 core:4 pu:1"
FAMILIES = "families", "barriers", "4", "8", "12", "20000", "262144"
SEEDS = range(1, 4)
NUMBERS = {name: number for number, name in EVENTS.items()}


def medians(folder, machine, policies, words):
    """The recorded times of each policy."""
    times = {policy: [] for policy in policies}
    for policy in policies:
        for seed in SEEDS:
            recorded(folder / "run.fgt", policy, words, seed, machine)
            times[policy].append(replayed(folder / "run.fgt", "--runs", 1)["recorded_ns"])
    return {policy: statistics.median(own) for policy, own in times.items()}


def predictions(folder, machine, policy, others, words):
    """The medians of what runs under one policy predict of others."""
    times = {other: [] for other in others}
    for seed in SEEDS:
        recorded(folder / "run.fgt", policy, words, seed, machine)
        told = replayed(folder / "run.fgt", "--sched", ",".join(others), "--runs", 3)
        expect(told["memory_told"] and told["memory_ns"] > 0 and not told["left_out"], str(told))
        for run in told["runs"]:
            times[run["policy"]].append(run["predicted_ns"])
    return {other: statistics.median(own) for other, own in times.items()}


def test_teams_with_data():
    """Under `spread` they take 1.7 times what they take under the others on 2 nodes, and 4 times on the Opteron."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for machine, least in ((TWO_NODES, 1.4), ("opteron-8347he", 3)):
            real = medians(folder, machine, ("default", "spread", "cache"), FAMILIES)
            expect(real["spread"] > least * real["default"], f"{machine}: {real}: the program shows nothing")
            for policy, others in (("default", ("spread", "cache")), ("spread", ("default",)), ("cache", ("default",))):
                for other, time in predictions(folder, machine, policy, others, FAMILIES).items():
                    expect(abs(time / real[other] - 1) < 0.1, f"{machine}, {policy} -> {other}: {time}, really {real[other]}")


def test_tasks_with_data():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        real = medians(folder, TWO_NODES, ("steal", "default"), ("data", "tasks"))
        found = predictions(folder, TWO_NODES, "steal", ("default",), ("data", "tasks"))
        expect(abs(found["default"] / real["default"] - 1) < 0.1, f"{found}, really {real}")


def test_data_before_the_first_region():
    """The first thread writes all data, so they lie on its node. It computes 30 us between that and the first region."""
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "run.fgt"
        recorded(file, "default", ("data", "first"), machine=TWO_NODES)
        told = replayed(file, "--runs", 3)
        expect(told["touches"] == 1 + 16 * 6 and 30000 <= told["serial_ns"] < 31000, str(told))
        expect(abs(told["error"]) < 0.1, str(told))


def cannot_tell(file, why, *options):
    """No figure, one line, and status 1."""
    result = forestgomp("replay", file, "--sched", "spread", "--runs", 1, *options)
    complains(result, 1, why)
    expect(result.stdout == "", result.stdout)
    told = json.loads(forestgomp("replay", file, "--json", "--sched", "spread", "--runs", 1, *options).stdout)
    expect(why in told["cannot_tell"] and told["calibration_ns"] is None and told["error"] is None and not told["runs"], str(told))


def changed(file, name, change):
    """A copy of the trace. `change` gets each record as a list, and changes it."""
    data = bytearray(file.read_bytes())
    for at, kind, _, count, _ in blocks(bytes(data)):
        for i in range(count if kind == 1 else 0):
            record = list(RECORD.unpack_from(data, at + BLOCK.size + i * RECORD.size))
            change(record)
            RECORD.pack_into(data, at + BLOCK.size + i * RECORD.size, *record)
    copy = file.with_name(name)
    copy.write_bytes(data)
    return copy


def untold(file):
    """As a trace of an older version."""
    copy = file.with_name("untold.fgt")
    copy.write_bytes(file.read_bytes().replace(b"\nmemory=told\n", b"\nmemory=what\n"))
    return copy


def test_traces_that_do_not_tell_their_data():
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "run.fgt"
        recorded(file, "cache", FAMILIES, machine=TWO_NODES)
        old = untold(file)
        cannot_tell(old, "the recorded machine has several NUMA nodes")
        told, alone = replayed(file, "--runs", 1), replayed(old, "--runs", 1, "--computing-only")
        expect(told["memory_ns"] > 0 == alone["memory_ns"] and not alone["memory_told"], str(alone))
        expect(abs(alone["computing_ns"] / (told["computing_ns"] + told["memory_ns"]) - 1) < 0.001, f"{told}, {alone}")
        # Data are in one memory only.
        recorded(file, "cache", FAMILIES, machine="l3:1 core:4")
        old = untold(file)
        expect(not replayed(old, "--runs", 1, "--sched", "spread")["memory_told"], "one node")
        cannot_tell(old, "the other machine has several NUMA nodes", "-m", TWO_NODES)


def test_data_that_an_allocator_has_placed():
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "run.fgt"
        recorded(file, "default", ("data", "placed"), machine=TWO_NODES)
        cannot_tell(file, "an allocator has placed")


def test_touches_that_lie():
    """Addresses, lengths and kinds that cannot be; begins without an end, and ends without a begin."""
    def lie(event, field, value):
        def change(record):
            if record[1] == NUMBERS[event]:
                record[field] = value
        return change

    def unknown(event):
        return lie(event, 1, 9999)

    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "run.fgt"
        recorded(file, "default", FAMILIES, machine=TWO_NODES)
        for change in (lie("touch", 6, 1 << 48), lie("touch", 6, (1 << 64) - 64), lie("touch", 5, 99), lie("touched", 6, 0),
                       lie("touched", 6, 1 << 47), lie("touched", 6, (1 << 64) - 1), unknown("touched")):
            cannot_tell(changed(file, "lies.fgt", change), "tells only in part")
        # Without their begins, the touches count as computing, and the report says how many there are.
        told = replayed(changed(file, "lies.fgt", unknown("touch")), "--runs", 1)
        expect(told["touches"] == 0 and told["left_out"]["touches_lost"] > 100, str(told))
        # Each of some hundred touches goes through 63 GB.
        complains(forestgomp("replay", changed(file, "lies.fgt", lie("touched", 6, 63 << 30))), 1, "more data than can be replayed")
