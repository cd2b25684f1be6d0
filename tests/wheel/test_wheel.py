"""The wheel in a fresh environment: programs of Python run on it, with their children; it comes and goes without a trace."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import zipfile

from installed import BROUGHT, blank, command, environment, folder, make_wheel, packages, pip, python, run, wheel
from testing import BUILD, LIMIT, Missing, available, clean_environment, compiled, complains, expect

SCRIPT = """import planted, sys
print(planted.server(), planted.team(), sys.prefix, *sys.argv[1:])
"""

CHILDREN = """import multiprocessing, subprocess, sys, planted
def who(_):
    import planted
    return planted.server()
if __name__ == "__main__":
    told = [planted.server()]
    for how in ("spawn", "fork", "forkserver"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            told += pool.map(who, [0])
    told += subprocess.check_output([sys.executable, "-c", "import planted; print(planted.server())"], text=True).split()
    print(*told)
"""


def script(name, text):
    path = folder() / name
    path.write_text(text)
    return path


def says(result, *words):
    expect(result.returncode == 0 and result.stdout.split() == [str(word) for word in words], f"{result.returncode} {result.stdout!r} {result.stderr!r}")


def test_without_run_the_package_has_its_own():
    says(run(python(), script("plain.py", SCRIPT), env={"OMP_NUM_THREADS": "2"}), "own", 2, python().parent.parent)


def test_scripts_modules_and_code_run_by_the_same_python():
    path = script("plain.py", SCRIPT)
    code = SCRIPT.replace("\n", ";").rstrip(";")
    for words in ((path,), ("--", path), ("-c", code), (f"--code={code}",), ("--sched", "steal", "--slice", "2ms", path), ("-b", "false", "-c", code)):
        for start in ((python(), "-m", "forestgomp"), (command(),)):
            says(run(*start, "run", "-n", 3, *words, "-n", "7"), "ForestGOMP", 3, python().parent.parent, "-n", 7)
    says(run(python(), "-m", "forestgomp", "run", "-n", 3, "-m", "planted"), "ForestGOMP")
    says(run(python(), "-m", "forestgomp", "run", "--module=planted"), "ForestGOMP")
    says(run(python(), "-m", "forestgomp", "run", "sh", "-c", "echo ${FORESTGOMP_PYTHON-none}"), "none")


def test_children_are_served():
    says(run(python(), "-m", "forestgomp", "run", script("children.py", CHILDREN)), *["ForestGOMP"] * 5)


def test_the_status_is_the_program_s():
    for code, status in (("raise SystemExit(7)", 7), ("import os; os.abort()", -6)):
        expect(run(python(), "-m", "forestgomp", "run", "-c", code).returncode == status, code)


def test_what_is_not_there():
    complains(run(python(), "-m", "forestgomp", "run", "nix.py"), 127, "there is no script 'nix.py'")
    complains(run(python(), "-m", "forestgomp", "run", "-m"), 125, "-m needs a value")
    path = script("plain.py", SCRIPT)
    complains(run(BUILD / "bin" / "forestgomp", "run", path.name), 127, f"python3 -m forestgomp run {path.name}")
    complains(run(BUILD / "bin" / "forestgomp", "run", path), 126, f"forestgomp run python3 {path}")
    complains(run(BUILD / "bin" / "forestgomp", "run", "-c", "pass"), 125, "python3 -m forestgomp run")
    program = script("here", "#!/bin/sh\n")
    program.chmod(0o755)
    complains(run(BUILD / "bin" / "forestgomp", "run", "here"), 127, "./here")


MAPPED = """import planted
planted.team()
names = {line.split("/")[-1].strip() for line in open("/proc/self/maps")}
print(planted.server(), *(name for name in names if name.startswith("libgomp")))
"""


def test_the_copy_of_a_package_is_not_loaded():
    """Though its modules ask for it by its own name. Without ForestGOMP it is."""
    path = script("mapped.py", MAPPED)
    says(run(python(), path), "own", BROUGHT)
    says(run(python(), "-m", "forestgomp", "run", path), "ForestGOMP", "libgomp.so.1")
    says(run(python(), "-c", "import forestgomp; forestgomp.load();" + MAPPED.replace("\n", ";")), "ForestGOMP", "libgomp.so.1")
    result = run(python(), "-m", "forestgomp", "run", "--verbose", path)
    expect(f"stands for {packages(python())}/planted.libs/{BROUGHT}, which is not loaded" in result.stderr, result.stderr)
    expect("stands for" not in run(python(), "-m", "forestgomp", "run", "--verbose", "true").stderr, "in a program that is no Python")


DEADLY = """import ctypes, platform, struct, sys
kill, allow = 0x80000000, 0x7fff0000
filter = b"".join(struct.pack("HBBI", *line) for line in (
    (0x20, 0, 0, 0), (0x15, 0, 1, {"x86_64": 319, "aarch64": 279}[platform.machine()]), (6, 0, 0, kill), (6, 0, 0, allow)))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]
