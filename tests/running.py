"""Running a program under test: what its header asks for, an environment of its own, and a look at one that does not end."""
import os
import re
import shutil
import subprocess
from pathlib import Path

KEYS = ("threads", "env", "cpus", "cflags", "library", "load", "limit", "stock")


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


def header(source):
    """The directives of a program: key -> list of values."""
    found = {}
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        match = re.match(r"//\s*(\w+):\s*(.*)", line)
        if match and match[1] in KEYS:
            found.setdefault(match[1], []).append(match[2].strip())
    return found


SKIPPED = 77


def compiler_missing(source):
    """The line for a program whose compiler is not installed, or None."""
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    return None if shutil.which(compiler) else f"MISSING {source.stem}: {compiler} (scripts/install-deps test)"


def why_skipped(output):
    """What a program says that ended with SKIPPED."""
    return (re.findall(r"^SKIP: (.*)", output, re.M) or ["it does not say why"])[-1]


def settings(keys):
    """All runs of a program: (name of the setting, variables)."""
    threads = " ".join(keys.get("threads", [])).split() or [None]
    for number in threads:
        for line in keys.get("env", ["-"]):
            pairs = [] if line == "-" else line.split()
            label = ([f"threads={number}"] if number else []) + pairs
            env = dict(p.split("=", 1) for p in pairs)
            if number:
                env["OMP_NUM_THREADS"] = number
            yield " ".join(label), env
