# SPDX-License-Identifier: BSD-3-Clause
"""What became of placing ranks: predictions, the trial, and what links carry on the machine's picture."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.machine.files import known_file_of
from thalweg.pages.charts import Bar, paired
from thalweg.pages.render import bytes_text, ns_text
from thalweg.placement.loads import link_loads
from thalweg.report.lenient import count, item, number, numbers, rows, text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

RANKS_MAX = 1024
"""Of jobs whose links are drawn."""


class Placing(NamedTuple):
    """A sentence, bars as started and as placed, and facts."""

    why: str
    pairs: list[tuple[Bar, Bar, str]]
    facts: list[tuple[str, str]]
    drawings: list[tuple[str, str]]
    """What links carry: a title and SVG each."""


def placing_of(report: RunReport) -> Placing | None:
    """Give what the report says of placing; None where nobody asked for it."""
    found = item(report.document, "placing")
    if not isinstance(found, dict):
        return None
    started, placed = item(found, "predicted", "as_started"), item(found, "predicted", "placed")
    pairs = []
    for name, key in (("bytes times hops", "hop_bytes"), ("on the busiest link", "most_loaded_link_bytes")):
        before, after = number(started, key), number(placed, key)
        if before > 0:
            said = f"{bytes_text(before)} to {bytes_text(after)}"
            pairs.append(paired(name, before, after, max(before, after), said))
    trial = item(found, "trial")
    before_s, placed_s = number(trial, "before_s"), number(trial, "placed_s")
    if before_s > 0:
        said = f"{ns_text(1e9 * before_s)} to {ns_text(1e9 * placed_s)}, better in {count(trial, 'wins')} of "
        said += f"{count(trial, 'rounds')} rounds"
        pairs.append(paired("measured", before_s, placed_s, max(before_s, placed_s), said))
    facts = [("network", text(found, "network")), ("method", text(found, "method"))]
    facts.append(("machine file", known_file_of(report.fingerprint, os.environ)))
    adopted = item(found, "adopted")
    facts.append(("used in this run", {True: "yes", False: "no"}.get(adopted, "") if isinstance(adopted, bool) else ""))
    facts = [(name, said) for name, said in facts if said]
    return Placing(text(found, "why"), pairs, facts, _drawings(report))


def _drawings(report: RunReport) -> list[tuple[str, str]]:
    """Draw what links carry as started and as placed, of jobs that have the whole network."""
    from thalweg.placement.machine import read_slots  # noqa: PLC0415 - reports without a placement do without
    from thalweg.placement.page import link_drawings  # noqa: PLC0415
    from thalweg.placement.pattern import Pattern  # noqa: PLC0415

    network = text(report.document, "placing", "network")
    slot_of = np.array(numbers(report.document, "placing", "proposed"), dtype=np.int32)
    ranks = slot_of.size
    entries = [one for one in rows(report.document, 4, "traffic", "entries") if one[2] > 0]
    if not network or not ranks or ranks > RANKS_MAX or text(report.document, "traffic", "by") != "rank":
        return []
    try:
        slots = read_slots(network, "")
        if ranks % slots.nodes.size:
            return []
        slots = read_slots(network, "", ranks // slots.nodes.size)
        sent = np.zeros((ranks, ranks))
        for source, target, size, _ in entries:
            sent[int(source), int(target)] += size
        loads = [link_loads(Pattern(sent), slots, one) for one in (np.arange(ranks, dtype=np.int32), slot_of)]
    except (ThalwegError, IndexError):
        return []
    return link_drawings(slots, ("links, as started", "links, as placed"), loads)
