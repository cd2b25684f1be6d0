"""Loops of large teams on simulated machines: each iteration once, rising, in order; and the balance of parts."""
from simulated import call, programs
from testing import expect

MACHINES = (("opteron-8347he", 16), ("epyc-7r13-2x48", 96), ("numa:4 l3:4 core:16", 256))


def loop(machine, *words, env=None):
    result = call("-m", machine, "--given", "--no-baseline", programs() / "loops", *words, env=env)
    expect(result.returncode == 0, f"{words}: {result.stderr}")
    ran, faults, us = result.stdout.splitlines()[0].split()
    return int(ran), int(faults), float(us)


def test_each_iteration_once():
    """Dynamic loops up, down, and two that members are in at a time; monotonic and guided ones; ordered ones. With equal
    work and with work that falls from the first iteration on, with chunks that do not divide the loop."""
    for machine, pus in MACHINES:
        kinds = ("dynamic", "down", "nowait", "monotonic", "guided", "ordered")
        for kind in kinds if pus < 256 else kinds[:5]:  # turns of ordered loops take the simulator long there
            n = pus * (4 if kind == "ordered" else 13) + 5
            for chunk, skew in ((1, 0), (3, 2000)):
                ran, faults, _ = loop(machine, kind, pus, n, chunk, skew)
                expect(ran == 2 * n and faults == 0, f"{machine} {kind} {chunk} {skew}: {ran} of {2 * n}, {faults} faults")


def test_other_loops():
    """Loops down, by steps, up to the limits of a type, of the schedule that the program sets; two loops at a time, the second
    in order; a doacross loop; one that is cancelled. The iterations of a member rise in all of them."""
    for machine, pus in MACHINES[:2]:
        for kind in ("falling", "unsigned", "unsigned guided", "runtime", "two", "across", "cancelled"):
            n = pus * (4 if kind in ("two", "across") else 13) + 5
            for chunk in (1, 3):
                ran, faults, _ = loop(machine, kind, pus, n, chunk, 0, env={"OMP_CANCELLATION": "true"})
                expect(ran == 2 * n and faults == 0, f"{machine} {kind} {chunk}: {ran} of {2 * n}, {faults} faults")


def test_more_members_than_pus():
    """Members share workers, and the team is one of a part of the machine."""
    for machine, members in (("opteron-8347he", 40), ("epyc-7r13-2x48", 60), ("epyc-7r13-2x48", 200)):
        for kind in ("dynamic", "monotonic", "guided", "ordered"):
            n = members * (5 if kind == "ordered" else 30)
            ran, faults, _ = loop(machine, kind, members, n, 1, 0)
            expect(ran == 2 * n and faults == 0, f"{machine} {kind} {members}: {ran}, {faults} faults")


def test_parts_stay_balanced():
    """Where the first iterations cost more, the loop ends within a quarter more than its share of the work."""
    for machine, pus in MACHINES[:2]:
        for kind in ("dynamic", "monotonic"):
            _, _, us = loop(machine, kind, pus, 100 * pus, 1, 2000)
            expect(us < 1.25 * 200, f"{machine} {kind}: {us} us, and the work is 200 us")


def test_an_iteration_for_each_member():
    """As many iterations as members run side by side, and the ways of large teams leave none to a busy group."""
    for machine, pus in MACHINES[:2]:
        for kind in ("dynamic", "monotonic", "guided"):
            for n in (pus, 2 * pus):
                ran, faults, us = loop(machine, kind, pus, n, 1, 50000)
                expect(ran == 2 * n and faults == 0, f"{machine} {kind}: {ran}, {faults} faults")
                expect(us < 1.2 * 100 * max(1, n / pus), f"{machine} {kind} {n}: {us} us")
