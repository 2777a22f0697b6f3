# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain REPORT`: what ran for the calls of a finished run, what would, and the details behind it."""

import os
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple

from thalweg import _core
from thalweg.answers.answer import answered
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine import files
from thalweg.pages.render import percent
from thalweg.report.run_report import REMEDY, RunReport, read_report
from thalweg.terminal import print_line, print_next, print_table
from thalweg.trials.cases import NONBLOCKING, OPERATIONS
from thalweg.trials.session import NATIVE
from thalweg.tune import store
from thalweg.tune.explain import Question, candidates, known_picks, reason, tune_command, tuning_path_of
from thalweg.tune.explain_learned import learned_lines, learned_name, learned_of
from thalweg.tune.explain_rows import Row, rows_of, table_of
from thalweg.tune.explain_streams import stream_lines
from thalweg.tune.promise import search_promise
from thalweg.tune.wanted import call_of, groups_of, mode_of, unit_size
from thalweg.units import count_text, time_text

_SHOWN = 3
_ROWS_SHOWN = 12
_OTHERS_MIN = 0.001
_CORES_MAX = 1 << 20
_UNMEASURED = "(1) nothing was measured for such calls in jobs of this shape; a prediction alone never replaces native"


class Known(NamedTuple):
    """A report, and what predictions and picks for it stand on."""

    path: str
    report: RunReport
    machine: _core.Machine
    machine_file: str
    tuning: list[_core.Tuning]


def explain_report(  # noqa: PLR0913
    path: str, machine_file: str, tuning_file: str, *, has_details: bool, is_whole: bool, json_file: str
) -> None:
    """Explain the collectives of a finished run: as a table, or with details of every call site."""
    report = read_report(path)
    machine_path = machine_file or files.known_file_of(report.fingerprint, os.environ) or files.newest(os.environ)
    known = Known(
        path,
        report,
        files.load(machine_path) if machine_path else _default_machine(report.fingerprint),
        machine_path,
        store.of_job(store.load(tuning_path_of(tuning_file)), report.fingerprint),
    )
    rows = rows_of(report, known.tuning)
    commands = _commands(known, rows)
    if answered("tune explain", _as_data(known, rows, commands), json_file):
        return
    print_line(f"{' '.join(report.command)}: {report.library}; {report.tuning or 'no tuning file'}")
    if has_details:
        _print_details(known, rows)
    else:
        _print_rows(report, rows, len(rows) if is_whole else _ROWS_SHOWN)
    for command in commands:
        print_next(command)


def _print_rows(report: RunReport, rows: Sequence[Row], shown: int) -> None:
    """Print the table, what it leaves out, and why nothing was chosen."""
    if rows:
        headings, cells, texts = table_of(rows[:shown])
        print_table(headings, cells, texts=texts)
    if (left := len(rows) - shown) > 0:
        print_line(f"… and {left} more, {percent(sum(row.share for row in rows[shown:]))} of the run (--all)")
    others = report.share(sum(site.time_ns for site in report.calls)) - sum(row.share for row in rows)
    if others > _OTHERS_MIN:
        print_line(f"{percent(others)} of the run is in other calls, which no strategy serves")
    if any(row.gain_max is not None for row in rows):
        print_line("up to: the transfer of calls for which nothing was measured; a prediction never replaces native")
    if any(row.hidden is not None for row in rows):
        print_line("hidden: of nonblocking calls' time, what went on beside the program's own work")
    if report.streams or rows:
        print_line("--details says of each call site and stream what was measured, and what the model expects")


def _print_details(known: Known, rows: Sequence[Row]) -> None:
    print_line(f"machine: {known.machine.title}")
    document = known.report.document
    try:
        for site in document["calls"]:
            for line in [] if site.get("own") else site_lines(site, document, known.machine, known.tuning):
                print_line(line)
        for stream in document.get("streams", []):
            for line in stream_lines(stream):
                print_line(line)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ThalwegError(USAGE, f"{known.path} is no whole report of a run: {error!r}", REMEDY) from error
    if any(row.gain_max is not None for row in rows):
        print_line("")
        print_line(_UNMEASURED)


def _commands(known: Known, rows: Sequence[Row]) -> list[str]:
    """Give what measures calls of which nothing is known: by the report where it can, else for a number of ranks.

    By the report are calls of all ranks, and of equal groups.
    """
    all_ranks = len(known.report.ranks)
    open_rows: dict[int, list[Row]] = {}
    for row in rows:
        if row.gain_max is not None:
            ranks = all_ranks if groups_of(row.ranks, all_ranks, known.report.nodes) else row.ranks
            open_rows.setdefault(ranks, []).append(row)
    commands = []
    for ranks, found in sorted(open_rows.items(), reverse=True):
        promise = search_promise(sum(row.gain_max or 0.0 for row in found))
        if ranks == all_ranks:
            commands.append(f"thalweg tune --for {quote(known.path)}{promise}")
        else:
            operations, sizes = {row.operation for row in found}, {row.size for row in found}
            commands.append(tune_command(ranks, operations, sizes) + promise)
    return commands


def _as_data(known: Known, rows: Sequence[Row], commands: Sequence[str]) -> dict[str, Any]:
    report = known.report
    return {
        "kind": "report",
        "report": known.path,
        "command": list(report.command),
        "mpi": report.library,
        "tuning": report.tuning,
        "machine": known.machine.title,
        "machine_file": known.machine_file,
        "calls": [row.as_data() for row in rows],
        "gain_max": sum(row.gain_max or 0.0 for row in rows),
        "next": list(commands),
    }


def _default_machine(fingerprint: Sequence[str]) -> _core.Machine:
    machine = _core.default_machine()
    if len(fingerprint) == store.FINGERPRINT_LINES and fingerprint[1].isdecimal():
        machine.cores = min(int(fingerprint[1]), _CORES_MAX)
    return machine


def site_lines(
    site: Mapping[str, Any],
    report: Mapping[str, Any],
    machine: _core.Machine,
    tuning: Sequence[_core.Tuning],
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
    if call not in _core.calls() or ranks <= 1:
        lines.append("  no alternatives: " + ("one rank" if ranks == 1 else "no collective that strategies serve"))
        return lines
    per_node = -(-ranks // min(ranks, report["nodes"]))
    question = Question(call, unit_size(call, size, ranks), ranks, per_node, is_nonblocking=is_nonblocking)
    question = question._replace(mode=mode_of(site["function"]))
    picks = known_picks(tuning, question, nonblocking=is_nonblocking)
    learned = learned_of(report, learned_name(question, site["function"]), ranks, question.size)
    lines += [f"  {line}" for entry in learned for line in learned_lines(entry)]
    lines += hidden_lines(site)
    kind = "nonblocking " if is_nonblocking else ""
    is_tunable = call in (NONBLOCKING if is_nonblocking else OPERATIONS).values()
    if picks:
        lines.append(f"  {kind}{reason(question, picks, 'the tuning file')}")
    elif question.mode:
        lines.append("  pick: none; a team runs what the model expects to be fastest")
    elif not learned and not is_tunable:
        lines.append(f"  {kind}pick: {NATIVE}: thalweg tune does not tune {kind}{call}")
    elif not learned:
        lines.append(f"  {kind}pick: {NATIVE} (1)")
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
