"""`python -m forestgomp` is the command forestgomp. `run` and `doctor` take this Python."""

import os
import sys

from forestgomp import command


def main():
    path = command()
    if sys.executable:
        os.environ["FORESTGOMP_PYTHON"] = sys.executable
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"forestgomp: cannot run {path}: {error.strerror}. `pip install --force-reinstall WHEEL` brings it back.")


if __name__ == "__main__":
    main()
