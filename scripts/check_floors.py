#!/usr/bin/env python3
"""A file includes headers of its own floor and of floors below, never above (docs/design.md, "The floors").

Prints the offending lines and exits with 1; with none, one line and 0. The folder to check may be given."""
import pathlib
import re
import sys

FLOORS = ["base", "platform", "trace", "machine", "memory", "forest", "sched", "exec", "team", "gomp"]
BELOW = {floor: set(FLOORS[: number + 1]) for number, floor in enumerate(FLOORS)}
# Beside the tower: they ask some floors and are asked by some.
BELOW["place"] = BELOW["machine"] | {"place"}
BELOW["exec"].add("place")
BELOW["team"].add("place")
BELOW["gomp"].add("place")
BELOW["draw"] = BELOW["machine"] | {"draw"}
BELOW["sim"] = BELOW["exec"] | {"sim"}
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def offences(source):
    for path in sorted(source.rglob("*.[chS]")):
        floor = path.relative_to(source).parts[0]
        if floor not in BELOW:
            yield f"{path}:1: the floor '{floor}' is not known to scripts/check_floors.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            parts = match.group(1).split("/")
            other = parts[0] if len(parts) > 1 else floor
            if other in BELOW and other not in BELOW[floor]:
                yield f"{path}:{number}: {floor} includes {match.group(1)}, of a floor above"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "src"
    found = list(offences(source))
    for line in found:
        print(line)
    if not found:
        print("floors: every include stays on its floor or goes down")
    return 1 if found else 0


sys.exit(main())
