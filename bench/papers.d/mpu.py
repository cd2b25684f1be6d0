"""MPU (IWOMP 2008, section 5): the speed-up of one refinement on 8 dual-core Opterons, by policy. Called by bench/papers.py.

The octree comes from the fits of examples/mpu on a cloud of as many points as the paper's; its tolerance makes about as many threads."""

from dataclasses import dataclass
from statistics import median

from report import Claim, Table, least_most

MACHINE = "opteron-8x2"
PUS = 16
# The paper's 437,644 points and 101,185 threads, that is 25,296 regions of 4.
POINTS, TOLERANCE, THREADS = 437644, 2.7e-5, 101185
SMALL = (109411, 6e-5)
QUICK = (20000, 3e-4)
# The paper's baseline deals as Affinity does, and steals from any PU.
BASELINE = "affinity,near=no"
ONE_LEVEL = "one level, a thread for each PU"
PUBLISHED = {"affinity": "14.04", BASELINE: "8.2 - 11.82", "tasks": "15.05", ONE_LEVEL: "at most 8 have work"}
POLICIES = ("affinity", BASELINE, "default", "cache", "steal", "random", "global", "spread", "spread+numa:cache")
SEEDS = 5


@dataclass
class Mpu:
    runner: object
    size: tuple = (POINTS, TOLERANCE)
    seeds: int = SEEDS

    def calls(self):
        return (len(POLICIES) + 1) * self.seeds + 2

    def tree(self):
        return self.runner.tree(*self.size)

    def time(self, variant, policy, machine=MACHINE, flop_ns=1.0, cores=None, seed=1):
        team = 4 if variant in ("nested", "serial") else PUS
        return self.runner.run(machine, policy, "mpu_walk", self.tree()[0], variant, team, flop_ns, cores=cores, seed=seed).ms

    def speedups(self, policies=POLICIES, machine=MACHINE, flop_ns=1.0):
        """Returns case -> speed-ups against one simulated PU, one for each seed."""
        serial = self.time("serial", "default", machine, flop_ns, cores=1)
        seeds = range(1, self.seeds + 1)
        found = {policy: [serial / self.time("nested", policy, machine, flop_ns, seed=seed) for seed in seeds] for policy in policies}
        found["tasks"] = [serial / self.time("tasks", "default", machine, flop_ns, seed=seed) for seed in seeds]
        return found

    def table(self):
        found = self.speedups()
        claims = list(self.claims(found))
        found[ONE_LEVEL] = [self.time("serial", "default", cores=1) / self.time("one", "default")]
        lines = self.tree()[1]
        regions = int(lines.split("cut ")[1].split(",")[0])
        rows = [[case, f"{median(values):.2f}", least_most(values), PUBLISHED.get(case, "")] for case, values in found.items()]
        note = (f"{lines}; {1 + 4 * regions} threads (the paper: {POINTS} points, {THREADS} threads). Medians of {self.seeds} seeds. Bound {PUS}. "
                f"`tasks`: OpenMP tasks of {PUS} threads, for the paper's Cilk-like program; one level: only the outermost region is active, with {PUS} "
                "threads for its 8 children.")
        figures = {"speedups": found, "claims": [claim.figures() for claim in claims]}
        return Table("MPU on 8 dual-core Opterons, speed-up on 16 PUs", ["policy", "ours", "of the seeds", "published"], rows, note, figures, claims)

    @staticmethod
    def claims(found):
        yield Claim("mpu: affinity > the same with random victims", found["affinity"], found[BASELINE])
        yield Claim("mpu: tasks > affinity", found["tasks"], found["affinity"])
        for other in ("steal", "random", "cache", "global", "spread"):
            if other in found:
                yield Claim(f"mpu: affinity > {other}", found["affinity"], found[other])
