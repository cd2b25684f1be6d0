"""RenPar 2009, figure 1: what moves where data are remote, threads or data or some of both. Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

from report import Claim, Table

MACHINE = "opteron-8347he"
FIRST, LATER = (1, 2), (4, 8, 16)
SEEDS = (1, 2, 3)
# What moves: policy, and who tells.
WAYS = {
    "nothing": ("default", "both"),
    "next touch": ("default", "touch"),
    "threads": ("memory,data=none", "both"),
    "the vector that is written": ("memory,threads=no,data=written", "both"),
    "the one that is read": ("memory,threads=no,data=read", "both"),
    "threads, and what is elsewhere then": ("memory", "both"),
}
MIXED = "threads, and what is elsewhere then"


@dataclass
class Figure1:
    runner: object
    first: tuple = FIRST
    later: tuple = LATER
    seeds: tuple = SEEDS

    def calls(self):
        return len(self.seeds) * len(self.first + self.later) * (3 + len(WAYS))

    def times(self, twist, way, iterations):
        policy, who = WAYS[way]
        return [self.runner.run(MACHINE, policy, "twisted", twist, iterations, 1, 1, who, seed=seed).ms for seed in self.seeds]

    def rows(self, ms, ways):
        return [[way, *(f"{median(of) / median(nothing):.2f}" for of, nothing in zip(ms[way], ms["nothing"]))] for way in ways[1:]]

    def part(self, twist, name, ways, claims):
        """claims: (iterations, more, less): the second should take less time."""
        iterations = self.first + self.later
        ms = {way: [self.times(twist, way, n) for n in iterations] for way in ways}
        made = [Claim(f"{name}, {n}: {more} > {less}", ms[more][iterations.index(n)], ms[less][iterations.index(n)]) for n, more, less in claims]
        note = (f"On {MACHINE}, time relative to that where nothing moves, by iterations; medians of {len(self.seeds)} seeds. The paper has curves, of which "
                "only the text is known: the claims are what it says of them.")
        return Table(f"Figure 1 {name} (RenPar 2009)", ["what moves", *map(str, iterations)], self.rows(ms, ways), note,
                     {"ms": ms, "claims": [claim.figures() for claim in made]}, made)

    def table(self):
        three = ("nothing", "next touch", "threads")
        first = self.part(100, "(a): three remote vectors", three, [(n, way, "threads") for n in self.first + self.later for way in three[:2]])
        two = self.part(66, "(b, c): two of three", tuple(WAYS),
                        [(n, "the one that is read", "the vector that is written") for n in self.first] +
                        [(n, "next touch", MIXED) for n in self.first + self.later] +
                        [(self.later[-1], way, MIXED) for way in WAYS if way != MIXED])
        first.parts = [two]
        first.figures = {"a": first.figures, "b, c": two.figures}
        return first
