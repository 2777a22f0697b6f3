"""`thalweg explain`: what would run, and why; and the same for every call of a finished run."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from thalweg import _core
from thalweg.documents import REPORT
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.machine import files
from thalweg.settings.layers import default_tuning_file
from thalweg.text_files import read_text
from thalweg.trials.cases import remark_on_routes
from thalweg.trials.session import NATIVE
from thalweg.tune import store
from thalweg.tune.explain_learned import learned_lines, learned_of
from thalweg.tune.explain_streams import stream_lines
from thalweg.units import size_text, time_text

_CALLS_WITH_WHOLE_VECTOR = ("broadcast", "reduce", "allreduce", "scan", "exscan")
_SHOWN = 3


class Question(NamedTuple):
    """A call on a communicator."""

    call: str
    size: int
    ranks: int
    ranks_per_node: int
    node_list: str = ""
    """A file that says where hosts are in the network; "": node i is at place i."""

    hosts: tuple[str, ...] = ()
    """The nodes', in order; (): those of the list."""

    @property
    def nodes(self) -> list[int]:
        """Place ranks on nodes in order."""
        return [rank // self.ranks_per_node for rank in range(self.ranks)]

    @property
    def node_count(self) -> int:
        """Count the nodes."""
        return -(-self.ranks // self.ranks_per_node)

    def places(self, machine: _core.Machine) -> _core.NodePlaces:
        """Say where the nodes are in the machine's network."""
        if not self.node_list:
            return _core.NodePlaces(machine.network)
        hosts = self.hosts or files.hosts_in(self.node_list)
        if len(hosts) < self.node_count:
            message = f"{len(hosts)} hosts for {self.node_count} nodes"
            raise ThalwegError(USAGE, message, "name them in the list, or with --hosts")
        return files.places_in(self.node_list, hosts[: self.node_count], machine.network)


def known_picks(
    tuning: Sequence[_core.Tuning], question: Question, *, nonblocking: bool = False
) -> list[tuple[_core.Pick, _core.Tuning]]:
    """List the picks for communicators like the question's, nearest size first, of all machines in the file."""
    fitting = [
        (pick, one)
        for one in tuning
        for pick in (one.nonblocking if nonblocking else one.picks)
        if (pick.call, pick.ranks, pick.nodes) == (question.call, question.ranks, question.node_count)
    ]
    return sorted(fitting, key=lambda entry: _distance(entry[0].bytes, question.size))


def _distance(a: int, b: int) -> float:
    return max(a, b, 1) / max(min(a, b), 1)


def candidates(question: Question, machine: _core.Machine) -> list[_core.Candidate]:
    """List the candidates in the model's order."""
    try:
        where = question.places(machine)
        return _core.candidates(
            question.call, question.size, question.ranks, question.nodes, machine, node_places=where
        )
    except _core.Error as error:
        raise ThalwegError(USAGE, *error.args) from error


def predicted_text(candidate: _core.Candidate) -> str:
    """Write the predicted time; of what is far behind only a bound is known."""
    return ("> " if candidate.is_bound else "") + time_text(candidate.seconds)


def closed_form(question: Question, candidate: _core.Candidate, machine: _core.Machine) -> tuple[float, str] | None:
    """Give the seconds by the papers' equation and whose it is; nothing where there is none."""
    selection = f"{question.call}={candidate.text}"
    return _core.closed_form(selection, question.size, question.ranks, machine, question.nodes)


def simulated_cells(question: Question, candidate: _core.Candidate, machine: _core.Machine) -> list[str]:
    """Give the time by level flow, and what of it the critical path waits for links, with the one it waits most for."""
    from thalweg.simulation.candidates import simulate_candidate  # noqa: PLC0415 - slow to import

    selection = f"{question.call}={candidate.text}"
    try:
        found = simulate_candidate(selection, question.size, question.nodes, machine, question.places(machine))
    except _core.Error:
        return ["", ""]  # it needs operators that commute, which samples do not take for granted
    waiting = found.why.get("sharing", 0) / 1e9
    link = f", most at {found.link_name(found.links_on_path[0][0])}" if waiting and found.links_on_path else ""
    return [time_text(found.seconds), f"{time_text(waiting)}{link}" if waiting else ""]


def explain_call(  # noqa: PLR0913
    question: Question,
    machine_file: str,
    tuning_file: str,
    limit: int,
    *,
    closed_forms: bool = False,
    simulated: bool = False,
) -> None:
    """Print candidates, measurements and the pick; also the times of the papers' equations, and of a simulation."""
    tuning_path = _tuning_path(tuning_file)
    picks = known_picks(store.load(tuning_path), question)
    tuned = files.titled(picks[0][1].machine.describe(), os.environ) if picks else ""
    path = machine_file or tuned or files.newest(os.environ)
    machine = files.load(path) if path else _core.default_machine()
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    size = f" of {size_text(question.size)}" if question.size else ""
    console.print(f"{question.call}{size}, {question.ranks} ranks on {question.node_count} nodes")
    console.print(f"machine: {machine.title}" + (f" ({path})" if path else ""))
    if remark := remark_on_routes(question.node_count, question.places(machine)):
        console.print(remark)
    space = candidates(question, machine)
    headers = ["candidate", "predicted", "CPU per rank", "measured", *(["closed form"] if closed_forms else [])]
    headers += ["simulated", "waits for links"] if simulated else []
    table = Table(*headers, box=None)
    measured = {pick.use: pick for pick, _ in reversed(picks) if pick.bytes == question.size}
    native = picks[0][0] if picks and picks[0][0].bytes == question.size else None
    sources: dict[str, str] = {}
    for candidate in space[: limit or len(space)]:
        form = closed_form(question, candidate, machine) if closed_forms else None
        if form:
            sources[candidate.text.split(":")[0]] = form[1]
        pick = measured.get(candidate.text)
        table.add_row(
            candidate.text,
            predicted_text(candidate),
            time_text(candidate.cpu_seconds),
            time_text(pick.seconds) if pick else "",
            *([time_text(form[0]) if form else ""] if closed_forms else []),
            *(simulated_cells(question, candidate, machine) if simulated else []),
        )
    for use, pick in measured.items():
        if pick.library_algorithm:
            table.add_row(use, "", "", time_text(pick.seconds))
    table.add_row(NATIVE, "", "", time_text(native.native_seconds) if native else "")
    console.print(table)
    if sources:
        console.print("closed forms: " + "; ".join(f"{name}: {source}" for name, source in sources.items()))
    if limit and len(space) > limit:
        console.print(f"… and {len(space) - limit} more candidates (--all)")
    console.print(reason(question, picks, tuning_path))
    if later := known_picks(store.load(tuning_path), question, nonblocking=True):
        console.print("nonblocking " + reason(question, later, tuning_path))


def reason(question: Question, picks: Sequence[tuple[_core.Pick, _core.Tuning]], tuning_path: str) -> str:
    """Say what runs and why, in the order of precedence: tuning file, else native."""
    if not picks:
        return (
            f"pick: {NATIVE}: nothing was measured for {question.ranks} ranks on {question.node_count} nodes in "
            f"{tuning_path} (thalweg tune does), and a prediction alone never takes native's place"
        )
    pick, tuning = picks[0]
    at = "" if pick.bytes == question.size else f", at {size_text(pick.bytes)}, the nearest size measured"
    gain = pick.native_seconds / pick.seconds if pick.seconds else 1.0
    compared = (
        f"native {time_text(pick.native_seconds)} was not surely beaten"
        if pick.use == NATIVE
        else f"{time_text(pick.seconds)} against native's {time_text(pick.native_seconds)} ({gain:.2f} times faster)"
    )
    note = (
        f"; thalweg run -n tells the library so, and jobs that were started otherwise run {pick.fallback or NATIVE}"
        if pick.library_algorithm
        else ""
    )
    where = tuning.machine.describe()
    return f"pick: {pick.use}: {compared} in {pick.trials} trials by {pick.source}{at}, on {where}{note}"


def unit_size(call: str, total: float, ranks: int) -> int:
    """Give the bytes of a unit from the payload of one rank's call, as reports count it."""
    if call in _CALLS_WITH_WHOLE_VECTOR or call in ("gather", "scatter", "allgather", "allgatherv", "barrier"):
        return round(total)
    return round(total / max(ranks, 1))


def _tuning_path(given: str) -> str:
    """Name the tuning file: one that the user names has to be there."""
    if given and not os.path.exists(given):
        raise ThalwegError(SETTINGS, f"there is no tuning file {given}", "name another, or make it: thalweg tune")
    return given or default_tuning_file(os.environ)


def explain_report(path: str, machine_file: str, tuning_file: str) -> None:
    """Explain every collective call site of a finished run."""
    remedy = "thalweg run --report FILE writes one"
    text = read_text(path, remedy)
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ThalwegError(USAGE, f"{path} is no report of a run: {error}", remedy) from error
    if not isinstance(report, dict) or report.get("format") != REPORT:
        raise ThalwegError(USAGE, f"{path} is no report of a run", "thalweg run --report FILE writes one")
    machine_path = machine_file or _machine_of(report) or files.newest(os.environ)
    machine = files.load(machine_path) if machine_path else _default_machine(report)
    tuning = store.of_job(store.load(_tuning_path(tuning_file)), report.get("fingerprint") or [])
    console = Console(soft_wrap=True, highlight=False, emoji=False)
    console.print(
        f"{' '.join(report['command'])}: {report['mpi']['library']}; {report.get('tuning') or 'no tuning file'}"
    )
    console.print(f"machine: {machine.title}")
    for site in report["calls"]:
        for line in site_lines(site, report, machine, tuning):
            console.print(line)
    for stream in report.get("streams", []):
        for line in stream_lines(stream):
            console.print(line)


def _machine_of(report: Mapping[str, Any]) -> str:
    fingerprint = report.get("fingerprint") or []
    path = files.file_of(fingerprint, os.environ) if len(fingerprint) == store.FINGERPRINT_LINES else None
    return str(path) if path and path.exists() else ""


def _default_machine(report: Mapping[str, Any]) -> _core.Machine:
    machine = _core.default_machine()
    fingerprint = report.get("fingerprint") or []
    if len(fingerprint) == store.FINGERPRINT_LINES:
        machine.cores = int(fingerprint[1])
    return machine


def site_lines(
    site: Mapping[str, Any], report: Mapping[str, Any], machine: _core.Machine, tuning: Sequence[_core.Tuning]
) -> list[str]:
    """Tell of one call site: what ran, what was measured, what the model expects of others."""
    ranks = site["communicator_ranks"]
    ran = ", ".join(_ending(ending) for ending in site["ran_on"])
    calls = max(site["calls"], 1)
    mean = time_text(site["time_ns"] * 1e-9 / calls)
    size = site["bytes"] / calls
    lines = [f"{site['function']} at {site['source']}: {site['calls']} calls, {size:.0f} B, mean {mean}; ran on {ran}"]
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
    call = site["function"].removeprefix("MPI_").removeprefix("I").lower().removesuffix("_init").removesuffix("_c")
    call = {"bcast": "broadcast"}.get(call, call)
    if call not in _core.calls() or ranks <= 1:
        lines.append("  no alternatives: " + ("one rank" if ranks == 1 else "no collective that strategies serve"))
        return lines
    per_node = -(-ranks // min(ranks, report["nodes"]))
    question = Question(call, unit_size(call, size, ranks), ranks, per_node)
    is_nonblocking = site["function"].startswith("MPI_I")
    picks = known_picks(tuning, question, nonblocking=is_nonblocking)
    learned = learned_of(report, call, ranks, question.size)
    lines += [f"  {line}" for entry in learned for line in learned_lines(entry)]
    if picks or not learned:
        lines.append("  " + ("nonblocking " if is_nonblocking else "") + reason(question, picks, "the tuning file"))
    if call.endswith(("v", "w")) or call.startswith("neighbor"):
        lines.append("  not predicted: its sizes are known to each rank alone")
        return lines
    space = candidates(question, machine)
    best = "; ".join(f"{one.text} {time_text(one.seconds)}" for one in space[:_SHOWN])
    lines.append(f"  the model's first of {len(space)} candidates: {best}")
    return lines


def _ending(ending: Mapping[str, Any]) -> str:
    why = ending.get("passed_on_because")
    return f"{ending['strategy']} ({ending['calls']} calls{': ' + why if why else ''})"
