# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune export`: the libraries' own tuning formats."""

import os
from typing import Annotated

import typer

from thalweg.cli.options import Figures, JobRanks, Lab, Launcher, Operations, UnitSizes, words_in
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError

_FORMATS = ("openmpi", "mpich", "intel")


def _formats() -> list[str]:
    return list(_FORMATS)


def export(
    launcher: Launcher = None,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="openmpi|mpich|intel",
            help="Open MPI 4's dynamic rules of coll/tuned, MPICH 4's selection file (JSON), or Intel MPI's settings "
            "I_MPI_ADJUST.",
            autocompletion=_formats,
            show_default=False,
        ),
    ],
    output: Annotated[str, output_file("--output", "-o", help="The rules file to write.", show_default=False)],
    mpi: Annotated[
        str, typer.Option(help="The MPI's prefix, library or launcher.", show_default="Debian's, or I_MPI_ROOT")
    ] = "",
    ranks: JobRanks = 2,
    lab: Lab = "",
    ops: Operations = "",
    sizes: UnitSizes = "",
    figures: Figures = "",
) -> None:
    """Write the best algorithms as the MPI library's own rules.

    Its algorithms are measured, and programs then gain without Thalweg. The file is loaded, compared with the library's
    defaults, and rules that do not surely help are dropped.
    """
    if form not in _FORMATS:
        raise ThalwegError(USAGE, f"thalweg tune export: --format {form}", f"choose {', '.join(_FORMATS)}")
    prefix = mpi or (os.environ.get("I_MPI_ROOT", "") if form == "intel" else form)
    if not prefix:
        raise ThalwegError(USAGE, "thalweg tune export: where is Intel MPI?", "set I_MPI_ROOT, or give --mpi PREFIX")
    from thalweg.export.command import export_rules  # noqa: PLC0415
    from thalweg.trials.cases import OPERATIONS, SIZES, cases  # noqa: PLC0415

    export_rules(
        form,
        output,
        mpi=prefix,
        ranks=ranks,
        launcher=launcher or [],
        lab=lab,
        cases=cases(words_in(ops) or list(OPERATIONS), [size_from_text(size) for size in words_in(sizes)] or SIZES),
        figures=figures,
    )
