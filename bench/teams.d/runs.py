"""Runs lines on the simulated machine, and keeps each figure, so that an interrupted series goes on. Called by bench/teams.py."""

import hashlib
import json
import re
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import mpu
from begins import begins_count
from running import CLEAN, ROOT, TRIES, Failed

LIMIT_S = 120
US = {"us": 1, "ms": 1e3, "ns": 1e-3, "efficiency": 1}


class RunFailed(Exception):
    """A run gave no figure; the text has the reason."""


@dataclass(frozen=True)
class Job:
    line: object
    policy: str
    seed: int
    begins: bool = False  # the run gives no figure, but its trace tells where members begin


def digest(*parts):
    return hashlib.sha256(b"\0".join(part if isinstance(part, bytes) else str(part).encode() for part in parts)).hexdigest()[:20]


class Kept:
    """A file with a line of JSON for each run. Its key names all that decides the figure: library, program, machine, policy and seed."""

    def __init__(self, path):
        self.path, self.records, self.cut_short = path, {}, False
        if path.exists():
            texts = path.read_text()
            self.cut_short = not texts.endswith("\n") and texts != ""
            for text in texts.splitlines():
                try:
                    record = json.loads(text)
                    self.records[record["key"]] = record
                except (ValueError, KeyError):
                    continue  # a run was interrupted while it wrote this

    def add(self, record):
        self.records[record["key"]] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write("\n" * self.cut_short + json.dumps(record) + "\n")
        self.cut_short = False


class Runs:
    """`builder` is the Runner of bench/papers.d, which builds programs. `build` has the library."""

    def __init__(self, builder, build):
        self.builder, self.forestgomp = builder, build / "bin" / "forestgomp"
        self.runtime = build / "lib" / "simulated" / "libgomp.so.1"
        self.state, self.runtime_digest = self.runtime_state(), digest(self.runtime.read_bytes())
        self.kept = Kept(build / "bench" / "teams" / "runs.jsonl")
        self.digests = {}

    def runtime_state(self):
        found = self.runtime.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def policies_check(self, policies):
        """Refuses a policy that the library does not know, because it would run `default` instead."""
        for policy in policies:
            done = subprocess.run([self.forestgomp, "run", "--sched", policy, "true"], capture_output=True, text=True, env=CLEAN)
            said = [text for text in done.stderr.splitlines() if text]
            if done.returncode or said:
                raise Failed(f"--policies {policy}: {said[0] if said else 'it does not run'}; nothing was run")

    def prepare(self, lines):
        """Builds the programs, one after the other."""
        for program in {line.program for line in lines}:
            self.digests[program] = digest(self.builder.program(program).read_bytes())
            if program == "mpu_walk":
                self.builder.tree(*mpu.SMALL)

    def words(self, line):
        return [str(self.builder.tree(*mpu.SMALL)[0]) if word == "TREE" else word for word in line.words]

    def key(self, job):
        shelf = ROOT / "share" / "machines" / f"{job.line.machine}.machine"
        machine = shelf.read_bytes() if shelf.exists() else job.line.machine
        return digest(self.runtime_digest, self.digests[job.line.program], machine, job.line.text, job.policy, job.seed,
                      *(["begins, 3"] if job.begins else []))

    def known(self, job):
        """Returns the record of an earlier run, or None."""
        return self.kept.records.get(self.key(job))

    def run(self, job):
        """Returns a record. Several may run at a time. A trace changes the addresses of the library, and so the order of events that come at one
        time. Therefore a run with a trace gives no figure."""
        with tempfile.TemporaryDirectory(prefix="forestgomp-teams-") as folder:
            trace = Path(folder) / "t.fgt"
            command = [self.forestgomp, "sim", "-m", job.line.machine, "--sched", job.policy, "--seed", job.seed, "--json", "--no-baseline", "--given",
                       *(["--trace", trace] if job.begins else []), self.builder.folder / job.line.program, *self.words(job.line)]
            record = {"key": self.key(job), "library": self.runtime_digest, "line": job.line.name, "policy": job.policy, "seed": job.seed}
            figure = self.figure(list(map(str, command)))
            record |= {"begins": asdict(begins_count(trace))} if job.begins else {"figure": figure}
        if self.runtime_state() != self.state:
            raise RunFailed("the library was built anew meanwhile")
        return record

    @staticmethod
    def figure(command):
        for _ in range(TRIES):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=CLEAN)
            except subprocess.TimeoutExpired:
                raise RunFailed(f"no end after {LIMIT_S} s") from None
            sample = re.search(r"^sample \S+ (\w+) \S+ (\S+)", done.stderr, re.M)
            if done.returncode or not sample or re.search("^libgomp: ", done.stderr, re.M):
                raise RunFailed(f"ended with {done.returncode}: {done.stderr.strip()[-200:]}")
            # On a busy machine the simulator's watchdog may have stepped in.
            if json.loads(done.stdout)["repeatable"]:
                break
        return float(sample.group(2)) * US[sample.group(1)]
