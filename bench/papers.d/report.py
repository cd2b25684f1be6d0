"""Tables as Markdown, and claims that hold or not. Used by the experiments."""

from dataclasses import dataclass

# Figures so close count as level: the seed alone, which decides among PUs that are equally far in time, changes a figure by so much.
LEVEL = 0.005


@dataclass
class Claim:
    """`more` must be at least `less`."""

    name: str
    more: float
    less: float

    def margin(self):
        return self.more / self.less - 1

    def holds(self):
        return self.margin() >= -LEVEL


@dataclass
class Table:
    title: str
    head: list
    rows: list
    note: str
    figures: object

    def print(self, out):
        print(f"\n## {self.title}\n", file=out)
        for row in (self.head, ["---"] * len(self.head), *self.rows):
            print("| " + " | ".join(map(str, row)) + " |", file=out)
        print(f"\n{self.note}", file=out, flush=True)
