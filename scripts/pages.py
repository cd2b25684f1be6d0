#!/usr/bin/env python3
"""Writes the pages that are installed: those of docs, without links to files that are not, and the examples of the tutorial.

  scripts/pages.py [--depfile FILE] OUT

A link to a file of the sources becomes its text, and so does a picture that is left out. In the sources such links stay, because readers of the
repository follow them."""
import argparse
import os
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
from project import ROOT

EXAMPLES = "examples/tutorial"
LINK = re.compile(r"!?\[([^]]*)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def pages(wanted=("*.md", "*.json", "*.svg", "*.png")):
    """{path in the folder of pages: its source}."""
    docs = ROOT / "docs"
    found = {str(path.relative_to(docs)): path for pattern in wanted for path in sorted(docs.rglob(pattern))}
    return {**found, **{f"{EXAMPLES}/{path.name}": path for path in sorted((ROOT / EXAMPLES).glob("*.c"))}}


def dead_links(page, text, there):
    """The matches of LINK that lead to no file of `there`."""
    for match in LINK.finditer(text):
        target = os.path.normpath(os.path.join(os.path.dirname(page), match[2]))
        if not re.match(r"\w+:", match[2]) and target not in there and not any(path.startswith(target + "/") for path in there):
            yield match


def without(text, matches):
    for match in reversed(list(matches)):
        text = text[: match.start()] + match[1] + text[match.end() :]
    return text


def installed(page, found):
    """The bytes of a page as it is installed with all that was found."""
    data = found[page].read_bytes()
    if not page.endswith(".md"):
        return data
    return without(data.decode(), dead_links(page, data.decode(), found)).encode()


def write(out, found):
    shutil.rmtree(out, ignore_errors=True)
    for page in found:
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        (out / page).write_bytes(installed(page, found))


def main():
    parser = argparse.ArgumentParser(prog="scripts/pages.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--depfile", type=pathlib.Path, help="where to write what was read, as make has it")
    options = parser.parse_args()
    found = pages()
    write(options.out, found)
    if options.depfile:
        # A page that comes or goes changes its folder.
        read = {*found.values(), *(path.parent for path in found.values())}
        words = (str(path).replace(" ", "\\ ") for path in sorted(read))
        options.depfile.write_text(f"{options.out}: {' '.join(words)}\n")


if __name__ == "__main__":
    main()
