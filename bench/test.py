#!/usr/bin/env python3
"""Tests of the driver on made-up figures and made-up programs: no OpenMP runtime, no timing. Prints a line per test."""

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.pycache_prefix = str(HERE.parent / "build" / "bench" / "pycache")
sys.path.insert(0, str(HERE))

from driver import cases, chart, machine, mpu, multizone, report, runner, runtimes, speedup, stats  # noqa: E402


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


def near(got, wanted):
    if abs(got - wanted) > 1e-9:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


class FakeMachine:
    """Gives one prepared mode after the other, and the last one for ever."""

    def __init__(self, *modes):
        self.pus, self.modes = [0, 1], list(modes)

    def line_mode(self):
        return self.modes.pop(0) if len(self.modes) > 1 else self.modes[0]


def runner_make(modes, runs=3, folders=("libgomp",), budget=100.0):
    return runner.Runner(FakeMachine(*modes), {}, {name: Path("/nowhere") for name in folders},
                         runner.Effort(runs, budget))


def shell(key, script, **how):
    return cases.Run(key, ["/bin/sh", "-c", script], **how)


def results_make(figures, unit="us"):
    """{(case, runtime): [(mode, value), ...]}"""
    results = runner.Results()
    for (case, runtime), values in figures.items():
        results.units[case] = unit
        results.samples[case, runtime] = [stats.Sample(mode, value, value) for mode, value in values]
    return results


def test_modes():
    same(machine.mode_of([60, 61, 63]), "fast")
    same(machine.mode_of([365, 370, 380]), "slow")
    same(machine.mode_of([60, 61, 370]), "mixed")
    same(machine.mode_of([88, 90, 92]), "mixed")
    same(machine.mode_of([]), "mixed")
    same(machine.mode_of([210, 215, 220], 230, 230), "fast")
    same(machine.mode_between("fast", "fast"), "fast")
    same(machine.mode_between("fast", "slow"), None)
    same(machine.mode_between("mixed", "mixed"), None)


def test_changed_mode_is_dropped():
    results = runner.Results()
    run = shell("a", "echo sample a us 1 2 0")
    # The probes come before the first run and after each run. So the first and the second run see a change, the next three do not.
    runner_make(["fast", "slow", "fast"]).group([run], results)
    same(results.dropped, 2)
    same([s.mode for s in results.samples["a", "libgomp"]], ["fast"] * 3)


def test_never_one_mode_ends():
    results = runner.Results()
    runner_make(["mixed"]).group([shell("a", "echo sample a us 1 2 0")], results)
    same(results.samples, {})
    same(results.dropped, runner.Effort(3, 1).rounds_max)


def test_interleaved():
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        runs = [shell(k, f"echo {k} >>{log}; echo sample {k} us 1 1 0", openmp=False) for k in "abc"]
        runner_make(["fast"], runs=2).group(runs, runner.Results())
        same(log.read_text().split(), ["a", "b", "c", "b", "c", "a"])


def test_timeout_is_reported_once():
    results = runner.Results()
    # Were the stuck process or its child waited for, the test would not end in time.
    runner_make(["fast"]).group([shell("stuck", "sleep 1000 & sleep 1000", limit_s=0.2), shell("left", "sleep 1000 &", limit_s=0.2),
                                 shell("fine", "echo sample fine us 1 1 0")], results)
    same(results.failures[("stuck", "libgomp")], "did not end within 0.2 s")
    same(results.failures[("left", "libgomp")], "did not end within 0.2 s")
    same(len(results.samples["fine", "libgomp"]), 3)
    bench = cases.Bench("demo", "what", [])
    text = "\n".join(report.table(bench, results, ["libgomp"], runner.Effort(3, 1)))
    assert "libgomp, stuck: did not end within 0.2 s; not run again" in text, text
    same([r["case"] for r in report.records(bench, results)], ["fine"])


