"""Tables as Markdown, and claims that hold or not. Used by the experiments."""

from dataclasses import dataclass, field
from statistics import median

# Differences below this show in no table.
LEAST = 0.0005


def spread(values):
    """Returns how far the seeds lie apart, as a share of their median."""
    return (max(values) - min(values)) / median(values)


@dataclass
class Claim:
    """`more` should be greater than `less`. Each is a list, with a figure for each seed."""

    name: str
    more: list
    less: list

    def margin(self):
        return median(self.more) / median(self.less) - 1

    def noise(self):
        return max(LEAST, spread(self.more), spread(self.less))

    def verdict(self, noise=None):
        """Two sides are apart if no seed of one is between those of the other. Where there is one seed, as on a varied machine, they are apart by
        more than `noise`, which is that of seeds elsewhere."""
        if self.more == self.less:
            return "the same run"
        if noise is None:
            apart = abs(self.margin()) > LEAST and (min(self.more) > max(self.less) or min(self.less) > max(self.more))
        else:
            apart = abs(self.margin()) > noise
        return "level" if not apart else "holds" if self.margin() > 0 else "reversed"

    def figures(self):
        return {"claim": self.name, "margin": self.margin(), "noise": self.noise(), "verdict": self.verdict(), "seeds": len(self.more)}


@dataclass
class Table:
    title: str
    head: list
    rows: list
    note: str
    figures: object
    claims: list = field(default_factory=list)
    parts: list = field(default_factory=list)  # tables that go with it

    def print(self, out):
        print(f"\n## {self.title}\n", file=out)
        rows_print(self.head, self.rows, out)
        print(f"\n{self.note}", file=out, flush=True)
        if self.claims:
            print(file=out)
            rows_print(["claim", "margin", "noise of the seeds", "verdict"],
                       [[c.name, f"{c.margin():+.2%}", f"{c.noise():.2%}", c.verdict()] for c in self.claims], out)
        for part in self.parts:
            part.print(out)


def rows_print(head, rows, out):
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(map(str, row)) + " |", file=out)


def least_most(values, form="{:.2f}"):
    """Returns the least and the most, in this order, or the one figure."""
    texts = [form.format(value) for value in sorted(values)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} - {texts[-1]}"
