"""FGOMP_JOBSERVER: a program that GNU make starts keeps as many PUs busy as it has jobs."""
import contextlib
import functools
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from testing import BUILD, LIMIT, PUS, Missing, clean_environment, compiled, expect

# Regions until the file STOP is there, or for ever in a region. The file TOLD has the number of kernel threads that carry its two members.
ROUNDS = """#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static long tid[2];
static int last;
static void tell(const char *name) {
int n = tid[0] == tid[1] ? 1 : 2;
if (n == last) return;
FILE *file = fopen(name, "a");
fprintf(file, "%d\\n", last = n);
fclose(file); }
int main(int argc, char **argv) {
const char *stop = argv[1], *told = argv[2], *how = argc > 3 ? argv[3] : "";
if (strcmp(how, "fork") == 0 && fork() == 0) how = "child";
do {
#pragma omp parallel num_threads(2)
for (int i = 0; i < 300; i++) {
tid[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp barrier
#pragma omp master
tell(told);
#pragma omp barrier
#pragma omp master
if (strcmp(how, "exit") == 0 && access(stop, F_OK) == 0) exit(0);
}
} while (access(stop, F_OK) != 0);
if (strcmp(how, "pauses") == 0 && omp_pause_resource_all(omp_pause_soft) != 0) return 1;
if (strcmp(how, "stays") == 0 || strcmp(how, "pauses") == 0) getchar();
return 0; }
"""


@functools.lru_cache
def rounds():
    folder = tempfile.TemporaryDirectory()
    program = pathlib.Path(folder.name) / "rounds"
    program.with_suffix(".c").write_text(ROUNDS)
    compiled(program, "-fopenmp", "-O1", program.with_suffix(".c"))
    return folder, program


def needs_two():
    if PUS < 2:
        raise Missing("two PUs")


@contextlib.contextmanager
def place():
    """A folder for a board and for files."""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def environment(folder, **more):
    clean = {name: value for name, value in clean_environment().items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return {**clean, "LD_LIBRARY_PATH": str(BUILD / "lib"), "XDG_RUNTIME_DIR": str(folder), "FGOMP_SHARE": "on", "FGOMP_JOBSERVER": "true", **more}


def until(what, holds):
    end = time.monotonic() + LIMIT / 5
    while not holds():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)


def carriers(folder, name, wanted):
    """Waits until two members of the program are carried by so many kernel threads."""
    until(f"{name} did not come to {wanted} kernel threads", lambda: (folder / name).exists() and (folder / name).read_text().split()[-1:] == [wanted])


class Fifo:
    """The job server of a made make: a fifo with tokens."""

    def __init__(self, folder, tokens):
        self.path = folder / "fifo"
        os.mkfifo(self.path)
        self.file = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.put(tokens)
        self.flags = f" -j2 --jobserver-auth=fifo:{self.path}"

    def put(self, tokens):
        if tokens:
            os.write(self.file, tokens)

    def take(self):
        """All tokens that lie there."""
        try:
            return os.read(self.file, 100)
        except BlockingIOError:
            return b""

    def is_empty(self):
        """A region may have begun on two PUs, for which the program has taken no token yet. So this one puts back what it finds."""
        tokens = self.take()
        self.put(tokens)
        return not tokens


