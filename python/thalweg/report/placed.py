# SPDX-License-Identifier: BSD-3-Clause
"""What became of placing ranks: predictions, the trial, and what links carry on the machine's picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.charts import Bar, paired
from thalweg.pages.render import bytes_text, ns_text
from thalweg.report.lenient import count, item, number, text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport


class Placing(NamedTuple):
    """A sentence, bars as started and as placed, and facts."""

    why: str
    pairs: list[tuple[Bar, Bar, str]]
    facts: list[tuple[str, str]]


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
    adopted = item(found, "adopted")
    facts.append(("used in this run", {True: "yes", False: "no"}.get(adopted, "") if isinstance(adopted, bool) else ""))
    return Placing(text(found, "why"), pairs, [(name, said) for name, said in facts if said])
