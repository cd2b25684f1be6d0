"""FGOMP_MEMORY on simulated machines: samples tell who uses whose memory, and pages follow their users (first_touch.c)."""
import re

from simulated import call, made_up, programs
from testing import expect

# With caches that are smaller than a member's block: what lies in a cache needs no repair.
MACHINES = ("numa:4 core:4", "numa:4 core:24", "numa:8 core:32")
PAGES_A_MIB = 256


def run(machine, pattern, mib, sweeps, memory):
    """Returns the times of the sweeps, the pages that moved, and what the report says."""
    with made_up(f"topology = {machine}\ncache.l2 = 16\n") as file:
        result = call("--machine", file.name, "--no-baseline", "--given", "--seed", 1, programs() / "first_touch", pattern, mib, sweeps,
                      env={"FGOMP_MEMORY": memory})
    expect(result.returncode == 0, result.stderr)
    moved = re.search(r"(\d+) pages of 4 KiB moved", result.stderr)
    return [int(ns) for ns in re.findall("^sweep ([0-9]+)$", result.stdout, re.M)], int(moved[1]) if moved else 0, result.stderr


def remote(report):
    """The remote shares before and after that the report tells of the region."""
    return [int(share) for share in re.search(r"region .*: (\d+)% remote, then (\d+)%", report).groups()]


def test_blocks_follow_their_users():
    """Each page moves once, and no more than a part of the pages moves that was remote. Then nearly nothing is remote."""
    for machine in MACHINES:
        mib, sweeps = 8, 20
        off, none, _ = run(machine, "blocks", mib, sweeps, "off")
        times, moved, report = run(machine, "blocks", mib, sweeps, "auto+report")
        before, after = remote(report)
        expect(none == 0 and moved <= 1.05 * mib * PAGES_A_MIB, f"{machine}: {none}, {moved} pages moved")
        expect(before >= 45 and after <= 5, f"{machine}: {before}% remote, then {after}%")
        expect(times[-1] < 0.75 * off[-1], f"{machine}: the last sweep {times[-1]}, without {off[-1]}")


def test_blocks_of_nested_teams():
    """Under the preset policy, teams stay where their blocks have come to."""
    for machine in MACHINES[:2]:
        mib, sweeps = 8, 40
        off, _, _ = run(machine, "nested", mib, sweeps, "off")
        times, moved, report = run(machine, "nested", mib, sweeps, "auto+report")
        before, after = remote(report)
        expect(moved <= 1.05 * mib * PAGES_A_MIB, f"{machine}: {moved} pages moved")
        expect(before >= 70 and after <= 5, f"{machine}: {before}% remote, then {after}%")
        expect(times[-1] < 0.5 * off[-1], f"{machine}: the last sweep {times[-1]}, without {off[-1]}")


def test_what_lies_well_stays():
    for machine in MACHINES:
        off, _, _ = run(machine, "placed", 8, 12, "off")
        times, moved, report = run(machine, "placed", 8, 12, "auto+report")
        expect(moved == 0 and "not moved" in report, f"{machine}: {report}")
        expect(sum(times[1:]) <= 1.02 * sum(off[1:]), f"{machine}: {sum(times[1:])}, without {sum(off[1:])}")


def test_pages_follow_users_who_change():
    """Half of the sweeps later each block has another user, and its pages move once more."""
    times, moved, _ = run(MACHINES[0], "turning", 8, 60, "auto+report")
    off, _, _ = run(MACHINES[0], "turning", 8, 60, "off")
    expect(moved <= 2.1 * 8 * PAGES_A_MIB, f"{moved} pages moved")
    expect(times[29] < 0.75 * off[29] and times[59] < 0.75 * off[59], f"{times[29]}, {times[59]}; without {off[29]}, {off[59]}")


def test_shared_pages_go_round_the_nodes():
    """All members read pages by chance. All lie on one node, whose memory and links serve everybody, so they go round the nodes. No
    placement makes them local."""
    off, _, _ = run(MACHINES[0], "all", 8, 40, "off")
    times, moved, report = run(MACHINES[0], "all", 8, 40, "auto+report")
    expect(0.5 * 8 * PAGES_A_MIB < moved <= 1.05 * 8 * PAGES_A_MIB, f"{moved} pages moved")
    expect(times[-1] < 0.75 * off[-1], f"{times[-1]}, without {off[-1]}")
    expect(remote(report)[1] >= 60, report)


def test_strips_go_round_the_nodes():
    """Neighbouring strips have different users. No piece belongs to one node, so it is as with pages that all use."""
    off, _, _ = run(MACHINES[0], "strips", 8, 40, "off")
    times, moved, _ = run(MACHINES[0], "strips", 8, 40, "auto+report")
    expect(moved <= 1.05 * 8 * PAGES_A_MIB, f"{moved} pages moved")
    expect(sum(times) <= 1.02 * sum(off), f"{sum(times)}, without {sum(off)}")


def test_a_report_moves_nothing():
    _, moved, report = run(MACHINES[0], "blocks", 8, 8, "report")
    expect(moved == 0 and "not moved: FGOMP_MEMORY=report" in report and re.search("7[0-9]% remote", report), report)


def test_nothing_is_said_or_done_without_being_asked():
    for word in ("off", "hints"):
        _, _, report = run(MACHINES[0], "blocks", 8, 8, word)
        expect("memory:" not in report, report)
