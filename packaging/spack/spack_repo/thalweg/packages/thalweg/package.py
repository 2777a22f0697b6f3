# SPDX-License-Identifier: BSD-3-Clause
"""Thalweg for Spack: the command, the interposer of one MPI, and the libraries for programs."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage

# The clone that this file lies in is what is built.
CLONE = Path(__file__).resolve().parents[6]
FLAVORS = {"openmpi": "OPENMPI", "mpich": "MPICH"}


class Thalweg(PythonPackage):
    """Faster communication for MPI programs, unmodified, on the machine they run on."""

    git = CLONE.as_uri()

    license("BSD-3-Clause", checked_by="thalweg")

    version("main", branch="main", preferred=True)
    version("0.2.0", tag="v0.2.0")

    variant("plot", default=False, description="Pictures of results, by matplotlib")
    variant("symbols", default=True, description="Source lines in reports, by elfutils")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("elfutils@0.188:", when="+symbols")
    depends_on("mpi")
    requires("^[virtuals=mpi] openmpi@4.1:", "^[virtuals=mpi] mpich@4:", policy="one_of")

    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-nanobind-backend@1", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-typer@0.15:0.28", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-tomli@2:", when="^python@:3.10", type=("build", "run"))
    depends_on("py-pyelftools@0.30:", type=("build", "run"))
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-scipy@1.11:", type=("build", "run"))
    depends_on("py-matplotlib@3.8:", when="+plot", type=("build", "run"))

    conflicts("%gcc@:11", msg="Thalweg is written in C++20, as GCC 12 has it")

    def config_settings(self, spec, prefix):
        """Name the MPI, whose wrappers have no family in their names here, and build for this machine's C library."""
        mpi = spec["mpi"]
        flavor = "openmpi" if mpi.name == "openmpi" else "mpich"
        defines = {
            f"THALWEG_MPICC_{flavor}": mpi.prefix.bin.mpicc,
            f"THALWEG_MPIRUN_{flavor}": mpi.prefix.bin.mpirun,
            f"THALWEG_{FLAVORS[flavor]}_INCLUDE_DIR": mpi.prefix.include,
            "THALWEG_OLDEST_GLIBC": "",
            "THALWEG_NIC": "OFF",  # needs libbpf, which Spack has not
        }
        return {"build-dir": "build", **{f"cmake.define.{name}": value for name, value in defines.items()}}

    @run_after("install")
    def install_libraries(self):
        """Install the libraries, the headers and the manual, which wheels have no place for."""
        cmake = self.spec["cmake"].command
        cmake("--install", "build", "--strip", "--prefix", str(self.prefix))
