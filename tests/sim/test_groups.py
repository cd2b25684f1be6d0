"""Large flat teams, whose workers form groups along the tree of the machine, with groups.c."""
from simulated import call, programs
from testing import expect

SMALL, EPYC, LARGE = "opteron-8347he", "epyc-7r13-2x48", "numa:4 l3:4 core:16"


def lines(machine, *words, seed=1):
    result = call("--machine", machine, "--given", "--no-baseline", "--seed", seed, programs() / "groups", *words)
    expect(result.returncode == 0, result.stdout + result.stderr)
    return result.stdout.splitlines()


def test_results():
    """Teams of as many members as PUs, of fewer, and of more."""
    for machine, sizes in ((SMALL, (16, 11)), ("numa:2 core:8", (16, 40)), ("core:20", (20,)), (EPYC, (96, 50, 200)), (LARGE, (256,))):
        for size in sizes:
            for seed in (1, 2) if size < 50 else (1,):
                found = lines(machine, "check", size, seed=seed)
                expect(found[0] == "right", f"{size} members on {machine}: {found[:5]}")


def test_cost():
    """A worker that read the lines of all others would need 1.4 us on 16 PUs, 14 on 96 and 33 on 256."""
    for machine, members, barrier, region in ((SMALL, 16, 800, 900), (EPYC, 96, 1600, 2000), (LARGE, 256, 2000, 2400)):
        for what, limit in (("barrier", barrier), ("region", region)):
            took = float(lines(machine, what, members)[0])
            expect(took < limit, f"a {what} of {members} members on {machine}: {took:.0f} ns")
