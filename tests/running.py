"""Running a program under test: an environment of its own, and a look at one that does not end."""
import os
import re
import subprocess
from pathlib import Path


def clean_environment():
    mine = re.compile(r"(OMP|GOMP|FGOMP|LD)_")
    return {k: v for k, v in os.environ.items() if not mine.match(k)}


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child)] + children(int(child))
    return found


def stacks(pid):
    """Who stands where in a program that does not end, and in its children: one line for all threads with equal stacks."""
    out = ""
    for child in [pid] + children(pid):
        done = subprocess.run(["gdb", "-p", str(child), "-batch", "-ex", "thread apply all bt 14"],
                              capture_output=True, text=True, timeout=60)
        groups = {}
        for part in re.split(r"^Thread (?=\d)", done.stdout, flags=re.M)[1:]:
            frames = re.findall(r"^#\d+\s+(?:0x\w+ in )?(\S+)", part, flags=re.M)
            groups.setdefault(" < ".join(frames), []).append(part.split()[0])
        out += f"    process {child}\n"
        out += "".join(f"      {len(who)} x (thread {who[0]}) {chain}\n" for chain, who in groups.items())
    return out
