#!/usr/bin/env python3
"""Runs test programs on a NUMA machine that QEMU emulates in software: 4 nodes of 4 PUs, a real Linux kernel.

  tests/numa/run_on_qemu.py [--lib DIR] [--build DIR] [--filter RE] [--nodes N] [--pus N] [--limit S] [--slow F] [--some | --all] [--raw]
                           [--times] [PROGRAM ...]
  tests/numa/run_on_qemu.py --count [--env 'NAME=VALUE ...'] [--with 'NAME=VALUE ...'] ...

Without PROGRAM, it runs those of this folder and of inside/; with --some it runs some of tests/programs too, which are
named below, and with --all it runs all of them. It boots the machine on an initial RAM disk with the programs, the
library under test and the libraries that both need. If the machine ends in the midst of a program, it is booted again for those that
are left. The output of the programs comes back over the serial line. Lines are "PASS name", "FAIL name: why",
"SKIP name: why", or one "MISSING numa: what" without QEMU, busybox or a kernel. The header of a program tells how to
run it, as in tests/programs/run_programs.py; here a line `env:` may also have
  MEMS=1-2           in a control group that may use the memory of these nodes only
  NODES=0,3          with a memory policy that allows these nodes only, as numactl --membind sets it
  INTERLEAVE=0,1     with a memory policy that spreads pages over these nodes, as numactl --interleave sets it
  BALANCING=1        while the kernel brings pages to the threads that use them
  HUGE=never         while the kernel makes no huge pages; else it makes them wherever it can
  STOCK=1            on gcc's libgomp of this system instead, in the same boot
A line `again:` tells why a run may miss what it judges though the library is right: what it waits for comes by samples, or by looks in
time, and the emulator stops PUs for long. Such a run that failed is made once more, alone, on a fresh machine. A line "AGAIN name: why"
tells of the first try, and the second one counts.
Numbers of threads are those of the list below, where it has one.

With --count, a plug-in of QEMU counts who uses which memory, to the last access: by node of the CPU, node of the page and area
(tools/count_plugin.c). It runs the programs whose header says "count: yes", which tell of their areas and phases by count.h. Each has a
table below its line. Pages and times in it are good for comparisons only, because the emulator slows down each access. --env replaces the
lines `env:` of the headers, and --with adds to each of them."""
import argparse
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import counting  # noqa: E402
import running  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = ROOT / "tests" / "programs"
INSIDE = HERE / "inside"  # programs with the library inside, which meson builds beside it
# Those of tests/programs for which a larger machine is a new test; with --some.
LARGE = ["parallel", "barrier", "reduction", "tasks", "taskloop", "taskloop_halves", "mailboxes", "loop_dynamic", "loop_guided",
         "ordered", "critical"]
OTHERS = [*LARGE, "nest_random", "proc_bind", "place_nested", "queries", "allocators", "malloc_exit",
          "float_flags"]
THREADS = {**{name: "16 40" for name in LARGE}, "allocators": "16", "float_flags": "64"}
# Those of tests/programs that --all leaves out, and why.
LEFT_OUT = {name: "it judges times, and the emulated machine has those of the emulator" for name in ("heartbeat", "gangs", "spin_barrier")}
QEMU = "qemu-system-x86_64"
BUSYBOX = "/bin/busybox"
STOCK = Path("/usr/lib/x86_64-linux-gnu/libgomp.so.1")
BOOTS, BOOT_SECONDS = 3, 200  # a boot takes about 9 s, and 30 s beside others

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /tmp /cgroup
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t cgroup2 none /cgroup
echo +cpuset >/cgroup/cgroup.subtree_control
ip link set lo up
. /list
echo "@@END"
reboot -f
"""


class Archive:
    """An initial RAM disk in cpio's "newc" format."""

    def __init__(self):
        self.parts, self.names, self.number = [], set(), 0

    def add(self, name, data=b"", mode=stat.S_IFREG | 0o755, device=(0, 0)):
        name = name.strip("/")
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.add(parent, mode=stat.S_IFDIR | 0o755)
        self.names.add(name)
        self.number += 1
        self.write(name, data, mode, device)

    def write(self, name, data, mode, device):
        fields = [self.number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        self.parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]

    def file(self, path, name=None):
        self.add(name or str(path), Path(path).read_bytes())

    def link(self, name, target):
        self.add(name, target.encode(), stat.S_IFLNK | 0o777)

    def bytes(self, last):
        """All of it, with these files at its end."""
        kept = len(self.parts)
        for name, data in last.items():
            self.write(name.strip("/"), data, stat.S_IFREG | 0o755, (0, 0))
        self.write("TRAILER!!!", b"", 0, (0, 0))
        whole = b"".join(self.parts)
        del self.parts[kept:]
        return whole


