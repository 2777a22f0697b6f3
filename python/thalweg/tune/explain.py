# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain CALL`: what would run for a call, and why."""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from rich.table import Table

from thalweg import _core
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.machine import files
from thalweg.machine.slopes import described_slopes
from thalweg.settings.layers import default_tuning_file
from thalweg.terminal import output_console, print_line, print_next
from thalweg.trials.cases import BY_DEGREE, NONBLOCKING, OPERATIONS, remark_on_routes
from thalweg.trials.session import NATIVE
from thalweg.tune import store
from thalweg.units import count_text, partners_text, size_text, time_text
from thalweg.words import did_you_mean


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

    degree: float = 0
    """To how many others a rank has something, where the call has blocks that may be empty; 0: to all."""

    is_nonblocking: bool = False
    """Whether the program goes on between the call's begin and its end."""

    mode: str = ""
    """How far a team's call synchronizes its ranks, as tuning files name it; empty: it is none of a team."""

    @property
    def title(self) -> str:
        """Name the call as it was asked for, its size and whom it goes to: ialltoall of 8 B."""
        size = f" of {size_text(self.size)}" if self.size else ""
        return f"{'i' if self.is_nonblocking else ''}{self.call}{size}{partners_text(self.degree)}"

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
            message = f"{count_text(len(hosts), 'host')} for {count_text(self.node_count, 'node')}"
            raise ThalwegError(USAGE, message, "name them in the list, or with --hosts")
        return files.places_in(self.node_list, hosts[: self.node_count], machine.network)


def question_of(  # noqa: PLR0913, PLR0917 - it has that many sides
    name: str, size: int, ranks: int, ranks_per_node: int, node_list: str, hosts: tuple[str, ...], degree: float = 0
) -> Question:
    """Ask for a call by its name: allreduce, bcast, or ialltoall of nonblocking ones. A barrier has no size."""
    is_nonblocking = name in NONBLOCKING
    own = name.removeprefix("i") if is_nonblocking else name
    call = {"bcast": "broadcast", "reduce_scatter": "reduce_scatter_block"}.get(own, own)
    own_size = 0 if call == "barrier" else size
    return Question(call, own_size, ranks, ranks_per_node, node_list, hosts, degree, is_nonblocking)


def known_picks(
    tuning: Sequence[_core.Tuning], question: Question, *, nonblocking: bool = False
) -> list[tuple[_core.Pick, _core.Tuning]]:
    """List the picks for communicators like the question's, nearest in size and degree first, of all machines."""
    fitting = [
        (pick, one)
        for one in tuning
        for pick in (one.nonblocking if nonblocking else one.of_teams if question.mode else one.picks)
        if (pick.call, pick.ranks, pick.nodes, pick.mode)
        == (question.call, question.ranks, question.node_count, question.mode)
    ]
    others = max(question.ranks - 1, 1)

    def distance(entry: tuple[_core.Pick, _core.Tuning]) -> float:
        degree = _ratio(entry[0].degree or others, question.degree or others)
        return _ratio(entry[0].bytes, question.size) * degree

    return sorted(fitting, key=distance)


def _ratio(a: float, b: float) -> float:
    return max(a, b, 1) / max(min(a, b), 1)


def is_measured(pick: _core.Pick, question: Question) -> bool:
    """Tell whether a pick is of the question's own size and degree."""
    return pick.bytes == question.size and (pick.degree or question.ranks - 1) == (
        question.degree or question.ranks - 1
    )


def candidates(question: Question, machine: _core.Machine) -> list[_core.Candidate]:
    """List the candidates in the model's order; none of neighborhoods without a degree: the graph is the program's."""
    if question.call.startswith("neighbor_") and not question.degree:
        return []
    try:
        where = question.places(machine)
        return _core.candidates(
            question.call, question.size, question.ranks, question.nodes, machine, node_places=where,
            degree=question.degree,
        )  # fmt: skip
    except _core.Error as error:
        raise ThalwegError(USAGE, *error.args) from error


def predicted_text(candidate: _core.Candidate) -> str:
    """Write the predicted time; of what is far behind only a bound is known."""
    return ("> " if candidate.is_bound else "") + time_text(candidate.seconds)


def closed_form(question: Question, candidate: _core.Candidate, machine: _core.Machine) -> tuple[float, str] | None:
    """Give the seconds by the papers' equation and whose it is; nothing where there is none."""
    selection = f"{question.call}={candidate.text}"
    return _core.closed_form(selection, question.size, question.ranks, machine, question.nodes, question.degree)


