"""Installs the packages that clients need, each by its name: Debian's by apt, Python's into a virtual environment in the build
folder. Compiles the C programs and makes the inputs. Called by bench/clients.py."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Place:
    """The folders: of the virtual environment, of built programs, of inputs."""

    def __init__(self, cache):
        self.cache = cache
        self.venv, self.built = cache / "venv", cache / "built"

    def fill(self, words, client, run="."):
        at = {"venv": self.venv, "built": self.built, "programs": PROGRAMS, "input": self.input(client), "run": run}
        return [word.format(**at) for word in words]

    def input(self, client):
        return self.cache / "input" / client.name

    def wheel_version(self, wheel):
        for folder in self.venv.glob("lib/python3*/site-packages"):
            for found in importlib.metadata.distributions(name=wheel, path=[str(folder)]):
                return found.version
        return None


def package_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package], capture_output=True,
                          text=True, timeout=20)
    words = done.stdout.split()
    return words[1] if done.returncode == 0 and words[:1] == ["installed"] else None


def versions(client, place):
    """package -> version or None."""
    found = {package: package_version(package) for package in client.apt}
    found.update((wheel, place.wheel_version(wheel)) for wheel in client.pip)
    return found


def missing(client, place):
    return [name for name, version in versions(client, place).items() if version is None]


def _call(command, what, **how):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1800, **how)
    if done.returncode:
        raise RuntimeError(f"{what} failed: {' '.join(done.stdout.split()[-60:]) or 'no message'}")


def install(clients, place, tell):
    """Installs Debian's packages in one call, then the wheels."""
    wanted = sorted({p for c in clients for p in c.apt if package_version(p) is None})
    if wanted:
        if not shutil.which("apt-get"):
            raise RuntimeError(f"there is no apt-get here; please install what corresponds to: {' '.join(wanted)}")
        tell(f"apt-get install {' '.join(wanted)}")
        root = [] if os.geteuid() == 0 else ["sudo"]
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        apt = [*root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *wanted]
        try:
            _call(apt, "apt-get install", env=env)
        except RuntimeError:
            _call([*root, "apt-get", "update", "-q"], "apt-get update", env=env)
            _call(apt, "apt-get install", env=env)
    wheels = sorted({w for c in clients for w in c.pip if place.wheel_version(w) is None})
    if wheels:
        if not (place.venv / "bin" / "pip").exists():
            tell(f"python3 -m venv {place.venv}")
            _call([sys.executable, "-m", "venv", place.venv], "making the virtual environment")
        tell(f"pip install {' '.join(wheels)}")
        _call([place.venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *wheels], "pip install")


def prepare(client, place):
    """Compiles and makes the input, unless this version of the client has done so."""
    place.built.mkdir(parents=True, exist_ok=True)
    newest = max(path.stat().st_mtime for path in PROGRAMS.iterdir())
    if client.compiled:
        words = place.fill(client.compiled, client)
        target = Path(words[words.index("-o") + 1])
        if not target.exists() or target.stat().st_mtime < newest:
            _call(["gcc", "-std=gnu17", "-O2", "-fopenmp", *words], f"compiling {target.name}")
    if not client.inputs:
        return
    folder, recipe = place.input(client), repr(client.inputs)
    done = folder / "recipe"
    if done.exists() and done.read_text() == recipe and done.stat().st_mtime >= newest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in client.inputs:
        _call(place.fill(command, client), f"input of {client.name}, {command[0]},", cwd=folder)
    done.write_text(recipe)
