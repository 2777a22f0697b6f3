# SPDX-License-Identifier: BSD-3-Clause
"""Where in their nodes ranks run, from what they say of themselves: which processors, caches and sockets."""

from collections.abc import Sequence
from typing import NamedTuple

NOWHERE = -1


class Place(NamedTuple):
    """The place of a rank; sockets and core complexes are numbered across nodes."""

    processor: int
    """The hardware thread that it was on when it was asked; -1 where the system does not tell."""
    processors: frozenset[int]
    """Those that it may run on."""
    socket: int
    """The socket that it stays on; -1 where it may move between several, or the system does not tell."""
    core_complex: int
    """The cores with one last-level cache that it stays on; likewise."""


def parse_processors(text: str) -> frozenset[int]:
    """Read a list as Linux writes it: 0-3,8. What is no list counts as an empty one, which nothing is known of."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        last = last if dash else first
        if not (first.isdecimal() and last.isdecimal()):
            return frozenset()
        found.update(range(int(first), int(last) + 1))
    return frozenset(found)


def find_places(hosts: Sequence[str], reports: Sequence[str]) -> tuple[Place, ...]:
    """Number sockets and core complexes from what ranks reported: "processor;may run on;share its cache;its socket"."""
    sockets: dict[tuple[str, frozenset[int]], int] = {}
    complexes: dict[tuple[str, frozenset[int]], int] = {}
    places = []
    for host, text in zip(hosts, reports, strict=True):
        processor, may, share, socket = (*text.split(";"), "", "", "")[:4]
        own = parse_processors(may)
        places.append(
            Place(
                int(processor) if processor.isdecimal() else NOWHERE,
                own,
                _number(sockets, host, own, parse_processors(socket)),
                _number(complexes, host, own, parse_processors(share)),
            )
        )
    return tuple(places)


def _number(known: dict[tuple[str, frozenset[int]], int], host: str, own: frozenset[int], part: frozenset[int]) -> int:
    """Give the number of a part of a host, if the rank stays on it."""
    return known.setdefault((host, part), len(known)) if own and own <= part else NOWHERE
