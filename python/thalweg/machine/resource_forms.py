# SPDX-License-Identifier: BSD-3-Clause
"""Which messages a resource can be used by: forms with a few cores to choose, for `fit_resources`."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg import _core

Usage = NDArray[np.bool_]


class Form(NamedTuple):
    """A way in which cores say who uses a resource."""

    name: str
    is_two_sided: bool
    """Are there cores that send and others that receive?"""
    is_order: bool
    """Is it an order of all cores, round which messages go the shorter way?"""
    usage: Callable[[NDArray[np.int64] | Usage, int], Usage]


class Shape(NamedTuple):
    """A form with its cores: a bit for each, first of senders and then of receivers; or their order."""

    form: Form
    bits: NDArray[np.int64] | Usage

    def usage(self, cores: int) -> Usage:
        """Tell who uses each of its resources, of shape (resources, cores**2)."""
        return self.form.usage(self.bits, cores)

    def neighbors(self) -> "list[Shape]":
        """Give the shapes that are one change away."""
        if not self.form.is_order:
            return [Shape(self.form, self.bits ^ flip) for flip in np.eye(self.bits.size, dtype=np.bool_)]
        return [Shape(self.form, _swapped(self.bits, *pair)) for pair in combinations(range(self.bits.size), 2)]

    def equals(self, other: "Shape") -> bool:
        """Compare."""
        return self.form.name == other.form.name and bool((self.bits == other.bits).all())

    def names(self, cores: int) -> list[str]:
        """Name its resources, for people."""
        if self.form.is_order:
            ring = [int(core) for core in self.bits]
            ends = zip(ring, [*ring[1:], ring[0]], strict=True)
            return [name for a, b in ends for name in (f"ring:{a}>{b}", f"ring:{b}>{a}")]
        sides = [numbers_text(side) for side in self.bits.astype(np.bool_).reshape(-1, cores)]
        return [f"{self.form.name}:{'>'.join(sides)}"]


def _swapped(order: NDArray[np.int64] | Usage, one: int, other: int) -> NDArray[np.int64]:
    swapped = order.copy()
    swapped[[one, other]] = order[[other, one]]
    return np.asarray(swapped, dtype=np.int64)


def numbers_text(side: Usage) -> str:
    """Write numbers as ranges: 0-3,8."""
    if side.all():
        return "all"
    runs: list[list[int]] = []
    for number in np.flatnonzero(side).tolist():
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _between(bits: NDArray[np.int64] | Usage, cores: int) -> Usage:
    """Messages from one side to the other: a link one way; a cache or memory channel where all may send."""
    return np.outer(bits[:cores], bits[cores:]).astype(np.bool_).reshape(1, -1)


def _touching(bits: NDArray[np.int64] | Usage, cores: int) -> Usage:
    """Messages with an end among the cores: a cache whose slice holds both copies."""
    return np.logical_or.outer(bits, bits).reshape(1, cores * cores)


def _across(bits: NDArray[np.int64] | Usage, cores: int) -> Usage:
    """Messages from the cores to others or back: a link that both directions share."""
    return np.logical_xor.outer(bits, bits).reshape(1, cores * cores)


@cache
def _ring_routes(cores: int) -> Usage:
    """Tell which messages between places use each link of a ring, of shape (links, places, places)."""
    ring = _core.Interconnect(f"ring:{cores}", cores)
    carried = np.zeros((ring.links, cores, cores), dtype=np.bool_)
    for a in range(cores):
        for b in range(cores):
            carried[ring.route(a, b)[0], a, b] = True
    return carried


def _round(bits: NDArray[np.int64] | Usage, cores: int) -> Usage:
    """Messages round the ring that pass each of its segments, each way; half-way ones go forward."""
    place = np.empty(cores, dtype=np.int64)
    place[bits.astype(np.int64)] = np.arange(cores)
    return _ring_routes(cores)[:, place[:, None], place[None, :]].reshape(-1, cores * cores)


FORMS: Sequence[Form] = (
    Form("between", True, False, _between),
    Form("touching", False, False, _touching),
    Form("across", False, False, _across),
    Form("ring", False, True, _round),
)
