# SPDX-License-Identifier: BSD-3-Clause
"""Thalweg makes parallel programs communicate faster on the machine that they really run on."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thalweg.balancing.balance import Balance, TaskCosts, balance, task_cuts
    from thalweg.balancing.balancer import Balancer, Movement
    from thalweg.balancing.library import BalanceError
    from thalweg.errors import ThalwegError
    from thalweg.machine.machine import Machine
    from thalweg.objects import (
        Array,
        Association,
        Element,
        FenceOutcome,
        Future,
        Inbox,
        ObjectsError,
        Section,
        checkpoint,
        restore,
    )
    from thalweg.placement.advice import Advice, LinkCosts, advise
    from thalweg.placement.files import read_pattern, write_pattern
    from thalweg.placement.library import PlaceError
    from thalweg.placement.mapping import Budget, Placement, Sharing, map_ranks
    from thalweg.placement.pattern import Pattern
    from thalweg.placement.reorder import Reordering, reorder
    from thalweg.report.notebook import Report, read_report
    from thalweg.simulation.network import NetworkSimulation, Routers, simulate_network
    from thalweg.simulation.results import Simulation
    from thalweg.simulation.simulate import simulate
    from thalweg.simulation.streams import simulate_stream
    from thalweg.stream import FinishRequest, Stream
    from thalweg.stream_library import StreamError, StreamStatistics
    from thalweg.teams.library import TeamError
    from thalweg.teams.memory import Signal, SymmetricMemory
    from thalweg.teams.requests import Request, wait_all
    from thalweg.teams.team import ReceivedMessage, Team

_OBJECTS = (
    "Array",
    "Association",
    "Element",
    "FenceOutcome",
    "Future",
    "Inbox",
    "ObjectsError",
    "Section",
    "checkpoint",
    "restore",
)

__all__ = [
    "Advice",
    "Array",
    "Association",
    "Balance",
    "BalanceError",
    "Balancer",
    "Budget",
    "Element",
    "FenceOutcome",
    "FinishRequest",
    "Future",
    "Inbox",
    "LinkCosts",
    "Machine",
    "Movement",
    "NetworkSimulation",
    "ObjectsError",
    "Pattern",
    "PlaceError",
    "Placement",
    "ReceivedMessage",
    "Reordering",
    "Report",
    "Request",
    "Routers",
    "Section",
    "Sharing",
    "Signal",
    "Simulation",
    "Stream",
    "StreamError",
    "StreamStatistics",
    "SymmetricMemory",
    "TaskCosts",
    "Team",
    "TeamError",
    "ThalwegError",
    "advise",
    "balance",
    "checkpoint",
    "map_ranks",
    "read_pattern",
    "read_report",
    "reorder",
    "restore",
    "simulate",
    "simulate_network",
    "simulate_stream",
    "task_cuts",
    "wait_all",
    "write_pattern",
]

_MODULES = {
    **dict.fromkeys(_OBJECTS, "thalweg.objects"),
    "Advice": "thalweg.placement.advice",
    "Balance": "thalweg.balancing.balance",
    "BalanceError": "thalweg.balancing.library",
    "Balancer": "thalweg.balancing.balancer",
    "Budget": "thalweg.placement.mapping",
    "LinkCosts": "thalweg.placement.advice",
    "Machine": "thalweg.machine.machine",
    "Movement": "thalweg.balancing.balancer",
    "NetworkSimulation": "thalweg.simulation.network",
    "Pattern": "thalweg.placement.pattern",
    "PlaceError": "thalweg.placement.library",
    "Placement": "thalweg.placement.mapping",
    "ReceivedMessage": "thalweg.teams.team",
    "Reordering": "thalweg.placement.reorder",
    "Report": "thalweg.report.notebook",
    "Request": "thalweg.teams.requests",
    "Sharing": "thalweg.placement.mapping",
    "Signal": "thalweg.teams.memory",
    "Routers": "thalweg.simulation.network",
    "Simulation": "thalweg.simulation.results",
    "SymmetricMemory": "thalweg.teams.memory",
    "TaskCosts": "thalweg.balancing.balance",
    "Team": "thalweg.teams.team",
    "TeamError": "thalweg.teams.library",
    "ThalwegError": "thalweg.errors",
    "advise": "thalweg.placement.advice",
    "balance": "thalweg.balancing.balance",
    "map_ranks": "thalweg.placement.mapping",
    "read_pattern": "thalweg.placement.files",
    "read_report": "thalweg.report.notebook",
    "reorder": "thalweg.placement.reorder",
    "simulate": "thalweg.simulation.simulate",
    "simulate_stream": "thalweg.simulation.streams",
    "simulate_network": "thalweg.simulation.network",
    "task_cuts": "thalweg.balancing.balance",
    "wait_all": "thalweg.teams.requests",
    "write_pattern": "thalweg.placement.files",
}


# The command starts without numpy, which all of these need.
def __getattr__(name: str) -> Any:
    """Give what programs use."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow, and seldom asked for

        return version("thalweg")
    if name in __all__:
        return getattr(importlib.import_module(_MODULES.get(name, "thalweg.stream")), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """List it too, where nothing has been used yet."""
    return sorted({*globals(), *__all__})
