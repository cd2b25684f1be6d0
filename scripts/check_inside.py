#!/usr/bin/env python3
"""Each function of src/team that src/gomp calls says in its header where it may be called: FG_INSIDE, FG_OUTSIDE or FG_ANYWHERE
(src/team/inside.h); and the definition of one with the first or the second mark asserts that.

Prints what is wrong and exits with 1; if nothing is, one line and 0."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
DECLARED = re.compile(r"^(?:(FG_INSIDE|FG_OUTSIDE|FG_ANYWHERE) )?(?:static inline )?(?!return\b|typedef\b|else\b)\w[\w *]*?[ *\n](fg_\w+)\(", re.M)
DEFINED = re.compile(r"^(fg_\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)
WANTED = {"FG_INSIDE": "fg_assert_inside(", "FG_OUTSIDE": "fg_assert_outside("}


def texts(folder, names):
    return {path: path.read_text() for name in names for path in sorted((SOURCE / folder).rglob(name))}


def wrong():
    called = {name for text in texts("gomp", ["*.[ch]"]).values() for name in re.findall(r"\b(fg_\w+)\(", text)}
    marks = {}
    for path, text in texts("team", ["*.h"]).items():
        for mark, name in DECLARED.findall(text):
            marks[name] = mark
            if name in called and not mark:
                yield f"{path}: {name} is called by gomp, and says not where it may be called"
    for path, text in texts("team", ["*.[ch]"]).items():
        for name, body in DEFINED.findall(text):
            wanted = WANTED.get(marks.get(name))
            if wanted and wanted not in body:
                yield f"{path}: {name} is marked {marks[name]}, and has no {wanted}...)"


found = list(wrong())
for line in found:
    print(line)
if not found:
    print("inside: every function of team that gomp calls says where it may be called, and asserts it")
sys.exit(1 if found else 0)
