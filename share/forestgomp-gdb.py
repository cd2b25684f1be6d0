"""ForestGOMP in gdb: `info openmp`, `openmp bt` and `openmp apply` (docs/threads.md, "In gdb").

gdb sees kernel threads. A member of a team that is suspended is on none of them: it is a stack, and a stack pointer in its identity. This
script finds the identities, and unwinds from that stack pointer. It runs nothing in the process and writes nothing there, so it serves
processes and core files alike. All offsets come from the table fgomp_layout (src/debugger/layout.c), so no debug information is needed.

Identities. Those of workers and of the program's threads are in the list of workers. The others are donors: each belongs to a pthread whose
kernel thread is parked for good, with the address of the donor's context in a register.

Members that run. A kernel thread carries the identity whose thread pointer it has. In the midst of a switch it has the stack pointer of the
next identity already, and still the thread pointer of the last: there the saved stack pointers decide."""
import contextlib
import itertools
import os
import re
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder

VERSION = 1  # of the table
HEAD = struct.Struct("<16sII8Q")
FACT = struct.Struct("<32sII")
FRAMES = 200
FRAME = 256  # bytes that a switch pops, at most
LIST = 100000  # a longer list has a circle
# By architecture: the thread pointer, the stack pointer, the program counter, and the register that a parked kernel thread keeps the context in.
REGISTERS = {"i386:x86-64": ("fs_base", "rsp", "rip", "r13"), "aarch64": ("tpidr", "sp", "pc", "x21")}
# Users want to know where they called these.
SERVICES = ("libc.so", "libc-2", "libpthread", "ld-linux", "ld-2", "libstdc++", "libgcc_s", "libforestgomp-")
VDSO = 0x4000  # bytes of the kernel's own object, at most
CALL = re.compile(r"((?:GOMP|GOACC|omp)_\w+?)(?:_new)?_?$")  # other symbols of a function have such endings


class Runtime:
    """The runtime's structures in the memory of the process."""

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        if not self.inferior.threads():
            raise gdb.GdbError("There is no process, and no core file.")
        if not gdb.selected_thread():  # it has ended
            self.inferior.threads()[0].switch()
        try:
            self.table = int(gdb.parse_and_eval("&fgomp_layout"))
        except gdb.error:
            raise gdb.GdbError("This program has no ForestGOMP.") from None
        self.object_file = gdb.solib_name(self.table) or ""
        self.read_table()

    def read_table(self):
        other = f"The core file, or the process, is of another build of ForestGOMP than {self.object_file or 'the one that gdb has read'}."
        try:
            magic, version, n, at, self.elf, self.workers, *code = HEAD.unpack(self.bytes(self.table, HEAD.size))
            if magic.rstrip(b"\0") != b"ForestGOMP" or at != self.table:
                raise gdb.GdbError(other)
            if version != VERSION:
                raise gdb.GdbError(f"This script reads version {VERSION} of ForestGOMP's table, and the process has version {version}: "
                                   "use the script beside the library.")
            facts = FACT.iter_unpack(self.bytes(self.table + HEAD.size, n * FACT.size))
        except gdb.MemoryError:
            raise gdb.GdbError(other) from None
        self.facts = {name.rstrip(b"\0").decode(): (value, size) for name, value, size in facts}
        self.switch, self.saved, self.switch_end, self.park, self.park_end = code
        self.modes = {self.constant("FG_TEAM_SERIAL"): "one member", self.constant("FG_TEAM_DOCKED"): "flat",
                      self.constant("FG_TEAM_LOOSE"): "nested", self.constant("FG_TEAM_KERNEL"): "a kernel thread each"}
        found = re.search(r"AT_SYSINFO_EHDR .*(0x\w+)$", gdb.execute("info auxv", to_string=True), re.M)
        self.vdso = int(found[1], 16) if found else 0
        build = next((objfile.build_id for objfile in gdb.objfiles() if objfile.filename == self.object_file), None)
        if build and self.build_id() not in (None, build):
            raise gdb.GdbError(other)

    def build_id(self):
        """The build id of the library as the process has mapped it; None: it is not in the core file, or the library has none."""
        with contextlib.suppress(gdb.MemoryError, struct.error):
            headers, size, n = struct.unpack("<32xQ14xHH", self.bytes(self.elf, 58))
            for i in range(n):
                kind, at, length = struct.unpack("<I12xQ8xQ", self.bytes(self.elf + headers + i * size, 40))
                note = self.bytes(self.elf + at, length) if kind == 4 else b""
                if note[4:16] and note[8:16] == b"\3\0\0\0GNU\0":
                    return note[16:16 + int.from_bytes(note[4:8], "little")].hex()
        return None

    def bytes(self, at, size):
        return bytes(self.inferior.read_memory(at, size))

    def constant(self, name):
        return self.facts[name][0]

    def number(self, at, size=8):
        return int.from_bytes(self.bytes(at, size), "little")

    def get(self, structure, field):
        """A field of a structure at an address; field: "identity.kind"."""
        offset, size = self.facts[field]
        return self.number(structure + offset, size)

    def along(self, first, field):
        """The addresses of a list's structures."""
        at = first
        for _ in range(LIST):
            if not at:
                return
            yield at
            at = self.get(at, field)


