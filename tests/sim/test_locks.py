"""Locks on simulated machines of many PUs: exclusion, and a bound for the turns that a member waits."""
from simulated import call, programs
from testing import expect

MACHINES = (("opteron-8347he", 16), ("epyc-7r13-2x48", 96), ("numa:4 l3:4 core:16", 256))


def contended(machine, *words):
    result = call("-m", machine, "--given", "--no-baseline", programs() / "contended", *words)
    expect(result.returncode == 0, result.stderr)
    return [int(word) for word in result.stdout.splitlines()[0].split()]


def test_waits_are_bounded():
    """Each member that spins gets the lock in its turn, with equal work outside and with skewed work."""
    for machine, pus in MACHINES:
        for kind, skew in (("critical", 0), ("lock", 20)):
            taken, longest = contended(machine, kind, pus, 12, skew)
            expect(taken == 12 * pus and longest <= 8 * pus, f"{machine} {kind}: {taken} turns, {longest} at most in a wait")


def test_parked_members():
    """Two members on each PU: those that park are woken, and get the lock, too."""
    for kind in ("critical", "lock"):
        taken, longest = contended("epyc-7r13-2x48", kind, 192, 6, 0)
        expect(taken == 6 * 192, f"{kind}: {taken} turns, {longest} at most in a wait")
