# SPDX-License-Identifier: BSD-3-Clause
"""What is tuned: calls and sizes, and the candidates for each."""

from collections.abc import Sequence
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import USAGE, ThalwegError
from thalweg.text_files import read_text
from thalweg.trials.places import NOWHERE
from thalweg.trials.session import Job
from thalweg.units import partners_text, size_text

OPERATIONS = {
    "alltoall": "alltoall",
    "allgather": "allgather",
    "broadcast": "broadcast",
    "allreduce": "allreduce",
    "reduce_scatter": "reduce_scatter_block",
    "barrier": "barrier",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "scan": "scan",
    "exscan": "exscan",
}
"""The operations that can be tuned, and MPI's calls of them."""

BY_DEGREE = {"alltoallv": "alltoallv"}
"""Those in which a rank may have something for some others only, which are tuned where they are named."""

NONBLOCKING = {f"i{operation}": call for operation, call in OPERATIONS.items()} | {
    "ialltoallv": "alltoallv",
    "ineighbor_allgather": "neighbor_allgather",
    "ineighbor_alltoall": "neighbor_alltoall",
    "ineighbor_alltoallv": "neighbor_alltoallv",
}
"""The nonblocking ones that can be tuned, and the calls whose strategies run them."""

TEAM_COLLECTIVES = (
    "broadcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce", "scan", "barrier", "exscan",
    "reduce_scatter",
)  # fmt: skip
"""Those of a team (thalweg/team.h)."""
_ENDS = ("none", "mine", "all")
_NAMED_MODES = {"mine-mine": "", "all-all": "@strict", "none-none": "@loose"}
MODES = {
    _NAMED_MODES.get(mode, f"@{mode}"): mode
    for mode in (f"{before}-{after}" for before in _ENDS for after in _ENDS)
}  # fmt: skip
"""How far a team's call synchronizes its ranks, before it and after it, by what stands behind the call's name."""
TEAM = {
    f"team_{collective}{suffix}": collective
    for collective in TEAM_COLLECTIVES
    for suffix in MODES
    if not suffix or collective != "barrier"
}
"""The calls of teams that can be tuned, and the calls whose strategies run them."""
TEAMS = "teams"
"""In the place of an operation: all those of teams, in the three modes that have names."""
ROOTED = ("broadcast", "scatter", "gather", "reduce")

OWN_SIZES = ("alltoallv", "neighbor_allgather", "neighbor_alltoall", "neighbor_alltoallv")
"""Calls whose sizes a rank knows for itself alone; nonblocking ones have no traffic that ranks could agree on."""

OFFLOADED = ("ibarrier", "iallreduce", "ibroadcast")
"""The nonblocking ones that network devices run."""

SIZES = (8, 64, 1024, 8 << 10, 64 << 10, 512 << 10)
WITHOUT_SIZE = ("barrier", "ibarrier", "team_barrier")


class Case(NamedTuple):
    """An operation on units of so many bytes."""

    operation: str
    """As trials know it: "alltoallv:4" where each rank has a unit for 4 others, the next ones. "ialltoall/2" is made by
    groups of 2 neighboring ranks at once, and "ialltoall/2s" by groups of ranks as far apart as possible.
    "team_broadcast@strict" is a team's."""

    size: int

    @property
    def own_name(self) -> str:
        """Name the operation as the command does."""
        return self.operation.partition(":")[0].partition("/")[0]

    @property
    def name(self) -> str:
        """Name it for people: allreduce 64 KiB."""
        words = self.own_name + partners_text(self.degree)
        words += f" {size_text(self.size)}" if self.size else ""
        return words + (f" among {self.group}{' apart' if self.is_strided else ''}" if self.group else "")

    @property
    def call(self) -> str:
        """The call, as selections and tuning files name it."""
        known = {**NONBLOCKING, **OPERATIONS, **TEAM}
        return known.get(self.own_name) or BY_DEGREE[self.own_name]

    @property
    def degree(self) -> int:
        """To how many others a rank has something; 0: to all."""
        return int(self.operation.partition(":")[2] or 0)

    @property
    def group(self) -> int:
        """Of how many ranks the groups are that make the call at once; 0: all ranks make it together."""
        return int(self.operation.partition("/")[2].removesuffix("s") or 0)

    @property
    def is_strided(self) -> bool:
        """Tell whether groups are of ranks that are far apart, as the columns of a grid."""
        return self.operation.partition("/")[2].endswith("s")

    @property
    def is_nonblocking(self) -> bool:
        """Tell whether the program does something else between the call and its end."""
        return self.own_name in NONBLOCKING

    @property
    def is_of_team(self) -> bool:
        """Tell whether a team makes the call."""
        return self.own_name in TEAM

    @property
    def mode(self) -> str:
        """How far a team's call synchronizes its ranks, as tuning files name it; empty for others."""
        if not self.is_of_team:
            return ""
        return MODES["".join(self.own_name.partition("@")[1:])]

    @property
    def is_among_neighbors(self) -> bool:
        """Tell whether ranks exchange with the neighbors of a topology."""
        return self.call.startswith("neighbor_")


