# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune search`: find the best strategies of this machine."""

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.cli.options import (
    Figures,
    Lab,
    Launcher,
    MachineFile,
    Operations,
    TuningFile,
    UnitSizes,
    words_in,
)
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line, print_next
from thalweg.tune.promise import USUAL_BUDGET

if TYPE_CHECKING:
    from thalweg.tune.wanted import RunToTune

# The report has them, if there is one.
_Ranks = Annotated[
    int | None,
    typer.Option(
        "--ranks", "-n", help="Number of ranks, where no launcher is given.", show_default="2, or the report's"
    ),
]
_Mpi = Annotated[
    str,
    typer.Option(
        help="The MPI: openmpi, mpich, or a prefix, library or launcher.", show_default="openmpi, or the report's"
    ),
]
_Degrees = Annotated[
    str, typer.Option(help="Of alltoallv, to how many others a rank has something: 1,4,all.", show_default="all")
]

_Report = Annotated[
    str,
    typer.Option("--for", metavar="REPORT", help="Tune what a run spent its time in: its calls, sizes and ranks."),
]
_Objective = Annotated[
    str,
    typer.Option(
        help="The figure that counts: time, cpu (of all ranks) or overlap (that a computation is held up).",
        show_default="overlap for nonblocking calls, else time",
    ),
]


def search(
    launcher: Launcher = None,
    *,
    of_report: _Report = "",
    ranks: _Ranks = None,
    mpi: _Mpi = "",
    lab: Lab = "",
    ops: Operations = "",
    sizes: UnitSizes = "",
    degrees: _Degrees = "",
    objective: _Objective = "",
    budget: Annotated[str, typer.Option(help="Time for the search.")] = USUAL_BUDGET,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", help="Try every candidate, whatever it takes.")] = False,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Try the MPI library's own algorithms too.")
    ] = True,
    machine: MachineFile = "",
    tuning: TuningFile = "",
    figures: Figures = "",
    html: Annotated[str, output_file(help="Write what was found as a page.", show_default=False)] = "",
) -> None:
    """Find the best strategies, and keep them in the tuning file.

    Strategies are tried in the order that the model predicts for the machine file, beside the MPI library's own. With
    --for REPORT, the calls of a run that thalweg run --report FILE described are tuned, those that took the most time
    first, and in the end stands what the run would take with them.
    """
    from thalweg.tune.command import search as search_strategies  # noqa: PLC0415
    from thalweg.tune.command import usual_cases  # noqa: PLC0415
    from thalweg.tune.objective import objective_from_text  # noqa: PLC0415

    if of_report and (ops or sizes or degrees):
        problem = "thalweg tune search: --for has operations, sizes and degrees"
        raise ThalwegError(USAGE, problem, "leave --ops, --bytes and --degrees out")
    of_run, lab = _read_run(of_report, lab, has_launcher=bool(launcher)) if of_report else (None, lab)
    if of_run is not None:
        ranks, mpi = ranks or len(of_run.report.ranks), mpi or of_run.report.library_path
        wanted = [one.case for one in of_run.wanted]
    else:
        partners = [_degree(word) for word in words_in(degrees)]
        wanted = usual_cases(words_in(ops), [size_from_text(size) for size in words_in(sizes)], lab, partners)
    found = search_strategies(
        launcher or [],
        ranks=ranks or 2,
        mpi=mpi or "openmpi",
        lab=lab,
        wanted=wanted,
        budget=budget,
        exhaustive=exhaustive,
        library=library,
        machine=machine,
        tuning=tuning,
        figures=figures,
        html=html,
        objective=objective_from_text(objective),
    )
    if of_run is not None:
        print_line(of_run.expected({one.case: one.outcome.seconds / one.outcome.native_seconds for one in found}))
    if not launcher:
        _print_next(of_run.report.command if of_run is not None else (), ranks or 2, lab, tuning)


def _degree(word: str) -> int:
    """Read a number of other ranks, or all, which is 0."""
    if word != "all" and not (word.isdecimal() and int(word) > 0):
        raise ThalwegError(
            USAGE, f"thalweg tune search: --degrees {word}", "write numbers of other ranks, or all: 1,4,all"
        )
    return 0 if word == "all" else int(word)


def _read_run(path: str, lab: str, *, has_launcher: bool) -> "tuple[RunToTune, str]":
    """Read a report, and say what is tuned for it; with the lab to tune on, which is the run's own if it is up."""
    from thalweg.tune.wanted import describe, lab_of, other_shape, read_run  # noqa: PLC0415

    run = read_run(path)
    lab = lab or ("" if has_launcher else lab_of(run.report))
    if (remark := other_shape(run.report, path)) and not (has_launcher or lab):
        print(f"thalweg: {remark}", file=sys.stderr)
    for line in describe(run.wanted):
        print_line(line)
    return run, lab


def _print_next(command: Sequence[str], ranks: int, lab: str, tuning: str) -> None:
    """Say how to run what was tuned for: the report's own program, where there is one."""
    words = ["thalweg", *(["lab", "run", "--name", lab] if lab else ["run"])]
    words += ["--tuning", tuning] if tuning else []
    words += ["--report", "after.json"] if command else []
    print_next(shlex.join([*words, "-n", str(ranks), "--", *(command or ["./program"])]))
