# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg export`: the libraries' own tuning formats."""

import importlib
import os
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.cli.probe import LAUNCHER_HELP
from thalweg.errors import USAGE, ThalwegError


def export(
    launcher: Annotated[list[str] | None, typer.Argument(metavar="[-- LAUNCHER…]", help=LAUNCHER_HELP)] = None,
    *,
    ompi: Annotated[str, output_file(help="Write dynamic rules of Open MPI 4's coll/tuned.")] = "",
    mpich: Annotated[str, output_file(help="Write a selection file (JSON) of MPICH 4.")] = "",
    intel: Annotated[str, output_file(help="Write Intel MPI's I_MPI_ADJUST settings.")] = "",
    mpi: Annotated[
        str, typer.Option(help="The MPI's prefix, library or launcher.", show_default="Debian's, or I_MPI_ROOT")
    ] = "",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations, separated by commas.", show_default="all")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit, separated by commas.", show_default="8 to 512KiB")] = "",
    json_file: Annotated[str, output_file("--json", help="Write the gains here.")] = "",
) -> None:
    """Choose among the MPI library's own algorithms by measurement, and write the library's own rules file.

    Programs then gain without Thalweg. The file is loaded, compared with the library's defaults, and rules that do not
    surely help are dropped.
    """
    outputs = {family: path for family, path in (("openmpi", ompi), ("mpich", mpich), ("intel", intel)) if path}
    if len(outputs) != 1:
        remedy = "give one of --ompi FILE, --mpich FILE and --intel FILE"
        raise ThalwegError(USAGE, "thalweg export: for which library?", remedy)
    [(family, output)] = outputs.items()
    prefix = mpi or (os.environ.get("I_MPI_ROOT", "") if family == "intel" else family)
    if not prefix:
        raise ThalwegError(USAGE, "thalweg export: where is Intel MPI?", "set I_MPI_ROOT, or give --mpi PREFIX")
    module = importlib.import_module("thalweg.export.command")
    tune = importlib.import_module("thalweg.trials.cases")
    names = [word for word in ops.split(",") if word] or list(tune.OPERATIONS)
    cases = tune.cases(names, [size_from_text(size) for size in sizes.split(",") if size] or tune.SIZES)
    module.main(module.Request(family, prefix, ranks, launcher or [], lab, cases, output), json_file)