no_new_privileges, seccomp, by_filter = 38, 22, 2
prctl = ctypes.CDLL(None).prctl
print(prctl(no_new_privileges, 1, 0, 0, 0), prctl(seccomp, by_filter, ctypes.byref(Program(4, filter)), 0, 0), flush=True)
import forestgomp
forestgomp.load()
""" + MAPPED


def test_a_sandbox_that_forbids_to_stand_in():
    """A filter ends a process that calls memfd_create. Copies are loaded there, as ever."""
    result = run(python(), script("deadly.py", DEADLY))
    expect(result.returncode == 0 and result.stdout.startswith("0 0") and BROUGHT in result.stdout, str(result))


THREADPOOLCTL = """import os, planted, threading, threadpoolctl
def openmp():
    return [each for each in threadpoolctl.threadpool_info() if each["user_api"] == "openmp"]
def other():
    thread = threading.Thread(target=lambda: told.append(planted.team()))
    thread.start()
    thread.join()
planted.team()
told = [len(openmp()), os.path.realpath(openmp()[0]["filepath"]), openmp()[0]["num_threads"]]
with threadpoolctl.threadpool_limits(2, user_api="openmp"):
    told += [openmp()[0]["num_threads"], planted.team()]
    other()
print(*told, planted.team())
"""


def test_threadpoolctl():
    """It finds one library, ours, and its limit is that of the calling thread."""
    with tempfile.TemporaryDirectory() as beside:
        found, path = available("threadpoolctl", beside)
        if found is None:
            raise Missing(f"python3-threadpoolctl (scripts/install-deps test); pip: {path}")
        where = subprocess.run([found, "-c", "import threadpoolctl; print(threadpoolctl.__file__)"], capture_output=True, text=True, timeout=LIMIT,
                               env={**clean_environment(), "PYTHONPATH": path}).stdout.strip()
        shutil.copy(where, folder() / "threadpoolctl.py")
    library = packages(python()) / "forestgomp" / "lib" / "libgomp.so.1"
    says(run(python(), "-m", "forestgomp", "run", "-n", 4, script("limits.py", THREADPOOLCTL)), 1, library, 4, 2, 2, 4, 4)


LOADED = "import forestgomp; print(forestgomp.load()); import planted; print(planted.server(), forestgomp.load())"


def test_load():
    library = packages(python()) / "forestgomp" / "lib" / "libgomp.so.1"
    says(run(python(), "-c", LOADED), library, "ForestGOMP", library)
    says(run(python(), "-m", "forestgomp", "run", "-c", LOADED), library, "ForestGOMP", library)


def test_load_too_late():
    result = run(python(), "-c", "import planted, forestgomp; forestgomp.load()")
    last = result.stderr.strip().splitlines()[-1]
    expect(result.returncode == 1 and "TooLate" in last and "planted has loaded" in last and "libgomp-a.so" in last and "run" in last, result.stderr)


def test_the_command_is_found_from_everywhere():
    link = folder() / "link"
    if not link.is_symlink():
        link.symlink_to(command())
    version = run(BUILD / "bin" / "forestgomp", "--version").stdout
    for words, how in (((link,), {}), (("./forestgomp",), {"cwd": command().parent}), (("sh", "forestgomp"), {"cwd": command().parent}),
                       (("forestgomp",), {"env": {"PATH": f"{command().parent}:{os.environ['PATH']}"}})):
        result = run(*words, "--version", **how)
        expect(result.stdout == version, f"{words}: {result}")
    result = run(command(), "info", "--json")
    expect(json.loads(result.stdout)["library"] == str(packages(python()) / "forestgomp" / "lib" / "libgomp.so.1"), result.stdout)
    expect("opteron-8x2" in run(command(), "sim", "--list").stdout, "the machines")


def test_a_simulated_run():
    result = run(python(), "-m", "forestgomp", "sim", "-m", "numa:1 core:2", "--no-baseline", python(), "-m", "planted")
    expect(result.returncode == 0 and "predicted time" in result.stdout and "ForestGOMP" in result.stderr + result.stdout, f"{result}")


RECORDED = """#include <forestgomp/record.h>
static long data[8][64];
int main(void) {
#pragma omp parallel num_threads(8)
for (int k = 0; k < 8; k++)
#pragma omp for schedule(static, 1)
for (int i = 0; i < 8; i++) for (int j = 0; j < 64; j++) data[i ^ (k & 1)][j]++;
return 0; }
"""


def test_recorders():
    """The archive of hooks and the emulator's plug-in: a plan of teams of 8 comes from either."""
    tree = packages(python()) / "forestgomp"
    source = script("recorded.c", RECORDED)
    plain, hooks = folder() / "plain", folder() / "hooks"
    compiled(plain, "-O1", "-fopenmp", f"-I{tree / 'include'}", source)
    compiled(folder() / "recorded.o", "-c", "-O1", "-fopenmp", "-fsanitize=thread", f"-I{tree / 'include'}", source)
    compiled(hooks, "-fopenmp", folder() / "recorded.o", f"-L{tree / 'lib'}", "-lforestgomp-record")
    for words in ((hooks,), ("--emulate", plain)):
        if len(words) > 1 and not shutil.which("qemu-x86_64"):
            raise Missing("qemu-x86_64 (scripts/install-deps test)")
        trace = folder() / "recorded.fgt"
        result = run(command(), "run", *words[:-1], "--trace", trace, words[-1])
        expect(result.returncode == 0 and not result.stderr, f"{words}: {result}")
        result = run(command(), "pin", "-m", "nehalem-2x4", "--from", trace, "--json")
        plan = json.loads(result.stdout)
        expect(plan["records"] >= 8 * 16 and plan["lost_bytes"] == 0, f"{words}: {result.stdout[:400]}")


