# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg place`: reads a pattern and a machine, searches, prints or writes which rank goes where."""

from __future__ import annotations

import contextlib
import sys
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg import _core
from thalweg.answers.answer import answered
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.pages.writing import write_page
from thalweg.placement.advice import HEADINGS, LinkCosts, advise, rows_of
from thalweg.placement.advice_page import advice_page
from thalweg.placement.base_load import read_base_load
from thalweg.placement.drawings import drawings
from thalweg.placement.explain import explanation
from thalweg.placement.files import read_pattern
from thalweg.placement.formats import check_format, text_of
from thalweg.placement.host_files import read_hosts
from thalweg.placement.machine import read_slots
from thalweg.placement.mapping import Budget, Placement, Sharing, map_ranks
from thalweg.placement.page import placement_page
from thalweg.placement.pictures import write_pictures
from thalweg.progress import meanwhile
from thalweg.terminal import print_next, print_table
from thalweg.text_files import Place, lines_of, read_text, shown, write_text
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.placement.pattern import Pattern

_OBJECTIVES = ("hop-bytes", "link", "contention", "time")
_SLOW = ("emahd-nodes", "emahd-tasks", "topomap", "grasp", "grasp-near", "hybrid", "localopt")
_SLOW_MAX = 300


_USELESS_FACTOR = 10
"""Of a bound that many times below a value nobody learns anything."""


def place_ranks(
    pattern_file: str,
    *,
    machine: str,
    nodes: str,
    ranks_per_node: int,
    objective: str,
    budget: Budget,
    seed: int,
    output: str,
    form: str,
    hosts: str,
    base_load: str,
    compares: bool,
    explains: bool,
    draws: bool,
    plot: str,
    html: str,
    shares_slots: bool,
    weights: str,
    imbalance: float,
    json_file: str,
) -> None:
    """Print which rank goes where, as a table or as JSON. Files that are not named are empty texts.

    The placement goes where it is asked for: into a file, or with a format alone (or "-" as the file) to standard
    output. What is for people is on standard error then. A format that cannot be written is refused before the search.
    """
    pattern = read_pattern(pattern_file)
    slots = read_slots(machine, nodes, ranks_per_node)
    is_piped = output == "-" or bool(form and not output)
    names = read_hosts(hosts, slots.node_count) if hosts else list(slots.hosts)
    check_format(form or "list", slots, pattern.tasks, names)
    for remark in pattern.remarks:
        print(f"thalweg: {remark}", file=sys.stderr)
    sharing = Sharing(_weights(weights), imbalance) if weights or shares_slots else None
    load = read_base_load(base_load, slots) if base_load else None
    with meanwhile("searching for places", budget.seconds):
        placement = map_ranks(
            pattern, slots, objective=objective, budget=budget, seed=seed, sharing=sharing, base_load=load
        )
    if output and not is_piped:
        write_text(text_of(placement, form or "list", names), output)
    if plot:
        write_pictures(pattern, placement, plot)
    page = write_page(placement_page(pattern, placement, pattern_file), html) if html else ""
    if answered("place map", as_data(placement), json_file):
        return
    if is_piped:
        print(text_of(placement, form or "list", names), end="", flush=True)
    with contextlib.redirect_stdout(sys.stderr if is_piped else sys.stdout):
        _print(pattern, placement)
        _print_more(pattern, placement, compares=compares, explains=explains, draws=draws)
        if page:
            print(page)
    if output and not is_piped and form in ("", "list"):
        print_next(f"thalweg run --place {quote(output)} -n {pattern.tasks} -- ./program")


def _print_more(pattern: Pattern, placement: Placement, *, compares: bool, explains: bool, draws: bool) -> None:
    if compares:
        _compare(pattern, placement)
    if explains:
        print("", *explanation(pattern, placement), sep="\n")
    if draws:
        print("", *drawings(pattern, placement), sep="\n")


def _weights(path: str) -> list[float] | None:
    """Read a weight for each rank; none where ranks are all alike."""
    if not path:
        return None
    lines = lines_of(read_text(path, "write a weight a line, one for each rank"), path)
    return [_weight(word, line.place) for line in lines for word in line.words]


def _weight(word: str, place: Place) -> float:
    try:
        return float(word)
    except ValueError:
        place.refuse(f"'{shown(word)}' is no weight", "write a number a line, one for each rank")


