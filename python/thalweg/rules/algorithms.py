# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms that MPI libraries have and let their users choose, by the variables that choose them."""

from collections.abc import Sequence
from typing import NamedTuple


class Algorithm(NamedTuple):
    """One of a library's algorithms for an operation; a segment size and fan-out of 0 are the library's own."""

    name: str
    number: int = 0
    """Of Open MPI's coll/tuned, or of Intel MPI's presets."""
    segment: int = 0
    fanout: int = 0

    @property
    def text(self) -> str:
        """Name it with what it was given: pipeline, segments of 8192 B."""
        return self.name + (f", segments of {self.segment} B" if self.segment else "")

    @property
    def word(self) -> str:
        """Name it as tuning files do: pipeline:segment=8192."""
        return self.name + (f":segment={self.segment}" if self.segment else "")


OPENMPI, MPICH, INTEL = "openmpi", "mpich", "intel"
_SEGMENTS = (0, 8 << 10, 32 << 10)


def _segmented(*entries: tuple[str, int]) -> list[Algorithm]:
    return [Algorithm(name, number, segment) for name, number in entries for segment in _SEGMENTS]


# Open MPI 4.1, ompi/mca/coll/tuned: the numbers of coll_tuned_<operation>_algorithm.
_OPENMPI: dict[str, list[Algorithm]] = {
    "barrier": [
        Algorithm("linear", 1),
        Algorithm("double_ring", 2),
        Algorithm("recursive_doubling", 3),
        Algorithm("bruck", 4),
        Algorithm("tree", 6),
    ],
    "broadcast": [
        Algorithm("basic_linear", 1),
        *_segmented(("chain", 2), ("pipeline", 3), ("split_binary_tree", 4), ("binary_tree", 5), ("binomial", 6)),
        Algorithm("knomial", 7),
        Algorithm("scatter_allgather", 8),
        Algorithm("scatter_allgather_ring", 9),
    ],
    "allreduce": [
        Algorithm("basic_linear", 1),
        Algorithm("nonoverlapping", 2),
        Algorithm("recursive_doubling", 3),
        Algorithm("ring", 4),
        *_segmented(("segmented_ring", 5))[1:],
        Algorithm("rabenseifner", 6),
    ],
    "reduce": [
        Algorithm("linear", 1),
        *_segmented(("chain", 2), ("pipeline", 3), ("binary", 4), ("binomial", 5), ("in-order_binary", 6)),
        Algorithm("rabenseifner", 7),
    ],
    "allgather": [
        Algorithm("linear", 1),
        Algorithm("bruck", 2),
        Algorithm("recursive_doubling", 3),
        Algorithm("ring", 4),
        Algorithm("neighbor", 5),
    ],
    "alltoall": [
        Algorithm("linear", 1),
        Algorithm("pairwise", 2),
        Algorithm("modified_bruck", 3),
        Algorithm("linear_sync", 4),
    ],
    "reduce_scatter": [
        Algorithm("basic_linear", 1),
        Algorithm("recursive_doubling", 2),
        Algorithm("recursive_halving", 3),
        Algorithm("butterfly", 4),
    ],
    "gather": [Algorithm("basic_linear", 1), Algorithm("binomial", 2), Algorithm("linear_sync", 3)],
    "scatter": [Algorithm("basic_linear", 1), Algorithm("binomial", 2), Algorithm("linear_nb", 3)],
}
_OPENMPI_CALLS = {"broadcast": "bcast", "reduce_scatter": "reduce_scatter_block"}

# MPICH 4: the values of MPIR_CVAR_<CALL>_INTRA_ALGORITHM, which name functions MPIR_<Call>_intra_<value> too.
_MPICH: dict[str, list[Algorithm]] = {
    "broadcast": [
        Algorithm("binomial"),
        Algorithm("scatter_recursive_doubling_allgather"),
        Algorithm("scatter_ring_allgather"),
    ],
    "allreduce": [Algorithm("recursive_doubling"), Algorithm("reduce_scatter_allgather")],
    "reduce": [Algorithm("binomial"), Algorithm("reduce_scatter_gather")],
    "allgather": [Algorithm("brucks"), Algorithm("recursive_doubling"), Algorithm("ring")],
    "alltoall": [Algorithm("brucks"), Algorithm("pairwise"), Algorithm("scattered")],
    "reduce_scatter": [Algorithm("recursive_doubling"), Algorithm("recursive_halving"), Algorithm("pairwise")],
}
# MPICH's selection files are taken at their word, also where an algorithm cannot do the number of ranks.
_POWERS_OF_TWO = (
    ("mpich", "allgather", "recursive_doubling"),
    ("mpich", "broadcast", "scatter_recursive_doubling_allgather"),
)
MPICH_CALLS = {"broadcast": "bcast", "reduce_scatter": "reduce_scatter_block"}


def openmpi_call(operation: str) -> str:
    """Name the operation as coll/tuned does."""
    return _OPENMPI_CALLS.get(operation, operation)


def mpich_call(operation: str) -> str:
    """Name the operation as MPICH's selection files do."""
    return MPICH_CALLS.get(operation, operation)


def intel_variable(operation: str) -> str:
    """Name the variable that chooses among Intel MPI's presets."""
    return f"I_MPI_ADJUST_{mpich_call(operation).upper()}"


def algorithms(family: str, operation: str, ranks: int) -> Sequence[Algorithm]:
    """List the algorithms of Open MPI or MPICH for an operation on so many ranks; none where nobody can choose."""
    found = {OPENMPI: _OPENMPI, MPICH: _MPICH}[family].get(operation, [])
    is_power_of_two = ranks & (ranks - 1) == 0
    return [one for one in found if is_power_of_two or (family, operation, one.name) not in _POWERS_OF_TWO]


def variables(family: str, operation: str, algorithm: Algorithm) -> dict[str, str]:
    """Name the environment variables that make the library use this algorithm."""
    if family == INTEL:
        return {intel_variable(operation): str(algorithm.number)}
    if family == OPENMPI:
        prefix = f"OMPI_MCA_coll_tuned_{openmpi_call(operation)}_algorithm"
        chosen = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", prefix: str(algorithm.number)}
        if algorithm.segment:
            chosen[f"{prefix}_segmentsize"] = str(algorithm.segment)
        return chosen
    return {f"MPIR_CVAR_{mpich_call(operation).upper()}_INTRA_ALGORITHM": algorithm.name}
