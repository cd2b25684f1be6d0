"""`forestgomp top` and `forestgomp limit`: programs that share, seen and held back from outside while they run."""
import contextlib
import functools
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import subprocess
import tempfile
import threading
import time

from testing import BUILD, LIMIT, PUS, Missing, clean_environment, compiled, complains, expect, forestgomp

FORESTGOMP = BUILD / "bin" / "forestgomp"
BOARD = "forestgomp-2"

# One region without end. It prints the number of kernel threads that carry its two members, wherever that changes.
CARRIED = """#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static long tid[2];
int main(void) { int last = 0;
#pragma omp parallel num_threads(2)
for (;;) {
tid[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp barrier
#pragma omp master
{ int n = tid[0] == tid[1] ? 1 : 2; if (n != last) { printf("%d\\n", n); fflush(stdout); last = n; } }
#pragma omp barrier
} }
"""


@functools.lru_cache
def folder():
    kept = tempfile.TemporaryDirectory()
    return kept, pathlib.Path(kept.name)


@functools.lru_cache
def program():
    target = folder()[1] / "carried"
    target.with_suffix(".c").write_text(CARRIED)
    return compiled(target, "-fopenmp", "-O1", target.with_suffix(".c"))


@contextlib.contextmanager
def board():
    """The environment of programs with a board of their own; the folder is in it."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o700)
        yield {"XDG_RUNTIME_DIR": place, "FGOMP_SHARE": "on"}


@contextlib.contextmanager
def running(env, n=1, **more):
    """Copies of the program, each in its region and on the board."""
    variables = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), **env, **more}
    started = [subprocess.Popen([program()], env=variables, stdout=subprocess.PIPE) for _ in range(n)]
    try:
        for process in started:
            await_line(process, "12")
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def await_line(process, wanted):
    """Reads until the last line is a character of `wanted`. It may have come before."""
    end = time.monotonic() + LIMIT / 5
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.1)[0]:
            said = os.read(process.stdout.fileno(), 4096).decode()
            expect(said, "the program has ended")
            process.last = said.strip()[-1]
        if getattr(process, "last", "none") in wanted:
            return
    raise AssertionError(f"{wanted} kernel threads did not come")


def last_line(process, seconds):
    """The last line that comes within this time; None: none comes."""
    last, end = None, time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.05)[0]:
            last = process.last = os.read(process.stdout.fileno(), 4096).decode().strip()[-1]
    return last


def seen(env):
    """{pid: program} as top tells."""
    result = forestgomp("top", "--once", "--json", env=env)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    picture = json.loads(result.stdout)
    expect(picture["pus"] >= PUS and picture["seconds"] > 0, result.stdout)
    return {program["pid"]: program for program in picture["programs"]}


def until(env, pid, holds):
    """Looks until the program is as it should be, and returns it."""
    end = time.monotonic() + LIMIT / 5
    while True:
        found = seen(env).get(pid)
        if holds(found):
            return found
        expect(time.monotonic() < end, f"process {pid}: {found}")


def needs_two():
    if PUS < 2:
        raise Missing("two PUs")


def test_no_board():
    with board() as env:
        complains(forestgomp("top", "--once", env=env), 1, "there is no board", "FGOMP_SHARE=on")
        complains(forestgomp("top", env=env), 1, "there is no board")
        complains(forestgomp("limit", os.getpid(), 1, env=env), 1, "there is no board")
        expect(not os.listdir(env["XDG_RUNTIME_DIR"]), "a board was made")
        path = pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD)
        path.write_bytes(b"x" * 98304)
        path.chmod(0o600)
        complains(forestgomp("top", "--once", env=env), 1, "another kind")
        complains(forestgomp("limit", os.getpid(), 1, env=env), 1, "another kind")


def test_wrong_calls():
    complains(forestgomp("top", "--onec"), 2, "--onec", "did you mean '--once'")
    complains(forestgomp("top", "5"), 2, "what is '5'")
    complains(forestgomp("limit"), 2, "limit PID N")
    complains(forestgomp("limit", 5), 2, "limit PID N")
    complains(forestgomp("limit", 5, 1, 1), 2, "limit PID N")
    complains(forestgomp("limit", "--quick", 1), 2, "--quick")
    for wrong in ("0", "x", "-5", "1x", "99999999999999999999", ""):
        complains(forestgomp("limit", wrong, 1), 2, f"'{wrong}'", "no number of a process")
    for wrong in ("0", "x", "-1", "2x", "1025", "", "99999999999999999999"):
        complains(forestgomp("limit", os.getpid(), wrong), 2, f"'{wrong}'", "accepted: 1 to 1024, or off")


def test_wrong_processes():
    with board() as env, running(env):
        gone = subprocess.Popen(["true"])
        gone.wait()
        complains(forestgomp("limit", gone.pid, 1, env=env), 1, f"there is no process {gone.pid}")
        complains(forestgomp("limit", os.getpid(), 1, env=env), 1, f"process {os.getpid()} is not on the board", "FGOMP_SHARE=on")
        if os.geteuid() == 0:
            with subprocess.Popen(["sleep", "100"], user=65534) as other:
                complains(forestgomp("limit", other.pid, 1, env=env), 1, f"process {other.pid} is another user's")
                other.kill()


def test_a_number_that_another_process_has_now():
    """An entry outlives its process. One that began after the entry's last stamp never had it."""
    with board() as env:
        with running(env) as started:
            pid = started[0].pid
            until(env, pid, lambda found: found)
        path = pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD)
        words = path.read_bytes()
        places = [at for at in range(1536, len(words), 384) if int.from_bytes(words[at:at + 4], "little") == pid]
        expect(places, "a killed program leaves its entry")
        time.sleep(0.05)  # the system tells the start of a process in hundredths of a second
        with subprocess.Popen(["sleep", "100"]) as other:
            try:
                with open(path, "r+b") as file:
                    for place in places:
                        file.seek(place)
                        file.write(other.pid.to_bytes(4, "little"))
                before = path.read_bytes()
                complains(forestgomp("limit", other.pid, 1, env=env), 1, "is not on the board")
                expect(path.read_bytes() == before, "the entry was changed")
                expect(not seen(env), "the program is shown")
            finally:
                other.kill()


