"""What a wheel brings that a distribution has in packages of its own: hwloc, which reads the machine, and Zydis, with which samples are
decoded. Both are built from Debian's sources, hwloc without udev. Called by scripts/wheel.

apt must know where Debian's packages are. Its own lists stay as they are."""

import os
import re
import shutil
import subprocess

HWLOC = "libhwloc.so.15"
ZYCORE = "/usr/include/Zycore"  # of libzycore-dev: the decoder needs only these headers
WITHOUT = ["libudev", "libxml2", "pci", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl", "cairo", "plugin-dlopen", "plugins", "doxygen", "io"]
EXPORTS = "{ global: hwloc_*; local: *; };\n"


def call(words, where, **how):
    """Runs a command; its output is in the error's text if it fails."""
    done = subprocess.run([str(word) for word in words], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed: {' '.join(done.stdout.split()[-40:])}")
    return done.stdout


def sources(work):
    """The folder with Debian's sources, unpacked: hwloc, zydis."""
    folder = work / "sources"
    if (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / "apt" / name).mkdir(parents=True)
    told = call(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)"], folder)
    places = sorted({line for line in told.splitlines() if line.split()[0].endswith("/debian/") and line.endswith(" main")}, key=len)
    if not places:
        raise RuntimeError("apt knows no Debian; sources of hwloc are needed")
    (folder / "apt" / "sources.list").write_text(f"deb-src {places[0]}\n")
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={folder}/apt/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null", "-o",
           f"Dir::State::lists={folder}/apt/lists", "-o", f"Dir::Cache={folder}/apt/cache", "-o", "APT::Sandbox::User=root"]
    call([*apt, "update"], folder)
    call([*apt, "source", "--download-only", "hwloc", "zydis"], folder)
    for description in sorted(folder.glob("*.dsc")):
        name = description.name.split("_")[0]
        archive = next(folder.glob(f"{name}_*.orig.tar.*"))
        (folder / name).mkdir()
        call(["tar", "-xf", archive, "-C", folder / name, "--strip-components=1"], folder)
    (folder / "complete").touch()
    return folder


class Parts:
    """Builds what is missing, for one machine. `stubs` are words for the link."""

    def __init__(self, work, machine, stubs):
        self.work, self.machine, self.stubs = work, machine, stubs
        native = os.uname().machine == machine
        self.compiler = "gcc" if native else f"{machine}-linux-gnu-gcc"
        self.host = [] if native else [f"--host={machine}-linux-gnu"]
        self.sources = sources(work)

    def hwloc(self):
        built = self.work / HWLOC
        if built.exists():
            return built
        where = self.work / "hwloc-build"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir()
        call(["../sources/hwloc/configure", "--quiet", "--prefix=/usr", "--enable-static", "--disable-shared", "--with-pic", *self.host,
              *(f"--disable-{part}" for part in WITHOUT), f"CC={self.compiler}", "CFLAGS=-O2 -DNDEBUG"], where)
        call(["make", "-s", "-j2", "-C", "include"], where)
        call(["make", "-s", "-j2", "-C", "hwloc", "libhwloc.la"], where)
        (where / "exports").write_text(EXPORTS)
        call([self.compiler, "-shared", "-o", built, f"-Wl,-soname,{HWLOC}", "-Wl,--version-script=exports", "-Wl,--whole-archive",
              "hwloc/.libs/libhwloc.a", "-Wl,--no-whole-archive", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--build-id=none", *self.stubs], where)
        return built

    def zydis(self):
        """The archive that the walker of samples takes in the place of the shared library."""
        built = self.work / "libZydis.a"
        if built.exists():
            return built
        where = self.work / "zydis-build"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir()
        (where / "Zycore").symlink_to(ZYCORE)
        files = sorted((self.sources / "zydis" / "src").glob("*.c"))
        flags = ["-I.", *(f"-I{self.sources / 'zydis' / folder}" for folder in ("include", "src"))]
        call([self.compiler, "-c", "-O2", "-fPIC", "-fvisibility=hidden", "-DNDEBUG", "-DZYDIS_STATIC_BUILD", "-DZYCORE_STATIC_BUILD", *flags, *files], where)
        call(["ar", "rcsD", built, *sorted(where.glob("*.o"))], where)
        return built

    def instead(self, words):
        """The words of a link, with the archive of Zydis."""
        return [str(self.zydis()) if re.search(r"^-lZydis$|/libZydis\.so", word) else word for word in words]

    def add(self, tree):
        shutil.copy(self.hwloc(), tree / "lib" / HWLOC)
        call(["strip" if not self.host else f"{self.machine}-linux-gnu-strip", "--strip-unneeded", tree / "lib" / HWLOC], self.work)
        (tree / "lib" / HWLOC).chmod(0o755)
        for name in ("hwloc", "zydis"):
            found = next(file for pattern in ("COPYING", "LICENSE") for file in (self.sources / name).glob(pattern))
            shutil.copy(found, tree / "share" / "doc" / "forestgomp" / f"{name}.{found.name}")
