"""ForestGOMP, an OpenMP runtime for hierarchical machines, in the place of libgomp.

    python -m forestgomp run script.py      # the whole program, and its children
    python -m forestgomp doctor             # which OpenMP libraries are there, and what is in the way

    import forestgomp; forestgomp.load()    # second best: the first line of a script or notebook
"""

import os

__version__ = "@VERSION@"
__all__ = ["TooLate", "command", "library", "load"]

_FOLDER = os.path.dirname(os.path.abspath(__file__))


class TooLate(RuntimeError):
    """Another OpenMP runtime serves this process already."""


def library():
    """The path of ForestGOMP's libgomp.so.1."""
    return os.path.join(_FOLDER, "lib", "libgomp.so.1")


def command():
    """The path of the command forestgomp."""
    return os.path.join(_FOLDER, "bin", "forestgomp")


def _is_libgomp(path):
    name = os.path.basename(path)
    return name.startswith(("libgomp.", "libgomp-", "libgomp_")) and ".so" in name


def _mapped():
    """The libraries called libgomp that this process has, in the order of their addresses."""
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = "/" + line.rstrip("\n").partition("/")[2]
            if _is_libgomp(path) and path not in found:
                found.append(path)
    return found


def _is_ours(path):
    import ctypes

    try:
        return hasattr(ctypes.CDLL(path), "fgomp_version")
    except OSError:  # the file was removed meanwhile
        return False


def _bringer(path):
    """The words for a library of a wheel: the package's name stands in its folder's, "numpy.libs" or "torch/lib"."""
    parts = path.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-2]:
            name = parts[len(parts) - parts[::-1].index(folder)]
            return name[: -len(".libs")] if name.endswith(".libs") else name
    return None


def load():
    """Loads ForestGOMP into this process, for packages that are imported later. Returns the path of the library.

    It is second best. Only `python -m forestgomp run script.py` also serves the program's children, gives threads their
    seats, and has sched_yield, signals and affinity masks of ForestGOMP. Raises TooLate if another libgomp has come first.
    """
    import ctypes  # not above: `python -m forestgomp` starts without it

    path = library()
    mapped = _mapped()
    for each in mapped:
        if _is_ours(each):  # `forestgomp run` has started this program, or load() was called before
            return each
    if mapped:
        by = _bringer(mapped[0])
        raise TooLate(
            "forestgomp.load() comes too late: "
            + (f"{by} has loaded {mapped[0]}" if by else f"{mapped[0]} is loaded")
            + " already. Call it before all other imports, or start the program by `python -m forestgomp run`."
        )
    ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return path
