"""`thalweg simulate`: simulates a strategy or a program, and says how long it takes and why."""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from thalweg.errors import USAGE, ThalwegError
from thalweg.simulation.picture import draw_timeline
from thalweg.simulation.simulate import EXPLAINED_MAX, TICKS, Simulation, simulate
from thalweg.units import size_text, time_text

SHOWN_RANKS = 5


class Request(NamedTuple):
    """What the command line says; empty texts where it does not."""

    operation: str
    strategy: str
    goal: str
    ranks: int | None
    unit_bytes: int
    root: int
    parameters: dict[str, str]
    ranks_per_node: int
    machine: str
    loggops: str
    level: str
    ties: str
    plot: str


def run(request: Request, *, as_json: bool) -> None:
    """Answer, as a text or as JSON."""
    _check(request)
    begin = time.perf_counter()
    console = Console(stderr=True)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("writing the program")
        found = simulate(
            request.operation,
            request.strategy,
            request.ranks or 0,
            request.unit_bytes,
            goal=request.goal,
            root=request.root,
            ranks_per_node=request.ranks_per_node,
            parameters=request.parameters,
            machine=request.machine or None,
            loggops=request.loggops,
            level=request.level,
            ties=request.ties,
            timeline=bool(request.plot),
            progress=lambda events: progress.update(task, description=f"{events / 1e6:.0f} million events"),
        )
    seconds = time.perf_counter() - begin
    if request.plot:
        draw_timeline(found, request.plot)
    if as_json:
        print(json.dumps(as_data(request, found, seconds)))
    else:
        _print(request, found, seconds)


def _check(request: Request) -> None:
    if request.goal and request.operation:
        raise ThalwegError(USAGE, "thalweg simulate: both a strategy and --goal", "leave one out")
    if not request.goal and not (request.operation and request.strategy and request.ranks):
        raise ThalwegError(
            USAGE,
            "thalweg simulate: nothing to simulate",
            "name an operation, a strategy and --ranks, or a program with --goal",
        )


def _subject(request: Request) -> str:
    if request.goal:
        return request.goal
    return f"{request.operation} {request.strategy}, units of {size_text(request.unit_bytes)}"


def as_data(request: Request, found: Simulation, wall_seconds: float) -> dict[str, Any]:
    """Write an answer as plain data; times of the simulated program in nanoseconds."""
    return {
        "subject": _subject(request),
        "level": found.level,
        "machine": request.machine,
        "loggops": "" if request.machine else request.loggops,
        "ranks": found.ranks,
        "finish_ns": found.finish,
        "last_rank": found.last_rank,
        "why_ns": found.why,
        "path_ranks": [{"rank": rank, "ns": ticks} for rank, ticks in found.ranks_on_path()],
        "ends_ns": {"min": int(found.ends.min()), "median": float(np.median(found.ends)), "max": found.finish},
        "waiting": _waiting(found),
        "operations": found.operations,
        "messages": found.messages,
        "events": found.events,
        "patterns": found.patterns,
        "folded": found.folded,
        "fingerprint": f"{found.fingerprint:016x}",
        "wall_seconds": wall_seconds,
    }


def _waiting(found: Simulation) -> float:
    """Give the part of all ranks' time until the finish in which their processors had nothing to do."""
    return 1 - float(found.busy.sum()) / max(found.finish * found.ranks, 1)


def _print(request: Request, found: Simulation, wall_seconds: float) -> None:
    costs = request.machine or f"LogGOPS {request.loggops}"
    print(f"{_subject(request)} on {found.ranks} ranks, level {found.level}, {costs}\n")
    print(f"  {time_text(found.seconds)} ({found.finish} ns); rank {found.last_rank} is the last")
    print(f"  the ranks' processors wait for {_waiting(found):.1%} of that time")
    if found.folded:
        print(f"  one rank was simulated for all: the {found.folded} that were looked at are alike")
    if found.why:
        print("\nwhy this time: the critical path, by kind of cost")
        for kind, ticks in sorted(found.why.items(), key=lambda entry: -entry[1]):
            if ticks:
                print(f"  {kind:<9} {time_text(ticks / TICKS):>9} {ticks / max(found.finish, 1):>6.1%}")
        on_path = found.ranks_on_path()
        if not found.folded:
            shown = ", ".join(f"{rank} ({time_text(ticks / TICKS)})" for rank, ticks in on_path[:SHOWN_RANKS])
            print(f"  through {len(on_path)} ranks: {shown}{', …' if len(on_path) > SHOWN_RANKS else ''}")
    else:
        print(f"\nwith more than {EXPLAINED_MAX} operations there is no critical path")
    print(f"\n{found.events} events, {found.messages} messages, {wall_seconds:.2g} s")
