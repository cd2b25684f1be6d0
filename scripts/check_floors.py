#!/usr/bin/env python3
"""A file includes headers of its own floor and of floors below, never above (docs/design.md, "The floors"); and every C
source of a floor is in that floor's list for Meson.

Prints the offending lines and exits with 1; with none, one line and 0. The folder to check may be given."""
import pathlib
import re
import sys

FLOORS = ["base", "platform", "trace", "machine", "memory", "forest", "sched", "exec", "sim", "team", "omp", "acc", "libc",
          "gomp"]
BELOW = {floor: set(FLOORS[: number + 1]) for number, floor in enumerate(FLOORS)}
BELOW["draw"] = BELOW["machine"] | {"draw"}  # beside the tower: for the tools
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


def unlisted(source):
    for floor in BELOW:
        build = source / floor / "meson.build"
        listed = build.read_text() if build.exists() else ""
        for path in sorted((source / floor).rglob("*.c")):
            if f"'{path.relative_to(source / floor)}'" not in listed:
                yield f"{path}:1: not in {build}: it is never built"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "src"
    found = [*offences(source), *unlisted(source)]
    for line in found:
        print(line)
    if not found:
        print("floors: every include stays on its floor or goes down")
    return 1 if found else 0


sys.exit(main())
