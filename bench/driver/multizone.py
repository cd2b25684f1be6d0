"""Reads the output of the multi-zone solver, and checks that all runs compute the same. Called by cases and by runner."""

from driver.mpu import Disagreement
from driver.runner import lines_parse


class Multizone:
    """`checksum` is that of the first run. It does not depend on outer and inner threads, nor on the runtime."""

    def __init__(self):
        self.checksum = None

    def parse(self, output):
        """Returns the `sample` lines of one run."""
        seen = [line.split()[1] for line in output.splitlines() if line.startswith("checksum ")]
        if not seen:
            raise Disagreement("no checksum")
        self.checksum = self.checksum or seen[0]
        if seen[0] != self.checksum:
            raise Disagreement(f"field {seen[0]} instead of {self.checksum}: the result is wrong")
        return lines_parse(output)
