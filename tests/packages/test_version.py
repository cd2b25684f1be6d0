"""The version stands in one place, meson.build, and what repeats it for readers agrees."""
import re
import sys

from testing import ROOT, expect, forestgomp

sys.path.insert(0, str(ROOT / "scripts"))
from project import version


def test_the_command_says_it():
    expect(version() in forestgomp("--version").stdout.split(), forestgomp("--version").stdout)


def test_the_newest_entry_of_the_changelog_is_this_version():
    newest = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
    expect(newest == version(), f"CHANGELOG.md begins with {newest}, and meson.build has {version()}")


def test_examples_in_pages_have_this_version():
    for page in ("README.md", "docs/python.md", "include/forestgomp.h"):
        told = set(re.findall(r"ForestGOMP (\d+\.\d+\.\d+)", (ROOT / page).read_text()))
        expect(told == {version()}, f"{page}: {told}")


def test_no_script_has_its_own():
    for path in [*(ROOT / "scripts").iterdir(), *(ROOT / "packaging").iterdir(), *(ROOT / "python").rglob("*.py")]:
        if path.is_file():
            expect(version() not in path.read_text(), f"{path} repeats the version")
