"""The machine under the benchmarks: which PUs, how far apart they are at this moment, and which load others put on them."""

import os
import subprocess
from pathlib import Path

# Round trip of a cache line in ns. Virtual machines were seen at 60-170 and at 370, and never in between for long.
FAST_BELOW = 85.0
SLOW_ABOVE = 95.0


def pus_pick(text=None):
    """Returns two PUs of this process's affinity mask: the wanted ones ("A,B"), else the first two."""
    usable = sorted(os.sched_getaffinity(0))
    if text is None:
        if len(usable) < 2:
            raise ValueError("the benchmarks compare two threads on two PUs, and this process may use only one: "
                             "nothing was measured")
        return usable[:2]
    parts = text.split(",")
    if len(parts) != 2 or not all(p.strip().isdigit() for p in parts) or parts[0] == parts[1]:
        raise ValueError(f"--pus {text}: give two different PUs such as 0,1; nothing was measured")
    pus = [int(p) for p in parts]
    for pu in pus:
        if pu not in usable:
            raise ValueError(f"--pus {text}: this process may not use PU {pu}, only {usable}; nothing was measured")
    return pus


def mode_of(quartiles, fast_below=FAST_BELOW, slow_above=SLOW_ABOVE):
    """Returns 'fast', 'slow' or 'mixed' by the quartiles of one probe; 'mixed' if they disagree or are missing."""
    def one(ns):
        return "fast" if ns < fast_below else "slow" if ns > slow_above else "mixed"
    if not quartiles:
        return "mixed"
    modes = {one(ns) for ns in quartiles}
    return modes.pop() if len(modes) == 1 else "mixed"


def mode_between(before, after):
    """Returns the mode of a run between two probes. None: it changed or was mixed, so the run does not count."""
    return before if before == after and before != "mixed" else None


class Machine:
    """Two PUs, the probe program, and the thresholds between the modes."""

    def __init__(self, pus, probe, fast_below=FAST_BELOW, slow_above=SLOW_ABOVE):
        self.pus = pus
        self.probe = probe
        self.fast_below = fast_below
        self.slow_above = slow_above
        self.seen = []

    def _ask(self, what):
        try:
            out = subprocess.run([self.probe, what, *map(str, self.pus)], capture_output=True, text=True, timeout=10,
                                 check=True).stdout.split()
        except (subprocess.SubprocessError, OSError):
            return []
        return [float(word) for word in out[1:]]

    def line_mode(self):
        """Probes the line now, and remembers the median for the report."""
        quartiles = self._ask("line")
        mode = mode_of(quartiles, self.fast_below, self.slow_above)
        if quartiles:
            self.seen.append((mode, quartiles[1]))
        return mode

    def load_warnings(self):
        """Returns lines for the user if something else runs here; none on a quiet machine."""
        lines = []
        load = os.getloadavg()[0]
        if load > 0.5:
            lines.append(f"the load average is {load:.2f}: other programs run or ran in the last minute")
        for pu, share in zip(self.pus, self._ask("share")):
            if share < 0.98:
                lines.append(f"a busy thread got only {share * 100:.0f} % of PU {pu}")
        return lines


class ForeignLoad:
    """Returns the use of the PUs by others since `start`: busy and stolen time, less the time of our own processes."""

    def __init__(self, pus):
        self.pus = pus
        self.start = self._read()

    def _read(self):
        busy = 0
        for line in Path("/proc/stat").read_text().splitlines():
            words = line.split()
            if words[0].startswith("cpu") and words[0][3:].isdigit() and int(words[0][3:]) in self.pus:
                user, nice, system, _idle, _iowait, irq, soft, steal = (int(w) for w in words[1:9])
                busy += user + nice + system + irq + soft + steal
        t = os.times()
        return busy / os.sysconf("SC_CLK_TCK"), t.user + t.system + t.children_user + t.children_system, t.elapsed

    def percent(self):
        """The sum of the two PUs."""
        busy, own, wall = (b - a for a, b in zip(self.start, self._read()))
        return max(0.0, (busy - own) / (wall * len(self.pus)) * 100) if wall > 0 else 0.0
