# SPDX-License-Identifier: BSD-3-Clause
"""Which strategies were tuned or learned, with the times of their alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pages.charts import Bar
from thalweg.pages.render import bytes_text, ns_text
from thalweg.report.lenient import count, number, objects, text
from thalweg.report.verdict import LIBRARY as NATIVE
from thalweg.units import count_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

ROWS_MAX = 60
ALTERNATIVES_MAX = 12


class Alternative(NamedTuple):
    """A strategy for a call, with its time where it was measured."""

    bar: Bar
    is_pick: bool


class Choice(NamedTuple):
    """What was chosen for one kind of call."""

    title: str
    strategy: str
    source: str
    factor: str
    alternatives: list[Alternative]
    note: str


def alternatives_of(raw: dict[str, Any], picks: list[dict[str, Any]]) -> list[Alternative]:
    """Give what the report's picks say of a site, by its identity; of several sizes those of the most bytes."""
    identity = raw.get("id")
    own = [one for one in picks if identity is not None and one.get("call") == identity]
    if not own:
        return []
    return _alternatives(max(own, key=lambda one: number(one, "bytes")))


def _alternatives(pick: dict[str, Any]) -> list[Alternative]:
    chosen = text(pick, "strategy")
    times = {text(one, "strategy"): number(one, "time_ns") for one in objects(pick, "alternatives")}
    if number(pick, "time_ns") > 0:
        times[chosen] = number(pick, "time_ns")
    return _bars(times, chosen)


def _bars(times: dict[str, float], chosen: str) -> list[Alternative]:
    longest = max(times.values(), default=0.0) or 1.0
    found = [
        Alternative(
            Bar(
                _name(strategy), (("after" if strategy == chosen else "before",
                round(100 * time / longest, 2)),), ns_text(time) if time > 0 else "-",
            ),
            strategy == chosen,
        )
        for strategy, time in sorted(times.items(), key=lambda entry: (entry[1] <= 0, entry[1], entry[0]))
    ]  # fmt: skip
    return found[:ALTERNATIVES_MAX]


def _name(strategy: str) -> str:
    return "MPI library" if strategy in {NATIVE, "library", ""} else strategy


def choices_of(report: RunReport) -> list[Choice]:
    """Give what the tuning file or rules chose, then what was learned while the program ran."""
    document = report.document
    found = [_tuned(one) for one in objects(document, "picks") if text(one, "source") != "learned"]
    found += [_learned(one) for one in objects(document, "learned")]
    if not objects(document, "learned"):
        found += [_tuned(one) for one in objects(document, "picks") if text(one, "source") == "learned"]
    return found[:ROWS_MAX]


def _tuned(pick: dict[str, Any]) -> Choice:
    alternatives = _alternatives(pick)
    library = next(
        (
            number(one, "time_ns")
            for one in objects(pick, "alternatives")
            if text(one, "strategy") in {NATIVE, "library"}
        ),
        0.0,
    )
    title = _title(text(pick, "operation"), number(pick, "bytes"), count(pick, "ranks"))
    predicted = number(pick, "predicted_ns")
    note = f"predicted {ns_text(predicted)}" if predicted > 0 else ""
    factor = _factor(library, number(pick, "time_ns"))
    return Choice(title, _name(text(pick, "strategy")), text(pick, "source"), factor, alternatives, note)


def _learned(entry: dict[str, Any]) -> Choice:
    trials = objects(entry, "trials")
    times = {text(one, "candidate"): 1e9 * number(one, "measured_s") for one in trials if number(one, "measured_s") > 0}
    use = text(entry, "use")
    title = _title(text(entry, "call"), number(entry, "bytes"), count(entry, "ranks"))
    spent = number(entry, "spent_s") / max(number(entry, "time_s"), 1e-12)
    note = f"{text(entry, 'state')}; {count_text(len(times), 'candidate')} of {len(trials)} tried, "
    note += f"which took {spent:.1%} of these calls' time".replace("%", " %")
    factor = _factor(times.get(NATIVE, 0.0), times.get(use, 0.0))
    return Choice(title, _name(use), "learned in this run", factor, _bars(times, use), note)


def _title(operation: str, size: float, ranks: int) -> str:
    of = f", {bytes_text(size)}" if size > 0 else ""
    return f"{operation}{of}, {count_text(ranks, 'rank')}"


def _factor(library_ns: float, chosen_ns: float) -> str:
    if library_ns <= 0 or chosen_ns <= 0:
        return ""
    return f"{library_ns / chosen_ns:.2f}x" if library_ns != chosen_ns else "1x"


def gained_ns(report: RunReport) -> float:
    """Give what chosen strategies saved of all ranks' time, by the measured times of the library's calls."""
    saved = 0.0
    for entry in objects(report.document, "learned"):
        times = {text(one, "candidate"): number(one, "measured_s") for one in objects(entry, "trials")}
        library, chosen = times.get(NATIVE, 0.0), times.get(text(entry, "use"), 0.0)
        if library > 0 and chosen > 0:
            later = max(0.0, number(entry, "calls") - number(entry, "measured_calls"))
            saved += 1e9 * (library - chosen) * later
    return saved