def test_a_limit_is_recorded():
    results = runner.Results()
    made = runner_make(["fast"], folders=("libgomp", "libomp"))
    made.envs = {"libomp": {"SLOW": "1"}}
    made.group([shell("all", 'test "$SLOW" && sleep 1000; echo sample all_levels ms 5 5 0', limit_s=0.2)], results)
    found = report.records(cases.Bench("octree", "", []), results)
    same([(r["case"], r["runtime"], r.get("min"), r.get("limit")) for r in found],
         [("all_levels", "libgomp", 5.0, None), ("all_levels", "libomp", None, 200)])


def record(bench, case, runtime, **how):
    return {"bench": bench, "case": case, "runtime": runtime, "unit": "ms", "mode": "fast", **how}


def test_chart():
    found = [record("octree", "all_levels", "forestgomp", min=2, median=4, runs=3), record("octree", "all_levels", "libomp", limit=400),
             record("octree", "all_levels", "libgomp", min=20, median=80, runs=3), record("nested", "K_4", "forestgomp", min=2, median=4, runs=3),
             {"client": "gromacs", "runtime": "libgomp", "seconds": [3.0, 1.0, 1.9], "runs": 3},
             {"client": "gromacs", "runtime": "forestgomp", "seconds": [2.0, 2.0, 2.0], "runs": 3},
             {"client": "gromacs", "runtime": "libomp", "seconds": [], "runs": 0}]
    same([values for _, values in chart.bars([r for r in map(chart.of_clients, found) if r])],
         [{"forestgomp": (1.0, 1.0), "libgomp": (10.0, 20.0), "libomp": (100.0, None)}, {"libgomp": (0.5, 0.95), "forestgomp": (1.0, 1.0)}])
    picture = chart.svg(found)
    same((picture.count("<rect"), picture.count("<polygon")), (4, 1))
    assert "libomp (LLVM): no end at 100 x" in picture and "libgomp (gcc): 0.50 x by minima, 0.95 x by medians" in picture, picture
    same(picture.count("nested region of 4"), 0)  # only one runtime has it


def test_the_picture_shows_the_tables():
    """The picture of README.md is drawn from records that hold what the pages say."""
    docs = HERE.parent / "docs"
    found = json.loads((docs / "measurements" / "speed.json").read_text())
    same((docs / "images" / "speed.svg").read_text(), chart.svg(found))
    cells = [cell.strip() for line in (docs / "measurements" / "speed.md").read_text().splitlines() if line.startswith("|")
             for cell in line.strip("|").split("|") if " / " in cell or "no end in" in cell]
    told = [[float(word) for word in cell.split(" / ")] if " / " in cell else [1000 * float(cell.split()[3])] for cell in cells]
    same([[r["limit"]] if "limit" in r else [r["min"], r["median"]] for r in found if r["bench"] != "clients"], told)
    page = (docs / "clients.md").read_text()
    for client in ("tesseract", "gromacs"):
        words = next(line.split() for line in page.splitlines() if line.startswith(client + " "))
        same([f"{r[key]:.3f}" for r in found if r["case"] == client for key in ("min", "median")], words[1:5])


def test_crash_and_silence_are_reported():
    results = runner.Results()
    runner_make(["fast"]).group([shell("crash", "kill -SEGV $$"), shell("bad", "echo oh no >&2; exit 3"),
                                 shell("silent", "true"), shell("absent", "")], results)
    same(results.failures["crash", "libgomp"], "SIGSEGV: no message")
    same(results.failures["bad", "libgomp"], "exit status 3: oh no")
    same(results.failures["silent", "libgomp"], "printed no figures")


def test_budget():
    results = runner.Results()
    runner_make(["fast"], runs=9, budget=0.0).group([shell("a", "echo sample a us 1 1 0")], results)
    same(len(results.samples["a", "libgomp"]), runner.RUNS_AT_LEAST)


def test_summary():
    s = stats.summarise([stats.Sample("fast", m, m + 1, 0.25) for m in (4.0, 2.0, 3.0)])
    same((s.runs, s.minimum, s.median), (3, 2.0, 4.0))
    assert s.minimum_error >= 0.25 and s.median_error >= 0.25
    same(stats.minimum_error([5.0] * 31), 0.0)
    same(stats.minimum_error([5.0]), float("inf"))
    assert stats.minimum_error([1.0] + [2.0] * 30) > 0.5, "a lone low outlier must not count as certain"
    same(stats.median([1, 9, 2, 4]), 3)


