"""Euro-Par 2013, tables 1 and 3: seats by region, by what members share. The graphs are those of `forestgomp pin`; the paper's two methods on
each of them are here, because the command uses them as starts only. Called by bench/papers.py."""

from dataclasses import dataclass
from pathlib import Path

from report import Table

MACHINE, MEMBERS, SOCKETS = "nehalem-ex-4x8", 32, 4
KERNELS = "wupwise", "swim", "mgrid", "applu", "galgel", "equake", "apsi", "art", "ammp", "ft"
KB, SWIM_KB, ROUNDS, GUARD_ROUNDS = 256, 1024, 6, 500
PUBLISHED = {"LPGP RWM": 8, "GPLP RWM": 9, "LPGP SM": 4, "GPLP SM": 4}
SWIM = {"compact": (67.57, 3), "scatter": (67.58, 3), "LPGP SM": (88.82, 55), "GPLP SM": (81.26, 68)}


def between(weights, some, others):
    return sum(weights[MEMBERS * i + k] for i in some for k in others)


def matched(weights, members):
    """Pairs of great weight: two pairs exchange as long as that brings more. It begins with neighbours."""
    pairs = [tuple(members[i:i + 2]) for i in range(0, len(members), 2)]
    better = True
    while better:
        better = False
        for one in range(len(pairs)):
            for other in range(one):
                (a, b), (c, d) = pairs[one], pairs[other]
                for first, second in (((a, c), (b, d)), ((a, d), (b, c))):
                    if between(weights, *([i] for i in first)) + between(weights, *([i] for i in second)) > \
                            between(weights, [a], [b]) + between(weights, [c], [d]):
                        pairs[one], pairs[other], better = first, second, True
                        break
    return sorted(tuple(sorted(pair)) for pair in pairs)


def divided(weights, groups, parts):
    """The groups in equal parts: two of them exchange as long as more weight comes to lie inside the parts. It begins with neighbours."""
    size, better = len(groups) // parts, True
    part = [list(groups[i * size:(i + 1) * size]) for i in range(parts)]
    inside = lambda group, others: sum(between(weights, group, other) for other in others if other != group)
    while better:
        better = False
        for one in range(parts):
            for other in range(one):
                for i in range(size):
                    for k in range(size):
                        a, b = part[one][i], part[other][k]
                        gain = inside(a, part[other]) + inside(b, part[one]) - inside(a, part[one]) - inside(b, part[other])
                        if gain - 2 * between(weights, a, b) > 0:
                            part[one][i], part[other][k], better = b, a, True
    return sorted(sorted(members) for members in part)


def lpgp(weights):
    pairs = matched(weights, range(MEMBERS))
    return [sum(map(list, part), []) for part in divided(weights, pairs, SOCKETS)]


def gplp(weights):
    parts = divided(weights, [(k,) for k in range(MEMBERS)], SOCKETS)
    return [sum(map(list, matched(weights, sorted(member for group in part for member in group))), []) for part in parts]


def seats(parts):
    """The PU of each member."""
    order = [member for part in parts for member in part]
    return [order.index(member) for member in range(MEMBERS)]


