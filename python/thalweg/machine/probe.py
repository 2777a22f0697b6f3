"""`thalweg probe`: measure what messages, copies and sums cost, and write the machine file."""

import datetime as dt
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import median, quantiles

from thalweg import _core
from thalweg.machine.fit import Costs, Range, fit_costs
from thalweg.trials.session import Job, Session

SIZES = (0, 8, 64, 256, *(1 << power for power in range(9, 21)))
MEMORY_SIZES = (1 << 12, 1 << 15, 1 << 18, 1 << 20, 1 << 22, 1 << 24)
_BURST_BYTES = 2 << 20
_BURST_MOST = 64
_US = 1e-6
STEP_SECONDS = 5e-8


def pairs(job: Job) -> dict[str, tuple[int, int]]:
    """Choose two ranks for each level of the machine that the job has: on a node, and on two."""
    chosen: dict[str, tuple[int, int]] = {}
    for a, b in combinations(range(job.ranks), 2):
        chosen.setdefault("node" if job.nodes[a] == job.nodes[b] else "network", (a, b))
    return chosen


def measure_pair(session: Session, pair: tuple[int, int], show: Callable[[], None]) -> Costs:
    """Measure one pair's messages of all sizes."""
    a, b = pair
    rows: dict[str, list[Sequence[float]]] = {"pingpong": [], "send": [], "receive": [], "burst": []}
    for size in SIZES:
        half = session.probe(f"pingpong {a} {b} {size} {1 if size > 1024 else 10} 21")
        busy_us = 3 * median(half) + 30
        count = max(4, min(_BURST_MOST, _BURST_BYTES // (size + 1)))
        rows["pingpong"].append(half)
        rows["send"].append(session.probe(f"send {a} {b} {size} {busy_us:.0f} 15"))
        rows["receive"].append(session.probe(f"receive {a} {b} {size} {busy_us:.0f} 15"))
        rows["burst"].append(session.probe(f"burst {a} {b} {size} {count} 5"))
        show()
    scaled = {name: [[value * _US for value in samples] for samples in rows[name]] for name in rows}
    return Costs(SIZES, scaled["pingpong"], scaled["send"], scaled["receive"], scaled["burst"])


def steps(job: Job) -> int:
    """Count how often `show` is called during a probe of such a job."""
    return len(pairs(job)) * len(SIZES) + 1


def probe(session: Session, show: Callable[[], None], *, network: str = "") -> tuple[_core.Machine, dict[str, Costs]]:
    """Measure everything in a job; also gives the measurements by level, for plots.

    `network` is the shape of the network, where it is known (_core.Network).
    """
    job = session.job
    fingerprint = _core.Fingerprint(list(job.fingerprint))
    machine = _core.Machine()
    machine.title = fingerprint.describe()
    machine.mpi, machine.transport, machine.cores = fingerprint.mpi, fingerprint.transport, fingerprint.cores
    machine.date = dt.datetime.now(dt.UTC).date().isoformat()
    machine.network = network
    machine.nodes_per_machine = max(1, len(set(job.nodes)) // job.machines)
    measured: dict[str, Costs] = {}
    levels = []
    for name, pair in pairs(job).items():
        measured[name] = measure_pair(session, pair, show)
        levels.append(_level(name, *fit_costs(measured[name], is_network=name == "network")))
    machine.levels = levels
    machine.copy = _rates(session, "copy")
    machine.combine = _rates(session, "combine")
    machine.step = _exactly(STEP_SECONDS)
    machine.switch_core = _switch(session, job, measured, fingerprint.cores)
    show()
    return machine, measured


def _switch(session: Session, job: Job, measured: dict[str, Costs], cores: int) -> _core.Figure:
    """Tell what handing on a core costs.

    Where ranks outnumber cores, a token's hop takes longer than the message by the turns of those who wait for the same
    core and look in vain.
    """
    others = job.ranks / (cores * job.machines) - 1
    if others <= 0:
        return _exactly(0.0)
    hops = [value * _US for value in session.probe("ring 10 21")]
    message = max(median(costs.half_trip[0]) for costs in measured.values())
    low, middle, high = _spread(hops)
    return _core.Figure(*(max(0.0, value - message) / others for value in (middle, low, high)))


def _level(name: str, ranges: Sequence[Range], burst: float) -> _core.LevelCosts:
    level = _core.LevelCosts()
    level.level = getattr(_core.Level, name)
    level.burst_bytes = burst
    rows = []
    for one in ranges:
        cost = _core.MessageCost()
        cost.bytes_max = one.bytes_max
        cost.latency = _figure(one.latency, one)
        cost.send, cost.send_per_byte = _figure(one.send.base, one), _figure(one.send.per_byte, one)
        cost.receive, cost.receive_per_byte = _figure(one.receive.base, one), _figure(one.receive.per_byte, one)
        cost.gap, cost.gap_per_byte = _figure(one.gap.base, one), _figure(one.gap.per_byte, one)
        rows.append(cost)
    level.ranges = rows
    return level


def _rates(session: Session, what: str) -> list[_core.Rate]:
    rates = []
    for size in MEMORY_SIZES:
        samples = [value * _US / size for value in session.probe(f"{what} {size} 15")]
        low, middle, high = _spread(samples)
        rates.append(_core.Rate(size, _core.Figure(middle, low, high)))
    return rates


def _spread(samples: Sequence[float]) -> tuple[float, float, float]:
    tenths = quantiles(samples, n=10, method="inclusive")
    return tenths[0], median(samples), tenths[8]


def _figure(value: float, one: Range) -> _core.Figure:
    low, high = one.spread
    return _core.Figure(value, value * min(1.0, low), value * max(1.0, high))


def _exactly(value: float) -> _core.Figure:
    return _core.Figure(value, value, value)
