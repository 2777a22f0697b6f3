"""Simulations for Python programs: strategies and programs in GOAL, results as numpy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import FAILED, SETTINGS, USAGE, ThalwegError
from thalweg.machine import files
from thalweg.strategies import make_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

LEVELS = ("loggp",)
TIES = ("order", "loggopsim")
LOGGOPS = "2500,1500,1000,6,0,65535"
EXPLAINED_MAX = 1 << 22
TICKS = 1e9
"""Of a second."""


class Segments(NamedTuple):
    """What processors and messages did when; times in nanoseconds, kinds as positions in `kinds()`."""

    ranks: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True)
class Simulation:
    """What a simulation says; times in nanoseconds."""

    level: str
    ranks: int
    finish: int
    """When the last rank has finished, all having begun at 0."""
    last_rank: int
    ends: NDArray[np.int64]
    """Of each rank."""
    busy: NDArray[np.int64]
    """How long each rank's processors had something to do; the rest of its time it waited."""
    operations: int
    """That were simulated; of folded programs, one rank's."""
    messages: int
    events: int
    patterns: int
    """How many kinds of ranks there are."""
    folded: int
    """How many ranks were looked at and found alike, so that one was simulated for all; 0: all were."""
    why: dict[str, int]
    """How long each kind of cost is on the critical path; empty if the program was too large to explain."""
    path: Segments
    """The critical path, from the start to the finish without a pause."""
    timeline: Segments
    """What all processors did, where it was asked for."""
    fingerprint: int
    """Equal for equal results."""

    @property
    def seconds(self) -> float:
        """When the last rank has finished."""
        return self.finish / TICKS

    def ranks_on_path(self) -> list[tuple[int, int]]:
        """Give the ranks that the critical path goes through, with their nanoseconds on it, longest first."""
        ranks, places = np.unique(self.path.ranks, return_inverse=True)
        ticks = np.zeros(ranks.size, dtype=np.int64)
        np.add.at(ticks, places, self.path.ends - self.path.begins)
        order = np.lexsort((ranks, -ticks))
        return [(int(ranks[place]), int(ticks[place])) for place in order]


def kinds() -> list[str]:
    """Name what time goes into."""
    return _core.cost_kinds()


def simulate(  # noqa: PLR0913 - a simulation has that many sides, all with a usual value
    operation: str = "",
    strategy: str = "",
    ranks: int = 0,
    unit_bytes: int = 1024,
    *,
    goal: str | Path | bytes = "",
    root: int = 0,
    ranks_per_node: int = 1,
    parameters: Mapping[str, str] | None = None,
    machine: str | _core.Machine | None = None,
    loggops: str = LOGGOPS,
    level: str = "loggp",
    ties: str = "order",
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Simulate a strategy on so many ranks, or a program in GOAL.

    Messages cost what the machine says (a machine file's name, or the machine itself), else what LogGOPS' parameters
    say: L,o,g,G,O,S in nanoseconds and bytes. `unit_bytes` are those of a unit of the buffers. `goal` is a file's name
    or its content, text or binary. `progress` is called now and then with the number of events so far.
    """
    for name, value, known_values in (("level", level, LEVELS), ("ties", ties, TIES)):
        if value not in known_values:
            raise ThalwegError(USAGE, f"simulate: {name} {value!r}", f"choose {' or '.join(known_values)}")
    known = files.load(machine) if isinstance(machine, str) else machine
    try:
        if goal:
            program = _goal_program(goal, known, ranks_per_node, loggops)
        else:
            sample = make_sample(
                operation,
                strategy,
                ranks,
                root=root,
                ranks_per_node=ranks_per_node,
                unit_bytes=unit_bytes,
                parameters=parameters,
            )
            program = _core.strategy_program(sample, unit_bytes, known, loggops)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    return run(program, level=level, ties=ties, explained_max=explained_max, timeline=timeline, progress=progress)


def _goal_program(
    goal: str | Path | bytes, machine: _core.Machine | None, ranks_per_node: int, loggops: str
) -> _core.SimulatedProgram:
    if isinstance(goal, bytes):
        return _core.goal_program(goal, "goal", machine, ranks_per_node, loggops)
    try:
        data = Path(goal).read_bytes()
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{goal} cannot be read: {error.strerror}", "name a file in GOAL") from error
    return _core.goal_program(data, str(goal), machine, ranks_per_node, loggops)


def run(  # noqa: PLR0913
    program: _core.SimulatedProgram,
    *,
    level: str = "loggp",
    ties: str = "order",
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Simulate a program that has been put together. A program that cannot go on is an error that says why."""
    try:
        found = program.run(ties, explained_max, timeline, progress)
    except _core.Error as error:
        raise ThalwegError(FAILED, *error.args) from error
    path = Segments(*found.path())
    return Simulation(
        level=level,
        ranks=program.ranks,
        finish=found.finish,
        last_rank=found.last_rank,
        ends=found.ends,
        busy=found.busy,
        operations=found.operations,
        messages=found.messages,
        events=found.events,
        patterns=program.patterns,
        folded=program.looked_at,
        why=dict(zip(kinds(), found.path_by_kind(), strict=True)) if path.ranks.size else {},
        path=path,
        timeline=Segments(*found.timeline()),
        fingerprint=found.fingerprint,
    )