def test_too_many_pus():
    with board() as env, running(env) as started:
        pid = started[0].pid
        complains(forestgomp("limit", pid, PUS + 1, env=env), 2, f"process {pid} has {PUS} PU", f"accepted: 1 to {PUS}, or off")


def test_programs_are_told():
    needs_two()
    with board() as env, running(env, 2) as started:
        for process in started:
            told = until(env, process.pid, lambda found: found and found["state"] == "region" and found["used"] is not None
                         and found["lost"] is not None and found["cpu"])
            expect(told["pus"] == PUS and 1 <= told["granted"] <= PUS and not told["bound"] and told["limit"] is None, str(told))
            expect(told["command"] == "carried" and told["threads"] >= 2 and told["nice"] == os.nice(0), str(told))
            expect(0 < told["wanted"] <= PUS and told["used"] >= 0, str(told))
        table = forestgomp("top", "--once", env=env).stdout.splitlines()
        expect(re.match(r"PUs \[[AB.#]+\]$", table[0]) and "2 programs" in table[1], str(table))
        lines = [line.split() for line in table[3:]]
        expect(sorted((line[0], line[-1]) for line in lines) == [("A", "carried"), ("B", "carried")], str(table))
        expect({int(line[1]) for line in lines} == {process.pid for process in started}, str(table))
        bar = table[0][5:-1]
        expect(bar == "".join(sorted(bar, key="AB#.".index)), f"programs, others, idle PUs: {bar}")


def test_stopped_killed():
    with board() as env, running(env, 2) as started:
        stopped, killed = started
        stopped.send_signal(signal.SIGSTOP)
        killed.kill()
        killed.wait()
        until(env, stopped.pid, lambda found: found and found["state"] == "stopped")
        expect(killed.pid not in seen(env), "a program that was killed")
        stopped.send_signal(signal.SIGCONT)


def test_a_limit_in_a_region():
    """The program is alone, and its one region never ends."""
    needs_two()
    with board() as env, running(env) as started:
        pid = started[0].pid
        result = forestgomp("limit", pid, 1, env=env)
        expect(result.returncode == 0 and f"process {pid} (carried) uses at most 1 of its {PUS} PUs" in result.stdout, str(result))
        await_line(started[0], "1")
        until(env, pid, lambda found: found["limit"] == 1 and found["granted"] == 1 and found["state"] == "region")
        expect(last_line(started[0], 1) in (None, "1"), "it has two PUs again")
        result = forestgomp("limit", pid, "off", env=env)
        expect(result.returncode == 0 and "its whole share" in result.stdout, str(result))
        await_line(started[0], "2")
        until(env, pid, lambda found: found["limit"] is None)


