#!/usr/bin/env python3
"""Copies of a program at a time: do they divide the PUs well? bench/share.py [options]

Each kind of work runs alone, and then so many copies at a time: with FGOMP_SHARE=off (`off`), with FGOMP_SHARE=on (`on`), with
FGOMP_SHARE=server (`server`), the same with `forestgomp serve --as-published` (`paper's`), and each bound to its part of the PUs, as a
user would do it with `taskset` (`by hand`). Microseconds for each operation of the slowest
copy, divided by copies x alone: so 1 is as long as all copies one after the other (`in a row`). Minimum and median of
the runs. The cases of a run come in turns. The last columns are medians of on / off and of server / on of
the runs.

With --returns N two programs meet barriers with FGOMP_SHARE=on, and one of them is killed, or stopped for a moment, N times.
Milliseconds until two threads of the other are busy again, as seen from outside: least, median and most. BALLAST=N in the environment:
both have N MiB, which the kernel takes back at the end. The same with a server. Then
milliseconds until a program has its PUs by the board, as its entry there says, when its server is killed or stopped, and from the server
again when that goes on.

With --comes N a second program comes to one that meets barriers, or computes, N times. Milliseconds from its entry on the board until the
first one keeps one PU busy, as the first's entry says; then until that has both again when the other has ended.

With --uneven: one program beside one that uses a twentieth of a PU, and beside one like itself at nice 19, off and on, relative to alone.

With --trip: the time from a request to the reply of a server, microseconds: least, median and the 99th of 100. `warm`: the next
request follows at once; `cold`: after 5 milliseconds of sleep.

With --queue N,K: N short programs of fixed work, K at a time, as `make -j`, `ctest -j` and `pytest -n` start them. Seconds until all have
ended, on the system's libgomp (of 100 programs at most, because it takes minutes), on ours without FGOMP_SHARE and with it, and with one thread each. Least and median of the runs, and the
median of on / off. `left`: entries on the board afterwards.

With --look: what a look at the board costs, by the number of programs on it. They are made up, and no copy runs."""

import argparse
import contextlib
import json
import mmap
import os
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ["barrier", "region", "for", "phases", "nested", "tasks", "computing"]
CASES = ["off", "on", "server", "paper's", "by hand"]
SHARE = {"on": "on", "server": "server", "paper's": "server"}
LIMIT = 60


def environment_make(lib, folder):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "FGOMP_"))}
    environment["XDG_RUNTIME_DIR"] = folder  # no other program of the user is on this board
    if lib != "stock":
        environment["LD_LIBRARY_PATH"] = lib
    return environment


@contextlib.contextmanager
def serving(lib, *words):
    """A server of a board of its own; gives the folder of both."""
    command = Path(lib).resolve().parent / "bin" / "forestgomp"
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([command, "serve", "--own", *words], env={**os.environ, "XDG_RUNTIME_DIR": folder}, stdout=subprocess.PIPE)
        try:
            if not server.stdout.readline():
                sys.exit(f"bench/share.py: {command} serve has ended")
            yield folder
        finally:
            server.terminate()
            server.communicate()


def parts(cpus, copies):
    """The PUs of each copy: as many for each, or one that others have too."""
    each = max(1, len(cpus) // copies)
    return [{cpus[(i * each + k) % len(cpus)] for k in range(each)} for i in range(copies)]


def together(command, environment, masks):
    """Starts a copy on each set of PUs, and returns the time of the slowest."""
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True,
                                preexec_fn=lambda mask=mask: os.sched_setaffinity(0, mask)) for mask in masks]
    try:
        return max(float(process.communicate(timeout=LIMIT)[0]) for process in started)
    finally:
        for process in started:
            process.kill()
            process.wait()


def measure(program, kind, copies, cpus, environment, options):
    """The times of each case, run by run: {case: [microseconds]}."""
    command = [program, kind, str(options.seconds), str(len(cpus))]
    found = {case: [] for case in ("alone", *CASES)}
    for run in range(options.runs):
        cases = ["alone", *(CASES[(i + run) % len(CASES)] for i in range(len(CASES)))]
        for case in cases:
            variables = {**environment, "FGOMP_SHARE": SHARE.get(case, "off"), **options.folders.get(case, {})}
            masks = {"alone": [set(cpus)], "by hand": parts(cpus, copies)}.get(case, [set(cpus)] * copies)
            found[case].append(together(command, variables, masks))
    return found


