"""Finds the surface reconstruction of examples/mpu and its input, and reads its output. Called by run and by runner."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

INPUTS = ("/usr/share/doc/invesalius-examples/examples/Cranium.inv3",)


class Disagreement(Exception):
    """Two variants did not compute the same tree."""


@dataclass
class Mpu:
    """`absent` names the missing part; else `command` runs it."""

    command: list
    absent: str = ""
    checksum: str | None = None

    def parse(self, case, output):
        """Returns {case: (unit, minimum, median, resolution)} from the refinements of one process. All must agree."""
        times = []
        for line in output.splitlines():
            record = json.loads(line)
            if record.get("phase") != "refine":
                continue
            times.append(record["seconds"] * 1e3)
            seen = record.get("checksum")
            if seen is not None:
                self.checksum = self.checksum or seen
                if seen != self.checksum:
                    raise Disagreement(f"tree {seen} instead of {self.checksum}: the result is wrong")
        times.sort()
        return {case: ("ms", times[0], times[len(times) // 2], 0.0)} if times else {}


def mpu_find(root):
    """MPU_INPUT may name another cloud or scan than the head CT of Debian's invesalius-examples."""
    program = root / "build" / "bin" / "mpu"
    if not program.exists():
        return Mpu([], f"not built ({program} is missing; `make -C examples/mpu` builds it)")
    asked = os.environ.get("MPU_INPUT")
    for path in [asked] if asked else INPUTS:
        if Path(path).exists():
            return Mpu([str(program), "--json", path])
    return Mpu([], f"there is no input {asked}" if asked else
               "the head CT is missing (Debian: invesalius-examples); MPU_INPUT names another cloud or scan")
