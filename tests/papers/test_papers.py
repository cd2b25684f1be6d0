"""Tests of bench/papers.py at small sizes."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from testing import BUILD, ROOT, Missing

sys.path.insert(0, str(ROOT / "bench" / "papers.d"))

import btmz  # noqa: E402
import machines  # noqa: E402
import mpu  # noqa: E402
from report import Claim  # noqa: E402


def papers(*words):
    return subprocess.run([ROOT / "bench" / "papers.py", "--build", BUILD, *words], capture_output=True, text=True, timeout=100)


def figures(*words):
    done = papers("--quick", "--json", "-", *words)
    assert done.returncode == 0, done.stderr[-300:]
    return json.loads(done.stdout), done.stderr


def needs_compiler():
    """bench/papers.py builds a program in C++."""
    if not shutil.which("g++"):
        raise Missing("g++ (scripts/install-deps test)")


def test_mpu_table():
    needs_compiler()
    found, text = figures("mpu")
    assert set(found["mpu"]) == {*mpu.POLICIES, "tasks", "one level"}, found
    assert all(8 < up <= 16 for case, up in found["mpu"].items() if case != "one level"), found
    assert found["mpu"]["one level"] <= 4, found
    assert "14.04" in text and "8.2 - 11.82" in text, text
    assert figures("mpu")[0] == found, "a second run differs"


def test_victims_table():
    """Thieves that look at empty places leave PUs idle, and threads cost the same with near and with random victims."""
    needs_compiler()
    found, text = figures("victims")
    by_options = {row["options"]: row for row in found["victims"] if row["options"]}
    idle, dear = by_options["deal=node,wait=1e5"], by_options["create=10000"]
    assert idle["random"]["speedup"][0] < 0.6 * idle["near"]["speedup"][0] and idle["random"]["lost"][0] > 0.4, idle
    assert abs(dear["random"]["speedup"][0] / dear["near"]["speedup"][0] - 1) < 0.05 and dear["near"]["speedup"][0] < 13, dear
    assert "14.04" in text and "8.2 - 11.82" in text, text


def test_policies_table():
    found = figures("policies")[0]["policies"]
    lost = [(case["policy"], case["at_least"]) for case in found if case["at_least"] <= 1]
    assert not lost, lost


def test_bt_mz_bound():
    """Of 4 x 1 threads on 16 PUs no more than 4 work; and the published figures are those of the shape."""
    found = figures("bt-mz")[0]["bt-mz"]
    assert [(row["outer"], row["inner"]) for row in found] == [(4, 4), (32, 1)], found
    for row in found:
        assert max(row["speedups"].values()) <= row["bound"] * 1.01 <= 16.5, row
    assert found[1]["published"]["libgomp"] == 12.6, found[1]


def test_machines_varied():
    """Each variation is a machine that can be read, and differs in one figure, or in all."""
    for name in (mpu.MACHINE, btmz.MACHINE):
        as_is = machines.figures_read(name)
        count = sum(len(numbers) for numbers in as_is.values())
        with tempfile.TemporaryDirectory() as folder:
            seen = list(machines.variations(name, pathlib.Path(folder)))
            assert len(seen) == 2 * (count + 2), (len(seen), count)
            for label, path, _ in seen:
                now = machines.figures_of(path)
                changed = sum(a != b for key in as_is for a, b in zip(as_is[key], now[key]))
                wanted = 0 if label.startswith("computing") else 1
                assert changed == wanted or label.startswith("all") and changed > 10, (label, changed)
            for label, path, _ in seen[::9]:
                done = subprocess.run([BUILD / "bin" / "forestgomp", "sim", "-m", path, "true"], capture_output=True, text=True)
                assert "machine" not in done.stderr, (label, done.stderr)


def test_claims():
    assert Claim("level", 99.8, 100).holds() and not Claim("less", 99, 100).holds()
    assert abs(Claim("more", 110, 100).margin() - 0.1) < 1e-9


def test_bad_calls():
    for words, text in ((["nosuch"], "there is no case nosuch"), (["--vary", "policies"], "is not varied")):
        done = papers(*words)
        assert done.returncode == 2 and text in done.stderr, done.stderr
    done = subprocess.run([ROOT / "bench" / "papers.py", "--build", "/nowhere", "mpu"], capture_output=True, text=True)
    assert done.returncode == 1 and "is not there" in done.stderr and "Traceback" not in done.stderr, done.stderr
