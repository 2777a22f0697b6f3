# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg.reorder`: the ranks of a running job, numbered so that those that send each other much are near.

    ring = thalweg.reorder(MPI.COMM_WORLD, {left: 8e6, right: 8e6})

What it promises is in docs/placing.md.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from thalweg import structures
from thalweg.placement.library import PlaceError, PlaceLibrary, library_of

_WEIGHT = np.dtype([("rank", np.intc), ("bytes", np.float64), ("phase", np.intc)], align=True)


class Reordering(NamedTuple):
    """What was found, the same on all ranks: see thalweg_reordering in include/thalweg/place.h."""

    is_renumbered: bool
    hops_per_byte: float
    hops_per_byte_before: float
    link_bytes: float
    link_bytes_before: float
    reason: str


@overload
def reorder(
    comm: Any,
    weights: Any,
    *,
    objective: str = ...,
    seconds: float = ...,
    gain: float = ...,
    network: str = ...,
    node_list: str = ...,
    report: Literal[False] = ...,
) -> Any: ...
@overload
def reorder(
    comm: Any,
    weights: Any,
    *,
    objective: str = ...,
    seconds: float = ...,
    gain: float = ...,
    network: str = ...,
    node_list: str = ...,
    report: Literal[True],
) -> tuple[Any, Reordering]: ...
def reorder(  # noqa: PLR0913 (options have names)
    comm: Any,
    weights: Any,
    *,
    objective: str = "",
    seconds: float = 0.05,
    gain: float = 0.2,
    network: str = "",
    node_list: str = "",
    report: bool = False,
) -> Any:
    """Give a new communicator of the same ranks, in which rank r is best to do what rank r has said. Collective.

    weights    bytes from this rank to others, in one of these forms:
               a dictionary by rank;
               a row of shape (ranks,), or a sparse row of shape (1, ranks);
               a matrix of shape (ranks, ranks) or a Pattern, of which this rank's row counts, and each phase by itself
    objective  hop-bytes, link, contention or time, or a mixture: "hop-bytes:1,contention:1", which is usual
    seconds    that the first rank searches
    gain       ranks are renumbered if at least this part of the objective is predicted to be saved
    network    the shape of what lies between the nodes, as "torus:4x2"; by default the machine file's
    node_list  a file with the places of hosts in it; by default THALWEG_NODE_LIST, or the machine file's
    report     give what was found too, as a second result

    What one rank gives wrong raises PlaceError on all of them. Free the communicator with its method Free.
    """
    library = library_of(comm)
    wrong: Exception | None = None
    rows = np.empty(0, _WEIGHT)
    options = structures.ReorderOptions(None, math.nan)  # which fails on all ranks
    try:
        rows = weight_rows(weights, comm.Get_rank(), comm.Get_size())
        aim, shape, file = (text.encode() or None for text in (objective, network, node_list))
        options = structures.ReorderOptions(aim, seconds, gain, shape, file)
    except (AttributeError, TypeError, ValueError, OverflowError, PlaceError) as failed:
        wrong = failed
    reordered, found = _reordered(library, comm, rows, options, wrong)
    return (reordered, found) if report else reordered


def _reordered(
    library: PlaceLibrary,
    comm: Any,
    rows: np.ndarray[Any, Any],
    options: structures.ReorderOptions,
    wrong: Exception | None,
) -> tuple[Any, Reordering]:
    """Call the library; `wrong` is what this rank has given wrong, which comes before what the library says of it."""
    given = library.handle_of(comm)
    made = type(given)()
    found = structures.Reordering()
    weights = rows.ctypes.data_as(ctypes.POINTER(structures.Weight))
    status = library.status_of(
        "reorder", given, weights, len(rows), ctypes.byref(options), ctypes.byref(made), ctypes.byref(found)
    )
    if status and wrong is not None:
        raise wrong
    library.check(status)
    outcome = Reordering(
        bool(found.is_renumbered),
        found.hops_per_byte,
        found.hops_per_byte_before,
        found.link_bytes,
        found.link_bytes_before,
        found.reason.decode(errors="replace"),
    )
    return library.communicator_of(made), outcome


def weight_rows(weights: Any, rank: int, ranks: int) -> np.ndarray[Any, Any]:
    """Write what this rank sends as thalweg_weight; forms are known by what they can do, so none needs scipy."""
    if hasattr(weights, "phases") and hasattr(weights, "tasks"):
        if weights.tasks != ranks:
            raise _refused(f"a pattern of {weights.tasks} ranks", ranks)
        parts = []
        for number, phase in enumerate(weights.phases):
            own = phase.senders == rank
            parts.append(_written(phase.receivers[own], phase.repeats * phase.bytes[own], number))
        return np.concatenate([np.empty(0, _WEIGHT), *parts])
    if isinstance(weights, Mapping):
        return _written(np.array(list(weights.keys()), np.int64), np.array(list(weights.values()), np.float64), 0)
    if hasattr(weights, "tocoo"):
        matrix = weights.tocoo()
        if matrix.shape not in {(ranks, ranks), (1, ranks)}:
            raise _refused(f"weights of shape {matrix.shape}", ranks)
        own = matrix.row == (rank if matrix.shape[0] == ranks else 0)
        return _written(matrix.col[own], matrix.data[own], 0)
    row = np.asarray(weights, dtype=np.float64)
    if row.shape not in {(ranks, ranks), (1, ranks), (ranks,)}:
        raise _refused(f"weights of shape {row.shape}", ranks)
    row = row[rank] if row.shape == (ranks, ranks) else row.ravel()
    (entries,) = np.nonzero(row)
    return _written(entries, row[entries], 0)


def _written(to: Any, size: Any, phase: int) -> np.ndarray[Any, Any]:
    rows = np.zeros(len(to), _WEIGHT)
    if len(to) and (to.min() < np.iinfo(np.intc).min or to.max() > np.iinfo(np.intc).max):
        message = "reorder: a rank that no communicator has"
        raise PlaceError(message, "reorder")
    rows["rank"], rows["bytes"], rows["phase"] = to, size, phase
    return rows


def _refused(what: str, ranks: int) -> PlaceError:
    return PlaceError(f"reorder: {what} for {ranks} ranks; give a row of {ranks}, or a matrix of all rows", "reorder")