WAYS = {f"{name} {graph.upper()}": (way, graph) for graph in ("rwm", "sm") for name, way in (("LPGP", lpgp), ("GPLP", gplp))}
COMPACT = list(range(MEMBERS))
SCATTER = [k % SOCKETS * (MEMBERS // SOCKETS) + k // SOCKETS for k in range(MEMBERS)]


@dataclass
class Pinning:
    runner: object
    folder: Path
    kernels: tuple = KERNELS
    kb: int = KB
    swim_kb: int = SWIM_KB
    rounds: int = ROUNDS
    guard_rounds: int = GUARD_ROUNDS

    def calls(self):
        return (len(self.kernels) + 1) * (4 + len(WAYS)) + 2

    def pinned(self, plan, kernel, kb, name, default, by_region, rounds=None, **variables):
        """Time of a run under a pin file in ms, and the share of the lines out of memory that another node has."""
        path = Path(self.folder) / f"{kernel}-{kb}-{name.replace(' ', '-')}.pin"
        text = [f"pin = 1\nmachine = {plan['machine']}\nthreads = {MEMBERS}\ndefault = {' '.join(map(str, default))}"]
        text += [f"region = {code} {' '.join(map(str, pus))}" for code, pus in by_region.items()]
        path.write_text("\n".join(text) + "\n")
        result = self.runner.run(MACHINE, "default", "kernels", kernel, kb, rounds or self.rounds, FGOMP_PIN=str(path), **variables)
        memory = result.report["lines"]["memory"]
        return result.ms, 1 - memory.get("0", 0) / max(1, sum(memory.values()))

    def plan(self, name, kb):
        trace = Path(self.folder) / f"{name}-{kb}.fgt"
        self.runner.run(MACHINE, "default", "kernels", name, kb, self.rounds, FGOMP_TRACE=str(trace))
        plan = self.runner.planned(MACHINE, trace)
        return plan, [region for region in plan["regions"] if region["hot"] and any(region["sm"])]

    def guarded(self):
        """Ours of a long run of swim: by compact, and under SM's plan with the guard."""
        plan, regions = self.plan("swim", self.swim_kb)
        by_region = {region["code"]: seats(lpgp(region["sm"])) for region in regions}
        compact = self.pinned(plan, "swim", self.swim_kb, "long", COMPACT, {}, self.guard_rounds)
        return compact, self.pinned(plan, "swim", self.swim_kb, "guarded", COMPACT, by_region, self.guard_rounds, FGOMP_PIN_GUARD="true")

    def kernel(self, name, kb):
        plan, regions = self.plan(name, kb)
        found = {"compact": (1, *self.pinned(plan, name, kb, "compact", COMPACT, {})), "scatter": (1, *self.pinned(plan, name, kb, "scatter", SCATTER, {}))}
        for way, (method, graph) in WAYS.items():
            by_region = {region["code"]: seats(method(region[graph])) for region in regions}
            found[way] = (len({tuple(pus) for pus in by_region.values()}), *self.pinned(plan, name, kb, way, COMPACT, by_region))
        ours = {region["code"]: region["pus"] for region in plan["regions"] if region["pus"] != plan["pus"]}
        found["ours"] = (1 + len({tuple(pus) for pus in ours.values()}), *self.pinned(plan, name, kb, "ours", plan["pus"], ours))
        return found

    def table(self):
        found = {name: self.kernel(name, self.kb) for name in self.kernels}
        large = self.kernel("swim", self.swim_kb)
        ways = [*WAYS, "ours"]
        rows = [[name, *(of[way][0] for way in ways), f"{of['compact'][1]:.2f}", *(f"{of['compact'][1] / of[way][1]:.2f}" for way in ("scatter", *ways))]
                for name, of in found.items()]
        one = {way: sum(of[way][0] == 1 for of in found.values()) for way in ways}
        rows.append(["with one placement", *one.values(), *[""] * (len(ways) + 2)])
        rows.append(["published", *(PUBLISHED.get(way, "") for way in ways), *[""] * (len(ways) + 2)])
        note = (f"Kernels with the sharing that the paper tells of, on {MACHINE}, {MEMBERS} members, {self.kb} KB of each array a member, {self.rounds} rounds. "
                "First: how many placements the hot regions that share have. Then ms by compact, and the speed against it; a plan by region counts moves.")
        swim = [[way, f"{ms:.2f}", f"{ms / large['compact'][1] - 1:+.0%}", f"{remote:.0%}",
                 *(f"{SWIM[way][0]:.2f} ({SWIM[way][0] / SWIM['compact'][0] - 1:+.0%})" if way in SWIM else "", f"{SWIM[way][1]}%" if way in SWIM else "")]
                for way, (_, ms, remote) in large.items()]
        (long, _), (guarded, remote) = self.guarded()
        lost = (guarded / long - 1) * self.guard_rounds
        swim.append([f"LPGP SM under the guard, {self.guard_rounds} rounds", f"{guarded:.2f}", f"{guarded / long - 1:+.0%}", f"{remote:.0%}", "", ""])
        part = Table("Table 3: swim (Euro-Par 2013)", ["placement", "ms", "against compact", "remote", "published, s", "remote"], swim,
                     f"{self.swim_kb} KB of each array a member, so that no cache holds them. Remote: of the lines that come out of memory. "
                     f"The guard costs {lost:.1f} rounds by compact in all.", large)
        return Table("Table 1: seats by region of ten kernels (Euro-Par 2013)", ["kernel", *ways, "compact, ms", "scatter", *ways], rows, note,
                     {"kernels": found, "swim": large, "guarded": guarded / long}, parts=[part])