def print_advice(
    pattern: str,
    machine: str,
    ranks_per_node: Sequence[int],
    *,
    spare: int,
    seconds: float,
    link_bandwidth: float,
    seed: int,
    html: str,
    json_file: str,
) -> None:
    """Print which allocations a program's communication is fastest on, as a table or as JSON.

    Links carry `link_bandwidth` bytes a second each way; each allocation is searched for so many seconds.
    """
    found = advise(
        read_pattern(pattern),
        machine,
        ranks_per_node=ranks_per_node,
        spare=spare,
        budget=Budget(seconds),
        seed=seed,
        costs=LinkCosts(bytes_per_second=link_bandwidth),
    )
    page = write_page(advice_page(found, pattern, machine), html) if html else ""
    if answered("place advise", {"allocations": [one._asdict() for one in found]}, json_file):
        return
    print_table(HEADINGS, rows_of(found), texts=(HEADINGS.index("hottest link"),))
    if page:
        print(page)


def numbers_in(text: str) -> list[int]:
    """Read whole numbers with commas between."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ThalwegError(SETTINGS, f"'{text}' is no list of numbers", "write 1,2,4")
    return [int(word) for word in words]


def as_data(placement: Placement) -> dict[str, Any]:
    """Give the answer as JSON has it."""
    return {
        "machine": placement.slots.machine.name,
        "method": placement.method,
        "seconds": placement.seconds,
        "slot_of": placement.slot_of.tolist(),
        "node_of": placement.slots.nodes[placement.slot_of].tolist(),
        "identity": _figures(placement.identity),
        "placed": _figures(placement.placed),
        "bounds": {name: bound._asdict() for name, bound in placement.bounds.items()},
        "imbalance": placement.imbalance,
    }


def _figures(metrics: _core.PlacementMetrics) -> dict[str, float]:
    return {
        "hop-bytes": metrics.hop_bytes,
        "hops per byte": metrics.hops_per_byte,
        "link": metrics.link_max,
        "contention": metrics.phase_link_max,
        "time": metrics.seconds,
    }


_UNITS = {"hop-bytes": ", B", "hops per byte": "", "link": ", B", "contention": ", B", "time": ""}
"""Of the figures that do not say theirs."""


def _print(pattern: Pattern, placement: Placement) -> None:
    print(
        f"{pattern.tasks} ranks on {placement.slots.nodes.size} slots of {placement.slots.machine.name}, "
        f"by {placement.method} in {placement.seconds:.2f} s"
    )
    before, after = _figures(placement.identity), _figures(placement.placed)
    rows = [
        [
            name + _UNITS[name],
            _figure(name, value),
            _figure(name, after[name]),
            f"{after[name] / value:.2f}" if value else "-",
        ]
        for name, value in before.items()
    ]
    print_table(["", "as numbered", "placed", "part"], rows)
    one, other = placement.identity, placement.placed
    if other.between_max < other.link_max or one.between_max < one.link_max:
        figures = f"{one.between_max:.6g} B as numbered, {other.between_max:.6g} B placed"
        print(f"the most loaded link between switches: {figures}; a node's own link may carry more wherever ranks are")
    if placement.imbalance is not None:
        print(f"ranks share slots: the heaviest has {100 * placement.imbalance:.3g} % more than the mean")
    for objective in ("hop-bytes", "link"):
        above = placement.above_bound(objective)
        if above is not None:
            reason = placement.bounds[objective].reason
            print(f"{objective}: {_proven(above)} (bound: {reason})")


def _figure(name: str, value: float) -> str:
    return time_text(value) if name == "time" else f"{value:.6g}"


def _proven(above: float) -> str:
    """Say what a bound proves; `above` is how much of it the value is above it."""
    if above <= 1e-6:
        return "proven optimal"
    if above <= 1:
        return f"within {100 * above:.3g} % of the optimum"
    return (
        f"at most {above + 1:.3g} times the optimum" if above < _USELESS_FACTOR else "how near the optimum is not known"
    )


def _compare(pattern: Pattern, placement: Placement) -> None:
    slots = placement.slots
    rows = {"as numbered": placement.numbered}
    for name in _core.published_heuristics():
        if placement.weights is None and (name not in _SLOW or slots.nodes.size <= _SLOW_MAX):
            rows[name] = _core.map_as_published(name, pattern.core, slots.machine, slots.nodes)
    rows["placed"] = placement.slot_of
    others = np.empty(0) if placement.base_load is None else placement.base_load
    found = {
        name: _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, others)
        for name, slot_of in rows.items()
    }
    print()
    print_table(
        ["", "hops per byte", "link, B", "contention, B"],
        [
            [name, f"{one.hops_per_byte:.6g}", f"{one.link_max:.6g}", f"{one.phase_link_max:.6g}"]
            for name, one in found.items()
        ],
    )
