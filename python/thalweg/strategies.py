# SPDX-License-Identifier: BSD-3-Clause
"""The index of strategies, schedules and proofs: the Python half of the compiled core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg.errors import INSTALLATION, SETTINGS, ThalwegError

try:
    from thalweg import _core
except ImportError as missing:
    raise ThalwegError(
        INSTALLATION, f"the compiled core of Thalweg cannot be loaded: {missing}", "build it: make build"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thalweg._core import Parameter, Sample, Strategy


def operations() -> list[str]:
    """Name the collective operations."""
    return _core.operations()


def all_strategies(operation: str = "") -> list[Strategy]:
    """List the strategies, of one operation if one is named."""
    if operation and operation not in operations():
        raise ThalwegError(SETTINGS, f"no operation {operation!r}", "choose one of " + ", ".join(operations()))
    return [strategy for strategy in _core.strategies() if operation in ("", strategy.operation)]


def operation_of(call: str) -> str:
    """Name the operation whose strategies run a call: alltoall of alltoallv, reduce_scatter of its form with blocks."""
    forms = ("", "v", "w", "_block")
    return next((name for name in operations() if call.removeprefix(name) in forms and call.startswith(name)), call)


def device_strategies(operation: str) -> set[str]:
    """Name the strategies that network devices can run, of an operation or a call; none of other words."""
    if operation not in operations():
        return set()
    return {strategy.name for strategy in all_strategies(operation) if strategy.offloads}


def check_selection(operation: str, strategy: str, origin: str) -> None:
    """Fail if the index does not know `operation=strategy`; origin names the flag, variable or file that says so."""
    try:
        _core.check_selection(f"{operation}={strategy}")
    except _core.Error as error:
        problem, remedy = error.args
        raise ThalwegError(SETTINGS, f"{origin}: {problem}", remedy) from error


def make_sample(  # noqa: PLR0913 - a problem has that many sides, all but three with a usual value
    operation: str,
    strategy: str,
    ranks: int,
    *,
    root: int = 0,
    ranks_per_node: int = 0,
    unit_bytes: int = 0,
    parameters: Mapping[str, str] | None = None,
    network: str = "",
    places: Sequence[int] = (),
    nodes: Sequence[int] = (),
    leaves: Sequence[int] | None = None,
    degree: float = 0,
) -> Sample:
    """Apply a strategy to a problem; fails with the core's own words if it does not fit.

    `leaves`: the switch of each rank's node, which schedules of network devices follow; None: as the network says.
    `degree`: to how many others a rank has something, where a call's blocks may be empty; 0: to all.
    """
    selection = f"{operation}={strategy}"
    if parameters:
        selection += ":" + ",".join(f"{name}={value}" for name, value in parameters.items())
    try:
        return _core.Sample(
            selection, ranks, root, ranks_per_node, unit_bytes, _core.NodePlaces(network, 0, list(places)),
            list(nodes), leaves, degree,
        )  # fmt: skip
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def prove(strategy: Strategy, ranks: int, *, all_roots: bool) -> tuple[int, list[str]]:
    """Prove a strategy for a number of ranks: how many problems, and what is wrong. May run in many threads at once."""
    return _core.prove(strategy, ranks, all_roots)


def calls() -> list[str]:
    """Name what a strategy can be selected for: MPI's calls, alltoallv beside alltoall."""
    return _core.calls()


def value_text(parameter: Parameter, value: int) -> str:
    """Write a parameter's value as it is given in a selection: 64KiB, 7, folding."""
    return _core.value_text(parameter, value)
