"""The lines: each is a program of teams on a simulated machine, with one figure. Called by bench/teams.py.

The list stays as it is while policies change, because it judges them. TUNED are those on which rules were found. HELD_OUT were chosen afterwards,
and no rule was tuned on them."""

from dataclasses import dataclass

OPTERON = "opteron-8347he"                # 4 nodes of 4 PUs, with caches
DUAL = "opteron-8x2"                      # 8 nodes of 2 PUs
EPYC = "epyc-7r13-2x48"                   # 2 nodes of 48 PUs, with 8 L3 caches each
PLAIN = "numa:4 core:4 pu:1"              # 16 PUs without caches
HALF = "numa:2 core:4 pu:1"
ONE_NODE = "core:16"
THREADED = "numa:2 l3:2 core:4 pu:2"      # 32 PUs, two to a core
ODD = "numa:3 core:5"
LARGE = "numa:4 l3:4 core:16"             # 256 PUs
KB = 1024
MB = 1024 * KB


@dataclass(frozen=True)
class Line:
    name: str
    machine: str
    text: str           # the program and its arguments
    higher: bool = False  # a higher figure is better

    @property
    def program(self):
        return self.text.split()[0]

    @property
    def words(self):
        return self.text.split()[1:]

    def off(self, figure, best):
        """Returns how far a figure is from the best one: 0.1 is 10% more time, or an efficiency that the best one exceeds by 10%."""
        return (best / figure if self.higher else figure / best) - 1

    def best(self, figures):
        return max(figures) if self.higher else min(figures)

    def worst(self, figures):
        return min(figures) if self.higher else max(figures)


def efficiency(name, machine, text):
    return Line(name, machine, f"plain barriers {text}", higher=True)


def efficiencies(phases, ns, *shapes):
    """Returns a line for each shape, on PLAIN."""
    return [efficiency(f"plain {shape} {ns // 1000}us", PLAIN, f"{shape.replace('x', ' ')} {phases} {ns}") for shape in shapes]


TUNED = (
    Line("regions 4x4 256K", OPTERON, f"families regions 4 4 24 20000 {256 * KB}"),
    Line("regions 4x8 256K", OPTERON, f"families regions 4 8 24 20000 {256 * KB}"),
    Line("barriers 8x4 256K", OPTERON, f"families barriers 8 4 24 20000 {256 * KB}"),
    Line("barriers 8x4 64K", OPTERON, f"families barriers 8 4 24 20000 {64 * KB}"),
    Line("barriers 8x4 256K 400us", OPTERON, f"families barriers 8 4 12 400000 {256 * KB}"),
    Line("barriers 2x8 256K", OPTERON, f"families barriers 2 8 24 20000 {256 * KB}"),
    Line("barriers 8x4 256K on 2x4", HALF, f"families barriers 8 4 24 20000 {256 * KB}"),
    Line("regions 12x8 256K epyc", EPYC, f"families regions 12 8 10 20000 {256 * KB}"),
    Line("teams 4x4 own", OPTERON, "teams 4 4 100 20000 own=100000"),
    Line("teams 4x16 own", OPTERON, "teams 4 16 50 20000 own=50000"),
    Line("teams 32 told loads", OPTERON, "teams 32 0 50 20000 skew=8 loads"),
    Line("teams 2x64", OPTERON, "teams 2 64 50 500"),
    Line("ends 6 of 8", OPTERON, "families barriers 8 4 24 100000 0 live=2"),
    Line("ends every second pair", OPTERON, f"families barriers 8 4 24 20000 {256 * KB} alternate"),
    Line("uneven 16x4", OPTERON, "plain steps 16 4 6 20000 skew=25"),
    Line("uneven 32x2", OPTERON, "plain steps 32 2 6 20000 skew=25"),
    *efficiencies(50, 20000, "4x8", "2x16", "8x4", "16x4", "2x8", "1x64"),
    *efficiencies(100, 5000, "4x8", "8x4", "2x16"),
    *efficiencies(40, 100000, "4x8", "8x4", "2x16"),
    *efficiencies(20, 400000, "4x8", "8x4", "2x16"),
    Line("steps 2x8", OPTERON, "plain steps 2 8 40 20000 warm=20"),
    Line("steps 4x4", OPTERON, "plain steps 4 4 40 20000 warm=20"),
    Line("steps 2x16", OPTERON, "plain steps 2 16 40 20000 warm=20"),
    Line("multizone 4x4 300ns", OPTERON, "multizone 4 4 zones=4x4 given=300 steps=3"),
    Line("multizone 16x4 300ns", OPTERON, "multizone 16 4 zones=4x4 given=300 steps=3"),
    Line("multizone 2x8 300ns", OPTERON, "multizone 2 8 zones=4x4 given=300 steps=3"),
    Line("multizone 4x4 3265ns", OPTERON, "multizone 4 4 zones=16x16 given=3265 steps=1"),
    Line("mpu", DUAL, "mpu_walk TREE nested 4"),
    Line("tree of regions", OPTERON, f"trees regions 8 20000 {4 * MB}"),
    Line("levels 4x4x4", OPTERON, "levels 4x4x4 10 20000"),
    Line("tree of tasks", OPTERON, f"trees tasks 9 20000 {4 * MB}"),
    Line("regions 16x4 256K", OPTERON, f"families regions 16 4 12 20000 {256 * KB}"),
    Line("barriers 16x4 64K", OPTERON, f"families barriers 16 4 12 20000 {64 * KB}"),
    Line("barriers 4x8 256K", OPTERON, f"families barriers 4 8 24 20000 {256 * KB}"),
)

