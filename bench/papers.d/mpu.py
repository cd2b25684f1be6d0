"""MPU (IWOMP 2008, section 5): the speed-up of one refinement on 8 dual-core Opterons, by policy. Called by bench/papers.py.

The octree comes from the fits of examples/mpu on a cloud of as many points as the paper's; its tolerance makes about as many threads."""

from dataclasses import dataclass

from report import Claim, Table

MACHINE = "opteron-8x2"
# The paper's 437,644 points and 101,185 threads, that is 25,296 regions of 4.
POINTS, TOLERANCE, THREADS = 437644, 2.7e-5, 101185
SMALL = (109411, 6e-5)
QUICK = (20000, 3e-4)
# The paper's baseline deals as Affinity does, and steals from any PU.
BASELINE = "affinity,near=no"
PUBLISHED = {"affinity": "14.04", BASELINE: "8.2 - 11.82", "tasks": "15.05"}
POLICIES = ("affinity", BASELINE, "default", "cache", "steal", "random", "global", "spread")


@dataclass
class Mpu:
    runner: object
    size: tuple = (POINTS, TOLERANCE)

    def calls(self):
        return len(POLICIES) + 3

    def tree(self):
        return self.runner.tree(*self.size)

    def time(self, variant, policy, machine=MACHINE, flop_ns=1.0, cores=None):
        team = 16 if variant == "tasks" else 4
        return self.runner.run(machine, policy, "mpu_walk", self.tree()[0], variant, team, flop_ns, cores=cores).ms

    def speedups(self, policies=POLICIES, machine=MACHINE, flop_ns=1.0):
        """Returns case -> speed-up against one simulated PU."""
        serial = self.time("serial", "default", machine, flop_ns, cores=1)
        found = {policy: serial / self.time("nested", policy, machine, flop_ns) for policy in policies}
        found["tasks"] = serial / self.time("tasks", "default", machine, flop_ns)
        return found

    def table(self):
        found = self.speedups()
        found["one level"] = self.time("serial", "default", cores=1) / self.time("one", "default")
        lines = self.tree()[1]
        regions = int(lines.split("cut ")[1].split(",")[0])
        rows = [[case, f"{value:.2f}", PUBLISHED.get(case, "")] for case, value in found.items()]
        note = (f"{lines}; {1 + 4 * regions} threads (the paper: {POINTS} points, {THREADS} threads). Bound 16. `tasks`: OpenMP tasks of 16 "
                "threads, for the paper's Cilk-like program; `one level`: only the outermost region is active.")
        return Table("MPU on 8 dual-core Opterons, speed-up on 16 PUs", ["policy", "ours", "published"], rows, note, found)

    @staticmethod
    def claims(found):
        yield Claim("mpu: affinity >= the same with random victims", found["affinity"], found[BASELINE])
        yield Claim("mpu: tasks >= affinity", found["tasks"], found["affinity"])
        for other in ("steal", "random", "global", "spread"):
            yield Claim(f"mpu: affinity >= {other}", found["affinity"], found[other])
