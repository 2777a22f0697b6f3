# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain`: what would run for a call, or what ran, and why."""

import os
from typing import Annotated

import typer

from thalweg.cli.options import Degree, MachineFile, NodeList, Ranks, RanksPerNode, TuningFile, words_in
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError

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
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates.")] = False,
    closed_forms: Annotated[
        bool, typer.Option("--closed-forms", help="Show what the papers' equations say beside the model.")
    ] = False,
    simulated: Annotated[
        bool, typer.Option("--simulate", help="Show what a simulation says whose messages share links, and which link.")
    ] = False,
    html: Annotated[str, output_file(help="Write the answer for a call as a page.", show_default=False)] = "",
) -> None:
    """Say which strategy runs for a call, and why.

    Its alternatives stand beside it. Of a report, each call of the run is explained. Of a recorded pattern, or a
    program that has been recorded, the answer is what `thalweg run --place auto` does and why.
    """
    if ranks > RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg tune explain: {ranks} ranks are too many", f"choose at most {RANKS_MAX}")
    names = words_in(hosts)
    if html and (what.endswith((".json", ".pattern")) or os.path.isfile(what)):
        raise ThalwegError(
            USAGE, f"thalweg tune explain: --html is for calls, not for {what}", f"thalweg report {what}"
        )
    if _explains_placing(what, node_list, names):
        return
    if what.endswith(".json") or os.path.isfile(what):
        from thalweg.tune.explain_report import explain_report  # noqa: PLC0415

        explain_report(what, machine, tuning)
        return
    from thalweg.tune.explain import explain_call, question_of  # noqa: PLC0415

    question = question_of(what, size_from_text(size), ranks, ranks_per_node or ranks, node_list, tuple(names), degree)
    explain_call(question, machine, tuning, 0 if everything else _SHOWN, closed_forms=closed_forms, simulated=simulated)
    if html:
        from thalweg.pages.writing import write_page  # noqa: PLC0415
        from thalweg.terminal import print_line  # noqa: PLC0415
        from thalweg.tune.explain_page import explain_page  # noqa: PLC0415

        print_line(write_page(explain_page(question, machine, tuning), html))


def _explains_placing(what: str, node_list: str, hosts: list[str]) -> bool:
    """Explain the placing of a pattern's or a program's ranks, if it is one."""
    from thalweg.placement.explain_placing import explain_placing, patterns_of  # noqa: PLC0415

    is_program = os.path.isfile(what) and os.access(what, os.X_OK)
    patterns = [what] if what.endswith(".pattern") else patterns_of(what, 0) if is_program else []
    for pattern in patterns:
        explain_placing(pattern, node_list, hosts)
    return bool(patterns)
