# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg machine probe` does and prints: what the machine is, its parameters, and a plot of them."""

import os
from collections.abc import Callable, Sequence
from math import exp, inf, log
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from thalweg import _core
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.lab.hosts import hosts_of_lab, network_of_lab
from thalweg.machine import files
from thalweg.machine.distances import described_distances
from thalweg.machine.find_network import bursts_of, find_network
from thalweg.machine.find_resources import BYTES_MIN, cores_of, find_resources, known_groups, set_bursts_of
from thalweg.machine.fit import OUTLIER_TIMES
from thalweg.machine.noise import described_noise, file_text, measured_noise
from thalweg.machine.page import machine_page
from thalweg.machine.parts import describe, describe_ranks, find_parts
from thalweg.machine.probe import probe, steps
from thalweg.machine.probed import probed_data
from thalweg.machine.probed_figure import draw, single
from thalweg.machine.resource_files import described, text_of
from thalweg.machine.slopes import described_slopes
from thalweg.pages.writing import write_page
from thalweg.terminal import output_console, print_next
from thalweg.trials.session import Job, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import count_text, rate_text, size_text, time_text, times_text

DOUBTFUL_PART = 0.05
_RANKS_SHOWN = 16
_PERCENT_MAX = 999
_ODDS_MAX = 1_000_000


def probe_machine(
    launcher: Sequence[str],
    *,
    ranks: int,
    mpi: str,
    lab: str,
    network: str,
    node_list: str,
    finds_network: bool,
    finds_resources: bool,
    resource_bytes: int,
    noise_seconds: float,
    output: str,
    plot: str,
    html: str,
) -> dict[str, Any]:
    """Probe, print, write the machine file, and give the figures; texts are empty where nothing is named.

    Raises ThalwegError where the job cannot be started, or a file cannot be read or written.
    """
    if finds_resources and resource_bytes < BYTES_MIN:
        message = f"messages of {size_text(resource_bytes)} do not show what cores share"
        raise ThalwegError(USAGE, message, f"measure with {size_text(BYTES_MIN)} or more: --resource-bytes 256KiB")
    console = output_console()
    with Session(start_words(launcher, ranks, trial_program(mpi, os.environ)), lab=lab) as session:
        _print_job(console, session.job)
        if finds_resources:
            cores_of(session.job)  # refused before the probe rather than behind it
        name, hosts = (
            searched_network(console, session) if finds_network else known_network(network, node_list, lab, session.job)
        )
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("probing", total=steps(session.job))
            machine, measured = probe(session, lambda: progress.advance(task), name, hosts)
        path = Path(output) if output else files.file_of(session.job.fingerprint, os.environ)
        if finds_resources:
            search_resources(console, session, resource_bytes, path.with_suffix(".resources"))
        if noise_seconds > 0:
            look_for_noise(console, session, noise_seconds, path.with_suffix(".noise"))
    machine.network, machine.nodes = name, hosts
    files.save(machine, path)
    for level in machine.levels:
        _print_level(console, level)
    _print_memory(console, machine)
    for line in (*described_distances(machine.distances), *described_slopes(machine)):
        console.print(line)
    console.print(f"written to {path}")
    if plot:
        draw(machine, measured, plot)
        console.print(f"drawn in {plot}")
    if html:
        console.print(write_page(machine_page(machine, measured, str(path), single), html), soft_wrap=True)
    if not output:
        print_next(f"thalweg tune -n {session.job.ranks}" + (f" --lab {lab}" if lab else ""))
    return probed_data(machine, session.job, str(path))


def searched_network(console: Console, session: Session) -> tuple[str, list[tuple[str, int]]]:
    """Find the network by measurement, and print how sure that is; nothing where it is not."""
    with console.status("looking for the network") as status:
        found = find_network(session.job, bursts_of(session), status.update)
    best = found.fits[0]
    console.print(f"network: {best.network}, which explains {best.explained:.1%} of {found.measurements} measurements")
    for other, odds in zip(found.fits[1:4], found.odds, strict=False):
        console.print(f"  rather than {other.network} ({other.explained:.1%}): {_odds_text(odds)}")
    console.print("hosts: " + files.nodes_text(sorted(found.places, key=lambda host: host[1])))
    if found.sure:
        return best.network, found.places
    console.print("that is not sure, so the machine file does not name the network; --network does where it is known")
    return "", []


def search_resources(console: Console, session: Session, message_bytes: int, path: Path) -> None:
    """Find what the cores share, print it, and write it beside the machine file if it is sure."""
    cores, places = cores_of(session.job), session.job.places
    with console.status("looking for what cores share") as status:
        found = find_resources(cores, set_bursts_of(session, message_bytes), status.update, known_groups(session.job))
    for line in described(found):
        console.print(line)
    if found.sure:
        files.write_text(text_of(found, [min(place.processors) for place in places]), path)
        console.print(f"written to {path}: thalweg place map takes it as --machine resources:{path}")


def look_for_noise(console: Console, session: Session, seconds: float, path: Path) -> None:
    """Find what takes the ranks' cores away, print it, and write it beside the machine file."""
    with console.status("looking at the ranks' cores"):
        found = measured_noise(session, seconds)
    for rank, one in enumerate(found):
        console.print(f"noise of rank {rank}: {described_noise(one)}")
    files.write_text(file_text(found), path)
    console.print(f"written to {path}: thalweg simulate takes it as --noise {path}")


def _odds_text(logarithm: float) -> str:
    if logarithm > log(_ODDS_MAX):
        return f"more than {_ODDS_MAX:,} to 1"
    return f"{exp(logarithm):,.3g} to 1"


