"""What the scripts that make packages share: the root of the sources, and the version, which only meson.build has."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
