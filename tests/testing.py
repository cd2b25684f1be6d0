"""What the tests share that are Python functions.

A function test_NAME is the test NAME. It passes when it returns, and it fails when it raises an exception. run_tests.py
runs the functions of a folder or of a file."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"  # run_tests.py sets it before it imports tests
PUS = len(os.sched_getaffinity(0))
PATIENCE = 5  # time limits find programs that hang. Each is so many times what an idle machine needs, and more
LIMIT = 60 * PATIENCE  # seconds for one command


class Missing(Exception):
    """The test needs something that could be installed: the line is MISSING."""


def clean_environment():
    """The environment without the variables that a runtime reads, or the dynamic linker."""
    read = re.compile(r"(OMP|GOMP|FGOMP|FGSIM|LD)_")
    return {name: value for name, value in os.environ.items() if not read.match(name)}


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def complains(result, status, *words):
    """The command printed nothing on stdout, and on stderr one line that holds the words."""
    lines = result.stderr.strip().splitlines()
    expect(result.returncode == status, f"exit status {result.returncode}, not {status}: {result.stderr!r}")
    expect(len(lines) == 1 and not result.stdout, f"not one line: {result.stderr!r} {result.stdout!r}")
    for word in words:
        expect(word in lines[0], f"{word!r} is not in {lines[0]!r}")


def forestgomp(*words, env=None):
    """Runs the command of the build folder, in a clean environment and the variables `env`."""
    return subprocess.run([BUILD / "bin" / "forestgomp", *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                          env={**clean_environment(), **(env or {})})


def compiled(target, *words):
    """Compiles `target` with gcc; the words are sources and flags. Returns the target."""
    subprocess.run(["gcc", *words, "-o", target], check=True, timeout=LIMIT)
    return target


def plugin(source, *flags):
    """Builds a scheduler NAME.so beside its source NAME.c."""
    return compiled(source.with_suffix(".so"), "-O1", "-shared", "-fPIC", "-I", ROOT / "include", *flags, source)


def available(package, folder):
    """A Python that has the package, and the folder to put on its path ("": none is needed); or None and why not. The package is Debian's,
    or one of this Python; otherwise pip puts it into the folder."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.access(python, os.X_OK) and subprocess.run([python, "-c", f"import {package}"], capture_output=True, env=clean_environment()).returncode == 0:
            return python, ""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"pip took more than {LIMIT} s"
    if done.returncode == 0:
        return sys.executable, folder
    return None, (done.stderr.strip().splitlines() or ["pip failed"])[-1][:150]


def tests_of(namespace):
    """(NAME, function) of each test in a module's namespace."""
    return [(name.removeprefix("test_"), function) for name, function in namespace.items() if name.startswith("test_")]


def verdict(function, *arguments):
    """What a test came to, and why: both as the lines of a suite have them."""
    try:
        function(*arguments)
    except Missing as what:
        return "MISSING", str(what)
    except AssertionError as why:
        return "FAIL", str(why)
    except Exception as error:
        return "FAIL", f"{type(error).__name__}: {error}"
    return "PASS", ""


def verdict_line(name, function, *arguments):
    """The line of a suite."""
    word, why = verdict(function, *arguments)
    return " ".join([word, name + (":" if why else ""), *why.split()])


def run(tests, *arguments):
    """Runs each (NAME, function) and prints its line. Returns the exit status."""
    failed = 0
    for name, function in tests:
        line = verdict_line(name, function, *arguments)
        failed += line.startswith("FAIL")
        print(line, flush=True)
    return 1 if failed else 0