def test_ratio():
    r = stats.ratio(3.0, 0.0, 6.0, 0.0)
    near(r.value, 0.5)
    near(r.low, 0.5)
    near(r.high, 0.5)
    r = stats.ratio(3.0, 1.0, 6.0, 2.0)
    near(r.low, 2 / 8)
    near(r.high, 4 / 4)
    same(stats.ratio(0.01, 0.02, 0.01, 0.02).high, float("inf"))
    same(stats.ratio(0.01, 0.0, -0.01, 0.0).value, None)
    same(stats.verdict(0.5, 0.4, 0.7, 0.6), "met")
    same(stats.verdict(0.5, 0.4, float("inf"), 0.6), "within error")
    same(stats.verdict(0.65, 0.55, 0.8, 0.6), "within error")
    same(stats.verdict(0.8, 0.7, 0.9, 0.6), "missed")


def test_ratio_keeps_to_one_mode():
    results = results_make({("barrier", "forestgomp"): [("fast", 1.0)] * 4,
                            ("barrier", "libgomp"): [("slow", 0.5)] * 4 + [("fast", 2.0)] * 4,
                            ("barrier", "libomp"): [("fast", 4.0)] * 4})
    bench = cases.Bench("sync", "what", [], [cases.Wanted("barrier", 0.6)])
    text = "\n".join(report.table(bench, results, ["libgomp", "libomp", "forestgomp"], runner.Effort(4, 1)))
    assert "0.50 x libgomp" in text and "wanted at most 0.6: met" in text, text
    assert not any(" x " in row for row in text.splitlines() if " slow " in row), text


def test_unresolved_is_said():
    near_zero = stats.Summary(31, 0.01, 0.01, 0.02, 0.02)
    text = report.ratio_text(near_zero, "libgomp", near_zero)
    assert text.startswith("1.00 x libgomp, not resolved (0.010 +-0.020"), text


def test_wanted_forms():
    results = results_make({("all", "forestgomp"): [("fast", 10.0)] * 4, ("one", "libgomp"): [("fast", 20.0)] * 4,
                            ("quick", "forestgomp"): [("fast", 8.0)] * 4,
                            ("all", "libgomp"): [("fast", 1.0)] * 4, ("serial", "none"): [("fast", 12.5)] * 4})
    bench = cases.Bench("octree", "what", [], [cases.Wanted("all", 1.0, cases.PEERS, "one"),
                                               cases.Wanted("all", 0.5, "none", "serial"),
                                               cases.Wanted("all", {"fast": 9, "slow": 99}, None),
                                               cases.Wanted("all", 1.05, "forestgomp", ("all", "quick", "unmeasured"))])
    lines = report.wanted_lines(bench, report.summaries(results), ["libgomp"])
    assert "0.50 x libgomp one" in lines[0] and lines[0].endswith(": met"), lines
    assert "0.80 x none serial" in lines[1] and lines[1].endswith(": missed"), lines
    assert lines[2].endswith("10.0, wanted at most 9: missed"), lines
    assert "1.25 x forestgomp quick" in lines[3] and lines[3].endswith(": missed"), lines


