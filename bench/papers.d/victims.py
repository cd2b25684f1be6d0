"""Why random victims cost the paper's MPU so much (IWOMP 2008: 8.2 to 11.82 of 16, near ones 14.04) and ours nothing. Each possible difference is
tried by itself, with near and with random victims. Called by bench/papers.py.

The policy is mpu_victims.c, a plug-in, or `affinity` itself. Its costs and waits are assumptions, because the paper gives none."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import mpu
from machines import machine_write
from report import Table, least_most

SEEDS = (1, 2, 3)
ONE = SEEDS[:1]  # where they differ little


class Regime(NamedTuple):
    what: str
    options: str = ""
    seeds: tuple = ONE
    without_caches: bool = False
    first: int = 4              # threads of the outermost region
    policy: str = "mpu_victims.so"


REGIMES = (
    Regime("as here: a nested team stays with its PU"),
    Regime("distribution: `affinity` itself; it deals nested teams to 8 of the 16 PUs", policy="affinity", seeds=SEEDS),
    Regime("distribution: the same with an outermost region of 8 threads: all 16 PUs", policy="affinity", first=8, seeds=SEEDS),
    Regime("distribution: members go to the least filled PUs of their thread's part, 8 of the 16 PUs", "deal=range", SEEDS),
    Regime("distribution: the same with an outermost region of 8 threads: all 16 PUs", "deal=range", SEEDS, first=8),
    Regime("distribution: members of each region go to the least filled PUs of the machine", "deal=members"),
    Regime("data: nothing is ever found in a cache", without_caches=True),
    Regime("costs: 2 us for each thread", "create=2000"),
    Regime("costs: 10 us for each thread", "create=10000"),
    Regime("costs: 100 us for each steal, the victim's runqueue locked", "steal=100000"),
    Regime("searches: after one in vain the PU waits for 1 ms", "tries=1,wait=1e6"),
    Regime("searches: after one in vain the PU waits for 10 ms", "tries=1,wait=1e7", SEEDS),
    Regime("searches: the same, and members go to the least filled PUs of the machine", "tries=1,wait=1e7,deal=members", SEEDS),
    Regime("searches: bubbles lie on their node's runqueue, random thieves look at those of PUs, each 0.1 ms", "deal=node,wait=1e5"),
)
# No PU steals: only PUs to which something was dealt compute.
NO_THIEVES = "deal=range,near=no,tries=0"


@dataclass
class Victims:
    runner: object
    folder: Path
    size: tuple = mpu.Mpu.size
    most_seeds: int = len(SEEDS)

    def calls(self):
        return 1 + 2 + 2 * sum(len(regime.seeds[:self.most_seeds]) for regime in REGIMES)

    def run(self, policy, options, machine, first, seed):
        name = str(self.runner.program(policy)) if policy.endswith(".so") else policy
        words = (self.runner.tree(*self.size)[0], "nested", 4, 1.0, first)
        return self.runner.run(machine, ",".join(word for word in (name, options) if word), "mpu_walk", *words, seed=seed)

    def figures(self, runs, serial):
        reports = [run.report for run in runs]
        return {"speedup": [serial.ms / run.ms for run in runs], "steals": [sum(report["steals"].values()) for report in reports],
                "remote": [remote_share(report["lines"]) for report in reports],
                "lost": [1 - (serial.report["work_ns"] + sum(pu["memory_ns"] for pu in report["per_pu"])) / (report["pus"] * report["time_ns"])
                         for report in reports]}

    def covered(self, first):
        """Returns how many PUs compute where members stay where they are dealt."""
        report = self.run("mpu_victims.so", NO_THIEVES, mpu.MACHINE, first, 1).report
        return sum(pu["work_ns"] > 0 for pu in report["per_pu"])

    def table(self):
        serial = self.runner.run(mpu.MACHINE, "default", "mpu_walk", self.runner.tree(*self.size)[0], "serial", 4, 1.0, cores=1)
        cold = machine_write(mpu.MACHINE, lambda key, place: 0 if key == "cache.l2" else 1, self.folder, "no-caches")
        rows, found = [], []
        for regime in REGIMES:
            machine = cold if regime.without_caches else mpu.MACHINE
            near, random = (self.figures([self.run(regime.policy, ",".join(filter(None, (regime.options, f"near={near}"))), machine, regime.first, seed)
                                          for seed in regime.seeds[:self.most_seeds]], serial) for near in ("yes", "no"))
            rows.append([regime.what, *cells(near), *cells(random)])
            found.append({"regime": regime.what, "options": regime.options, "policy": regime.policy, "first": regime.first, "near": near,
                          "random": random})
        rows.append(["published", mpu.PUBLISHED["affinity"], "", "", "", mpu.PUBLISHED[mpu.BASELINE], "", "", ""])
        covered = {first: self.covered(first) for first in (4, 8)}
        note = ("Where there are two figures: the least and the most of seeds 1 to 3. Remote: of the lines gone through, those from another node. Lost: of "
                "all PUs' time, what is neither computing nor waiting for memory. All costs and waits are assumed. Where no PU steals, and members go to the "
                f"PUs of their thread's part, {covered[4]} of 16 PUs compute; with an outermost region of 8 threads {covered[8]} do.")
        return Table("MPU on 8 dual-core Opterons: what random victims may cost",
                     ["what differs", "near", "steals", "remote", "lost", "random", "steals", "remote", "lost"], rows, note,
                     {"regimes": found, "covered": {str(first): count for first, count in covered.items()}})


def remote_share(lines):
    far = sum(lines["other"].values()) + sum(count for links, count in lines["memory"].items() if links != "0")
    return far / (lines["own"] + lines["shared"] + sum(lines["other"].values()) + sum(lines["memory"].values()))


def cells(figures):
    return [least_most(figures["speedup"]), least_most(figures["steals"], "{:,}"), least_most(figures["remote"], "{:.0%}"),
            least_most(figures["lost"], "{:.0%}")]