def cpu_times(pid):
    """Nanoseconds of CPU time of each thread."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            found[task] = int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0])
        except OSError:
            pass  # it has ended
    return found


def until_threads_busy(pid, wanted):
    """Seconds until so many threads have used a quarter of a millisecond within two; None: not within a second."""
    begin = time.monotonic()
    while time.monotonic() < begin + 1:
        before, at = cpu_times(pid), time.monotonic()
        time.sleep(0.002)
        after = cpu_times(pid)
        if sum(after[task] - before.get(task, 0) > 250000 for task in after) >= wanted:
            return at - begin
    return None


def returns(program, environment, cpus, times, how, share):
    """How soon a program has its PUs back when the other one ends: [milliseconds]."""
    variables, found = {**environment, "FGOMP_SHARE": share}, []
    command = [program, "barrier", "1000", "2"]

    def start():
        process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: os.sched_setaffinity(0, set(cpus[:2])))
        time.sleep(0.15 + int(os.environ.get("BALLAST", 0)) / 800)  # it fills that first
        return process

    first, second = start(), start()
    try:
        while len(found) < times:
            second.send_signal(signal.SIGKILL if how == "killed" else signal.SIGSTOP)
            took = until_threads_busy(first.pid, 2)
            found.append(float("inf") if took is None else took * 1000)
            if how == "killed":
                second.wait()
                second = start()
            else:
                second.send_signal(signal.SIGCONT)
                time.sleep(0.15)
    finally:
        for process in (first, second):
            process.kill()
            process.wait()
    return found


def look_of(board, pid):
    """What the program's entry says of its last look (src/share/board.h, entry.h); None: it has no entry."""
    for at in range(1536, len(board), 384):
        if struct.unpack_from("<Q", board, at)[0] & 0xFFFFFFFF == pid:
            return struct.unpack_from("<Q", board, at + 24)[0]
    return None


def until(board, pid, is_so):
    """Milliseconds until this is so of the program's look."""
    begin = time.monotonic()
    while not is_so(look_of(board, pid)):
        if time.monotonic() > begin + 10:
            return float("inf")
        time.sleep(0.0003)
    return (time.monotonic() - begin) * 1000


def until_served(board, pid, wanted):
    """It has its PUs from a server, or not."""
    return until(board, pid, lambda look: bool((look or 0) >> 49 & 1) == wanted)


def comes(program, kind, environment, cpus, times):
    """How soon a program keeps fewer PUs busy when another one comes, and all again when that has ended: ([milliseconds], the same)."""
    found, back = [], []
    with tempfile.TemporaryDirectory() as folder:
        variables = {**environment, "FGOMP_SHARE": "on", "XDG_RUNTIME_DIR": folder}

        def start(kind, seconds):
            return subprocess.Popen([program, kind, str(seconds), "2"], env=variables, stdout=subprocess.DEVNULL,
                                    preexec_fn=lambda: os.sched_setaffinity(0, set(cpus[:2])))

        first = start(kind, 1000)
        try:
            time.sleep(0.3)
            with open(f"{folder}/forestgomp-2", "rb") as file:
                board = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            while len(found) < times:
                until(board, first.pid, lambda look: (look or 0) & 0xFFFF == 2)
                time.sleep(0.05)
                second = start(kind, 0.1)
                until(board, second.pid, lambda look: look is not None)
                found.append(until(board, first.pid, lambda look: (look or 0) & 0xFFFF == 1))
                second.wait()
                back.append(until(board, first.pid, lambda look: (look or 0) & 0xFFFF == 2))
        finally:
            first.kill()
            first.wait()
    return found, back


