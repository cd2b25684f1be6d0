"""Lines of the runtime on made-up machines, with forks.c: readers queue at a line's home, and get copies from their cache."""
from simulated import call, made_up, programs
from testing import complains, expect, forestgomp


def fork_ns(text, members):
    with made_up(text) as file:
        result = call("-m", file.name, "--given", "--no-baseline", programs() / "forks", members)
    expect(result.returncode == 0, result.stderr)
    return float(result.stdout.splitlines()[0])


def test_readers_queue_at_the_home():
    """8 PUs without a shared cache, so one line tells the fork; it goes over in 100 ns. The 7 other members read it at once.
    The last of them waits for 6 others: 600 ns if the home is busy for a whole transfer each, 60 for a tenth. Other lines
    are read meanwhile, and their queues overlap with it."""
    text = "topology = core:8\ntransfer.machine = 100\nline.queue = {}\n"
    long, short = fork_ns(text.format(1), 8), fork_ns(text.format(0.1), 8)
    expect(250 < long - short < 1400, f"{long} ns with a queue, {short} without")
    expect(abs(fork_ns(text.format(1), 2) - fork_ns(text.format(0.1), 2)) < 100, "one reader does not queue")


def test_readers_get_copies_from_their_cache():
    """Two caches of 8 PUs: one reader of the other cache waits for the home, and the others get its copy. So a queue of
    whole transfers costs little more than one of tenths."""
    text = "topology = l3:2 core:8\ntransfer.l3 = 10\ntransfer.machine = 100\nline.queue = {}\n"
    long, short = fork_ns(text.format(1), 16), fork_ns(text.format(0.1), 16)
    expect(long - short < 500, f"{long} ns with a queue, {short} without")


def test_links_carry_the_runtime_s_lines():
    """Lines from the other node come over a link of 64 bytes in 640 ns; and then over one that is not bounded."""
    text = "topology = numa:2 core:4\n"
    slow, fast = fork_ns(text + "memory.bandwidth.links = 100\n", 8), fork_ns(text, 8)
    expect(slow > fast + 640, f"{slow} ns with a slow link, {fast} with none")


def test_bad_figures():
    for line, said in (("misses = 0", "misses: '0' is not a number from 1 to 64"), ("misses = many", "misses: 'many' is not"),
                       ("misses = 65", "not a number from 1 to 64"), ("line.queue = 0", "line.queue: '0' is not a share"),
                       ("line.queue = 11", "line.queue: '11' is not a share")):
        with made_up(f"topology = core:2\n{line}\n") as file:
            complains(forestgomp("sim", "-m", file.name, "true"), 2, said)
