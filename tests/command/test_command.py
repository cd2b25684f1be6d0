"""The command `forestgomp` without its tools: help, bad calls, `run`, `topo` and `info`, and the documents of its
options."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

from testing import BUILD, LIMIT, PUS, ROOT, clean_environment, compiled, complains, expect, forestgomp


def test_help_of_each():
    for words in (["--help"], ["run", "--help"], ["sim", "--help"], ["topo", "--help"], ["info", "--help"], ["trace", "--help"]):
        result = forestgomp(*words)
        expect(result.returncode == 0 and "forestgomp" in result.stdout and not result.stderr, str(words))
    expect(forestgomp("help", "run").stdout == forestgomp("run", "--help").stdout, "help run")
    complains(forestgomp("help", "rnu"), 2, "did you mean 'run'")


def test_wrong_topology_file():
    result = forestgomp("topo", "--topology", "/nowhere.xml")
    built_without = "built without hwloc" in result.stderr
    complains(result, 2, "accepted" if built_without else "cannot be opened")
    if built_without:
        print("MISSING wrong_topology_file: hwloc (scripts/install-deps build, then build anew)")


def test_wrong_calls():
    complains(forestgomp("rnu"), 2, "rnu", "did you mean 'run'", "run, doctor, topo, sim, info, trace, replay, pin, top, limit")
    complains(forestgomp("run"), 125, "which program")
    complains(forestgomp("run", "--slcie=4ms", "true"), 125, "--slcie=4ms")
    complains(forestgomp("run", "--slice", "soon", "true"), 125, "soon", "accepted")
    complains(forestgomp("run", "--sched=fair", "true"), 125, "fair", "spread, compact")
    complains(forestgomp("run", "--threads"), 125, "--threads needs a value")
    complains(forestgomp("topo", "--png", "x"), 2, "--png")
    complains(forestgomp("topo", "--topology", "cake:3"), 2, "cake:3", "accepted")
    complains(forestgomp("topo", "--svg", "/nowhere/x.svg"), 1, "/nowhere/x.svg")
    complains(forestgomp("info", "--jsn"), 2, "--jsn")
    complains(forestgomp("trace"), 2, "which file")
    complains(forestgomp("trace", "a", "b"), 1, "'a' cannot be read")
    complains(forestgomp("trace", "a", "--from", "soon"), 2, "soon", "accepted")
    complains(forestgomp("trace", "/nowhere"), 1, "/nowhere", "No such file")
    complains(forestgomp("trace", "/etc/passwd"), 1, "no trace")
    complains(forestgomp("trace", "/dev/null"), 1, "no trace")
    complains(forestgomp("run", "--json", "true"), 125, "--stats")
    complains(forestgomp("run", "--trace-size", "much", "true"), 125, "much", "accepted")
    complains(forestgomp("run", "--stuck", "10ms", "true"), 125, "10ms", "accepted: 0 (never), or a time from 1s to 24h")
    complains(forestgomp("run", "--stuck"), 125, "--stuck needs a value")
    complains(forestgomp("run", "true", env={"FGOMP_SCHED": "steal+l3:cache+L3:random"}), 0, "'L3' has a policy already", "accepted", "using default")
    complains(forestgomp("run", "true", env={"FGOMP_SCHED": "steal," + "x" * 2000}), 0, "no option 'xxx", "accepted", "using default")
    complains(forestgomp("run", "true", env={"FGOMP_SCHED": "steal\nor,so\t\x1b[7m"}), 0, "steal\\nor,so\\x09\\x1b[7m", "using default")


def test_run_sets_variables():
    result = forestgomp("run", "-n", "4,2", "--levels=2", "--slice", "2ms", "--stuck", "30", "--verbose", "--", "env",
                  env={"LD_LIBRARY_PATH": "/lib", "FGOMP_SLICE": "1ms"})
    expect(result.returncode == 0, result.stderr)
    have = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
    expect(have.get("OMP_NUM_THREADS") == "4,2", "OMP_NUM_THREADS")
    expect(have.get("OMP_MAX_ACTIVE_LEVELS") == "2", "OMP_MAX_ACTIVE_LEVELS")
    expect(have.get("FGOMP_SLICE") == "2ms", "FGOMP_SLICE")
    expect(have.get("FGOMP_VERBOSE") == "true", "FGOMP_VERBOSE")
    expect(have.get("FGOMP_STUCK") == "30", "FGOMP_STUCK")
    folder = have["LD_LIBRARY_PATH"].split(":")
    expect(folder[1:] == ["/lib"] and (pathlib.Path(folder[0]) / "libgomp.so.1").exists(), "LD_LIBRARY_PATH")
    expect(have["LD_PRELOAD"] == folder[0] + "/libgomp.so.1", "LD_PRELOAD")


def test_run_statuses():
    expect(forestgomp("run", "sh", "-c", "exit 7").returncode == 7, "the program's own status")
    complains(forestgomp("run", "/no/such/program"), 127, "there is no program '/no/such/program'")
    complains(forestgomp("run", "--", "no-such-program"), 127, "no-such-program")
    complains(forestgomp("run", "/etc/passwd"), 126, "/etc/passwd")


def test_run_passes_bad_options_on():
    result = forestgomp("run", "true", env={"FGOMP_SPIN": "long"})
    expect(result.stderr.count("FGOMP_SPIN") <= 1, f"said twice: {result.stderr!r}")


def test_run_uses_our_library():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "maps"
        source = program.with_suffix(".c")
        source.write_text('#include <omp.h>\n#include <stdio.h>\nint main(void) { int n = 0;\n'
                          '#pragma omp parallel reduction(+ : n)\nn++;\n'
                          'char line[512]; FILE *f = fopen("/proc/self/maps", "r");\n'
                          'while (fgets(line, sizeof line, f)) fputs(line, stdout);\nprintf("threads %d\\n", n); return 0; }\n')
        compiled(program, "-fopenmp", "-O1", source)
        result = forestgomp("run", "-n", "3", program)
        expect(result.returncode == 0, result.stderr)
        expect("threads 3" in result.stdout, "three threads")
        found = {line.split()[-1] for line in result.stdout.splitlines() if "libgomp" in line}
        expect(found and all(path.startswith(str(BUILD)) for path in found), f"libgomp of another folder: {found}")


def test_topo_text_and_json():
    result = forestgomp("topo", "--topology", "node:2 l3:2 core:2 pu:1")
    expect(result.stdout == "machine, 8 PUs\n  NUMA node 0, 4 PUs\n    L3 0: PUs 0-1\n    L3 1: PUs 2-3\n"
           "  NUMA node 1, 4 PUs\n    L3 2: PUs 4-5\n    L3 3: PUs 6-7\n", result.stdout)
    tree = json.loads(forestgomp("topo", "--json", "--topology", "node:2 l3:2 core:2 pu:1").stdout)
    expect(tree["pus"] == 8 and [child["kind"] for child in tree["children"]] == ["NUMA node"] * 2, str(tree))
    here = json.loads(forestgomp("topo", "--json").stdout)
    expect(here["pus"] == PUS, "PUs of this process")


def test_topo_follows_the_mask():
    cpu = min(os.sched_getaffinity(0))
    result = subprocess.run(["taskset", "-c", str(cpu), BUILD / "bin" / "forestgomp", "topo", "--json"], capture_output=True, text=True, timeout=LIMIT,
                            env=clean_environment())
    expect(json.loads(result.stdout)["pus"] == 1, result.stdout)


def test_topo_machines():
    """The same texts as `sim --machine`, with sizes."""
    short = json.loads(forestgomp("topo", "-m", "numa:4 l3:1 core:4", "--json").stdout)
    expect(short["pus"] == 16 and len(short["children"]) == 4, str(short))
    named = forestgomp("topo", "-t", "x4600").stdout
    expect("L3 2 MiB" in named, named)
    picture = forestgomp("topo", "-m", "x4600", "--svg", "-").stdout
    expect("2 MB" in picture and "prefers-color-scheme: dark" in picture, "sizes, and a dark picture")
    complains(forestgomp("topo", "-m", "x460"), 2, "x460", "accepted: a name out of `forestgomp sim --list`")


def even_pus(n):
    """A machine whose PUs have even numbers only, as hwloc writes it."""
    def sets(numbers):
        words = [sum(1 << number % 32 for number in numbers if number // 32 == word) for word in range(max(numbers) // 32, -1, -1)]
        text = ",".join(f"0x{word:08x}" for word in words)
        return f'cpuset="{text}" complete_cpuset="{text}" nodeset="0x1" complete_nodeset="0x1"'
    every = sets(range(0, 2 * n, 2))
    cores = "".join(f'<object type="Core" os_index="{i}" gp_index="{10 + 2 * i}" {sets([2 * i])}>'
                    f'<object type="PU" os_index="{2 * i}" gp_index="{11 + 2 * i}" {sets([2 * i])}/></object>' for i in range(n))
    return (f'<topology version="2.0"><object type="Machine" os_index="0" gp_index="1" {every}>'
            f'<object type="NUMANode" os_index="0" gp_index="2" local_memory="1073741824" {every}/>{cores}</object></topology>')


def test_topo_tells_each_pu():
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n' + even_pus(100))
        file.flush()
        text = forestgomp("topo", "-m", file.name)
    expect(text.stdout.endswith("PUs " + ",".join(map(str, range(0, 200, 2))) + "\n"), text.stdout + text.stderr)


def test_topo_even_rows():
    """Children of one level lie in rows of one length."""
    for cores in (4, 6, 8, 12):
        tree = xml.etree.ElementTree.fromstring(forestgomp("topo", "--svg", "-", "-m", f"core:{cores}").stdout)
        tops = [box.get("y") for box in tree.iter("{http://www.w3.org/2000/svg}rect") if box.get("rx") == "4"]
        expect(len(tops) == cores and len({tops.count(top) for top in tops}) == 1, f"{cores} cores: {tops}")


def test_topo_teams():
    """Where the members of nested teams would sit is what a program sees there."""
    seats = {seat["member"]: seat["pu"] for seat in json.loads(forestgomp("topo", "-m", "numa:4 core:4", "-n", "4,4", "--sched", "cache", "--json").stdout) if seat["depth"] == 2}
    expect(len(seats) == 16 and len(set(seats.values())) == 16, str(seats))
    expect(all(seats[f"{team}.{member}"] // 4 == team for team in range(4) for member in range(4)), f"a team on its node: {seats}")
    bound = {bind: [seat["pu"] for seat in json.loads(forestgomp("topo", "-m", "numa:4 core:4", "-n", "4", "-p", "cores", "-b", bind, "--json").stdout)] for bind in ("spread", "close")}
    expect(sorted(bound["spread"]) == [0, 4, 8, 12] and sorted(bound["close"]) == [0, 1, 2, 3], str(bound))
    with tempfile.TemporaryDirectory() as place:
        odd = pathlib.Path(place) / "a%b"
        odd.mkdir()
        sums = pathlib.Path(place) / "sums"
        words = ("topo", "-m", "numa:4 core:4", "-n", "4,4", "--sched", "cache", "--json")
        mine = {"OMP_THREAD_LIMIT": "1", "FGOMP_THREADS": "kernel", "FGOMP_STATS": str(sums), "TMPDIR": str(odd)}
        result, own = forestgomp(*words, env=mine), {tuple(seat.items()) for seat in json.loads(forestgomp(*words).stdout)}
        expect({tuple(seat.items()) for seat in json.loads(result.stdout)} == own and not result.stderr, f"the caller's variables: {result.stdout} {result.stderr}")
        expect(not sums.is_symlink() and not list(odd.iterdir()), "a file is left")
    text = forestgomp("topo", "-m", "numa:2 core:2", "-n", "2").stdout
    expect("2 of 4 PUs have no member" in text, text)
    for words in (["-n", "4x4"], ["-n", "0"], ["-n", "2", "-b", "wide"], ["-n", "2", "-p", "nowhere"], ["-n", "2", "--sched", "nope"], ["-n", "9000"]):
        complains(forestgomp("topo", *words), 2, words[-1], "accepted")
    complains(forestgomp("topo", "-p", "cores"), 2, "-n N")


def test_topo_svg():
    for spec in ("pu:1", "package:2 node:2 l3:2 core:8 pu:2", "pu:4096"):
        result = forestgomp("topo", "--svg", "-", "--topology", spec)
        tree = xml.etree.ElementTree.fromstring(result.stdout)
        width, height = float(tree.get("width")), float(tree.get("height"))
        for box in tree.iter("{http://www.w3.org/2000/svg}rect"):
            if box.get("x"):
                expect(0 <= float(box.get("x")) <= float(box.get("x")) + float(box.get("width")) <= width, "box outside")
                expect(0 <= float(box.get("y")) <= float(box.get("y")) + float(box.get("height")) <= height, "box outside")
        pus = sum("PU " in (text.text or "") for text in tree.iter("{http://www.w3.org/2000/svg}text"))
        expect(pus >= {"pu:1": 1, "pu:4096": 4096}.get(spec, 128), f"{pus} PUs drawn")


def test_info_json():
    data = json.loads(forestgomp("info", "--json", env={"FGOMP_SPIN": "1ms", "OMP_NUM_THREADS": "3"}).stdout)
    options = {option["name"]: option for option in data["options"]}
    expect(options["FGOMP_SPIN"]["value"] == "1ms" and options["FGOMP_SPIN"]["source"] == "environment", "FGOMP_SPIN")
    expect(options["FGOMP_SLICE"]["source"] == "default", "FGOMP_SLICE")
    expect(data["openmp"] == {"OMP_NUM_THREADS": "3"}, str(data["openmp"]))
    expect(data["machine"]["pus"] == PUS, "pus")
    expect(pathlib.Path(data["library"]).exists(), "library")
    bad = forestgomp("info", "--json", env={"FGOMP_SPIN": "long"})
    complaint = bad.stderr.strip().splitlines()
    expect(len(complaint) == 1 and "FGOMP_SPIN=long is not valid" in complaint[0], bad.stderr)
    expect({o["name"]: o for o in json.loads(bad.stdout)["options"]}["FGOMP_SPIN"]["value"] == "5ms", "default after a bad value")


def test_the_page_of_the_environment_names_every_option():
    text = (ROOT / "docs/environment.md").read_text()
    for option in json.loads(forestgomp("info", "--json").stdout)["options"]:
        expect(f"| `{option['name']}` |" in text, f"{option['name']} is not in the table of docs/environment.md")


LOADER = """
static long call(long number, long a, long b, long c) {
long result;
__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
return result; }
void _start(void) { call(2, (long)"MARK", 0101, 0600); call(60, 0, 0, 0); }
"""


def test_no_strange_linker_is_asked():
    """The linker that a program names would run, whatever its name. A folder is no program."""
    with tempfile.TemporaryDirectory() as folder:
        source, mark, linker, program = (pathlib.Path(folder) / name for name in ("linker.c", "mark", "ld-linux-mine", "program"))
        if os.uname().machine == "x86_64":
            source.write_text(LOADER.replace("MARK", str(mark)))
            compiled(linker, "-nostdlib", "-static", source)
            subprocess.run([linker], timeout=LIMIT)
            expect(mark.exists(), "the linker of this test does nothing")
            mark.unlink()
        else:
            linker.touch()
        source.write_text("int main(void) { return 0; }\n")
        compiled(program, source, f"-Wl,--dynamic-linker={linker}")
        for words in (("doctor", program), ("run", "--check", program)):
            forestgomp(*words)
            expect(not mark.exists(), f"{words}: the linker was run")
        complains(forestgomp("doctor", folder), 2, "there is no program")
        (pathlib.Path(folder) / "bin" / "program").mkdir(parents=True)
        complains(forestgomp("doctor", "program", env={"PATH": f"{folder}/bin"}), 2, "there is no program")


def test_a_preloaded_name_without_a_folder():
    """The dynamic linker looks for it along LD_LIBRARY_PATH, and so does doctor."""
    text = forestgomp("doctor", env={"LD_PRELOAD": "libgomp.so.1", "LD_LIBRARY_PATH": str(BUILD / "lib")}).stdout
    expect("another OpenMP runtime first" not in text, text)
    text = forestgomp("doctor", env={"LD_PRELOAD": "libiomp5.so"}).stdout
    expect("another OpenMP runtime first: libiomp5.so" in text, text)


def test_docs_name_every_event():
    events = re.findall(r"^\tX\((\w+), ", (ROOT / "src/trace/events.h").read_text(), re.M)
    told = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (?:bubble|thread|worker|process) \|", (ROOT / "docs/tracing.md").read_text(), re.M)
    named = [name for line in told for name in re.findall(r"`(\w+)`", line)]
    expect(len(events) > 15 and sorted(events) == sorted(named), f"{sorted(set(events) ^ set(named))}")


def test_docs_number_every_decider():
    """The numbers of the functions that decide, as in the files: 1 `place`, 2 `born` ..."""
    text = (ROOT / "src/trace/decision.h").read_text()
    deciders = re.findall(r"X\((\w+)\)", text.partition("#define FG_DECIDERS(X)")[2].partition("enum")[0])
    told = re.search(r"of the function \(8 bits: (.*?)\)", (ROOT / "docs/tracing.md").read_text(), re.S).group(1)
    listed = {int(number): name for number, name in re.findall(r"(\d+) (?:`(\w+)`|the runtime itself)", told)}
    wanted = {number: "" if name == "runtime" else name for number, name in enumerate(deciders, 1)}
    expect(len(deciders) > 15 and listed == wanted, f"{set(wanted.items()) ^ set(listed.items())}")


def test_no_colours_in_a_pipe():
    expect("\033" not in forestgomp("info").stdout, "escape sequences")
