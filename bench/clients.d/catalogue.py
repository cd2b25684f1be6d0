"""The table of clients: real programs, what they need, how they are started, and how their result is read. Called by bench/clients.py."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

LIBRARIES = "/usr/lib/x86_64-linux-gnu"


@dataclass
class Outcome:
    """The result of one run. `seconds` None: the wall time of the process counts. `same`: name -> text, equal to the last bit;
    `near`: name -> (value, relative tolerance)."""

    seconds: float | None = None
    same: dict = field(default_factory=dict)
    near: dict = field(default_factory=dict)


@dataclass
class Client:
    """`command` and `inputs` may hold {venv}, {programs} (bench/clients.d/programs), {built} (where C programs are built) and
    {input} (a folder of the client's own). `inputs`: commands that make the input there, once. `compiled`: arguments of gcc.
    `versions`: a command that prints the versions of the packages. `stock_fails`: the reason, if the run on libgomp cannot end well."""

    name: str
    what: str
    command: list
    apt: list = field(default_factory=list)
    pip: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    compiled: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    read: Callable | None = None
    stock_fails: str = ""
    limit_s: float = 60.0


def lines_read(out, _folder):
    """`seconds X`, `same NAME DIGEST`, `near NAME VALUE TOLERANCE`."""
    outcome = Outcome()
    for line in out.decode(errors="replace").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "seconds":
            outcome.seconds = float(words[1])
        elif len(words) == 3 and words[0] == "same":
            outcome.same[words[1]] = words[2]
        elif len(words) == 4 and words[0] == "near":
            outcome.near[words[1]] = (float(words[2]), float(words[3]))
    return outcome


def output_read(out, _folder):
    """All output of the program is its result."""
    return Outcome(same={"output": hashlib.sha256(out).hexdigest()[:16]} if out else {})


def gromacs_read(_out, folder):
    """Reads energies and time from mdrun's log. Without -reprod, forces are added in the order in which threads come to them."""
    log = (folder / "out.log").read_text()
    outcome = Outcome()
    words = re.findall(r"^ +Time: +\S+ +(\S+)", log, re.MULTILINE)
    if words:
        outcome.seconds = float(words[-1])
    blocks = re.findall(r"Energies \(kJ/mol\)\n(.*?)\n\n", log, re.DOTALL)
    if blocks:
        outcome.same["energies"] = " ".join(re.findall(r"-?\d\.\d+e[+-]\d+", blocks[-1]))
    return outcome


def _python(name, what, script, *wheels, **how):
    return Client(name, what, ["{venv}/bin/python", "{programs}/" + script.split()[0], *script.split()[1:]],
                  apt=["python3-venv"], pip=list(wheels), read=lines_read, **how)


def _pytest(name, what, tests, workers, *wheels):
    """The prints of all tests are its result, and the time is that of pytest as a whole."""
    return Client(name, what, ["{venv}/bin/python", "-m", "pytest", "-q", "-rP", "-n", str(workers), "-p", "no:cacheprovider", "{programs}/" + tests],
                  apt=["python3-venv"], pip=["pytest", "pytest-xdist", *wheels], read=lines_read, limit_s=240)


def _blas(name, what, library, package, outer, size, count, **env):
    folder = f"{LIBRARIES}/{library}-openmp"
    return Client(name, what, [f"{{built}}/blas-{library}", str(outer), str(size), str(count)], apt=["gcc", package],
                  compiled=["{programs}/blas.c", f"{folder}/libblas.so.3", f"-Wl,-rpath,{folder}", "-o",
                            f"{{built}}/blas-{library}"], env={"OMP_MAX_ACTIVE_LEVELS": "2", **env}, read=lines_read)


def _blas_all():
    openblas, blis = ("openblas", "libopenblas0-openmp"), ("blis", "libblis4-openmp")
    return [
        _blas("openblas", "OpenBLAS, dgemm of 512 with all threads", *openblas, 0, 512, 400),
        _blas("openblas-2x2", "OpenBLAS called from 2 threads, 2 each", *openblas, 2, 512, 400, OMP_NUM_THREADS="2,2"),
        _blas("openblas-2x4", "OpenBLAS called from 2 threads, 4 each", *openblas, 2, 512, 400, OMP_NUM_THREADS="2,4"),
        _blas("blis", "BLIS, dgemm of 512 with all threads", *blis, 0, 512, 400, BLIS_NUM_THREADS="2"),
        _blas("blis-2x1", "BLIS called from 2 threads, 1 each: 8 dgemm of 256", *blis, 2, 256, 8, BLIS_NUM_THREADS="1"),
        _blas("blis-2x2", "BLIS called from 2 threads, 2 each: 8 dgemm of 256", *blis, 2, 256, 8, BLIS_NUM_THREADS="2"),
        _blas("blis-2x4", "BLIS called from 2 threads, 4 each: 8 dgemm of 256", *blis, 2, 256, 8, BLIS_NUM_THREADS="4"),
    ]


def _debian():
    page = ["gm", "convert", "-font", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "-pointsize", "12", "-density",
            "144", "-page"]
    return [
        Client("primecount", "counts the primes below 10^15", ["primecount", "1e15"], apt=["primecount-bin"],
               read=output_read),
        Client("tesseract", "reads a page of text, with 4 threads whatever the machine has",
               ["tesseract", "{input}/page.png", "-"],
               apt=["tesseract-ocr", "tesseract-ocr-eng", "graphicsmagick", "fonts-dejavu-core"],
               inputs=[["sh", "-c", "fold -s -w 76 /usr/share/common-licenses/GPL-3 | head -14 >page.txt"],
                       [*page, "612x250", "txt:page.txt", "page.png"]], read=output_read),
        Client("graphicsmagick", "blurs, enlarges, sharpens and bends a page",
               ["gm", "convert", "{input}/page.png", "-blur", "0x4", "-resize", "150%", "-median", "1", "-unsharp",
                "0x3+1", "-wave", "5x100", "ppm:-"], apt=["graphicsmagick", "fonts-dejavu-core"],
               inputs=[["sh", "-c", "fold -s -w 76 /usr/share/common-licenses/GPL-3 | head -20 >page.txt"],
                       [*page, "612x300", "txt:page.txt", "page.png"]], read=output_read),
        Client("fftw", "FFTW's OpenMP library, 128^3 points, and 2 x 2 threads", ["{built}/fourier", "128", "8"],
               apt=["gcc", "libfftw3-dev", "libfftw3-double3"],
               compiled=["{programs}/fourier.c", "-lfftw3_omp", "-lfftw3", "-lm", "-o", "{built}/fourier"],
               env={"OMP_MAX_ACTIVE_LEVELS": "2"}, read=lines_read),
        Client("gromacs", "molecular dynamics of a box of water, PME",
               ["gmx", "-quiet", "-nobackup", "mdrun", "-s", "{input}/water.tpr", "-deffnm", "{run}/out", "-ntmpi", "1",
                "-reprod", "-pin", "off", "-notunepme"], apt=["gromacs", "gromacs-data"],
               inputs=[["cp", "{programs}/water.top", "water.top"],
                       ["gmx", "-quiet", "solvate", "-cs", "spc216.gro", "-box", "3", "3", "3", "-o", "water.gro", "-p",
                        "water.top"],
                       ["gmx", "-quiet", "grompp", "-f", "{programs}/water.mdp", "-c", "water.gro", "-p", "water.top",
                        "-po", "all.mdp", "-maxwarn", "1", "-o", "water.tpr"]], read=gromacs_read),
        Client("data.table", "R's data.table, then mclapply, then data.table again", ["Rscript", "{programs}/table.R"],
               apt=["r-base-core", "r-cran-data.table"], read=lines_read),
        Client("octave", "Octave on OpenBLAS: products, factorisations, eigenvalues",
               ["octave-cli", "-q", "-f", "-H", "{programs}/linear.m"], apt=["octave", "libopenblas0-openmp"],
               env={"LD_LIBRARY_PATH": f"{LIBRARIES}/openblas-openmp"}, read=lines_read),
    ]


def clients_list():
    return [
        _python("sklearn-hist", "scikit-learn, histogram gradient boosting", "learn.py hist", "scikit-learn"),
        _python("sklearn-kmeans", "scikit-learn, k-means", "learn.py kmeans", "scikit-learn"),
        _python("sklearn-neighbors", "scikit-learn, nearest neighbours", "learn.py neighbors", "scikit-learn"),
        _pytest("sklearn-pytest", "scikit-learn, 16 tests of gradient boosting, 4 at a time", "test_boost.py", 4, "scikit-learn"),
        _python("sklearn-fork", "scikit-learn: fit, fork, fit in parent and child", "learn.py fork", "scikit-learn",
                stock_fails="libgomp hangs in the child of a process that had regions", limit_s=30),
        _python("lightgbm", "LightGBM, gradient boosting", "boost.py lightgbm", "lightgbm", "scikit-learn"),
        _python("xgboost", "XGBoost, gradient boosting", "boost.py xgboost", "xgboost-cpu"),
        _python("torch", "PyTorch: trains a network, loads data in children (3 GB to install)", "network.py", "torch"),
        _python("faiss", "faiss: exact search, k-means, inverted file", "search.py", "faiss-cpu"),
        *_blas_all(), *_debian()]
