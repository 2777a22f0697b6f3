# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain REPORT`: what ran for each call of a finished run, why, and what the alternatives are."""

import os
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from thalweg import _core
from thalweg.documents import REPORT, parse_json
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine import files
from thalweg.pages.render import percent
from thalweg.terminal import print_line, print_next
from thalweg.text_files import read_text
from thalweg.trials.cases import NONBLOCKING, OPERATIONS
from thalweg.trials.session import NATIVE
from thalweg.tune import store
from thalweg.tune.explain import Question, candidates, known_picks, reason, tune_command, tuning_path_of
from thalweg.tune.explain_learned import learned_lines, learned_of
from thalweg.tune.explain_streams import stream_lines
from thalweg.units import count_text, time_text

_CALLS_WITH_WHOLE_VECTOR = ("broadcast", "reduce", "allreduce", "scan", "exscan")
_SHOWN = 3
_NEIGHBORS = 2
"""Of a rank where neighborhoods are tuned, which is on a ring; reports do not count them."""


def call_of(function: str) -> tuple[str, bool]:
    """Name the call of an MPI function as selections do, and tell whether its program goes on between begin and end.

    Of persistent ones it does, as of nonblocking ones.
    """
    name = function.removeprefix("MPI_").removesuffix("_c")
    call = name.removeprefix("I").lower().removesuffix("_init")
    return {"bcast": "broadcast"}.get(call, call), name.startswith("I") or name.endswith("_init")


def unit_size(call: str, total: float, ranks: int) -> int:
    """Give the bytes of a unit from the payload of one rank's call, as reports count it."""
    if call in _CALLS_WITH_WHOLE_VECTOR or call in ("gather", "scatter", "allgather", "allgatherv", "barrier"):
        return round(total)
    if call.startswith("neighbor_"):
        return round(total / _NEIGHBORS)
    return round(total / max(ranks, 1))


def explain_report(path: str, machine_file: str, tuning_file: str) -> None:
    """Explain every collective call site of a finished run."""
    remedy = "thalweg run --report FILE writes one"
    report = parse_json(read_text(path, remedy), path, remedy)
    if not isinstance(report, dict) or report.get("format") != REPORT:
        raise ThalwegError(USAGE, f"{path} is no report of a run", remedy)
    try:
        commands = _explain(report, path, machine_file, tuning_file)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ThalwegError(USAGE, f"{path} is no whole report of a run: {error!r}", remedy) from error
    for command in commands:
        print_next(command)


def _explain(report: Mapping[str, Any], path: str, machine_file: str, tuning_file: str) -> list[str]:
    """Print the explanation, and give the commands that help next."""
    machine_path = machine_file or _machine_of(report) or files.newest(os.environ)
    machine = files.load(machine_path) if machine_path else _default_machine(report)
    tuning = store.of_job(store.load(tuning_path_of(tuning_file)), _fingerprint(report))
    print_line(f"{' '.join(report['command'])}: {report['mpi']['library']}; {report.get('tuning') or 'no tuning file'}")
    print_line(f"machine: {machine.title}")
    unmeasured = Unmeasured()
    for site in report["calls"]:
        for line in [] if site.get("own") else site_lines(site, report, machine, tuning, unmeasured):
            print_line(line)
    for stream in report.get("streams", []):
        for line in stream_lines(stream):
            print_line(line)
    for line in unmeasured.lines():
        print_line(line)
    return unmeasured.commands(path, len(report["ranks"]))


