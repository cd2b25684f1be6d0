#!/usr/bin/env python3
"""Makes the drawings of docs/design.md: docs/drawings/NAME.svg from docs/drawings/NAME.dot, by graphviz.

  scripts/drawings.py [--check] [NAME...]

--check makes nothing. It names the pictures that were made from another text, and ends with status 1 if there are any. It needs no graphviz.
A text gives its nodes and edges a class; the colours of the classes, for a light and a dark background, are in STYLE here."""
import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "drawings"
FONT = "Helvetica,Arial,sans-serif"
# What all drawings have in common. Graphviz measures the text with the first font that it finds.
COMMON = ["-Gbgcolor=white", f"-Gfontname={FONT}", f"-Nfontname={FONT}", f"-Efontname={FONT}", "-Gpad=0.15", "-Gfontsize=12",
          "-Nfontsize=11", "-Efontsize=10", "-Nshape=box", "-Nstyle=filled", "-Nfillcolor=white", "-Nmargin=0.10,0.06", "-Nheight=0.3",
          "-Earrowsize=0.7"]
# class: (fill, line, text) on light, then on dark ground. A renderer that knows no classes draws black on white.
COLOURS = {
    "step": (("#e8f0fb", "#3b6ea8", "#10243e"), ("#1c2f47", "#6ea3dd", "#e3edf9")),
    "program": (("#e9f5e4", "#4f8a35", "#17300c"), ("#213a18", "#86c46a", "#e6f4de")),
    "wait": (("#f1f1f1", "#8a8a8a", "#333333"), ("#2b2f36", "#8b949e", "#d5d9de")),
    "data": (("#fdf3dc", "#b5852a", "#3d2b06"), ("#40330f", "#d9aa4c", "#faeccb")),
    "lane": (("none", "none", "#222222"), ("none", "none", "#e6e6e6")),
}
GROUND = ("#ffffff", "#15191f")
EDGE = (("#444444", "#333333"), ("#b0b6be", "#c9d1d9"))


def theme(dark):
    yield f"#graph0 > polygon {{ fill: {GROUND[dark]}; }}"
    line, text = EDGE[dark]
    yield f".edge path {{ stroke: {line}; }} .edge polygon {{ fill: {line}; stroke: {line}; }} .edge text {{ fill: {text}; }}"
    yield f".cluster polygon {{ fill: none; stroke: {line}; }} .cluster text {{ fill: {text}; }}"
    for name, colours in COLOURS.items():
        fill, stroke, text = colours[dark]
        yield f".{name} polygon, .{name} path, .{name} ellipse {{ fill: {fill}; stroke: {stroke}; }} .{name} text {{ fill: {text}; }}"


STYLE = "\n".join(["<style>", *theme(0), "@media (prefers-color-scheme: dark) {", *theme(1), "}", "</style>"])


def mark(text):
    """What a picture says of the text that it was made from."""
    return "<!-- made by scripts/drawings.py from " + hashlib.sha256((text + STYLE).encode()).hexdigest()[:16] + " -->"


def make(source):
    text = source.read_text()
    done = subprocess.run(["dot", "-Tsvg", *COMMON], input=text, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"drawings: {source}: {done.stderr}")
    svg = re.sub(r"<!--.*?-->\n?", "", done.stdout, flags=re.S)  # its names of nodes, and its version
    svg = re.sub(r"^<\?xml.*?(?=<svg)", "", svg, flags=re.S)
    head = re.match(r"<svg[^>]*>", svg)
    source.with_suffix(".svg").write_text(f"{head[0]}\n{mark(text)}\n{STYLE}{svg[head.end():]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    sources = [FOLDER / f"{name}.dot" for name in options.names] or sorted(FOLDER.glob("*.dot"))
    if not options.check:
        if not shutil.which("dot"):
            sys.exit("drawings: there is no dot here; scripts/install-deps drawings installs it")
        for source in sources:
            make(source)
        return 0
    pictures = {source: source.with_suffix(".svg") for source in sources}
    old = [source for source, svg in pictures.items() if not svg.exists() or mark(source.read_text()) not in svg.read_text()]
    for source in old:
        print(f"{source}: its picture is of another text; `make drawings` makes it anew")
    return 1 if old else 0


sys.exit(main())
