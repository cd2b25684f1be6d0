"""A picture of a few figures of bench/run.py --json: how long each runtime takes, as a multiple of ours. Pure: records in, SVG out."""

from html import escape
from math import log10

from driver.runtimes import OURS

# (benchmark, case, what a reader would call it)
ROWS = [
    ("nested", "K_4", "nested region of 4 threads"),
    ("nested", "K_16", "nested region of 16 threads"),
    ("oversub", "barrier_64", "barrier of 64 threads on 2 cores"),
    ("oversub", "parallel_64", "region of 64 threads on 2 cores"),
    ("sync", "parallel", "flat region, a thread per core"),
    ("sync", "barrier", "barrier, a thread per core"),
    ("tasks", "fib", "tree of tiny tasks"),
    ("octree", "all_levels", "octree, a nested region per cell"),
    ("multizone", "8x4", "multi-zone solver, 8 x 4 threads"),
]
NAMES = {OURS: "ForestGOMP", "libgomp": "libgomp (gcc)", "libomp": "libomp (LLVM)", "libiomp5": "libiomp5 (Intel)"}
WIDTH, LEFT, RIGHT, ROW, TOP = 860, 270, 30, 30, 64
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 } .small { font-size: 11px; fill: #666 }
  .axis { stroke: #ccc } .one { stroke: #2a7d3f } .row { stroke: #eee }
  .c0 { fill: #2a7d3f } .c1 { fill: #d1495b } .c2 { fill: #3a6ea5 } .c3 { fill: #e09f3e }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .small { fill: #999 } .axis { stroke: #444 } .row { stroke: #2a2a2a } 
    .one { stroke: #5fbf78 } .c0 { fill: #5fbf78 } .c1 { fill: #ee7785 } .c2 { fill: #7fb2e5 } .c3 { fill: #f2bd6a } }
"""


def ratios(found):
    """[(label, {runtime: multiple of ours})] of the rows whose figures are there, in the mode with the most runs."""
    rows = []
    for bench, case, label in ROWS:
        here = [r for r in found if r["bench"] == bench and r["case"] == case]
        modes = {r["mode"]: sum(o["runs"] for o in here if o["mode"] == r["mode"]) for r in here if r["runtime"] == OURS}
        if not modes:
            continue
        mode = max(modes, key=modes.get)
        medians = {r["runtime"]: r["median"] for r in here if r["mode"] == mode and r["runtime"] in NAMES}
        if len(medians) > 1 and all(value > 0 for value in medians.values()):
            rows.append((label, {name: value / medians[OURS] for name, value in medians.items()}))
    return rows


def multiple(value):
    return f"{value:.0f} x" if value >= 9.95 else f"{value:.1f} x"


def marks(rows, runtimes, x):
    for i, (label, values) in enumerate(rows):
        y = TOP + i * ROW + ROW // 2
        yield f'<line class="row" x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}"/>'
        yield f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(label)}</text>'
        for name, value in values.items():
            yield (f'<circle class="c{runtimes.index(name)}" cx="{x(value):.1f}" cy="{y}" r="6">'
                   f"<title>{escape(NAMES[name])}: {multiple(value)}</title></circle>")


def axis(least, most, x, bottom):
    for power in range(least, most + 1):
        at = x(10.0**power)
        yield f'<line class="{"one" if power == 0 else "axis"}" x1="{at:.1f}" y1="{TOP - 6}" x2="{at:.1f}" y2="{bottom}"/>'
        yield f'<text class="small" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0 ** power:g} x</text>'


def svg(found):
    """The picture. ValueError: the records have none of the rows."""
    rows = ratios(found)
    if not rows:
        raise ValueError("none of the figures of the chart is in the file: run nested, oversub, sync, tasks, octree and multizone")
    runtimes = [name for name in NAMES if any(name in values for _, values in rows)]
    all_values = [value for _, values in rows for value in values.values()]
    least, most = -1 if min(all_values) < 0.95 else 0, 1
    while 10.0**most < max(all_values):
        most += 1

    def x(value):
        return LEFT + (log10(value) - least) / (most - least) * (WIDTH - RIGHT - LEFT)

    bottom = TOP + len(rows) * ROW
    about = found[0]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 52}" role="img" '
             f'aria-label="Time of each runtime as a multiple of ForestGOMP\'s">', f"<style>{STYLE}</style>",
             f'<text x="{LEFT}" y="18">Time as a multiple of ForestGOMP\'s, medians: further right is slower</text>']
    at = LEFT
    for i, name in enumerate(runtimes):
        lines += [f'<circle class="c{i}" cx="{at + 6}" cy="38" r="6"/>', f'<text x="{at + 18}" y="42">{escape(NAMES[name])}</text>']
        at += 38 + 8 * len(NAMES[name])
    lines += [*axis(least, most, x, bottom), *marks(rows, runtimes, x)]
    lines += [f'<text class="small" x="{LEFT}" y="{bottom + 40}">{escape(about.get("machine", "?"))}; commit '
              f'{escape(about.get("commit", "?"))}; bench/run.py</text>', "</svg>", ""]
    return "\n".join(lines)
