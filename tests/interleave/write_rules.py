#!/usr/bin/env python3
"""Writes BUILD/build.ninja, by which ninja builds the checker and the scenarios NAME...: write_rules.py BUILD NAME... Called by run.

The head comment of a scenario's file names
  Sources: base/spinlock.c ...      the project's sources that it tests
  Constants: FILE NAME=VALUE ...    constants of one of those to be set to other values
  With: floor                       stand-ins beside it, whose own heads count as well
  Wraps: pthread_create ...         functions to be taken from there instead of the C library (defined as __wrap_pthread_create)
Objects with equal sources and constants are built once for all scenarios."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SRC = HERE.parent.parent / "src"
# Only the calls before plain accesses are wanted, not the sanitizer's library.
RULES = f"""cc = {os.environ.get("CC", "gcc")} -std=gnu17 -I{SRC} -I{HERE.parent} -I{SRC.parent}/include
strict = -O2 -g -Wall -Wextra
plain = -fsanitize=thread -U__SANITIZE_THREAD__ --param tsan-distinguish-volatile=1 --param tsan-instrument-func-entry-exit=0
rule compile
  command = $cc $flags -MD -MF $out.d -c -o $out $in
  depfile = $out.d
  deps = gcc
  description = CC $out
rule link
  command = $cc -o $out $in $flags
  description = LINK $out
"""
CHECKER = ["model", "plain", "threads", "contexts", "carrier", "explore", "main"]
ALLOCATION = ["malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"]
VIRTUAL_FLOORS = ["base", "platform", "trace", "machine", "share", "memory", "forest", "sched", "exec"]


class Rules:
    def __init__(self, build):
        self.build, self.text, self.objects = build, f"builddir = {build}\n{RULES}", set()

    def compile(self, source, name, flags):
        target = self.build / "objects" / (name + ".o")
        if target not in self.objects:
            self.objects.add(target)
            self.text += f"build {target}: compile {source}\n  flags = {flags}\n"
        return target

    def link(self, name, objects, flags, also=""):
        self.text += f"build {self.build / name}: link {' '.join(map(str, objects))}{also}\n  flags = {flags}\n"
        if name != "libmodel.so":
            self.text += f"build {name}: phony {self.build / name}\n"

    def checker(self):
        flags = "$strict -D_GNU_SOURCE -DFG_ATOMIC_TEST -fPIC"
        self.link("libmodel.so", [self.compile(HERE / f"{name}.c", f"checker-{name}", flags) for name in CHECKER], "-shared")

    def source(self, source, settings):
        """The object of a source of the project, with its constants replaced."""
        flags, path, name = "$strict -DFG_ATOMIC_TEST -fno-pie $plain", SRC / source, source.replace("/", "-")
        if settings:
            text = f'#line 1 "{path}"\n' + path.read_text()
            for constant, value in (setting.split("=", 1) for setting in settings):
                text, number = re.subn(rf"^#define {constant} .*", f"#define {constant} {value}", text, flags=re.M)
                if not number:
                    sys.exit(f"tests/interleave: {source} defines no {constant}")
            name = "-".join([name, *settings])
            flags += f" -I{path.parent}"
            path = self.build / "objects" / (name + ".c")
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        return self.compile(path, name, flags)

    def scenario(self, name):
        with_these = head(name, "With")
        with_these += [also for each in list(with_these) for also in head(each, "With") if also not in with_these]
        files = [name, *with_these]
        settings = {line[0]: line[1:] for file in files for line in head_lines(file, "Constants")}
        flags = "$strict -DFG_ATOMIC_TEST -fno-pie"
        objects = [self.compile(HERE / f"{name}.c", f"scenario-{name}", flags + " $plain")]
        objects += [self.compile(HERE / f"{also}.c", f"with-{also}", flags) for also in [*with_these, "begin"]]
        sources = [source for file in files for source in head(file, "Sources")]
        for source in settings:
            if source not in sources:
                sys.exit(f"tests/interleave: {name} sets constants of {source}, which is not among its sources")
        objects += [self.source(source, settings.get(source, [])) for source in sources]
        wraps = "".join(f",--wrap={function}" for function in ALLOCATION + [each for file in files for each in head(file, "Wraps")])
        self.link(name, objects, f"-no-pie -rdynamic -Wl,-z,now{wraps} -L{self.build} -lmodel -Wl,-rpath,{self.build}",
                  f" | {self.build / 'libmodel.so'}")

    def virtual_test(self):
        """Live atomics, the floors up to exec as they are."""
        flags = "-D_GNU_SOURCE -DFG_VERSION='\"test\"' -O1 -g -w"
        sources = [HERE / "virtual_test.c", SRC / "platform" / f"context_{os.uname().machine}.S"]
        sources += [source for floor in VIRTUAL_FLOORS for source in sorted((SRC / floor).rglob("*.c"))]
        objects = [self.compile(source, "live-" + "-".join(source.parts[-3:]), flags) for source in sources]
        self.link("virtual_test", objects, "-lpthread -ldl")


def head_lines(name, key):
    text = (HERE / f"{name}.c").read_text()
    return [line.split() for line in re.findall(rf"^ \* {key}: (.*)", text[: text.index("*/")], re.M)]


def head(name, key):
    return [word for line in head_lines(name, key) for word in line]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / "objects").mkdir(parents=True, exist_ok=True)
    rules = Rules(build)
    rules.checker()
    for name in sys.argv[2:]:
        if name == "virtual_test":
            rules.virtual_test()
        elif (HERE / f"{name}.c").exists():
            rules.scenario(name)
        else:
            sys.exit(f"tests/interleave: there is no scenario file {name}.c")
    (build / "build.ninja").write_text(rules.text)


main()