def test_speedup_says_what_r_says():
    """SciPy's values, which agree with R's."""
    x, y = [12.1, 11.8, 12.4, 12.0, 13.1, 11.9, 12.2, 12.6], [11.2, 11.9, 11.5, 11.1, 12.3, 11.4, 11.0]
    untied = y[:1] + [11.95] + y[2:]
    for got, wanted in ((speedup.normal_chance(x), 0.41680259003), (speedup.normal_chance(y), 0.43852167303),
                        (speedup.normal_chance([1.0, 2.0, 3.0, 5.0]), 0.84997081896),
                        (speedup.normal_chance([1.0] * 3 + [9.0] * 20 + list(range(10))), 2.2389567747e-7),
                        (speedup.variances_chance(x, y), 0.81216809063), (speedup.means_chance(x, y, True), 0.00253951102),
                        (speedup.means_chance(x, y, False), 0.00282572184), (speedup.shapes_chance(x, untied), 0.03263403263),
                        (speedup.ranks_chance(x, untied), 0.00699300699),
                        (speedup.ranks_chance(x, y), 0.00749851932), (speedup.ranks_chance([1, 2, 2, 3, 5, 5, 6], [1, 1, 2, 4, 4]), 0.16062495944)):
        assert abs(got - wanted) < 1e-7 * max(1, wanted), f"got {got!r}, wanted {wanted!r}"


def test_speedup_is_seldom_seen_in_noise():
    """Of 400 pairs of like samples, one in 20 may be taken for a gain; 34 of 400 would be so by chance once in a thousand times."""
    source = random.Random(5)
    means = medians = 0
    for _ in range(400):
        pair = [[source.lognormvariate(0, 0.1) for _ in range(31)] for _ in range(2)]
        both = speedup.compare(*pair)
        means += both[0].holds
        medians += both[1].holds
    assert 4 < means < 34 and 4 < medians < 34, (means, medians)
    gains = speedup.compare([1.1 * value for value in pair[0]], [0.95 * value for value in pair[0]])
    assert gains[0].holds and gains[1].holds and gains[2] > 0.8, gains


def test_rigorous():
    source = random.Random(6)
    slow, fast = ([("fast", middle + source.random()) for _ in range(31)] for middle in (10, 8))
    results = results_make({("a", "forestgomp"): fast, ("a", "libgomp"): slow, ("a", "libomp"): fast[:3], ("b", "forestgomp"): slow,
                            ("b", "libgomp"): fast, ("c", "forestgomp"): fast, ("c", "libgomp"): fast})
    bench = cases.Bench("sync", "what", [], [])
    lines = report.rigorous_lines(bench, results, ["libgomp", "libomp", "forestgomp"])[1:]
    same([line.split(":")[1].split()[0] for line in lines], ["faster", "libomp", "slower", "faster"])
    assert "not shown" not in lines[0] + lines[2] and "under 0.1%" in lines[0] and "in 100% of" in lines[0], lines
    same(len(report.rigorous_lines(bench, results, ["libomp", "libgomp"])), 2)
    assert "needs 4 runs" in lines[1] and lines[3].count("not shown") == 2, lines


def test_json_shape():
    results = results_make({("barrier", "forestgomp"): [("fast", 1.0), ("fast", 3.0), ("slow", 9.0)]})
    found = json.loads(json.dumps(report.records(cases.Bench("sync", "", []), results)))
    same(found, [{"bench": "sync", "case": "barrier", "runtime": "forestgomp", "unit": "us", "mode": "fast",
                  "min": 1.0, "median": 2.0, "runs": 2},
                 {"bench": "sync", "case": "barrier", "runtime": "forestgomp", "unit": "us", "mode": "slow",
                  "min": 9.0, "median": 9.0, "runs": 1}])


def test_lines():
    same(runner.lines_parse("noise\nsample a us 1 2 0\nsample b us 1\n"), {"a": ("us", 1.0, 2.0, 0.0)})


def test_mpu_output():
    def line(seconds, checksum):
        return json.dumps({"phase": "refine", "seconds": seconds, "checksum": checksum})
    found = mpu.Mpu(["mpu"])
    text = "\n".join([json.dumps({"phase": "read", "seconds": 9}), line(0.3, "aa"), line(0.1, "aa"), line(0.2, "aa")])
    same(found.parse("serial", text), {"serial": ("ms", 100.0, 200.0, 0.0)})
    results = runner.Results()
    run = shell("tbb", "echo '" + line(0.1, "bb") + "'", parse=lambda out: found.parse("tbb", out))
    runner_make(["fast"]).group([run], results)
    assert "tree bb instead of aa" in results.failures["tbb", "libgomp"], results.failures


