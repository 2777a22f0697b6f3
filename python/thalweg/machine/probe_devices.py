# SPDX-License-Identifier: BSD-3-Clause
"""What it costs that network devices run a collective, from barriers of trees of several depths."""

from collections.abc import Sequence
from statistics import median, quantiles

import numpy as np

from thalweg import _core
from thalweg.machine.fit import fit_line
from thalweg.trials.session import Job, Session

RADICES = (2, 4, 8)
_BATCHES = 21
_US = 1e-6


def measure_devices(session: Session) -> _core.DeviceCosts:
    """Measure them in a job; all 0 where no devices run its collectives, as where some host has no agent.

    A barrier takes a rank's start, the hops of its tree, and a rank's wake. Trees of several radices have several
    numbers of hops. What a rank waits for at the end of a nonblocking barrier that has ended is the wake.
    """
    if not run_on_devices(session):
        return _core.DeviceCosts()
    job = session.job
    names = [_name(radix) for radix in RADICES]
    woken = session.measure("ibarrier", 0, names[-1:], batches=_BATCHES)[names[-1]].waited_us
    samples = session.measure("barrier", 0, names, batches=_BATCHES)
    return fit_devices([hops_of(job, name) for name in names], [samples[name].completion_us for name in names], woken)


def run_on_devices(session: Session) -> bool:
    """Tell whether network devices run a job's collectives: a barrier is tried, which ends when that is known."""
    if len(session.job.hosts) > 1:
        session.measure("ibarrier", 0, [_name(RADICES[-1])], batches=1)
        return session.has_devices()
    return False


def _name(radix: int) -> str:
    return f"nic:radix={radix},where=card"


def hops_of(job: Job, name: str) -> int:
    """Count the hops between cards on the longest way of a barrier of the job, as predictions do."""
    counting = _core.default_machine()
    costs = _core.DeviceCosts()
    costs.hop = _core.Figure(1, 1, 1)
    counting.device = costs
    where = _core.NodePlaces()
    seconds, *_ = _core.predict(f"barrier={name}", 0, job.ranks, list(job.nodes), counting, where, list(job.leaves))
    return round(seconds)


def fit_devices(
    hops: Sequence[int], times_us: Sequence[Sequence[float]], woken_us: Sequence[float]
) -> _core.DeviceCosts:
    """Fit them to the times of barriers with so many hops, a row of samples each, and to those of a wake.

    Where all trees have as many hops, no time is given to the start.
    """
    middles = np.array([median(row) for row in times_us]) * _US
    waking = median(woken_us) * _US
    if len(set(hops)) > 1:
        line = fit_line(np.array(hops, dtype=np.float64), middles)
        ends, hop = line.base, line.per_byte
    else:
        ends = min(waking, float(np.mean(middles)))
        hop = (float(np.mean(middles)) - ends) / hops[0]
    costs = _core.DeviceCosts()
    spread = _spread([value for row in times_us for value in np.asarray(row) / median(row)])
    costs.wake = _figure(min(waking, ends), _spread([value / max(median(woken_us), 1e-9) for value in woken_us]))
    costs.start = _figure(max(0.0, ends - waking), spread)
    costs.hop = _figure(hop, spread)
    return costs


def _spread(ratios: Sequence[float]) -> tuple[float, float]:
    tenths = quantiles(ratios, n=10, method="inclusive")
    return min(1.0, tenths[0]), max(1.0, tenths[8])


def _figure(value: float, spread: tuple[float, float]) -> _core.Figure:
    return _core.Figure(value, value * spread[0], value * spread[1])