class Kernel:
    """A kernel thread as gdb shows it. It must be the selected one while this is made."""

    def __init__(self, thread, runtime):
        frame = gdb.newest_frame()
        names = REGISTERS.get(frame.architecture().name())
        if not names:
            raise gdb.GdbError(f"ForestGOMP does not run on {frame.architecture().name()}.")
        try:
            self.tls, self.sp, self.pc, context = (int(frame.read_register(name)) & (2**64 - 1) for name in names)
        except ValueError:
            raise gdb.GdbError(f"gdb cannot read the register {names[0]} here.") from None
        self.thread = thread
        self.parked = runtime.park <= self.pc < runtime.park_end
        self.switches = runtime.saved <= self.pc < runtime.switch_end
        self.donor = context - runtime.facts["identity.context"][0] if self.parked else None


class Suspended(Unwinder):
    """While it is on, the selected thread seems to be called by a suspended context. So gdb shows that one's frames from number 1 on."""

    def __init__(self, runtime, sp):
        super().__init__("openmp")
        frame = gdb.newest_frame()
        self.names = REGISTERS[frame.architecture().name()][1:3]
        self.real = int(frame.read_register(self.names[0]))
        self.pc, self.sp = runtime.saved, sp

    def __call__(self, pending):
        real = [pending.read_register(name) for name in self.names]
        if int(real[0]) != self.real:
            return None
        # The frame lies below the context's, so gdb takes that for its caller.
        info = pending.create_unwind_info(type("Frame", (), {"sp": gdb.Value(self.sp - 64), "pc": real[1]})())
        for name, value, like in zip(self.names, (self.sp, self.pc), real):
            info.add_saved_register(name, gdb.Value(value).cast(like.type))
        return info

    def filter(self, frames):
        return map(Named, itertools.islice(frames, 1, None))

    priority = 0

    def __enter__(self):
        gdb.frame_unwinders.insert(0, self)
        gdb.frame_filters[self.name] = self
        gdb.invalidate_cached_frames()

    def __exit__(self, *error):
        gdb.frame_unwinders.remove(self)
        del gdb.frame_filters[self.name]
        gdb.invalidate_cached_frames()


class Named(FrameDecorator):
    """A frame without a name gets gdb's usual one."""

    def function(self):
        name = super().function()
        return name if isinstance(name, str) else self.inferior_frame().name() or "??"


class Identity:
    """A thread of the runtime. `kernel` carries it, or is None."""

    def __init__(self, at, runtime):
        self.at, self.runtime, self.kernel, self.ready, self.found = at, runtime, None, False, None
        self.sp, self.tls = runtime.get(at, "identity.context.sp"), runtime.get(at, "identity.context.tls")

    def get(self, field):
        return self.runtime.get(self.at, f"identity.{field}")

    @contextlib.contextmanager
    def selected(self):
        """Selects the thread that carries it; if none does, the context takes the place of the selected thread's frames. It gives the first
        frame, or None."""
        if self.kernel:
            self.kernel.thread.switch()
            yield gdb.newest_frame()
        elif not self.sp:
            yield None
        else:
            with Suspended(self.runtime, self.sp):
                yield gdb.newest_frame().older()

    def place(self):
        if not self.found:
            with self.selected() as frame:
                self.found = Place(frame, self.runtime)
        return self.found

    def stand(self):
        """Where it stands, in words."""
        if self.kernel:
            words = f"thread {self.kernel.thread.num}"
        elif self.get("park.on"):
            name = symbol(self.get("park.on"))
            words = "suspended" + (f", waits for {name}" if name else "")
        else:
            words = "ready" if self.ready else "suspended"
        return words + (", in a task" if self.get("thread.task") else "") + self.place().words()


