"""Tests of bench/papers.py at small sizes."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from statistics import median

from testing import BUILD, LIMIT, ROOT, Missing

sys.path.insert(0, str(ROOT / "bench" / "papers.d"))

import btmz  # noqa: E402
import choices  # noqa: E402
import epcc  # noqa: E402
import machines  # noqa: E402
import mpu  # noqa: E402
import policies  # noqa: E402
import programs  # noqa: E402
from report import Claim  # noqa: E402
from varying import AS_IS, Held  # noqa: E402


def papers(*words):
    return subprocess.run([ROOT / "bench" / "papers.py", "--build", BUILD, *words], capture_output=True, text=True, timeout=LIMIT)


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
    ups = found["mpu"]["speedups"]
    assert set(ups) == {*mpu.POLICIES, "tasks", mpu.ONE_LEVEL}, ups
    least = {mpu.ONE_LEVEL: 0, "spread+numa:cache": 7}
    assert all(least.get(case, 8) < up <= 16 for case, seeds in ups.items() for up in seeds), ups
    assert all(len(seeds) == 2 for case, seeds in ups.items() if case != mpu.ONE_LEVEL), ups
    # The outermost region has 8 children. So more than 4 PUs have work, and at most 8.
    assert 4 < ups[mpu.ONE_LEVEL][0] <= 8, ups
    judged = {claim["claim"]: claim for claim in found["mpu"]["claims"]}
    assert len(judged) == 7 and all(claim["seeds"] == 2 and claim["noise"] > 0 for claim in judged.values()), judged
    # A member of a lone team may go far after 2 us only, so `affinity` is level with `spread`, which steals nothing.
    assert abs(judged["mpu: affinity > spread"]["margin"]) < 0.05, judged
    assert "14.04" in text and "8.2 - 11.82" in text, text
    assert figures("mpu")[0] == found, "a second run differs"


def test_victims_table():
    """Thieves that look at empty places leave PUs idle, and threads cost the same with near and with random victims."""
    needs_compiler()
    found, text = figures("victims")
    regimes = found["victims"]["regimes"]
    by_options = {row["options"]: row for row in regimes if row["options"]}
    idle, dear = by_options["deal=node,wait=1e5"], by_options["create=10000"]
    assert idle["random"]["speedup"][0] < 0.6 * idle["near"]["speedup"][0] and idle["random"]["lost"][0] > 0.4, idle
    assert abs(dear["random"]["speedup"][0] / dear["near"]["speedup"][0] - 1) < 0.05 and dear["near"]["speedup"][0] < 13, dear
    # The paper's distribution reaches half of the machine, until the outermost region has a thread for each node.
    assert found["victims"]["covered"] == {"4": 8, "8": 16}, found["victims"]["covered"]
    of_affinity = [row for row in regimes if row["policy"] == "affinity"]
    assert [row["first"] for row in of_affinity] == [4, 8] and all(row["near"]["steals"][0] > 0 for row in of_affinity), of_affinity
    assert "14.04" in text and "8.2 - 11.82" in text, text


def test_policies_table():
    found = figures("policies")[0]["policies"]
    assert len(found) == len(policies.CASES) >= 6, found
    lost = [(case["policy"], case["ahead"]) for case in found if case["ahead"] <= 1]
    assert not lost, lost


def test_twisted_table():
    """Teams whose data are on another node lose less with `memory`, also where a vector must come to the threads."""
    found = figures("twisted")[0]["twisted"]
    assert set(found) == {"100", "66", "untold"}, found
    untold = found.pop("untold")
    for twist, part in found.items():
        told, others = untold[f"{twist}, told, `memory`"], [untold[f"{twist}, not told, `{policy}`"] for policy in ("memory", "default")]
        assert all(ns[0] > 1.5 * told[9] and ns[9] < 1.05 * told[9] for ns in others), untold
        verdicts = {claim["claim"]: claim["verdict"] for claim in part["claims"]}
        assert len(verdicts) == 4, verdicts
        if twist == "66":  # to bring a vector costs about as much as one iteration gains
            del verdicts["twisted 66, 1: default > memory"]
        assert set(verdicts.values()) == {"holds"}, verdicts


def test_figure1_table():
    """Threads are best moved where all data are remote, else threads with the rest of the data: more than next touch. It takes more than two
    iterations until that is ahead of threads alone. Whether the written vector is worth more than the one that is read is less than chance
    after one iteration (0.4% of 7%)."""
    found = figures("figure1")[0]["figure1"]
    verdicts = {claim["claim"]: claim["verdict"] for part in found.values() for claim in part["claims"]}
    assert len(verdicts) == 11, verdicts
    assert verdicts.pop("(b, c): two of three, 2: threads > threads, and what is elsewhere then") == "reversed", verdicts
    verdicts.pop("(b, c): two of three, 1: the one that is read > the vector that is written")
    assert set(verdicts.values()) == {"holds"}, verdicts


def test_stream_table():
    """Few threads want data round the nodes, all threads want them at home, and `memory` finds either."""
    found = figures("stream")[0]["stream"]
    claims = found["idle and full"]["claims"]
    assert len(claims) == 20 and all(claim["verdict"] == "holds" for claim in claims), claims
    assert all(ratio > 1.08 for ratio in found["idle and full"]["4"]["ratio"].values()), found
    assert all(ratio > 1.5 for ratio in found["idle and full"]["16"]["ratio"].values()), found
    assert len(found) == 4, list(found)


def test_bt_mz_bound():
    """No run is better than its bound, or far below it; and the published figures are those of the shape."""
    found = figures("bt-mz")[0]["bt-mz"]
    assert [(row["outer"], row["inner"]) for row in found["rows"]] == [(4, 4), (32, 1)], found
    for row in found["rows"]:
        assert set(row["speedups"]) == set(btmz.COLUMNS), row
        assert 0.5 * row["bound"] < min(row["speedups"].values()) <= max(row["speedups"].values()) <= row["bound"] * 1.01 <= 16.5, row
    assert found["rows"][1]["published"]["libgomp"] == 12.6, found["rows"][1]
    verdicts = {claim["claim"]: claim["verdict"] for claim in found["claims"]}
    assert len(verdicts) == 8, verdicts
    # At this size the zones are few, so loads matter much. `tuned` does nothing where inner teams have one thread.
    assert verdicts["bt-mz 32 x 1: cache + load > cache"] == "holds", verdicts
    assert verdicts["bt-mz 32 x 1: cache > steal"] == "reversed", verdicts
    assert verdicts["bt-mz 32 x 1: tuned + load > cache + load"] == "the same run", verdicts


def test_tuned_acts():
    found = figures("tuned")[0]["tuned"]
    assert [claim["verdict"] for claim in found["claims"]] and all(claim["verdict"] != "the same run" for claim in found["claims"]), found


def test_epcc_table():
    found, text = figures("epcc")
    constructs, barriers = found["epcc"]["constructs"], found["epcc"]["barriers"]
    assert set(constructs) == set(epcc.PUBLISHED) and set(barriers) == {"16", "32", "64"}, found
    for construct, row in constructs.items():
        assert construct in epcc.NOT_PREDICTED or 0.1 < row["us"][0] < 20 and row["timed_us"][0] > 0, (construct, row)
    # A region ends with a barrier, and a loop is one. Of a long delay, a PU with 4 members computes three more than EPCC takes off.
    assert constructs["barrier"]["us"][0] <= constructs["parallel"]["us"][0] <= constructs["reduction"]["us"][0], constructs
    by_delay = {delay: [barriers[threads]["us"][delay][0] for threads in ("16", "32", "64")] for delay in ("0", "100", "500")}
    assert all(least <= more <= most for least, more, most in by_delay.values()), by_delay
    assert 1.4 < by_delay["500"][2] - by_delay["0"][2] < 1.6, by_delay
    assert "187.9" in text and "7.02" in text, text
    again = figures("epcc")[0]["epcc"]
    assert all(again["constructs"][name].get("us") == row.get("us") for name, row in constructs.items()), "a second run differs"


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
                done = in_simulation(path)
                assert done.returncode == 0, (label, done.stderr)
            broken = pathlib.Path(folder) / "broken.machine"
            broken.write_text(seen[0][1].read_text() + "switch = fast\n")
            assert in_simulation(broken).returncode != 0


def in_simulation(machine):
    return subprocess.run([BUILD / "bin" / "forestgomp", "sim", "-m", machine, "true"], capture_output=True, text=True)


def test_requests_table():
    """Each choice of PUs is quick on 32 PUs, and enhanced clustering loses less than half of what simple scheduling loses to other programs."""
    found = figures("requests")[0]["requests"]
    by = {(row["mix"], row["choice"]): {key: median(row[key]) for key in ("best_ns", "local", "empty", "given", "miss")} for row in found}
    assert len(by) == len(found) == 9, by
    for mix in choices.MIXES:
        simple, clustering, enhanced = (by[mix, choice] for choice in choices.CHOICES)
        assert max(row["best_ns"] for row in (simple, clustering, enhanced)) < 1.4, by
        assert enhanced["local"] < 0.85 * simple["local"] and clustering["local"] < 1.03 * simple["local"], by
        assert enhanced["local"] - enhanced["empty"] < 0.5 * (simple["local"] - simple["empty"]), by
        assert enhanced["given"] > 0.95 * simple["given"] and simple["miss"] < enhanced["miss"], by


def test_programs_table():
    """Fair shares beat ideal time sharing of full teams, and a server that deals PUs to the one that asks. A last look after a region finds PUs sooner. Programs
    that learn what they make use of gain where regions are small."""
    found = figures("programs")[0]["programs"]
    stale = found.pop("stale")
    assert set(found) == set(programs.CASES) and len(found) == 4, found.keys()
    small = {policy: median(row["gain"]["makespan"]) for policy, row in found.pop("four, with small regions").items()}
    # Small regions ask for few PUs once they have learnt that they need no more.
    assert small["fair,learnt"] > 1.3 * small["fair"] and small["fair,learnt"] > 0.85 * small["fair,known"], small
    for case, policies_of in found.items():
        gain = {policy: median(row["gain"]["makespan"]) for policy, row in policies_of.items()}
        assert gain["stock"] == 1 and gain["fair"] > 1.1 and gain["spin"] < 0.7 and gain["server,enhanced"] < 1, (case, gain)
        # N follows the PUs that others leave, so it changes at each look.
        assert all(median(policies_of[policy]["doubly"]) < 0.04 for policy in gain if policy.startswith("fair") and policy != "fair,N"), (case, policies_of)
        assert median(policies_of["fair,last"]["idle"]) < 0.02 < median(policies_of["fair"]["idle"]), (case, policies_of)
        # To learn costs little where nothing is gained by it.
        assert gain["fair,learnt"] > 0.95 * gain["fair"], (case, gain)
        # Sets pay where distances count, and cost little where they do not.
        assert gain["fair,enhanced"] > (0.95 if "do not count" in case else 1) * gain["fair"], (case, gain)
    for clients, rows in stale.items():
        built, more = rows["none"], rows["one look more"]
        assert built["comes_most"] <= 3 and more["goes_most"] <= 3 < built["goes"] < 12, (clients, rows)
        assert more["idle"] < 0.03 and more["doubly"] < 0.03, (clients, rows)


def test_pinning_table():
    """What is only read gives swim phases by SM, none by RWM, and none of ours; apsi has two by both. The plan of SM is slower, ours is not."""
    kernels = figures("pinning")[0]["pinning"]["kernels"]
    for way in ("LPGP", "GPLP"):
        assert kernels["swim"][f"{way} RWM"][0] == 1 < kernels["swim"][f"{way} SM"][0], kernels
        assert kernels["apsi"][f"{way} RWM"][0] == kernels["apsi"][f"{way} SM"][0] == 2, kernels
        assert kernels["swim"][f"{way} SM"][1] > 1.2 * kernels["swim"]["compact"][1], kernels
    assert kernels["swim"]["ours"][0] == 1 and kernels["swim"]["ours"][1] < 1.01 * kernels["swim"]["compact"][1], kernels
    assert kernels["apsi"]["ours"][1] < 0.8 * kernels["apsi"]["compact"][1], kernels


def test_claims():
    """A margin counts only if no seed contradicts it, and a small one the wrong way round is no success."""
    assert Claim("ahead", [110, 111], [100, 101]).verdict() == "holds"
    assert Claim("behind", [100, 101], [110, 111]).verdict() == "reversed"
    assert Claim("noisy", [100, 104], [99, 102]).verdict() == "level"
    assert Claim("wide", [102, 106], [100, 101]).verdict() == "holds"
    assert Claim("small", [99.8, 99.8], [100, 100]).verdict() == "reversed"
    assert Claim("tiny", [100.01], [100]).verdict() == "level"
    assert Claim("equal", [100, 101], [100, 101]).verdict() == "the same run"
    assert Claim("varied", [102], [100]).verdict(0.03) == "level"
    assert abs(Claim("more", [110], [100]).margin() - 0.1) < 1e-9


def test_varied_claims():
    held = Held()
    held.add(AS_IS, [Claim("one", [102, 103], [100, 101])])
    for label, more in (("up", 104), ("down", 97), ("other", 100.5)):
        held.add(label, [Claim("one", [more], [100])])
    row = held.table("", "").figures[0]
    assert (row["holds"], row["level"], row["reversed"], row["of"], row["worst_at"]) == (1, 1, 1, 3, "down"), row


def test_bad_calls():
    for words, text in ((["nosuch"], "there is no case nosuch"), (["--vary", "policies"], "is not varied")):
        done = papers(*words)
        assert done.returncode == 2 and text in done.stderr, done.stderr
    done = subprocess.run([ROOT / "bench" / "papers.py", "--build", "/nowhere", "mpu"], capture_output=True, text=True)
    assert done.returncode == 1 and "is not there" in done.stderr and "Traceback" not in done.stderr, done.stderr
