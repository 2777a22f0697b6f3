# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune search`: find the best strategies of this machine."""

from typing import Annotated

import typer

from thalweg.cli.options import (
    Figures,
    JobRanks,
    Lab,
    Launcher,
    MachineFile,
    Mpi,
    Operations,
    TuningFile,
    UnitSizes,
    words_in,
)
from thalweg.cli.printing import size_from_text


def search(
    launcher: Launcher = None,
    *,
    ranks: JobRanks = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = "",
    ops: Operations = "",
    sizes: UnitSizes = "",
    budget: Annotated[str, typer.Option(help="Time for the search.")] = "60s",
    exhaustive: Annotated[bool, typer.Option("--exhaustive", help="Try every candidate, whatever it takes.")] = False,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Try the MPI library's own algorithms too.")
    ] = True,
    machine: MachineFile = "",
    tuning: TuningFile = "",
    figures: Figures = "",
) -> None:
    """Find the best strategies, and keep them in the tuning file.

    Strategies are tried in the order that the model predicts for the machine file, beside the MPI library's own.
    """
    from thalweg.tune.command import search as search_strategies  # noqa: PLC0415

    search_strategies(
        launcher or [],
        ranks=ranks,
        mpi=mpi,
        lab=lab,
        operations=words_in(ops),
        sizes=[size_from_text(size) for size in words_in(sizes)],
        budget=budget,
        exhaustive=exhaustive,
        library=library,
        machine=machine,
        tuning=tuning,
        figures=figures,
    )
