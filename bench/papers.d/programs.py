"""13 programs on one machine, and clients that see old words of each other: event simulations (IWOMP 2010). Called by bench/papers.py.

The programs are drawn by chance from 13 kinds, with random sizes. (Four programs have small regions as likely as not, of three further kinds.) A kind has a speed-up for each number of PUs, a share of time that it waits for
memory, and one for lines of its neighbour (programs.h has the table; all of it is assumed). The ns come from the machine's file. Nothing else costs
time: no switch, no cache, no bandwidth. Programs of the board look at times of their own, each 2 ms, through the library's functions of the board."""

from dataclasses import dataclass
from statistics import median

import native
from machines import figures_read
from report import Claim, Table, least_most

MACHINE = "x4600"
POLICIES = {
    "stock": "ideal time sharing; waits are free", "spin": "the same, waits hold their PUs", "fair": "fair shares", "fair,last": "fair shares, one look more",
    "fair,N": "asks for N by the slides, known", "fair,known": "asks for its best number, known", "fair,learnt": "asks for its best number, learnt",
    "fair,simple": "and sets: simple", "fair,clustering": "and sets: clustering", "fair,enhanced": "and sets: enhanced",
    "server,simple": "server: simple", "server,clustering": "server: clustering", "server,enhanced": "server: enhanced", "server,enhanced,queue": "server: enhanced, queue",
}
CASES = {"together": ("together", True), "in a stream": ("stream", True), "together, distances do not count": ("together", False),
         "four, with small regions": ("small", True)}
SEEDS = tuple(range(1, 11))
CLIENTS = (2, 4, 8, 16, 32, 64)
PUS = 96
CHOICES = ("simple", "clustering", "enhanced")


def latencies(machine, counts):
    """Returns ns to memory and from cache to cache by links. counts: else all are as near as the nearest."""
    figures = figures_read(machine)
    read, transfer = figures["memory.read"], [figures["transfer.l3"][0], *(figures[f"transfer.hop{i}"][0] for i in (1, 2, 3))]
    return [",".join(f"{ns:g}" for ns in (four if counts else four[:1] * 4)) for four in (read, transfer)]


@dataclass
class Programs:
    runner: object
    seeds: tuple = SEEDS
    clients: tuple = CLIENTS

    def calls(self):
        return len(CASES) * len(POLICIES) * len(self.seeds) + 2 * len(self.clients)

    def table(self):
        program, rows, figures, claims = native.program_of(self.runner, "programs"), [], {}, []
        for case, (arrival, counts) in CASES.items():
            words = [*native.machine_words(MACHINE), *latencies(MACHINE, counts)]
            found = {policy: [native.run(self.runner, program, *words, policy, arrival, seed) for seed in self.seeds] for policy in POLICIES}
            for policy, runs in found.items():
                gains = {key: [stock[key] / run[key] for stock, run in zip(found["stock"], runs)] for key in ("makespan", "sum")}
                rows.append([case, policy, POLICIES[policy], f"{median(run['makespan'] for run in runs):.1f}", f"{median(gains['makespan']) - 1:+.0%}",
                             least_most([gain - 1 for gain in gains["makespan"]], "{:+.0%}"), f"{median(gains['sum']) - 1:+.0%}", f"{median(run['held'] for run in runs):.0f}",
                             *("" if policy in ("stock", "spin") else f"{median(run[key] for run in runs):.1%}" for key in ("idle", "doubly"))])
                figures.setdefault(case, {})[policy] = {"gain": gains, "idle": [run["idle"] for run in runs], "doubly": [run["doubly"] for run in runs]}
            for better, worse in (("fair", "stock"), ("fair", "server,enhanced"), ("fair,enhanced", "fair"), ("fair,learnt", "fair"), ("fair,learnt", "fair,N")):
                # Each seed has other programs, so policies are compared seed by seed.
                pairs = zip(*(figures[case][policy]["gain"]["makespan"] for policy in (better, worse)))
                claims.append(Claim(f"{case}: {better} > {worse}", [more / less for more, less in pairs], [1.0] * len(self.seeds)))
        note = (f"{MACHINE}, {len(self.seeds)} seeds, medians. s: until the last program has ended. Gain: the time of stock by that of the policy; `sum` is of the "
                "times of all programs. PU s: PUs x time that they are held. Published: up to +33% against libgomp. Idle: PUs' time that no program holds while one is in a region. Doubly: held by two.")
        head = ["programs come", "policy", "", "s", "gain", "of the seeds", "gain of the sum", "PU s", "idle", "doubly"]
        return Table("13 programs on 32 PUs (IWOMP 2010)", head, rows, note, figures, claims, [self.stale(figures)])

    def stale(self, figures):
        program, rows = native.program_of(self.runner, "stale"), []
        for n in self.clients:
            found = {what: native.run(self.runner, program, PUS, n, 1, *more) for what, more in (("none", ()), ("one look more", ("last",)))}
            figures.setdefault("stale", {})[n] = found
            rows += [[n, what, *(f"{run[key]:.1f}, {run[key + '_most']:.1f}" for key in ("comes", "goes")), f"{run['idle']:.1%}", f"{run['doubly']:.1%}"]
                     for what, run in found.items()]
        note = ("Periods of 2 ms, mean and most, until all have their number of PUs. Wanted: 3, and below 3% idle or doubly used. Idle, doubly: regions of up to 1 s "
                "and pauses of up to 0.5 s, each program wants all PUs. One look more: the monitor looks once more after a region, and takes the stamp back.")
        return Table(f"Stale views on {PUS} PUs", ["programs", "", "one comes", "one goes", "idle", "doubly"], rows, note, None)
