"""Why random victims cost the paper's MPU so much (IWOMP 2008: 8.2 to 11.82 of 16, near ones 14.04) and ours nothing. Each possible difference is
tried by itself, with near and with random victims. Called by bench/papers.py.

The policy is mpu_victims.c, a plug-in. Its costs and waits are assumptions, because the paper gives none."""

from dataclasses import dataclass
from pathlib import Path

import mpu
from machines import machine_write
from report import Table

SEEDS = (1, 2, 3)
ONE = SEEDS[:1]  # where they differ little
# (label, options of the policy, without caches, seeds)
REGIMES = (
    ("as here: a nested team stays with its PU", "", False, ONE),
    ("data: members of each region go to the least filled PUs", "deal=members", False, ONE),
    ("data: nothing is ever found in a cache", "", True, ONE),
    ("costs: 2 us for each thread", "create=2000", False, ONE),
    ("costs: 10 us for each thread", "create=10000", False, ONE),
    ("costs: 100 us for each steal, the victim's runqueue locked", "steal=100000", False, ONE),
    ("searches: after one in vain the PU waits for 1 ms", "tries=1,wait=1e6", False, ONE),
    ("searches: after one in vain the PU waits for 10 ms", "tries=1,wait=1e7", False, SEEDS),
    ("searches: the same, and members go to the least filled PUs", "tries=1,wait=1e7,deal=members", False, SEEDS),
    ("searches: bubbles lie on their node's runqueue, random thieves look at those of PUs, each 0.1 ms", "deal=node,wait=1e5", False, ONE),
)


@dataclass
class Victims:
    runner: object
    folder: Path
    size: tuple = mpu.Mpu.size
    most_seeds: int = len(SEEDS)

    def calls(self):
        return 1 + 2 * sum(len(seeds[:self.most_seeds]) for *_, seeds in REGIMES)

    def runs(self, options, machine, seeds):
        policy = ",".join(word for word in (str(self.runner.program("mpu_victims.so")), options) if word)
        tree = self.runner.tree(*self.size)[0]
        return [self.runner.run(machine, policy, "mpu_walk", tree, "nested", 4, 1.0, seed=seed) for seed in seeds]

    def figures(self, runs, serial):
        reports = [run.report for run in runs]
        return {"speedup": [serial.ms / run.ms for run in runs], "steals": [sum(report["steals"].values()) for report in reports],
                "remote": [remote_share(report["lines"]) for report in reports],
                "lost": [1 - (serial.report["work_ns"] + sum(pu["memory_ns"] for pu in report["per_pu"])) / (report["pus"] * report["time_ns"])
                         for report in reports]}

    def table(self):
        serial = self.runner.run(mpu.MACHINE, "default", "mpu_walk", self.runner.tree(*self.size)[0], "serial", 4, 1.0, cores=1)
        cold = machine_write(mpu.MACHINE, lambda key, place: 0 if key == "cache.l2" else 1, self.folder, "no-caches")
        rows, found = [], []
        for what, options, without, seeds in REGIMES:
            machine = cold if without else mpu.MACHINE
            near, random = (self.figures(self.runs(",".join(filter(None, (options, f"near={near}"))), machine, seeds[:self.most_seeds]), serial)
                            for near in ("yes", "no"))
            rows.append([what, *cells(near), *cells(random)])
            found.append({"regime": what, "options": options, "near": near, "random": random})
        rows.append(["published", mpu.PUBLISHED["affinity"], "", "", "", mpu.PUBLISHED[mpu.BASELINE], "", "", ""])
        note = ("Where there are two figures: the least and the most of seeds 1 to 3. Remote: of the lines gone through, those from another node. Lost: of all PUs' time, what is neither "
                "computing nor waiting for memory. All costs and waits are assumed.")
        return Table("MPU on 8 dual-core Opterons: what random victims may cost",
                     ["what differs", "near", "steals", "remote", "lost", "random", "steals", "remote", "lost"], rows, note, found)


def remote_share(lines):
    far = sum(lines["other"].values()) + sum(count for links, count in lines["memory"].items() if links != "0")
    return far / (lines["own"] + lines["shared"] + sum(lines["other"].values()) + sum(lines["memory"].values()))


def spread(texts):
    """Takes the least and the most, in this order."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} - {texts[-1]}"


def cells(figures):
    percent = [spread([f"{value:.0%}" for value in sorted(figures[name])]) for name in ("remote", "lost")]
    return [spread([f"{value:.2f}" for value in sorted(figures["speedup"])]), spread([f"{value:,}" for value in sorted(figures["steals"])]), *percent]