def test_a_path_with_a_blank():
    """A link without one is preloaded. Where there can be no link that is the user's own, one line tells."""
    made = blank()
    runtime = folder() / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    for _ in range(2):
        says(run(made, "-m", "forestgomp", "run", "-m", "planted", env={"XDG_RUNTIME_DIR": str(runtime)}), "ForestGOMP")
    links = list(runtime.iterdir())
    expect(len(links) == 1 and links[0].is_symlink() and links[0].resolve() == packages(made) / "forestgomp" / "lib", f"{links}")
    expect(run(made, "-m", "forestgomp", "run", "--check", "true", env={"XDG_RUNTIME_DIR": str(runtime)}).stdout.startswith("ForestGOMP "), "--check")
    simulated = run(made, "-m", "forestgomp", "sim", "-m", "numa:1 core:2", "--no-baseline", made, "-m", "planted", env={"XDG_RUNTIME_DIR": str(runtime)})
    expect(simulated.returncode == 0 and "predicted time" in simulated.stdout, f"{simulated}")
    links[0].unlink()
    links[0].symlink_to(folder())
    result = run(made, "-m", "forestgomp", "run", "-c", "print(1)", env={"XDG_RUNTIME_DIR": str(runtime)})
    expect(result.stdout == "1\n" and len(result.stderr.splitlines()) == 1 and "cannot be preloaded" in result.stderr, f"{result}")
    found = run(made, "-m", "forestgomp", "doctor", env={"XDG_RUNTIME_DIR": str(runtime)})
    expect(found.returncode == 1 and "cannot be preloaded" in found.stdout, f"{found}")
    links[0].unlink()


