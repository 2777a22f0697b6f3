# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine check`: where the MPI library contradicts itself."""

from typing import Annotated

import typer

from thalweg.cli.options import JobRanks, JsonFile, Lab, Launcher, Mpi, TuningFile, words_in
from thalweg.cli.printing import size_from_text


def check(
    launcher: Launcher = None,
    *,
    ranks: JobRanks = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = "",
    sizes: Annotated[
        str, typer.Option("--bytes", help="Bytes of a unit, separated by commas.", show_default="8,1Ki,64Ki")
    ] = "",
    tuning: TuningFile = "",
    json_file: JsonFile = "",
) -> None:
    """Find collectives of the MPI library that contradict others.

    One that is slower than others that achieve as much is shown, with what Thalweg does about it. The exit status is 0
    also where guidelines are violated: that is the library's business.
    """
    from thalweg.tune.check import check_library  # noqa: PLC0415

    check_library(
        launcher or [],
        ranks=ranks,
        mpi=mpi,
        lab=lab,
        sizes=[size_from_text(size) for size in words_in(sizes)],
        tuning=tuning,
        json_file=json_file,
    )