def test_limits_come_often():
    needs_two()
    with board() as env, running(env) as started:
        for i in range(30):
            forestgomp("limit", started[0].pid, ("off", "1", str(PUS))[i % 3], env=env)
        forestgomp("limit", started[0].pid, 1, env=env)
        until(env, started[0].pid, lambda found: found["limit"] == 1 and found["granted"] == 1)
        expect(started[0].poll() is None, "it has ended")


def test_load_from_outside():
    """Busy processes that do not share: a program whose members wait for each other leaves PUs to them."""
    needs_two()
    with board() as env, running(env) as started:
        await_line(started[0], "2")
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * PUS)]
        try:
            await_line(started[0], "1")
            told = until(env, started[0].pid, lambda found: found["state"] == "region" and found["granted"] < PUS)
            expect(told["limit"] is None, str(told))
        finally:
            for process in others:
                process.kill()
                process.wait()
        await_line(started[0], "2")


def test_a_bound_program():
    with board() as env, running(env, OMP_PROC_BIND="true") as started:
        complains(forestgomp("limit", started[0].pid, 1, env=env), 1, "gives no PU away", "OMP_PROC_BIND")
        until(env, started[0].pid, lambda found: found and found["bound"] and found["limit"] is None)


def test_a_set():
    """A program that has chosen PUs, as on a machine of several domains: this process has an entry, and keeps it young."""
    with board() as env, running(env):
        path = pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD)
        over = threading.Event()

        def stamps():
            with open(path, "r+b", buffering=0) as file:
                at, word = 1536 + 384 * 7, 5 << 32 | os.getpid()
                os.pwrite(file.fileno(), (0b110011).to_bytes(8, "little"), at + 256)
                os.pwrite(file.fileno(), word.to_bytes(8, "little"), at)
                os.pwrite(file.fileno(), (8).to_bytes(4, "little"), 36)  # as many entries are in use
                while not over.wait(0.001):
                    os.pwrite(file.fileno(), time.monotonic_ns().to_bytes(8, "little"), at + 8)

        writer = threading.Thread(target=stamps)
        writer.start()
        try:
            until(env, os.getpid(), lambda found: found and found["chosen"] == "0-1,4-5")
            end = time.monotonic() + LIMIT / 5
            while "LIMIT SET         MAY USE" not in (table := forestgomp("top", "--once", env=env).stdout) or " - 0-1,4-5 " not in table:
                expect(time.monotonic() < end, table)
        finally:
            over.set()
            writer.join()
        until(env, os.getpid(), lambda found: not found or found["chosen"] is None)
        expect("SET  " not in forestgomp("top", "--once", env=env).stdout or PUS > 2, "a column for no set")


def test_a_number_used_again():
    """A program that rests dates its stamp back by 20 ms, perhaps to before its start. An earlier stamp is another's."""
    with board() as env, running(env):
        sleeper = subprocess.Popen(["sleep", "1000"])
        try:
            ticks = int(pathlib.Path(f"/proc/{sleeper.pid}/stat").read_text().rpartition(")")[2].split()[19])
            asleep = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
            start = ticks * (10**9 // os.sysconf("SC_CLK_TCK")) - asleep
            for before, is_its_own in ((15 * 10**6, True), (10**9, False)):
                with open(pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD), "r+b", buffering=0) as file:
                    at = 1536 + 384 * 7
                    os.pwrite(file.fileno(), (5 << 32 | sleeper.pid).to_bytes(8, "little"), at)
                    os.pwrite(file.fileno(), (start - before).to_bytes(8, "little"), at + 8)
                    os.pwrite(file.fileno(), (8).to_bytes(4, "little"), 36)  # as many entries are in use
                expect((sleeper.pid in seen(env)) == is_its_own, f"top, {before} ns before")
                result = forestgomp("limit", sleeper.pid, 1, env=env)
                expect((result.returncode == 0) == is_its_own, f"limit, {before} ns before: {result.stderr}")
        finally:
            sleeper.kill()
            sleeper.wait()