def libraries(path, lib):
    """The files that the loader maps for a program: (name, file)."""
    told = subprocess.run(["ldd", str(path)], env=dict(os.environ, LD_LIBRARY_PATH=str(lib)), capture_output=True, text=True).stdout
    return re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", told, re.M)


def find_kernel(folder):
    """A kernel for virtual machines: of FGOMP_TEST_KERNEL, of this system, or the one that scripts/fetch_kernel
    brings."""
    if os.environ.get("FGOMP_TEST_KERNEL"):
        return Path(os.environ["FGOMP_TEST_KERNEL"])
    found = sorted(Path("/boot").glob("vmlinuz-*-cloud-amd64"))
    if found:
        return found[-1]
    subprocess.run([str(ROOT / "scripts" / "fetch_kernel"), str(folder)], stdout=subprocess.DEVNULL)
    return folder / "vmlinuz"


def quoted(text):
    return "'" + str(text).replace("'", "'\\''") + "'"


class Disk:
    """The disk and the list of the runs on it. The kernel balances pages for a run that wants it: those that it has marked, to see
    who uses them, seem to be on no node."""

    def __init__(self, options):
        self.archive, self.lines, self.names, self.lib, self.again = Archive(), [], [], options.lib, set()
        self.archive.add("/dev/console", mode=stat.S_IFCHR | 0o600, device=(5, 1))
        self.archive.add("/dev/null", mode=stat.S_IFCHR | 0o666, device=(1, 3))
        self.archive.file(BUSYBOX, "/bin/busybox")
        self.archive.add("/init", INIT.encode())
        self.program(options.lib / "libgomp.so.1", "/lib/libgomp.so.1")
        for beside in sorted(options.lib.glob("libforestgomp-*.so")):
            self.program(beside, f"/lib/{beside.name}")
        for name in self.dlopened():
            self.program(name, name)
        if STOCK.exists():
            self.program(STOCK, "/stock/libgomp.so.1")

    def dlopened(self):
        """By the library, and by the C library for pthread_exit and pthread_cancel."""
        told = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
        return [path for name in ("libhwloc", "libgcc_s") for path in re.findall(name + r"\.so\.\d+ .*x86-64.*=> (\S+)", told)[:1]]

    def program(self, path, name):
        self.archive.file(path, name)
        for needed in libraries(path, self.lib):
            if not needed.endswith("libgomp.so.1"):
                self.archive.file(os.path.realpath(needed), needed)

    def add(self, name, command, env, limit, mems=None, nodes=None, interleave=None, cpus=None, preload=False):
        library = "/stock" if env.get("STOCK") else "/lib"
        found = {"LD_PRELOAD": "/lib/libgomp.so.1"} if preload else {"LD_LIBRARY_PATH": library}
        words = " ".join(f"{key}={quoted(value)}" for key, value in {**found, **env}.items())
        if nodes:
            command = f"/programs/membind {nodes} {command}"
        if interleave:
            command = f"/programs/membind -i {interleave} {command}"
        group = f"/cgroup/run{len(self.names)}"
        enter = f"mkdir {group}; echo {mems} >{group}/cpuset.mems; echo 0 >{group}/cgroup.procs; " if mems else ""
        command = f"timeout -s KILL {limit:g} {command}"
        if cpus:  # for its parent, too
            command = f"taskset {(1 << cpus) - 1:x} sh -c {quoted(command + '; exit $?')}"
        balancing = f"echo {env.get('BALANCING', 0)} >/proc/sys/kernel/numa_balancing; "
        huge = f"echo {env.get('HUGE', 'always')} >/sys/kernel/mm/transparent_hugepage/enabled; "
        self.names.append(name)
        self.lines.append(f"echo {quoted('@@BEGIN ' + name)}; {balancing}{huge}"
                          f"( {enter}{words} exec {command} ) </dev/null >/tmp/out 2>&1; "
                          f"status=$?; tail -n 60 /tmp/out; [ $status = 139 ] && dmesg | tail -n 3; echo \"@@RC $status $(cut -d' ' -f1 /proc/uptime)\"")

    def write(self, path, done):
        """The machine runs what is not done yet."""
        left = [line for name, line in zip(self.names, self.lines) if name not in done]
        path.write_bytes(self.archive.bytes({"/list": ("\n".join(left) + "\n").encode()}))


