"""Pages have no dead links: in the repository, as they are installed, and as the wheel has them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from testing import BUILD, LIMIT, ROOT, expect

sys.path.insert(0, str(ROOT / "scripts"))
import pages

# Both ways to point to a file, read without the script that is under test.
TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)|\b(?:src|href)=\"([^\"]+)\"")


def dead(folder, files=None):
    """(page, target) of each link of a page to a file that is not there."""
    found = []
    for page in sorted(files or folder.rglob("*.md")):
        for match in TARGET.finditer(page.read_text()):
            target = (match[1] or match[2]).partition("#")[0]
            if target and not re.match(r"\w+:", target) and not (page.parent / target).exists():
                found.append((str(page.relative_to(folder)), target))
    return found


def test_in_the_repository():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True, timeout=LIMIT).stdout.split()
    files = [ROOT / name for name in listed] or [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    expect(len(files) > 30 and not dead(ROOT, files), f"{dead(ROOT, files)}")


def test_as_installed():
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", name], check=True, capture_output=True, timeout=LIMIT)
        folder = next(pathlib.Path(name).rglob("share/doc/forestgomp"))
        expect(len(list(folder.rglob("*.md"))) > 30 and not dead(folder), f"{dead(folder)}")
        expect((folder / "tutorial.md").is_file() and (folder / "examples" / "tutorial" / "nested.c").is_file(), "the tutorial")


def test_as_in_the_wheel():
    """It has the pages without their pictures and measurements."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "pages"
        pages.write(folder, {page: source for page, source in pages.pages(["*.md"]).items() if "/" not in page})
        expect(len(list(folder.glob("*.md"))) > 15 and not dead(folder), f"{dead(folder)}")


def test_what_becomes_of_a_dead_link():
    text = "[a](b.md#c) [d](../e/f.c) ![g](h.png) [i](https://j/k) [l\nm](n/o.md#p) [q](#r) [s](n)"
    page = "x/y.md"

    def left(*there):
        return pages.without(text, pages.dead_links(page, text, there))
    expect(left() == "a d g [i](https://j/k) l\nm [q](#r) s", left())
    expect(left("x/b.md", "e/f.c", "x/h.png", "x/n/o.md") == text, left("x/b.md", "e/f.c", "x/h.png", "x/n/o.md"))


def test_a_page_that_comes_is_installed():
    """Ninja knows which files and folders the pages are made of."""
    told = subprocess.run(["ninja", "-C", BUILD, "-t", "deps", "docs/forestgomp"], capture_output=True, text=True, timeout=LIMIT).stdout
    read = {line.strip() for line in told.splitlines()[1:]}
    for path in ("docs", "docs/measurements", "docs/tutorial.md", "examples/tutorial/nested.c"):
        expect(str(ROOT / path) in read or os.path.relpath(ROOT / path, BUILD) in read, f"{path}: {told[:300]}")
