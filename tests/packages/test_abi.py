"""The check of the interface passes for this build, and finds a struct that changed and a function that is gone."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from testing import BUILD, LIMIT, ROOT, Missing, expect

BASELINE = ROOT / "tests" / "data" / "abi"


def check(*words):
    if not shutil.which("abidw"):
        raise Missing("abigail-tools (scripts/install-deps package)")
    if os.uname().machine != "x86_64":
        raise Missing("an interface of this kind of machine; tests/data/abi has that of x86-64")
    return subprocess.run([ROOT / "scripts" / "check_abi.py", *words, BUILD], capture_output=True, text=True, timeout=LIMIT)


def test_the_interface_is_that_of_the_last_release():
    told = check()
    expect(told.returncode == 0, f"{told.stdout} {told.stderr}; an intended change: scripts/check_abi.py --update, and a line in CHANGELOG.md")


def test_a_changed_struct_is_found():
    with tempfile.TemporaryDirectory() as name:
        include = pathlib.Path(shutil.copytree(ROOT / "include", pathlib.Path(name) / "include"))
        header = include / "forestgomp" / "sched.h"
        text = header.read_text()
        header.write_text(text.replace("struct fgomp_handed {\n", "struct fgomp_handed {\n\tint planted;\n"))
        expect(header.read_text() != text, "there is no struct fgomp_handed")
        told = check("--include", include)
        expect(told.returncode == 1 and "'int planted', at offset 0" in told.stdout, f"{told}")


def test_a_function_that_is_gone_is_found():
    with tempfile.TemporaryDirectory() as name:
        before = pathlib.Path(shutil.copytree(BASELINE, pathlib.Path(name) / "abi"))
        library = before / "library.abi"
        library.write_text(library.read_text().replace("fgomp_version", "fgomp_gone"))
        told = check("--baseline", before)
        expect(told.returncode == 1 and "1 Removed" in told.stdout and "fgomp_gone" in told.stdout, f"{told}")


def test_a_new_function_is_no_change():
    with tempfile.TemporaryDirectory() as name:
        before = pathlib.Path(shutil.copytree(BASELINE, pathlib.Path(name) / "abi"))
        library = before / "library.abi"
        lines = library.read_text().splitlines(keepends=True)
        fewer = [line for line in lines if "<elf-symbol name='fgomp_version'" not in line]
        expect(len(fewer) == len(lines) - 1, "the interface has no fgomp_version")
        library.write_text("".join(fewer))
        told = check("--baseline", before)
        expect(told.returncode == 0, f"{told}")
