"""The table of lines and policies, and its summary. Called by bench/teams.py."""

from dataclasses import dataclass, field
from math import exp, log
from statistics import median

from lines import HELD_OUT, TUNED
from report import rows_print

NEAR = (0.05, 0.15)
SETS = (("tuned on", TUNED), ("held out", HELD_OUT), ("all", (*TUNED, *HELD_OUT)))


@dataclass
class Cell:
    """The runs of one policy on one line."""

    figures: dict = field(default_factory=dict)  # seed -> figure
    begins: dict = field(default_factory=dict)   # dealt, there, in_time

    def median(self):
        return median(self.figures.values())


@dataclass
class Table:
    lines: list
    columns: list                              # names of policies, and of columns of another file
    cells: dict = field(default_factory=dict)  # (line's name, column) -> Cell

    def cell(self, line, column):
        return self.cells.setdefault((line.name, column), Cell())

    def add(self, line, column, seed, record):
        """The record of a run has a figure, or begins."""
        cell = self.cell(line, column)
        if "figure" in record:
            cell.figures[seed] = record["figure"]
        else:
            cell.begins = record["begins"]

    def measured(self, line):
        return [column for column in self.columns if self.cell(line, column).figures]

    def best(self, line):
        return line.best([self.cell(line, column).median() for column in self.measured(line)])

    def off(self, line, column):
        """Returns how far the column is from the best one, or None where it was not run."""
        cell = self.cell(line, column)
        return line.off(cell.median(), self.best(line)) if cell.figures else None

    def worst_seed(self, line, column):
        """Returns how far the worst seed is from the column's median."""
        cell = self.cell(line, column)
        return line.off(line.worst(cell.figures.values()), cell.median())

    def summary(self):
        """Returns column -> set of lines -> its figures."""
        return {column: {name: self.summary_of(column, lines) for name, lines in SETS if self.of_column(column, lines)} for column in self.columns}

    def of_column(self, column, lines):
        return [line for line in self.lines if line in lines and self.cell(line, column).figures]

    def summary_of(self, column, lines):
        lines = self.of_column(column, lines)
        offs = {line.name: self.off(line, column) for line in lines}
        worst = max(offs, key=offs.get)
        # A policy that is good with most seeds may still be bad with one.
        of_seeds = [line.off(line.worst(self.cell(line, column).figures.values()), self.best(line)) for line in lines]
        return {"lines": len(offs), **{f"within_{round(near * 100)}": sum(off <= near for off in offs.values()) for near in NEAR},
                "worst_seed_within_15": sum(off <= NEAR[1] for off in of_seeds), "worst": offs[worst], "worst_line": worst,
                "mean": exp(sum(log(1 + off) for off in offs.values()) / len(offs)) - 1}

    def begins(self, column):
        """Returns the sums over all lines."""
        cells = [self.cell(line, column).begins for line in self.lines]
        return {key: sum(cell.get(key, 0) for cell in cells) for key in ("dealt", "there", "in_time", "idle", "idle_in_time")}

    def figures(self):
        """Returns what --json writes."""
        return {"columns": self.columns, "summary": self.summary(), "lines": [
            {"line": line.name, "set": next(name for name, lines in SETS if line in lines), "machine": line.machine, "program": line.text,
             "better": "higher" if line.higher else "lower", "columns": {column: self.cell_figures(line, column) for column in self.measured(line)}}
            for line in self.lines if self.measured(line)]}

    def cell_figures(self, line, column):
        cell = self.cell(line, column)
        return {"median": cell.median(), "worst_seed": self.worst_seed(line, column), "off": self.off(line, column),
                "seeds": {str(seed): cell.figures[seed] for seed in sorted(cell.figures)}, **({"begins": cell.begins} if cell.begins else {})}

    def row(self, line):
        cells = []
        for column in self.columns:
            if not self.cell(line, column).figures:
                cells.append("-")
                continue
            text = f"{figure_text(self.cell(line, column).median())} {self.off(line, column):+.0%}"
            worst = self.worst_seed(line, column)
            cells.append(f"{text} ({worst:+.0%})" if worst >= 0.005 else text)
        return [line.name, *cells]

    def print(self, out):
        print("\n## Teams of each line under each policy\n", file=out)
        rows_print(["line", *self.columns], [self.row(line) for line in self.lines if self.measured(line)], out)
        print("\nThe median of the seeds in us, or the efficiency where the line is `plain`. Then how far it is from the best of the row, and in "
              "parentheses the worst seed against the median.", file=out)
        self.summary_print(out)
        if any(self.begins(column)["dealt"] for column in self.columns):
            self.begins_print(out)

    def summary_print(self, out):
        print("\n## How near each policy is to the best\n", file=out)
        rows = []
        for column, sets in self.summary().items():
            for name, found in sets.items():
                within = (f"{found[f'within_{round(near * 100)}']} of {found['lines']}" for near in NEAR)
                rows.append([column, name, *within, f"{found['worst_seed_within_15']} of {found['lines']}", f"{found['mean']:+.0%}", f"{found['worst']:+.0%} {found['worst_line']}"])
        rows_print(["policy", "lines", *(f"within {near:.0%}" for near in NEAR), "worst seed within 15%", "mean", "worst"], rows, out)
        print("\nThe lines that rules were tuned on, those that were held out, and all. Within: the median of the seeds. Mean: the geometric mean of the "
              "distances.", file=out, flush=True)

    def begins_print(self, out):
        print("\n## Where members begin\n", file=out)
        columns = [column for column in self.columns if self.begins(column)["dealt"]]
        rows = [[line.name, *(begins_text(self.cell(line, column).begins) for column in columns)] for line in self.lines
                if any(self.cell(line, column).begins.get("dealt") for column in columns)]
        rows_print(["line", *columns], [*rows, ["all", *(begins_text(self.begins(column)) for column in columns)]], out)
        print("\nOf the members that the policy dealt to one PU: how many begin there within 5 us after their region was met; in parentheses, there at any "
              "time; and how many were dealt. Then, of the PUs that had run something before, and were idle when members were dealt to them: how many "
              "begin one of these in that time. One seed.", file=out, flush=True)


def figure_text(figure):
    """Returns 4 digits, or all before the point, without an exponent."""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.4g}"


def begins_text(begins):
    dealt = begins.get("dealt")
    if not dealt:
        return "-"
    idle = f"; {begins['idle_in_time'] / begins['idle']:.0%} of {begins['idle']} idle" if begins["idle"] else ""
    return f"{begins['in_time'] / dealt:.0%} ({begins['there'] / dealt:.0%}) of {dealt}{idle}"
