#!/usr/bin/env python3
"""Programs with rights that their caller lacks: no variable of ours has any effect there, and nothing is loaded.

  tests/secure/check_privileges.py [--stock] [BUILD]

A program (report.c) prints all that it can see of each variable. It runs as a user with no rights. As it is, it shows
that the variable does have an effect. Set-user-ID, set-group-ID and with a file capability, its output must be the same
as without the variable. The variables that libgomp knows have the effect there that they have with libgomp. Lines are
"PASS name", "FAIL name: why" or "SKIP name: why". Root must run it, in a folder (TMPDIR) where the system honours such
files. --stock: on the system's libgomp, without the runs that show an effect."""
import argparse
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from testing import LIMIT, clean_environment, expect, run  # noqa: E402

CALLER, OWNER = 65534, 65533  # users and groups; they need no names
NET_BIND_SERVICE = 10
EFFECTIVE, REVISION_2 = 1, 0x02000000

# Variables with an effect, which the program, as it is, must show.
VARIABLES = ["FGOMP_SCHED={folder}/hwloc_evil.so", "FGOMP_SCHED=nosuch", "FGOMP_THREADS=nosuch", "FGOMP_SLICE=soon", "FGOMP_SPIN=soon",
             "FGOMP_SIGNAL=SIGUSR1", "FGOMP_SIGNAL=SIGKILL", "FGOMP_STACKSIZE=256K", "FGOMP_STACKSIZE=1", "FGOMP_TOPOLOGY={folder}/nosuch.xml",
             "FGOMP_TOPOLOGY=nosuch:2", "FGOMP_CARRIER=nosuch", "FGOMP_TRACE={folder}/made/trace", "FGOMP_TRACE_SIZE=soon", "FGOMP_VERBOSE=true", "FGOMP_STUCK=10",
             "FGOMP_NOSUCH=1", "HWLOC_PLUGINS_PATH={folder}"]
# Variables with which a program, as it is, waits for ever.
WAITING = ["FGOMP_TOPOLOGY={folder}/pipe.xml", "HWLOC_XMLFILE={folder}/pipe.xml"]


