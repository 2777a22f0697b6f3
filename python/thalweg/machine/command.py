"""What `thalweg probe` does and prints: what the machine is, its parameters, and a plot of them."""

import os
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from thalweg import _core
from thalweg.lab.hosts import network_of_lab
from thalweg.machine import files
from thalweg.machine.fit import Costs
from thalweg.machine.parts import describe_parts
from thalweg.machine.probe import probe, steps
from thalweg.plots import new_figure
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import Job, Session, start_words
from thalweg.units import rate_text, size_text, time_text


class Request(NamedTuple):
    """What to probe, and where the results go."""

    mpi: str
    ranks: int
    launcher: list[str]
    lab: str
    network: str
    output: str
    plot: str


def main(request: Request) -> None:
    """Probe, print, and write the machine file."""
    console = Console(soft_wrap=True, highlight=False)
    for line in describe_parts():
        console.print(line)
    words = start_words(request.launcher, request.ranks, trial_program(request.mpi, os.environ))
    with Session(words, lab=request.lab) as session:
        _print_job(console, session.job)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("probing", total=steps(session.job))
            network = request.network or network_of_lab(request.lab)
            machine, measured = probe(session, lambda: progress.advance(task), network=network)
        path = Path(request.output) if request.output else files.file_of(session.job.fingerprint, os.environ)
    files.save(machine, path)
    for level in machine.levels:
        _print_level(console, level)
    _print_memory(console, machine)
    console.print(f"written to {path}")
    if request.plot:
        draw(machine, measured, request.plot)
        console.print(f"drawn in {request.plot}")


def _print_job(console: Console, job: Job) -> None:
    console.print(f"job: {_core.Fingerprint(list(job.fingerprint)).describe()}")
    places = ", ".join(f"{rank}: node {node}" for rank, node in enumerate(job.nodes[:16]))
    console.print(f"ranks: {places}{' …' if job.ranks > len(job.nodes[:16]) else ''}")


def _print_level(console: Console, level: _core.LevelCosts) -> None:
    name = str(level.level).rpartition(".")[2].replace("_", " ")
    burst = f", bursts of {size_text(int(level.burst_bytes))} free" if level.burst_bytes else ""
    table = Table(
        "up to", "latency L", "send o", "receive o", "link G", title=f"{name}{burst}", box=None, title_justify="left"
    )
    for cost in level.ranges:
        table.add_row(
            "any" if cost.bytes_max > 1 << 60 else size_text(cost.bytes_max),
            time_text(cost.latency.value),
            f"{time_text(cost.send.value)} + {rate_text(cost.send_per_byte.value)}",
            f"{time_text(cost.receive.value)} + {rate_text(cost.receive_per_byte.value)}",
            rate_text(cost.gap_per_byte.value),
        )
    console.print(table)


def _print_memory(console: Console, machine: _core.Machine) -> None:
    table = Table("working set up to", "copy", "combine", box=None)
    for copied, combined in zip(machine.copy, machine.combine, strict=True):
        table.add_row(size_text(copied.bytes_max), rate_text(copied.per_byte.value), rate_text(combined.per_byte.value))
    console.print(table)
    if machine.switch_core.value:
        console.print(f"handing a core to another rank: {time_text(machine.switch_core.value)}")


def draw(machine: _core.Machine, measured: dict[str, Costs], path: str) -> None:
    """Draw measured points and fitted lines, time over size, both logarithmic, for each level."""
    figure = new_figure(6 * len(measured), 5)
    for index, (name, costs) in enumerate(measured.items()):
        axes = figure.add_subplot(1, len(measured), index + 1)
        level = next(level for level in machine.levels if level.level == getattr(_core.Level, name))
        sizes = [max(size, 1) for size in costs.sizes]
        for label, rows in (("half round trip", costs.half_trip), ("send", costs.send), ("receive", costs.receive)):
            axes.loglog(sizes, [median(row) * 1e6 for row in rows], "o", markersize=4, label=f"{label}, measured")
        axes.loglog(
            sizes,
            [_single(level, size) * 1e6 for size in costs.sizes],
            "-",
            color="0.3",
            label="half round trip, fitted",
        )
        axes.set(title=name, xlabel="bytes", ylabel="microseconds")
        axes.legend()
    figure.savefig(path)


def _single(level: _core.LevelCosts, size: int) -> float:
    """Give the fitted time of one message, sent after a pause."""
    cost = next((cost for cost in level.ranges if size <= cost.bytes_max), level.ranges[-1])
    overheads = cost.send.value + cost.receive.value + (cost.send_per_byte.value + cost.receive_per_byte.value) * size
    return overheads + cost.latency.value + cost.gap_per_byte.value * max(0.0, size - level.burst_bytes)
