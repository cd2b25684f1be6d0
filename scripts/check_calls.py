#!/usr/bin/env python3
"""Walks the calls of a built libgomp.so.1, and refuses those that the runtime must not make.

  check_calls.py build/lib/libgomp.so.1 [build/lib/libforestgomp-stuck.so ...]

1. A worker that waits opens no file, because files may be slow.
2. Code between fg_enter and fg_leave calls nothing of the C library that may take a lock, and opens no file. Functions that
   step out for such a call are listed here as doors, each with its reason.
3. The library calls no cancellation point but those that a build with assertions watches (src/libc/inside.c). So a pending
   pthread_cancel never ends a thread within a region.
4. The report of FGOMP_STUCK and the walker of samples, which are the further libraries, call none of all these: a thread that is stuck, or
   is suspended, may hold the lock.

The calls are read from the machine code. A function also calls each function whose address it takes, and each one of a
constant table that it uses. Calls through other pointers are not seen. So the functions of all tables are looked at, too.
Prints one line for each fault; exit status 1 if there is one."""
import bisect
import collections
import pathlib
import platform
import re
import subprocess
import sys

INSIDE = pathlib.Path(__file__).resolve().parent.parent / "src" / "libc" / "inside.c"

WAITS = ("fg_patience_spin", "fg_idle_sleep", "fg_worker_carry", "fg_worker_leave", "fg_grant_glance", "fg_grant_suspect")

OPENS = {"fg_file_open", "fg_file_text", "fg_file_view_open", "fopen", "fopen64", "open", "open64", "opendir"}
LOCKS = set("""
    aligned_alloc asprintf calloc dl_iterate_phdr dladdr dlclose dlopen dlsym dlvsym exit fclose fopen fopen64 fprintf fputc fputs
    free fwrite getc getenv getline __getdelim malloc open open64 open_memstream opendir posix_memalign printf
    pthread_create pthread_getattr_np pthread_mutex_lock realloc realpath strdup vasprintf vfprintf vprintf
    """.split())

# POSIX lets these be cancellation points, or demands it. fcntl is one only for locks of files, which nobody asks for.
CANCELLATION = set("""
    accept accept4 clock_nanosleep close connect creat creat64 dprintf fclose fdatasync fdopen fflush fgetc fgets fopen fopen64
    fprintf fputc fputs fread fscanf fsync fwrite getc getchar getline __getdelim lockf msync nanosleep open open64 openat
    openat64 opendir pause perror poll popen ppoll posix_fallocate posix_fallocate64 pread pread64 preadv printf pselect
    pthread_cond_timedwait pthread_cond_wait pthread_join pthread_testcancel putc putchar puts pwrite pwrite64 pwritev read readdir
    readdir64 readv recv recvfrom recvmsg scanf select sem_timedwait sem_wait send sendmsg sendto sigsuspend sigtimedwait sigwait
    sigwaitinfo sleep syslog system tcdrain tmpfile usleep vdprintf vfprintf vprintf wait wait3 wait4 waitid waitpid write
    writev""".split())

# Main functions of threads of their own, which may be slow, and the handler of a fault. A function that takes their address
# does not call them.
APART = {"monitor_main", "spawner_main", "daemon_main", "on_fault"}

TESTS_ONLY = ("fg_carrier_virtual",)  # tables of which no user's program calls a function

DOORS = {
    # These step out, or leave the runtime.
    "fg_donor_new": "each caller leaves the runtime",
    "fg_env_nthreads": "steps out to read the CPU quota",
    "fg_icv_dynamic_limit": "steps out to read the load",
    "fg_levels_deepen": "steps out to read the machine",
    "fg_code_name": "its caller has left the runtime",
    "fg_member_display": "leaves the runtime to print",
    "fg_monitor_start": "steps out to start a thread",
    "fg_share_join": "its caller has left the runtime",
    "fg_record_meet_slow": "steps out to open the trace",
    "fg_thread_may_end": "the spawner's, or the caller steps out",
    # These are outside whenever they are called.
    "GOMP_PLUGIN_debug": "the program's, and outside",
    "GOMP_PLUGIN_error": "the program's, and outside",
    "GOMP_PLUGIN_fatal": "the program's, and outside",
    "GOMP_PLUGIN_malloc": "the program's, and outside",
    "GOMP_PLUGIN_realloc": "the program's, and outside",
    "GOMP_add_alloc": "the program's memory, and outside",
    "GOMP_alloc": "the program's memory, and outside",
    "GOMP_error": "ends the program",
    "GOMP_free": "the program's memory, and outside",
    "GOMP_is_alloc": "the program's memory, and outside",
    "fg_numa_nodes": "a policy's start has asked before (team/boot/sched_option.c)",
    "fg_numa_room": "the program's calls, and outside (team/alloc/manager.h)",
    "fg_numa_with_pus": "omp_init_allocator or a call of the program asks first, outside; then it opens nothing",
    "fg_numa_distance": "the program's calls, and outside (team/alloc/manager.h)",
    "fg_self_or_root_slow": "the thread has never been inside",
    "region_name": "a table's; the program ends, and is outside",
    "live_start": "a table's; each caller steps out",
    "fg_fatal": "ends the program",
    # A race detector wants its own memory. No tick preempts a thread then.
    "fg_memory_aligned": "",
    "fg_memory_free": "",
    "fg_memory_resize": "",
}


