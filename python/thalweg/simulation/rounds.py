# SPDX-License-Identifier: BSD-3-Clause
"""Programs with too many rounds to be simulated one by one: few are, and say what all take.

Rounds that are alike come to take equally long: processors, interfaces and fair shares have no other clock. So a
program is simulated with few of its rounds, with some more, and with some more again. Where the last step took what the
one before it took, each further round takes that too. Where ranks meet on links they may drift apart for as long as
the program runs; then the answer is a rough one, and says so. It also says what the program takes at least, so the time
is between the two, or too long by no more than their ratio.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thalweg.simulation.results import Links, Rounds, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from thalweg import _core
    from thalweg.simulation.ground import Ground

OPERATIONS_MAX = 1 << 26
"""Programs with more are simulated so: on a network an operation takes some fifty bytes."""
STEP = 8
"""Rounds more each time, at first."""
STEP_MAX = 64


def has_too_many_rounds(program: _core.SimulatedProgram, ground: Ground) -> bool:
    """Say whether it is a folded program on a network, too large to be written out, with rounds to leave out."""
    if ground.is_alike_everywhere or not program.looked_at:
        return False
    return program.operations * program.ranks > OPERATIONS_MAX and program.like_rounds > 3 * STEP


def simulate_rounds(
    program: _core.SimulatedProgram,
    run: Callable[[_core.SimulatedProgram], Simulation],
    run_alone: Callable[[_core.SimulatedProgram], Simulation],
) -> Simulation:
    """Simulate a folded program with few of its rounds, and say what all take; without a network it takes the least."""
    total, step = program.like_rounds, STEP
    found: dict[int, Simulation] = {}
    while True:
        for rounds in (step, 2 * step, 3 * step):
            if rounds not in found:
                found[rounds] = run(program.with_fewer_rounds(total - rounds))
        first, second, third = (found[times * step] for times in (1, 2, 3))
        last, before = third.finish - second.finish, second.finish - first.finish
        steps = Rounds(total, 3 * step, last / step, before / step)
        if steps.are_steady or 6 * step > min(3 * STEP_MAX, total):
            return _bounded(run_alone(program).finish, _continued(second, third, steps, step))
        step *= 2


def _bounded(alone: int, found: Simulation) -> Simulation:
    """Say what it takes at least. A rough time that is less than that is that."""
    assert found.rounds is not None
    shortest = max(alone, int(found.links.busy.max(initial=0)))
    return replace(found, finish=max(found.finish, shortest), rounds=found.rounds._replace(min_ns=shortest))


def _continued(second: Simulation, third: Simulation, rounds: Rounds, step: int) -> Simulation:
    """Let the steps go on as the last one was."""
    left = rounds.total - rounds.simulated

    def further(before: int, now: int) -> int:
        return now + (now - before) * left // step

    ends: NDArray[np.int64] = third.ends + (third.ends - second.ends) * left // step
    last_rank = int(ends.argmax())
    known = {int(number): amounts for number, *amounts in zip(*second.links, strict=True)}
    earlier = np.array([known.get(int(number), (0.0, 0.0)) for number in third.links.numbers]).reshape(-1, 2)
    carried, busy = (now + (now - then) * left / step for now, then in zip(third.links[1:], earlier.T, strict=True))
    on_path = dict(second.links_on_path)
    return replace(
        third,
        finish=int(ends[last_rank]),
        last_rank=last_rank,
        ends=ends,
        busy=third.busy + (third.busy - second.busy) * left // step,
        why={kind: further(second.why.get(kind, 0), ticks) for kind, ticks in third.why.items()},
        links=Links(third.links.numbers, carried, busy),
        links_on_path=[(link, max(0, further(on_path.get(link, 0), ticks))) for link, ticks in third.links_on_path],
        rounds=rounds,
    )
