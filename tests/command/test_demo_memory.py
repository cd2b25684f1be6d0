"""The page of `make demo-memory`, from what its program prints (examples/memory/demo.py)."""
import re
import subprocess
import sys
import tempfile

from testing import ROOT, expect

sys.path.insert(0, str(ROOT / "examples" / "memory"))
import demo  # noqa: E402

PRINTED = {
    "stays": ["@@BEGIN heat", " 12.10 heat 0.00 0 75 100 0 0", " 12.30 heat 2.00 40 75 100 0 0", " 12.40 heat: 12.5 in the middle"],
    "moves": ["heat 0.00 0 75 100 0 0", "[ 1.0] kernel: heat is no line of it", "heat 1.00 9 40 50 25 25", "heat 3.00 90 5 34 33 33"],
}


def test_lines_of_the_program_are_found():
    stays, moves = (demo.series(PRINTED[name]) for name in ("stays", "moves"))
    expect([row[:3] for row in stays] == [[0, 0, 75], [2, 40, 75]], stays)
    expect([row[3:] for row in moves] == [[100, 0, 0], [50, 25, 25], [34, 33, 33]], moves)


def test_the_page_has_a_chart_for_each_run():
    page = demo.page("Somewhere.", [demo.series(lines) for lines in PRINTED.values()])
    titles = re.findall(r'class="title">([^<]*)<', page)
    expect(titles == [f"{name}: 75% remote at first, {end}% at the end" for (name, _), end in zip(demo.RUNS, (75, 5))], titles)
    expect(page.count("<polygon") == 3 * len(demo.RUNS), page.count("<polygon"))
    heights = {float(point.split(",")[1]) for points in re.findall(r'<polygon[^>]*points="([^"]*)"', page) for point in points.split()}
    expect(max(heights) - min(heights) == 2 * demo.HEIGHT + demo.BETWEEN, heights)


def test_without_a_library_one_line_says_so():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROOT / "examples" / "memory" / "demo.py", folder], capture_output=True, text=True)
    expect(done.returncode != 0 and "run make first" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