class Library:
    """Functions by their addresses, and the calls that they make: to addresses, and to names of the C library."""

    def __init__(self, path):
        self.symbols = sorted((int(at, 16), int(size, 16), kind, name) for at, size, kind, name in
                              (line.split() for line in run("nm", "-S", path).splitlines() if len(line.split()) == 4))
        self.starts = [symbol[0] for symbol in self.symbols]
        self.tables = self.read_tables(path)
        self.names = {}
        self.calls = collections.defaultdict(set)
        self.read_code(path)
        self.by_name = collections.defaultdict(list)
        for address, name in self.names.items():
            self.by_name[name].append(address)

    def symbol(self, address):
        """(address, kind, name) of the function or the variable there."""
        i = bisect.bisect(self.starts, address) - 1
        while i >= 0 and not self.symbols[i][0] <= address < self.symbols[i][0] + self.symbols[i][1]:
            i -= 1
            if i < 0 or address - self.symbols[i][0] > 1 << 20:
                return None
        at, _, kind, name = self.symbols[i]
        return at, kind, name

    def function(self, address):
        found = self.symbol(address)
        return found[0] if found and found[1] in "tTwW" else None

    def read_tables(self, path):
        """The functions in constant tables: {table's address: {offset: function's address}}."""
        tables = collections.defaultdict(dict)
        for line in run("readelf", "-rW", path).splitlines():
            match = re.match(r"^([0-9a-f]+)\s+\S+\s+R_X86_64_RELATIVE\s+([0-9a-f]+)", line)
            table = match and self.symbol(int(match[1], 16))
            function = table and self.function(int(match[2], 16))
            if function:
                tables[table[0]][int(match[1], 16) - table[0]] = function
        return tables

    def read_code(self, path):
        here = None
        for line in run("objdump", "-d", "--no-show-raw-insn", path).splitlines():
            match = re.match(r"^([0-9a-f]+) <(.+)>:$", line)
            if match:
                here = self.function(int(match[1], 16))
                if here is not None:
                    self.names[here] = self.symbol(here)[2]
                continue
            match = re.search(r"\b([0-9a-f]+) <([^>]+)>", line)
            if match and here is not None:
                self.calls[here].update(self.targets(here, int(match[1], 16), match[2]))

    def targets(self, here, address, name):
        """What an instruction of `here` refers to."""
        if "@" in name:
            return [name.split("@")[0]]
        found = self.symbol(address)
        if not found or found[0] == here:
            return []
        if found[1] in "tTwW":
            return [found[0]]
        table, offset = self.tables.get(found[0], {}), address - found[0]
        return [table[offset]] if offset in table and offset else table.values()  # a loop goes through all, from any field


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_calls: {words[0]}: {done.stderr.strip()}")
    return done.stdout


def reached(library, roots, doors):
    """{function or name: the caller by which it was first reached}. Doors are not followed, and no function of APART is."""
    by = dict.fromkeys(roots)
    queue = list(by)
    for caller in queue:
        name = library.names.get(caller)
        if name in doors or name in APART:
            continue
        for target in library.calls.get(caller, ()):
            if target not in by:
                by[target] = caller
                queue.append(target)
    return by


def refused(library, by, wrong, why):
    """A line for each function of `wrong` that was reached."""
    faults = []
    for target in by:
        if library.names.get(target, target) not in wrong:
            continue
        chain, caller = [], target
        while caller is not None:
            chain.append(library.names.get(caller, caller))
            caller = by[caller]
        faults.append(f"{why}: {' <- '.join(map(str, chain))}")
    return faults


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    if platform.machine() != "x86_64":
        print("calls: only the machine code of x86-64 is read")
        return
    library = Library(sys.argv[1])
    missing = [name for name in (*WAITS, *DOORS) if not library.by_name[name]]
    faults = [f"there is no function {name} any more: correct the lists of check_calls.py" for name in missing]
    waits = [function for name in WAITS for function in library.by_name[name]]
    tables = [function for table, functions in library.tables.items() for function in functions.values()
              if library.symbol(table)[2] not in TESTS_ONLY]
    constructs = [function for function, name in library.names.items() if name.startswith("GOMP_")]
    faults += refused(library, reached(library, waits, set()), OPENS, "a worker that waits opens a file")
    for name in DOORS:
        behind = reached(library, library.by_name[name], set())
        if library.by_name[name] and not any(library.names.get(target, target) in OPENS | LOCKS for target in behind):
            faults.append(f"{name} is a door to nothing: correct the lists of check_calls.py")
    inside = reached(library, waits + tables + constructs, DOORS)
    faults += refused(library, inside, OPENS | LOCKS, "not inside the runtime")
    watched = set(re.findall(r"__wrap_(\w+)", INSIDE.read_text())) | set(re.findall(r"WATCHED\([^,]+, (\w+),", INSIDE.read_text()))
    for name in sorted(CANCELLATION - watched):
        faults += [f"a cancellation point that no build watches (src/libc/inside.c): {name} <- {library.names[function]}"
                   for function, calls in library.calls.items()
                   if name in calls and not library.names[function].startswith("fg_program_")]
    for path in sys.argv[2:]:
        names = {line.split()[-1].partition("@")[0] for line in run("nm", "-D", "--undefined-only", path).splitlines()}
        faults += [f"{pathlib.Path(path).name} must not call it: {name}" for name in sorted(names & (OPENS | LOCKS | CANCELLATION))]
    print("\n".join(faults) or f"calls: {len(library.names)} functions, {len(inside)} of them looked at")
    sys.exit(1 if faults else 0)


main()
