# SPDX-License-Identifier: Apache-2.0
# A recipe for Spack: put this folder's file into packages/cuda_tune/ of a repository of yours (spack repo create), set
# `git` to where you have the source, then: spack install cuda-tune
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class CudaTune(CMakePackage):
    """Finds the fastest correct configuration of a CUDA kernel on a GPU and stores every measurement."""

    git = "file:///path/to/tune"

    license("Apache-2.0")

    version("main", branch="main")

    variant("cuda", default=True, description="Measure on GPUs; without it replay, emulator, reports and lookups")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    # The grammar of CUDA and the charts of reports come by npm; without it `tune new` and offline charts are left out.
    depends_on("npm", type="build")

    depends_on("boost@1.70: +program_options")
    depends_on("sqlite@3.37:")
    depends_on("fmt@9:")
    depends_on("tl-expected")
    depends_on("nlohmann-json@3.11:")
    depends_on("zlib-api")
    depends_on("xxhash")
    depends_on("eigen@3.4:")
    depends_on("tomlplusplus")
    depends_on("tree-sitter")
    depends_on("cuda@12.4:", when="+cuda")

    # Spack has no package of it.
    resource(
        name="sqlitecpp",
        git="https://github.com/SRombauts/SQLiteCpp.git",
        tag="3.3.2",
        destination="sqlitecpp",
        placement="source",
    )

    generator("ninja")
    conflicts("%gcc@:11", msg="tune is written in C++20: use GCC 12 or newer")

    def cmake_args(self):
        return [
            self.define("TUNE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("TUNE_TESTS", False),
            self.define("FETCHCONTENT_SOURCE_DIR_SQLITECPP", join_path(self.stage.source_path, "sqlitecpp", "source")),
        ]
