# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg explain`: what would run for a call, or what ran, and why."""

import importlib
import os
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError

_SHOWN = 12
RANKS_MAX = 1 << 16


def explain(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CALL|REPORT|PATTERN|PROGRAM",
            help="A collective, as allreduce; a run's report; a recorded pattern, or the program that one is of.",
        ),
    ],
    *,
    size: Annotated[str, typer.Option("--bytes", help="Bytes of a unit: what a pair, rank or vector has.")] = "8",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    ranks_per_node: Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.")] = 0,
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="The machine file.", show_default="the last probe's")
    ] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    node_list: Annotated[
        str,
        typer.Option("--node-list", metavar="FILE", help="Where hosts are, as for thalweg run.", show_default=False),
    ] = "",
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
) -> None:
    """Say which strategy runs for a call and why, beside its alternatives; or the same for each call of a run.

    Of a recorded pattern, or a program that has been recorded, say what `thalweg run --place auto` does and why.
    """
    if ranks > RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg explain: {ranks} ranks are too many", f"choose at most {RANKS_MAX}")
    names = [name for name in hosts.split(",") if name]
    placing = importlib.import_module("thalweg.placement.explain_placing")
    is_program = os.path.isfile(what) and os.access(what, os.X_OK)
    if patterns := [what] if what.endswith(".pattern") else placing.patterns_of(what, 0) if is_program else []:
        for pattern in patterns:
            placing.explain_placing(pattern, node_list, names)
        return
    if what.endswith(".json") or os.path.isfile(what):
        importlib.import_module("thalweg.tune.explain_report").explain_report(what, machine, tuning)
        return
    module = importlib.import_module("thalweg.tune.explain")
    call = {"bcast": "broadcast", "reduce_scatter": "reduce_scatter_block"}.get(what, what)
    bytes_of_unit = 0 if call == "barrier" else size_from_text(size)
    question = module.Question(call, bytes_of_unit, ranks, ranks_per_node or ranks, node_list, tuple(names))
    module.explain_call(
        question, machine, tuning, 0 if everything else _SHOWN, closed_forms=closed_forms, simulated=simulated
    )