class Unmeasured:
    """Calls of which the tuning file knows nothing: the reason is said once, and the command that measures them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sizes: dict[int, dict[str, set[int]]] = {}

    def add(self, question: Question, *, nonblocking: bool) -> None:
        """Keep one of a call that can be tuned."""
        kinds = NONBLOCKING if nonblocking else OPERATIONS
        operation = next(operation for operation, call in kinds.items() if call == question.call)
        self._sizes.setdefault(question.ranks, {}).setdefault(operation, set()).add(question.size)

    def lines(self) -> list[str]:
        """Say why nothing was chosen for them; nothing where there are none."""
        if not self._sizes:
            return []
        return [
            "",
            "(1) nothing was measured for such calls in jobs of this shape; a prediction alone never replaces native",
        ]

    def commands(self, path: str, job_ranks: int) -> list[str]:
        """Give what measures them: of all ranks by the report, else a command for each number of ranks."""
        return [
            f"thalweg tune --for {quote(path)}"
            if ranks == job_ranks
            else tune_command(ranks, operations, set().union(*operations.values()))
            for ranks, operations in sorted(self._sizes.items(), reverse=True)
        ]


def _fingerprint(report: Mapping[str, Any]) -> list[str]:
    """Give the values: version 2 has names beside them."""
    return [one["value"] if isinstance(one, dict) else one for one in report.get("fingerprint") or []]


def _machine_of(report: Mapping[str, Any]) -> str:
    fingerprint = _fingerprint(report)
    path = files.file_of(fingerprint, os.environ) if len(fingerprint) == store.FINGERPRINT_LINES else None
    return str(path) if path and os.path.exists(path) else ""  # not where its name is too long


def _default_machine(report: Mapping[str, Any]) -> _core.Machine:
    machine = _core.default_machine()
    fingerprint = _fingerprint(report)
    if len(fingerprint) == store.FINGERPRINT_LINES:
        machine.cores = int(fingerprint[1])
    return machine


def site_lines(
    site: Mapping[str, Any],
    report: Mapping[str, Any],
    machine: _core.Machine,
    tuning: Sequence[_core.Tuning],
    unmeasured: Unmeasured,
) -> list[str]:
    """Tell of one call site: what ran, what was measured, what the model expects of others."""
    ranks = site["communicator_ranks"]
    ran = ", ".join(_ending(ending) for ending in site["ran_on"])
    calls = max(site["calls"], 1)
    mean = time_text(site["time_ns"] * 1e-9 / calls)
    size = site["bytes"] / calls
    called = f"{site['function']} at {site['source']}: {count_text(site['calls'], 'call')}"
    lines = [f"{called}, {size:.0f} B, mean {mean}; ran on {ran}"]
    if gain := site.get("stream"):
        lines.append(
            f"  as items of a stream: {gain['item_ns']:.0f} ns each instead of {gain['message_ns']:.0f} ns of "
            f"processor time to send, {time_text(gain['saved_ns'] * 1e-9)} less over all ranks"
        )
    if gain := site.get("exchange"):
        lines.append(
            f"  {gain['blocks_a_call']:.1f} blocks of {gain['block_bytes']:.0f} B a call: "
            f"{time_text(gain['call_ns'] * 1e-9)} when all have come; with --use {gain['use']} about "
            f"{time_text(gain['use_ns'] * 1e-9)}, as a phase of a stream about {time_text(gain['stream_ns'] * 1e-9)}"
        )
    call, is_nonblocking = call_of(site["function"])
    name = {"broadcast": "bcast"}.get(call, call)
    if call not in _core.calls() or ranks <= 1:
        lines.append("  no alternatives: " + ("one rank" if ranks == 1 else "no collective that strategies serve"))
        return lines
    per_node = -(-ranks // min(ranks, report["nodes"]))
    question = Question(call, unit_size(call, size, ranks), ranks, per_node)
    picks = known_picks(tuning, question, nonblocking=is_nonblocking)
    learned = learned_of(report, f"{'i' if is_nonblocking else ''}{name}", ranks, question.size)
    lines += [f"  {line}" for entry in learned for line in learned_lines(entry)]
    lines += hidden_lines(site)
    kind = "nonblocking " if is_nonblocking else ""
    is_tunable = call in (NONBLOCKING if is_nonblocking else OPERATIONS).values()
    if picks:
        lines.append(f"  {kind}{reason(question, picks, 'the tuning file')}")
    elif not learned and not is_tunable:
        lines.append(f"  {kind}pick: {NATIVE}: thalweg tune does not tune {kind}{call}")
    elif not learned:
        lines.append(f"  {kind}pick: {NATIVE} (1)")
        unmeasured.add(question, nonblocking=is_nonblocking)
    if call.endswith(("v", "w")) or call.startswith("neighbor"):
        lines.append("  not predicted: its sizes are known to each rank alone")
        return lines
    space = candidates(question, machine)
    best = "; ".join(f"{one.text} {time_text(one.seconds)}" for one in space[:_SHOWN])
    lines.append(f"  the model's first of {len(space)} candidates: {best}")
    return lines


def hidden_lines(site: Mapping[str, Any]) -> list[str]:
    """Say how much of its nonblocking calls' time the program spent in MPI; nothing where that was not followed."""
    if not (hidden := site.get("hidden")):
        return []
    in_flight, exposed = hidden["in_flight_ns"], hidden["exposed_ns"]
    part = percent(max(0.0, 1 - exposed / in_flight) if in_flight else 0.0)
    return [f"  exposed {time_text(exposed * 1e-9)} of {time_text(in_flight * 1e-9)} in flight: {part} was hidden"]


def _ending(ending: Mapping[str, Any]) -> str:
    why = ending.get("passed_on_because")
    return f"{ending['strategy']} ({count_text(ending['calls'], 'call')}{': ' + why if why else ''})"
