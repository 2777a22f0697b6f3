# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg setup`: the first look at a machine, which the first `thalweg run` takes by itself."""

from typing import Annotated

import typer

from thalweg.cli.options import Mpi, TuningFile


def setup(
    *,
    ranks: Annotated[
        int | None, typer.Option("--ranks", "-n", min=2, help="Number of ranks.", show_default="one for each core")
    ] = None,
    mpi: Mpi = "openmpi",
    budget: Annotated[str, typer.Option(help="Time for it.")] = "5s",
    tuning: TuningFile = "",
) -> None:
    """Find out within seconds what is surely faster on this machine than the MPI library.

    It is kept in the tuning file, and programs begin with it. The first thalweg run with so many ranks does the same,
    unless --no-setup is given. thalweg tune searches longer, and replaces what this has found.
    """
    import os  # noqa: PLC0415

    from thalweg.launch.cores import core_count  # noqa: PLC0415
    from thalweg.settings.layers import default_tuning_file  # noqa: PLC0415
    from thalweg.terminal import print_next  # noqa: PLC0415
    from thalweg.tune.clock import Clock  # noqa: PLC0415
    from thalweg.tune.command import line, seconds_from_text  # noqa: PLC0415
    from thalweg.tune.setup import Look, look  # noqa: PLC0415

    count = ranks or max(core_count(), 2)
    file = tuning or default_tuning_file(os.environ)
    look(Look(mpi, count, file, Clock(seconds_from_text(budget))), lambda one: print(line(one)))
    print_next(f"thalweg tune -n {count} --mpi {mpi}")
