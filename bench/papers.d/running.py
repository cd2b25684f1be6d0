"""Builds the papers' programs and runs them on simulated machines. Called by the experiments."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {name: value for name, value in os.environ.items() if not re.match("(OMP|GOMP|FGOMP|FGSIM|LD)_", name)}
LIMIT_S = 600
TRIES = 3  # on a busy machine the simulator's watchdog may take a slow program for one that waits
MPU = ROOT / "examples" / "mpu"
FIT_SOURCES = [MPU / f"{name}.cpp" for name in ("fit", "index", "cloud", "read_ply", "read_text", "read_volume")]
# program -> (sources, flags)
PROGRAMS = {
    "multizone": ([ROOT / "bench/programs/multizone.c"], ["-lm"]),
    "mpu_walk": ([ROOT / "bench/papers.d/mpu_walk.c"], []),
    "mpu_victims.so": ([ROOT / "bench/papers.d/mpu_victims.c"], ["-shared", "-fPIC", f"-I{ROOT / 'include'}"]),
    "teams": ([ROOT / "bench/papers.d/teams.c"], []),
    "stream": ([ROOT / "bench/papers.d/stream.c"], []),
    "twisted": ([ROOT / "bench/papers.d/twisted.c"], []),
    **{name: ([ROOT / f"bench/teams.d/programs/{name}.c"], ["-lm"]) for name in ("families", "plain", "levels", "trees", "tasks")},
    "epcc": ([ROOT / "bench/papers.d/epcc.c"], []),
    "scale": ([ROOT / "bench/papers.d/scale.c"], []),
    "kernels": ([ROOT / "bench/papers.d/kernels.c"], []),
    # The fits are those of examples/mpu bit for bit.
    "mpu_tree": ([ROOT / "bench/papers.d/mpu_tree.cpp", *FIT_SOURCES], ["-ffp-contract=off", "-std=gnu++17", "-lz", "-lstdc++", "-lm"]),
}


class Failed(Exception):
    """A run gave no figure; the text has the reason."""


@dataclass
class Result:
    ms: float       # of the timed part, by the program's own clock
    text: str       # the program's output
    report: dict    # of the simulated machine

    def number(self, pattern):
        return float(re.search(pattern, self.text).group(1))


def sources_newest(paths):
    headers = [*(ROOT / "bench/papers.d").glob("*.h"), *(ROOT / "bench/teams.d").rglob("*.h"), ROOT / "bench/programs/bench.h",
               *(ROOT / "include").rglob("*.h")]
    return max(path.stat().st_mtime for path in [*paths, *headers, Path(__file__)])


class Runner:
    """Runs each call once and remembers the result; `total` is how many calls are expected, for the bar."""

    def __init__(self, build):
        self.forestgomp = build / "bin" / "forestgomp"
        self.folder = build / "bench" / "papers"
        self.known, self.done, self.total, self.started = {}, 0, 0, time.monotonic()
        self.disturbed = 0
        if not self.forestgomp.exists():
            raise Failed(f"{self.forestgomp} is not there: `make` builds it, and --build names another folder")

    def program(self, name):
        """Returns its path. Builds it if it is older than its sources."""
        sources, flags = PROGRAMS[name]
        target = self.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.stat().st_mtime >= sources_newest(sources):
            return target
        fresh = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run(["gcc", "-O2", "-fopenmp", *map(str, sources), *flags, "-o", str(fresh)], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{name} could not be built:\n{done.stderr.strip()}")
        fresh.replace(target)
        return target

    def tree(self, points, tolerance):
        """Returns the recorded octree of a cloud of so many points, and the recorder's output."""
        path, said = self.folder / f"tree-{points}-{tolerance:g}", self.folder / f"tree-{points}-{tolerance:g}.txt"
        recorder = self.program("mpu_tree")
        if not said.exists() or said.stat().st_mtime < recorder.stat().st_mtime:
            done = subprocess.run([recorder, str(points), f"{tolerance:g}", path], capture_output=True, text=True)
            if done.returncode:
                raise Failed(done.stderr.strip())
            said.write_text(done.stdout)
        return path, said.read_text().strip()

    def run(self, machine, policy, program, *words, cores=None, seed=1, given=True, **variables):
        """Runs on the machine under the policy; `cores`: on so many of its PUs. given: only work that the program gives counts, repeatably.
        variables: of the environment."""
        key = (str(machine), policy, program, words, cores, seed, given, *sorted(variables.items()))
        if key in self.known:
            return self.known[key]
        self.show(f"{program} {' '.join(map(str, words[1:] if program == 'mpu_walk' else words))} {policy}")
        command = [self.forestgomp, "sim", "-m", machine, "--sched", policy, "--seed", seed, "--json", "--no-baseline", *(["--given"] if given else []),
                   *(["--cores", cores] if cores else []), self.program(program), *words]
        for _ in range(TRIES):
            self.known[key] = self.run_once(list(map(str, command)), variables)
            if not given or self.known[key].report["repeatable"]:
                break
        else:
            self.disturbed += 1
        self.done += 1
        return self.known[key]

    @staticmethod
    def run_once(command, variables):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env={**CLEAN, **variables})
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {LIMIT_S} s: {' '.join(command)}") from None
        sample = re.search(r"^sample \S+ (\w+) (\S+) (\S+)", done.stderr, re.M)
        if done.returncode or not sample:
            raise Failed(f"ended with {done.returncode}: {' '.join(command)}: {done.stderr.strip()[-300:]}")
        unit = {"ms": 1, "us": 1e-3, "ns": 1e-6}[sample.group(1)]
        return Result(float(sample.group(3)) * unit, done.stderr, json.loads(done.stdout))

    def planned(self, machine, trace):
        """What `forestgomp pin --from` plans from a recording, and the graphs."""
        done = subprocess.run([self.forestgomp, "pin", "-m", machine, "--from", trace, "--json"], capture_output=True, text=True, env=CLEAN)
        if done.returncode:
            raise Failed(done.stderr.strip())
        return json.loads(done.stdout)

    def show(self, what):
        if not sys.stderr.isatty():
            return
        share = min(self.done / self.total, 1) if self.total else 0
        spent = time.monotonic() - self.started
        left = f", some {spent / share - spent:.0f} s left" if share > 0.02 else ""
        print(f"\r\033[K[{'#' * int(share * 30):30}] {share * 100:3.0f} %{left}  {what[:70]}", end="", file=sys.stderr, flush=True)

    def clear(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
