"""Loops of large teams on simulated machines: each iteration once, rising, in order; and the balance of parts."""
from simulated import call, programs
from testing import expect

MACHINES = (("opteron-8347he", 16), ("epyc-7r13-2x48", 96), ("numa:4 l3:4 core:16", 256))


def loop(machine, *words):
    result = call("-m", machine, "--given", "--no-baseline", programs() / "loops", *words)
    expect(result.returncode == 0, f"{words}: {result.stderr}")
    ran, faults, us = result.stdout.splitlines()[0].split()
    return int(ran), int(faults), float(us)


def test_each_iteration_once():
    """Dynamic loops up, down, and two that members are in at a time; monotonic and guided ones; ordered ones. With equal
    work and with work that falls from the first iteration on, with chunks that do not divide the loop."""
    for machine, pus in MACHINES:
        kinds = ("dynamic", "down", "nowait", "monotonic", "guided", "ordered")
        for kind in kinds if pus < 256 else kinds[:3]:  # the others have one counter, and that takes the simulator long
            n = pus * (4 if kind == "ordered" else 13) + 5
            for chunk, skew in ((1, 0), (3, 2000)):
                ran, faults, _ = loop(machine, kind, pus, n, chunk, skew)
                expect(ran == 2 * n and faults == 0, f"{machine} {kind} {chunk} {skew}: {ran} of {2 * n}, {faults} faults")


def test_more_members_than_pus():
    """Members share workers, and the team is one of a part of the machine."""
    for machine, members in (("opteron-8347he", 40), ("epyc-7r13-2x48", 60), ("epyc-7r13-2x48", 200)):
        ran, faults, _ = loop(machine, "dynamic", members, 30 * members, 1, 0)
        expect(ran == 60 * members and faults == 0, f"{machine} {members}: {ran}, {faults} faults")


def test_parts_stay_balanced():
    """Where the first iterations cost more, the loop ends within a quarter more than its share of the work."""
    for machine, pus in MACHINES[:2]:
        _, _, us = loop(machine, "dynamic", pus, 100 * pus, 1, 2000)
        expect(us < 1.25 * 200, f"{machine}: {us} us, and the work is 200 us")