def fill(options, disk):
    """Builds the programs and puts them on the disk. Returns the names of those that do not compile."""
    trouble = []
    folder = options.build / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    complaint = running.compile_one(HERE / "tools" / "membind.c", folder / "membind", ["-fno-openmp"])
    if complaint:
        sys.exit(complaint)
    disk.program(folder / "membind", "/programs/membind")
    sources = [path for kind in ("*.c", "*.cpp", "*.f90") for path in sorted(HERE.glob(kind))] + sorted(INSIDE.glob("*.c"))
    others = sorted([*PROGRAMS.glob("*.c"), *PROGRAMS.glob("*.cpp")])
    # A program is known by its name, so of two that share it the second run would be one of the first program.
    if twice := {source.stem for source in others} & {source.stem for source in sources}:
        sys.exit(f"run_on_qemu.py: tests/numa and tests/programs have programs of the same name: {', '.join(sorted(twice))}")
    if options.some:
        sources += [PROGRAMS / (name + ".c") for name in OTHERS]
    if options.all:
        sources += others
    parts = {Path(line.split()[0]).name for source in sources for key in ("library", "also")
             for line in running.header(source).get(key, [])}
    sources = [source for source in sources if source.name not in parts]
    sources = [source for source in sources
               if options.count == ("count" in running.header(source)) and options.bare == ("bare" in running.header(source))]
    if options.program:
        sources = [Path(name).resolve() for name in options.program]
    for source in sources:
        if source.parent == PROGRAMS and source.stem in LEFT_OUT and not options.program:
            print(f"SKIP {source.stem}: {LEFT_OUT[source.stem]}")
            continue
        keys = running.header(source)
        if options.env:
            keys["env"] = options.env
        if options.added:
            keys["env"] = [f"{'' if line == '-' else line} {options.added}".strip() for line in keys.get("env", ["-"])]
        if source.parent not in (HERE, INSIDE) and source.stem in THREADS:
            keys["threads"] = [THREADS[source.stem]]
        runs = [(label, env) for label, env in running.settings(keys)
                if re.search(options.filter, f"{source.stem}[{label}]" if label else source.stem)]
        if not runs:
            continue
        if missing := running.compiler_missing(source):
            print(missing)
            continue
        program = folder / source.stem
        if source.parent == INSIDE:
            program = options.lib.parent / "tests" / ("numa_" + source.stem)
            if not program.exists():
                continue  # built with another compiler, or with a sanitizer
        elif complaint := running.build(source, folder, include=[HERE / "tools"]):
            trouble.append((source.stem, complaint))
            continue
        disk.program(program, f"/programs/{source.stem}")
        for line in keys.get("library", []):
            name = Path(line.split()[0]).stem + ".so"
            disk.program(folder / name, f"/programs/{name}")
        limit = float(keys.get("limit", ["20"])[0]) * running.PATIENCE * options.slow
        cpus, preload = int(keys.get("cpus", [0])[0]), keys.get("load") == ["preload"]
        for label, env in runs:
            name = f"{source.stem}[{label}]" if label else source.stem
            limits = {key: env[key.upper()] for key in ("mems", "nodes", "interleave") if key.upper() in env}
            if options.count:
                env["COUNT_RUN"] = name
            disk.add(name, f"/programs/{source.stem}", env, limit, cpus=cpus, preload=preload, **limits)
            if keys.get("again"):
                disk.again.add(name)
    tool = options.lib.parent / "bin" / "forestgomp"
    if not options.count and not options.bare and tool.exists():
        disk.program(tool, "/programs/forestgomp")
    if not options.program and not options.count and not options.bare and tool.exists() and re.search(options.filter, "topo"):
        # Its own words; the last node is among them.
        disk.add("topo", "sh -c '/programs/forestgomp topo | tee /dev/stderr | grep -q \"NUMA node "
                 f"{options.nodes - 1} .*-{options.nodes * options.pus - 1}$\"'", {}, 20)
    return trouble