class Place:
    """Where a member stands in the program: the innermost frame that is not the runtime's or the C library's."""

    def __init__(self, frame, runtime):
        self.call = self.text = self.level = None
        self.ended = False
        for level in range(FRAMES):
            if not frame:
                return
            if not is_service(frame, runtime):
                self.text, self.level = frame_text(frame), level
                return
            call = CALL.match(frame.name() or "")
            if frame.type() == gdb.SIGTRAMP_FRAME:
                self.call = None  # a tick: the program has called nothing
            elif call or not self.call:
                self.call = call[1] if call else frame.name()
            older = frame.older()
            self.ended = not older and frame.unwind_stop_reason() in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)
            frame = older

    def is_in_body(self):
        return bool(self.text or not self.ended or (self.call and CALL.match(self.call)))

    def words(self):
        return (f", in {self.call}" if self.call else "") + (f", called by {self.text}" if self.call and self.text else
                                                            f", in {self.text}" if self.text else "")


def is_service(frame, runtime):
    path = gdb.solib_name(frame.pc())
    if path:
        return path == runtime.object_file or os.path.basename(path).startswith(SERVICES)
    return runtime.vdso <= frame.pc() < runtime.vdso + VDSO


def line_text(name, line):
    return f"{name} at {os.path.basename(line.symtab.filename)}:{line.line}" if line.symtab and line.line else name


def frame_text(frame):
    return line_text(frame.name() or f"{frame.pc():#x}", frame.find_sal())


def symbol(at):
    block = gdb.block_for_pc(at)
    if block and block.function:
        return block.function.print_name
    told = gdb.execute(f"info symbol {at}", to_string=True)
    return told.partition(" in section ")[0].strip() if " in section " in told else None


@contextlib.contextmanager
def selection_kept():
    """Selects the same thread and frame again behind it."""
    thread, level = gdb.selected_thread(), 0
    frame = gdb.selected_frame() if thread else None
    while frame and frame.newer():
        frame, level = frame.newer(), level + 1
    try:
        yield
    finally:
        if thread and thread.is_valid():
            thread.switch()
            frame = gdb.newest_frame()
            for _ in range(level):
                frame = frame.older() or frame
            frame.select()


class Member:
    """A member of a team: its number there, and its identity or the region within that it is in."""

    def __init__(self, identity, inner):
        self.identity, self.inner, self.stands = identity, inner, False


