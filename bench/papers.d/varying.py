"""The order of policies with every figure of the machines 50% up and down. Called by bench/papers.py --vary."""

from collections import defaultdict
from pathlib import Path

import btmz
import mpu
from machines import variations
from report import LEVEL, Table

# As many threads as PUs on two levels, and two for each PU on one. Baselines other than `steal` run only there, because 4 x 4 takes long.
SHAPES = ((4, 4), (32, 1))
CACHES = ("cache", "cache + load", "tuned + load", "steal")
VARIED_COLUMNS = {(4, 4): CACHES, (32, 1): (*CACHES, "random", "global")}
SEEDS = 3
VARIED_POLICIES = ("affinity", mpu.BASELINE, "steal", "random", "global", "spread")


class Held:
    """For each claim: in how many variations it held, and the worst one."""

    def __init__(self):
        self.margins = defaultdict(list)

    def add(self, label, claims):
        for claim in claims:
            self.margins[claim.name].append((claim.margin(), label))

    def table(self, title, note):
        rows, figures = [], []
        for name, margins in self.margins.items():
            held = sum(margin >= -LEVEL for margin, _ in margins)
            worst, label = min(margins)
            as_is = next(margin for margin, at in margins if at == "as is")
            rows.append([name, f"{held} of {len(margins)}", f"{as_is * 100:+.2f}%", f"{worst * 100:+.2f}%", label])
            figures.append({"claim": name, "held": held, "of": len(margins), "as_is": as_is, "worst": worst, "worst_at": label})
        return Table(title, ["claim", "held", "margin as is", "worst margin", "at"], rows, note, figures)


NOTE = f"Each figure of the machine, and the time of computing, 50% up and down, one by one and all together. Within {LEVEL * 100:g}% is level."


def vary_mpu(runner, folder: Path, quick):
    experiment = mpu.Mpu(runner, mpu.QUICK if quick else mpu.SMALL)
    held = Held()
    for label, machine, factor in [("as is", mpu.MACHINE, 1.0), *variations(mpu.MACHINE, folder)]:
        held.add(label, experiment.claims(experiment.speedups(VARIED_POLICIES, machine, factor)))
    return held.table("MPU, machine varied", f"{NOTE} {experiment.tree()[1]}.")


def vary_btmz(runner, folder: Path, quick):
    sizes = {shape: btmz.QUICK if quick else btmz.SMALL_SPREAD if shape == btmz.SPREAD else btmz.SMALL for shape in SHAPES}
    experiments = {shape: btmz.BtMz(runner, sizes[shape], SHAPES, 1 if quick else SEEDS) for shape in SHAPES}
    held = Held()
    for label, machine, factor in [("as is", btmz.MACHINE, 1.0), *variations(btmz.MACHINE, folder)]:
        for shape, experiment in experiments.items():
            held.add(label, experiment.claims(shape, experiment.times(shape, VARIED_COLUMNS[shape], machine, factor)))
    return held.table("BT-MZ, machine varied", f"{NOTE} {'; '.join(f'{o} x {i}: ' + ' '.join(sizes[o, i]) for o, i in SHAPES)}.")


def calls(folder: Path, names):
    """Returns how many runs these take."""
    seeds = {shape: SEEDS if shape == btmz.SPREAD else 1 for shape in SHAPES}
    count = {"mpu": 2 + len(VARIED_POLICIES), "bt-mz": sum(len(VARIED_COLUMNS[shape]) * seeds[shape] for shape in SHAPES)}
    machine = {"mpu": mpu.MACHINE, "bt-mz": btmz.MACHINE}
    return sum(count[name] * (1 + sum(1 for _ in variations(machine[name], folder))) for name in names)
