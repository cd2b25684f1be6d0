"""The memory of simulated machines, with memory.c: latencies, bandwidths, caches, where a line comes from."""
import json
import re

from simulated import TRIES, call, made_up, programs, sim
from testing import expect


def figures(machine, case, *words, options=("--given",)):
    """The figures that a case of memory.c prints, in order."""
    result = call("--machine", machine, "--no-baseline", *options, programs() / "memory", case, *words)
    expect(result.returncode == 0, result.stderr)
    return [int(line.split()[1]) for line in result.stdout.splitlines() if re.match("(step|rate) ", line)]


def steps(machine, *words):
    return figures(machine, "steps", *words)


def near(value, wanted, tolerance, what):
    expect(abs(value - wanted) <= tolerance, f"{what}: {value}, not {wanted} (within {tolerance})")


def test_memory_latency_by_distance():
    """Claim 14. Pages of node 0; PUs 0, 4 and 12 are on it, one link and two links away: the file's own figures, to the
    nanosecond."""
    ns = steps("opteron-8347he", "0:h:0:1048576", *(f"{pu}:{operation}:{64 * page}:1" for page, (operation, pu) in
                                                     enumerate((operation, pu) for operation in "rw" for pu in (0, 4, 8, 12))))
    expect(ns[1:] == [83, 98, 98, 117, 142, 177, 177, 208], str(ns))


def test_memory_bandwidth_of_the_papers_machine():
    """Claim 15. Three of the four published figures are in the file. Four threads, their own node: its memory alone
    bounds them (12.42 ns a line). Spread over three nodes: 2/3 of the lines come over node 0's links (16.72 ns each),
    11.15 ns a line. 16 threads, own nodes: each node's links carry the probes for the lines of three others, 3 x 5.87
    ns. Spread, too: 11.15 + 17.61 = 28.76 ns a line, 2225 MB/s a node; published: 2257. Tolerance: 2%, because of the
    begin and the end."""
    few_near, few_spread, all_near, all_spread = (figures("opteron-8347he", "stream", *words)[0]
                                                  for words in ((4, 0), (4, 1), (16, 0), (16, 1)))
    near(few_near, 5151, 103, "4 threads on their node")
    near(few_spread, 5740, 115, "4 threads, data spread")
    near(all_near / 4, 3635, 73, "16 threads, a node")
    near(all_spread / 4, 2225, 45, "16 threads, data spread, a node")
    expect(few_spread > few_near and all_near > 1.5 * all_spread, "who is better")


def test_memory_is_streamed():
    """100 ns for the first line; 6400 MB/s are 10 ns for each further one: 10 are under way at a time. Two that share a
    memory of 8000 MB/s get 8 ns a line, together. Begin and end differ by a page."""
    text = "topology = core:2\nmemory.read = 100\nmemory.bandwidth.core = 6400\nmemory.bandwidth.node = 8000\ncache.l2 = 64\n"
    n = 16384
    with made_up(text) as file:
        alone, both, changed = steps(file.name, f"0:r:0:{64 * n}", f"0:r:{n}:{64 * n}+1:r:{2 * n}:{64 * n}", f"0:w:{3 * n}:{64 * n}")
    near(alone, 100 + (n - 1) * 10, n / 64, "one alone")
    near(both, 2 * n * 8, 2000, "two at once")
    # Each changed line goes back, too, once the 1024 lines of the cache are full: 16 ns in the memory, more than the
    # core waits.
    near(changed, 1024 * 10 + (n - 1024) * 16, 2000, "writing")


def test_links_are_shared():
    """The same over a link: 150 ns, 15 ns a line; where the link gives 3200 MB/s, 20 ns a line; for both of node 1's
    PUs together 40."""
    text = "topology = numa:2 core:2\nmemory.read = 100 150\nmemory.bandwidth.core = 6400\nmemory.bandwidth.node = 80000\ncache.l2 = 64\n"
    n = 4096
    for links, one, two in (("", 15, 15), ("memory.bandwidth.links = 3200\n", 20, 40)):
        with made_up(text + links) as file:
            _, alone, both = steps(file.name, f"0:h:0:{3 * 64 * n}", f"2:r:0:{64 * n}", f"2:r:{n}:{64 * n}+3:r:{2 * n}:{64 * n}")
        near(alone, n * one, 64 * 20 + 150, f"one, {links}")
        near(both, n * two, 64 * 40 + 1000, f"two, {links}")


def test_caches_hold_what_fits():
    """64 KB of its own, 1024 KB shared by two: 30 ns, then 5 ns a line (12800 MB/s). A sweep over more than a cache
    holds finds nothing in it, because the line used least recently goes first."""
    text = ("topology = l3:1 core:2\nmemory.read = 100\nmemory.bandwidth.core = 6400\ncache.l2 = 64\ncache.l3 = 1024\n"
            "cache.l3.latency = 30\ncache.l3.bandwidth = 12800\n")
    with made_up(text) as file:
        ns = steps(file.name, *["0:r:0:65536"] * 2, *["0:r:0:131072"] * 2, "1:r:0:131072", *["0:r:0:2097152"] * 2)
    expect(ns[1] == 0, f"own cache: {ns[1]}")
    near(ns[3], 30 + 2047 * 5, 32, "shared cache")
    near(ns[4], 30 + 2047 * 5, 32, "what the other brought into the shared cache")
    near(ns[6], 100 + 32767 * 10, 512, "more than both hold")
    # 128 sets of 8 lines: twelve others of line 0's set come and go, and line 0, used between any two, stays.
    with made_up("topology = core:1\ncache.l2 = 64\n") as file:
        ns = steps(file.name, "0:r:0:1", *(f"0:r:{line}:1" for i in range(1, 13) for line in (128 * i, 0)), "0:r:128:1")
    expect(ns == [90] + [90, 0] * 12 + [90], f"least recently used: {ns}")