def test_equal_builds_give_equal_bytes():
    second = make_wheel(folder() / "again")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (wheel(), second)}
    expect(len(digests) == 1 and second.name == wheel().name, f"{digests}")


def test_what_is_in_it():
    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
        for file in ("bin/forestgomp", "lib/libgomp.so.1", "lib/libforestgomp-stuck.so", "include/forestgomp/sched.h", "lib/simulated/libgomp.so.1",
                     "lib/simulated/forestgomp-player", "share/machines/opteron-8x2.machine"):
            expect(f"forestgomp/{file}" in names, f"{file}: {names}")
        tutorial = [name for name in names if name.endswith("share/doc/forestgomp/tutorial.md") and "/data/" in name]
        expect(len(tutorial) == 1 and tutorial[0].replace("tutorial.md", "examples/tutorial/nested.c") in names, f"{tutorial}")
        page = archive.read(next(name for name in names if name.endswith("man1/forestgomp-run.1"))).decode()
        expect("Python package" in page and "/usr" not in page, page)
        expect("](" not in archive.read(tutorial[0]).decode(), "its links lead to nothing")
        expect(len(names) == len(set(names)), "a file twice")
        recorded = {line.split(",")[0] for name in names if name.endswith("/RECORD") for line in archive.read(name).decode().splitlines()}
        expect(recorded == set(names), f"{recorded ^ set(names)}")
    expect(wheel().stat().st_size < 2e6, f"{wheel().stat().st_size} bytes")
    tree = packages(python()) / "forestgomp"
    for file in ("bin/forestgomp", "lib/libgomp.so.1", "lib/simulated/forestgomp-player"):
        told = subprocess.run(["readelf", "-dW", tree / file], capture_output=True, text=True, timeout=LIMIT).stdout
        paths = [line for line in told.splitlines() if "RPATH" in line or "RUNPATH" in line]
        expect(len(paths) == file.endswith("player") and all("[$ORIGIN/..]" in line for line in paths), f"{file}: {paths}")
    copies = subprocess.run(["readelf", "-rW", tree / "bin" / "forestgomp"], capture_output=True, text=True, timeout=LIMIT).stdout
    expect("_COPY" not in copies, "the command has copies of the C library's variables")


FAKE = """import json, os, planted, sys
print(json.dumps([planted.server(), sys.argv[1:], os.getpid()]))
"""


def test_the_kernel_of_jupyter():
    for words in ((), ("--user",)):
        env = {"JUPYTER_DATA_DIR": str(folder() / "data")}
        where = (folder() / "data" if words else python().parent.parent / "share" / "jupyter") / "kernels" / "forestgomp"
        result = run(command(), "jupyter", *words, env=env)
        expect(result.returncode == 0 and str(where) in result.stdout and "pip install ipykernel" in result.stdout, f"{result}")
        kernel = json.loads((where / "kernel.json").read_text())
        fake = folder() / "fake"
        fake.mkdir(exist_ok=True)
        (fake / "ipykernel_launcher.py").write_text(FAKE)
        started = subprocess.Popen([word.replace("{connection_file}", "file") for word in kernel["argv"]], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": str(fake)})
        told, _ = started.communicate(timeout=LIMIT)
        expect(json.loads(told) == ["ForestGOMP", ["-f", "file"], started.pid], told)  # signals reach it, because it is the same process
        expect(run(command(), "jupyter", "--remove", *words, env=env).returncode == 0 and not where.exists(), "--remove")
        complains(run(command(), "jupyter", "--remove", *words, env=env), 1, "there is no kernel")
    complains(run(BUILD / "bin" / "forestgomp", "jupyter"), 2, "python3 -m forestgomp jupyter")


def test_removal_leaves_nothing():
    made = environment("removed")
    root = made.parent.parent
    pip(made, "uninstall", "--yes", "forestgomp")
    left = [str(path.relative_to(root)) for path in root.rglob("*") if "forestgomp" in path.name]
    expect(not left, f"{left}")
    expect(run(made, "-c", "print(1)").stdout == "1\n", "Python does not start")