def simulated_cells(question: Question, candidate: _core.Candidate, machine: _core.Machine) -> list[str]:
    """Give the time by level flow, and what of it the critical path waits for links, with the one it waits most for."""
    from thalweg.simulation.candidates import simulate_candidate  # noqa: PLC0415 - slow to import

    selection = f"{question.call}={candidate.text}"
    try:
        where = question.places(machine)
        found = simulate_candidate(selection, question.size, question.nodes, machine, where, degree=question.degree)
    except _core.Error:
        return ["", ""]  # it needs operators that commute, which samples do not take for granted
    waiting = found.why.get("sharing", 0) / 1e9
    link = f", most at {found.link_name(found.links_on_path[0][0])}" if waiting and found.links_on_path else ""
    return [time_text(found.seconds), f"{time_text(waiting)}{link}" if waiting else ""]


class Explained(NamedTuple):
    """A call's candidates in the model's order, and what was measured of it."""

    question: Question
    machine: _core.Machine
    machine_file: str
    space: list[_core.Candidate]
    picks: list[tuple[_core.Pick, _core.Tuning]]
    tuning_path: str

    @property
    def measured(self) -> dict[str, _core.Pick]:
        """Give the picks of just that size and degree, by what they run."""
        return {pick.use: pick for pick, _ in reversed(self.picks) if is_measured(pick, self.question)}

    @property
    def native_seconds(self) -> float | None:
        """Give what the library's own was measured to take; None where it was not."""
        has_case = self.picks and is_measured(self.picks[0][0], self.question)
        return self.picks[0][0].native_seconds if has_case else None


def explained(question: Question, machine_file: str, tuning_file: str) -> Explained:
    """Find out what would run for a call. Raises ThalwegError for what is no collective."""
    _require_collective(question.call)
    tuning_path = tuning_path_of(tuning_file)
    picks = known_picks(store.load(tuning_path), question, nonblocking=question.is_nonblocking)
    tuned = files.titled(picks[0][1].machine.describe(), os.environ) if picks else ""
    path = machine_file or tuned or files.newest(os.environ)
    machine = files.load(path) if path else _core.default_machine()
    return Explained(question, machine, path, candidates(question, machine), picks, tuning_path)


def explained_data(found: Explained) -> dict[str, Any]:
    """Give it as plain data, all candidates; times in seconds."""
    question, measured = found.question, found.measured
    return {
        "kind": "call",
        "call": f"{'i' if question.is_nonblocking else ''}{question.call}",
        "bytes": question.size,
        "degree": question.degree,
        "ranks": question.ranks,
        "nodes": question.node_count,
        "machine": found.machine.title,
        "machine_file": found.machine_file,
        "candidates": [
            {
                "candidate": one.text,
                "predicted_s": one.seconds,
                "is_bound": one.is_bound,
                "cpu_s": one.cpu_seconds,
                "measured_s": measured[one.text].seconds if one.text in measured else None,
            }
            for one in found.space
        ],
        "native_s": found.native_seconds,
        "pick": found.picks[0][0].use if found.picks else NATIVE,
        "reason": reason(question, found.picks, found.tuning_path),
    }


def print_explained(found: Explained, limit: int, *, closed_forms: bool = False, simulated: bool = False) -> None:
    """Print candidates, measurements and the pick; also the times of the papers' equations, and of a simulation."""
    question, space = found.question, found.space
    console = output_console()
    console.print(
        f"{question.title}, {count_text(question.ranks, 'rank')} on {count_text(question.node_count, 'node')}"
    )
    console.print(f"machine: {found.machine.title}" + (f" ({found.machine_file})" if found.machine_file else ""))
    for line in described_slopes(found.machine):
        console.print(line)
    if remark := remark_on_routes(question.node_count, question.places(found.machine)):
        console.print(remark)
    forms = {
        one.text: form
        for one in (space[: limit or len(space)] if closed_forms else [])
        if (form := closed_form(question, one, found.machine))
    }
    console.print(_table(found, limit, forms, closed_forms=closed_forms, simulated=simulated))
    if forms:
        sources = {text.split(":")[0]: source for text, (_, source) in forms.items()}
        console.print("closed forms: " + "; ".join(f"{name}: {source}" for name, source in sources.items()))
    if limit and len(space) > limit:
        console.print(f"… and {len(space) - limit} more candidates (--all)")
    _print_pick(question, found.picks, found.tuning_path)


