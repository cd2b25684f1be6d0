"""gdb's commands for members of teams: share/forestgomp-gdb.py, which gdb finds beside the library.

Each program stops itself by SIGTRAP once all members stand where they should. So no test attaches to a process or waits for a time. The
library is stripped: nothing is known of it but its table."""
import contextlib
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

from testing import BUILD, LIMIT, ROOT, Missing, clean_environment, compiled, expect

SCRIPT = ROOT / "share" / "forestgomp-gdb.py"
MEMBERS = 64
# 2 members with 32 each. STAND is one line, so it does not matter how far a member has come in it.
SOURCE = """#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
static omp_lock_t lock[2];
static volatile int arrived, never;
static void stand(int secret) {
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED); STAND /* here */
	never = secret;
}
static void *stops(void *unused) {
	while (arrived < 64) usleep(1000);
	raise(SIGTRAP);
	return unused;
}
int main(void) {
	pthread_t thread;
	for (int i = 0; i < 2; i++) { omp_init_lock(&lock[i]); omp_set_lock(&lock[i]); }
	omp_set_max_active_levels(2);
	pthread_create(&thread, NULL, stops, NULL);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(32)
		stand(1000 * outer + omp_get_thread_num());
	}
	return 0;
}
"""
BLOCKED = SOURCE.replace("STAND", "omp_set_lock(&lock[secret / 1000]);")
YIELDING = SOURCE.replace("STAND", "while (!never) sched_yield();")
HERE = 1 + SOURCE[:SOURCE.index("/* here */")].count("\n")

KINDS = """#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int arrived, spins = 1;
static int pipes[2];
static void arrives(void) { __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED); }
static void computes(void) { arrives(); while (spins); }
static void reads(void) { char c; arrives(); if (read(pipes[0], &c, 1) < 0) perror("read"); }
static void *stops(void *unused) {
	while (arrived < 3) usleep(1000);
	raise(SIGTRAP);
	return unused;
}
int main(void) {
	pthread_t thread;
	if (pipe(pipes)) return 1;
	pthread_create(&thread, NULL, stops, NULL);
#pragma omp parallel num_threads(3)
#pragma omp sections
	{
#pragma omp section
		computes();
#pragma omp section
		reads();
#pragma omp section
		{
#pragma omp task
			computes();
#pragma omp taskwait
		}
	}
	return 0;
}
"""


