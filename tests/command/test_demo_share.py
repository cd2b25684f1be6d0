"""The page of `make demo-share`, from rows of made-up runs (examples/share/demo.py)."""
import importlib.util
import re
import subprocess
import tempfile

from testing import ROOT, expect

PATH = ROOT / "examples" / "share" / "demo.py"
spec = importlib.util.spec_from_file_location("demo_share", PATH)
demo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(demo)

# Seconds, and the CPU seconds of each copy since the row before: two PUs are all used in the first, and half of them in the second.
ROWS = [[1.0, 0.5, 0.5, 0.5, 0.5], [2.0, 0.0, 0.0, 0.0, 1.0]]


def test_the_page_has_a_chart_for_each_run():
    results = [(None, ROWS)] + [(2.0, ROWS)] * (len(demo.RUNS) - 1)
    page = demo.page(results, 2)
    titles = re.findall(r'class="title">([^<]*)<', page)
    expect(titles == [f"{name}: {demo.told(seconds)}" for (name, _, _), (seconds, _) in zip(demo.RUNS, results)], titles)
    expect("not all copies ended" in titles[0] and titles[1].endswith("ended after 2.0 s"), titles)
    polygons = re.findall(r'<polygon[^>]*points="([^"]*)"', page)
    expect(len(polygons) == demo.COPIES * len(demo.RUNS), len(polygons))
    # The last copy of the first run lies on top: up to both PUs in the first second, and up to one in the second.
    heights = [float(point.split(",")[1]) for point in polygons[demo.COPIES - 1].split()][:4]
    expect(heights == [demo.TOP, demo.TOP, demo.TOP + demo.HEIGHT / 2, demo.TOP + demo.HEIGHT / 2], heights)


def test_cpu_seconds_of_a_process_that_is_not_there():
    process = subprocess.Popen(["true"])
    process.wait()
    expect(demo.cpu_seconds(process.pid) is None, process.pid)


def test_without_a_library_one_line_says_so():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PATH, folder], capture_output=True, text=True)
    expect(done.returncode != 0 and "run make first" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
