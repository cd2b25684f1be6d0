"""What constructs cost on 16, 96 and 256 PUs, given work. Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

from report import Table

MACHINES = {16: "opteron-8347he", 96: "epyc-7r13-2x48", 256: "numa:4 l3:4 core:16"}
# what -> (case, ns of work): us of a construct
COSTS = {
    "barrier": ("barrier", 0), "barrier that may be cancelled": ("cancellable", 0), "region": ("region", 0),
    "region that one member cancels": ("cancelled", 0), "reduction": ("reduction", 0),
}
# part of the bound
PARTS = {
    "dynamic, 1 of 1 us": ("dynamic", 1000), "dynamic, 1 of 5 us": ("dynamic", 5000), "monotonic dynamic of 5 us": ("monotonic", 5000),
    "guided of 5 us": ("guided", 5000), "one producer of 1 us": ("producer", 1000), "one producer of 10 us": ("producer", 10000),
    "taskloop of 1 us": ("taskloop", 1000), "taskloop of 10 us": ("taskloop", 10000), "tree of 0.3 us": ("tree", 300),
    "tree of 1 us": ("tree", 1000), "tree of 8 us": ("tree", 8000), "critical, as much outside": ("critical", 100),
}
VARIABLES = {"cancellable": {"OMP_CANCELLATION": "true"}, "cancelled": {"OMP_CANCELLATION": "true"}}  # of a case
SEEDS = 5


@dataclass
class Scale:
    runner: object
    machines: tuple = tuple(MACHINES)
    seeds: int = SEEDS

    def calls(self):
        return (len(COSTS) + len(PARTS)) * len(self.machines) * self.seeds

    def figures(self, case, work, pus):
        """Returns us a round, or the part of the bound, one for each seed."""
        found = []
        for seed in range(1, self.seeds + 1):
            result = self.runner.run(MACHINES[pus], "default", "scale", case, pus, *([work] if work else []), seed=seed, **VARIABLES.get(case, {}))
            us, ideal, rounds = result.ms * 1e3, result.number(r"(?m)^ideal (\S+)"), result.number(r"(?m)^rounds (\S+)")
            found.append((us - ideal) / rounds if rounds else ideal / us)
        return found

    def table(self):
        rows, figures = [], {}
        for unit, cases in (("us", COSTS), ("of the bound", PARTS)):
            for what, (case, work) in cases.items():
                by = {pus: self.figures(case, work, pus) for pus in self.machines}
                figures[what] = {"unit": unit, **by}
                rows.append([what, unit, *(f"{median(by[pus]):.3f}" for pus in self.machines)])
        note = (f"Medians of {self.seeds} seeds. Given work: the runtime's instructions take no time, its lines do. A machine of 16 PUs is "
                f"{MACHINES[16]}, of 96 {MACHINES[96]}, of 256 {MACHINES[256]}.")
        return Table("What constructs cost as PUs grow", ["what", "unit", *(f"{pus} PUs" for pus in self.machines)], rows, note, figures)
