#!/usr/bin/env python3
"""Tests scripts/check_floors.py on made-up floors, which are compiled in a temporary folder. One line for each test: PASS or FAIL."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECK = ROOT / "scripts" / "check_floors.py"
LOW = "void fg_low_do(void);\nvoid\nfg_low_do(void)\n{\n}\n"


def calls(name, *called):
    """A source that defines a function and calls others, which it declares itself: no include betrays it."""
    declared = "".join(f"void {each}(void);\n" for each in (name, *called))
    return f"{declared}void\n{name}(void)\n{{\n" + "".join(f"\t{each}();\n" for each in called) + "}\n"


NAMED = "/* A thing (floor: base; called by another). */ "


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def checked(files, built=True, options=(), changed=(), named=True, beside=()):
    """Lays the files out in a folder, compiles the sources, and runs the script there: (status, output). `changed`: sources edited since.
    `named`: headers name their callers. `beside`: files outside of src, a dict. The floor draw lies in tools."""
    with tempfile.TemporaryDirectory() as folder:
        source, build = pathlib.Path(folder, "src"), pathlib.Path(folder, "build")
        table = []
        for name in beside:
            write(pathlib.Path(folder, name), beside[name])
        paths = {name: pathlib.Path(folder, "tools" if name.startswith("draw/") else "src", name) for name in files}
        for name, text in files.items():
            write(paths[name], NAMED + text if name.endswith(".h") and named else text)
        build.mkdir()
        for name in (name for name in files if name.endswith(".c")):
            rest = name.split("/", 1)[1]
            with open(paths[name].parents[name.count("/") - 1] / "meson.build", "a") as sources:
                sources.write(f"files('{rest}')\n")
            output = name.replace("/", "_") + ".o"
            table.append({"directory": str(build), "file": str(paths[name]), "output": output, "command": "cc"})
            if built:
                compiler = os.environ.get("CC", "cc")
                subprocess.run([compiler, "-c", "-I", source, "-o", build / output, paths[name]], check=True)
        for name in changed:
            os.utime(paths[name], (time.time() + 10, time.time() + 10))
        (build / "compile_commands.json").write_text(json.dumps(table))
        done = subprocess.run([CHECK, "--build", build, *options, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout


def expect(name, files, status, *said, **how):
    got, output = checked(files, **how)
    missing = [each for each in said if each not in output]
    if got == status and not missing:
        print(f"PASS {name}")
        return True
    print(f"FAIL {name}: status {got}, wanted {status}; not said: {missing}\n    " + output.replace("\n", "\n    "))
    return False


def test_calls_down():
    return expect("calls_down", {"base/low.c": LOW, "sched/high.c": calls("fg_high_do", "fg_low_do")}, 0, "no circle")


def test_call_to_a_floor_above():
    files = {"base/low.c": calls("fg_low_do", "fg_high_do"), "sched/high.c": calls("fg_high_do")}
    return expect("call_to_a_floor_above", files, 1, "base/low.c:2: uses fg_high_do of sched/high.c, but the floor 'sched' is not below")


def test_call_to_a_sub_floor_above():
    files = {"exec/thread/worker.c": calls("fg_worker_do", "fg_loop_do"), "exec/loop/loop.c": calls("fg_loop_do")}
    return expect("call_to_a_sub_floor_above", files, 1, "uses fg_loop_do of exec/loop/loop.c, but 'loop' is above 'thread'")


def test_call_from_an_inline_function():
    """No object has this call, because no source uses the inline function."""
    files = {"exec/thread/worker.h": "void fg_loop_do(void);\nstatic inline void\nfg_worker_do(void)\n{\n\tfg_loop_do();\n}\n",
             "exec/loop/loop.c": calls("fg_loop_do")}
    return expect("call_from_an_inline_function", files, 1, "worker.h:1: uses fg_loop_do of exec/loop/loop.c")


def test_include_of_a_sub_floor_above():
    files = {"team/env/icv.c": '#include "team/tasks/task.h"\n', "team/tasks/task.h": "#pragma once\n"}
    return expect("include_of_a_sub_floor_above", files, 1, "icv.c:1: includes team/tasks/task.h, but 'tasks' is above 'env'")


def test_circle_of_files():
    files = {"forest/bubble.c": calls("fg_bubble_do", "fg_queue_do"), "forest/queue.c": calls("fg_queue_do", "fg_move_do"),
             "forest/move.c": calls("fg_move_do", "fg_bubble_do"), "forest/check.c": calls("fg_check_do", "fg_bubble_do")}
    return expect("circle_of_files", files, 1, "3 files are a circle: forest/bubble, forest/move, forest/queue")


def test_circle_through_an_inline_function():
    files = {"sched/api.h": '#pragma once\nvoid fg_api_do(void);\nstatic inline void\nfg_api_fast(void)\n{\n}\n',
             "sched/api.c": '#include "sched/api.h"\n' + calls("fg_api_do", "fg_policy_do"),
             "sched/policy.c": '#include "sched/api.h"\n' + calls("fg_policy_do").replace("{\n", "{\n\tfg_api_fast();\n")}
    return expect("circle_through_an_inline_function", files, 1, "2 files are a circle: sched/api, sched/policy")


def test_circle_beside_the_tower():
    files = {"draw/page.c": calls("fg_page_do", "fg_story_do"), "draw/story.c": calls("fg_story_do", "fg_page_do")}
    return expect("circle_beside_the_tower", files, 1, "2 files are a circle: draw/page, draw/story")


def test_floor_without_folders():
    """Only edges between floors count there."""
    files = {"exec/worker.c": calls("fg_worker_do", "fg_loop_do"), "exec/loop.c": calls("fg_loop_do", "fg_worker_do")}
    return expect("floor_without_folders", files, 0, "exec has no folders of its sub-floors yet")


def test_file_beside_the_folders():
    files = {"exec/thread/worker.c": calls("fg_worker_do"), "exec/loop/loop.c": calls("fg_loop_do"), "exec/lost.c": calls("fg_lost_do")}
    return expect("file_beside_the_folders", files, 1, "exec/lost.c:1: lies in no floor or sub-floor")


def test_header_beside_the_folders():
    """All sub-floors may include it. It may include types of theirs, and may not call them."""
    files = {"team/team.h": '#pragma once\n#include "team/lock/lock.h"\n', "team/env/icv.c": '#include "team/team.h"\n',
             "team/lock/lock.h": "#pragma once\nvoid fg_lock_do(void);\n", "team/lock/lock.c": calls("fg_lock_do")}
    upward = {**files, "team/team.h": files["team/team.h"] + "static inline void\nfg_team_do(void)\n{\n\tfg_lock_do();\n}\n"}
    return (expect("header_beside_the_folders", files, 0)
            and expect("header_beside_the_folders_calls", upward, 1, "team.h:6: uses fg_lock_do of team/lock/lock.c"))


def test_wall_to_the_system():
    """Only the floor 'platform' calls the system itself. A comment is no call."""
    call = "#include <sys/syscall.h>\n#include <unistd.h>\nvoid fg_low_do(void);\nvoid\nfg_low_do(void)\n{\n\tsyscall(SYS_gettid);\n}\n"
    spoken = {"machine/low.c": "// syscall(SYS_gettid) is not for us, nor is #include <sys/stat.h>\n" + LOW}
    return (expect("wall_to_the_system_inside", {"platform/low.c": call}, 0)
            and expect("wall_to_the_system_comment", spoken, 0)
            and expect("wall_to_the_system", {"machine/low.c": call}, 1, "low.c:1: '#include <sys/syscall.h>' belongs to the floor 'platform'",
                       "low.c:7: 'syscall(' belongs to the floor 'platform'"))


def test_functions_of_the_c_library():
    """Those that are system calls stand in 'platform', where they may be inline functions. Pointers of that name are no such functions."""
    call = "#include <unistd.h>\nvoid fg_low_do(void);\nvoid\nfg_low_do(void)\n{\n\tgetpid();\n}\n"
    pointers = LOW + "struct carrier {\n\tvoid (*wait)(void);\n};\nvoid fg_wait_do(struct carrier *carrier);\n"
    pointers += "void\nfg_wait_do(struct carrier *carrier)\n{\n\tcarrier->wait();\n}\n"
    return (expect("c_library_inside", {"platform/low.c": call}, 0)
            and expect("c_library_stands_in", {"libc/low.c": call}, 0)
            and expect("c_library_pointers", {"machine/low.c": pointers}, 0)
            and expect("c_library", {"machine/low.c": call}, 1, "low.c:6: 'getpid(' belongs to the floor 'platform'"))


def test_callers():
    """The first comment of a header names its callers, perhaps on the next line. A later comment does not count."""
    def header(comment):
        return {"base/low.h": f"{comment}\n#pragma once\n/* (floor: base; called by others) */\n"}
    return (expect("callers_named", header("/* A thing (floor:\n * base; called by others). */"), 0, named=False)
            and expect("callers_not_named", header("/* A thing (floor: base). */"), 1, "low.h:1: the first comment does not name", named=False)
            and expect("callers_no_comment", header(""), 1, "low.h:1: the first comment does not name", named=False))


def test_named_files():
    """A path may begin at any of its folders. A name in capitals stands for any, and strings of code are no comments."""
    files = {"exec/loop/loop.c": "// See loop.c, loop/loop.c, src/exec/loop, exec/loop/loop and ../src/exec/loop/loop.c; add exec/loop/NAME.c.\n"
                                 + calls("fg_loop_do") + 'static const char *const name = "lost.c";\n'}
    page = "[loop](../src/exec/loop/loop.c), `omp.h`"
    stale = {**files, "base/low.c": f"/* The other half:\n * see lost.c */\n{LOW}"}
    return (expect("named_files", files, 0, beside={"docs/page.md": page})
            and expect("named_file_in_a_comment", stale, 1, "src/base/low.c:2: names the file lost.c, which does not exist")
            and expect("named_file_in_a_page", files, 1, "page.md:2: names the file loop/lost.c, which", beside={"docs/page.md": "A\nloop/lost.c"})
            and expect("named_file_in_another_folder", files, 1, "README.md:1: names the file base/loop.c", beside={"README.md": "`base/loop.c`"})
            and expect("named_folder", files, 1, "README.md:1: names exec/pool, which does not exist", beside={"README.md": "`exec/pool`"}))


def test_named_functions():
    files = {"base/low.c": LOW, "base/other.c": "/* Called by fg_low_do. */\n" + calls("fg_other_do")}
    stale = {**files, "base/other.c": "/* Called by fg_low_done. */\n" + calls("fg_other_do")}
    return (expect("named_function", files, 0, beside={"README.md": "`fg_low_do` and `fg_low_*`"})
            and expect("named_function_in_a_comment", stale, 1, "src/base/other.c:1: names fg_low_done, which does not exist")
            and expect("named_function_in_a_page", files, 1, "README.md:1: names fgomp_low", beside={"README.md": "`fgomp_low`"}))


def test_long_lines():
    """A tab counts eight. Only C sources are looked at, and a line that names variables for a test may be long."""
    fits, long = "\t// " + 109 * "x" + "\n", "\t// " + 110 * "x" + "\n"
    beside = {"tests/programs/a.c": "// env: A=" + 120 * "x" + "\n", "tests/a.py": 130 * "#", "examples/a.c": long, "README.md": long}
    return (expect("lines_that_fit", {"base/low.c": fits + LOW}, 0, beside=beside)
            and expect("line_too_long", {"base/low.c": fits + long + LOW}, 1, "src/base/low.c:2: has 121 columns")
            and expect("line_too_long_in_a_test", {"base/low.c": LOW}, 1, "tests/a.h:1: has 121 columns", beside={"tests/a.h": long}))


def test_glossary():
    """At most 130 rows of four full cells, and each word once, whatever it is of."""
    def page(*rows):
        return {"docs/glossary.md": "\n".join(("# Words", "| word | meaning | the field's word | lives in |", "|---|---|---|---|", *rows))}

    def tells(name, status, said, *rows):
        return expect(f"glossary_{name}", {"base/low.c": LOW}, status, said, beside=page(*rows))
    crew, many = "| crew | members | run list | `base` |", [f"| word{i} | a thing | thing | `base` |" for i in range(131)]
    return (tells("that_fits", 0, "no circle", crew, "| ring (of workers) | a list | list | `base` |", *many[:128])
            and tells("too_long", 1, "glossary.md:1: has 131 rows", *many)
            and tells("without_the_field", 1, "glossary.md:4: has an empty cell", "| crew | members | | `base` |")
            and tells("with_a_cell_too_few", 1, "glossary.md:4: has an empty cell, or not four", "| crew | members | `base` |")
            and tells("with_a_word_twice", 1, "glossary.md:5: 'crew' has a row already, in line 4", crew, "| to lead, crew (of a ship) | sailors | men | `base` |")
            and tells("with_a_second_sense", 1, "glossary.md:4: 'crew' has two senses", "| crew | members. Elsewhere sailors | men | `base` |"))


def test_without_a_build():
    files = {"base/low.c": calls("fg_low_do", "fg_high_do"), "sched/high.c": calls("fg_high_do")}
    included = {"base/low.c": '#include "sched/high.h"\n', "sched/high.h": "#pragma once\n"}
    return (expect("without_a_build", files, 0, "only includes and lists are checked", built=False)
            and expect("without_a_build_includes", included, 1, "low.c:1: includes sched/high.h", built=False))


def test_object_of_another_day():
    files = {"base/low.c": calls("fg_low_do", "fg_high_do"), "sched/high.c": calls("fg_high_do")}
    return expect("object_of_another_day", files, 0, "1 sources have no object of now", changed=("base/low.c",))


def test_list_of_edges():
    files = {"base/low.c": LOW, "exec/thread/worker.c": calls("fg_worker_do", "fg_low_do"),
             "exec/loop/loop.c": calls("fg_loop_do", "fg_worker_do")}
    return expect("list_of_edges", files, 0, "exec/loop -> exec/thread: 1: fg_worker_do", "exec/thread -> base: 1: fg_low_do",
                  options=["--list"])


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    return 0 if all([test() for test in tests]) else 1


sys.exit(main())
