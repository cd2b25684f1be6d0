#!/usr/bin/env python3
"""Tests scripts/check_calls.py on a made-up library, which is compiled in a temporary folder. One line for each test: PASS or FAIL."""
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECK = ROOT / "scripts" / "check_calls.py"
SOURCE = """
#include <stdlib.h>
#include <unistd.h>
#define APART __attribute__((noinline, used))
APART int fg_file_open(const char *path, int flags) { __asm__ volatile(""); return flags + !path; }
APART static void reads(void) { fg_file_open("quota", 0); __asm__ volatile(""); }
APART static void hidden(void) { reads(); __asm__ volatile(""); }
APART static void nothing(void) { __asm__ volatile(""); }
char read_here[10];
static const struct { void (*run)(void); long period; } table[9] = {{nothing, 1}, {nothing, 2}, {nothing, 3}, {hidden, 4}};
void fg_patience_spin(void) { for (int i = 0; i < 4; i++) if (table[i].period & read_here[3]) table[i].run(); }
APART static void allocates(void) { void *volatile memory = malloc(10); free(memory); }
APART static void by_address(void (*run)(void)) { run(); __asm__ volatile(""); }
void GOMP_barrier(void) { by_address(allocates); }
void outside(void) { if (read(0, read_here, 1)) read_here[1] = 1; }
APART void fg_levels_deepen(void) { allocates(); }
void GOMP_parallel(void) { fg_levels_deepen(); }
void fg_innocent(void) { read_here[2] = 1; }
void GOMP_task(void) { fg_innocent(); }
"""
EXPECTED = {
    "a worker that waits, through a table": "a worker that waits opens a file: fg_file_open <- reads <- hidden <- fg_patience_spin",
    "a lock of the C library, by an address": "not inside the runtime: malloc <- allocates <- GOMP_barrier",
    "a cancellation point": "a cancellation point that no build watches (src/libc/inside.c): read <- outside",
    "a lock of the C library, in an object beside the library": "made_up.so must not call it: malloc",
    "a list that is out of date": "there is no function fg_idle_sleep any more",
}
NEVER = {"a door": "fg_levels_deepen", "what calls nothing": "fg_innocent"}


def main():
    if platform.machine() != "x86_64":
        print("SKIP check_calls: only the machine code of x86-64 is read")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "made_up.c"), pathlib.Path(folder, "made_up.so")
        source.write_text(SOURCE)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-fvisibility=default", "-Wl,-Bsymbolic", "-Wl,-z,now", "-o", library, source], check=True)
        done = subprocess.run([CHECK, library, library], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    failed = 0
    for name, text in EXPECTED.items():
        good = any(text in line for line in lines) and done.returncode == 1
        failed += not good
        print(f"PASS {name}" if good else f"FAIL {name}: no line says {text!r}")
    for name, word in NEVER.items():
        wrong = [line for line in lines if word in line]
        failed += bool(wrong)
        print(f"PASS {name}" if not wrong else f"FAIL {name}: {wrong}")
    return 1 if failed else 0


sys.exit(main())