class Snapshot:
    """All that is in flight at this stop. `teams` has the members of each team by number. `members` are those that have met no region
    within, in the order of `lines`, and have the numbers 1, 2, 3."""

    def __init__(self):
        self.runtime = Runtime()
        self.identities, self.teams, self.members, self.lines, self.ways = {}, {}, [], [], {}
        self.selected = gdb.selected_thread()
        if not self.runtime.number(self.runtime.workers):
            raise gdb.GdbError("No thread has met OpenMP so far.")
        try:
            with selection_kept():
                self.find_identities()
                for identity in list(self.identities.values()):
                    with contextlib.suppress(gdb.MemoryError):
                        self.add(identity)
                for team in self.teams:
                    if self.runtime.get(team, "team.outer") not in self.teams:
                        self.tell(team, 0)
        except gdb.MemoryError as error:
            raise gdb.GdbError(f"The runtime's memory is damaged, or not in the core file: {error}.") from None
        if not self.lines:
            raise gdb.GdbError("No parallel region is in flight.")

    def find_identities(self):
        runtime, kernels = self.runtime, []
        for thread in self.runtime.inferior.threads():
            if thread.is_running():
                raise gdb.GdbError(f"Thread {thread.num} runs: stop all threads first (interrupt -a).")
            thread.switch()
            kernels.append(Kernel(thread, runtime))
        for worker in runtime.along(runtime.number(runtime.workers), "worker.all_next"):
            home = Identity(runtime.get(worker, "worker.home"), runtime)
            self.identities[home.at] = home
        for kernel in filter(lambda kernel: kernel.parked, kernels):
            with contextlib.suppress(gdb.MemoryError):
                donor = Identity(kernel.donor, runtime)
                # A kernel thread that has just begun to park may have anything in the register.
                if donor.tls == kernel.tls and donor.get("kind") == runtime.constant("FG_DONOR"):
                    self.identities[donor.at] = donor
        by_tls = {identity.tls: identity for identity in self.identities.values()}
        by_sp = {identity.sp: identity for identity in self.identities.values()}
        for kernel in kernels:
            carried = None if kernel.parked else by_tls.get(kernel.tls)
            if carried and kernel.switches and not carried.sp <= kernel.sp < carried.sp + FRAME:
                carried = by_sp.get(kernel.sp)  # None: the base of a spare, which is no member
            if carried:
                carried.kernel = kernel
        for worker in runtime.along(runtime.number(runtime.workers), "worker.all_next"):
            for at in runtime.along(runtime.get(worker, "worker.pinned.first"), "identity.next"):
                if at in self.identities:
                    self.identities[at].ready = True
        for identity in self.identities.values():
            identity.ready = identity.ready or identity.get("entity.holder") != 0

    def is_in_flight(self, team):
        """Its primary thread's way from team to team leads through it. (A member's own note may be of a region that is over.)"""
        primary = self.runtime.get(team, "team.primary")
        if primary not in self.ways:
            self.ways[primary] = set(self.runtime.along(primary and self.runtime.get(primary, "identity.thread.team"), "team.outer"))
        return team in self.ways[primary]

    def add(self, identity):
        """Enters it in the teams that it is in."""
        number, inner = identity.get("thread.num"), None
        for team in self.runtime.along(identity.get("thread.team"), "team.outer"):
            if not self.is_in_flight(team) or number >= self.runtime.get(team, "team.size"):
                return
            if self.is_member(team, number, identity):
                self.teams.setdefault(team, {})[number] = Member(identity, inner)
            number, inner = self.runtime.get(team, "team.saved.num"), team

    def is_member(self, team, number, identity):
        """The root of a flat team knows its members. Others may only have been members before, and stand outside of the member's code."""
        runtime, primary = self.runtime, self.runtime.get(team, "team.primary")
        if number == 0:
            return identity.at == primary
        if not self.is_flat(team):
            return identity.place().is_in_body()
        root = runtime.get(primary, "identity.root")
        by_place = runtime.get(root, "root.by_place") if root else 0
        if not root or number >= runtime.number(root + runtime.facts["root.n_members"][0] + 4 * by_place, 4):
            return False
        members = runtime.number(root + runtime.facts["root.members"][0] + 8 * by_place)
        return runtime.number(members + 8 * number) == identity.at

    def is_flat(self, team):
        return self.runtime.get(team, "team.mode") == self.runtime.constant("FG_TEAM_DOCKED")

    def has_begun(self, team, identity):
        """A member of a flat team that stands outside of its code: it is behind its end, not before its begin."""
        runtime = self.runtime
        own, first = identity.get("crew_of"), runtime.get(runtime.get(team, "team.primary"), "identity.worker")
        if not own or any(runtime.get(own, f"worker.crew.{field}") != runtime.get(first, f"worker.crew.{field}") for field in ("root", "region")):
            return False
        waiting = runtime.along(runtime.get(own, "worker.crew.next"), "identity.in_crew.next")
        return identity.at not in itertools.islice(waiting, runtime.get(own, "worker.crew.waiting"))

    def tell(self, team, depth):
        """A region and those within. One of a single member that has met another one is left out, because recursion makes long chains."""
        runtime, size = self.runtime, self.runtime.get(team, "team.size")
        while size == 1 and 0 in self.teams[team] and self.teams[team][0].inner in self.teams:
            team = self.teams[team][0].inner
            size = runtime.get(team, "team.size")
        fn = runtime.get(team, "team.fn")
        self.line(depth, f"region of {size} member{'' if size == 1 else 's'} ({runtime.modes[runtime.get(team, 'team.mode')]}), "
                  + line_text(symbol(fn) or f"{fn:#x}", gdb.find_pc_line(fn)))
        members = self.teams[team]
        told = [self.told(team, number, members.get(number)) for number in range(size)]
        for text, group in itertools.groupby(range(size), lambda number: told[number]):
            numbers = list(group)
            if text:
                self.tell_members(depth + 1, numbers, text, members)
            for number in numbers if not text else ():
                self.line(depth + 1, f"member {number} is in a region within:")
                self.tell(members[number].inner, depth + 2)

    def tell_members(self, depth, numbers, text, members):
        """Members that stand alike. Those that can be asked for get numbers."""
        listed = [(number, members[number]) for number in numbers if number in members and members[number].stands]
        for number, member in listed:
            self.members.append(member)
            member.id, member.title = len(self.members), f"member {number}: {text}"
        title = f"member {numbers[0]}: {text}" if len(numbers) == 1 else f"members {numbers[0]} to {numbers[-1]}, each: {text}"
        self.line(depth, title, [member for _, member in listed])

    def told(self, team, number, member):
        """What is said of a member; None: it is in a region within."""
        if not member:
            nested = self.runtime.get(team, "team.mode") == self.runtime.constant("FG_TEAM_LOOSE")
            return "has ended" if nested and number < self.runtime.get(team, "team.births.bubble.born") else "has not begun"
        if member.inner in self.teams:
            return None
        member.stands = number == 0 or member.identity.place().is_in_body()
        if member.stands:
            return member.identity.stand()
        begun = not self.is_flat(team) or self.has_begun(team, member.identity)
        return "has reached the end of the region" if begun else "has not begun"

    def line(self, depth, text, members=()):
        ids = "" if not members else f"{members[0].id}" + (f"-{members[-1].id}" if len(members) > 1 else "")
        mark = "*" if any(member.identity.kernel and member.identity.kernel.thread.num == self.selected.num for member in members) else " "
        self.lines.append(f"{mark} {ids:>5} {'  ' * depth}{text}")


