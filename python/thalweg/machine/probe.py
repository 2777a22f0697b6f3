# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine probe`: measure what messages, copies and sums cost, and write the machine file."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import median, quantiles

from thalweg import _core
from thalweg.machine.distances import Distance, Pair, classes_of, look, pairs_of, processors_of
from thalweg.machine.fit import BY_SIZE, Costs, Range, Spread, find_outliers, fit_costs
from thalweg.machine.parts import describe_node
from thalweg.machine.probe_devices import measure_devices
from thalweg.machine.slopes import measure_hops, measure_posted, pairs_by_hops, put_slopes
from thalweg.trials.places import NOWHERE
from thalweg.trials.session import Job, Session

SIZES = (0, 8, 64, 256, *(1 << power for power in range(9, 21)))
MEMORY_SIZES = (1 << 12, 1 << 15, 1 << 18, 1 << 20, 1 << 22, 1 << 24)
_BURST_BYTES = 2 << 20
_BURST_MAX = 64
_US = 1e-6
STEP_SECONDS = 5e-8
FEW_BYTES = 1024
"""Up to here several messages make a sample."""
LEVELS = ("core_complex", "socket", "node", "network")
PAIRS_MAX = 32


def level_of(job: Job, a: int, b: int) -> str:
    """Tell how far apart two ranks are, by the nearest part of the machine that both stay on."""
    if job.nodes[a] != job.nodes[b]:
        return "network"
    one, other = job.places[a], job.places[b]
    if one.core_complex == other.core_complex != NOWHERE:
        return "core_complex"
    return "socket" if one.socket == other.socket != NOWHERE else "node"


