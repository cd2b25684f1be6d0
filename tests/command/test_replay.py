"""`forestgomp replay`: live traces, and files that cannot be replayed."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time

from made_trace import region, trace
from test_traces import traced
from testing import BUILD, LIMIT, clean_environment, complains, expect, forestgomp, plugin

HEAD, BLOCK, RECORD = 65536, 64, 32
ALONE = "--runs", 1, "--computing-only"  # this machine may have several NUMA nodes


def without(file, names):
    """A copy of the trace, whose events of these numbers are of a kind that nobody knows."""
    data, at = bytearray(file.read_bytes()), HEAD
    while at + BLOCK <= len(data) and data[at:at + 4] == b"BLOC":
        kind, size, count = struct.unpack_from("<IQQ", data, at + 4)
        for i in range(count if kind == 1 else 0):
            place = at + BLOCK + i * RECORD + 8
            if struct.unpack_from("<H", data, place)[0] in names:
                struct.pack_into("<H", data, place, 9999)
        at += size
    copy = file.with_suffix(".less")
    copy.write_bytes(data)
    return copy


def test_replay_of_a_live_run():
    result, file = traced()
    expect(result.returncode == 3, result.stderr)
    words = "replay", file, "--sched", "spread,steal", "-m", "numa:2 core:2", "--runs", 2
    complains(forestgomp(*words), 1, "does not tell which data")
    text = forestgomp(*words, "--computing-only")
    expect(text.returncode == 0 and not text.stderr and "\033" not in text.stdout, text.stderr)
    for word in ("15 regions, 10 barriers of members", "replayed there", "trust", "memory and caches", "spread", "steal", "4 PUs"):
        expect(word in text.stdout, f"{word}: {text.stdout}")
    told = json.loads(forestgomp("replay", file, "--json", *ALONE, "--sched", "spread").stdout)
    expect(told["regions"] == 15 and not told["simulated"] and told["replayed_share"] > 0.9, str(told))
    expect(told["computing_ns"] > 0 and told["runs"][0]["policy"] == "spread" and told["runs"][0]["replayed_ns"] > 0, str(told))


def test_replay_forgets_the_callers_variables():
    _, file = traced()
    plain = json.loads(forestgomp("replay", file, "--json", *ALONE, "--sched", "steal").stdout)
    other = forestgomp("replay", file, "--json", *ALONE, "--sched", "steal",
                       env={"OMP_THREAD_LIMIT": "1", "OMP_MAX_ACTIVE_LEVELS": "1", "FGOMP_THREADS": "kernel", "FGOMP_SCHED": "global",
                            "FGOMP_STATS": str(file.with_suffix(".sums"))})
    expect(not file.with_suffix(".sums").exists(), "the player's sums are in the caller's file")
    expect(not other.stderr and json.loads(other.stdout)["runs"] == plain["runs"], other.stderr + other.stdout)


def test_traces_that_are_cut_short():
    _, file = traced()
    whole, short = file.read_bytes(), file.with_suffix(".short")
    for size in (0, 7, 63, 64, HEAD, len(whole) // 4, len(whole) // 3, len(whole) // 2, len(whole) - 70000):
        short.write_bytes(whole[:size])
        result = forestgomp("replay", short, *ALONE)
        if result.returncode:
            complains(result, 1, "")
        else:
            expect("trust" in result.stdout or "nothing is known" in result.stdout, result.stdout)
    expect(forestgomp("replay", file, *ALONE).returncode == 0, "the whole file")


def test_traces_that_lack_events():
    _, file = traced()
    for names, why in (({1}, "no region"), ({2}, "no region"), ({1, 2, 3, 14, 15}, "no region"), ({3}, "no computing")):
        complains(forestgomp("replay", without(file, names)), 1, why)
    # Barriers that some have not left, and regions that never end.
    for names in ({15}, {5}, {4}, {9, 10}):
        result = forestgomp("replay", without(file, names), *ALONE)
        expect(result.returncode == 0 and "events that this version does not know" in result.stdout, result.stdout + result.stderr)


def test_replay_of_one_that_was_killed():
    result, file = traced("kill")
    expect(result.returncode == -9, f"status {result.returncode}")
    text = forestgomp("replay", file, *ALONE)
    expect(text.returncode == 0 and "ended without a word" in text.stdout, text.stdout + text.stderr)


def test_bad_calls():
    _, file = traced()
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "other"
        other.write_text("#!/bin/sh\n" + "echo no trace\n" * 10000)
        for words, status, why in (([other], 1, "no trace"), ([folder], 1, folder), ([other.with_suffix(".none")], 1, "cannot be read"),
                                   ([], 2, "which file"), ([file, "--sched", "fastest"], 2, "fastest"), ([file, "--sched", "./none.so"], 2, "none.so"),
                                   ([file, "-m", "nowhere"], 2, "nowhere"), ([file, "--runs", "0"], 2, "--runs"), ([file, "--runs"], 2, "needs a value"),
                                   ([file, "--cores", "x"], 2, "--cores"), ([file, file], 2, "one FILE"),
                                   ([file, "--sched", "spread,cache", "--trace", other], 2, "one policy")):
            complains(forestgomp("replay", *words), status, why)
    help_text = forestgomp("replay", "--help")
    expect(help_text.returncode == 0 and "--sched" in help_text.stdout, help_text.stderr)


def ended_by(number, *words):
    """Sends the signal as soon as the command has a file in its folder. Returns the status and what it left there."""
    with tempfile.TemporaryDirectory() as folder:
        command = subprocess.Popen([BUILD / "bin" / "forestgomp", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**clean_environment(), "TMPDIR": folder}, start_new_session=True)
        end = time.monotonic() + LIMIT
        while not any(pathlib.Path(folder).iterdir()) and command.poll() is None and time.monotonic() < end:
            time.sleep(0.001)
        command.send_signal(number)
        return command.wait(LIMIT), [path.name for path in pathlib.Path(folder).iterdir()]


def test_signals_leave_no_files():
    _, file = traced()
    for words in (("replay", file, *ALONE, "--runs", 50), ("topo", "-m", "numa:4 core:16", "-n", "16,16")):
        for number in (signal.SIGTERM, signal.SIGINT):
            status, left = ended_by(number, *words)
            expect(status == -number and not left, f"{words}: status {status}, left {left}")


CODE = """#include <forestgomp/sched.h>
#include <stdio.h>
static void __attribute__((constructor)) loaded(void) { fclose(fopen("MARK", "w")); }
const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI, .name = "evil", .summary = "x"};
"""


def test_a_trace_loads_no_code():
    """A plug-in that the trace names is loaded only if the caller names it, too. A FIFO for a machine is not waited for."""
    with tempfile.TemporaryDirectory() as folder:
        mark, source, fifo = (pathlib.Path(folder) / name for name in ("mark", "evil.c", "fifo"))
        source.write_text(CODE.replace("MARK", str(mark)))
        evil = plugin(source)
        os.mkfifo(fifo)
        file = trace(pathlib.Path(folder) / "evil.fgt", 1, [0, 1], region(1000, 900000), more=f"sched={evil}\n")
        for words in ((), ("--cores", 2)):
            result = forestgomp("replay", file, *ALONE, *words)
            expect(result.returncode == 0 and "is a plug-in: name it with --sched" in result.stdout, f"{result}")
            expect(not mark.exists(), "the code was loaded")
        result = forestgomp("replay", file, *ALONE, "--sched", evil)
        expect(result.returncode == 0 and mark.exists() and "replayed there  not" not in result.stdout, f"{result}")
        file = trace(pathlib.Path(folder) / "fifo.fgt", 2, [0, 1], region(1000, 900000), more=f"sched=default\nmachine={fifo}\npus=2\n")
        expect(forestgomp("replay", file, *ALONE).returncode == 0, "a FIFO")


def test_a_replay_keeps_its_input():
    _, file = traced()
    before = file.read_bytes()
    complains(forestgomp("replay", file, *ALONE, "--trace", file), 2, "the trace itself")
    expect(file.read_bytes() == before, "the trace was overwritten")
    complains(forestgomp("replay", file, *ALONE, "--trace", "/nowhere/x"), 2, "/nowhere/x")
