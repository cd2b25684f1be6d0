"""For each policy a workload that suits it, beside those that users would choose otherwise. Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

from report import Table

TEAMS = "teams"
MACHINE = "opteron-8347he"
# (policy, arguments of `teams`, why)
CASES = (
    ("affinity", "4 4 100 20000 own=100000", "teams that come again with data of their own: each stays on a node, its members mostly on a PU"),
    ("cache", "4 16 50 20000 own=50000", "the same with more members than PUs: they go back to where they ran"),
    ("cache", "8 4 30 20000 skew=16", "loads that are learnt: a thread with heavy teams has more of the machine for them"),
    ("compact", "4 0 200 1000", "a small flat team with a barrier each microsecond: on one cache, not on four sockets"),
    ("spread", "4 4 200 5000", "members as many as PUs, and alike: each is there at once, nobody has to find it"),
    ("random", "2 64 50 500", "many small members of few teams: not all thieves queue for the lines of one victim"),
)
OTHERS = ("default", "steal", "spread", "spread+numa:cache")
SEEDS = (1, 2, 3, 4, 5)


@dataclass
class Policies:
    runner: object
    quick: bool = False

    def seeds(self):
        return SEEDS[:3] if self.quick else SEEDS

    def calls(self):
        return len({(policy, words) for own, words, _ in CASES for policy in (own, *OTHERS)}) * len(self.seeds())

    def times(self, policy, text):
        return [self.runner.run(MACHINE, policy, TEAMS, *text.split(), seed=seed).ms * 1e3 for seed in self.seeds()]

    def table(self):
        rows, figures = [], []
        for policy, text, why in CASES:
            own, others = self.times(policy, text), {other: self.times(other, text) for other in OTHERS}
            ahead = median(others["steal"]) / median(own)
            rows.append([f"`{policy}`", f"`{TEAMS} {text}`", f"{median(own):.2f}", *(f"{median(us):.2f}" for us in others.values()), f"{ahead:.2f}", why])
            figures.append({"policy": policy, "workload": text, "us": own, "others_us": others, "ahead": ahead})
        lost = [row[0] for row, figure in zip(rows, figures) if figure["ahead"] <= 1]
        note = (f"On {MACHINE}, us a round, {len(self.seeds())} seeds, medians. "
                f"{'Not ahead of steal: ' + ', '.join(lost) if lost else 'Each is ahead of steal.'}")
        return Table("Each policy on a workload that suits it", ["policy", "workload", "policy", *OTHERS, "steal / policy", "why"], rows, note, figures)
