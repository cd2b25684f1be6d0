"""Runs the processes of a group in turns, one after the other. Between each two of them it probes the machine."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

from driver.machine import mode_between
from driver.mpu import Disagreement
from driver.runtimes import environment
from driver.stats import Sample

NONE = "none"
RUNS_AT_LEAST = 3


@dataclass
class Effort:
    """The wanted runs of each process, and the seconds after which a slow one gets fewer (but 3)."""

    runs: int
    budget_s: float

    @property
    def rounds_max(self):
        """This is more than `runs`, because runs in which the mode changes do not count."""
        return 2 * self.runs + 4


@dataclass
class Results:
    """samples: (case, runtime) -> [Sample]; units: case -> unit; cases: process -> its cases; failures: (process, runtime) -> text;
    limits: (process, runtime) -> the seconds after which it was ended."""

    samples: dict = field(default_factory=dict)
    units: dict = field(default_factory=dict)
    cases: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    dropped: int = 0
    foreign: float = 0.0


class RunFailed(Exception):
    """A process that did not end, or ended badly; the text is for the report. `limit_s`: it ran so long, and was ended then."""

    limit_s = None


def lines_parse(text):
    """Returns the `sample` lines of a program: {case: (unit, minimum, median, resolution)}."""
    values = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 6 and words[0] == "sample":
            values[words[1]] = (words[2], float(words[3]), float(words[4]), float(words[5]))
    return values


def process_run(command, env, limit_s):
    """Returns its standard output. At the limit it kills the whole process group."""
    try:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, start_new_session=True)
    except OSError as error:
        raise RunFailed(str(error)) from None
    try:
        out, err = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        failure = RunFailed(f"did not end within {limit_s:g} s")
        failure.limit_s = limit_s
        raise failure from None
    finally:
        # After a good end the group is empty, or has only children that the program left behind. These end here too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        child.stderr.close()
    if child.returncode:
        how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit status {child.returncode}"
        raise RunFailed(f"{how}: {' '.join(err.split())[-200:] or 'no message'}")
    return out


class Runner:
    """`paths`: program -> file; `folders`: runtime -> folder; `envs`: runtime -> further variables of its runs."""

    def __init__(self, machine, paths, folders, effort, envs=None):
        self.machine, self.paths, self.folders, self.effort, self.envs = machine, paths, folders, effort, envs or {}

    def once(self, run, runtime):
        """Runs one process of `run` on `runtime`. Returns {case: (unit, minimum, median, resolution)}."""
        extra = {**run.env, **self.envs.get(runtime, {})}
        if run.bound:
            extra["OMP_PLACES"] = ",".join(f"{{{pu}}}" for pu in self.machine.pus)
            extra["OMP_PROC_BIND"] = "true"
        env = environment(None if runtime == NONE else self.folders[runtime], extra)
        out = process_run([self.paths.get(run.command[0], run.command[0]), *run.command[1:]], env, run.limit_s)
        try:
            values = (run.parse or lines_parse)(out)
        except (ValueError, KeyError, Disagreement) as error:
            raise RunFailed(f"printed what cannot be used: {error}") from None
        if not values:
            raise RunFailed("printed no figures")
        return values

    def group(self, runs, results, progress=lambda share: None):
        """Makes rounds over all processes and runtimes until each has its runs in one mode, or its budget is spent."""
        turns = [(run, runtime) for run in runs for runtime in (self.folders if run.openmp else [NONE])]
        state = {(run.key, runtime): {"left": True, "spent": 0.0, "modes": {}} for run, runtime in turns}
        before = self.machine.line_mode()
        for number in range(self.effort.rounds_max):
            # Another process begins each round, so that none always follows the same one.
            start = number % len(turns)
            for run, runtime in turns[start:] + turns[:start]:
                own = state[run.key, runtime]
                if not own["left"]:
                    continue
                began = time.monotonic()
                try:
                    values = self.once(run, runtime)
                except RunFailed as failure:
                    own["left"] = False
                    results.failures[run.key, runtime] = str(failure)
                    if failure.limit_s:
                        results.limits[run.key, runtime] = failure.limit_s
                    before = self.machine.line_mode()
                    continue
                own["spent"] += time.monotonic() - began
                results.cases[run.key] = list(values)
                after = self.machine.line_mode()
                mode = mode_between(before, after)
                before = after
                if mode is None:
                    results.dropped += 1
                else:
                    own["modes"][mode] = own["modes"].get(mode, 0) + 1
                    for case, (unit, low, middle, resolution) in values.items():
                        results.units[case] = unit
                        results.samples.setdefault((case, runtime), []).append(Sample(mode, low, middle, resolution))
                if own["spent"] > self.effort.budget_s and max(own["modes"].values(), default=0) >= RUNS_AT_LEAST:
                    own["left"] = False
            going = [s for s in state.values() if s["left"]]
            common = [min((s["modes"].get(mode, 0) for s in going), default=self.effort.runs)
                      for mode in ("fast", "slow")]
            progress(min(1.0, max(max(common) / self.effort.runs, (number + 1) / self.effort.rounds_max)))
            if not going or max(common) >= self.effort.runs:
                break


class Progress:
    """A bar on standard error, if that is a terminal."""

    def __init__(self, bench, groups):
        self.bench, self.groups, self.done = bench, groups, 0
        self.shown = sys.stderr.isatty()

    def show(self, share):
        if self.shown:
            whole = (self.done + share) / self.groups
            print(f"\r{self.bench:9} [{'#' * int(whole * 40):40}] {whole * 100:3.0f} %", end="", file=sys.stderr,
                  flush=True)

    def clear(self, groups_done=0):
        self.done += groups_done
        if self.shown:
            print("\r" + " " * 62 + "\r", end="", file=sys.stderr, flush=True)
