"""The glibc of older systems, as far as a linker needs it: stubs of its libraries, from the compiler Zig, which knows the symbols of
each version. gcc compiles as always; only the link uses these. Called by scripts/wheel.

Zig is the package ziglang of PyPI. It is started as `python3 -m ziglang`, by a Python that has it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

VERSION = "2.28"  # that of RHEL 8; numpy, scikit-learn and torch ask for the same
LIBRARIES = {"libc.so.6": None, "libm.so.6": "libm.so", "libpthread.so.0": "libpthread.so", "libdl.so.2": "libdl.so",
             "librt.so.1": "librt.so"}


def only(files, what):
    found = sorted(files)
    if len(found) != 1:
        raise RuntimeError(f"Zig left {len(found)} files {what}, not one; another version of ziglang?")
    return found[0]


def make(folder, machine, python):
    """Fills the folder, once, for a machine such as "x86_64". `python` is a Python with ziglang. Returns the words for gcc's link."""
    if not (folder / "libc.so").exists():
        shutil.rmtree(folder, ignore_errors=True)
        with tempfile.TemporaryDirectory() as where:
            build(pathlib.Path(where), folder, machine, python)
    return [f"-B{folder}/", f"-L{folder}", "-Wl,--as-needed", "-lpthread", "-ldl", "-lm", "-lrt"]


def build(where, folder, machine, python):
    (where / "main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run([python, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu.{VERSION}", where / "main.c", "-o", where / "main", "-pie", "-lm",
                    "-lpthread", "-ldl", "-lrt"], check=True, cwd=where, stdin=subprocess.DEVNULL,
                   env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(where / "cache"), "ZIG_LOCAL_CACHE_DIR": str(where / "cache")})
    stubs = only(where.glob("cache/o/*/libc.so.6"), "libc.so.6").parent
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for name, short in LIBRARIES.items():
        shutil.copy(stubs / name, new / name)
        if short:
            shutil.copy(stubs / name, new / short)
    loader = stubs / "libld.so.2"
    soname = re.search(r"SONAME.*\[(.*)\]", subprocess.run(["readelf", "-d", loader], capture_output=True, text=True, check=True).stdout)[1]
    shutil.copy(loader, new / soname)
    shutil.copy(only(where.glob("cache/o/*/libc_nonshared.a"), "libc_nonshared.a"), new)
    start = only(where.glob("cache/o/*/*crt1.o"), "crt1.o")
    for name in ("crt1.o", "Scrt1.o"):
        shutil.copy(start, new / name)
    (new / "libc.so").write_text(f"GROUP ( {folder}/libc.so.6 {folder}/libc_nonshared.a AS_NEEDED ( {folder}/{soname} ) )\n")
    os.rename(new, folder)
