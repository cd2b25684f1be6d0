"""`forestgomp doctor` names each planted fault with a remedy, and finds none on a clean machine."""
import contextlib
import functools
import json
import os
import resource
import shutil
import signal
import subprocess
import threading

from installed import blank, command, environment, folder, packages, python, run
from testing import BUILD, LIMIT, Missing, clean_environment, compiled, complains, expect, forestgomp

CLEAN = {"system": "Linux 6.1.0, x86_64", "pus": 8, "affinity": "0-7", "pus_online": 8, "quota": "none", "hwloc": "found", "numa_nodes": 1,
         "tls_switch": "wrfsbase (fsgsbase)", "max_processes": 100000, "max_locked": 8388608, "max_memory": "none", "stack": 8388608,
         "perf_event_paranoid": 2, "perf_events": "allowed", "seccomp": "none"}

PROGRAM = """#include <stdio.h>
int main(void) {
#pragma omp parallel num_threads(2)
puts("in"); }
"""


def facts(**others):
    """A file as `forestgomp info --json` writes it: of a clean machine, but for these."""
    path = folder() / "facts.json"
    path.write_text(json.dumps({"machine": {**CLEAN, **others}}, indent=1))
    return path


def asked(start, *words, env=None, before=None, status=None):
    """The findings. They are the same in both forms."""
    result = run(start, "doctor", "--json", *words, env=env, before=before)
    expect(result.returncode in (0, 1), f"{words}: {result}")
    findings = json.loads(result.stdout)["findings"]
    expect(result.returncode == (1 if any(each["in_the_way"] for each in findings) else 0), f"{result}")
    text = run(start, "doctor", *words, env=env, before=before)
    expect(text.returncode == result.returncode, f"{text}")
    for each in findings:
        line = f"{'in the way' if each['in_the_way'] else 'note      '} {each['what']}" + (f"; {each['remedy']}" if each["remedy"] else "")
        expect(line in text.stdout.splitlines(), f"{line!r} is not in {text.stdout!r}")
        expect(each["remedy"] or not each["in_the_way"], f"no remedy: {each}")
    return findings


def in_the_way(findings):
    return {each["key"] for each in findings if each["in_the_way"]}


@functools.lru_cache
def program():
    source = folder() / "program.c"
    source.write_text(PROGRAM)
    return compiled(folder() / "program", "-fopenmp", "-O1", source)


@functools.lru_cache
def bare():
    """An environment with nothing but the wheel."""
    return environment("bare")


def clean_command():
    return bare().parent / "forestgomp"


def test_a_clean_machine():
    for words in ((), (program(),), (bare(),)):
        found = asked(clean_command(), "--facts", facts(), *words)
        expect(not in_the_way(found), f"{words}: {found}")
        expect("nothing is in the way" in run(clean_command(), "doctor", "--facts", facts(), *words).stdout, f"{words}")
    expect(not asked(clean_command(), "--facts", facts()), "findings without packages")


def test_this_machine():
    """Whatever it finds here, it says so in both forms."""
    asked(clean_command())
    asked(BUILD / "bin" / "forestgomp", program())


def test_a_package_with_a_libgomp():
    found = asked(command(), "--facts", facts())
    brought = [each["what"] for each in found if each["key"] == "brings"]
    expect(len(brought) == 1 and "planted brings libgomp" in brought[0] and "as planted.libs/libgomp-a.so, for 1 library" in brought[0], f"{found}")
    expect(not in_the_way(found), f"{found}")
    told = run(python(), "-m", "forestgomp", "doctor", "--facts", facts()).stdout
    expect("planted brings libgomp" in told and f"Python: {python()}" in told, told)
    script = folder() / "some.py"
    script.write_text("import planted\n")
    expect("planted brings libgomp" in run(command(), "doctor", "--facts", facts(), script).stdout, "of a script")
    expect("planted brings libgomp" in run(BUILD / "bin" / "forestgomp", "doctor", "--facts", facts(), python()).stdout, "of a Python")


def test_surroundings():
    for key, words, others in (("quota", ("1.50 of 8",), {"quota": 1.5}), ("mask", ("2 of the machine's 8",), {"pus": 2}),
                               ("paranoid", ("forbidden", "perf_event_paranoid is 3", "sysctl"), {"perf_event_paranoid": 3, "perf_events": "forbidden"}),
                               ("paranoid", ("seccomp", "PERFMON"), {"seccomp": "filter", "perf_events": "forbidden"}),
                               ("no_hwloc", ("libhwloc15",), {"hwloc": "libhwloc.so.15 is not installed"}),
                               ("ulimit_u", ("only 100 ", "ulimit -u"), {"max_processes": 100}), ("ulimit_v", ("ulimit -v",), {"max_memory": 1 << 30}),
                               ("ulimit_l", ("ulimit -l",), {"max_locked": 0}),
                               ("no_fsgsbase", ("5.9",), {"tls_switch": "arch_prctl (no fsgsbase: each switch is a system call)"})):
        found = asked(clean_command(), "--facts", facts(**others))
        expect(in_the_way(found) == {key} and all(word in found[0]["what"] + found[0]["remedy"] for word in words), f"{key}: {found}")


