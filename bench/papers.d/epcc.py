"""The EPCC overheads (IPDPS 2010, tables II and III) on 4 quad-core Opterons, by construct, and of a barrier by threads. Called by bench/papers.py."""

from dataclasses import dataclass
from statistics import median

from report import Table, least_most

MACHINE = "opteron-8347he"
# construct -> libgomp, Intel, ForestGOMP: us with 16 threads (table II)
PUBLISHED = {
    "atomic": (0.30, 0.39, 0.29), "barrier": (2.91, 5.12, 3.31), "critical": (4.01, 2.20, 4.03), "for": (2.91, 5.07, 3.34),
    "lock": (3.95, 2.21, 3.88), "parallel": (7.15, 8.15, 7.02), "parallel_for": (8.15, 8.18, 7.46), "reduction": (8.74, 15.66, 7.58),
    "single": (3.74, 19.50, 2.56),
}
NOT_PREDICTED = ("atomic",)
# threads -> the same of a barrier (table III)
BARRIERS = {16: (2.91, 4.93, 3.31), 32: (187.9, 17.98, 3.87), 64: (371.1, 63.29, 5.15)}
THREADS = 16
# The paper does not give EPCC's delay. 100 ns is that of bench/programs/sync.c.
DELAY_NS = 100
DELAYS_NS = (0, DELAY_NS, 500)
REPETITIONS, QUICK = 3200, 320
SEEDS = 3


@dataclass
class Epcc:
    runner: object
    repetitions: int = REPETITIONS
    seeds: int = SEEDS

    def calls(self):
        return ((len(PUBLISHED) - len(NOT_PREDICTED)) * 2 + len(BARRIERS) * len(DELAYS_NS) + len(BARRIERS)) * self.seeds

    def overheads(self, construct, threads=THREADS, delay=DELAY_NS, given=True):
        """Returns us, one for each seed."""
        words = (construct, threads, delay, self.repetitions)
        return [self.runner.run(MACHINE, "default", "epcc", *words, seed=seed, given=given).ms * 1e3 for seed in range(1, self.seeds + 1)]

    def constructs(self):
        rows, figures = [], {}
        for construct, (libgomp, intel, published) in PUBLISHED.items():
            figures[construct] = {"published": {"libgomp": libgomp, "Intel": intel, "ForestGOMP": published}}
            cells = ["-", "-", "-"]
            if construct not in NOT_PREDICTED:
                given, timed = self.overheads(construct), self.overheads(construct, given=False)
                figures[construct] |= {"us": given, "timed_us": timed}
                cells = [least_most(given), least_most(timed), f"{median(given) / published:.2f}"]
            rows.append([construct.replace("_", " "), *cells, f"{published}", f"{libgomp} / {intel}"])
        return rows, figures

    def barriers(self):
        rows, figures = [], {}
        ours = {delay: {threads: self.overheads("barrier", threads, delay) for threads in BARRIERS} for delay in DELAYS_NS}
        timed = {threads: self.overheads("barrier", threads, given=False) for threads in BARRIERS}
        for threads, published in BARRIERS.items():
            cells = [f"{least_most(by[threads])} (x{median(by[threads]) / median(by[THREADS]):.2f})" for by in (*ours.values(), timed)]
            others = [f"{us} (x{us / least:.2f})" for us, least in zip(published, BARRIERS[THREADS])]
            rows.append([threads, *cells, others[2], f"{others[0]} / {others[1]}"])
            figures[str(threads)] = {"us": {str(delay): ours[delay][threads] for delay in DELAYS_NS}, "timed_us": timed[threads],
                                     "published": dict(zip(("libgomp", "Intel", "ForestGOMP"), published))}
        return rows, figures

    def table(self):
        constructs, barriers = self.constructs(), self.barriers()
        head = ["construct", "lines only", "instructions timed, too", "lines only / published", "published", "libgomp / Intel"]
        note = (f"Overheads in us: {THREADS} threads, a delay of {DELAY_NS} ns, {self.repetitions} repetitions, the least and the most of {self.seeds} seeds. "
                "Lines only: exactly repeatable, the runtime's instructions take no time. Timed: these take the time of the machine at hand.")
        second = Table(f"EPCC barrier with {' to '.join(map(str, (min(BARRIERS), max(BARRIERS))))} threads on 16 PUs",
                       ["threads", *(f"delay {delay} ns" for delay in DELAYS_NS), f"{DELAY_NS} ns, timed", "published", "libgomp / Intel"],
                       barriers[0], "Overheads in us, and the factor against 16 threads. EPCC takes one delay off, where a PU with 4 members computes 4.", None)
        return Table("EPCC overheads on 4 quad-core Opterons", head, constructs[0], note, {"constructs": constructs[1], "barriers": barriers[1]},
                     parts=[second])
