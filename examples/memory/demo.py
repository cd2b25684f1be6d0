#!/usr/bin/env python3
"""Runs heat.c on libgomp and on ForestGOMP, and draws where its memory lies over time: a page, BUILD/memory.html.
On a machine with one NUMA node it runs on an emulated one of 4 nodes of 4 CPUs (QEMU; scripts/install-deps numa).

  demo.py [BUILD-FOLDER]      called by `make demo-memory`
"""
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SECONDS = 8
RUNS = (("libgomp, threads bound", "STOCK=1 OMP_PROC_BIND=true OMP_PLACES=threads"), ("ForestGOMP", "FGOMP_MEMORY=auto"))
COLOURS = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0")
WIDTH, HEIGHT, LEFT, TOP, BETWEEN = 620, 150, 60, 46, 84


def real_nodes():
    return len(list(Path("/sys/devices/system/node").glob("node[0-9]*")))


def series(lines):
    """Of a run: seconds, steps, the remote part, and the part on each node."""
    found = [re.search(r"\bheat ([0-9. ]+)$", line) for line in lines]
    return [[float(word) for word in match[1].split()] for match in found if match]


def run_here(build):
    program = build / "heat"
    subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, HERE / "heat.c"], check=True)
    for _, settings in RUNS:
        env = dict(os.environ, **dict(word.split("=") for word in settings.split()))
        if not env.pop("STOCK", None):
            env["LD_LIBRARY_PATH"] = str(build / "lib")
        yield series(subprocess.run([program, str(SECONDS)], env=env, check=True, capture_output=True, text=True).stdout.splitlines())


def run_emulated(build):
    """All runs in one boot. A run's lines stand between its begin and its end."""
    command = [ROOT / "tests" / "numa" / "run_on_qemu.py", "--lib", build / "lib", "--build", build / "numa", "--raw", "--limit", "240", HERE / "heat.c"]
    command += [word for _, settings in RUNS for word in ("--env", settings)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    begins = [i for i, line in enumerate(lines) if "@@BEGIN" in line]
    if len(begins) != len(RUNS):
        sys.exit("demo: the emulated machine did not run the program:\n" + "\n".join(lines[-10:]))
    for begin, end in zip(begins, begins[1:] + [len(lines)]):
        yield series(lines[begin:end])


def chart(top, title, rows, nodes, last):
    """Pages by node, one above the other, and the remote part as a line."""
    def x(seconds):
        return LEFT + seconds / last * WIDTH

    def y(share):
        return top + HEIGHT * (1 - min(share, 100) / 100)

    parts = [f'<text x="{LEFT}" y="{top - 10}" class="title">{html.escape(title)}: {rows[0][2]:.0f}% remote at first, {rows[-1][2]:.0f}% at the end</text>']
    below = [0.0] * len(rows)
    for node in range(nodes):
        above = [low + row[3 + node] for low, row in zip(below, rows)]
        points = [(row[0], share) for row, share in zip(rows, above)] + [(row[0], share) for row, share in reversed(list(zip(rows, below)))]
        parts.append(f'<polygon fill="{COLOURS[node % len(COLOURS)]}" points="' + " ".join(f"{x(s):.1f},{y(p):.1f}" for s, p in points) + '"/>')
        below = above
    parts.append('<polyline class="remote" points="' + " ".join(f"{x(row[0]):.1f},{y(row[2]):.1f}" for row in rows) + '"/>')
    parts += [f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share}%</text>' for share in (0, 50, 100)]
    parts += [f'<text x="{x(s):.1f}" y="{top + HEIGHT + 18}" text-anchor="middle">{s} s</text>' for s in range(0, int(last) + 1, 2)]
    return "\n".join(parts)


def page(where, results):
    nodes = 1 + max(i for rows in results for row in rows for i, share in enumerate(row[3:]) if share > 0 or i == 0)
    last = max(rows[-1][0] for rows in results)
    charts = [chart(TOP + number * (HEIGHT + BETWEEN), name, rows, nodes, last) for number, ((name, _), rows) in enumerate(zip(RUNS, results))]
    height = TOP + len(RUNS) * (HEIGHT + BETWEEN)
    legend = " ".join(f'<span style="color:{COLOURS[node % len(COLOURS)]}">&#9632;</span> node {node}' for node in range(nodes))
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Where the memory lies</title>
<style>body {{ font: 15px sans-serif; max-width: 48em; margin: 2em auto; }} svg {{ font: 12px sans-serif; width: 100%; }}
.title {{ font-weight: bold; }} .remote {{ fill: none; stroke: #000; stroke-width: 2.5; }}</style>
<h1>Where the memory lies</h1>
<p>The main thread fills a plate, and 16 threads compute how heat spreads over it. Coloured: the pages on each node. The black line: the part of the pages
that lies on another node than the thread that uses it. {html.escape(where)}</p>
<p>{legend} &nbsp; <b>&#9473;</b> remote</p>
<svg viewBox="0 0 {LEFT + WIDTH + 20} {height}" role="img">
{chr(10).join(charts)}
</svg>
<p><code>forestgomp run --memory ./program</code> tells the same of your program; docs/memory.md has the rest.</p></html>
"""


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    if not (build / "lib" / "libgomp.so.1").exists():
        sys.exit(f"demo: there is no library in {build}/lib; run make first")
    emulated = real_nodes() < 2
    where = "This machine has one NUMA node, so this is an emulated one of 4 nodes: its times mean little." if emulated else ""
    print(f"{len(RUNS)} runs of {SECONDS} s" + (" on an emulated machine of 4 nodes" if emulated else ""), flush=True)
    results = list((run_emulated if emulated else run_here)(build))
    if not all(results):
        sys.exit("demo: a run printed nothing")
    for (name, _), rows in zip(RUNS, results):
        print(f"{name:24} {rows[0][2]:3.0f}% remote at first, {rows[-1][2]:3.0f}% at the end")
    target = build / "memory.html"
    target.write_text(page(where, results))
    print(f"The page is {target}")
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and shutil.which("xdg-open"):
        subprocess.run(["xdg-open", target])


if __name__ == "__main__":
    main()
