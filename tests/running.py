"""Running a program under test: the directives of its header, an environment of its own, and a look at one that does
not end."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from testing import PATIENCE, clean_environment  # noqa: F401  (also for those that import this module)

KEYS = ("threads", "env", "cpus", "cflags", "library", "load", "limit", "stock", "count", "bare", "also", "again")
INCLUDE = Path(__file__).resolve().parent.parent / "include"


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child)] + children(int(child))
    return found


def stacks(pid):
    """The stacks of a program that does not end, and of its children: one line for all threads with equal stacks."""
    out = ""
    for child in [pid] + children(pid):
        done = subprocess.run(["gdb", "-p", str(child), "-batch", "-ex", "thread apply all bt 14"],
                              capture_output=True, text=True, timeout=60)
        groups = {}
        for part in re.split(r"^Thread (?=\d)", done.stdout, flags=re.M)[1:]:
            frames = re.findall(r"^#\d+\s+(?:0x\w+ in )?(\S+)", part, flags=re.M)
            groups.setdefault(" < ".join(frames), []).append(part.split()[0])
        out += f"    process {child}\n"
        out += "".join(f"      {len(who)} x (thread {who[0]}) {chain}\n" for chain, who in groups.items())
    return out


def compiler_of(source):
    return {".cpp": "g++", ".f90": "gfortran"}.get(source.suffix, "gcc")


def compile_one(source, target, flags, headers=()):
    """Builds a program unless it is newer than its sources. Returns the compiler's complaint or None."""
    if target.exists() and all(target.stat().st_mtime >= s.stat().st_mtime for s in [source, *headers]):
        return None
    command = [compiler_of(source), "-O2", "-g", "-fopenmp", "-o", str(target), str(source), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else " ".join(command) + "\n" + done.stderr


def build(source, folder, extra=(), include=()):
    """Builds a program and its libraries, and again when a header beside it, of the library or in `include` is newer.
    Returns the compiler's complaint or None."""
    keys = header(source, ("library", "cflags", "also"))
    more = [source.parent / name for line in keys.get("also", []) for name in line.split()]
    headers = [h for place in (source.parent, *include) for h in sorted(place.glob("*.h"))] + sorted(INCLUDE.rglob("*.[hf]*"))
    for line in keys.get("library", []):
        name, *flags = line.split()
        library = source.parent / name
        modules = [f"-J{folder}"] if library.suffix == ".f90" else []
        trouble = compile_one(library, folder / (library.stem + ".so"), ["-shared", "-fPIC", f"-I{INCLUDE}", *modules, *flags], headers)
        if trouble:
            return trouble
    flags = [*map(str, more), *extra, *" ".join(keys.get("cflags", [])).split()]
    if source.suffix == ".f90":
        flags.append(f"-J{folder}")  # for the files of modules
    return compile_one(source, folder / source.stem, flags, [*headers, *more])


def execute(command, env, limit, cpus=None, gdb=False):
    """Runs a command on the first `cpus` CPUs of the process's mask. The limit is that of an idle machine. Returns (exit
    status, reason of a failure or None, output)."""
    limit *= PATIENCE
    mask = sorted(os.sched_getaffinity(0))[:cpus]
    with tempfile.TemporaryFile(mode="w+") as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, env=env, start_new_session=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, mask))
        reason = status = None
        try:
            status = process.wait(limit)
            if status < 0:
                reason = "killed by " + signal.Signals(-status).name
            elif status:
                reason = f"status {status}"
        except subprocess.TimeoutExpired:
            reason = f"no end after {limit:g} s"
            if gdb:
                reason += "\n" + stacks(process.pid)
        try:
            os.killpg(process.pid, signal.SIGKILL)  # also the processes that it left behind
        except ProcessLookupError:
            pass
        process.wait()
        out.seek(0)
        return status, reason, out.read()


def header(source, keys=KEYS):
    """The directives of a program: key -> list of values."""
    found = {}
    mark = {".sh": "#", ".f90": "!"}.get(source.suffix, "//")
    for line in source.read_text().splitlines():
        if not line.startswith(mark):
            break
        match = re.match(mark + r"\s*(\w+):\s*(.*)", line)
        if match and match[1] in keys:
            found.setdefault(match[1], []).append(match[2].strip())
    return found


SKIPPED = 77


def compiler_missing(source):
    """The line for a program whose compiler is not installed, or None."""
    compiler = compiler_of(source)
    return None if shutil.which(compiler) else f"MISSING {source.stem}: {compiler} (scripts/install-deps test)"


def why_skipped(output):
    """The reason that a program gives which ended with SKIPPED."""
    return (re.findall(r"^SKIP: (.*)", output, re.M) or ["it does not say why"])[-1]


def settings(keys):
    """All runs of a program: (name of the setting, variables)."""
    threads = " ".join(keys.get("threads", [])).split() or [None]
    for number in threads:
        for line in keys.get("env", ["-"]):
            pairs = [] if line == "-" else line.split()
            label = ([f"threads={number}"] if number else []) + pairs
            env = dict(p.split("=", 1) for p in pairs)
            if number:
                env["OMP_NUM_THREADS"] = number
            yield " ".join(label), env