def part_of(job: Job, case: Case) -> Job:
    """Give the ranks of a job that make the call together: the first group, where there are groups."""
    if not case.group:
        return job
    stride = job.ranks // case.group if case.is_strided else 1
    ranks = range(0, stride * case.group, stride)
    known = list(dict.fromkeys(job.nodes[rank] for rank in ranks))
    return job._replace(
        ranks=case.group,
        nodes=tuple(known.index(job.nodes[rank]) for rank in ranks),
        places=tuple(job.places[rank] for rank in ranks),
        hosts=tuple(job.hosts[node] for node in known) if job.hosts else (),
        leaves=tuple(job.leaves[rank] for rank in ranks) if len(job.leaves) == job.ranks else (),
    )


def cases(operations: Sequence[str], sizes: Sequence[int], degrees: Sequence[int] = ()) -> list[Case]:
    """Combine operations with sizes, all operations of a size one after the other; a barrier has none.

    Of `degrees` there is a case each, for operations that have them; 0 and none: all. Sizes that stand for most come
    first, as the budget may end before the last one: every other, then those between.
    Nonblocking operations come last.
    """
    operations = [name for one in operations for name in (_of_teams() if one == TEAMS else [one])]
    unknown = [name for name in operations if name not in {**OPERATIONS, **BY_DEGREE, **NONBLOCKING, **TEAM}]
    if unknown:
        known = ", ".join((*OPERATIONS, *BY_DEGREE, *NONBLOCKING, TEAMS, "team_allreduce@strict and the like"))
        raise ThalwegError(USAGE, f"{unknown[0]} cannot be tuned", f"choose among {known}")
    if any(size % 8 or size < 8 for size in sizes):
        raise ThalwegError(
            USAGE, "sizes must be multiples of 8 bytes, as sums of doubles are tuned", "--bytes 8,64,1KiB"
        )
    found = []
    if degrees and not any(name in BY_DEGREE for name in operations):
        known = ", ".join(BY_DEGREE)
        raise ThalwegError(USAGE, "degrees without an operation that has them", f"name one of {known}: --ops")
    for kind in ({**OPERATIONS, **BY_DEGREE}, TEAM, NONBLOCKING):
        names = [one for name in operations if name in kind for one in _by_degree(name, degrees)]
        found += [Case(name, 0) for name in names if name in WITHOUT_SIZE]
        for size in (*sizes[::2], *sizes[1::2]):
            found += [Case(name, size) for name in names if name not in WITHOUT_SIZE]
    return found


def _of_teams() -> list[str]:
    """Name all operations of teams, in the modes that have names."""
    return [name for name in TEAM if not (mode := name.partition("@")[2]) or f"@{mode}" in _NAMED_MODES.values()]


def _by_degree(operation: str, degrees: Sequence[int]) -> list[str]:
    """Name an operation once for each degree, where it has one."""
    if operation not in BY_DEGREE or not degrees:
        return [operation]
    return [f"{operation}:{degree}" if degree else operation for degree in degrees]


def candidates(case: Case, job: Job, machine: _core.Machine) -> list[_core.Candidate]:
    """List the candidates for a case on the job's ranks, fastest first by the model.

    There are none of neighborhoods, whose graph is the program's: nothing is predicted of them.
    """
    if case.is_among_neighbors:
        return []
    job = part_of(job, case)
    known = node_places(job, machine)
    sockets = [place.socket for place in job.places]
    complexes = [place.core_complex for place in job.places]
    cores = [min(place.processors) if len(place.processors) == 1 else NOWHERE for place in job.places]
    return _core.candidates(
        case.call, case.size, job.ranks, list(job.nodes), machine, sockets, complexes, known, list(job.leaves),
        degree=case.degree, cores=cores,
    )  # fmt: skip


def node_places(job: Job, machine: _core.Machine) -> _core.NodePlaces:
    """Say where the job's nodes are in the machine's network, as its ranks know it."""
    if not job.node_list or len(job.hosts) == 1:
        return _core.NodePlaces(machine.network)
    try:
        text = read_text(job.node_list, "name another --node-list")
        return _core.node_places(text, list(job.hosts), machine.network, job.node_list)
    except _core.Error as error:
        raise ThalwegError(USAGE, *error.args) from error


def remark_on_routes(nodes: int, known: _core.NodePlaces) -> str:
    """Say why the network's routes cannot be predicted with; empty where they can, or where no shape is given."""
    why = known.why_unknown(nodes) if nodes > 1 else ""
    return f"network {known.network}: its routes are not known, so no links are shared: {why}" if why else ""
