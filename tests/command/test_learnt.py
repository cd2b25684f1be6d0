"""FGOMP_LEARNT: whatever its file is, a program runs, and one line says why the file is not used. Files of others stay as they are."""
import contextlib
import functools
import os
import pathlib
import signal
import subprocess
import tempfile

from testing import BUILD, LIMIT, clean_environment, compiled, expect

# Two of them run at a time, so that the regions may be timed.
PROGRAM = """#include <stdio.h>
#include <unistd.h>
int main(void) {
long sum = 0;
for (int i = 0; i < 3000; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
for (volatile int k = 0; k < 100; k++) sum++;
if (i % 100 == 0) usleep(100); }
printf("%ld\\n", sum);
return 0; }
"""
RIGHT = "learnt = 1\nregion = 0123+4 8 1=100 4=50\n"


@functools.cache
def program():
    folder = tempfile.TemporaryDirectory()
    source = pathlib.Path(folder.name, "program.c")
    source.write_text(PROGRAM)
    return folder, compiled(source.with_suffix(""), "-fopenmp", source)


@contextlib.contextmanager
def place():
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


def pair(folder, file, **more):
    """Runs two at a time. Returns the lines of both on stderr."""
    env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "XDG_RUNTIME_DIR": str(folder), "FGOMP_SHARE": "on", "FGOMP_LEARNT": str(file), **more}
    running = [subprocess.Popen([program()[1]], env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(2)]
    said = []
    try:
        for process in running:
            out, err = process.communicate(timeout=LIMIT)
            expect(process.returncode == 0 and out == "600000\n", f"{file}: {process.returncode} {out} {err}")
            said.append([line for line in err.splitlines() if line])
    finally:
        for process in running:
            process.kill()
            process.wait()
    return said


def test_files_that_are_not_used():
    with place() as folder:
        (folder / "folder").mkdir()
        os.mkfifo(folder / "pipe")
        (folder / "loop").symlink_to("loop")
        (folder / "lost").symlink_to("nowhere/at/all")
        (folder / "text").write_text("int main(void);\n")
        (folder / "newer").write_text("learnt = 2\n")
        (folder / "bytes").write_bytes(bytes(range(256)) * 4096)
        (folder / "zero").write_bytes(b"learnt = 1\n\0\n")
        (folder / "sparse").touch()
        os.truncate(folder / "sparse", 1 << 40)
        files = ["folder", "folder/", "pipe", "loop", "lost", "text", "newer", "bytes", "zero", "sparse", "text/below", "no/such/folder", "/dev/zero",
                 "/proc/self/mem"]
        before = {name: (folder / name).stat().st_mtime_ns for name in ("text", "newer", "bytes", "zero", "sparse")}
        for name in files:
            for lines in pair(folder, name):
                expect(len(lines) == 1 and "FGOMP_LEARNT=" in lines[0] and "is not kept" in lines[0], f"{name}: {lines}")
        expect({name: (folder / name).stat().st_mtime_ns for name in before} == before, "a file was written")
        expect(not [name for name in os.listdir(folder) if "." in name], f"a file was left: {os.listdir(folder)}")


def test_damaged_lines():
    with place() as folder:
        file = folder / "file"
        file.write_text(RIGHT + "region = 0123+4\n\1\2\3\nregion = " + "9" * 5000 + " 2 1=1 2=1\n" + "region = ab+1 2 1=1 2=999999999999999")
        for lines in pair(folder, file):
            expect(not lines, lines)
        for lines in pair(folder, file, FGOMP_VERBOSE="true"):
            told = [line for line in lines if "FGOMP_LEARNT" in line]
            expect(sum("line 3 is wrong" in line for line in told) in (1, 2) and any("regions known: 2" in line for line in told), told)


def test_nothing_learnt_nothing_written():
    """A program that is alone learns nothing."""
    with place() as folder:
        env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "XDG_RUNTIME_DIR": str(folder), "FGOMP_SHARE": "on", "FGOMP_LEARNT": "file"}
        result = subprocess.run([program()[1]], env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        expect(result.returncode == 0 and not result.stderr and not (folder / "file").exists(), result.stderr)


def test_killed_while_it_runs():
    with place() as folder:
        (folder / "file").write_text(RIGHT)
        env = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), "XDG_RUNTIME_DIR": str(folder), "FGOMP_SHARE": "on", "FGOMP_LEARNT": "file"}
        process = subprocess.Popen([program()[1]], env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        process.send_signal(signal.SIGKILL)
        process.wait()
        expect((folder / "file").read_text() == RIGHT, "the file has changed")


def test_without_sharing():
    with place() as folder:
        for lines in pair(folder, "file", FGOMP_SHARE="off"):
            expect(len(lines) == 1 and "FGOMP_LEARNT needs FGOMP_SHARE=on" in lines[0], lines)
