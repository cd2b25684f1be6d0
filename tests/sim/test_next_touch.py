"""Pages that wait for their next touch, or their next write, on a simulated machine (next_touch.c)."""
from simulated import call, made_up, programs
from testing import expect

NEXT_TOUCH, NEXT_WRITE = 2, 3
MACHINE = """topology = numa:2 core:2
memory.read = 100 250
cache.l2 = 16
move.fault = 5000
move.call = 30000
move.page = 2000
"""


def run(when):
    """The pages on the nodes, and the time of the member on node 1, after each step: three reads, two writes."""
    with made_up(MACHINE) as machine:
        result = call("--machine", machine.name, "--no-baseline", "--given", programs() / "next_touch", str(when),
                      env={"OMP_PLACES": "numa_domains"})
    expect(result.returncode == 0, result.stderr)
    steps = [line.split() for line in result.stdout.splitlines() if line.startswith(("read", "write"))]
    expect([step[1] for step in steps] == ["0"] * 5, result.stdout)
    return [[int(word) for word in step[2:]] for step in steps]


def test_pages_go_to_the_node_that_touches_them():
    """The half of node 1 moves with its first read after the call, once, at the price of a fault, a call and 64 pages."""
    before, first, second, write, last = run(NEXT_TOUCH)
    expect(before[:2] == [128, 0], before)
    for step in first, second, write, last:
        expect(step[:2] == [64, 64], step)
    price = 5000 + 30000 + 64 * 2000
    expect(price <= first[2] - second[2] <= price + 20000, [first, second])
    expect(second[2] < before[2], [before, second])


def test_reads_leave_pages_alone_that_wait_for_a_write():
    """They move with the first write."""
    before, first, second, write, last = run(NEXT_WRITE)
    for step in before, first, second:
        expect(step[:2] == [128, 0], step)
    for step in write, last:
        expect(step[:2] == [64, 64], step)
    expect(write[2] - last[2] >= 5000 + 30000 + 64 * 2000, [write, last])


def test_without_the_call_nothing_moves():
    for step in run(0):
        expect(step[:2] == [128, 0], step)