class Results:
    """What the machines say, and what it means."""

    def __init__(self, options, failed, again):
        self.options, self.passed, self.failed, self.done, self.again = options, 0, failed, set(), again
        self.current, self.output, self.console, self.since = None, [], [], 0.0

    def read(self, lines):
        self.console, self.since, started = [], 0.0, time.monotonic()
        for line in lines:
            if self.options.raw:
                print(f"{time.monotonic() - started:6.2f} {line}", flush=True)
            self.console.append(line)
            if line.startswith("@@BEGIN "):
                self.current, self.output = line[8:], []
            elif match := re.match(r"@@RC (\d+) ([\d.]+)", line):
                self.ended(int(match[1]), float(match[2]))
            elif self.current:
                self.output.append(line)

    def ended(self, status, now):
        took = f" {now - self.since:.1f} s" if self.options.times else ""
        self.since = now
        counted = counting.read(self.options.counts).get(self.current, counting.Run()) if self.options.count else None
        complaints = list(counted.complaints()) if counted else []
        good = (status == 0 and not complaints) or status == running.SKIPPED
        again = not good and self.current in self.again
        self.again.discard(self.current)
        if not again:
            self.done.add(self.current)
        if status == 0 and not complaints:
            self.passed += 1
            print(f"PASS {self.current}{took}", flush=True)
        elif status == running.SKIPPED:
            print(f"SKIP {self.current}: {running.why_skipped(chr(10).join(self.output))}", flush=True)
        else:
            self.failed += not again
            why = "no end in time, or killed" if status == 137 else f"status {status}" if status else "not as expected"
            print(f"{'AGAIN' if again else 'FAIL'} {self.current}{took}: {why}", *self.output[-8:], *complaints, sep="\n    ", flush=True)
        if counted:
            print(*(f"    {row}" for row in counted.table(self.options.nodes)), sep="\n", flush=True)
        self.current = None

    def broken_off(self, time_is_up):
        self.failed += 1
        self.done.add(self.current)
        why = f"all {self.options.limit:g} s were over" if time_is_up else "the machine ended"
        print(f"FAIL {self.current}: {why} in the midst of it; last words:", *self.console[-12:], sep="\n    ", flush=True)
        self.current = None

    def not_reached(self, names):
        for name in names:
            if name not in self.done:
                self.failed += 1
                print(f"FAIL {name}: not reached")


def boot(options, kernel, disk_image, limit):
    """Yields the lines of the serial console until the machine ends or its time is up. Now and then, the emulator or the
    kernel hangs before the first program: such a machine is ended and booted again."""
    for boots_left in reversed(range(BOOTS)):
        reached_programs = False
        for line in run_machine(options, kernel, disk_image, limit, BOOT_SECONDS if boots_left else limit):
            reached_programs = reached_programs or line.startswith("@@BEGIN ")
            yield line
        if reached_programs:
            return
        print(f"The machine did not boot within {BOOT_SECONDS} s" + (": once more" if boots_left else ""), flush=True)


