# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain`: what would run for a call, or what ran, and why."""

import os
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from thalweg.answers.answer import answered, people_apart
from thalweg.cli.options import Degree, JsonFile, MachineFile, NodeList, Ranks, RanksPerNode, TuningFile, words_in
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line

if TYPE_CHECKING:
    from thalweg.tune.explain import Question

_SHOWN = 12
RANKS_MAX = 1 << 16


def explain(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CALL|REPORT|PATTERN|PROGRAM",
            help="A collective, as allreduce or ialltoall; a run's report; a recorded pattern, or the program of one.",
        ),
    ],
    *,
    size: Annotated[str, typer.Option("--bytes", help="Bytes of a unit: what a pair, rank or vector has.")] = "8",
    degree: Degree = 0,
    ranks: Ranks = 2,
    ranks_per_node: RanksPerNode = 0,
    machine: MachineFile = "",
    tuning: TuningFile = "",
    node_list: NodeList = "",
    hosts: Annotated[
        str, typer.Option(metavar="NAME,…", help="The job's, in its order.", show_default="all of the list")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates, or all calls.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Of a report: say of each call site what was measured and is expected.")
    ] = False,
    closed_forms: Annotated[
        bool, typer.Option("--closed-forms", help="Show what the papers' equations say beside the model.")
    ] = False,
    simulated: Annotated[
        bool, typer.Option("--simulate", help="Show what a simulation says whose messages share links, and which link.")
    ] = False,
    html: Annotated[str, output_file(help="Write the answer for a call as a page.", show_default=False)] = "",
    json_file: JsonFile = "",
) -> None:
    """Say which strategy runs for a call, and why.

    Its alternatives stand beside it. Of a report, each kind of call has a row: what ran, what would run now, and what
    that may save. Of a recorded pattern, or a program that has been recorded, the answer is what `thalweg run --place
    auto` does and why.
    """
    if ranks > RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg tune explain: {ranks} ranks are too many", f"choose at most {RANKS_MAX}")
    names = words_in(hosts)
    if html and (what.endswith((".json", ".pattern")) or os.path.isfile(what)):
        raise ThalwegError(
            USAGE, f"thalweg tune explain: --html is for calls, not for {what}", f"thalweg report {what}"
        )
    if _explains_placing(what, node_list, names, json_file):
        return
    if what.endswith(".json") or os.path.isfile(what):
        from thalweg.tune.explain_report import explain_report  # noqa: PLC0415

        explain_report(what, machine, tuning, has_details=details, is_whole=everything, json_file=json_file)
        return
    from thalweg.tune.explain import question_of  # noqa: PLC0415

    question = question_of(what, size_from_text(size), ranks, ranks_per_node or ranks, node_list, tuple(names), degree)
    shown = Shown(0 if everything else _SHOWN, closed_forms=closed_forms, simulated=simulated)
    _explain_call(question, machine, tuning, shown, html=html, json_file=json_file)


class Shown(NamedTuple):
    """What people see of a call: at most so many candidates, 0 for all, and columns that are asked for."""

    limit: int
    closed_forms: bool
    simulated: bool


def _explain_call(question: "Question", machine: str, tuning: str, shown: Shown, *, html: str, json_file: str) -> None:
    from thalweg.tune.explain import explained, explained_data, print_explained  # noqa: PLC0415

    found = explained(question, machine, tuning)
    if not answered("tune explain", explained_data(found), json_file):
        print_explained(found, shown.limit, closed_forms=shown.closed_forms, simulated=shown.simulated)
    if html:
        from thalweg.pages.writing import write_page  # noqa: PLC0415
        from thalweg.tune.explain_page import explain_page  # noqa: PLC0415

        with people_apart(json_file):
            print_line(write_page(explain_page(question, machine, tuning), html))


def _explains_placing(what: str, node_list: str, hosts: list[str], json_file: str) -> bool:
    """Explain the placing of a pattern's or a program's ranks, if it is one."""
    from thalweg.placement.explain_placing import explained_placing, patterns_of  # noqa: PLC0415

    is_program = os.path.isfile(what) and os.access(what, os.X_OK)
    patterns = [what] if what.endswith(".pattern") else patterns_of(what, 0) if is_program else []
    found = [explained_placing(pattern, node_list, hosts) for pattern in patterns]
    if found and not answered("tune explain", {"kind": "placing", "placings": found}, json_file):
        for one in found:
            for line in one["findings"]:
                print(line)
    return bool(found)
