"""STREAM on idle and on full machines (RenPar 2009, tables 1 and 2; IPDPS 2010, table V). Called by bench/papers.py."""

import re
from dataclasses import dataclass
from statistics import median

from report import Claim, Table, least_most

MACHINE = "opteron-8347he"
NODES = 4
KERNELS = ("Copy", "Scale", "Add", "Triad")
SEEDS = (1, 2, 3)
# Table 1, MB/s: 4 threads on one node, or 16; data on the node of each thread, or on that and its neighbours.
PUBLISHED_1 = {4: {"own": 5151, "near": 5740}, 16: {"own": 4 * 3635, "near": 4 * 2257}}
APART = {4: "compact", 16: "spread"}  # the policy under which the threads are where the paper has them
# Table 2, MB/s, the worst and the best run.
PUBLISHED_2 = {
    "STREAM": {"libgomp": ((6747, 8577), (6662, 8566), (7132, 8821), (7183, 8832)),
               "ForestGOMP": ((7851, 7859), (7821, 7828), (8335, 8340), (8357, 8361))},
    "Nested-STREAM": {"libgomp": ((6900, 8032), (6961, 7930), (7231, 8181), (7275, 8123)),
                      "ForestGOMP": ((8302, 8631), (8201, 8585), (8344, 8881), (8504, 9217))},
}
SHAPES = {"STREAM": (16, 0), "Nested-STREAM": (4, 4)}
POLICIES = ("default", "spread", "affinity", "cache", "memory")
# Twisted-STREAM 100, MB/s on all nodes: RenPar 2009, table 2, and IPDPS 2010, table V, of which the figures are for one node.
PUBLISHED_TWISTED = {"libgomp, RenPar": (8144, 3560), "ForestGOMP, RenPar": (9108, 6008), "Intel, RenPar": ("-", 5488), "libgomp, IPDPS": (8000, 5200),
                     "Intel, IPDPS": (12000, 8000), "ForestGOMP, IPDPS": (14400, 6800)}
TWISTED_BYTES = 4 * 3 * (4 << 20)


@dataclass
class Renpar:
    runner: object
    rounds: int = 3
    iterations: int = 16
    seeds: tuple = SEEDS

    def calls(self):
        return len(self.seeds) * (6 + 2 * len(SHAPES) * len(POLICIES) + len(POLICIES))

    def rates(self, policy, teams, inner, homes, hints, rounds):
        """The MB/s by kernel, a figure for each seed."""
        runs = [self.runner.run(MACHINE, policy, "stream", teams, inner, homes, rounds, hints, seed=seed).text for seed in self.seeds]
        return {kernel: [int(re.search(rf"^rate {kernel} (\d+)", run, re.M).group(1)) for run in runs] for kernel in ("Read", *KERNELS)}

    def idle_and_full(self):
        rows, claims, figures = [], [], {}
        for threads, published in PUBLISHED_1.items():
            fixed = {homes: self.rates(APART[threads], threads, 0, homes, 0, self.rounds) for homes in published}
            memory = self.rates("memory", threads, 0, "main", 1, self.rounds)
            better, less = ("near", "own") if threads == 4 else ("own", "near")
            ratio = {kernel: median(fixed[better][kernel]) / median(fixed[less][kernel]) for kernel in memory}
            for homes, name in (("own", "on the node"), ("near", "on it and its neighbours")):
                rows.append([f"{threads}, {name}", published[homes], *(f"{median(fixed[homes][kernel]):.0f}" for kernel in memory)])
            rows.append([f"{threads}, `memory`", "-", *(f"{median(rates):.0f}" for rates in memory.values())])
            claims += [Claim(f"{threads} threads, {kernel}: {better} > {less}", fixed[better][kernel], fixed[less][kernel]) for kernel in memory]
            claims.append(Claim(f"{threads} threads, Read: memory > 0.97 x {better}", memory["Read"], [0.97 * rate for rate in fixed[better]["Read"]]))
            claims += [Claim(f"{threads} threads, {kernel}: memory > {less}", memory[kernel], fixed[less][kernel]) for kernel in KERNELS]
            figures[threads] = {"fixed": fixed, "memory": memory, "ratio": ratio}
        note = (f"MB/s of all threads together on {MACHINE}. `memory` begins with all data on the node of the main thread, and is told what each thread uses; "
                "the figures are those of the last round. The published figures are of reading. In the four kernels of STREAM changed lines go back to "
                "memory, too.")
        return Table("Bandwidth of few and of all threads (RenPar 2009, table 1)", ["threads, data", "published", "Read", *KERNELS], rows, note,
                     {**{str(threads): figure for threads, figure in figures.items()}, "claims": [claim.figures() for claim in claims]}, claims)

    def streams(self, name):
        rows, figures = [], {}
        for base, ranges in PUBLISHED_2[name].items():
            rows.append([f"published: {base}", *(f"{low} - {high}" for low, high in ranges)])
        for homes in ("own", "main"):
            for policy in POLICIES:
                found = self.rates(policy, *SHAPES[name], homes, int(policy == "memory"), self.rounds)
                rows.append([f"`{policy}`, {'own part' if homes == 'own' else 'main thread'}", *(least_most(found[k], "{:.0f}") for k in KERNELS)])
                figures[f"{policy} {homes}"] = found
        note = "MB/s. Behind the policy: who touches the data first. Only `memory` is told what the threads use."
        return Table(f"{name} (RenPar 2009, table 2)", ["policy", *KERNELS], rows, note, figures)

    def twisted(self):
        rows, figures = [[f"published: {name}", *rates] for name, rates in PUBLISHED_TWISTED.items()], {}
        for policy in POLICIES:
            before = self.rates(policy, *SHAPES["Nested-STREAM"], "own", 0, self.rounds)["Triad"]
            ms = [self.runner.run(MACHINE, policy, "twisted", 100, self.iterations, 1, int(policy == "memory"), seed=seed).ms for seed in self.seeds]
            after = [TWISTED_BYTES * self.iterations / one / 1e3 for one in ms]
            rows.append([f"`{policy}`", least_most(before, "{:.0f}"), least_most(after, "{:.0f}")])
            figures[policy] = {"before": before, "after": after}
        note = (f"Triad, MB/s of all nodes. Phase 2: each team works on the data of another one, {self.iterations} iterations. "
                "Table V has figures for one node, here times four.")
        return Table("Twisted-STREAM 100 (RenPar 2009, table 2; IPDPS 2010, table V)", ["policy", "phase 1", "phase 2"], rows, note, figures)

    def table(self):
        first = self.idle_and_full()
        first.parts = [*(self.streams(name) for name in SHAPES), self.twisted()]
        first.figures = {"idle and full": first.figures, **{part.title: part.figures for part in first.parts}}
        return first
