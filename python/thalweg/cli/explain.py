"""`thalweg explain`: what would run for a call, or what ran, and why."""

import importlib
import os
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text

_SHOWN = 12


def explain(
    what: Annotated[str, typer.Argument(metavar="CALL|REPORT", help="A collective, as allreduce; or a run's report.")],
    *,
    size: Annotated[str, typer.Option("--bytes", help="Bytes of a unit: what a pair, rank or vector has.")] = "8",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    ranks_per_node: Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.")] = 0,
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="The machine file.", show_default="the last probe's")
    ] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates.")] = False,
    closed_forms: Annotated[
        bool, typer.Option("--closed-forms", help="Show what the papers' equations say beside the model.")
    ] = False,
    simulated: Annotated[
        bool, typer.Option("--simulate", help="Show what a simulation says whose messages share links, and which link.")
    ] = False,
) -> None:
    """Say which strategy runs for a call and why, beside its alternatives; or the same for each call of a run."""
    module = importlib.import_module("thalweg.tune.explain")
    if what.endswith(".json") or os.path.isfile(what):
        module.explain_report(what, machine, tuning)
        return
    call = {"bcast": "broadcast", "reduce_scatter": "reduce_scatter_block"}.get(what, what)
    bytes_of_unit = 0 if call == "barrier" else size_from_text(size)
    question = module.Question(call, bytes_of_unit, ranks, ranks_per_node or ranks)
    module.explain_call(
        question, machine, tuning, 0 if everything else _SHOWN, closed_forms=closed_forms, simulated=simulated
    )