HELD_OUT = (
    # Other sizes.
    Line("barriers 12x4 64K", OPTERON, f"families barriers 12 4 24 20000 {64 * KB}"),
    Line("regions 12x4 256K", OPTERON, f"families regions 12 4 16 20000 {256 * KB}"),
    Line("barriers 3x5 256K", OPTERON, f"families barriers 3 5 24 20000 {256 * KB}"),
    Line("regions 3x5 64K 100us", OPTERON, f"families regions 3 5 24 100000 {64 * KB}"),
    Line("barriers 3x7 256K", OPTERON, f"families barriers 3 7 24 20000 {256 * KB}"),
    Line("regions 3x7 16K 5us", OPTERON, f"families regions 3 7 40 5000 {16 * KB}"),
    Line("barriers 5x13 64K", OPTERON, f"families barriers 5 13 16 20000 {64 * KB}"),
    Line("regions 5x13 256K", OPTERON, f"families regions 5 13 12 20000 {256 * KB}"),
    Line("barriers 6x6 256K", OPTERON, f"families barriers 6 6 24 20000 {256 * KB}"),
    Line("regions 6x6 1M 100us", OPTERON, f"families regions 6 6 8 100000 {MB}"),
    Line("barriers 2x16 1M 100us", OPTERON, f"families barriers 2 16 12 100000 {MB}"),
    Line("regions 2x16 64K", OPTERON, f"families regions 2 16 24 20000 {64 * KB}"),
    Line("barriers 8x4 16K 5us", OPTERON, f"families barriers 8 4 60 5000 {16 * KB}"),
    Line("barriers 4x4 1M 400us", OPTERON, f"families barriers 4 4 12 400000 {MB}"),
    efficiency("plain 12x4 20us", PLAIN, "12 4 50 20000"),
    efficiency("plain 6x6 100us", OPTERON, "6 6 30 100000"),
    # Unequal teams in one program.
    Line("barriers 12,4,4,4 256K", OPTERON, f"families barriers 4 4 24 20000 {256 * KB} sizes=12,4,4,4"),
    Line("regions 12,4,4,4 64K", OPTERON, f"families regions 4 4 24 20000 {64 * KB} sizes=12,4,4,4"),
    Line("barriers 8,2 64K 100us", OPTERON, f"families barriers 8 4 16 100000 {64 * KB} sizes=8,2"),
    efficiency("plain 1,2,...,8 100us", PLAIN, "8 4 30 100000 sizes=1,2,3,4,5,6,7,8"),
    Line("uneven 12x4", OPTERON, "plain steps 12 4 8 20000 skew=10"),
    # Teams that end at different times.
    Line("ends in turn 8x4 256K", OPTERON, f"families barriers 8 4 32 20000 {256 * KB} staggered"),
    Line("ends in turn 4x8 64K", OPTERON, f"families regions 4 8 32 20000 {64 * KB} staggered"),
    Line("ends in turn 12x4 100us", PLAIN, "families barriers 12 4 24 100000 0 staggered"),
    # Teams that come later.
    Line("late 8x4 256K", OPTERON, f"families barriers 8 4 24 20000 {256 * KB} late=12"),
    Line("late 8x4 64K regions", OPTERON, f"families regions 8 4 24 20000 {64 * KB} late=12"),
    Line("late 6x4 400us", PLAIN, "families barriers 6 4 12 400000 0 late=4"),
    # Three levels.
    Line("levels 2x4x4 64K", OPTERON, f"levels 2x4x4 16 20000 {64 * KB}"),
    Line("levels 3x3x3", OPTERON, "levels 3x3x3 20 20000"),
    Line("levels 2x6x8 epyc 64K", EPYC, f"levels 2x6x8 8 20000 {64 * KB}"),
    # Flat teams, tasks.
    Line("flat 16 1M", OPTERON, f"families barriers 1 16 24 20000 {MB}"),
    Line("flat 96 1M epyc", EPYC, f"families regions 1 96 12 100000 {MB}"),
    Line("taskloop 4x4 256K", OPTERON, f"tasks loop 4 4 10 20000 {256 * KB} 32"),
    Line("task pairs 8x4 64K", OPTERON, f"tasks pairs 8 4 10 5000 {64 * KB} 32"),
    Line("taskloop 12x8 epyc 256K", EPYC, f"tasks loop 12 8 6 20000 {256 * KB} 64"),
    # Other machines.
    Line("barriers 12x8 256K epyc", EPYC, f"families barriers 12 8 12 20000 {256 * KB}"),
    Line("barriers 2x48 1M epyc", EPYC, f"families barriers 2 48 8 20000 {MB}"),
    Line("regions 24x4 256K epyc", EPYC, f"families regions 24 4 10 100000 {256 * KB}"),
    Line("barriers 3x5 256K odd", ODD, f"families barriers 3 5 24 20000 {256 * KB}"),
    Line("regions 4x7 64K odd", ODD, f"families regions 4 7 24 20000 {64 * KB}"),
    Line("barriers 4x4 256K one node", ONE_NODE, f"families barriers 4 4 24 20000 {256 * KB}"),
    Line("regions 8x4 64K threaded", THREADED, f"families regions 8 4 24 20000 {64 * KB}"),
    Line("barriers 4x8 256K threaded", THREADED, f"families barriers 4 8 24 20000 {256 * KB}"),
    Line("barriers 16x16 64K of 256", LARGE, f"families barriers 16 16 6 20000 {64 * KB}"),
    efficiency("plain 32x8 100us of 256", LARGE, "32 8 10 100000"),
)

LINES = (*TUNED, *HELD_OUT)
