# SPDX-License-Identifier: BSD-3-Clause
"""What a program learned while it ran, for people: what ran, what else was measured, what was not tried, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from thalweg.trials.session import NATIVE
from thalweg.tune.explain import Question
from thalweg.units import partners_text, size_text, time_text

_SHOWN = 4
_PERSISTENT = "_init"


def learned_name(question: Question, function: str) -> str:
    """Name a call of a function as what was learned has it: ibcast, bcast_init, team_allreduce."""
    if question.mode:
        return function
    call = {"broadcast": "bcast"}.get(question.call, question.call)
    if function.removesuffix("_c").endswith(_PERSISTENT):
        return call + _PERSISTENT
    return f"{'i' if question.is_nonblocking else ''}{call}"


def learned_of(report: Mapping[str, Any], call: str, ranks: int, size: int) -> list[Mapping[str, Any]]:
    """Pick what was learned of such calls: the sizes nearest to a mean one; of private sizes all."""
    fitting = [entry for entry in report.get("learned", []) if entry["call"] == call and entry["ranks"] == ranks]
    if call.removesuffix(_PERSISTENT).endswith(("v", "w")) or "neighbor" in call:
        return fitting
    near = [entry for entry in fitting if _distance(entry["bytes"], size) <= 2]
    return near or fitting


def _distance(a: int, b: int) -> float:
    return max(a, b, 1) / max(min(a, b), 1)


def learned_lines(entry: Mapping[str, Any]) -> list[str]:
    """Tell of one kind of call."""
    trials = entry["trials"]
    pick = next(trial for trial in trials if trial["candidate"] == entry["use"])
    calls = max(entry["measured_calls"], 1)
    skew, transfer = (time_text(entry[key] / calls) for key in ("arrival_skew_s", "transfer_s"))
    spent = 100 * entry["spent_s"] / max(entry["time_s"], 1e-12)
    size = f"{size_text(entry['bytes'])}{partners_text(entry.get('degree', 0))}"
    what = f"learned for {size} in {entry['calls']} calls: {entry['use']}{_measured(pick)}"
    cost = f"{entry['state']}; {spent:.1f} % of the time was spent on it"
    lines = [f"{what}; {cost}; ranks waited {skew} for the last one, the call itself took {transfer}"]
    others = sorted(
        (trial for trial in trials if trial is not pick and "measured_s" in trial), key=lambda one: one["measured_s"]
    )
    if others:
        shown = [f"{trial['candidate']}{_measured(trial)}, {trial['outcome']}" for trial in others[:_SHOWN]]
        more = f"; {len(others) - _SHOWN} more slower" if len(others) > _SHOWN else ""
        lines.append("alternatives: " + "; ".join(shown) + more)
    refused = [trial["candidate"] for trial in trials if trial["outcome"] == "cannot do these calls"]
    if refused:
        lines.append("cannot do these calls: " + ", ".join(refused))
    untried = [trial for trial in trials if "measured_s" not in trial and trial["candidate"] not in {NATIVE, *refused}]
    if untried:
        lines.append(f"not tried: {_names(untried)}: {why_untried(entry)}")
    return lines


def _measured(trial: Mapping[str, Any]) -> str:
    if "measured_s" not in trial:
        return ""
    return f" ({time_text(trial['measured_s'])}, {trial['rounds']} rounds)"


def _names(trials: Sequence[Mapping[str, Any]]) -> str:
    names = ", ".join(trial["candidate"] for trial in trials[:_SHOWN])
    return names + (f" and {len(trials) - _SHOWN} more" if len(trials) > _SHOWN else "")


def why_untried(entry: Mapping[str, Any]) -> str:
    """Say why the search left candidates out."""
    if not entry["searched"]:
        return "the program ended before the search did, which may cost a share of the time only"
    return "the model expects more of others, and several of those in a row had brought nothing"
