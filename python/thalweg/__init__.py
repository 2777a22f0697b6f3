"""Thalweg makes parallel programs communicate faster on the machine that they really run on."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thalweg.balancing.allocation import Allocation
    from thalweg.balancing.balance import Balance, TaskCosts, balance, task_cuts
    from thalweg.placement.mapping import Budget, Placement, map_ranks
    from thalweg.placement.pattern import Pattern
    from thalweg.stream import FinishRequest, Stream
    from thalweg.stream_library import StreamError, StreamStatistics

__all__ = [
    "Allocation",
    "Balance",
    "Budget",
    "FinishRequest",
    "Pattern",
    "Placement",
    "Stream",
    "StreamError",
    "StreamStatistics",
    "TaskCosts",
    "balance",
    "map_ranks",
    "task_cuts",
]

_MODULES = {
    "Allocation": "thalweg.balancing.allocation",
    "Balance": "thalweg.balancing.balance",
    "Budget": "thalweg.placement.mapping",
    "Pattern": "thalweg.placement.pattern",
    "Placement": "thalweg.placement.mapping",
    "TaskCosts": "thalweg.balancing.balance",
    "balance": "thalweg.balancing.balance",
    "map_ranks": "thalweg.placement.mapping",
    "task_cuts": "thalweg.balancing.balance",
}


# The command starts without numpy, which all of these need.
def __getattr__(name: str) -> Any:
    """Give what programs use."""
    if name in __all__:
        return getattr(importlib.import_module(_MODULES.get(name, "thalweg.stream")), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
