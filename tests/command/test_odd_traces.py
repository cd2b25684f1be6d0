"""Traces that no program writes: the command ends soon, with little memory, and a terminal gets no controls of theirs."""
import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile

from made_trace import FLAT, block, region, trace
from testing import BUILD, LIMIT, clean_environment, complains, expect, forestgomp

SECONDS = 20  # of a PU. Each takes one or two; where the time is quadratic, it takes more than 30
SUMS, CALL = 8, 2  # as src/trace/format.h has them


def soon(*words):
    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    return subprocess.run([BUILD / "bin" / "forestgomp", *map(str, words)], capture_output=True, text=True, timeout=LIMIT, env=clean_environment(),
                          preexec_fn=bounded)


def whole(begin, members, *within):
    """A region whose first member is seen."""
    return [(begin, "meet", 0, 1, 0, 0, 0x1000), (begin, "team", 0, 1, 0, members, FLAT), (begin, "begin", 0, 1, 0, 0, 0), *within]


def test_many_calls_that_are_open():
    with tempfile.TemporaryDirectory() as folder:
        n, file = 100000, trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], region(1000, 5000))
        calls = b"".join(struct.pack("<IIQQQIIII", CALL, 1, 0x1000, i + 1, 2000, 2, FLAT, 0, 0).ljust(256, b"\0") for i in range(n))
        with open(file, "ab") as more:
            more.write(block(SUMS, n, calls))
        result = soon("trace", file, "--json")
        expect(result.returncode == 0 and json.loads(result.stdout)["regions_open"] == n, f"{result.returncode} {result.stderr}")


def test_a_region_that_is_left_often():
    with tempfile.TemporaryDirectory() as folder:
        n = 120000
        events = whole(1000, n, *((2000 + i, "begin", 0, 1, i, 0, 0) for i in range(1, n)), *((10**6 + i, "join", 0, 1, 0, 0, 0) for i in range(n)))
        result = soon("trace", trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], events), "--json")
        expect(result.returncode == 0 and json.loads(result.stdout)["regions"][0]["calls"] == 1, f"{result.returncode} {result.stderr}")


def test_many_decisions():
    with tempfile.TemporaryDirectory() as folder:
        page, events = pathlib.Path(folder) / "page.html", whole(1000, 2, *((2000 + i, "place", 0, 1, 0, i + 1, 1) for i in range(500000)))
        result = soon("trace", trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], events), "-o", page)
        expect(result.returncode == 0 and page.exists(), f"{result.returncode} {result.stderr}")


def test_many_barriers_that_nobody_meets():
    """They would need gigabytes."""
    with tempfile.TemporaryDirectory() as folder:
        events = whole(1000, 60000, *((3000 + i, name, 0, 1, 0, 0, 0) for i in range(0, 10000, 10) for name in ("wait", "go")),
                       (10**6, "end", 0, 1, 0, 0, 0), (10**6, "join", 0, 1, 0, 0, 0))
        file = trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], events, more="policy=default\n")
        complains(forestgomp("replay", file, "--runs", 1), 1, "too many barriers")


def test_a_fifo_and_controls():
    """A module that is a FIFO is not waited for."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = pathlib.Path(folder) / "fifo"
        os.mkfifo(fifo)
        file = trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], region(1000, 5000), module=fifo, more="note=x\n")
        data = file.read_bytes()
        file.write_bytes(data.replace(b"./program-1", b"\x1b]0;xyz\x07\x7f\xc2\x9b").replace(b"work._omp", b"w\x1b[2J_omp"))
        for words in (("trace", file), ("trace", file, "--json"), ("replay", file, "--runs", 1, "--computing-only")):
            try:
                result = subprocess.run([BUILD / "bin" / "forestgomp", *map(str, words)], capture_output=True, timeout=60, env=clean_environment())
            except subprocess.TimeoutExpired as late:
                raise AssertionError(f"{words}: it waits") from late
            text = result.stdout.decode().replace("\n", "")
            expect(result.returncode == 0 and not [sign for sign in text if ord(sign) < 32 or 127 <= ord(sign) < 160], f"{words}: {result}")


def test_a_score_that_only_touches():
    with tempfile.TemporaryDirectory() as folder:
        events = whole(2000, 2, (2000, "touch", 0, 1, 0, 0, 0x1000), (3000, "touched", 0, 1, 0, 0, 4096), (3000, "end", 0, 1, 0, 0, 0),
                       (3000, "join", 0, 1, 0, 0, 0))
        file = trace(pathlib.Path(folder) / "t.fgt", 1, [0, 1], events, carrier="sim", more="memory=told\npolicy=default\nsched=default\n")
        words = ("replay", file, "--runs", 1, "-m", "core:2")
        text, told = forestgomp(*words).stdout, json.loads(forestgomp(*words, "--json").stdout, parse_constant=lambda word: word)
        expect("trust" in text and "nan" not in text, text)
        expect(told["computing_ns"] == 0 and told["replayed_share"] == 1 and 0 <= told["doubt"] < 1e6, str(told))
