"""The output of the Python clients: `seconds X`, `same NAME DIGEST` (bitwise), `near NAME VALUE TOLERANCE` (relative)."""

import contextlib
import hashlib
import time


@contextlib.contextmanager
def timed():
    """Prints the wall time of its body, which is the work itself, without imports and input."""
    begin = time.perf_counter()
    yield
    print(f"seconds {time.perf_counter() - begin:.6f}", flush=True)


def same(name, array):
    print(f"same {name} {hashlib.sha256(memoryview(array).cast('B')).hexdigest()[:16]}", flush=True)


def near(name, value, tolerance):
    print(f"near {name} {float(value)!r} {tolerance:g}", flush=True)