def test_multizone_output():
    found = multizone.Multizone()
    same(found.parse("checksum aa\nsample 2x1 ms 3 3 0\n"), {"2x1": ("ms", 3.0, 3.0, 0.0)})
    results = runner.Results()
    runner_make(["fast"]).group([shell("4x1", "echo checksum bb; echo sample 4x1 ms 1 1 0", parse=found.parse),
                                 shell("4x2", "echo sample 4x2 ms 1 1 0", parse=found.parse)], results)
    assert "field bb instead of aa" in results.failures["4x1", "libgomp"], results.failures
    assert "no checksum" in results.failures["4x2", "libgomp"], results.failures


def test_runtime_with_environment():
    path = str(HERE / "run.py")
    same(runtimes.wanted_parse(f"libgomp:OMP_NUM_THREADS=1,forestgomp,b={path}:FGOMP_SCHED=cache:A=b=c"),
         {"libgomp": (None, {"OMP_NUM_THREADS": "1"}), "forestgomp": (None, {}), "b": (Path(path), {"FGOMP_SCHED": "cache", "A": "b=c"})})
    results = runner.Results()
    made = runner.Runner(FakeMachine("fast"), {}, {"a": Path("/nowhere"), "b": Path("/nowhere")}, runner.Effort(3, 100.0),
                         {"b": {"FGOMP_SCHED": "7"}})
    made.group([shell("x", "echo sample x us ${FGOMP_SCHED:-1} 1 0")], results)
    same({key[1]: samples[0].minimum for key, samples in results.samples.items()}, {"a": 1.0, "b": 7.0})


def test_environment():
    os.environ.update({"OMP_NUM_THREADS": "7", "FGOMP_POLICY": "steal"})
    env = runtimes.environment(Path("/x"), {"OMP_PLACES": "{0}"})
    same((env.get("OMP_NUM_THREADS"), env["FGOMP_POLICY"], env["LD_LIBRARY_PATH"], env["OMP_PLACES"]),
         (None, "steal", "/x", "{0}"))
    del os.environ["OMP_NUM_THREADS"], os.environ["FGOMP_POLICY"]


def test_absent_runtime():
    with tempfile.TemporaryDirectory() as folder:
        found = runtimes.runtimes_find(Path(folder), Path(folder), "/bin/true", {"forestgomp": (None, {})})
    same((found[0].name, found[0].folder), ("forestgomp", None))
    assert found[0].note.startswith("not built ("), found[0].note


def test_wrong_library_is_noticed():
    with tempfile.TemporaryDirectory() as folder:
        library, program = Path(folder) / "libgomp.so.1", Path(folder) / "whoami"
        library.touch()
        program.write_text("#!/bin/sh\necho runtime /lib/other.so\n")
        program.chmod(0o755)
        found = runtimes.runtimes_find(Path(folder), Path(folder), str(program), {"mine": (library, {})})
        same(os.readlink(Path(folder) / "runtimes" / "mine" / "libgomp.so.1"), f"{folder}/runtimes/mine/copy")
    assert "loads /lib/other.so instead" in found[0].note and found[0].folder is None, found[0]


def test_bad_options():
    for words, text in ((["--modes", "3,2"], "--modes 3,2"), (["--pus", "0,0"], "two different PUs"),
                        (["--runtimes", "foo"], "known are libgomp"),
                        (["--runtimes", f"a={HERE / 'run.py'}:b"], "follows the path"), (["nix"], "there is no benchmark nix"),
                        (["--runs", "0"], "give 1 or more")):
        done = subprocess.run([str(HERE / "run.py"), *words], capture_output=True, text=True, timeout=300)
        same(done.returncode, 1)
        assert text in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def main():
    tests = sorted((name, test) for name, test in globals().items() if name.startswith("test_"))
    failed = 0
    for name, test in tests:
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                test()
            print(f"PASS bench: {name[5:].replace('_', ' ')}")
        except Exception as error:  # a test that raises any exception has failed
            failed += 1
            print(f"FAIL bench: {name[5:].replace('_', ' ')}: {type(error).__name__}: {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
