"""10,000 semi-random requests for PUs through the library's own functions (IWOMP 2010). Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

import native
from report import Claim, Table, least_most

# requests.c has the mixes.
MIXES = ("small", "uneven", "large")
CHOICES = ("simple", "clustering", "enhanced")
MACHINES = {"x4600": 32, "epyc-7r13-2x48": 96, "numa:8 l3:8 core:16": 1024}
SEEDS = (1, 2, 3)
REQUESTS = 10000
# key of the program -> heading, form
COLUMNS = {"best_ns": ("us a choice", "{:.2f}"), "best_most_ns": ("longest", "{:.2f}"), "given": ("PUs", "{:.2f}"), "miss": ("target miss", "{:.2f}"),
           "total": ("total", "{:.1f}"), "weighted": ("weighted", "{:.1f}"), "local": ("local", "{:.2f}"), "empty": ("on an empty machine", "{:.2f}")}


@dataclass
class Requests:
    runner: object
    machines: tuple = tuple(MACHINES)
    seeds: tuple = SEEDS
    requests: int = REQUESTS

    def calls(self):
        return len(self.machines) * len(MIXES) * len(CHOICES) * len(self.seeds)

    def table(self):
        program = native.program_of(self.runner, "requests")
        rows, figures, claims = [], [], []
        for machine in self.machines:
            for mix in MIXES:
                found = {choice: [native.run(self.runner, program, *native.machine_words(machine), mix, choice, self.requests, seed)
                                  for seed in self.seeds] for choice in CHOICES}
                for choice, runs in found.items():
                    of = {key: [run[key] for run in runs] for key in (*COLUMNS, "first_ns", "in_use", "short", "steps")}
                    for key in ("best_ns", "best_most_ns", "first_ns"):
                        of[key] = [ns / 1e3 for ns in of[key]]
                    lost = {name: [run["local"] - run["empty"] for run in found[name]] for name in ("simple", choice)}
                    less = [1 - median(of["local"]) / median(run["local"] for run in found["simple"]), 1 - median(lost[choice]) / median(lost["simple"])]
                    rows.append([MACHINES[machine], mix, choice, f"{median(of['in_use']):.0%}", *(form.format(median(of[key])) for key, (_, form) in COLUMNS.items()),
                                 *("" if choice == "simple" else f"{-part:+.0%}" for part in less)])
                    figures.append({"machine": machine, "mix": mix, "choice": choice, **of})
                claims += [Claim(f"{MACHINES[machine]} PUs, {mix}: local distance, {worse} > {better}", [run["local"] for run in found[worse]],
                                 [run["local"] for run in found[better]]) for worse, better in (("simple", "clustering"), ("clustering", "enhanced"))]
        note = (f"{self.requests} requests a run, seeds {least_most(self.seeds, '{:d}')}, medians. Published: each choice in less than 1.4 us on 32 PUs; local "
                "distance of enhanced against simple: -70%. us: the mean of the best of five tries of each choice; longest: the greatest of these. Lost to others: "
                "the local distance above that of as many PUs on an empty machine, against simple.")
        head = ["PUs", "mix", "choice", "in use", *(head for head, _ in COLUMNS.values()), "local, against simple", "lost to others, against simple"]
        return Table("10,000 requests for PUs (IWOMP 2010)", head, rows, note, figures, claims)
