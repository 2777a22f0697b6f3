# SPDX-License-Identifier: BSD-3-Clause
"""What cores share, as a file that `resources:FILE` reads (src/core/topology/shared_resources.hpp), and for people."""

from collections.abc import Iterator, Sequence

import numpy as np

from thalweg.machine.find_resources import FoundResources, Message
from thalweg.machine.fit_resources import Resource
from thalweg.machine.resource_forms import numbers_text


def text_of(found: FoundResources, processors: Sequence[int]) -> str:
    """Write the file; `processors` has the one that each core, by its number here, is for Linux."""
    lines = [
        f"# What cores share: {found.explained:.0%} of {found.measurements} sets of messages come out so.",
        f"# Cores are Linux's processors {' '.join(map(str, processors))}, in this order.",
        f"cores {found.cores}",
    ]
    lines += [f"resource {one.name} {one.capacity:.3g} {' '.join(users_of(one))}" for one in found.resources]
    return "\n".join(lines) + "\n"


def users_of(resource: Resource) -> Iterator[str]:
    """Write who uses it: senders with the same receivers together."""
    rows: dict[bytes, list[int]] = {}
    for sender in np.flatnonzero(resource.users.any(axis=1)).tolist():
        rows.setdefault(resource.users[sender].tobytes(), []).append(sender)
    for senders in rows.values():
        side = np.isin(np.arange(len(resource.users)), senders)
        yield f"{numbers_text(side)}>{numbers_text(resource.users[senders[0]])}"


def described(found: FoundResources) -> Iterator[str]:
    """Tell what was found, line by line."""
    yield f"resources: {len(found.resources)}, which explain {found.explained:.1%} of {found.measurements} sets"
    for one in found.resources:
        yield f"  {one.name} carries {one.capacity:.2f} messages at full rate; used by {' '.join(users_of(one))}"
    yield f"alone, messages took {found.alone[0]:.2f} to {found.alone[1]:.2f} times the median"
    low, high = min(found.slowest.samples), max(found.slowest.samples)
    middle = float(np.median(found.slowest.samples))
    yield (
        f"slowest: {_messages_text(found.slowest.messages)} at once, {middle:.2f} times as long as alone "
        f"({low:.2f} to {high:.2f})"
    )
    if not found.sure:
        yield "that is not sure, so no file of resources is written: measure again when the node is idle"


def _messages_text(messages: Sequence[Message]) -> str:
    return ", ".join(f"{a}>{b}" for a, b in messages)
