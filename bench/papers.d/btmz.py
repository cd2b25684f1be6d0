"""BT-MZ class C (IPDPS 2010, table IV): the speed-up of a multi-zone solver on 4 quad-core Opterons, by policy and by outer x inner threads.
Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

from report import Claim, Table

MACHINE = "opteron-8347he"
SHAPES = ((4, 4), (16, 1), (16, 2), (16, 4), (16, 8), (32, 1), (32, 2), (32, 4), (32, 8))
# column -> (policy, whether loads are told)
COLUMNS = {"cache": ("cache,load=told", False), "cache + load": ("cache,load=told", True), "tuned + load": ("cache,tuned,load=told", True),
           "cache, learnt": ("cache", False), "affinity": ("affinity", False), "default": ("default", False),
           "steal": ("steal", False), "random": ("random", False), "global": ("global", False), "spread": ("spread", False),
           "spread+numa:cache": ("spread+numa:cache", False)}
CACHE = ("cache", "cache + load", "tuned + load")
PUBLISHED = {
    "libgomp": (9.4, 14.1, 11.8, 11.6, 11.5, 12.6, 11.6, 11.2, 10.9),
    "Intel": (13.8, 13.9, 9.2, 6.1, 4.0, 10.3, 5.9, 3.4, 2.8),
    "cache": (14.1, 14.1, 14.1, 14.1, 14.4, 13.5, 14.2, 14.3, 14.5),
    "cache + load": (14.1, 14.1, 14.2, 14.9, 15.0, 13.8, 14.2, 14.8, 14.7),
    "tuned + load": (14.1, 14.1, 14.3, 14.9, 15.2, 13.8, 14.3, 14.8, 14.7),
}
# BT's own count of operations is 3,309 to 3,479 a point and step, by the mesh's side (NPB: 3478.8 n^3 - 17655.7 n^2 + 28023.7 n). Class B takes 693 s
# on this machine (IPDPS 2010, table I). So 702e9 operations of 102^3 points in 200 steps take 0.987 ns each, or 3265 ns a point and step.
POINT_NS = 3265
FULL = ("mesh=240x160x28", "zones=16x16", "steps=3")
# The mesh of a plane is the full one, because loads differ by it.
SMALL_FLAT = ("mesh=240x160x4", "zones=16x16", "steps=3")
SMALL_SPREAD = ("mesh=160x160x4", "zones=16x16", "steps=4")
QUICK = ("mesh=80x80x4", "zones=8x8", "steps=1")
WANTED = 0.97
# Where inner teams are spread over PUs, steals depend on the seed and change the time by a percent or two; elsewhere by 0.01%.
SPREAD = (4, 4)
SEEDS = 3
SEEDS_ELSEWHERE = 2
# The claims are about these. The other columns are of seed 1, and so is `tuned` at 16 and 32 outer threads.
JUDGED = ("cache", "cache + load", "steal")
# The second should take less time than the first.
PAIRS = (("cache + load", "tuned + load"), ("cache", "cache + load"), ("steal", "cache"), ("steal", "cache + load"))
# PUs are unevenly filled: of 25 zones, the largest is 2.3 PUs' share of the work.
UNEVEN = ("mesh=80x80x4", "zones=5x5", "steps=2")
TUNED_SHAPES = ((6, 8), (12, 4), (16, 4), (20, 4), (24, 4), (32, 2))
TUNED_COLUMNS = {"none": ("cache,load=none", False), "told": COLUMNS["cache + load"], "tuned": COLUMNS["tuned + load"]}
TUNED_SEEDS = 5


@dataclass
class BtMz:
    runner: object
    size: tuple = FULL
    shapes: tuple = SHAPES
    seeds: int = SEEDS

    def seeds_of(self, shape, column):
        if column in JUDGED or (column == "tuned + load" and shape == SPREAD):
            return range(1, min(self.seeds, SEEDS if shape == SPREAD else SEEDS_ELSEWHERE) + 1)
        return (1,)

    def calls(self):
        return 1 + sum(len(self.seeds_of(shape, column)) for shape in self.shapes for column in COLUMNS)

    def result(self, shape, policy, loads, machine=MACHINE, factor=1.0, cores=None, seed=1):
        words = [*shape, f"given={POINT_NS * factor:g}", *self.size, *(["loads"] if loads else [])]
        return self.runner.run(machine, policy, "multizone", *words, cores=cores, seed=seed)

    def times(self, shape, columns=tuple(COLUMNS), machine=MACHINE, factor=1.0):
        """Returns column -> ms, one for each seed."""
        return {column: [self.result(shape, *COLUMNS[column], machine, factor, seed=seed).ms for seed in self.seeds_of(shape, column)]
                for column in columns}

    def table(self):
        serial = self.result((1, 1), "default", False, cores=1).ms
        rows, figures, claims = [], [], []
        for shape in self.shapes:
            times = self.times(shape)
            claims += self.claims(shape, times)
            bound = self.result(shape, *COLUMNS["cache"]).number(r"bound: ([\d.]+)")
            ups = {column: serial / median(ms) for column, ms in times.items()}
            at = SHAPES.index(shape)
            best = max(ups[column] for column in CACHE)
            rows.append([f"{shape[0]} x {shape[1]}", f"{bound:.2f}", *(f"{ups[column]:.2f}" for column in COLUMNS), f"{best / bound:.3f}",
                         " / ".join(f"{PUBLISHED[column][at]}" for column in CACHE), " / ".join(f"{PUBLISHED[c][at]}" for c in ("libgomp", "Intel"))])
            figures.append({"outer": shape[0], "inner": shape[1], "bound": bound, "speedups": ups, "ms": times,
                            "published": {name: values[at] for name, values in PUBLISHED.items()}})
        missed = [row[0] for row in rows if float(row[-3]) < WANTED]
        note = (f"{' '.join(self.size)}, {POINT_NS} ns a point and step; medians of {self.seeds} seeds at {SPREAD[0]} x {SPREAD[1]}, of "
                f"{min(self.seeds, SEEDS_ELSEWHERE)} elsewhere, of {' and '.join(JUDGED)}; the others are of seed 1. Bound: min(PUs, total "
                f"work / work of the largest member). Wanted: the best of the three {WANTED} of the bound or more: {'missed at ' + ', '.join(missed) if missed else 'met everywhere'}.")
        head = ["outer x inner", "bound", *COLUMNS, "best of cache / bound", "published: " + " / ".join(CACHE), "libgomp / Intel"]
        return Table("BT-MZ on 4 quad-core Opterons, speed-up on 16 PUs", head, rows, note,
                     {"rows": figures, "claims": [claim.figures() for claim in claims]}, parts=[self.order(claims)])

    def order(self, claims):
        """Returns a table with a row for each shape, and a column for each claim about it."""
        pairs = [f"{less} > {more}" for more, less in PAIRS]
        rows = []
        for i, (outer, inner) in enumerate(self.shapes):
            of_shape = claims[i * len(pairs):(i + 1) * len(pairs)]
            rows.append([f"{outer} x {inner}", *(f"{claim.margin():+.2%} {claim.verdict()}" for claim in of_shape),
                         f"{max(claim.noise() for claim in of_shape):.2%}"])
        return Table("The order of policies in BT-MZ", ["outer x inner", *pairs, "noise of the seeds"], rows,
                     "The margin in time, and whether the claim holds.", None)

    @staticmethod
    def claims(shape, times):
        """Times: less is better. Only seeds that both sides have are compared."""
        for more, less in PAIRS:
            if more in times and less in times:
                seeds = min(len(times[more]), len(times[less]))
                yield Claim(f"bt-mz {shape[0]} x {shape[1]}: {less} > {more}", times[more][:seeds], times[less][:seeds])


@dataclass
class Tuned:
    """The paper's three, tuned > load > cache, on the same program with uneven zones."""

    runner: object
    size: tuple = UNEVEN
    shapes: tuple = TUNED_SHAPES
    seeds: int = TUNED_SEEDS

    def calls(self):
        return len(TUNED_COLUMNS) * len(self.shapes) * self.seeds

    def table(self):
        program = BtMz(self.runner, self.size, self.shapes, self.seeds)
        rows, claims, figures = [], [], []
        for shape in self.shapes:
            name = f"{shape[0]} x {shape[1]}"
            times = {column: [program.result(shape, *how, seed=seed).ms for seed in range(1, self.seeds + 1)] for column, how in TUNED_COLUMNS.items()}
            claims += [Claim(f"{name}: {less} > {more}", times[more], times[less]) for more, less in (("none", "told"), ("told", "tuned"))]
            rows.append([name, *(f"{min(ms):.2f} / {median(ms):.2f} / {max(ms):.2f}" for ms in times.values())])
            figures.append({"outer": shape[0], "inner": shape[1], "ms": times})
        note = f"{' '.join(self.size)}, {POINT_NS} ns a point and step; ms, the least, the median and the most of {self.seeds} seeds."
        return Table("BT-MZ with uneven zones, ms", ["outer x inner", *TUNED_COLUMNS], rows, note,
                     {"rows": figures, "claims": [claim.figures() for claim in claims]}, claims)
