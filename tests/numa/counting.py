"""What QEMU's plug-in tools/count_plugin.c has counted: by program and phase, accesses by node of the CPU, node of the page and area."""
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent / "src"
PLUGIN = [HERE / "tools" / "count_plugin.c", SOURCE / "record" / "qemu_plugin.c"]


def build(folder):
    """Builds the plug-in. Returns (its file, the compiler's complaint or None)."""
    target = folder / "count_plugin.so"
    sources = [*PLUGIN, *(header for source in PLUGIN for header in source.parent.glob("*.h"))]
    if target.exists() and all(target.stat().st_mtime >= source.stat().st_mtime for source in sources):
        return target, None
    command = ["gcc", "-O2", "-g", "-Wall", "-Wextra", "-shared", "-fPIC", "-I", str(SOURCE), "-fvisibility=hidden", "-o", str(target), *map(str, PLUGIN)]
    done = subprocess.run(command, capture_output=True, text=True)
    return target, None if done.returncode == 0 else " ".join(command) + "\n" + done.stderr


class Phase:
    def __init__(self, name, seconds):
        self.name, self.seconds = name, seconds
        self.cells = {}  # (area, node of the CPU, node of the page) -> (loads, stores)

    def sum(self, area, cpu_node=-1, page_node=-1):
        """Loads and stores; -1 stands for all nodes, and "*" for all areas."""
        chosen = [counts for (name, cpu, page), counts in self.cells.items()
                  if area in ("*", name) and cpu_node in (-1, cpu) and page_node in (-1, page)]
        return sum(counts[0] for counts in chosen), sum(counts[1] for counts in chosen)

    def areas(self):
        return sorted({area for area, _, _ in self.cells})

    def remote(self, area):
        """The share of accesses from another node than that of the page."""
        local = sum(sum(counts) for (name, cpu, page), counts in self.cells.items() if area in ("*", name) and cpu == page)
        return 1 - local / (sum(self.sum(area)) or 1)

    def most(self, area):
        """The share of accesses to pages of one node, of that node that has the largest."""
        pages = {page for _, _, page in self.cells}
        return max((sum(self.sum(area, page_node=page)) for page in pages), default=0) / (sum(self.sum(area)) or 1)


class Run:
    """What a program let count."""

    def __init__(self):
        self.phases, self.expected, self.bounds, self.notes = [], [], [], []

    def find(self, name):
        return next((phase for phase in self.phases if phase.name == name), Phase(name, 0))

    def complaints(self):
        """What is not as the program expects it."""
        if not self.phases:
            yield "it has counted nothing"
        for phase in self.phases:
            for (area, cpu, page), counts in phase.cells.items():
                if page < 0:
                    yield f"{phase.name}: {sum(counts)} accesses to {area} by node {cpu}, of pages whose node is not known"
        for name, area, cpu, page, loads, stores in self.expected:
            found = self.find(name).sum(area, cpu, page)
            if found != (loads, stores):
                yield (f"{name}: node {cpu} made {found[0]} loads and {found[1]} stores to {area} on node {page}, "
                       f"not {loads} and {stores} (-1: all nodes)")
        for what, name, area, percent in self.bounds:
            phase = self.find(name)
            share = phase.most(area) if what == "most" else phase.remote(area)
            least = what == "remote-least"
            if not phase.cells or (share < percent / 100 if least else share > percent / 100):
                yield f"{name}: {what.split('-')[0]} of {area} is {share:.1%}, not at {'least' if least else 'most'} {percent}%"

    def table(self, nodes):
        """Lines for the reader."""
        if self.phases:
            yield f"{'phase':16}{'s':>8}  {'area':12}{'loads':>12}{'stores':>12}{'remote':>8}   on node " + "".join(
                f"{node:>5}" for node in range(nodes))
        for phase in self.phases:
            for area in phase.areas():
                loads, stores = phase.sum(area)
                by_node = "".join(f"{sum(phase.sum(area, page_node=node)) / (loads + stores):5.0%}" for node in range(nodes))
                yield (f"{phase.name:16}{phase.seconds:8.2f}  {area:12}{loads:12,}{stores:12,}{phase.remote(area):8.1%}   "
                       f"        {by_node}")
        yield from self.notes


def read(path):
    """All runs that a file of the plug-in tells of, by name."""
    runs, run = {}, None
    for line in path.read_text().splitlines() if path.exists() else []:
        word, *rest = line.split()
        if word == "run":
            run = runs[line[4:]] = Run()
        elif word == "phase":
            run.phases.append(Phase(rest[0], float(rest[1])))
        elif word == "count":
            run.phases[-1].cells[rest[0], int(rest[1]), int(rest[2])] = int(rest[3]), int(rest[4])
        elif word == "expect":
            run.expected.append((*rest[:2], *map(int, rest[2:])))
        elif word in ("expect-remote", "expect-remote-least", "expect-most"):
            run.bounds.append((word[len("expect-"):], *rest[:2], int(rest[2])))
        elif word == "note":
            run.notes.append(line[5:])
    return runs
