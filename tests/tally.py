"""The results of the suites of tests/run: numbers of tests, times, and the lines at the end."""
import resource
from typing import NamedTuple

FORM = "{:12} {:>7} {:>7} {:>8} {:>8} {:>9} {:>9}"


class Row(NamedTuple):
    suite: str
    passed: int
    failed: int
    skipped: int
    left_out: int
    seconds: float
    cpu: float


def counted(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


class Tally:
    """With no_skips, tests that are left out count as failed."""

    def __init__(self, no_skips):
        self.no_skips, self.rows, self.failed, self.left_out, self.again = no_skips, [], [], [], []

    def add(self, suite, results, seconds, cpu):
        passed, failed, skipped, missing = ([test for got, test in results if got == verdict]
                                            for verdict in ("PASS", "FAIL", "SKIP", "MISSING"))
        self.failed += [f"{suite}: {test}" for test in failed]
        self.left_out += [f"{suite}: {test}" for test in missing]
        self.again += [f"{suite}: {test}" for got, test in results if got == "AGAIN"]
        if self.no_skips and skipped and len(skipped) == len(results):
            self.failed.append(f"{suite}: all its tests were skipped")
        row = Row(suite, len(passed), len(failed), len(skipped), len(missing), seconds, cpu)
        self.rows.append(row)
        print(f"   {counted(row.passed, row.failed, row.skipped + row.left_out)}, {seconds:.1f} s", flush=True)

    def table(self):
        print(FORM.format("suite", "passed", "failed", "skipped", "left out", "seconds", "CPU time"))
        for row in (*self.rows, Row("all", *map(sum, list(zip(*self.rows))[1:]))):
            print(FORM.format(*row[:5], f"{row.seconds:.1f}", f"{row.cpu:.1f}"))

    def end(self):
        """Prints the end and returns the exit status."""
        self.table()
        for test in self.left_out:
            print(f"left out: {test}")
        for test in self.again:
            print(f"at the second try: {test}")
        for test in self.failed:
            print(f"failed: {test}")
        failed = len(self.failed) + (len(self.left_out) if self.no_skips else 0)
        skipped = sum(row.skipped for row in self.rows) + (0 if self.no_skips else len(self.left_out))
        print(counted(sum(row.passed for row in self.rows), failed, skipped))
        return 1 if failed else 0


def cpu_time():
    """The CPU time of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
