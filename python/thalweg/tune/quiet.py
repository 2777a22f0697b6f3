# SPDX-License-Identifier: BSD-3-Clause
"""Whether somebody else computes on the ranks' cores: a search looks between its measurements, and waits.

What is measured meanwhile takes turns, so that it disturbs all candidates alike; but it hides small gains, and makes up
others. A search that was disturbed throughout says so, and leaves what an earlier one has found.
"""

import time
from collections.abc import Callable

from thalweg.errors import ThalwegError
from thalweg.machine.noise import noise_of
from thalweg.trials.session import Session

BUSY = 0.15
"""The part of the time that a core is away, from which on the machine counts as disturbed."""
LOOK_S = 0.005
"""Of a core; longer than the time that the kernel gives a process at once."""
LOOKED_AT = 4
"""Ranks whose cores are looked at, others each time."""
PAUSE_S = 0.1
PATIENCE = 0.2
"""The part of a budget that may be waited for quiet in all."""


class Watch:
    """Looks at the cores of a job's ranks; where ranks share cores there is nothing to see."""

    def __init__(
        self,
        session: Session,
        cores: int,
        budget_s: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Watch the cores of a job; `cores` are those of a node, and `budget_s` is the whole search's."""
        self._session = session
        self._sleep = sleep
        job = session.job
        self._can_look = max(job.nodes.count(node) for node in set(job.nodes)) <= cores
        self._next_rank = 0
        self._patience_s = PATIENCE * budget_s
        self.disturbed = 0
        """Looks at a disturbed machine that waiting did not help."""

    def is_quiet(self) -> bool:
        """Look once."""
        if not self._can_look:
            return True
        ranks = self._session.job.ranks
        looked_at = [(self._next_rank + number) % ranks for number in range(min(LOOKED_AT, ranks))]
        self._next_rank = (looked_at[-1] + 1) % ranks
        try:
            return max(noise_of(self._session, rank, LOOK_S).part for rank in looked_at) < BUSY
        except ThalwegError:  # a rank had no core at all
            return False

    def wait(self) -> bool:
        """Wait until the machine is quiet, as long as there is patience; tell whether it is."""
        while not (is_quiet := self.is_quiet()) and self._patience_s > 0:
            self._sleep(PAUSE_S)
            self._patience_s -= PAUSE_S
        self.disturbed += not is_quiet
        return is_quiet