def compile_it(source, target, *flags):
    done = subprocess.run(["gcc", "-O2", "-g", "-o", target, HERE / source, *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"check_privileges.py: {source} does not compile:\n{done.stderr}")


def capability(path):
    """As setcap cap_net_bind_service+ep does."""
    bits = 1 << NET_BIND_SERVICE
    os.setxattr(path, "security.capability", struct.pack("<IIIII", REVISION_2 | EFFECTIVE, bits, 0, 0, 0))


def set_id(path, user, group, bit):
    os.chown(path, user, group)
    os.chmod(path, 0o755 | bit)


KINDS = {
    "set-user-ID": lambda path: set_id(path, OWNER, 0, stat.S_ISUID),
    "set-group-ID": lambda path: set_id(path, 0, OWNER, stat.S_ISGID),
    "file-capability": capability,
}


def prepare(folder, library):
    """Puts the library, the program, code of the caller's, and a folder for files where that user may go."""
    os.chmod(folder, 0o755)
    for name in ("lib", "made"):
        (folder / name).mkdir()
    (folder / "made").chmod(0o777)
    rpath = []
    if library:
        shutil.copy(library, folder / "lib" / "libgomp.so.1")
        rpath = [f"-Wl,-rpath,{folder / 'lib'}"]
    os.mkfifo(folder / "pipe.xml", 0o666)
    compile_it("evil.c", folder / "hwloc_evil.so", "-shared", "-fPIC", f'-DMARK="{folder}/made/mark"')
    compile_it("report.c", folder / "plain", "-fopenmp", *rpath)
    for kind in KINDS:
        shutil.copy(folder / "plain", folder / kind)


def report_of(folder, kind, *variables):
    """Runs the program. Returns (status, stdout, stderr, files that it made)."""
    for left in (folder / "made").iterdir():
        left.unlink()
    env = {name: value for name, value in clean_environment().items() if not name.startswith("HWLOC_")}
    env.update(variable.format(folder=folder).split("=", 1) for variable in variables)
    try:
        done = subprocess.run([folder / kind], cwd=folder, env=env, capture_output=True, text=True, timeout=LIMIT, user=CALLER,
                              group=CALLER, extra_groups=[], stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"no end after {LIMIT} s")
    return done.returncode, done.stdout, done.stderr, sorted(path.name for path in (folder / "made").iterdir())


def difference(was, now):
    """The first line that differs, or None."""
    for what, a, b in zip(("status", "stdout", "stderr", "files"), was, now):
        if a != b:
            lines = [line for line in str(b).splitlines() if line and line not in str(a).splitlines()] or [f"less than {a}"]
            return f"{what} has {lines[0]!r}"
    return None


def check_variable(folder, kind, nothing, variable):
    seen = difference(nothing, report_of(folder, kind, variable))
    expect(not seen, f"{variable} has an effect: {seen}")


def check_loaded(report):
    loaded = [line for line in report[1].splitlines() if "hwloc" in line or "evil" in line]
    expect(not loaded, f"loaded: {', '.join(loaded)}")


def check_libgomps(folder, kind, plain):
    seen = report_of(folder, kind, "OMP_NUM_THREADS=3")[1]
    expect("threads 3\n" in seen and "threads 3\n" not in plain[1], "OMP_NUM_THREADS=3, which libgomp obeys, has no effect")


def check_told(folder, options, kind, wanted):
    done = subprocess.run([options.build / "bin" / "forestgomp", "run", folder / kind], env=clean_environment(), capture_output=True,
                          text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    lines = done.stderr.splitlines()
    right = len(lines) == (wanted is not None) and all(wanted in line for line in lines)
    expect(done.returncode == 0 and right, f"forestgomp run says {done.stderr!r}, status {done.returncode}")


def tests(folder, options):
    """(name, function) of each."""
    plain = report_of(folder, "plain")
    if plain[0] or "secure 0" not in plain[1] or str(folder / "lib") not in ldd(folder) and not options.stock:
        sys.exit(f"check_privileges.py: the program does not run as it is: {plain} {ldd(folder)}")
    controls = [] if options.stock else VARIABLES
    for variable in controls:
        if variable.startswith("HWLOC_") and "hwloc" not in plain[1]:
            print(f"MISSING control[{variable}]: hwloc (scripts/install-deps build)")
            continue
        yield f"control[{variable}]", lambda variable=variable: check_control(folder, plain, variable)
    if not options.stock:
        yield "forestgomp run[plain]", lambda: check_told(folder, options, "plain", None)
    for kind, grant in KINDS.items():
        grant(folder / kind)
        nothing = report_of(folder, kind)
        if nothing[0] == 0 and "secure 1" not in nothing[1]:
            print(f"SKIP {kind}: the system does not honour it here (nosuid in {folder.parent}, or no_new_privs)")
            continue
        if not options.stock and kind != "file-capability":  # root has all capabilities anyway
            yield f"forestgomp run[{kind}]", lambda k=kind: check_told(folder, options, k, k)
        yield f"{kind}[no library]", lambda report=nothing: check_loaded(report)
        for variable in VARIABLES + WAITING:
            yield f"{kind}[{variable}]", lambda k=kind, n=nothing, v=variable: check_variable(folder, k, n, v)
        yield f"{kind}[OMP_NUM_THREADS=3]", lambda k=kind: check_libgomps(folder, k, plain)


def check_control(folder, plain, variable):
    expect(difference(plain, report_of(folder, "plain", variable)), "has no effect where it should have one: the other tests show nothing")


def ldd(folder):
    return subprocess.run(["ldd", folder / "plain"], env=clean_environment(), capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=HERE.parent.parent / "build", type=pathlib.Path)
    parser.add_argument("--stock", action="store_true", help="run on the system's libgomp instead")
    options = parser.parse_args()
    options.build = options.build.resolve()
    if os.geteuid() != 0:
        print("SKIP secure: only root can make such programs")
        return 0
    with tempfile.TemporaryDirectory(prefix="secure-") as name:
        folder = pathlib.Path(name)
        prepare(folder, None if options.stock else options.build / "lib" / "libgomp.so.1")
        return run(tests(folder, options))


if __name__ == "__main__":
    sys.exit(main())
