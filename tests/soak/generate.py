#!/usr/bin/env python3
"""Writes a random OpenMP program in C whose right results are known by construction: generate.py SEED [--drop
PATH,...].

A program is a tree of statements (statements.py). Each has a path, such as m.2.0, and draws its chances from (seed,
path): so dropping some leaves all others as they are, which is how a failing program is made smaller."""
import argparse
import random
import sys

MASK = (1 << 64) - 1


class Program:
    def __init__(self, seed, drop=()):
        self.seed, self.drop = seed, frozenset(drop)
        self.paths = []      # of all statements, parents first
        self.globals = []    # lines
        self.functions = []  # lines
        self.begin = []      # first lines of main
        self.features = set()  # "blocks": members wait for each other outside OpenMP; "spins": in a loop of their own;
        # "threads": some of the program's own
        self.units = []      # of all totals, for the checksum

    def new_total(self, unit):
        self.units.append(unit)
        return len(self.units) - 1

    def checksum(self):
        result = 0
        for unit in self.units:
            result = (result * 31 + unit) & MASK
        return result

    def end(self):
        """A few programs end as their initial thread does by pthread_exit: with status 0, once no other thread is left."""
        last = f"soak_end({self.checksum()}UL)"
        if random.Random(f"{self.seed}/end").random() > 0.08:
            return [f"return {last};"]
        self.features.add("threads")
        return [f"if ({last})", "return 1;", "fflush(stdout);", "pthread_exit(NULL);"]

    def text(self):
        import statements
        body = statements.main_body(self)
        lines = [f"#define SOAK_TOTALS {len(self.units)}", '#include "soak.h"', *self.globals, *self.functions,
                 "int main(void)", "{", "soak_begin();", *self.begin, *body,
                 *self.end(), "}"]
        return f"/* generate.py {self.seed} */\n" + indent(lines)


class Frame:
    """The frame that the members of one team share: the code of a parallel region, or of a thread outside of any."""

    def __init__(self, program, name, size, level):
        self.program, self.name, self.size, self.level = program, name, size, level
        self.shared, self.private, self.checks = [], [], []
        self.sums = 0

    def declare(self):
        """Lines that stand before the region. A pointer reaches the sums, and a task may have a copy of it."""
        name = self.name
        if self.size == "1":  # tasks of no region
            self.checks.insert(0, "#pragma omp barrier")
        return [f"long sums_{name}[{self.sums + 1}] = {{0}}, *const s_{name} = sums_{name};", f"(void)s_{name};", *self.shared]


class Context:
    """The place of a statement. `times` and `each`: how often it runs for one run of its frame: `times`, for each
    member if `each`. `team`: all members come here, so it may be a worksharing construct or a barrier."""

    def __init__(self, frame, path, **others):
        self.frame, self.path = frame, path
        self.times, self.each, self.team = 1, True, True
        self.cost = 1        # estimate of how often it runs in the program
        self.threads = 1     # the most threads that regions around it have
        self.regions = 0     # how many regions lie around it
        self.depth = 0       # how many statements
        self.locked = False  # holds a lock: its statements start no task
        self.tied = True
        self.in_task = False
        self.included = False  # in a final task: tasks made here run at once
        self.serial = False  # outside of any region
        self.__dict__.update(others)

    @property
    def program(self):
        return self.frame.program

    @property
    def name(self):
        return self.path.replace(".", "_")

    def at(self, part, **changes):
        values = dict(self.__dict__, **changes)
        frame, path = values.pop("frame"), values.pop("path")
        return Context(frame, f"{path}.{part}", **values)

    def once(self, part, runs=1, **changes):
        """Inside a statement that one of the members runs, `runs` times."""
        return self.at(part, times=self.times * runs, each=False, team=False, cost=self.cost * runs / self.threads, **changes)

    def alone(self, part, runs=1, **changes):
        """Inside a statement that each thread which comes here runs by itself."""
        return self.at(part, times=self.times * runs, team=False, cost=self.cost * runs, **changes)

    def chance(self):
        return random.Random(f"{self.program.seed}/{self.path}")

    def sum(self, unit, once=False):
        """A variable to which each run of the statement adds `unit` (once: all members together do)."""
        frame = self.frame
        variable = f"s_{frame.name}[{frame.sums}]"
        frame.sums += 1
        index = self.program.new_total(unit)
        times = f"{self.times}" + (f" * {frame.size}" if self.each and not once else "")
        frame.checks.append(f'total({index}, "{self.path}", {variable}, {unit}, {times});')
        return variable


def delay(chance, probability):
    """A delay of a thread, which shows whether others fail to wait for it."""
    if chance.random() >= probability:
        return []
    return [chance.choice(["burn(300);", "burn(5000);", "burn(20000);", "sched_yield();", "usleep(30);"])]


def indent(lines):
    depth, result = 0, []
    for line in lines:
        depth -= line.startswith("}")
        result.append(line if line.startswith("#") else "\t" * depth + line)
        depth += line.endswith("{") or line.startswith("{ ")
    return "\n".join(result) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", help="any word")
    parser.add_argument("--drop", default="", help="paths of statements to leave out, separated by commas")
    options = parser.parse_args()
    sys.modules["generate"] = sys.modules["__main__"]
    sys.stdout.write(Program(options.seed, options.drop.split(",")).text())


if __name__ == "__main__":
    main()
