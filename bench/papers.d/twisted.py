"""Twisted-STREAM (IPDPS 2010, tables VI and VII): teams whose data are on another node, by policy and by iterations. Called by bench/papers.py."""

import re
from dataclasses import dataclass
from statistics import median

from report import Claim, Table

MACHINE = "opteron-8347he"
ITERATIONS = (1, 2, 4, 8, 16, 32)
DATA_ONLY = "memory,threads=no"
# What each case is compared with; all but the first have the hints, which only `memory` uses.
POLICIES = ("default", "affinity", "cache", "spread+numa:cache", "memory", "memory,data=none", DATA_ONLY, "memory,threads=no,data=written",
            "memory,threads=no,data=read")
# Time relative to libgomp, where the paper has it: by iterations.
PUBLISHED = {
    100: {"next touch": (5.92, 3.28, 2.06, 1.36, 1.07, 0.99), "memory": (0.75, 0.74, 0.74, 0.74, 0.74, 0.74)},
    66: {"next touch": (1.72, 1.3, 1.1, 1, None, None), "memory": (1.29, 1.08, 0.99, 0.94, None, None)},
}
SEEDS = (1, 2, 3)
# Iterations that are regions of their own: of which the time is shown, and who knows of the change: the program's hints, or nobody but samples.
SHOWN = (1, 2, 3, 4, 5, 6, 10, 12)
KNOWN = {"told, `memory`": ("memory", "hints"), "not told, `memory`": ("memory", "auto"), "not told, `default`": ("default", "auto"),
         "nothing moves, `default`": ("default", "off")}


@dataclass
class Twisted:
    runner: object
    iterations: tuple = ITERATIONS
    seeds: tuple = SEEDS

    def calls(self):
        return len(PUBLISHED) * len(self.seeds) * (len(POLICIES) * len(self.iterations) + len(KNOWN))

    def times(self, twist, policy, iterations):
        return [self.runner.run(MACHINE, policy, "twisted", twist, iterations, 1, 1, seed=seed).ms for seed in self.seeds]

    def table(self):
        parts, figures = [self.of(twist) for twist in PUBLISHED], {}
        for twist, part in zip(PUBLISHED, parts):
            figures[twist] = part.figures
        first, second = parts
        untold = self.untold()
        first.parts, first.figures = [second, untold], {str(twist): figure for twist, figure in figures.items()} | {"untold": untold.figures}
        return first

    def rounds(self, twist, policy, memory):
        """The nanoseconds of each iteration, the medians of the seeds."""
        hints = SHOWN[-1] if memory == "hints" else 0
        runs = [self.runner.run(MACHINE, policy, "twisted", twist, 1, SHOWN[-1], hints, seed=seed, FGOMP_MEMORY=memory).text for seed in self.seeds]
        return [median(map(int, ns)) for ns in zip(*(re.findall(r"^sample round ns \d+ (\d+)", run, re.M) for run in runs))]

    def untold(self):
        rows, figures = [], {}
        for twist in PUBLISHED:
            for name, how in KNOWN.items():
                figures[f"{twist}, {name}"] = ns = self.rounds(twist, *how)
                rows.append([f"{twist}, {name}", *(f"{ns[i - 1] / 1e6:.2f}" for i in SHOWN)])
        note = "ms of an iteration, each of which is a region; medians. Where nothing is told, FGOMP_MEMORY=auto moves pages as the samples say."
        return Table("Twisted-STREAM without hints", ["iteration", *map(str, SHOWN)], rows, note, figures)

    def of(self, twist):
        ms = {policy: [self.times(twist, policy, iterations) for iterations in self.iterations] for policy in POLICIES}
        rows = [[f"`{policy}`", *(f"{median(of) / median(default):.2f}" for of, default in zip(ms[policy], ms["default"]))] for policy in POLICIES]
        for name, published in PUBLISHED[twist].items():
            rows.append([f"published: {name}", *(published[ITERATIONS.index(n)] or "-" for n in self.iterations)])
        claims = [Claim(f"twisted {twist}, {n}: {less} > memory", ms[less][i], ms["memory"][i])
                  for i, n in enumerate(self.iterations) for less in ("default", DATA_ONLY)]
        note = (f"On {MACHINE}, time of phase 2 relative to `default`, by iterations in it; medians of {len(self.seeds)} seeds. The published figures are "
                f"relative to libgomp. `{DATA_ONLY}`: threads stay and all data come, which is what next touch comes to.")
        return Table(f"Twisted-STREAM {twist} on 4 quad-core Opterons", ["policy", *map(str, self.iterations)], rows, note,
                     {"ms": ms, "claims": [claim.figures() for claim in claims]}, claims)
