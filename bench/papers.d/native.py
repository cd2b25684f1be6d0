"""Runs the programs that call the library's functions themselves, with a machine of a file. Used by choices.py and programs.py."""

import re
import subprocess

from machines import SHELF
from running import Failed


def machine_words(name):
    """Returns topology and links of a machine of the shelf, or of a synthetic line."""
    if ":" in name:
        return [name, "-"]
    text = (SHELF / f"{name}.machine").read_text()
    found = {key: value.strip() for key, value in re.findall(r"^(topology|hops)\s*=\s*([^#\n]*)", text, re.M)}
    return [found["topology"], found.get("hops", "-")]


def program_of(runner, name):
    """Returns the program's path. `make` has built it."""
    path = runner.forestgomp.parents[1] / "bench" / f"papers_{name}"
    if not path.exists():
        raise Failed(f"{path} is not there: `make` builds it")
    return path


def run(runner, program, *words):
    """Returns key -> number of the lines that the program prints."""
    runner.show(f"{program.name} {' '.join(map(str, words[-3:]))}")
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{program.name} {' '.join(map(str, words))}: {done.stderr.strip()[-300:]}")
    runner.done += 1
    return {key: float(value) for key, value in re.findall(r"(?m)^(\S+) (\S+)$", done.stdout)}
