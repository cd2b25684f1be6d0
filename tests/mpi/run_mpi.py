#!/usr/bin/env python3
"""Runs MPI programs by `forestgomp run --mpi`, for each MPI that is installed, over shared memory.

  run_mpi.py BUILD

calls.c and calls.F90 make each call that is replaced. With --mpi they must print what they print without. A rank that
waits for 100 ms must compute for less than 30."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from testing import PATIENCE, Missing, clean_environment, expect, verdict_line  # noqa: E402

LIMIT = 12 * PATIENCE  # seconds for one program
# Ranks by shared memory alone. Open MPI refuses root, and more ranks than PUs, unless it is told.
START = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"],
         "mpich": ["mpirun.mpich"]}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MPIS = list(START)


class Job:
    """Programs for one MPI, in a folder of their own."""

    def __init__(self, mpi, build, folder):
        self.mpi, self.command, self.folder = mpi, build / "bin" / "forestgomp", pathlib.Path(folder)
        self.object = build / "lib" / f"libforestgomp-mpi-{mpi}.so"

    def needs(self, compiler):
        for word in (START[self.mpi][0], f"{compiler}.{self.mpi}"):
            if not shutil.which(word):
                raise Missing(f"{word} (scripts/install-deps test)")
        if not self.object.exists():
            raise Missing(f"{self.object.name}, which is built where {self.mpi} is installed (scripts/install-deps test, then reconfigure)")

    def compiled(self, compiler, *words):
        target = self.folder / "-".join([self.mpi, compiler, *(word.strip("-") for word in words)])
        if not target.exists():
            source = HERE / ("calls.c" if compiler == "mpicc" else "calls.F90")
            flags = ["-pthread"] if compiler == "mpicc" else ["-w", "-J", self.folder]
            subprocess.run([f"{compiler}.{self.mpi}", "-O1", "-fopenmp", *flags, *words, "-o", target, source], check=True, timeout=LIMIT,
                           capture_output=True)
        return target

    def start(self, *parts):
        """Each part is (ranks, words). They are one job."""
        words = list(START[self.mpi])
        for number, (ranks, part) in enumerate(parts):
            words += ([":"] if number else []) + ["-np", str(ranks), *map(str, part)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL, cwd=self.folder,
                              env={**clean_environment(), **AS_ROOT, "OMP_NUM_THREADS": "1"})
        expect(done.returncode == 0, f"exit status {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
        return done

    def run(self, ranks, *words):
        """With the object."""
        return self.start((ranks, [self.command, "run", "--mpi", *words])).stdout.splitlines()

    def plain(self, ranks, *words):
        return self.start((ranks, words)).stdout.splitlines()


def same(job, program, mode, least):
    here, there = job.run(4, program, mode), job.plain(4, program, mode)
    differences = [f"{a!r}, not {b!r}" for a, b in zip(here, there) if a != b]
    expect(len(here) == len(there) >= least and not differences, f"{len(here)} and {len(there)} lines: {differences[:3]}")


def napping(job, program, least):
    lines = job.run(2, program, "naps")
    late = [line for line in lines if not line.startswith("napped")]
    expect(len(lines) >= least and not late, f"{len(lines)} lines: {late[:3]}")


def test_results(job):
    job.needs("mpicc")
    same(job, job.compiled("mpicc"), "results", 90)


def test_errors(job):
    job.needs("mpicc")
    same(job, job.compiled("mpicc"), "errors", 50)


def test_naps(job):
    job.needs("mpicc")
    napping(job, job.compiled("mpicc"), 30)


def test_threads(job):
    job.needs("mpicc")
    lines = job.run(2, job.compiled("mpicc"), "threads")
    expect(lines in (["right"], ["MISSING"]), f"threads that call at a time get wrong results: {lines}")


def fortran(job, *words):
    job.needs("mpifort")
    program = job.compiled("mpifort", *words)
    same(job, program, "results", 24)
    napping(job, program, 24)


def test_fortran(job):
    fortran(job)


def test_fortran_2008(job):
    fortran(job, "-DF08")


def test_alone(job):
    """Without a launcher."""
    job.needs("mpicc")
    done = subprocess.run([job.command, "run", "--mpi", job.compiled("mpicc"), "none"], capture_output=True, text=True, timeout=LIMIT,
                          env={**clean_environment(), **AS_ROOT})
    expect(done.returncode == 0 and not done.stderr, f"{done.returncode}: {done.stderr[-300:]}")


def test_not_all(job):
    """Where one rank runs without the object, all calls are plain, one line says so, and the results are right."""
    job.needs("mpicc")
    program = job.compiled("mpicc")
    wanted = job.plain(4, program, "results")
    within, without = [job.command, "run", "--mpi", program, "results"], [program, "results"]
    for name, parts in (("first", [(1, without), (3, within)]), ("last", [(2, within), (2, without)])):
        done = job.start(*parts)
        said = [line for line in done.stderr.splitlines() if "runs without" in line]
        expect(done.stdout.splitlines() == wanted, f"without the {name} one: other results")
        expect(len(said) == 1, f"without the {name} one: {said}")


def test_asked(job):
    """A program that needs no MPI by itself: its user must say which."""
    job.needs("mpicc")
    done = subprocess.run([job.command, "run", "--mpi", "sh", "-c", "true"], capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
    expect(done.returncode == 125 and done.stderr.count("\n") == 1 and "--mpi=openmpi" in done.stderr, done.stderr)
    done = subprocess.run([job.command, "run", f"--mpi={job.mpi}", "--print", "true"], capture_output=True, text=True, timeout=LIMIT,
                          env=clean_environment())
    expect(f"libforestgomp-mpi-{job.mpi}.so" in done.stdout, done.stdout)


TESTS = {name.removeprefix("test_"): function for name, function in globals().items() if name.startswith("test_")}


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    failed = False
    os.environ.setdefault("LC_ALL", "C")
    with tempfile.TemporaryDirectory() as folder:
        for mpi in MPIS:
            job = Job(mpi, build, folder)
            for name, function in TESTS.items():
                line = verdict_line(f"{mpi}_{name}", function, job)
                failed |= line.startswith("FAIL")
                print(line, flush=True)
    return failed


sys.exit(main())