def test_changed_lines_come_from_their_writer():
    """PUs 0 and 1 share an L3 (39 ns from core to core, 23 ns out of the L3), 4 is one link away from both 0 and 12 (98
    ns), 12 two links from 0 (117 ns). A change of a line that others have waits for the farthest to drop it."""
    script = (("0:w:0:1", 142), ("1:r:0:1", 39), ("2:r:0:1", 23), ("4:r:0:1", 98), ("12:r:0:1", 117), ("0:w:0:1", 117), ("0:w:0:1", 0),
              ("12:r:0:1", 117), ("12:r:0:1", 0), ("4:w:0:1", 98), ("0:r:0:1", 98), ("12:r:0:1", 98))
    ns = steps("opteron-8347he", *(step for step, _ in script))
    expect(ns == [wanted for _, wanted in script], str(ns))
    # Lines side by side are apart, as on the machine.
    ns = steps("opteron-8347he", "0:w:0:1", "4:w:1:1", "0:w:0:1", "4:w:1:1", "0:r:1:1")
    expect(ns[2:] == [0, 0, 98], str(ns))


def test_written_back_lines_come_from_memory():
    """PU 0 changes 8 MB, of which its L3 keeps the last 2 MB; one link away the first line then comes from memory (98
    ns), and the page's home is still where it was touched first; the last comes from the cache."""
    ns = steps("opteron-8347he", "0:w:0:8388608", "4:r:0:1")
    expect(ns[1] == 98, str(ns))
    script = ("0:w:0:8388608", "4:r:0:64", "4:r:131071:64", "4:r:131071:64")
    result = sim("opteron-8347he", "memory", "steps", *script, options=["--given"])
    expect(result["lines"]["memory"] == {"0": 131072, "1": 1} and sum(result["lines"]["other"].values()) == 1 and
           result["lines"]["own"] == 1, str(result["lines"]))
    expect(result["per_pu"][4]["remote"] == 2 and result["per_pu"][0]["remote"] == 0, "remote accesses")


def test_separating_threads_from_their_data_loses():
    """64 parts of 256 KB lie on 8 nodes. The parts of a node fit its L3 and the L2s of its cores, if the same cores use
    them again. Random victims bring teams to other nodes."""
    here, anywhere = (json.loads(call("-m", "x4600", "--given", "--no-baseline", "--json", "--sched", policy, programs() / "memory", "teams").stdout)
                      for policy in ("default", "random"))
    remote = [sum(pu["remote"] for pu in outcome["per_pu"]) for outcome in (here, anywhere)]
    expect(remote[1] > 2 * remote[0] and anywhere["time_ns"] > 1.3 * here["time_ns"],
           f"remote lines {remote}, time {here['time_ns']} and {anywhere['time_ns']}")


def test_memory_runs_are_repeatable():
    words = ("-m", "epyc-7r13-2x48", "--given", "--no-baseline", "--json", programs() / "memory", "steps",
             "+".join(f"{pu}:w:{pu * 512}:65536" for pu in range(96)),
             "+".join(f"{pu}:r:{(pu + 13) % 96 * 512}:65536" for pu in range(96)))
    first, again = (call(*words) for _ in range(2))
    expect(first.stdout == again.stdout and '"repeatable": true' in first.stdout, f"{first.stdout} {again.stdout}")


def test_timed_stretches_include_local_memory():
    """Twelve times 4096 lines of 256 ns, none beside another, are 12.6 ms of local memory. They lie within the timed
    stretch (2.6 million additions, one after the other, each time). Out of the other node's memory, four times as far,
    it is 37.7 ms more."""
    with made_up("topology = numa:2 core:1\nmemory.read = 256 1024\nmemory.bandwidth.core = 250\ncache.l2 = 64\n") as file:
        for _ in range(TRIES):
            untold, local, remote = (figures(file.name, "timed", *words, options=())[0] / 1e6 for words in ((0, 0), (1, 0), (1, 1)))
            if abs(local - untold) < 0.15 * untold and abs(remote - local - 37.7) < 0.15 * untold:
                return
    raise AssertionError(f"ms: untold {untold}, local {local}, remote {remote}")


def test_calibration_is_a_machine_file():
    text = call("--calibrate").stdout
    measured = dict(re.findall(r"^([a-z0-9.]+) = ([0-9.]+) ", text, re.M))
    for key in ("locked", "switch", "memory.read", "memory.bandwidth.core", "memory.bandwidth.node"):
        expect(float(measured.get(key, 0)) > 0, f"{key}: {text}")
    if "xml = " not in text:
        with made_up(text) as file:
            expect(steps(file.name, "0:r:0:1")[0] == int(measured["memory.read"]), "memory.read is not what it measured")