def pairs(job: Job, cores: int) -> dict[str, list[Pair]]:
    """Choose pairs of ranks for each level of the machine that the job has, nearest first, to be measured at once.

    The first of a level is measured alone too. Pairs share no rank, and ranks that stay on one processor no processor,
    where that can be. All are on the same node, or between the same two nodes, so that they share a link. There are no
    more than the node's `cores` bear, but two.
    """
    chosen: dict[str, list[Pair]] = {name: [] for name in LEVELS}
    used: dict[str, set[int]] = {name: set() for name in LEVELS}
    limit = min(PAIRS_MAX, max(2, cores // 2))
    for a, b in sorted(combinations(range(job.ranks), 2), key=lambda pair: _shares_processor(job, pair)):
        name = level_of(job, a, b)
        found = chosen[name]
        nodes = {job.nodes[rank] for rank in found[0]} if found else set()
        is_beside = not found or {job.nodes[a], job.nodes[b]} == nodes
        if len(found) < limit and is_beside and not used[name] & {a, b}:
            found.append((a, b))
            used[name] |= {a, b}
    return {name: found for name, found in chosen.items() if found}


def _shares_processor(job: Job, pair: Pair) -> bool:
    one, other = (job.places[rank].processors for rank in pair)
    return job.nodes[pair[0]] == job.nodes[pair[1]] and len(one) == 1 and one == other


def measure_pairs(session: Session, chosen: Sequence[Pair], show: Callable[[], None]) -> Costs:
    """Measure the first pair's messages of all sizes, and bursts of all pairs at once."""
    alone = " ".join(map(str, chosen[0]))
    together = " ".join(str(rank) for pair in chosen for rank in pair)
    rows: dict[str, list[Sequence[float]]] = {name: [] for name in BY_SIZE}
    for size in SIZES:
        half = session.probe(f"pingpong {size} {1 if size > FEW_BYTES else 10} 21 {alone}")
        busy_us = f"{3 * median(half) + 30:.0f}"
        count = max(4, min(_BURST_MAX, _BURST_BYTES // (size + 1)))
        rows["half_trip"].append(half)
        rows["send"].append(session.probe(f"send {size} {busy_us} 15 {alone}"))
        rows["receive"].append(session.probe(f"receive {size} {busy_us} 15 {alone}"))
        rows["burst"].append(session.probe(f"burst {size} {count} 7 {alone}"))
        rows["exchange"].append(session.probe(f"exchange {size} {count} 7 {alone}"))
        rows["unexpected"].append(session.probe(f"unexpected {size} {1 if size > FEW_BYTES else 10} 11 {alone}"))
        rows["overlap"].append(session.probe(f"overlap {size} {busy_us} 11 {alone}"))
        few = 1 if size > FEW_BYTES else 4
        rows["two_way_trip"].append(session.probe(f"crossing {size} {few} 15 {alone}"))
        if len(chosen) > 1:
            rows["shared"].append(session.probe(f"burst {size} {count} 7 {together}"))
            rows["shared_trip"].append(session.probe(f"pingpong {size} {few} 9 {together}"))
            rows["shared_two_way_trip"].append(session.probe(f"crossing {size} {few} 9 {together}"))
            rows["shared_overlap"].append(session.probe(f"overlap {size} {busy_us} 7 {together}"))
        show()
    scaled = {name: [[value * _US for value in samples] for samples in rows[name]] for name in rows}
    return Costs(sizes=SIZES, pairs=len(chosen), posted=measure_posted(session, chosen[0]), **scaled)


def steps(job: Job) -> int:
    """Count how often `show` is called during a probe of such a job."""
    return len(pairs(job, _core.Fingerprint(list(job.fingerprint)).cores)) * len(SIZES) + 1


def probe(
    session: Session, show: Callable[[], None], network: str = "", hosts: Sequence[tuple[str, int]] = ()
) -> tuple[_core.Machine, dict[str, Costs]]:
    """Measure everything in a job; also gives the measurements by level, for plots.

    `network` and its `hosts`, with their places, tell which nodes are how far apart, where that is known.
    """
    job = session.job
    fingerprint = _core.Fingerprint(list(job.fingerprint))
    machine = _core.Machine()
    machine.title = fingerprint.describe()
    machine.parts = describe_node()
    machine.mpi, machine.transport, machine.cores = fingerprint.mpi, fingerprint.transport, fingerprint.cores
    machine.date = dt.datetime.now(dt.timezone.utc).date().isoformat()
    machine.nodes_per_machine = max(1, len(set(job.nodes)) // job.machines)
    measured: dict[str, Costs] = {}
    levels = []
    cores = pairs_of(processors_of(session))
    looks = [look(session, cores)]
    for name, chosen in pairs(job, fingerprint.cores).items():
        measured[name] = measure_pairs(session, chosen, show)
        looks.append(look(session, cores))
        levels.append(_level(name, measured[name], _round_trip(job, chosen[0], looks[-2:])))
        far = pairs_by_hops(job, network, hosts) if name == "network" else {}
        put_slopes(levels[-1], measured[name].posted, measure_hops(session, far, chosen[0]))
    machine.distances = classes_of(looks)
    machine.levels = levels
    machine.copy = _rates(session, "copy")
    machine.combine = _rates(session, "combine")
    machine.step = _exactly(STEP_SECONDS)
    machine.switch_core = _switch(session, job, measured, fingerprint.cores)
    machine.device = measure_devices(session)
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


def _round_trip(job: Job, pair: Pair, looks: Sequence[Mapping[Pair, Distance]]) -> _core.Figure:
    """Tell what a line took between the cores of two ranks in the looks around their measurement; 0: not known."""
    cores = [job.places[rank].processors for rank in pair]
    if job.nodes[pair[0]] != job.nodes[pair[1]] or any(len(one) != 1 for one in cores):
        return _exactly(0.0)
    one, other = sorted(core for own in cores for core in own)
    known = [seen[one, other].round_trip for seen in looks if (one, other) in seen]
    if not known or not _core.is_same_distance(min(known), max(known)):
        return _exactly(0.0)  # the messages in between went at two distances
    return _core.Figure(median(known), min(known), max(known))


def _level(name: str, costs: Costs, round_trip: _core.Figure) -> _core.LevelCosts:
    ranges, burst_bytes = fit_costs(costs, is_network=name == "network")
    level = _core.LevelCosts()
    level.level = getattr(_core.Level, name)
    level.burst_bytes = burst_bytes
    level.round_trip = round_trip
    level.pairs = costs.pairs
    level.samples, level.outliers, level.worst = find_outliers(costs)
    level.ranges = [_cost(one) for one in ranges]
    return level


def _cost(one: Range) -> _core.MessageCost:
    cost = _core.MessageCost()
    cost.bytes_max = one.bytes_max
    cost.latency = _figure(one.latency, one.spreads["half_trip"])
    for name, line, spread in (
        ("send", one.send, one.spreads["send"]),
        ("receive", one.receive, one.spreads["receive"]),
        ("gap", one.gap, one.spreads["burst"]),
        ("unexpected", one.unexpected, one.spreads["unexpected"]),
        ("overlapped", one.overlapped, one.spreads["overlap"]),
        ("overlapped_shared", one.overlapped_shared, one.spreads["shared_overlap"]),
    ):
        setattr(cost, name, _figure(line.base, spread))
        setattr(cost, f"{name}_per_byte", _figure(line.per_byte, spread))
    cost.two_way = _core.Figure(*one.two_way)
    for name in ("shared", "trip_two_way", "trip_shared", "trip_shared_two_way"):
        setattr(cost, name, _core.Figure(*getattr(one, name)))
    return cost


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


def _figure(value: float, spread: Spread) -> _core.Figure:
    return _core.Figure(value, value * min(1.0, spread.low), value * max(1.0, spread.high))


def _exactly(value: float) -> _core.Figure:
    return _core.Figure(value, value, value)
