"""Machine files with parameters changed, written to a folder. Called by bench/papers.py --vary."""

import re
from pathlib import Path

from running import ROOT

SHELF = ROOT / "share" / "machines"
NOT_FIGURES = ("name", "topology", "xml", "hops", "note")
ENTRY = re.compile(r"^\s*([\w.]+)\s*=\s*([^#]*)")
# These costs need not stand in a file: X(field, "key", preset, ...).
PRESET = re.compile(r'^\s*X\(\w+, "([\w.]+)", ([\d.]+),', re.M)


def figures_of(path: Path):
    """Returns key -> list of numbers of a machine file, with the simulator's presets for missing keys."""
    figures = {key: [float(value)] for key, value in PRESET.findall((ROOT / "src/sim/model.h").read_text())}
    for line in path.read_text().splitlines():
        entry = ENTRY.match(line)
        if entry and entry.group(1) not in NOT_FIGURES:
            figures[entry.group(1)] = [float(word) for word in entry.group(2).split()]
    return figures


def figures_read(name):
    """Returns the path of a machine of the shelf."""
    return figures_of(SHELF / f"{name}.machine")


def machine_write(name, factor, folder: Path, label):
    """Writes the machine with each figure multiplied by factor(key, place in its list); returns the new file."""
    kept = []
    for line in (SHELF / f"{name}.machine").read_text().splitlines():
        entry = ENTRY.match(line)
        if entry and entry.group(1) in NOT_FIGURES:
            kept.append(line)
    for key, numbers in figures_read(name).items():
        kept.append(f"{key} = " + " ".join(f"{number * factor(key, i):.10g}" for i, number in enumerate(numbers)))
    path = folder / f"{label}.machine"
    path.write_text("\n".join(kept) + "\n")
    return path


def variations(name, folder):
    """Returns (label, machine file, factor of the computing): each figure 50% up and down, each by itself, and all together."""
    for word, change in (("+50%", 1.5), ("-50%", 0.5)):
        yield f"all {word}", machine_write(name, lambda key, i, c=change: c, folder, f"all{word[0]}"), change
        yield f"computing {word}", machine_write(name, lambda key, i: 1, folder, "as-is"), change
        for key, numbers in figures_read(name).items():
            for place in range(len(numbers)):
                label = f"{key}{f' [{place}]' if len(numbers) > 1 else ''} {word}"
                path = machine_write(name, lambda k, i, c=change: c if (k, i) == (key, place) else 1, folder, label.replace(" ", "_"))
                yield label, path, 1.0
