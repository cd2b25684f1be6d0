#!/usr/bin/env python3
"""Checks that the code stays on its floor or goes down (docs/design.md, "The floors").

  scripts/check_floors.py [--build BUILD] [--list | --circles] [SOURCE]

SOURCE is the folder of the floors (default: src), BUILD a build folder of Meson's (default: build). These are offences:
  * a file includes a header of a floor above, or of a sub-floor above in its own floor;
  * a file uses a function or a variable that is defined there;
  * the files of one floor use each other in a circle (a source and its header are one file here);
  * a file lies in no known floor or sub-floor, or is in no list of a meson.build;
  * a file outside the floor 'platform' makes a system call itself, calls a function of the C library that is one (SYSTEM_CALLS), or
    includes a header of the kernel or of <sys/>;
  * the first comment of a header does not name its callers, as "(floor: NAME; called by ...)" or the like, for the command's parts
    "(command; called by ...)";
  * a comment or a page names a file or a function of ours that does not exist (scripts/check_text.py);
  * a line of a C source has more than 120 columns;
  * the glossary has more than 130 rows, a row without the field's word, or a word with two senses.
The names that a source uses come from nm on its object. Inline functions and macros of headers come from their text.
An object that is older than its source does not count. Without objects only includes and lists are checked, and the script says so.

Prints the offences and exits with 1. Without an offence it prints one line and exits with 0."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import check_text

# The floors from low to high, each with its sub-floors from low to high. A sub-floor is a folder of that name.
# A floor without its folders yet is checked as one piece. Else only headers may lie beside the folders, with the types that the sub-floors
# share. They may include the types of sub-floors, but their inline functions may use none.
FLOORS = {
    "base": (),
    "platform": (),
    "trace": (),
    "machine": (),
    "share": (),
    "memory": (),
    "forest": (),
    "sched": (),
    "exec": ("ground", "thread", "body", "donor", "carrier", "roots", "grant", "loop", "relief", "pool", "move",
             "flat", "nested", "kernel", "helpers", "watch", "top"),
    "sim": (),
    "team": ("env", "places", "hints", "alloc", "tasks", "lock", "sync", "share", "region", "boot"),
    "omp": (),
    "acc": (),
    "libc": (),
    "gomp": (),
}
# Floors beside the tower, each with the highest floor that it may use. No other floor may use them.
BESIDE = {"draw": "machine", "plan": "machine", "stuck": "team", "samples": "team", "mpi": "base", "record": "trace",  # for the command; shared objects
          "debugger": "team"}  # a table in the library
# Those that lie elsewhere, from the folder of the floors.
ELSEWHERE = {"draw": "../tools/draw", "plan": "../tools/plan"}
# Floors whose files may not use each other in a circle. One with sub-floors is checked once it has their folders.
NO_CIRCLES = ("trace", "machine", "share", "forest", "sched", "exec", "sim", "team", "draw", "plan", "samples")
# These names are declared on a low floor or sub-floor, and defined above it on purpose: the carrier; the charges of atomic operations, which
# only the simulated machine's library has; and the const tables by which low floors and sub-floors call high ones.
SEAMS = re.compile(r"fg_carrier(_live)?|fg_charge_\w+|fg_(exec|team)_hooks|fg_(base|exec)_above")
# These sources are libraries of their own. They define names of others' libraries, which no other object takes from them.
APART = {"sim/preload.c", "record/hooks.c"}

# The wall to the system: only the floor 'platform' makes system calls, by themselves or by these functions of the C library. Functions
# that only read or write a pthread's own memory are not among them, nor is the dynamic linker.
SYSTEM_CALLS = """
    access chdir chmod chown close closedir creat dup dup2 dup3 fchmod fcntl fdopen flock fopen freopen fstat fsync ftruncate ioctl link
    lseek lstat mkdir mkstemp open openat opendir pipe pipe2 poll popen ppoll pread preadv pwrite pwritev read readdir readlink readv
    realpath rename rmdir select stat symlink tmpfile truncate unlink utime write writev
    madvise mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munmap
    alarm clock_getres clock_gettime clock_nanosleep clock_settime getitimer gettimeofday nanosleep setitimer sleep time timer_create
    timer_delete timer_settime usleep
    _exit clone execv execve fork getcpu getegid geteuid getgid gethostname getloadavg getpid getppid getpriority getrandom getrlimit
    getrusage gettid getuid kill nice posix_spawn prctl setgid setpriority setrlimit setuid sysconf sysinfo system times uname vfork wait
    waitpid
    sched_[a-z]+ pthread_attr_[a-z]+ pthread_cancel pthread_create pthread_detach pthread_exit pthread_getaffinity_np pthread_getattr_np
    pthread_getcpuclockid pthread_join pthread_setaffinity_np pthread_setname_np pthread_setschedparam
    __sigaction pthread_kill pthread_sigmask pthread_sigqueue raise sigaction sigaltstack signal sigpending sigprocmask sigqueue
    sigsuspend sigtimedwait sigwait sigwaitinfo
    """.split()
SYSTEM_FLOOR = "platform"
# Each sign of a call to the system, with the files and floors where it may stand. base/secure.h and base/log.c must lie below 'platform'.
# The floor 'libc' and sim/preload.c define such functions of the C library, and so call the original ones. 'draw' and 'mpi' are not in the runtime.
SYSTEM = ((re.compile(r"\bsyscall\s*\(|#\s*include\s*<(?:sys|linux|asm)/[^>]*>"), ("base/secure.h", "mpi/", "record/")),
          (re.compile(rf"(?<![\w.>])(?:{'|'.join(SYSTEM_CALLS)})\s*\("), ("base/log.c", "libc/", "sim/preload.c", "draw/", "mpi/", "record/")))

CALLERS = re.compile(r"/\*(?:(?!\*/).)*?\((?:floor:[\s*]+\w+|command);\s", re.S)
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
NAME = re.compile(r"\bfg\w*_\w+")


def floors_usable(floor):
    order = list(FLOORS)
    return {floor, *order[: order.index(BESIDE.get(floor, floor)) + 1]}


class Tree:
    """The files of the source folder, and of floors elsewhere. Files are named by their paths in it, or by floor and path."""

    def __init__(self, source):
        self.source = source
        self.elsewhere = {floor: (source / folder).resolve() for floor, folder in ELSEWHERE.items()}
        folders = [source, *self.elsewhere.values()]
        self.files = sorted(self.name_of(path) for folder in folders for path in folder.rglob("*.[chS]"))
        self.text = {file: code_of(self.path_of(file).read_text()) for file in self.files}
        # One folder is not enough: exec/carrier is older than the sub-floors.
        self.has_folders = {floor: sum((source / floor / sub).is_dir() for sub in subs) > 1 for floor, subs in FLOORS.items()}

    def name_of(self, path):
        """The name of a file; "" if it is none of these."""
        for floor, folder in self.elsewhere.items():
            if path.is_relative_to(folder):
                return f"{floor}/{path.relative_to(folder)}"
        return str(path.relative_to(self.source)) if path.is_relative_to(self.source) else ""

    def path_of(self, file):
        floor, _, rest = file.partition("/")
        return self.elsewhere[floor] / rest if floor in self.elsewhere else self.source / file

    def place(self, file):
        """(floor, sub-floor or ""); None if the file lies in no known one."""
        floor, *folders = file.split("/")[:-1] or [""]
        if floor not in FLOORS and floor not in BESIDE:
            return None
        if not self.has_folders.get(floor) or self.is_beside_folders(file) and file.endswith(".h"):
            return floor, ""
        return (floor, folders[0]) if folders and folders[0] in FLOORS[floor] else None

    def is_beside_folders(self, file):
        return self.has_folders.get(file.split("/")[0]) and file.count("/") == 1

    def goes_up(self, user, used):
        """Says which border an edge between two files crosses upwards; None if it crosses none."""
        here, there = self.place(user), self.place(used)
        if not here or not there or here == there:
            return None
        if here[0] != there[0]:
            return None if there[0] in floors_usable(here[0]) else f"the floor '{there[0]}' is not below '{here[0]}'"
        order = ("", *FLOORS[here[0]])
        lower = f"'{here[1]}'" if here[1] else f"the headers beside the folders of '{here[0]}'"
        return f"'{there[1]}' is above {lower}" if order.index(there[1]) > order.index(here[1]) else None

    def line_of(self, file, name):
        found = re.search(rf"\b{re.escape(name)}\b", self.text[file])
        return self.text[file].count("\n", 0, found.start()) + 1 if found else 1

    def at(self, file, line):
        return f"{self.path_of(file)}:{line}"


def code_of(text):
    """The text without comments and strings; lines keep their numbers. Names of headers in quotes stay."""
    def blank(match):
        return match[1] or re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'(#\s*include\s*"[^"\n]*")|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def pieces(text):
    """(head, body) of each definition at the top of a file: a function, a struct, an initialised table; and of each macro."""
    text = re.sub(r"\b(struct|union|enum)\s+\w+", r"\1", text)
    lines = re.sub(r"\\\n", "  ", text).split("\n")
    for line in lines:
        macro = re.match(r"\s*#\s*define\s+(\w+)(.*)", line)
        if macro:
            yield "", macro[2]
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in lines)
    depth, start, opened = 0, 0, 0
    for match in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1, ";": 0}[match[0]]
        if match[0] == "{" and depth == 1:
            opened = match.start()
        elif match[0] == "}" and depth == 0:
            yield text[start:opened], text[opened:match.end()]
            start = match.end()
        elif match[0] == ";" and depth == 0:
            start = match.end()


def inline_name(head):
    """The name of an inline function of ours; None if the head is of something else."""
    names = re.findall(r"\b(\w+)\s*\(", head) if "inline" in head else []
    return next(filter(NAME.fullmatch, names), None)


def is_of_now(output, source):
    return output.exists() and output.stat().st_mtime >= source.stat().st_mtime


def objects_of(build, tree):
    """The object of each source: a plain one if there is one, else one of the simulated machine's library."""
    table = build / "compile_commands.json"
    chosen = {}
    for entry in json.loads(table.read_text()) if table.exists() else []:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        file = tree.name_of(path)
        output = pathlib.Path(entry["directory"], entry["output"])
        cost = ("FG_ATOMIC_CHARGED" in entry.get("command", ""), not entry["output"].startswith(("src/", "tools/")))
        if file in tree.text and file not in APART and is_of_now(output, path) and (file not in chosen or cost < chosen[file][0]):
            chosen[file] = cost, output
    return {str(output): file for file, (_, output) in chosen.items()}


