"""The report of FGOMP_STUCK is a shared object beside the library, which opens it at its start."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from testing import BUILD, LIMIT, clean_environment, compiled, expect

OBJECT = "libforestgomp-stuck.so"
MAPS = ["cat", "/proc/self/maps"]


def run(words, library=None, **variables):
    preload = {"LD_PRELOAD": str(library)} if library else {}
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env={**clean_environment(), **preload, **variables})


def opened(result):
    """The paths of the objects that the program had opened."""
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr!r}")
    return {line.split()[-1] for line in result.stdout.splitlines() if OBJECT in line}


def copied(folder, *files):
    """Copies the library, and further files of it, into a folder of their own. Returns the library's path."""
    for name in ("libgomp.so.1", *files):
        shutil.copy(BUILD / "lib" / name, folder / name)
    return folder / "libgomp.so.1"


def test_opened_only_if_asked_for():
    library = BUILD / "lib" / "libgomp.so.1"
    expect(not opened(run(MAPS, library)), "opened without FGOMP_STUCK")
    result = run(MAPS, library, FGOMP_STUCK="10")
    expect(len(opened(result)) == 1 and not result.stderr, f"not opened: {result.stderr!r}")


def test_lies_beside_the_library():
    """The library is copied to another folder, and a link to it lies in a third one."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "lib").mkdir()
        (folder / "links").mkdir()
        (folder / "links" / "libgomp.so.1").symlink_to(copied(folder / "lib", OBJECT))
        for path in ("lib", "links"):
            result = run(MAPS, folder / path / "libgomp.so.1", FGOMP_STUCK="10")
            expect(opened(result) == {str(folder / "lib" / OBJECT)}, f"{path}: {opened(result)} {result.stderr!r}")


def test_installed_beside_the_library():
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", name], check=True, capture_output=True)
        commands = list(pathlib.Path(name).resolve().rglob("bin/forestgomp"))
        expect(len(commands) == 1, f"installed: {commands}")
        result = run([commands[0], "run", "--stuck", "10", *MAPS])
        found = opened(result)
        expect(len(found) == 1 and found.pop().startswith(name) and not result.stderr, result.stderr)


def test_library_that_comes_late():
    """The program opens the library itself, as Python does."""
    late = f"import ctypes; ctypes.CDLL({str(BUILD / 'lib' / 'libgomp.so.1')!r}); print(open('/proc/self/maps').read())"
    result = run([sys.executable, "-c", late], FGOMP_STUCK="10")
    expect(len(opened(result)) == 1 and not result.stderr, f"not opened: {result.stderr!r}")


def told(folder, *words):
    """One line says why there is no report, and the program goes on."""
    result = run(["echo", "on"], folder / "libgomp.so.1", FGOMP_STUCK="10")
    lines = result.stderr.split("\n\n")
    expect(result.returncode == 0 and result.stdout == "on\n", f"the program did not go on: {result.returncode} {result.stderr!r}")
    expect(len(lines) == 1, f"not one line: {result.stderr!r}")
    for word in ("FGOMP_STUCK has no effect", str(folder / OBJECT), "goes on without the report", *words):
        expect(word in lines[0], f"{word!r} is not in {lines[0]!r}")


def test_object_missing():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        copied(folder)
        told(folder, "No such file")
        (folder / OBJECT).write_text("no object" * 100)
        told(folder, "invalid ELF header")


def test_foreign_object():
    """Each source is that of an object of another kind."""
    table = "const struct { unsigned long layout; const char *version; } fg_stuck_object = "
    foreign = {"int other;": "does not define fg_stuck_object", table + '{1, "0.1.0"};': "another build"}
    for text, word in foreign.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            copied(folder)
            (folder / "other.c").write_text(text)
            compiled(folder / OBJECT, "-shared", "-fPIC", folder / "other.c")
            told(folder, word)