def known_network(network: str, node_list: str, lab: str, job: Job) -> tuple[str, list[tuple[str, int]]]:
    """Say what the network is and where hosts are in it, as far as it was told or is a lab's."""
    network = network or network_of_lab(lab)
    if node_list and not network:
        raise ThalwegError(USAGE, f"where are the hosts of {node_list}?", "say on which network: --network torus:4x4")
    if not network:
        return "", []
    hosts = hosts_of_lab(lab)
    try:
        interconnect = _core.Interconnect(network, len(hosts) or len(job.hosts))
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if node_list:
        hosts = files.read_node_list(node_list, interconnect)
    places = dict(hosts)
    for host in job.hosts if node_list else []:
        if not any(_core.is_same_host(host, name) for name in places):
            raise ThalwegError(SETTINGS, f"host {host} has no place in {node_list}", "add a line for it")
    return network, hosts


def _print_job(console: Console, job: Job) -> None:
    parts = find_parts()
    fingerprint = _core.Fingerprint(list(job.fingerprint))
    console.print(
        f"job: {count_text(job.ranks, 'rank')} on {count_text(len(set(job.nodes)), 'node')} ({job.machines} booted)"
    )
    console.print(f"node: {parts if isinstance(parts, str) else describe(parts)}; {fingerprint.processor}")
    console.print(
        f"      {fingerprint.cores} cores may be used (limit {fingerprint.quota}), Linux {fingerprint.kernel}"
    )
    console.print(f"MPI: {fingerprint.mpi}, transport {fingerprint.transport}")
    for line in describe_ranks(job.nodes, job.places, {} if isinstance(parts, str) else parts.core_of, _RANKS_SHOWN):
        console.print(line)


def _print_level(console: Console, level: _core.LevelCosts) -> None:
    """Print a level's parameters, a row each, a column for each range of sizes."""
    name = str(level.level).rpartition(".")[2].replace("_", " ")
    burst = f", bursts of {size_text(int(level.burst_bytes))} free" if level.burst_bytes else ""
    sizes = ["any" if cost.bytes_max > 1 << 60 else size_text(cost.bytes_max) for cost in level.ranges]
    headings = [f"up to {size}" for size in sizes]
    table = Table("", *headings, title=f"{name}{burst}", box=None, title_justify="left", padding=(0, 2, 0, 0))
    rows: list[tuple[str, str, Callable[[float], str]]] = [
        ("latency L", "latency", time_text),
        ("send o", "send", time_text),
        ("  per byte", "send_per_byte", rate_text),
        ("receive o", "receive", time_text),
        ("  per byte", "receive_per_byte", rate_text),
        ("both, by overlap", "overlapped", time_text),
        ("  per byte", "overlapped_per_byte", rate_text),
        ("gap g", "gap", time_text),
        ("link G", "gap_per_byte", rate_text),
        ("unexpected, more", "unexpected", time_text),
        ("  per byte", "unexpected_per_byte", rate_text),
        ("both ways", "two_way", times_text),
        ("one message, both ways", "trip_two_way", times_text),
        *(_of_all_pairs(level.pairs) if level.pairs > 1 else []),
    ]
    for heading, field, text in rows:
        table.add_row(heading, *[_figure_text(getattr(cost, field), text) for cost in level.ranges])
    console.print(table)
    worst = f", the worst {times_text(level.worst)} the median" if level.outliers else ""
    console.print(f"outliers: {level.outliers} of {level.samples} samples over {OUTLIER_TIMES} times the median{worst}")
    if level.outliers > DOUBTFUL_PART * level.samples:
        console.print("so many say that the machine had other work: measure again when it is idle")


def _of_all_pairs(pairs: int) -> list[tuple[str, str, Callable[[float], str]]]:
    """Give the rows of what pairs of ranks took that sent at once."""
    return [
        (f"{pairs} pairs at once", "shared", times_text),
        ("  one message", "trip_shared", times_text),
        ("  both ways", "trip_shared_two_way", times_text),
        ("  both, by overlap", "overlapped_shared", time_text),
        ("    per byte", "overlapped_shared_per_byte", rate_text),
    ]


def _figure_text(figure: _core.Figure, text: Callable[[float], str]) -> str:
    """Write a figure with its spread in percent of it: 1.2 us -5% +30%."""
    if figure.value <= 0 or figure.low == figure.value == figure.high:
        return text(figure.value)
    low, high = (100 * (end / figure.value - 1) for end in (figure.low, figure.high))
    if text is rate_text:
        low, high = (100 * (figure.value / end - 1) if end else inf for end in (figure.high, figure.low))
    return f"{text(figure.value)} {_percent(low)} {_percent(high)}"


def _percent(part: float) -> str:
    return f"{part:+.0f}%" if part < _PERCENT_MAX else f">+{_PERCENT_MAX}%"


def _print_memory(console: Console, machine: _core.Machine) -> None:
    table = Table("working set up to", "copy", "combine", box=None)
    for copied, combined in zip(machine.copy, machine.combine, strict=True):
        table.add_row(size_text(copied.bytes_max), rate_text(copied.per_byte.value), rate_text(combined.per_byte.value))
    console.print(table)
    if machine.switch_core.value:
        console.print(f"handing a core to another rank: {time_text(machine.switch_core.value)}")
    if machine.device.is_known:
        device = machine.device
        parts = (("a rank's start", device.start), ("a hop", device.hop), ("a rank's wake", device.wake))
        shown = ", ".join(f"{what} {_figure_text(figure, time_text)}" for what, figure in parts)
        console.print(f"collectives on network devices: {shown}")
