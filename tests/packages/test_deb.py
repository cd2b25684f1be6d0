"""The Debian package: lintian has no complaint, its programs run, and its removal leaves nothing."""
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from testing import BUILD, LIMIT, ROOT, Missing, clean_environment, compiled, expect

PROGRAM = """#include <stdio.h>
int main(void) {
int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
n++;
printf("%d\\n", n); }
"""
# The one who makes the package is its maintainer, and tests have none.
CONTACT = "bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact"


def run(*words, **how):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT, env=clean_environment(), **how)


@functools.lru_cache
def kept():
    folder = tempfile.TemporaryDirectory(prefix="forestgomp-deb-")
    return folder, pathlib.Path(folder.name)


def make(name):
    for tool in ("dpkg-shlibdeps", "dpkg-deb"):
        if not shutil.which(tool):
            raise Missing("dpkg-dev (scripts/install-deps package)")
    out = kept()[1] / name
    done = run(ROOT / "scripts" / "deb", "--out", out, BUILD)
    expect(done.returncode == 0, f"scripts/deb: {done.stderr}")
    return next(out.glob("*.deb"))


@functools.lru_cache
def package():
    return make("first")


@functools.lru_cache
def tree():
    """The files of the package, somewhere."""
    folder = kept()[1] / "tree"
    expect(run("dpkg-deb", "-x", package(), folder).returncode == 0, "dpkg-deb -x")
    return folder


def test_lintian():
    if not shutil.which("lintian"):
        raise Missing("lintian (scripts/install-deps package)")
    told = run("lintian", "--suppress-tags", CONTACT, "--fail-on", "error,warning", package())
    expect(told.returncode == 0 and not told.stdout, f"{told.stdout} {told.stderr}")


def test_a_program_runs_on_it():
    source = kept()[1] / "program.c"
    source.write_text(PROGRAM)
    program = compiled(kept()[1] / "program", "-fopenmp", source)
    command = tree() / "usr" / "bin" / "forestgomp"
    told = run(command, "run", "--verbose", program)
    expect(told.returncode == 0 and told.stdout == "3\n" and "ForestGOMP" in told.stderr, f"{told}")
    library = next((tree() / "usr" / "lib").rglob("forestgomp/libgomp.so.1"))
    expect(str(library) in run(command, "run", "--check", program).stdout, "another library serves it")
    expect("opteron-8x2" in run(command, "sim", "--list").stdout, "the machines")
    told = run(command, "sim", "-m", "numa:1 core:2", "--no-baseline", program)
    expect(told.returncode == 0 and "predicted time" in told.stdout, f"{told}")


def test_its_own_test_passes():
    """What autopkgtest runs, with the command of the unpacked tree in front of the PATH."""
    path = f"{tree() / 'usr' / 'bin'}:{os.environ['PATH']}"
    done = run("env", f"PATH={path}", ROOT / "packaging" / "debian" / "tests" / "served")
    expect(done.returncode == 0, f"{done.stdout} {done.stderr}")


def test_it_takes_no_other_library_s_place():
    """No file of it is where the dynamic linker looks by itself, and no package gets a dependency on it."""
    files = run("dpkg-deb", "-c", package()).stdout.splitlines()
    loose = [line for line in files if ".so" in line and "/forestgomp/" not in line]
    expect(len(files) > 100 and not loose, f"{loose}")
    control = kept()[1] / "control"
    expect(run("dpkg-deb", "-e", package(), control).returncode == 0, "dpkg-deb -e")
    expect({path.name for path in control.iterdir()} == {"control", "md5sums"}, f"{list(control.iterdir())}")
    fields = dict(line.split(": ", 1) for line in (control / "control").read_text().splitlines() if ": " in line)
    expect("libc6 (" in fields["Depends"] and "gomp" not in fields["Depends"] and "Provides" not in fields, f"{fields}")


def test_what_is_in_it():
    for file in ("bin/forestgomp", "share/man/man1/forestgomp-run.1.gz", "share/man/man7/forestgomp.7.gz", "include/forestgomp/sched.h",
                 "share/bash-completion/completions/forestgomp", "share/zsh/vendor-completions/_forestgomp", "share/doc/forestgomp/tutorial.md",
                 "share/doc/forestgomp/copyright", "share/doc/forestgomp/examples/tutorial/nested.c"):
        expect((tree() / "usr" / file).is_file(), f"there is no {file}")
    pc = next(tree().rglob("*.pc")).read_text()
    expect(pc.startswith("prefix=/usr\n") and "local" not in pc, pc)


def test_removal_leaves_nothing():
    """In a root of its own, with a dpkg that knows no other package."""
    root = kept()[1] / "root"
    for folder in ("info", "updates", "triggers"):
        (root / "var" / "lib" / "dpkg" / folder).mkdir(parents=True)
    for file in ("status", "available"):
        (root / "var" / "lib" / "dpkg" / file).touch()
    force = ("--force-not-root", "--force-bad-path", "--force-depends", "--force-script-chrootless")
    dpkg = ["dpkg", "--root", root, "--log", os.devnull, *force]
    if os.geteuid():
        if not shutil.which("fakeroot"):
            raise Missing("root's rights, or fakeroot")
        dpkg = ["fakeroot", *dpkg]

    def files():
        return {path for path in root.rglob("*") if "dpkg" not in path.parts}

    before = files()
    done = run(*dpkg, "--install", package())
    expect(done.returncode == 0 and (root / "usr" / "bin" / "forestgomp").exists(), f"{done}")
    done = run(*dpkg, "--remove", "forestgomp")
    expect(done.returncode == 0, f"{done}")
    expect(files() == before, f"{files() - before}")


def test_equal_builds_give_equal_bytes():
    second = make("second")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (package(), second)}
    expect(len(digests) == 1 and second.name == package().name, f"{digests}")
