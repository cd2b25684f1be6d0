"""What schedulers are told of time on the simulated machine: budgets of bubbles, members that end, PUs that idle; their
daemons; and gangs, whose turns are such budgets."""
import json

from simulated import call, example, programs
from testing import expect, forestgomp
from traces import events, traced


TOLD = ("expired", "begun", "finished", "idles", "daemon")


def times(options, *words, machine="core:4"):
    """The lines of plugins/times.c in a run of times.c, as words and figures, and the other lines."""
    result = call("-m", machine, "--given", "--no-baseline", "--sched", f"{programs() / 'times.so'},{options}", programs() / "times", *words)
    expect(result.returncode == 0, result.stderr)
    lines = [line.split() for line in result.stderr.splitlines() if line]
    told = [(word, *map(float, figures)) for word, *figures in lines if word in TOLD]
    return told, [" ".join(line) for line in lines if line[0] not in TOLD]


def test_budgets_are_told():
    """Two teams of two compute for 10 ms on 4 PUs. A budget of 3 ms is used up after 1.5 ms, and again 1.5 ms after each
    time that it starts again: 6 times."""
    for again, times_told in ((0, 1), (2, 3), (100, 6)):
        told, other = times(f"tells=1,slice=3000,again={2 * again}", 2, 2, 10000)
        expect(not other and len(told) == 2 * times_told, f"{told} {other}")
        for n, (_, when, size, _) in enumerate(told):
            expected = 1500 * (n // 2 + 1)
            expect(size == 2 and expected <= when < expected + 100, f"{told[n]}, not {expected} us")


def test_bad_budgets():
    """A budget of -5 us, and one that is not a number (0 stands for it): one line, and nothing is told."""
    for slice in (-5, 0):
        told, other = times(f"tells=1,slice={slice}", 2, 2, 1000)
        expect(not told and len(other) == 1 and "is more than 0" in other[0] and "has none now" in other[0], f"{told} {other}")


def test_ends_are_told():
    """Members of nested teams of 2 end after 10 and 20 ms, then those of the flat team around."""
    told, _ = times("tells=2", 2, 2, 10000, 20000)
    told = [one for one in told if one[0] == "finished"]
    expect([(number, when // 10000) for _, when, _, number, _ in told] == [(0, 1), (1, 1), (0, 1), (0, 2), (1, 2), (1, 2)], str(told))


def test_begins_are_told():
    """Each member of each team once, before its end, when the tree has it (else its size is 0). One PU: one after the other."""
    for machine, words in (("core:4", (2, 2, 1000)), ("core:1", (2, 6, 1000)), ("core:4", (7, 1, 1000))):
        told, other = times("tells=2", *words, machine=machine)
        outer, inner = words[:2]
        members = [(outer, k) for k in range(outer)] + [(inner, k) for _ in range(outer) for k in range(inner) if inner > 1]
        for word in ("begun", "finished"):
            expect(sorted((size, k) for name, _, size, k, _ in told if name == word) == sorted(members), f"{machine}: {word}: {told}")
        work = 0  # members that have begun and not ended; the flat team's are among them
        for name, *_ in told:
            work += 1 if name == "begun" else -1
            expect(work >= 0, f"{machine}: an end before its begin: {told}")
        expect(not other, str(other))


def test_members_are_stopped_where_they_begin():
    """plugins/begins.c stops or sends members that begin, also of flat teams and of crews. All go on, and none is lost: docked.c
    counts. The plug-in looks into the tree."""
    for runner in (("sim", "-m", "core:4", "--given", "--no-baseline"), ("run",)):
        for words in (("docked", "flat", 4, 50), ("docked", "flat", 8, 50), ("docked", "met", 4, 50), ("times", 3, 9, 300)):
            result = forestgomp(*runner, "--sched", programs() / "begins.so", programs() / words[0], *words[1:])
            told = [line for line in result.stderr.splitlines() if "scheduler" in line]
            expect(result.returncode == 0 and not told, f"{runner} {words}: {result.returncode} {result.stderr}")


def test_idle_pus_are_told():
    """Three members of four end after 1 ms, the other after 10: three PUs idle for 3 ms once, not again each 3 ms."""
    told, _ = times("tells=4", 4, 1, 10000, 1000)
    expect(sorted(pu for _, _, pu, _ in told) == [1, 2, 3] and all(4000 <= when < 4100 and 3000 <= idle < 3010 for _, when, _, idle in told), str(told))


def test_daemons_may_sleep():
    """A daemon with a period of 5 ms sleeps 2 ms in each call: at 2, 7, 12, 17 ms. If it sleeps 7, a period of pause
    follows. Both take no time of the program."""
    for sleeps, begins in ((2000, (2000, 7000, 12000, 17000)), (7000, (2000, 14000))):
        told, _ = times(f"tells=8,sleeps={sleeps}", 4, 1, 22000)
        calls = [(begin, end) for _, begin, end in told]
        expect(len(calls) == len(begins), str(told))
        for (begin, end), wanted in zip(calls, begins):
            expect(abs(begin - wanted) < 1 and abs(end - begin - sleeps) < 1, str(told))


def gangs(options, teams, members, phases=200, machine="core:4"):
    """The time in ms, the part of computing that was spinning, and how often the teams took turns."""
    result = call("-m", machine, "--given", "--no-baseline", "--sched", f"{example('gangs')},{options}", programs() / "gangs", teams, members, phases)
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    ns, spun, changes = result.stdout.split()[:3]
    return float(ns) * 1e-6, float(spun), int(changes)


def test_gangs_take_turns():
    """Two teams of 4 on 4 PUs spin for each other in 200 phases of 50 us: 20 ms of work for each PU. Without turns most of
    the time is spun away, because members wait for some that have no PU. Three teams have work for 30 ms."""
    mixed, mixed_spun, _ = gangs("turns=no", 2, 4)
    took, spun, changes = gangs("slice=0.002", 2, 4)
    expect(took < mixed / 5 and took < 21.5 and spun < 0.05 < 0.8 < mixed_spun, f"{took} ms, {spun} spun; mixed: {mixed} ms, {mixed_spun}")
    expect(4 <= changes <= 20, f"{changes} changes")
    took, spun, changes = gangs("slice=0.002", 3, 4)
    expect(took < 32 and changes >= 6, f"three gangs: {took} ms, {changes} changes")


def test_a_high_team_has_all_pus():
    """A team of high priority begins while members of one to six low teams run, more of which are born all the time. It has the
    PUs for itself within 5%: low members compute for less than 5% of its time. Then the low teams go on to their end."""
    plugin = example("priorities")
    for n_low, members, us in ((1, 8, 2000), (2, 16, 1000), (3, 32, 500), (6, 8, 2000)):
        for seed in (1, 2, 3):
            words = (programs() / "priorities", n_low, members, us)
            result = call("-m", "core:4", "--given", "--no-baseline", "--seed", str(seed), "--sched", plugin, *map(str, words))
            expect(result.returncode == 0 and not result.stderr, result.stderr)
            took, beside = map(float, result.stdout.split()[:2])
            ideal = 1000 * members * us / 4
            expect(took < 1.05 * ideal and beside < 0.05 * 4 * ideal, f"{n_low}, seed {seed}: {took:.0f} ns of {ideal:.0f}; {beside:.0f} beside")


def crossings(scheduler, cores, seed=1):
    """The thefts across the two nodes in a run of thick.c, as the numbers of the teams whose member was taken."""
    found = events(traced(f"numa:2 core:{cores}", scheduler, "thick", options=("--seed", str(seed))))
    team = {event.bubble: event.member for event in found if event.name == "meet"}
    return [team[event.bubble] for event in found if event.name == "steal" and event.frm[0] // cores != event.to[0] // cores]


def test_the_least_cooperating_team_is_broken():
    """PUs that begin to idle may take a member of a team that meets a barrier each 10 us (0), or of one that does each 0.5 ms
    (1): all are as large. With `thick` the first that crosses between the nodes is not of team 0, whose members cooperate most.
    (Without it, one of team 0 is the first on eight PUs. Later thefts are decided by single ties.)"""
    for cores in (2, 3, 4):
        for seed in (1, 2, 3):
            found = crossings("affinity,thick", cores, seed)
            expect(found and found[0] != 0, f"{cores} PUs a node, seed {seed}: {found}")


def test_thickness():
    """A barrier each 0.1 ms: half. No cooperation: 0. Of 40 tasks of 0.1 ms three members take most from the fourth: of 30,
    say, 3 ms against 4. (Some go from thief to thief, and count again.) Where no policy asks, nothing is known."""
    for asks, wanted in ((1, ((2, 0.49, 0.51), (3, 0, 0), (4, 0.3, 0.55))), (0, None)):
        scheduler = f"{programs() / 'thick.so'},asks={asks}"
        result = call("-m", "core:4", "--given", "--no-baseline", "--sched", scheduler, programs() / "cooperate")
        told = [line.split()[1:] for line in result.stderr.splitlines() if line]
        expect(result.returncode == 0 and len(told) == 3, result.stderr)
        if wanted:
            expect(all(int(n) == size and low <= float(figure) <= high for (n, figure), (size, low, high) in zip(told, wanted)), str(told))
        else:
            expect([figure for _, figure in told] == ["nan"] * 3, str(told))


def test_stopped_threads_go_on():
    """A scheduler that stops threads and lets none go: after two seconds they go on, and `default` after that."""
    result = call("-m", "core:4", "--given", "--no-baseline", "--json", "--sched", programs() / "stops.so", programs() / "times", 2, 4, 10000)
    lines = [line for line in result.stderr.splitlines() if line]
    expect(result.returncode == 0 and len(lines) == 1 and "has kept" in lines[0] and "stopped for 2 s" in lines[0], result.stderr)
    took = json.loads(result.stdout)["time_ns"]
    expect(2e9 < took < 2.1e9, f"{took} ns")
