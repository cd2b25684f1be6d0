"""For each policy, a workload on which it beats `steal`, and the reason. Called by bench/papers.py."""

from dataclasses import dataclass

from report import Table

TEAMS = "teams"
MACHINE = "opteron-8347he"
# (policy, arguments of `teams`, why)
CASES = (
    ("affinity", "4 4 100 20000 own=100000", "teams that come again with data of their own: each stays on a node, its members mostly on a PU"),
    ("cache", "4 16 50 20000 own=50000", "the same with more members than PUs: they go back to where they ran"),
    ("cache", "32 0 50 20000 skew=8 loads", "loads that were told: a light thread beside a heavy one, not two neighbours in number"),
    ("compact", "4 0 200 1000", "a small flat team with a barrier each microsecond: on one cache, not on four sockets"),
    ("spread", "4 4 200 5000", "members as many as PUs, and alike: each is there at once, nobody has to find it"),
    ("random", "2 64 50 500", "many small members of few teams: not all thieves queue for the lines of one victim"),
)
SEEDS = (1, 2, 3)


@dataclass
class Policies:
    runner: object
    quick: bool = False

    def seeds(self):
        return SEEDS[:1] if self.quick else SEEDS

    def calls(self):
        return len({words for _, words, _ in CASES}) * len(self.seeds()) + len(CASES) * len(self.seeds())

    def table(self):
        rows, figures = [], []
        for policy, text, why in CASES:
            words = text.split()
            own = [self.runner.run(MACHINE, policy, TEAMS, *words, seed=seed).ms for seed in self.seeds()]
            steal = [self.runner.run(MACHINE, "steal", TEAMS, *words, seed=seed).ms for seed in self.seeds()]
            least = min(steal) / max(own)
            rows.append([f"`{policy}`", f"`{TEAMS} {text}`", f"{max(own) * 1e3:.2f}", f"{min(steal) * 1e3:.2f}", f"{least:.2f}", why])
            figures.append({"policy": policy, "workload": text, "us": [ms * 1e3 for ms in own], "steal_us": [ms * 1e3 for ms in steal],
                            "at_least": least})
        lost = [row[0] for row in rows if float(row[4]) <= 1]
        note = (f"On {MACHINE}, us a round, {len(self.seeds())} seeds: the worst of the policy against the best of `steal`. `default` is `steal` with "
                f"another name, and `global` is level with it at best. {'Not ahead: ' + ', '.join(lost) if lost else 'Each of the others does.'}")
        return Table("Each policy against steal", ["policy", "workload", "policy", "steal", "steal / policy", "why"], rows, note, figures)