class Info(gdb.Command):
    """OpenMP's regions in flight, their members, and where each stands, those included that no thread of `info threads` carries.
The numbers on the left are those for "openmp bt" and "openmp apply", until the program goes on. A star marks the selected thread's."""

    def __init__(self):
        super().__init__("info openmp", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print("\n".join(Snapshot().lines))


class Prefix(gdb.Command):
    """Commands on the members of OpenMP's teams. "info openmp" lists the members."""

    def __init__(self):
        super().__init__("openmp", gdb.COMMAND_STACK, prefix=True)


def chosen(argument, usage):
    """The members that the first words name, and the rest of the words."""
    found = re.match(r"\s*(all\b|\d+(?:-\d+)?(?:[\s,]+\d+(?:-\d+)?)*)\s*(.*)", argument, re.S)
    if not found:
        raise gdb.GdbError(f"Usage: {usage}, with the numbers of \"info openmp\".")
    snapshot = Snapshot()
    if found[1] == "all":
        return snapshot.members, found[2]
    members = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", found[1]):
        low, high = int(first), int(last or first)
        if not 1 <= low <= high <= len(snapshot.members):
            raise gdb.GdbError(f"\"info openmp\" has the numbers 1 to {len(snapshot.members)}, not {first}{last and '-' + last}.")
        members += snapshot.members[low - 1:high]
    return members, found[2]


def apply(members, command):
    for member in members:
        print(f"\n{member.id}  {member.title}")
        with selection_kept(), member.identity.selected() as frame:
            for _ in range(member.identity.place().level or 0):
                frame = frame.older()
            if frame:
                frame.select()
                try:
                    gdb.execute(command)
                except gdb.error as error:
                    print(error)
            else:
                print("It has no frames.")


class Backtrace(gdb.Command):
    """Backtraces of members, suspended ones included.
Usage: openmp bt all|NUMBER... [WORDS OF backtrace]
The numbers are those of "info openmp"; "openmp bt all full" shows variables, too. The frames of a suspended member begin with number 1."""

    def __init__(self):
        super().__init__("openmp bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        members, rest = chosen(argument, "openmp bt all|NUMBER... [WORDS OF backtrace]")
        apply(members, f"backtrace {rest}".strip())


class Apply(gdb.Command):
    """Runs a command of gdb in the innermost frame of the program that each of the members has.
Usage: openmp apply all|NUMBER... COMMAND
The numbers are those of "info openmp": "openmp apply 3 print i". Thread-local variables are the selected thread's where the member is
suspended."""

    def __init__(self):
        super().__init__("openmp apply", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        members, command = chosen(argument, "openmp apply all|NUMBER... COMMAND")
        if not command:
            raise gdb.GdbError("Usage: openmp apply all|NUMBER... COMMAND, with the numbers of \"info openmp\".")
        apply(members, command)


for command in (Info, Prefix, Backtrace, Apply):
    command()
