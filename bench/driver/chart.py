"""A picture of a few figures of bench/run.py --json and bench/clients.py --json: how long each runtime takes, as a multiple of ours.
Pure: records in, SVG out."""

from html import escape
from math import floor, log10
from statistics import median

from driver.runtimes import OURS

# (benchmark, case, what a reader would call it). The last ones are real programs.
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
    ("clients", "tesseract", "tesseract, reads a page of text"),
    ("clients", "gromacs", "GROMACS, molecular dynamics"),
]
NAMES = {OURS: "ForestGOMP", "libgomp": "libgomp (gcc)", "libomp": "libomp (LLVM)", "libiomp5": "libiomp5 (Intel)"}
WIDTH, LEFT, RIGHT, ROW, TOP, LANE, THICK, ARROW = 860, 250, 30, 36, 64, 9, 6, 60
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 } .small { font-size: 11px; fill: #666 }
  .axis { stroke: #ccc } .one { stroke: #2a7d3f } .row { stroke: #eee }
  .c0 { fill: #2a7d3f } .c1 { fill: #d1495b } .c2 { fill: #3a6ea5 } .c3 { fill: #e09f3e }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .small { fill: #999 } .axis { stroke: #444 } .row { stroke: #2a2a2a } 
    .one { stroke: #5fbf78 } .c0 { fill: #5fbf78 } .c1 { fill: #ee7785 } .c2 { fill: #7fb2e5 } .c3 { fill: #f2bd6a } }
"""


def of_clients(record):
    """A record of bench/clients.py in the form of the others; None: that runtime did not run the client."""
    if "client" not in record:
        return record
    if not record["seconds"]:
        return None
    return {"bench": "clients", "case": record["client"], "runtime": record["runtime"], "unit": "s", "mode": "any",
            "min": min(record["seconds"]), "median": median(record["seconds"]), "runs": record["runs"]}


def bars(found):
    """[(label, {runtime: (multiple of our minimum, multiple of our median)})] of the rows whose figures are there, in the mode with the
    most runs. A runtime that did not end has (least multiple, None)."""
    rows = []
    for bench, case, label in ROWS:
        here = [r for r in found if r["bench"] == bench and r["case"] == case and r["runtime"] in NAMES]
        modes = {r["mode"]: sum(o["runs"] for o in here if o["mode"] == r["mode"] and "min" in o) for r in here if r["runtime"] == OURS}
        if not modes:
            continue
        mode = max(modes, key=modes.get)
        both = {r["runtime"]: (r["min"], r["median"]) for r in here if r["mode"] == mode and "min" in r}
        if len(both) < 2 or min(min(pair) for pair in both.values()) <= 0:
            continue
        values = {name: (low / both[OURS][0], middle / both[OURS][1]) for name, (low, middle) in both.items()}
        # Only where the figure is the time of the whole does the limit say how much it is at least.
        values |= {r["runtime"]: (r["limit"] / both[OURS][1], None) for r in here if "limit" in r and r["unit"] == "ms" and r["runtime"] not in both}
        rows.append((label, values))
    return rows


def multiple(value):
    return f"{value:.0f} x" if value >= 9.95 else f"{value:.1f} x" if value >= 1.95 else f"{value:.2f} x"


def shape(kind, title, low, high, y):
    """A bar between two places; without a second one, an arrow to the right."""
    top = y - THICK / 2
    if high is None:
        end = min(low + ARROW, WIDTH - RIGHT)
        points = f"{low:.1f},{top} {end - 10},{top} {end - 10},{top - 3} {end},{y} {end - 10},{top + THICK + 3} {end - 10},{top + THICK} {low:.1f},{top + THICK}"
        return f'<polygon class="{kind}" points="{points}"><title>{title}</title></polygon>'
    left, right = min(low, high) - THICK / 2, max(low, high) + THICK / 2
    return f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{THICK}" rx="{THICK / 2}"><title>{title}</title></rect>'


def marks(rows, runtimes, x):
    for i, (label, values) in enumerate(rows):
        y = TOP + i * ROW + ROW // 2
        yield f'<line class="row" x1="{LEFT}" y1="{y + ROW // 2}" x2="{WIDTH - RIGHT}" y2="{y + ROW // 2}"/>'
        yield f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(label)}</text>'
        peers = [name for name in runtimes if name in values and name != OURS]
        # Each peer has a lane of its own, so that none hides another. Ours is 1 by definition, and comes last.
        for name in [*peers, OURS]:
            low, middle = values[name]
            lane = y if name == OURS else y + (peers.index(name) - (len(peers) - 1) / 2) * LANE
            title = f"no end at {multiple(low)}" if middle is None else f"{multiple(low)} by minima, {multiple(middle)} by medians"
            yield shape(f"c{runtimes.index(name)}", escape(f"{NAMES[name]}: {title}"), x(low), middle and x(middle), lane)


def axis(start, most, x, bottom):
    for power in range(floor(start), most + 1):
        if power >= start:
            at = x(10.0**power)
            yield f'<line class="{"one" if power == 0 else "axis"}" x1="{at:.1f}" y1="{TOP - 6}" x2="{at:.1f}" y2="{bottom}"/>'
            yield f'<text class="small" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0 ** power:g} x</text>'


def svg(records):
    """The picture. ValueError: the records have none of the rows."""
    found = [record for record in map(of_clients, records) if record]
    rows = bars(found)
    if not rows:
        raise ValueError("none of the figures of the chart is in the file: run nested, oversub, sync, tasks, octree and multizone")
    runtimes = [name for name in NAMES if any(name in values for _, values in rows)]
    ends = [value for _, values in rows for pair in values.values() for value in pair if value]
    # Figures near 1 need a little room on the left, not another power of ten.
    start, most = -0.3 if min(ends) > 0.6 else floor(log10(min(ends))), 1
    while 10.0**most < max(ends):
        most += 1

    def x(value):
        return LEFT + (log10(value) - start) / (most - start) * (WIDTH - RIGHT - LEFT)

    bottom = TOP + len(rows) * ROW
    about = [" ".join((r["machine"], f"(commit {r['commit']})")) for r in found if "commit" in r]
    arrow = any(middle is None for _, values in rows for _, middle in values.values())
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 66}" role="img" '
             f'aria-label="Time of each runtime as a multiple of ForestGOMP\'s">', f"<style>{STYLE}</style>",
             f'<text x="{LEFT}" y="18">Time as a multiple of ForestGOMP\'s: further right is slower</text>']
    at = LEFT
    for i, name in enumerate(runtimes):
        lines += [f'<circle class="c{i}" cx="{at + 6}" cy="38" r="6"/>', f'<text x="{at + 18}" y="42">{escape(NAMES[name])}</text>']
        at += 38 + 8 * len(NAMES[name])
    lines += [*axis(start, most, x, bottom), *marks(rows, runtimes, x)]
    how = f"Logarithmic scale. A bar goes from minima to medians{'; an arrow: no end until then' if arrow else ''}."
    for line, text in enumerate((how, "; ".join(dict.fromkeys(about)))):
        lines.append(f'<text class="small" x="{LEFT}" y="{bottom + 38 + 16 * line}">{escape(text)}</text>')
    return "\n".join([*lines, "</svg>", ""])
