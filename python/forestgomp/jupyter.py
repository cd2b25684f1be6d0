"""Installs a kernel for notebooks, or removes it: called by `forestgomp jupyter`.

Its first words are `python -m forestgomp run`. So it survives an update of ForestGOMP, and takes each path that `run` can serve."""

import importlib.util
import json
import os
import shutil
import sys

NAME = "forestgomp"


def folder(user):
    """Where Jupyter looks for kernels: in the environment, or for the user."""
    if not user:
        return os.path.join(sys.prefix, "share", "jupyter", "kernels", NAME)
    data = os.environ.get("JUPYTER_DATA_DIR") or os.path.join(
        os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "jupyter"
    )
    return os.path.join(data, "kernels", NAME)


def kernel():
    words = [sys.executable, "-m", "forestgomp", "run", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return {"argv": words, "display_name": "Python (ForestGOMP)", "language": "python", "metadata": {"debugger": True}}


def main(words):
    where = folder("--user" in words)
    if "--remove" in words:
        if not os.path.isdir(where):
            sys.exit(f"forestgomp jupyter: there is no kernel in {where}")
        shutil.rmtree(where)
        print(f"removed {where}")
        return
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump(kernel(), file, indent=1)
    print(f"{where}: choose `Python (ForestGOMP)` in Jupyter")
    if importlib.util.find_spec("ipykernel") is None:
        print("It needs ipykernel, which this Python does not have: pip install ipykernel")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"forestgomp jupyter: {error}")
