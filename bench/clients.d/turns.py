"""Runs a client on each runtime in turns, if wanted several copies at once. Compares the results with those of the first good run
on libgomp. Called by bench/clients.py."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from catalogue import Outcome
from driver.runtimes import OURS, environment

STOCK = "libgomp"


class RunFailed(Exception):
    """A run that did not end, ended badly or gave no result; the text is for the report."""


@dataclass
class Found:
    """The outcomes of one client. seconds: runtime -> [of each run]; failures: runtime -> [text]; differs: runtime -> [text]."""

    seconds: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    differs: dict = field(default_factory=dict)
    runs: dict = field(default_factory=dict)


def library_used(text, folder):
    """Reads the dynamic linker's list of bindings. Returns the error, or nothing. All of libgomp's own functions that the program
    has called must come from the library under test."""
    wanted, elsewhere, ours = os.path.realpath(folder / "libgomp.so.1"), set(), 0
    for line in text.splitlines():
        head, _, symbol = line.partition(": normal symbol `")
        if symbol.startswith("GOMP_") and " to " in head:
            library = head.rpartition(" to ")[2].partition(" [")[0]
            if os.path.realpath(library) == wanted:
                ours += 1
            else:
                elsewhere.add(library)
    if elsewhere:
        return f"it calls OpenMP functions of {', '.join(sorted(elsewhere))}"
    return "" if ours else "it has called no OpenMP function"


def stacks_save(pid, path):
    """Returns the stacks of a run past its limit, if gdb is installed."""
    group = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _group(p) == pid]
    if not shutil.which("gdb"):
        return ""
    with path.open("w") as out:
        for member in group:
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(["gdb", "-p", str(member), "-batch", "-ex", "thread apply all backtrace"], stdout=out,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60)
    return f"; stacks in {path}"


def _group(process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return None


class Turns:
    """`folders`: runtime -> folder with its libgomp.so.1; `variables`: runtime -> {name: value}. For libgomp, the program
    uses the one that it would use without us: the one that it brings along, or the system's."""

    def __init__(self, place, folders, threads, together, variables=None):
        self.place, self.folders, self.threads, self.together = place, folders, threads, together
        self.variables = variables or {}

    def env(self, client, runtime):
        extra = {**client.env, **self.variables.get(runtime, {})}
        if self.threads and "OMP_NUM_THREADS" not in extra:
            extra["OMP_NUM_THREADS"] = str(self.threads)
        own = extra.pop("LD_LIBRARY_PATH", "")
        env = environment(None, extra)
        env.pop("LD_LIBRARY_PATH", None)
        folder = self.folders[runtime]
        paths = [] if runtime == STOCK else [str(folder)]
        if runtime != STOCK:
            env["LD_PRELOAD"] = str(folder / "libgomp.so.1")
        paths += [own] if own else []
        if paths:
            env["LD_LIBRARY_PATH"] = ":".join(paths)
        return env

    def once(self, client, runtime, watch=False):
        """Runs all copies once. Returns [Outcome]. `watch`: it also checks which library answers."""
        env = self.env(client, runtime)
        with tempfile.TemporaryDirectory(prefix=client.name, dir=self.place.cache) as scratch:
            children = []
            for copy in range(self.together):
                folder = Path(scratch) / str(copy)
                folder.mkdir()
                if watch:
                    env = {**env, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(folder / "linker")}
                # Output goes to a file, because a pipe would need a reader.
                with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
                    begin = time.monotonic()
                    child = subprocess.Popen(self.place.fill(client.command, client, folder), env=env, stdout=out,
                                             stderr=err, stdin=subprocess.DEVNULL, start_new_session=True, cwd=folder)
                children.append((child, folder, begin))
            try:
                return [self._end(client, runtime, child, folder, begin, watch) for child, folder, begin in children]
            finally:
                for child, _, _ in children:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)
                    child.wait()

    def _end(self, client, runtime, child, folder, begin, watch):
        limit = client.limit_s * self.together
        try:
            child.wait(timeout=max(0.1, limit - (time.monotonic() - begin)))
        except subprocess.TimeoutExpired:
            told = stacks_save(child.pid, self.place.cache / f"{client.name}.{runtime}.stacks")
            raise RunFailed(f"did not end within {limit:g} s{told}") from None
        wall = time.monotonic() - begin
        if child.returncode:
            how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit status {child.returncode}"
            words = (folder / "err").read_text(errors="replace").split()
            raise RunFailed(f"{how}: {' '.join(words)[-200:] or 'no message'}")
        outcome = (client.read)((folder / "out").read_bytes(), folder)
        if not outcome.same and not outcome.near:
            raise RunFailed("printed no result")
        if watch and runtime != STOCK:
            wrong = library_used("".join(p.read_text(errors="replace") for p in folder.glob("linker.*")),
                                 self.folders[runtime])
            if wrong:
                raise RunFailed(f"does not run on this library: {wrong}")
        outcome.seconds = wall if outcome.seconds is None else outcome.seconds
        return outcome

    def client(self, client, rounds, progress):
        """Runs each once without timing, then `rounds` in turns."""
        found, reference = Found(), None
        left = list(self.folders)
        for number in range(rounds + 1):
            start = number % len(left) if number and left else 0
            for step, runtime in enumerate(left[start:] + left[:start]):
                if runtime == STOCK and client.stock_fails:
                    found.failures.setdefault(runtime, []).append(f"not run: {client.stock_fails}")
                    continue
                progress((number + step / len(left)) / (rounds + 1))
                try:
                    outcomes = self.once(client, runtime, watch=number == 0)
                except RunFailed as failure:
                    found.failures.setdefault(runtime, []).append(str(failure))
                    continue
                found.runs[runtime] = found.runs.get(runtime, 0) + len(outcomes)
                # A client that compares with itself is judged by its exit status, against its own first result.
                reference = reference or outcomes[0]
                for outcome in outcomes:
                    found.differs.setdefault(runtime, []).extend(differences(reference, outcome))
                if number:
                    found.seconds.setdefault(runtime, []).append(max(o.seconds for o in outcomes))
            # One failure is enough, because the other runs would fail in the same way.
            left = [r for r in left if r not in found.failures]
            if not left:
                break
        return found


def differences(reference, outcome):
    """Returns the differences to the reference: exact texts, and numbers beyond their relative tolerance (NaN is never near)."""
    found = [f"{name}: {outcome.same.get(name)} instead of {text}" for name, text in reference.same.items()
             if outcome.same.get(name) != text]
    for name, (value, tolerance) in reference.near.items():
        own = outcome.near.get(name, (float("nan"), 0))[0]
        if not abs(own - value) <= tolerance * max(abs(value), abs(own)):
            found.append(f"{name}: {own!r} instead of {value!r}, tolerance {tolerance:g}")
    return found


__all__ = ["OURS", "STOCK", "Found", "Outcome", "RunFailed", "Turns", "differences"]