def test_any_bytes():
    """Whatever stands on the board, there is a picture, or one line."""
    with board() as env, running(env):
        path = pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD)
        numbers, size = random.Random(7), os.stat(path).st_size
        for i in range(12):
            with open(path, "r+b") as file:
                file.seek(1536)
                file.write(numbers.randbytes(size - 1536) if i % 3 else bytes([0xff]) * (size - 1536))
                for entry in range(0, 252, 5):  # as if processes were there
                    file.seek(1536 + 384 * entry)
                    file.write(numbers.choice([os.getpid(), 1, 2 ** 31 - 1, 2 ** 32 - 1]).to_bytes(8, "little"))
                    file.write(int(time.monotonic() * 1e9).to_bytes(8, "little"))
            picture = json.loads(forestgomp("top", "--once", "--json", env=env).stdout)
            for told in picture["programs"]:
                expect(0 <= (told["granted"] or 0) <= (told["pus"] or 0) <= 1024, str(told))
            table = forestgomp("top", "--once", env=env)
            expect(table.returncode == 0 and table.stdout.startswith("PUs ["), table.stdout)
            expect(all(line.isprintable() for line in table.stdout.splitlines()), repr(table.stdout))
        with open(path, "r+b") as file:
            file.truncate(1000)
        complains(forestgomp("top", "--once", env=env), 1, "another size")


def test_a_hostile_name():
    """A command line with control characters changes no terminal."""
    with board() as env:
        named = folder()[1] / "a\x1b[31m\nb"
        if not named.exists():
            os.link(program(), named)
        variables = {**clean_environment(), "LD_LIBRARY_PATH": str(BUILD / "lib"), **env}
        with subprocess.Popen([named, "\x1b[2J"], env=variables, stdout=subprocess.PIPE) as process:
            await_line(process, "12")
            told = seen(env)[process.pid]
            table = forestgomp("top", "--once", env=env).stdout
            process.kill()
        expect(told["command"] == "a\x1b[31m\nb \x1b[2J", repr(told))
        expect("a?[31m?b ?[2J" in table and "\x1b" not in table, repr(table))


def test_it_goes_on():
    """Without --once: an object a second, also while programs come and go, and after the file is gone."""
    with board() as env, running(env):
        command = subprocess.Popen([FORESTGOMP, "top", "--json"], env={**clean_environment(), **env}, stdout=subprocess.PIPE, text=True)
        try:
            first = json.loads(command.stdout.readline())
            expect(len(first["programs"]) == 1 and first["seconds"] < 1, str(first))
            os.unlink(pathlib.Path(env["XDG_RUNTIME_DIR"], BOARD))
            for _ in range(3):
                last = json.loads(command.stdout.readline())
            expect(last["programs"] == [] and last["seconds"] > 0.5, str(last))
        finally:
            command.send_signal(signal.SIGINT)
            command.communicate()
        expect(command.returncode == -signal.SIGINT, str(command.returncode))


def test_a_closed_pipe_ends_it():
    with board() as env, running(env):
        words = f"{FORESTGOMP} top | head -1"
        result = subprocess.run(["sh", "-c", words], env={**clean_environment(), **env}, capture_output=True, text=True, timeout=LIMIT)
        expect(result.stdout.startswith("PUs [") and not result.stderr, str(result))


def drawn(env, seconds, **more):
    """What it draws on a terminal within this time."""
    ours, theirs = pty.openpty()
    command = subprocess.Popen([FORESTGOMP, "top"], env={**clean_environment(), **env, "TERM": "xterm", "COLUMNS": "60", **more},
                               stdout=theirs, stderr=theirs)
    os.close(theirs)
    text, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.1)[0]:
            text += os.read(ours, 65536)
    command.send_signal(signal.SIGINT)
    command.wait()
    os.close(ours)
    return text.decode()


def test_terminal():
    with board() as env, running(env):
        text = drawn(env, 3)
        pictures = re.split(r"\x1b\[4A\r", text)
        expect(len(pictures) >= 2, f"it is not drawn in place: {text!r}")
        for picture in pictures:
            lines = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", picture).split("\r\n")
            expect(len(lines) == 5 and lines[4] == "" and all(len(line) <= 60 for line in lines), repr(lines))
        expect("\x1b[32mA" in text, f"no colours: {text!r}")
        plain = drawn(env, 2, NO_COLOR="1")
        expect("\x1b[32m" not in plain and "\x1b[K" in plain, f"colours: {plain!r}")
        dumb = drawn(env, 2, TERM="dumb")
        expect("\x1b" not in dumb and dumb.count("PUs [") >= 1, repr(dumb))