def run_machine(options, kernel, disk_image, limit, boot_seconds):
    """Yields the lines of the serial console of one machine. It is ended after boot_seconds without a program, or when its
    time is up."""
    pus = options.nodes * options.pus
    command = [QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", f"{pus},sockets={options.nodes},cores={options.pus}",
               "-m", str(options.memory * (options.nodes + options.bare)), "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio",
               "-kernel", str(kernel), "-initrd", str(disk_image),
               "-append", "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on tsc=reliable"]
    nodes = options.nodes + options.bare
    for node in range(nodes):
        first = node * options.pus
        cpus = f",cpus={first}-{first + options.pus - 1}" if node < options.nodes else ""
        command += ["-object", f"memory-backend-ram,id=m{node},size={options.memory}M", "-numa", f"node,nodeid={node},memdev=m{node}{cpus}"]
    for node in range(nodes):  # no two as far from a third
        command += [word for other in range(node) for word in ("-numa", f"dist,src={node},dst={other},val={10 + 10 * (node ^ other)}")]
    if options.count:
        command += ["-plugin", f"{options.plugin},out={options.counts},pus={options.pus},block={options.memory}"]
    machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    timers = [threading.Timer(seconds, machine.kill) for seconds in (limit, boot_seconds)]
    for timer in timers:
        timer.start()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: (machine.kill(), sys.exit(1)))
    try:
        for line in machine.stdout:
            line = line.decode(errors="replace").rstrip("\r\n")
            if line.startswith("@@BEGIN "):
                timers[1].cancel()
            yield line
    finally:
        for timer in timers:
            timer.cancel()
        machine.kill()
        machine.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="sources to run instead of the list")
    parser.add_argument("--lib", type=Path, default=ROOT / "build" / "lib", help="folder with libgomp.so.1 (default build/lib)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "numa", help="for the programs and a kernel")
    parser.add_argument("--filter", default="", metavar="RE", help="only runs whose name matches")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--pus", type=int, default=4, help="of each node")
    parser.add_argument("--memory", type=int, default=512, metavar="MIB", help="of each node")
    parser.add_argument("--count", action="store_true", help="count accesses by node and area, and run the programs that want it")
    parser.add_argument("--bare", action="store_true", help="one node more, which has no CPU; run the programs that want it")
    parser.add_argument("--env", action="append", metavar="SETTINGS", help="variables of a run, instead of those of the headers")
    parser.add_argument("--with", dest="added", default="", metavar="SETTINGS", help="variables of all runs")
    parser.add_argument("--limit", type=float, default=240 * running.PATIENCE, help="seconds for all of it")
    parser.add_argument("--slow", type=float, default=1, metavar="F", help="multiply the time limits of programs")
    parser.add_argument("--some", action="store_true", help="some of tests/programs too")
    parser.add_argument("--all", action="store_true", help="all of tests/programs too")
    parser.add_argument("--raw", action="store_true", help="show all that the machine says")
    parser.add_argument("--times", action="store_true", help="print the time of each run, by the machine's own clock")
    options = parser.parse_args()
    options.lib = options.lib.resolve()
    options.build.mkdir(parents=True, exist_ok=True)
    for tool in (QEMU, BUSYBOX, "ldd"):
        if not shutil.which(tool):
            print(f"MISSING numa: {tool} (scripts/install-deps numa)")
            return 0
    kernel = find_kernel(options.build)
    if not kernel.exists():
        print("MISSING numa: a kernel for the virtual machine (neither FGOMP_TEST_KERNEL nor /boot/vmlinuz-*-cloud-amd64 is one, and "
              "scripts/fetch_kernel got none)")
        return 0
    if not (options.lib / "libgomp.so.1").exists():
        sys.exit(f"run_on_qemu.py: no libgomp.so.1 in {options.lib}; build it first or name its folder with --lib")
    if options.count:
        options.counts = (options.build / "counts").resolve()
        options.counts.unlink(missing_ok=True)
        options.plugin, complaint = counting.build(options.build.resolve())
        if complaint:
            sys.exit(complaint)
    disk = Disk(options)
    trouble = fill(options, disk)
    for name, complaint in trouble:
        print(f"FAIL {name}: does not compile\n{complaint}")
    results = Results(options, len(trouble), disk.again)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        image = Path(scratch) / "initrd"
        while len(results.done) < len(disk.names):
            disk.write(image, results.done)
            left = options.limit - (time.monotonic() - started)
            done = len(results.done)
            results.read(boot(options, kernel, image, left))
            if results.current:
                results.broken_off(time.monotonic() - started >= options.limit)
            elif len(results.done) == done:
                break
    results.not_reached(disk.names)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed or not results.passed else 0


if __name__ == "__main__":
    sys.exit(main())