def _table(
    found: Explained, limit: int, forms: Mapping[str, tuple[float, str]], *, closed_forms: bool, simulated: bool
) -> Table:
    headers = ["candidate", "predicted", "CPU per rank", "measured", *(["closed form"] if closed_forms else [])]
    headers += ["simulated", "waits for links"] if simulated else []
    table = Table(*headers, box=None)
    table.columns[0].overflow = "fold"  # it is what --use takes, so nothing of it may be cut off
    measured = found.measured
    for candidate in found.space[: limit or len(found.space)]:
        pick, form = measured.get(candidate.text), forms.get(candidate.text)
        table.add_row(
            candidate.text,
            predicted_text(candidate),
            time_text(candidate.cpu_seconds),
            time_text(pick.seconds) if pick else "",
            *([time_text(form[0]) if form else ""] if closed_forms else []),
            *(simulated_cells(found.question, candidate, found.machine) if simulated else []),
        )
    for use, pick in measured.items():
        if pick.library_algorithm:
            table.add_row(use, "", "", time_text(pick.seconds))
    native = found.native_seconds
    table.add_row(NATIVE, "", "", "" if native is None else time_text(native))
    return table


def tuning_path_of(given: str) -> str:
    """Name the tuning file: one that the user names has to be there."""
    if given and not os.path.exists(given):
        raise ThalwegError(SETTINGS, f"there is no tuning file {given}", "name another, or make it: thalweg tune")
    return given or default_tuning_file(os.environ)


def _require_collective(call: str) -> None:
    if call not in _core.calls():
        near = did_you_mean(call, _core.calls())
        raise ThalwegError(USAGE, f"{call!r} is no collective{near}", "thalweg strategies lists them")


def _print_pick(question: Question, picks: Sequence[tuple[_core.Pick, _core.Tuning]], tuning_path: str) -> None:
    """Say what runs and why; where nothing was measured, the command that does."""
    print_line(reason(question, picks, tuning_path))
    later = [] if question.is_nonblocking else known_picks(store.load(tuning_path), question, nonblocking=True)
    if later:
        print_line("nonblocking " + reason(question, later, tuning_path))
    if not picks and (command := command_for(question)):
        print_next(command)


def command_for(question: Question) -> str:
    """Write the command that measures the question's call; empty where none does."""
    kinds = NONBLOCKING if question.is_nonblocking else {**OPERATIONS, **BY_DEGREE}
    operations = [operation for operation, call in kinds.items() if call == question.call]
    if not operations:
        return ""
    degrees = f" --degrees {max(1, round(question.degree))}" if question.degree and not question.is_nonblocking else ""
    return tune_command(question.ranks, operations, [question.size]) + degrees


def tune_command(ranks: int, operations: Collection[str], sizes: Collection[int]) -> str:
    """Write the command that measures some operations, ready to be pasted; sizes as trials take them."""
    words = f"thalweg tune -n {ranks} --ops {','.join(sorted(operations))}"
    tried = sorted({max(8, (size + 4) // 8 * 8) for size in sizes if size > 0})
    return words + (f" --bytes {','.join(map(str, tried))}" if tried else "")


def case_text(pick: _core.Pick) -> str:
    """Write what a pick was measured at: 64 KiB, or 64 KiB to 4 others each."""
    return f"{size_text(pick.bytes)}{partners_text(pick.degree)}"


def reason(question: Question, picks: Sequence[tuple[_core.Pick, _core.Tuning]], tuning_path: str) -> str:
    """Say what runs and why, in the order of precedence: tuning file, else native."""
    if not picks:
        return (
            f"pick: {NATIVE}: nothing was measured for {count_text(question.ranks, 'rank')} on "
            f"{count_text(question.node_count, 'node')} in {tuning_path}, and a prediction alone never replaces it"
        )
    pick, tuning = picks[0]
    at = "" if is_measured(pick, question) else f", at {case_text(pick)}, the nearest that was measured"
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
    figure = f"; {_FIGURES[pick.objective]}" if pick.objective in _FIGURES else ""
    return (
        f"pick: {pick.use}: {compared} in {pick.trials} trials by {pick.source}{at}, on {where}"
        f"{figure}{overlap_text(pick)}{note}"
    )


_FIGURES = {
    "cpu": "compared by processor time of all ranks",
    "overlap": "compared by exposed and lost time together",
}


def overlap_text(pick: _core.Pick) -> str:
    """Write the three figures of a nonblocking call beside native's; nothing where they were not measured."""
    if pick.overlaps is None:
        return ""
    mine, native = pick.overlaps.pick, pick.overlaps.native
    figures = [
        f"{name} {time_text(ours)}" + ("" if pick.use == NATIVE else f" (native {time_text(theirs)})")
        for name, ours, theirs in (
            ("exposed", mine.exposed, native.exposed),
            ("lost", mine.lost, native.lost),
            ("complete after", mine.completion, native.completion),
        )
    ]
    return "; " + ", ".join(figures)
