#!/usr/bin/env python3
"""Runs four copies of rounds.c at a time: on libgomp, on ForestGOMP, and on ForestGOMP with FGOMP_SHARE=on. It draws which copy used
how many PUs over time: a page, BUILD/share.html.

  demo.py [BUILD-FOLDER]      called by `make demo-share`
"""
import html
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPIES, LIMIT, EVERY = 4, 20, 0.1
RUNS = (("libgomp", COPIES, None), ("ForestGOMP", COPIES, "off"), ("ForestGOMP, FGOMP_SHARE=on", COPIES, "on"), ("ForestGOMP, one copy after the other", 1, "off"))
COLOURS = ("#4269d0", "#efb118", "#3ca951", "#ff725c")
WIDTH, HEIGHT, LEFT, TOP, BETWEEN = 620, 90, 60, 46, 74


def cpu_seconds(pid):
    """The CPU time of all threads; None: the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment(build, share):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "FGOMP_"))}
    return env if share is None else dict(env, LD_LIBRARY_PATH=str(build / "lib"), FGOMP_SHARE=share)


def run(program, env, at_a_time):
    """Returns (seconds until the last copy has ended, or None; rows of seconds and CPU seconds of each copy since the last row)."""
    waiting, running, rows, before = list(range(COPIES)), {}, [], [0.0] * COPIES
    begin = time.monotonic()
    while waiting or running:
        while waiting and len(running) < at_a_time:
            running[waiting[0]] = subprocess.Popen([program], env=env, stdout=subprocess.DEVNULL)
            waiting.pop(0)
        time.sleep(EVERY)
        row = [time.monotonic() - begin] + [0.0] * COPIES
        for copy, process in list(running.items()):
            used = cpu_seconds(process.pid)
            if used is not None:
                row[1 + copy], before[copy] = max(0.0, used - before[copy]), used
            if process.poll() is not None:
                del running[copy]
                if process.returncode:
                    sys.exit(f"demo: a copy failed: status {process.returncode}")
        rows.append(row)
        if row[0] > LIMIT:
            for process in running.values():
                process.kill()
                process.wait()
            return None, rows
    return rows[-1][0], rows


def told(seconds):
    return f"the last copy ended after {seconds:.1f} s" if seconds is not None else f"not all copies ended within {LIMIT} s"


def chart(top, title, rows, pus, last):
    """PUs by copy, one above the other."""
    def x(seconds):
        return LEFT + seconds / last * WIDTH

    def y(busy):
        return top + HEIGHT * (1 - min(busy, pus) / pus)

    begins = [0.0] + [row[0] for row in rows[:-1]]
    parts = [f'<text x="{LEFT}" y="{top - 10}" class="title">{html.escape(title)}</text>', f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="#eee"/>']
    below = [0.0] * len(rows)
    for copy in range(COPIES):
        above = [low + row[1 + copy] / (row[0] - begin) for low, row, begin in zip(below, rows, begins)]
        upper, lower = ([(at, busy) for begin, row, busy in zip(begins, rows, edge) for at in (begin, row[0])] for edge in (above, below))
        points = upper + lower[::-1]
        parts.append(f'<polygon fill="{COLOURS[copy]}" points="' + " ".join(f"{x(at):.1f},{y(busy):.1f}" for at, busy in points) + '"/>')
        below = above
    parts += [f'<text x="{LEFT - 8}" y="{y(n) + 4:.1f}" text-anchor="end">{n}</text>' for n in (0, pus)]
    step = max(1, round(last / 6))
    parts += [f'<text x="{x(s):.1f}" y="{top + HEIGHT + 18}" text-anchor="middle">{s} s</text>' for s in range(0, int(last) + 1, step)]
    return "\n".join(parts)


def page(results, pus):
    last = max(rows[-1][0] for _, rows in results)
    charts = [chart(TOP + number * (HEIGHT + BETWEEN), f"{name}: {told(seconds)}", rows, pus, last)
              for number, ((name, _, _), (seconds, rows)) in enumerate(zip(RUNS, results))]
    legend = " ".join(f'<span style="color:{colour}">&#9632;</span> copy {number + 1}' for number, colour in enumerate(COLOURS))
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Which program had the PUs</title>
<style>body {{ font: 15px sans-serif; max-width: 48em; margin: 2em auto; }} svg {{ font: 12px sans-serif; width: 100%; }} .title {{ font-weight: bold; }}</style>
<h1>Which program had the PUs</h1>
<p>{COPIES} copies of a program with many short parallel loops, each with as many threads as this machine has PUs ({pus}). Coloured: the PUs that each copy used.</p>
<p>{legend}</p>
<svg viewBox="0 0 {LEFT + WIDTH + 20} {TOP + len(RUNS) * (HEIGHT + BETWEEN)}" role="img">
{chr(10).join(charts)}
</svg>
<p><code>forestgomp top</code> shows your programs while they run; docs/sharing.md has the rest.</p></html>
"""


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    if not (build / "lib" / "libgomp.so.1").exists():
        sys.exit(f"demo: there is no library in {build}/lib; run make first")
    program = build / "rounds"
    subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, HERE / "rounds.c"], check=True)
    pus, results = len(os.sched_getaffinity(0)), []
    for number, (name, at_a_time, share) in enumerate(RUNS):
        print(f"run {number + 1} of {len(RUNS)}: {name} ...", end=" ", flush=True)
        results.append(run(program, environment(build, share), at_a_time))
        print(told(results[-1][0]))
    target = build / "share.html"
    target.write_text(page(results, pus))
    print(f"The page is {target}")
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and shutil.which("xdg-open"):
        subprocess.run(["xdg-open", target])


if __name__ == "__main__":
    main()