def test_live_surroundings():
    """The facts are this machine's, too."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    wanted = {"ulimit_u", "ulimit_v"} | ({"mask"} if os.sysconf("SC_NPROCESSORS_ONLN") > 1 else set())
    found = in_the_way(asked(clean_command(), program(), before=limited))
    expect(wanted <= found, f"{found}")


def test_variables():
    for key, blocks, env, words in (("one_thread", True, {"OMP_NUM_THREADS": "1"}, ("unset OMP_NUM_THREADS",)),
                                    ("one_thread_limit", True, {"OMP_THREAD_LIMIT": "1"}, ("unset OMP_THREAD_LIMIT",)),
                                    ("bind", False, {"OMP_PROC_BIND": "close"}, ("seats",)), ("kmp", False, {"KMP_AFFINITY": "compact"}, ("ignored",)),
                                    ("mkl", True, {"MKL_THREADING_LAYER": "INTEL"}, ("MKL_THREADING_LAYER=GNU",)),
                                    ("stale_preload", True, {"LD_PRELOAD": "/nowhere/libx.so"}, ("/nowhere/libx.so", "unset LD_PRELOAD")),
                                    ("other_preload", True, {"LD_PRELOAD": "libgomp.so.1"}, ("unset LD_PRELOAD",))):
        found = asked(clean_command(), "--facts", facts(), env=env)
        expect([each["key"] for each in found] == [key] and found[0]["in_the_way"] == blocks, f"{key}: {found}")
        expect(all(word in found[0]["what"] + found[0]["remedy"] for word in words), f"{key}: {found}")
    for env in ({"OMP_NUM_THREADS": "1,2"}, {"OMP_NUM_THREADS": "11"}, {"OMP_NUM_THREADS": " 01 "}, {"OMP_PROC_BIND": "FALSE"}, {"LD_PRELOAD": ""}):
        found = in_the_way(asked(clean_command(), "--facts", facts(), env=env))
        expect(found == ({"one_thread"} if env.get("OMP_NUM_THREADS") in ("1,2", " 01 ") else set()), f"{env}: {found}")


@functools.lru_cache
def static():
    """A static program; None: there are no static libraries."""
    program()  # leaves the source
    with contextlib.suppress(subprocess.CalledProcessError):
        return compiled(folder() / "static", "-static", "-fopenmp", "-O1", folder() / "program.c")
    return None


@functools.lru_cache
def of_clang():
    """A program of clang's, as far as the dynamic linker sees it."""
    source = folder() / "empty.c"
    source.write_text("int __kmpc_none(void) { return 0; }\n")
    libomp = compiled(folder() / "libomp.so.5", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5", source)
    source = folder() / "of_clang.c"
    source.write_text("int __kmpc_none(void); int main(void) { return __kmpc_none(); }\n")
    return compiled(folder() / "of_clang", source, libomp, f"-Wl,-rpath,{folder()}")


@functools.lru_cache
def with_rights():
    if os.geteuid() != 0:
        return next((path for path in map(shutil.which, ("su", "passwd", "mount")) if path), program())
    mine = folder() / "set_uid"
    shutil.copy(program(), mine)
    os.chown(mine, 65534, 65534)
    mine.chmod(0o4755)
    return mine


def test_programs():
    for key, file in (("static", static()), ("loads_other", of_clang()), ("set_uid", with_rights())):
        found = in_the_way(asked(clean_command(), "--facts", facts(), file)) if file else {key}
        expect(found == {key} or (key == "set_uid" and key in found), f"{key}: {found}")


def test_a_file_that_cannot_be_run():
    result = forestgomp("doctor", "/etc/passwd")
    expect(result.returncode == 1 and "/etc/passwd cannot be run: Permission denied" in result.stdout, str(result))
    expect("cannot be run" not in forestgomp("doctor", BUILD / "lib" / "libgomp.so.1").stdout, "a library")


def test_twelve_faults_at_once():
    """Each is named, with a remedy."""
    bad = facts(quota=1.5, pus=2, perf_event_paranoid=3, perf_events="forbidden", hwloc="libhwloc.so.15 is not installed", max_processes=100)
    env = {"OMP_NUM_THREADS": "1", "LD_PRELOAD": "/nowhere/libx.so"}
    found = asked(blank().parent / "forestgomp", "--facts", bad, env=env)
    for file in (static(), of_clang(), with_rights()):
        found += asked(clean_command(), "--facts", facts(), file) if file else []
    remedied = {each["key"] for each in found if each["remedy"]}
    wanted = {"brings", "quota", "mask", "paranoid", "no_hwloc", "ulimit_u", "one_thread", "stale_preload", "blank", "loads_other", "set_uid"}
    expect(remedied == wanted | ({"static"} if static() else set()), f"{found}")


def test_a_program_is_not_run():
    source = folder() / "writes.c"
    source.write_text('#include <stdio.h>\nint main(void) { fclose(fopen("written", "w")); return 0; }\n')
    # As musl's, this loader does not know what glibc's is asked, and what it starts does something.
    loader, own = folder() / "ld-musl-x86_64.so.1", folder() / "loader.c"
    own.write_text("""#include <fcntl.h>
#include <sys/syscall.h>
static long call(long n, long a, long b, long c) {
	__asm__ volatile("syscall" : "+a"(n) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return n;
}
void _start(void) {
	call(SYS_open, (long)"written", O_CREAT | O_WRONLY, 0600);
	call(SYS_exit_group, 0, 0, 0);
}
""")
    for flags in ((), ("-static",), (f"-Wl,--dynamic-linker={loader}",)):
        try:
            if flags and not flags[0].startswith("-s"):
                compiled(loader, own, "-static", "-nostdlib", "-O1")
            writes = compiled(folder() / "writes", source, *flags)
        except subprocess.CalledProcessError:
            continue
        found = in_the_way(asked(clean_command(), "--facts", facts(), writes))
        expect(found == ({"loader"} if "--dynamic" in str(flags) else set()), f"{flags}: {found}")
        run(clean_command(), "run", "--check", writes)
        expect(not (folder() / "written").exists(), f"it ran: {flags}")


def test_other_files():
    """Libraries that are cut off or are none do no harm."""
    site = packages(environment("odd"))
    whole = (packages(python()) / "planted" / "extension.so").read_bytes()
    (site / "odd").mkdir()
    for i, data in enumerate((b"", b"text", whole[:64], whole[:500], whole[:3000], whole[: len(whole) // 2], whole[:40] + b"\xff" * 24 + whole[64:])):
        (site / "odd" / f"libgomp-{i}.so").write_bytes(data)
        (site / "odd" / f"module{i}.so").write_bytes(data)
    os.mkfifo(site / "odd" / "fifo.so")
    (site / "odd" / "link.so").symlink_to("nowhere")
    (site / "odd" / "libomp.so").write_bytes(whole)
    found = asked(folder() / "odd" / "bin" / "forestgomp", "--facts", facts())
    expect(in_the_way(found) == {"brings_other"} and "odd brings libomp of gcc " in str(found), f"{found}")


def test_a_blank():
    runtime = folder() / "run"
    runtime.mkdir(mode=0o700)
    found = asked(blank().parent / "forestgomp", "--facts", facts(), env={"XDG_RUNTIME_DIR": str(runtime)})
    expect([each["key"] for each in found] == ["blank", "brings"] and str(runtime) in found[0]["what"], f"{found}")


def asleep(*words, env=None):
    """A program that has said something and sleeps."""
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True, env={**clean_environment(), **(env or {})}, cwd=folder())
    limit = threading.Timer(LIMIT, process.kill)
    limit.start()
    said = process.stdout.readline()
    limit.cancel()
    expect(said, f"{words} said nothing")
    return process


SLEEPS = "planted.team(); print(1, flush=True); import time; time.sleep(1000)"


def test_processes():
    for words, env, wanted, blocks in ((("-m", "forestgomp", "run", "-c", "import planted; " + SLEEPS), {}, {"served"}, set()),
                                       (("-c", "import planted; " + SLEEPS), {"OMP_NUM_THREADS": "1"}, {"not_served", "mapped"}, {"not_served", "one_thread"}),
                                       (("-c", "import forestgomp; forestgomp.load(); import planted; " + SLEEPS), {}, {"served_in_part"}, set())):
        process = asleep(python(), *words, env=env)
        try:
            found = asked(command(), process.pid)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(LIMIT)
            process.stdout.close()
        keys = {each["key"] for each in found}
        expect(keys & {"served", "served_in_part", "not_served", "mapped"} == wanted and in_the_way(found) & {"not_served", "one_thread", "served_in_part"} == blocks, f"{words}: {found}")
    complains(run(command(), "doctor", process.pid), 2, f"there is no process {process.pid}")


def test_wrong_calls():
    complains(forestgomp("doctor", "/nowhere"), 2, "there is no program '/nowhere'")
    complains(forestgomp("doctor", "nowhere.py"), 2, "there is no script 'nowhere.py'")
    complains(forestgomp("doctor", "99999999999"), 2, "no number of a process")
    complains(forestgomp("doctor", "12x"), 2, "no number of a process")
    complains(forestgomp("doctor", "--facts", "/nowhere"), 2, "--facts /nowhere is not valid")
    complains(forestgomp("doctor", "a", "b"), 2, "one at a time")
    complains(forestgomp("doctor", "--jsn"), 2, "--json")


def test_three_hundred_packages():
    made = environment("many")
    site = packages(made)
    python()  # leaves the source
    extension = compiled(folder() / "plain.so", "-O1", "-fopenmp", "-shared", "-fPIC", folder() / "extension.c")
    for i in range(300):
        for part in range(10):
            place = site / f"package{i}" / f"part{part}"
            place.mkdir(parents=True)
            (place / "code.py").touch()
            os.link(extension, place / "module.so") if os.stat(extension).st_dev == os.stat(site).st_dev else shutil.copy(extension, place / "module.so")
    found = asked(made.parent / "forestgomp", "--facts", facts())
    expect(len(found) == 300 and all(each["key"] == "uses" and "for 10 libraries" in each["what"] for each in found), f"{len(found)}: {found[:2]}")