class Place:
    """A folder with a copy of the library, stripped, and the script beside it under the name by which gdb finds it."""

    def __init__(self, name):
        self.folder = pathlib.Path(name).resolve()
        self.built = self.folder / "libgomp.so.1"
        shutil.copy(BUILD / "lib" / "libgomp.so.1", self.built)
        subprocess.run(["strip", "--strip-unneeded", self.built], check=True, timeout=LIMIT)
        shutil.copy(SCRIPT, self.folder / "libgomp.so.1-gdb.py")

    def program(self, source, *flags):
        (self.folder / "members.c").write_text(source)
        return compiled(self.folder / "members", "-g", "-O0", "-fopenmp", "-pthread", *flags, self.folder / "members.c")

    def gdb(self, *words, commands=(), **variables):
        """What gdb prints for the commands. The program runs on the folder's library."""
        settings = [f"set auto-load safe-path {self.folder}", "set startup-with-shell off", "set disable-randomization off",
                    "set debuginfod enabled off", "set width 0"]
        environment = {"LD_LIBRARY_PATH": str(self.folder), "OMP_STACKSIZE": "128K", **variables}
        settings += [f"set environment {name} {value}" for name, value in environment.items()]
        options = [word for setting in settings for word in ("-iex", setting)]
        options += [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(["gdb", "-nx", "-q", "-batch", *options, *words], capture_output=True, text=True, timeout=LIMIT,
                              cwd=self.folder, env=clean_environment())
        text = done.stdout + done.stderr
        if "Could not trace the inferior" in text or "ptrace: Operation not permitted" in text:
            raise Missing("the right to trace a process")
        if "Python scripting is not supported" in text or "Scripting in the \"Python\" language is not supported" in text:
            raise Missing("a gdb with Python (scripts/install-deps test)")
        return text


@contextlib.contextmanager
def place():
    if not shutil.which("gdb"):
        raise Missing("gdb (scripts/install-deps test)")
    with tempfile.TemporaryDirectory(prefix="forestgomp-gdb-") as name:
        yield Place(name)


def standing(text):
    """The number of members that stand in the line."""
    count = 0
    for line in text.splitlines():
        if f"members.c:{HERE}" in line and (found := re.search(r"members? (\d+)(?: to (\d+), each)?: ", line)):
            count += int(found[2] or found[1]) - int(found[1]) + 1
    return count


def all_found(text):
    """Of `info openmp`, `openmp bt all` and `openmp apply all print secret`: each member is there once, with its own frame."""
    info, _, traces = text.partition("BEGIN-BT")
    expect(standing(info) == MEMBERS, f"{standing(info)} members stand in the line: {info}")
    traces, _, secrets = traces.partition("BEGIN-APPLY")
    frames = re.findall(rf"\bstand \(secret=(\d+)\) at .*members\.c:{HERE}$", traces, re.M)
    wanted = sorted(1000 * outer + inner for outer in range(2) for inner in range(MEMBERS // 2))
    expect(sorted(map(int, frames)) == wanted, f"backtraces: {traces}")
    printed = re.findall(r"^\$\d+ = (\d+)$", secrets, re.M)
    expect(sorted(map(int, printed)) == wanted, f"variables: {secrets}")


ASK = ["info openmp", "echo BEGIN-BT\\n", "openmp bt all", "echo BEGIN-APPLY\\n", "openmp apply all print secret"]


def one_line(text, *words):
    """The last line of gdb has the words, and there is no other answer."""
    lines = text.strip().splitlines()
    expect(lines and all(word in lines[-1] for word in words), f"{words} not in the last line: {text}")
    expect("Traceback" not in text and "Python Exception" not in text and "region of" not in text, text)


def test_gdb_lies_beside_the_library():
    library = (BUILD / "lib" / "libgomp.so.1").resolve()
    expect(pathlib.Path(f"{library}-gdb.py").read_text() == SCRIPT.read_text(), "not beside the library of the build folder")
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", name], check=True, capture_output=True)
        found = [path.with_name(path.name.removesuffix("-gdb.py")) for path in pathlib.Path(name).rglob("libgomp.so*-gdb.py")]
        expect(len(found) == 1 and found[0].is_file() and not found[0].is_symlink(), f"installed: {found}")


def test_gdb_blocked_members_live_and_core():
    with place() as here:
        program = here.program(BLOCKED)
        text = here.gdb(program, commands=["run", *ASK, "echo BEGIN-THREADS\\n", "thread apply all bt", "gcore core"])
        mine, _, threads = text.partition("BEGIN-THREADS")
        all_found(mine)
        expect(threads.count("stand (secret=") < MEMBERS, "gdb's own threads have all members, so the test shows nothing")
        all_found(here.gdb(program, "core", commands=ASK))
        # The file of the library is another build now.
        note = here.folder / "note"
        subprocess.run(["objcopy", "--dump-section", f".note.gnu.build-id={note}", here.built], check=True, timeout=LIMIT)
        note.write_bytes(note.read_bytes()[:-4] + b"fake")
        subprocess.run(["objcopy", "--update-section", f".note.gnu.build-id={note}", here.built], check=True, timeout=LIMIT)
        one_line(here.gdb(program, "core", commands=["info openmp"]), "another build of ForestGOMP")
        # And one whose table lies elsewhere.
        (here.folder / "other.c").write_text("const char fgomp_layout[5000] = \"other\";")
        compiled(here.built, "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1", here.folder / "other.c")
        one_line(here.gdb(program, "core", commands=[f"source {SCRIPT}", "info openmp"]), "another build of ForestGOMP")


STEPS = """
import struct
def code():
    at = int(gdb.parse_and_eval("&fgomp_layout"))
    return struct.unpack("<3Q", bytes(gdb.selected_inferior().read_memory(at + 48, 24)))
begin, saved, end = code()
gdb.execute(f"tbreak *{begin}")
gdb.execute("continue")
gdb.execute("set scheduler-locking on")
steps = 0
while begin <= gdb.newest_frame().pc() < end:
    gdb.execute("info openmp")
    print("STEP", "saved" if gdb.newest_frame().pc() >= saved else "")
    gdb.execute("stepi", to_string=True)
    steps += 1
"""


def test_gdb_in_the_midst_of_a_switch():
    """At each instruction of a switch each member is there once, whichever the kernel thread carries."""
    with place() as here:
        program = here.program(YIELDING)
        (here.folder / "steps.py").write_text(STEPS)
        text = here.gdb(program, commands=["run", "source steps.py"], FGOMP_SLICE="0")
        steps = text.split("STEP")
        expect(len(steps) > 20, f"only {len(steps)} steps: {text}")
        for step in steps[:-1]:
            expect(standing(step) == MEMBERS, f"{standing(step)} members: {step}")
        carried = {tuple(re.findall(r"^\* *(\d+)", step, re.M)) for step in steps[:-1]}
        expect(len(carried) > 1, f"the selected thread carried the same member all the time: {carried}")


def test_gdb_members_of_all_kinds():
    for variables in ({}, {"FGOMP_THREADS": "kernel"}):
        with place() as here:
            text = here.gdb(here.program(KINDS), commands=["run", "info openmp"], FGOMP_SLICE="5ms", **variables)
            for words in (r"region of 3 members \((flat|a kernel thread each)\), main\._omp_fn\.0 at members\.c:\d+",
                          r"member \d: .*reads at members\.c:9", r"member \d: [^,]*(, waits for \w+)?, in computes at members\.c:8",
                          r"member \d: [^\n]*in a task, in computes at members\.c:8"):
                expect(re.search(words, text), f"{variables}: {words!r} is not in {text}")


def test_gdb_nothing_to_show():
    with place() as here:
        one_line(here.gdb(commands=[f"source {SCRIPT}", "info openmp"]), "There is no process")
        program = here.program("#include <signal.h>\nint main(void) { raise(SIGTRAP); }\n", "-Wl,--no-as-needed")
        one_line(here.gdb(program, commands=["run", "info openmp"]), "No thread has met OpenMP so far")
        program = here.program("#include <omp.h>\n#include <signal.h>\nint main(void) {\n#pragma omp parallel\n;\nraise(SIGTRAP); }\n")
        one_line(here.gdb(program, commands=["run", "info openmp"]), "No parallel region is in flight")
        one_line(here.gdb(program, commands=["run", "openmp bt"]), "Usage: openmp bt")
        plain = compiled(here.folder / "plain", here.folder / "members.c")
        one_line(here.gdb(plain, commands=[f"source {SCRIPT}", "run", "info openmp"]), "This program has no ForestGOMP")


def test_gdb_script_of_another_version():
    with place() as here:
        program = here.program(BLOCKED)
        text = here.built.read_bytes()
        at = text.index(b"ForestGOMP" + bytes(6) + struct.pack("<I", 1)) + 16
        here.built.write_bytes(text[:at] + struct.pack("<I", 99) + text[at + 4:])
        one_line(here.gdb(program, commands=["run", "info openmp"]), "version 99", "use the script beside the library")
