"""Thalweg makes parallel programs communicate faster on the machine that they really run on."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thalweg.balancing.balance import Balance, TaskCosts, balance, task_cuts
    from thalweg.balancing.balancer import Balancer, Movement
    from thalweg.balancing.library import BalanceError
    from thalweg.machine.machine import Machine
    from thalweg.placement.mapping import Budget, Placement, map_ranks
    from thalweg.placement.pattern import Pattern
    from thalweg.simulation.network import NetworkSimulation, Routers, simulate_network
    from thalweg.simulation.simulate import Simulation, simulate
    from thalweg.stream import FinishRequest, Stream
    from thalweg.stream_library import StreamError, StreamStatistics

__all__ = [
    "Balance",
    "BalanceError",
    "Balancer",
    "Budget",
    "FinishRequest",
    "Machine",
    "Movement",
    "NetworkSimulation",
    "Pattern",
    "Placement",
    "Routers",
    "Simulation",
    "Stream",
    "StreamError",
    "StreamStatistics",
    "TaskCosts",
    "balance",
    "map_ranks",
    "simulate",
    "simulate_network",
    "task_cuts",
]

_MODULES = {
    "Balance": "thalweg.balancing.balance",
    "BalanceError": "thalweg.balancing.library",
    "Balancer": "thalweg.balancing.balancer",
    "Budget": "thalweg.placement.mapping",
    "Machine": "thalweg.machine.machine",
    "Movement": "thalweg.balancing.balancer",
    "NetworkSimulation": "thalweg.simulation.network",
    "Pattern": "thalweg.placement.pattern",
    "Placement": "thalweg.placement.mapping",
    "Routers": "thalweg.simulation.network",
    "Simulation": "thalweg.simulation.simulate",
    "TaskCosts": "thalweg.balancing.balance",
    "balance": "thalweg.balancing.balance",
    "map_ranks": "thalweg.placement.mapping",
    "simulate": "thalweg.simulation.simulate",
    "simulate_network": "thalweg.simulation.network",
    "task_cuts": "thalweg.balancing.balance",
}


# The command starts without numpy, which all of these need.
def __getattr__(name: str) -> Any:
    """Give what programs use."""
    if name in __all__:
        return getattr(importlib.import_module(_MODULES.get(name, "thalweg.stream")), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