def uneven(program, kind, neighbour, cpus, environment, options):
    """The times of one copy alone, and beside a program that asks for little, without FGOMP_SHARE and with it: {case: [microseconds]}."""
    command, found = [program, kind, str(options.seconds), str(len(cpus))], {"alone": [], "off": [], "on": []}
    other = [program, "sips", "1000", str(len(cpus))] if neighbour == "5%" else ["nice", "-n", "19", program, kind, "1000", str(len(cpus))]
    for run in range(options.runs):
        for case in ("alone", "off", "on") if run % 2 else ("on", "off", "alone"):
            variables = {**environment, "FGOMP_SHARE": "off" if case == "alone" else case}
            beside = None if case == "alone" else subprocess.Popen(other, env=variables, stdout=subprocess.DEVNULL,
                                                                   preexec_fn=lambda: os.sched_setaffinity(0, set(cpus)))
            try:
                time.sleep(0.1)
                found[case].append(together(command, variables, [set(cpus)]))
            finally:
                if beside:
                    beside.kill()
                    beside.wait()
    return found


def fails(program, environment, lib, cpus, times, how):
    """How soon a program goes on by the board when its server is killed or stopped, or is heard again: [milliseconds]."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        variables = {**environment, "FGOMP_SHARE": "server", "XDG_RUNTIME_DIR": folder}
        command = [Path(lib).resolve().parent / "bin" / "forestgomp", "serve", "--own"]
        alone = subprocess.Popen([program, "barrier", "1000", "2"], env=variables, stdout=subprocess.DEVNULL,
                                 preexec_fn=lambda: os.sched_setaffinity(0, set(cpus[:2])))
        server = None
        try:
            time.sleep(0.3 + int(os.environ.get("BALLAST", 0)) / 800)
            with open(f"{folder}/forestgomp-2", "rb") as file:
                board = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            while len(found) < times:
                server = server or subprocess.Popen(command, env={**os.environ, "XDG_RUNTIME_DIR": folder}, stdout=subprocess.DEVNULL)
                until_served(board, alone.pid, True)
                time.sleep(0.05)
                server.send_signal(signal.SIGKILL if how == "killed" else signal.SIGSTOP)
                took = until_served(board, alone.pid, False)
                if how == "killed":
                    server = server.wait() and None
                else:
                    server.send_signal(signal.SIGCONT)
                found.append(until_served(board, alone.pid, True) if how == "goes on" else took)
        finally:
            for process in (alone, server):
                if process:
                    process.kill()
                    process.wait()
    return found


def looks():
    """Prints the cost of a look. The static library is used, because the shared one hides these functions."""
    build = HERE.parent / "build"
    if not (build / "build.ninja").exists():
        print(f"bench/share.py: {build} is no build folder (make builds one); nothing was measured", file=sys.stderr)
        return 2
    built = subprocess.run(["ninja", "-C", build, "bench/look_cost"], stdout=subprocess.DEVNULL).returncode
    return built or subprocess.run([build / "bench" / "look_cost"]).returncode


def beside(program, kind, others, cpus, environment, options):
    """The times of one copy beside busy processes, without FGOMP_SHARE and with it, in turns: {case: [microseconds]}."""
    command, found = [program, kind, str(options.seconds), str(len(cpus))], {"off": [], "on": []}
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=lambda: os.sched_setaffinity(0, set(cpus)))
            for _ in range(others)]
    try:
        for run in range(options.runs):
            for case in ("off", "on") if run % 2 else ("on", "off"):
                found[case].append(together(command, {**environment, "FGOMP_SHARE": case}, [set(cpus)]))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return found


def entries(folder):
    """How many programs the board still names."""
    board = Path(folder, "forestgomp-2")
    bytes_ = board.read_bytes() if board.exists() else b""
    return sum(struct.unpack_from("<Q", bytes_, at)[0] & 0xFFFFFFFF != 0 for at in range(1536, len(bytes_), 384))


def queue_seconds(command, environment, cpus, count, at_a_time):
    begin, started, running = time.monotonic(), 0, {}
    while started < count or running:
        if started < count and len(running) < at_a_time:
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                       preexec_fn=lambda: os.sched_setaffinity(0, set(cpus)))
            running[process.pid] = process
            started += 1
            continue
        pid, status = os.wait()
        ended = running.pop(pid, None)
        if ended and status:
            sys.exit(f"bench/share.py: {command[0]} ended with wait status {status}")
        if ended:
            ended.returncode = 0
    return time.monotonic() - begin


def queues(folder, environment, cpus, options):
    """Prints how long a queue of short programs takes."""
    count, at_a_time = map(int, options.queue.split(","))
    program, cases = f"{folder}/short", {"libgomp": {"LD_LIBRARY_PATH": ""}, "off": {"FGOMP_SHARE": "off"}, "on": {"FGOMP_SHARE": "on"},
                                         "1 thread": {"FGOMP_SHARE": "off", "OMP_NUM_THREADS": "1"}}
    subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, str(HERE / "programs" / "short.c")], check=True)
    if count > 100:
        del cases["libgomp"]
    command, found = [program, "50"], {case: [] for case in cases}
    for run in range(options.runs):
        for i in range(len(cases)):
            case = list(cases)[(i + run) % len(cases)]
            found[case].append(queue_seconds(command, {**environment, **cases[case]}, cpus, count, at_a_time))
    cells = ", ".join(f"{case} {min(took):.2f} {statistics.median(took):.2f}" for case, took in found.items())
    ratio = statistics.median(a / b for a, b in zip(found["on"], found["off"]))
    print(f"{count} programs, {at_a_time} at a time, s: {cells}; on / off {ratio:.3f}; left {entries(environment['XDG_RUNTIME_DIR'])}", flush=True)
    return 0


def row(kind, copies, found):
    base = copies * min(found["alone"])
    cells = " ".join(f"{min(found[case]) / base:7.2f} {statistics.median(found[case]) / base:7.2f}" for case in CASES)
    ratios = " ".join(f"{statistics.median(a / b for a, b in zip(found[one], found[other])):9.2f}"
                      for one, other in (("on", "off"), ("server", "on")))
    return f"{kind:10} {copies:>6} {min(found['alone']):10.3f} {cells} {ratios}"


def trips(lib, folder):
    """Prints the round trip of a server."""
    program = f"{folder}/trip"
    subprocess.run(["gcc", "-O2", f"-I{HERE.parent / 'src'}", "-o", program, str(HERE / "programs" / "trip.c")], check=True)
    with serving(lib) as place:
        for kind, times, pause in (("warm", 20000, 0), ("cold", 600, 5000)):
            found = sorted(map(float, subprocess.run([program, f"{place}/forestgomp-server", str(times), str(pause)], check=True, text=True,
                                                     stdout=subprocess.PIPE).stdout.split()))
            print(f"{kind:10} {found[0]:8.1f} {statistics.median(found):8.1f} {found[len(found) * 99 // 100]:8.1f} us", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(prog="bench/share.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", default=str(HERE.parent / "build" / "lib"), help="folder with libgomp.so.1; 'stock': the system's")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (5)")
    parser.add_argument("--seconds", type=float, default=0.4, help="of one run (0.4)")
    parser.add_argument("--copies", default="2,4", help="copies at a time (2,4)")
    parser.add_argument("--returns", type=int, metavar="N", help="how soon PUs are used again: N times each")
    parser.add_argument("--comes", type=int, metavar="N", help="how soon a newcomer has its share: N times each")
    parser.add_argument("--uneven", action="store_true", help="one copy beside a program that uses 5%% of a PU, and one at nice 19")
    parser.add_argument("--beside", metavar="N,...", help="one copy beside N busy processes that do not share, off and on")
    parser.add_argument("--queue", metavar="N,K", help="N short programs, K at a time")
    parser.add_argument("--trip", action="store_true", help="the round trip of a server")
    parser.add_argument("--look", action="store_true", help="what a look at the board costs")
    parser.add_argument("--json", metavar="FILE", help="write a list of {kind, copies, alone, off, on, server, paper's, by hand} ('-': standard output)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="all of " + " ".join(KINDS))
    options = parser.parse_args()
    wrong = [kind for kind in options.kinds if kind not in KINDS]
    if wrong:
        parser.error(f"no such kind: {wrong[0]} (accepted: {', '.join(KINDS)})")
    if options.look:
        return looks()
    cpus, results = sorted(os.sched_getaffinity(0)), []
    if len(cpus) < 2:
        print("bench/share.py: needs two CPUs", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as servers:
        if options.trip:
            return trips(options.lib, folder)
        if options.queue:
            return queues(folder, environment_make(options.lib, folder), cpus, options)
        options.folders = {}
        if options.lib != "stock":
            options.folders = {case: {"XDG_RUNTIME_DIR": servers.enter_context(serving(options.lib, *words))}
                               for case, words in (("server", []), ("paper's", ["--as-published"]))}
        program, environment = f"{folder}/taken", environment_make(options.lib, folder)
        subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, str(HERE / "programs" / "taken.c")], check=True)
        out = sys.stderr if options.json == "-" else sys.stdout
        print(f"load {os.getloadavg()[0]:.1f}", file=out)
        for kind in ("barrier", "computing") if options.comes else ():
            for what, took in zip(("has one PU", "has both"), comes(program, kind, environment, cpus, options.comes)):
                print(f"{kind:10} {what:12} {min(took):8.1f} {statistics.median(took):8.1f} {max(took):8.1f} ms", file=out, flush=True)
        for kind in options.kinds or ("barrier", "phases", "computing") if options.uneven else ():
            for neighbour in "5%", "nice 19":
                found = uneven(program, kind, neighbour, cpus, environment, options)
                results.append({"kind": kind, "beside": neighbour, **found})
                base = [min(found["alone"]), statistics.median(found["alone"])]
                print(f"{kind:10} {neighbour:8} alone {base[0]:10.3f} {base[1]:10.3f} us; of that: " +
                      ", ".join(f"{case} {min(found[case]) / base[0]:.2f} {statistics.median(found[case]) / base[1]:.2f}" for case in ("off", "on")),
                      file=out, flush=True)
        if options.beside:
            print(f"{'work':10} {'beside':>6} {'off us':>10} {'median':>10} {'on us':>10} {'median':>10} {'on/off':>7}", file=out)
            for kind in options.kinds or KINDS:
                for others in map(int, options.beside.split(",")):
                    found = beside(program, kind, others, cpus, environment, options)
                    off, on = found["off"], found["on"]
                    ratio = statistics.median(b / a for a, b in zip(off, on))
                    results.append({"kind": kind, "beside": others, **found})
                    print(f"{kind:10} {others:>6} {min(off):10.3f} {statistics.median(off):10.3f} {min(on):10.3f} "
                          f"{statistics.median(on):10.3f} {ratio:7.2f}", file=out, flush=True)
        elif not (options.returns or options.comes or options.uneven):
            print(f"{'work':10} {'copies':>6} {'alone us':>10} "
                  + " ".join(f"{case:>15}" for case in CASES) + f" {'on/off':>9} {'server/on':>9}", file=out)
        for what in ("on", "server", "fails") if options.returns else ():
            for how in ("killed", "stopped", "goes on") if what == "fails" else ("killed", "stopped"):
                if what == "fails":
                    took = fails(program, environment, options.lib, cpus, options.returns, how)
                else:
                    took = returns(program, {**environment, **options.folders.get(what, {})}, cpus, options.returns, how, what)
                name = f"the server {how if how == 'goes on' else 'is ' + how}" if what == "fails" else f"{what}: the other is {how}"
                print(f"{name:28} {min(took):8.1f} {statistics.median(took):8.1f} {max(took):8.1f} ms", file=out, flush=True)
        for kind in () if options.returns or options.beside or options.comes or options.uneven else options.kinds or KINDS:
            for copies in map(int, options.copies.split(",")):
                found = measure(program, kind, copies, cpus, environment, options)
                results.append({"kind": kind, "copies": copies, **found})
                print(row(kind, copies, found), file=out, flush=True)
        print(f"load {os.getloadavg()[0]:.1f}", file=out)
    if options.json == "-":
        print(json.dumps(results, indent=1))
    elif options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
