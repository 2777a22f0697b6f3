# SPDX-License-Identifier: BSD-3-Clause
"""Simulations for Python programs: strategies and programs in GOAL, results as numpy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import FAILED, SETTINGS, USAGE, ThalwegError
from thalweg.simulation.ground import LOGGOPS, Costs, Ground, ground_of
from thalweg.simulation.results import Deliveries, Links, Segments, Simulation
from thalweg.simulation.rounds import has_too_many_rounds, simulate_rounds
from thalweg.strategies import device_strategies, make_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from thalweg.simulation.network import Routers

TIES = ("order", "loggopsim")
EXPLAINED_MAX = 1 << 22
DRAWN_MAX = 1 << 20
"""Operations of all ranks: so many are simulated one by one, where a timeline is to have each rank's."""


def kinds() -> list[str]:
    """Name what time goes into."""
    return _core.cost_kinds()


@checked
def simulate(  # noqa: PLR0913 - a simulation has that many sides, all with a usual value
    operation: str = "",
    strategy: str = "",
    ranks: int = 0,
    unit_bytes: int = 1024,
    *,
    degree: float = 0,
    goal: str | Path | bytes = "",
    root: int = 0,
    ranks_per_node: int = 1,
    parameters: Mapping[str, str] | None = None,
    machine: str | _core.Machine | None = None,
    loggops: str = LOGGOPS,
    network: str = "",
    nodes: ArrayLike | None = None,
    without: Sequence[int] = (),
    placement: ArrayLike | None = None,
    link_bandwidth: float = 0,
    link_latency: float = 0,
    level: str = "",
    routing: str = "",
    routers: Routers | None = None,
    ties: str = "order",
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
    costs: Costs | None = None,
) -> Simulation:
    """Simulate a strategy on so many ranks, or a program in GOAL.

    Messages cost what the machine says (a machine file's name, or the machine itself), else what LogGOPS' parameters
    say: L,o,g,G,O,S in nanoseconds and bytes. `unit_bytes` are those of a unit of the buffers, which in alltoallv each
    rank has for the next `degree` others (0: all). `goal` is a file's name or its content, text or binary. `progress`
    is called now and then with the number of events so far.

    `network` is the name of an interconnect, as "torus:16x16x16", of which the job has `nodes` (numbers or coordinates;
    None: all), but for the numbers in `without`. Rank r is on slot placement[r], as map_ranks() gives it, or on slot r.
    Links carry `link_bandwidth` bytes a second (0: as fast as messages alone), and each adds `link_latency` seconds. On
    level "flow", which is usual with a network, messages share links; on "loggp" the network only delays. On "packet"
    they are cut into packets for `routers`, by `routing` (docs/simulation.md). `costs` says all of these at once.
    """
    where = costs or Costs(machine, loggops, ranks_per_node, network, nodes, without, placement, link_bandwidth,
                           link_latency, level, routing, routers)  # fmt: skip
    ground = ground_of(where, 0 if goal else ranks)
    play = partial(run, ground=ground, ties=ties, explained_max=explained_max, timeline=timeline, progress=progress)
    try:
        if goal:
            program = _goal_program(goal, ground)
        else:
            sample = make_sample(
                operation, strategy, ranks, root=root, ranks_per_node=where.ranks_per_node, unit_bytes=unit_bytes,
                parameters=parameters, nodes=ground.nodes, degree=degree,
                leaves=ground.leaves if strategy in device_strategies(operation) else (),
            )  # fmt: skip
            program = _strategy_program(sample, unit_bytes, ground, timeline=timeline)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if not has_too_many_rounds(program, ground):
        return play(program)
    return simulate_rounds(program, play, lambda one: run(one, ties=ties, explained_max=0, progress=progress))


def _strategy_program(
    sample: _core.Sample, unit_bytes: int, ground: Ground, *, timeline: bool
) -> _core.SimulatedProgram:
    """Write a strategy's program; of one rank for all where that says it, or where too much would be simulated."""
    program = _core.strategy_program(sample, unit_bytes, ground.machine, ground.loggops)
    if not program.looked_at or has_too_many_rounds(program, ground):
        return program
    is_drawn = timeline and program.operations * program.ranks <= DRAWN_MAX
    if ground.is_alike_everywhere and not is_drawn:
        return program
    return _core.strategy_program(sample, unit_bytes, ground.machine, ground.loggops, may_fold=False)


def _goal_program(goal: str | Path | bytes, ground: Ground) -> _core.SimulatedProgram:
    name = "goal"
    if not isinstance(goal, bytes):
        name = str(goal)
        try:
            goal = Path(goal).read_bytes().removeprefix(b"\xef\xbb\xbf")
        except OSError as error:
            raise ThalwegError(SETTINGS, f"{name} cannot be read: {error.strerror}", "name a file in GOAL") from error
    return _core.goal_program(goal, name, ground.machine, ground.ranks_per_node, ground.loggops, ground.nodes)


def run(  # noqa: PLR0913
    program: _core.SimulatedProgram,
    ground: Ground | None = None,
    *,
    ties: str = "order",
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Simulate a program that has been put together. A program that cannot go on is an error that says why."""
    if ties not in TIES:
        raise ThalwegError(USAGE, f"simulate: ties {ties!r}", f"choose {' or '.join(TIES)}")
    if explained_max < 0:
        raise ThalwegError(USAGE, f"simulate: {explained_max} operations explained", "choose 0 or more")
    network = ground.network if ground else None
    level = ground.level if ground else "loggp"
    try:
        if ground is None or ground.is_alike_everywhere:
            held, cores = None, None
        else:
            held, cores = ground.rank_network(), ground.shared_cores(program.ranks)
        found = program.run(ties, explained_max, timeline, progress, held, ground.noise if ground else "", cores)
    except _core.Error as error:
        raise ThalwegError(FAILED, *error.args) from error
    path = Segments(*found.path())
    numbers, carried, busy = found.links()
    order = np.lexsort((numbers, -busy))
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
        packets=found.packets,
        packet_hops=found.packet_hops,
        patterns=program.patterns,
        folded=program.looked_at,
        why=dict(zip(kinds(), found.path_by_kind(), strict=True)) if path.ranks.size else {},
        path=path,
        timeline=Segments(*found.timeline()),
        deliveries=Deliveries(*found.deliveries()),
        links=Links(numbers[order], carried[order], busy[order]),
        links_on_path=found.path_by_link(),
        network=network.interconnect if network else None,
        fingerprint=found.fingerprint,
    )
