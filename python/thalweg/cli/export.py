"""`thalweg export`: the libraries' own tuning formats."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg.cli.probe import LAUNCHER_HELP
from thalweg.errors import USAGE, ThalwegError


def export(
    launcher: Annotated[list[str] | None, typer.Argument(metavar="[-- LAUNCHER…]", help=LAUNCHER_HELP)] = None,
    *,
    ompi: Annotated[str, typer.Option(metavar="FILE", help="Write dynamic rules of Open MPI 4's coll/tuned.")] = "",
    mpich: Annotated[str, typer.Option(metavar="FILE", help="Write a selection file (JSON) of MPICH 4.")] = "",
    mpi: Annotated[str, typer.Option(help="The MPI's prefix, library or launcher.", show_default="Debian's")] = "",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations, separated by commas.", show_default="all")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit, separated by commas.", show_default="8 to 512Ki")] = "",
    json_file: Annotated[str, typer.Option("--json", metavar="FILE", help="Write the gains here.")] = "",
) -> None:
    """Choose among the MPI library's own algorithms by measurement, and write the library's own rules file.

    Programs then gain without Thalweg. The file is loaded, compared with the library's defaults, and rules that do not
    surely help are dropped.
    """
    if bool(ompi) == bool(mpich):
        raise ThalwegError(USAGE, "thalweg export: for which library?", "give --ompi FILE or --mpich FILE")
    module = importlib.import_module("thalweg.export.command")
    tune = importlib.import_module("thalweg.trials.cases")
    family = "openmpi" if ompi else "mpich"
    names = [word for word in ops.split(",") if word] or list(tune.OPERATIONS)
    cases = tune.cases(names, [size_from_text(size) for size in sizes.split(",") if size] or tune.SIZES)
    module.main(module.Request(family, mpi or family, ranks, launcher or [], lab, cases, ompi or mpich), json_file)
