# A recipe for Spack: put it into packages/forestgomp of a repository of your own. Spack was not tried: only the dependencies and the options
# of Meson were compared with meson.build. There is no release and no public address yet, so `git` must name a clone.
from spack.package import *


class Forestgomp(MesonPackage):
    """OpenMP runtime for hierarchical machines, in the place of gcc's libgomp: `forestgomp run ./program`."""

    git = "file:///home/ada/forestgomp"
    license("BSD-3-Clause")
    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc")  # opened at run time
    depends_on("zlib-api")
    conflicts("platform=darwin")
    requires("%gcc")

    def meson_args(self):
        return ["-Dtests=disabled", "-Dmpi=disabled", "-Dhwloc=enabled"]
