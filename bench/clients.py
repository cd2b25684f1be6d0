#!/usr/bin/env python3
"""Real, unchanged programs on each OpenMP runtime: bench/clients.py [options] NAME...; see docs/clients.md."""

import argparse
import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / "build" / "clients"
sys.pycache_prefix = str(CACHE / "pycache")
sys.path[:0] = [str(HERE / "clients.d"), str(HERE)]

from catalogue import clients_list  # noqa: E402
from driver.build import programs_build  # noqa: E402
from driver.runner import Progress  # noqa: E402
from driver.runtimes import OURS, runtimes_find, wanted_parse  # noqa: E402
from installing import Place, install, missing, prepare, versions  # noqa: E402
from turns import STOCK, Turns  # noqa: E402


def arguments_parse():
    parser = argparse.ArgumentParser(
        prog="bench/clients.py", description="Runs real programs, as their packages have them, on each OpenMP runtime; compares "
        "their results with those on the stock libgomp and prints the ratio of the times. Exit status 1 if a result differs "
        "or a run on a runtime other than libgomp fails.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="clients to run (--list shows them), or all; the start of "
                        "a name followed by a star takes all that begin so")
    parser.add_argument("--list", action="store_true", help="list the clients, their packages and what is missing, and end")
    parser.add_argument("--install", action="store_true", help="install what the named clients need (apt, pip), and end")
    parser.add_argument("--quick", action="store_true", help="2 timed runs instead of 7: are the results right?")
    parser.add_argument("--runs", type=int, metavar="N", help="timed runs of each client on each runtime")
    parser.add_argument("--threads", type=int, metavar="N", help="OMP_NUM_THREADS, but for clients that have their own")
    parser.add_argument("--together", type=int, metavar="N", default=1, help="so many copies at the same time (1)")
    parser.add_argument("--runtimes", metavar="LIST", default=f"{STOCK},{OURS}", help="comma-separated: libgomp, forestgomp, "
                        f"libomp, libiomp5, or NAME=PATH of any libgomp.so.1; then :VARIABLE=VALUE of its own ({STOCK},{OURS})")
    parser.add_argument("--json", metavar="FILE", help="write a list of {client, runtime, threads, together, runs, seconds, "
                        "failures, differs, versions} ('-': standard output)")
    return parser.parse_args()


def clients_choose(names):
    known = clients_list()
    for name in names:
        if name != "all" and not any(matches(name, client) for client in known):
            raise ValueError(f"there is no client {name}: known are {', '.join(c.name for c in known)}, all; nothing was run")
    return [c for c in known if not names or "all" in names or any(matches(name, c) for name in names)]


def matches(name, client):
    return client.name.startswith(name[:-1]) if name.endswith("*") else client.name == name


def list_print(clients, place, out):
    for client in clients:
        lacking = missing(client, place)
        what = ", ".join(f"{package} {version or 'MISSING'}" for package, version in versions(client, place).items())
        print(f"{client.name:18} {client.what}\n{'':18} {what}", file=out)
        if lacking:
            print(f"{'':18} bench/clients.py --install {client.name}", file=out)


def row_print(client, found, runtimes, out):
    """Minimum and median of each runtime, ratios to the stock one, then the failures."""
    cells = []
    for runtime in runtimes:
        seconds = found.seconds.get(runtime)
        cells.append(f"{min(seconds):8.3f} {statistics.median(seconds):8.3f}" if seconds else f"{'-':>8} {'-':>8}")
    stock, ratios = found.seconds.get(STOCK), []
    for runtime in runtimes:
        seconds = found.seconds.get(runtime)
        if runtime != STOCK:
            ratios.append(f"{min(seconds) / min(stock):6.2f} {statistics.median(seconds) / statistics.median(stock):6.2f}"
                          if seconds and stock else f"{'-':>6} {'-':>6}")
    wrong = any(found.differs.values()) or any(r != STOCK for r in found.failures)
    print(f"{client.name:18} {' '.join(cells)}  {' '.join(ratios)}  {'WRONG' if wrong else 'equal'}", file=out, flush=True)
    for runtime, texts in found.failures.items():
        print(f"  {runtime}: {texts[0]}", file=out)
    for runtime, texts in found.differs.items():
        for text in texts[:3]:
            print(f"  {runtime}: {text}", file=out)
    out.flush()
    return wrong


def records(client, found, place, args, runtimes):
    return [{"client": client.name, "runtime": runtime, "threads": args.threads, "together": args.together,
             "runs": found.runs.get(runtime, 0), "seconds": found.seconds.get(runtime, []),
             "failures": found.failures.get(runtime, []), "differs": found.differs.get(runtime, []),
             "versions": versions(client, place)} for runtime in runtimes]


def runtimes_ready(text, out):
    """Returns name -> folder, and name -> variables. Our library must exist."""
    wanted = wanted_parse(text)
    # libgomp goes first, because the results of the others are compared with its results.
    wanted = {STOCK: wanted.pop(STOCK, (None, {})), **wanted}
    paths = programs_build(HERE / "programs", ROOT / "build" / "bench" / "programs")
    folders, variables = {}, {}
    for runtime in runtimes_find(ROOT, CACHE, paths["whoami"], wanted):
        print(f"{runtime.name}: {runtime.note}", file=out, flush=True)
        if runtime.folder:
            folders[runtime.name], variables[runtime.name] = runtime.folder, runtime.env
    if STOCK not in folders or len(folders) < 2:
        raise ValueError("libgomp and another runtime are needed to compare; nothing was run")
    return folders, variables


def main():
    args = arguments_parse()
    for name, value in (("--runs", args.runs), ("--threads", args.threads), ("--together", args.together)):
        if value is not None and value < 1:
            raise ValueError(f"{name} {value}: give 1 or more; nothing was run")
    out = sys.stderr if args.json == "-" else sys.stdout
    clients, place = clients_choose(args.names), Place(CACHE)
    CACHE.mkdir(parents=True, exist_ok=True)
    if args.list:
        list_print(clients, place, out)
        return 0
    if args.install:
        install(clients, place, lambda line: print(line, file=out, flush=True))
        return 0
    folders, variables = runtimes_ready(args.runtimes, out)
    rounds = args.runs or (2 if args.quick else 7)
    turns, found_all, bad = Turns(place, folders, args.threads, args.together, variables), [], 0
    head = " ".join(f"{runtime + ' s':>17}" for runtime in folders)
    print(f"\n{rounds} runs, minimum and median of each; OMP_NUM_THREADS {args.threads or 'not set'}, {args.together} at a time\n"
          f"{'':18} {head}  {' '.join(f'{r[:13]:>13}' for r in folders if r != STOCK)}", file=out, flush=True)
    for client in clients:
        lacking = missing(client, place)
        if lacking:
            print(f"{client.name:18} left out, not installed: {', '.join(lacking)} (bench/clients.py --install {client.name})",
                  file=out, flush=True)
            continue
        prepare(client, place)
        progress = Progress(client.name[:9], 1)
        found = turns.client(client, rounds, progress.show)
        progress.clear(1)
        bad += row_print(client, found, folders, out)
        found_all += records(client, found, place, args, folders)
        if args.json and args.json != "-":
            # It is written after each client, so that an interrupted series is not lost.
            Path(args.json).write_text(json.dumps(found_all, indent=1) + "\n")
    if args.json == "-":
        print(json.dumps(found_all, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(f"bench/clients.py: {error}")
    except KeyboardInterrupt:
        sys.exit("\nbench/clients.py: interrupted")