def symbols(objects):
    """(names that each source leaves undefined, the sources that define each name)."""
    undefined, defined = collections.defaultdict(set), collections.defaultdict(set)
    if not objects:
        return undefined, defined
    said = subprocess.run(["nm", "-A", "-P", *objects], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in said.splitlines():
        where, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        if kind in "Uwv":
            undefined[objects[where]].add(name)
        elif kind.isupper():
            defined[name].add(objects[where])
    return undefined, defined


class Edges:
    """Which file uses which names of which other file: self.names[user, used] = {name, ...}."""

    def __init__(self, tree, objects):
        self.names = collections.defaultdict(set)
        undefined, defined = symbols(objects)
        bodies = {file: list(pieces(text)) for file, text in tree.text.items()}
        for file in tree.files:
            if file.endswith(".h"):
                for head, _ in bodies[file]:
                    if inline_name(head):
                        defined[inline_name(head)].add(file)
        for file in tree.files:
            used = set(undefined[file])
            own = (body for head, body in bodies[file] if file.endswith(".c") or not head or "(" in head or "=" in head)
            for name in NAME.findall(" ".join(own)):
                if file.endswith(".h") or any(each.endswith(".h") for each in defined.get(name, ())):
                    used.add(name)
            for name in used:
                if file not in defined.get(name, ()) and not SEAMS.fullmatch(name):
                    for other in defined.get(name, ()):
                        self.names[file, other].add(name)

    def between(self, key):
        """The same with files put together by key(file), without edges inside; key may answer None."""
        together = collections.defaultdict(set)
        for (user, used), names in self.names.items():
            if key(user) and key(used) and key(user) != key(used):
                together[key(user), key(used)] |= names
        return together


def circles_in(edges):
    """The strongly connected parts of more than one node (Tarjan)."""
    after = collections.defaultdict(set)
    for user, used in edges:
        after[user].add(used)
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(after[node]):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(after):
        if node not in number:
            visit(node)
    return found


def circles(tree, edges, floor):
    """Lines that tell of each circle between files of a floor, a list for each circle."""
    def unit(file):
        return file.rsplit(".", 1)[0] if file.split("/")[0] == floor else None
    units = edges.between(unit)
    for part in circles_in(units):
        yield [f"{tree.source / floor}: {len(part)} files are a circle: {', '.join(part)}",
               *(f"    {user} -> {used}: {', '.join(sorted(names))}" for (user, used), names in sorted(units.items())
                 if user in part and used in part)]


def includes_up(tree):
    for file in tree.files:
        for number, line in enumerate(tree.text[file].split("\n"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            header = match[1] if "/" in match[1] else f"{file.rsplit('/', 1)[0]}/{match[1]}"
            border = tree.goes_up(file, header)
            if border and not (tree.is_beside_folders(file) and header.split("/")[0] == file.split("/")[0]):
                yield f"{tree.at(file, number)}: includes {match[1]}, but {border}"


def uses_up(tree, edges):
    for (user, used), names in sorted(edges.names.items()):
        border = tree.goes_up(user, used)
        for name in sorted(names) if border else ():
            yield f"{tree.at(user, tree.line_of(user, name))}: uses {name} of {used}, but {border}"


def misplaced(tree):
    for file in tree.files:
        if not tree.place(file):
            yield f"{tree.at(file, 1)}: lies in no floor or sub-floor that scripts/check_floors.py knows"


def unlisted(tree):
    for file in tree.files:
        if not file.endswith(".c"):
            continue
        path = tree.path_of(file)
        lists = [folder / "meson.build" for folder in path.parents if folder.is_relative_to(tree.source.parent)]
        if not any(f"'{path.relative_to(each.parent)}'" in each.read_text() for each in lists if each.exists()):
            yield f"{tree.at(file, 1)}: is in no meson.build's list, so it is never built"


def through_the_wall(tree):
    for file in tree.files:
        for sign, allowed in SYSTEM if file.split("/")[0] != SYSTEM_FLOOR else ():
            for match in sign.finditer(tree.text[file]) if not file.startswith(allowed) else ():
                line = tree.text[file].count("\n", 0, match.start()) + 1
                yield f"{tree.at(file, line)}: '{match[0]}' belongs to the floor '{SYSTEM_FLOOR}'"


def without_callers(tree):
    for file in tree.files:
        if file.endswith(".h") and not CALLERS.match(tree.path_of(file).read_text()):
            yield f"{tree.at(file, 1)}: the first comment does not name the callers: (floor: NAME; called by ...)"


def offences(tree, edges):
    yield from misplaced(tree)
    yield from without_callers(tree)
    yield from through_the_wall(tree)
    yield from unlisted(tree)
    yield from includes_up(tree)
    yield from uses_up(tree, edges)
    yield from check_text.offences(tree.source.parent)
    for floor in NO_CIRCLES:
        if tree.has_folders.get(floor) or not FLOORS.get(floor):
            for lines in circles(tree, edges, floor):
                yield "\n".join(lines)


def notes(tree, build, objects):
    if not objects:
        yield f"no objects in {build}: only includes and lists are checked, not symbols"
    else:
        files = set(objects.values())
        bare = [file for file in tree.files if file[-1] in "cS" and file not in files | APART]
        # The other processors' assembly, and sources that only a debug build has, are never here.
        bare = [file for file in bare if file.endswith(".c") and not file.endswith("/inside.c")]
        if bare:
            yield (f"{len(bare)} sources have no object of now in {build} ({bare[0]}, for example), so only their includes are checked; "
                   "build first")
    for floor, subs in FLOORS.items():
        if subs and (tree.source / floor).is_dir() and not tree.has_folders[floor]:
            yield f"{floor} has no folders of its sub-floors yet: it is checked as one piece, and not for circles"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default=root / "src", type=pathlib.Path, metavar="SOURCE")
    parser.add_argument("--build", default=root / "build", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print which names each sub-floor uses of each other, and end")
    parser.add_argument("--circles", action="store_true", help="print the circles between files of every floor, and end")
    options = parser.parse_args()
    tree = Tree(options.source.resolve())
    objects = objects_of(options.build.resolve(), tree)
    edges = Edges(tree, objects)
    for note in notes(tree, options.build, objects):
        print(f"floors: note: {note}")
    if options.list:
        for (user, used), names in sorted(edges.between(lambda file: "/".join(filter(None, tree.place(file) or ()))).items()):
            print(f"{user} -> {used}: {len(names)}: {' '.join(sorted(names))}")
        return 0
    if options.circles:
        for floor in [*FLOORS, *BESIDE]:
            for lines in circles(tree, edges, floor):
                print(*lines, sep="\n")
        return 0
    found = list(offences(tree, edges))
    print(*found, sep="\n" if found else "")
    if not found:
        print("floors: every edge stays on its floor or goes down, and there is no circle where none may be")
    return 1 if found else 0


sys.exit(main())