@contextlib.contextmanager
def started(folder, flags, *words):
    process = subprocess.Popen([rounds()[1], folder / "stop", folder / "told", *words], env=environment(folder, MAKEFLAGS=flags), stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_two_jobs_of_make():
    """Two programs of `make -j2` have one job each. When one ends, the other takes its token. Make misses none."""
    needs_two()
    with place() as folder:
        (folder / "Makefile").write_text(f"all: one two\none two:\n\t+@{rounds()[1]} stop-$@ $@.told\n")
        make = subprocess.Popen(["make", "-j2"], cwd=folder, env=environment(folder), stderr=subprocess.PIPE, text=True)
        try:
            carriers(folder, "one.told", "1")
            carriers(folder, "two.told", "1")
            (folder / "stop-two").touch()
            carriers(folder, "one.told", "2")
        finally:
            for name in ("one", "two"):
                (folder / f"stop-{name}").touch()
        said = make.communicate(timeout=LIMIT)[1]
        expect(make.returncode == 0 and not said, f"{make.returncode}: {said}")


def test_a_command_without_its_sign():
    """Make does not give its job server to a command without '+'. One line says so, and the program uses what it can."""
    with place() as folder:
        (folder / "stop").touch()
        (folder / "Makefile").write_text(f"all: one two\none two:\n\t@{rounds()[1]} stop $@.told\n")
        result = subprocess.run(["make", "-j2"], cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=LIMIT)
        lines = [line for line in result.stderr.splitlines() if line]
        expect(result.returncode == 0 and ["begins with '+'" in line for line in lines] == [True, True], f"{result}")


def test_a_pipe_of_its_own():
    """A program that loads the library late may have a pipe of its own under make's numbers. Nobody reads it."""
    with place() as folder:
        module = compiled(folder / "module.so", "-fopenmp", "-O1", "-shared", "-fPIC", rounds()[1].with_suffix(".c"))
        script = ("import ctypes, os\nread, write = os.pipe()\nos.write(write, b'ab')\nos.environ['MAKEFLAGS'] = f'--jobserver-auth={read},{write}'\n"
                  f"ctypes.CDLL(None).setenv(b'MAKEFLAGS', os.environ['MAKEFLAGS'].encode(), 1)\nmain = ctypes.CDLL('{module}').main\n"
                  f"words = (ctypes.c_char_p * 3)(b'rounds', b'{folder}/stop', b'{folder}/told')\n(main(3, words), print(os.read(read, 9)))")
        (folder / "stop").touch()
        result = subprocess.run(["python3", "-c", script], env=environment(folder), capture_output=True, text=True, timeout=LIMIT)
        lines = [line for line in result.stderr.splitlines() if line]
        expect(result.stdout == "b'ab'\n" and len(lines) == 1 and "begins with '+'" in lines[0], f"{result}")


def comes_back(folder, fifo):
    """The program leaves its regions, but does not end."""
    (folder / "stop").touch()
    found = []
    until("the token did not come back", lambda: found.append(fifo.take()) or found[-1])
    expect(found[-1] == b"x", f"another token came back: {found[-1]}")


def test_a_token_comes_and_goes():
    """A fifo without a token, then with one. It goes back when the program has left its regions."""
    needs_two()
    with place() as folder:
        fifo = Fifo(folder, b"")
        with started(folder, fifo.flags, "stays") as process:
            carriers(folder, "told", "1")
            fifo.put(b"x")
            carriers(folder, "told", "2")
            until("the token is still there", fifo.is_empty)
            comes_back(folder, fifo)
            said = process.communicate(timeout=LIMIT)[1]
            expect(process.returncode == 0 and not said and fifo.take() == b"", f"{process.returncode} {said}")


def test_a_pause():
    """omp_pause_resource_all right after a region: the monitor ends before its look, and the token goes back all the same."""
    needs_two()
    with place() as folder:
        fifo = Fifo(folder, b"x")
        with started(folder, fifo.flags, "pauses") as process:
            carriers(folder, "told", "2")
            until("the token is still there", fifo.is_empty)
            comes_back(folder, fifo)
            process.communicate("\n", timeout=LIMIT)
            expect(process.returncode == 0 and fifo.take() == b"", f"{process.returncode}")


def test_it_takes_what_it_needs():
    """Of three tokens a program on two PUs takes one. It gives it back at an exit in the midst of a region."""
    needs_two()
    with place() as folder:
        fifo = Fifo(folder, b"abc")
        env = environment(folder, MAKEFLAGS=fifo.flags)
        process = subprocess.Popen(["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:2])), rounds()[1], folder / "stop", folder / "told", "exit"], env=env)
        carriers(folder, "told", "2")
        found = []
        until("no token is taken", lambda: found.append(fifo.take()) or fifo.put(found[-1]) or len(found[-1]) == 2)
        (folder / "stop").touch()
        expect(process.wait(timeout=LIMIT) == 0 and sorted(fifo.take()) == sorted(b"abc"), "a token is lost")


def test_a_child_has_its_own():
    """A child by fork does not give back what its parent has."""
    needs_two()
    with place() as folder:
        fifo = Fifo(folder, b"ab")
        with started(folder, fifo.flags, "fork") as process:
            carriers(folder, "told", "2")
            (folder / "stop").touch()
            process.communicate(timeout=LIMIT)
            found = []
            until("the tokens did not come back", lambda: found.append(fifo.take()) or sorted(b"".join(found)) == sorted(b"ab"))


def test_bad_job_servers():
    """Each is one line, and the program runs on all PUs that it has."""
    with place() as folder:
        (folder / "file").write_text("++++")
        (folder / "stop").touch()
        strange, other, closed = "is no job server that is known", "cannot be opened", "begins with '+'"
        for flags, words in (("--jobserver-auth=what", strange), ("--jobserver-auth=", strange), ("--jobserver-auth=3,4,5", strange), ("--jobserver-auth=fifo:", strange),
                             ("-j2 --jobserver-auth=3,4 --jobserver-auth=sem:x", strange), ("--jobserver-auth=fifo:/nowhere/fifo", other),
                             (f"--jobserver-auth=fifo:{folder / 'file'}", other), (f"--jobserver-auth=fifo:{folder}", other),
                             ("--jobserver-auth=-2,-2", closed), ("--jobserver-fds=98,99", closed), ("--jobserver-auth=0,1", closed),
                             ("", None), ("k", None), ("-j -- --jobserver-auth=what", None), (None, None)):
            env = environment(folder) if flags is None else environment(folder, MAKEFLAGS=flags)
            result = subprocess.run([rounds()[1], folder / "stop", folder / "told"], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
            lines = [line for line in result.stderr.splitlines() if line]
            expect(result.returncode == 0 and len(lines) == (words is not None) and (not words or words in lines[0]), f"{flags}: {result}")
        expect((folder / "file").read_text() == "++++", "a file was read or written")


def test_without_sharing():
    with place() as folder:
        (folder / "stop").touch()
        result = subprocess.run([rounds()[1], folder / "stop", folder / "told"], env=environment(folder, FGOMP_SHARE="off"), capture_output=True, text=True, timeout=LIMIT)
        lines = [line for line in result.stderr.splitlines() if line]
        expect(result.returncode == 0 and len(lines) == 1 and "FGOMP_JOBSERVER needs FGOMP_SHARE=on" in lines[0], result.stderr)
