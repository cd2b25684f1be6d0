"""Running programs on simulated machines: `forestgomp sim` and the programs of this folder."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

from testing import BUILD, ROOT, expect, forestgomp

HERE = pathlib.Path(__file__).resolve().parent
TRIES = 20  # of a run with timed stretches, which other programs make longer


def compiled(file, *words):
    """Other tests may run the file meanwhile, so a new one takes its place when it is whole."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    subprocess.run([os.environ.get("CC", "gcc"), "-O2", f"-I{ROOT / 'include'}", "-o", new, *words], check=True)
    new.replace(file)
    return file


def plugin(file, source):
    return compiled(file, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source)


@functools.cache
def programs():
    """Builds the programs and the plug-ins of this folder. Returns the folder where they lie."""
    folder = BUILD / "sim"
    folder.mkdir(exist_ok=True)
    for source in (*HERE.glob("*.c"), HERE.parent / "programs/mailboxes.c", ROOT / "bench/teams.d/programs/families.c",
                   ROOT / "bench/papers.d/twisted.c", ROOT / "bench/papers.d/stream.c", ROOT / "bench/programs/multizone.c"):
        compiled(folder / source.stem, "-fopenmp", source, f"-L{BUILD / 'lib'}", "-l:libgomp.so.1", "-lm")
    for source in (HERE / "plugins").glob("*.c"):
        plugin(folder / f"{source.stem}.so", source)
    return folder


def example(name):
    """The plug-in examples/scheduler/NAME.c."""
    return plugin(programs() / f"{name}.so", ROOT / "examples" / "scheduler" / f"{name}.c")


def call(*words, env=None):
    return forestgomp("sim", *words, env=env)


def sim(machine, *words, options=(), env=None, status=0, baseline=False):
    """Runs one of the programs, with `baseline` on one PU, too. Returns the figures that the command tells in JSON."""
    alone = [] if baseline else ["--no-baseline"]
    result = call("--machine", machine, "--json", *alone, *options, programs() / words[0], *words[1:], env=env)
    expect(result.returncode == status, f"exit status {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def made_up(text):
    """A temporary machine file: it goes when the object does."""
    file = tempfile.NamedTemporaryFile("w", suffix=".machine")
    file.write("name = made up\n" + text)
    file.flush()
    return file


def seen(measure, *words, program="learnt", runner=("-m", "numa:2 core:2", "--given"), env=None):
    """The lines that plugins/sees.c prints in a run of a program: lists of numbers by the word before them."""
    scheduler = f"{programs() / 'sees.so'},measure={measure}"
    if runner:
        result = call(*runner, "--no-baseline", "--sched", scheduler, programs() / program, *words)
    else:
        result = forestgomp("run", "--sched", scheduler, programs() / program, *words, env=env)
    expect(result.returncode == 0, result.stderr)
    lines = {"place": [], "outer": [], "born": [], "ended": [], "events": []}
    for line in result.stderr.splitlines():
        word, *numbers = line.split()
        lines[word].append([float(number) for number in numbers])
    return lines
