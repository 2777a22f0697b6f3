# SPDX-License-Identifier: BSD-3-Clause
"""Traced programs on machines that nobody here has: each rank's calls in their order, and what it computed between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.simulation.ground import Costs, ground_of
from thalweg.simulation.simulate import EXPLAINED_MAX, run
from thalweg.text_files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thalweg.simulation.results import Simulation

FIRST_WORD = b"thalweg-trace"


class Replay(NamedTuple):
    """What a traced program does on the simulated machine, beside what it did."""

    command: str
    calls: int
    """Of all ranks."""
    recorded_seconds: float
    """That the traced run took, from the beginning of MPI to its end."""
    computed_seconds: NDArray[np.float64]
    """That each rank computed between its calls, of shape (ranks,)."""
    is_cpu_time: bool
    """Is that the processor's time, as where ranks outnumbered cores, or the clock's?"""
    remarks: list[str]
    """What is not as it was, or as it was asked for."""
    simulation: Simulation

    @property
    def ratio(self) -> float:
        """Simulated time over that of the traced run."""
        return self.simulation.seconds / self.recorded_seconds if self.recorded_seconds else float("nan")


def is_trace(path: str) -> bool:
    """Say whether a file has calls in their order (`thalweg run --trace`), and no pattern."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(FIRST_WORD)) == FIRST_WORD
    except OSError:
        return False  # who reads it says why


def replay(  # noqa: PLR0913 - a simulation has that many sides, all with a usual value
    trace: str,
    costs: Costs | None = None,
    *,
    use: Sequence[str] = (),
    computation_scale: float = 1,
    goal: str = "",
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Simulate what `thalweg run --trace` kept in the file.

    Collectives run on what `use` selects ("allreduce=ring"), else on what they ran on, or for those of the library on
    strategies that are like it. Computation takes `computation_scale` times as long as it did. The program is also
    written to the file `goal`, as a GOAL text, if that is given. Raises ThalwegError for a file that is no whole trace,
    naming the line.
    """
    try:
        known = _core.load_call_trace(trace)
        ground = ground_of(costs or Costs(), known.ranks)
        program, remarks = _core.replay_program(
            known, ";".join(use), computation_scale, ground.machine, ground.ranks_per_node, ground.loggops, ground.nodes
        )
        if goal:
            write_text(_core.write_goal(program), goal)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    return Replay(
        known.command,
        known.calls,
        known.seconds,
        np.asarray(known.computed, dtype=np.float64),
        known.is_cpu_time,
        remarks,
        run(program, ground, explained_max=explained_max, timeline=timeline, progress=progress),
    )
