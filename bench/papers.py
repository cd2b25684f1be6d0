#!/usr/bin/env python3
"""The papers' experiments on their machines, simulated, beside the published figures: bench/papers.py [options] [CASE...]; see
docs/measurements/papers.md."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.pycache_prefix = str(ROOT / "build" / "bench" / "pycache")
sys.path.insert(0, str(HERE / "papers.d"))

import btmz  # noqa: E402
import choices  # noqa: E402
import epcc  # noqa: E402
import figure1  # noqa: E402
import mpu  # noqa: E402
import pinning  # noqa: E402
import programs  # noqa: E402
import renpar  # noqa: E402
import scale  # noqa: E402
import twisted  # noqa: E402
import varying  # noqa: E402
from policies import Policies  # noqa: E402
from running import Failed, Runner  # noqa: E402
from victims import Victims  # noqa: E402

CASES = {
    "mpu": "MPU on 8 dual-core Opterons (IWOMP 2008): affinity, random victims, tasks ...",
    "victims": "MPU: what random victims may cost, by what differs from ours",
    "bt-mz": "BT-MZ on 4 quad-core Opterons (IPDPS 2010, table IV): cache, with loads, tuned, and others, with the bound",
    "tuned": "BT-MZ with uneven zones: cache with nothing told, with loads, tuned",
    "epcc": "constructs of 16 threads, barriers of 16 to 64, on 4 quad-core Opterons (IPDPS 2010, tables II and III)",
    "scale": "what constructs cost on 16, 96 and 256 PUs",
    "policies": "each policy on a workload that suits it, beside others",
    "twisted": "Twisted-STREAM on 4 quad-core Opterons (IPDPS 2010, tables VI and VII): threads to their data, data to their threads",
    "stream": "STREAM, Nested- and Twisted-STREAM on idle and full machines (RenPar 2009, tables 1 and 2; IPDPS 2010, table V)",
    "requests": "10,000 requests for PUs of a machine that programs share: simple, clustering, enhanced (IWOMP 2010)",
    "programs": "13 programs on one machine: stock, fair shares by the board, sets of PUs, a server (IWOMP 2010); clients with stale views",
    "pinning": "seats by region, from what members share (Euro-Par 2013, tables 1 and 3): ten kernels, and swim",
    "figure1": "Twisted-STREAM: what is moved, threads, vectors or both (RenPar 2009, figure 1)",
}
VARIED = {"mpu": varying.vary_mpu, "bt-mz": varying.vary_btmz}


def arguments_parse():
    cases = "\n".join(f"  {name:10} {what}" for name, what in CASES.items())
    parser = argparse.ArgumentParser(
        prog="bench/papers.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs the papers' experiments on their machines, simulated (docs/simulator.md), and prints the published figures beside ours, "
        "as Markdown.\nEvery run is exactly repeatable. All of it takes some 35 minutes of one core; --vary takes some 15.", epilog=f"cases:\n{cases}")
    parser.add_argument("cases", metavar="CASE", nargs="*", help="what to run (all)")
    parser.add_argument("--vary", action="store_true", help="instead: does the order of policies hold with each figure of the machine 50%% up and down? "
                        "(mpu, bt-mz)")
    parser.add_argument("--quick", action="store_true", help="small sizes: seconds; a test of the command, not of the papers")
    parser.add_argument("--json", metavar="FILE", help="also write the figures ('-': standard output)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="BUILD", help="build folder (build)")
    args = parser.parse_args()
    for name in args.cases:
        if name not in CASES:
            parser.error(f"there is no case {name}: known are {', '.join(CASES)}; nothing was run")
        if args.vary and name not in VARIED:
            parser.error(f"--vary: {name} is not varied; {', '.join(VARIED)} are; nothing was run")
    return args


def tables(args, runner, folder):
    """Returns (name, function that gives the table) of the wanted cases. Tells the runner how many runs to expect."""
    names = [name for name in CASES if not args.cases or name in args.cases]
    if args.vary:
        names = [name for name in names if name in VARIED]
        runner.total = varying.calls(folder, names)
        return [(name, lambda name=name: VARIED[name](runner, folder, args.quick)) for name in names]
    if args.quick:
        experiments = {"mpu": mpu.Mpu(runner, mpu.QUICK, 2), "victims": Victims(runner, folder, mpu.QUICK, 1),
                       "bt-mz": btmz.BtMz(runner, btmz.QUICK, varying.SHAPES, 1),
                       "tuned": btmz.Tuned(runner, btmz.QUICK, btmz.TUNED_SHAPES[:1], 1), "epcc": epcc.Epcc(runner, epcc.QUICK, 1), "scale": scale.Scale(runner, (16,), 1),
                       "policies": Policies(runner, True), "twisted": twisted.Twisted(runner, (1, 2), (1,)),
                       "stream": renpar.Renpar(runner, 3, 2, (1,)), "figure1": figure1.Figure1(runner, (1,), (2,), (1,)),
                       "requests": choices.Requests(runner, ("x4600",), (1, 2), 2000),
                       "programs": programs.Programs(runner, (1, 2, 3), (2, 8)),
                       "pinning": pinning.Pinning(runner, folder, ("swim", "apsi"), 64, 64, 2, 15)}
    else:
        experiments = {"mpu": mpu.Mpu(runner), "victims": Victims(runner, folder), "bt-mz": btmz.BtMz(runner), "tuned": btmz.Tuned(runner),
                       "epcc": epcc.Epcc(runner), "scale": scale.Scale(runner), "policies": Policies(runner),
                       "twisted": twisted.Twisted(runner), "stream": renpar.Renpar(runner),
                       "figure1": figure1.Figure1(runner), "requests": choices.Requests(runner),
                       "programs": programs.Programs(runner), "pinning": pinning.Pinning(runner, folder)}
    runner.total = sum(experiments[name].calls() for name in names)
    return [(name, experiments[name].table) for name in names]


def main():
    args = arguments_parse()
    out = sys.stderr if args.json == "-" else sys.stdout
    runner, figures = Runner(args.build.resolve()), {}
    with tempfile.TemporaryDirectory(prefix="forestgomp-papers-") as folder:
        for name, table in tables(args, runner, Path(folder)):
            found = table()
            runner.clear()
            found.print(out)
            figures[name] = found.figures
            if args.json and args.json != "-":
                # It is written after each case, so that an interrupted series is not lost.
                Path(args.json).write_text(json.dumps(figures, indent=1) + "\n")
    if runner.disturbed:
        print(f"\nThis machine was busy: in {runner.disturbed} of {runner.done} runs the simulator's watchdog stepped in, so these are not exactly "
              "repeatable (docs/simulator.md).", file=out)
    if args.json == "-":
        print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as error:
        sys.exit(f"bench/papers.py: {error}")
    except KeyboardInterrupt:
        sys.exit("\nbench/papers.py: interrupted")
