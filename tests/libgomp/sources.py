"""The sources of gcc's own libgomp, from Debian's package gcc-12-source."""
import sys
import tarfile
from pathlib import Path

ARCHIVES = "usr/src/gcc-12/gcc-12.*.tar.xz"


def archive_find():
    """The path where the package has them, or None."""
    return max(Path("/").glob(ARCHIVES), default=None)


def unpack(folder):
    """The folder libgomp of gcc's sources, and the files beside it that its tests include."""
    source = folder / "source"
    if (source / "libgomp" / "testsuite").is_dir():
        return source / "libgomp"
    found = archive_find()
    if not found:
        sys.exit(f"FAIL sources: no /{ARCHIVES}; scripts/install-deps test installs it")
    print(f"unpacking {found}", flush=True)
    source.mkdir(parents=True, exist_ok=True)
    with tarfile.open(found) as archive:
        for entry in archive:
            top, _, rest = entry.name.removeprefix("./").partition("/")
            if (rest + "/").startswith(("libgomp/", "include/", "gcc/testsuite/c-c++-common/gomp/",
                                        "gcc/testsuite/gcc.dg/vect/", "gcc/testsuite/gfortran.dg/goacc")):
                entry.name = rest
                archive.extract(entry, source)
    return source / "libgomp"
