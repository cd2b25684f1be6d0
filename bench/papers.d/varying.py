"""The order of policies with every figure of the machines 50% up and down. Called by bench/papers.py --vary."""

from collections import Counter, defaultdict
from pathlib import Path

import btmz
import mpu
from machines import variations
from report import Table

# As many threads as PUs on two levels, and two for each PU on one.
SHAPES = ((4, 4), (32, 1))
SIZES = {(4, 4): btmz.SMALL_SPREAD, (32, 1): btmz.SMALL_FLAT}
COLUMNS = ("cache", "cache + load", "steal")
# 4 x 4 takes long. So there these figures of the machine are varied only.
VARIED_SPREAD = ("all", "computing", "memory.bandwidth.node")
VARIED_POLICIES = ("affinity", mpu.BASELINE, "steal", "random", "global")
AS_IS = "as is"


class Held:
    """For each claim: in how many variations it held, was level or was reversed, and the worst one."""

    def __init__(self):
        self.found = defaultdict(list)

    def add(self, label, claims):
        for claim in claims:
            self.found[claim.name].append((label, claim))

    def table(self, title, note):
        rows, figures = [], []
        for name, found in self.found.items():
            as_is = dict(found)[AS_IS]
            varied = [(claim.margin(), label, claim.verdict(as_is.noise())) for label, claim in found if label != AS_IS]
            count = Counter(verdict for *_, verdict in varied)
            worst, label, _ = min(varied)
            level = count["level"] + count["the same run"]
            rows.append([name, f"{as_is.margin():+.2%}", f"{as_is.noise():.2%}", as_is.verdict(), count["holds"], level, count["reversed"],
                         f"{worst:+.2%}", label])
            figures.append({**as_is.figures(), "holds": count["holds"], "level": level, "reversed": count["reversed"], "of": len(varied),
                            "worst": worst, "worst_at": label})
        head = ["claim", "margin as is", "noise of the seeds", "as is", "varied: holds", "level", "reversed", "worst margin", "at"]
        return Table(title, head, rows, note, figures)


NOTE = ("Each figure of the machine, and the time of computing, 50% up and down, one by one and all together. As is: medians of some seeds; varied: seed 1. "
        "Level: the margin is within the noise, which is how far the seeds lie apart as is.")


def vary_mpu(runner, folder: Path, quick):
    size, seeds = (mpu.QUICK, 2) if quick else (mpu.SMALL, mpu.SEEDS)
    held = Held()
    held.add(AS_IS, mpu.Mpu.claims(mpu.Mpu(runner, size, seeds).speedups(VARIED_POLICIES)))
    experiment = mpu.Mpu(runner, size, 1)
    for label, machine, factor in variations(mpu.MACHINE, folder):
        held.add(label, experiment.claims(experiment.speedups(VARIED_POLICIES, machine, factor)))
    return held.table("MPU, machine varied", f"{NOTE} {experiment.tree()[1]}.")


def varied_at(shape, folder):
    """Returns the variations of the machine with which this shape runs."""
    return [one for one in variations(btmz.MACHINE, folder) if shape != btmz.SPREAD or one[0].rsplit(" ", 1)[0] in VARIED_SPREAD]


def vary_btmz(runner, folder: Path, quick):
    held = Held()
    for shape in SHAPES:
        size = btmz.QUICK if quick else SIZES[shape]
        held.add(AS_IS, btmz.BtMz.claims(shape, btmz.BtMz(runner, size, SHAPES, 1 if quick else btmz.SEEDS).times(shape, COLUMNS)))
        experiment = btmz.BtMz(runner, size, SHAPES, 1)
        for label, machine, factor in varied_at(shape, folder):
            held.add(label, experiment.claims(shape, experiment.times(shape, COLUMNS, machine, factor)))
    sizes = "; ".join(f"{outer} x {inner}: {' '.join(SIZES[outer, inner])}" for outer, inner in SHAPES)
    return held.table("BT-MZ, machine varied", f"{NOTE} {sizes}.")


def calls(folder: Path, names):
    """Returns how many runs these take."""
    machines = sum(1 for _ in variations(mpu.MACHINE, folder))
    flat = len(varied_at((32, 1), folder)) + btmz.SEEDS_ELSEWHERE
    spread = len(varied_at(btmz.SPREAD, folder)) + btmz.SEEDS
    count = {"mpu": (machines + mpu.SEEDS) * (1 + len(VARIED_POLICIES)) + machines + 1, "bt-mz": (flat + spread) * len(COLUMNS)}
    return sum(count[name] for name in names)
