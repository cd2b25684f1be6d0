"""Ten regions on the simulated x4600: what a program learns by a few trials, against all numbers of threads."""
import statistics
import subprocess

from simulated import call, programs
from testing import BUILD, LIMIT, expect

PUS, SEEDS, NOISE = 32, range(1, 6), 0.05
REGIONS = ("computing", "serial_tenth", "serial_third", "locked", "barriers", "tiny", "small", "six_parts", "memory", "tasks")


def profile(region):
    result = call("--machine", "x4600", "--given", "--no-baseline", programs() / "scales", region, "1")
    expect(result.returncode == 0, result.stderr)
    return "".join(f"{line}\n" for line in result.stdout.splitlines() if line.startswith(f"{region} "))


def test_learnt_numbers():
    """Within one doubling: the best number in nine of ten regions, the optimal one in eight (medians of seeds), after at most six trials. The simulator
    knows no riders, so teams of so many threads stand for a team on so many PUs."""
    lines, found = "".join(map(profile, REGIONS)), {}
    for seed in SEEDS:
        told = subprocess.run([BUILD / "bench" / "papers_learnt", str(PUS), str(seed), str(NOISE)], input=lines, capture_output=True, text=True,
                              timeout=LIMIT)
        expect(told.returncode == 0, told.stderr)
        for line in told.stdout.splitlines():
            name, *numbers = line.split()
            found.setdefault(name, []).append([int(number) for number in numbers])
    expect(len(found) == 10 and all(len(rows) == len(SEEDS) for rows in found.values()), str(found))
    for column, what, least in ((0, "optimal", 8), (1, "best", 9)):
        right = 0
        for rows in found.values():
            profiled, learnt = rows[0][column], statistics.median(row[column + 2] for row in rows)
            right += learnt <= 2 * profiled and profiled <= 2 * learnt
        expect(right >= least, f"{what}: {right} of 10: {found}")
    expect(all(row[4] <= 6 for rows in found.values() for row in rows), f"trials: {found}")
