# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of calls that go on beside a computation."""

import importlib
from typing import Annotated

import typer

from thalweg.errors import USAGE, ThalwegError
from thalweg_labs.bench.options import JSON, cases, words


def overlap(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi,mpich",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2,4",
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    hosts: Annotated[
        int, typer.Option(help="Make a lab of so many hosts, with a rank on each; 0: this node.", min=0)
    ] = 0,
    rate: Annotated[str, typer.Option(help="Of that lab's links.")] = "200mbit",
    ops: Annotated[str, typer.Option(help="Only these nonblocking operations.", show_default="five")] = "",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.")] = "8,8KiB,1MiB",
    tests: Annotated[
        str, typer.Option(help="How often requests are tested within the computation, separated by commas.")
    ] = "4,0",
    batches: Annotated[int, typer.Option(help="Batches of each way, in turns; pairs of them count.", min=1)] = 15,
    progress_thread: Annotated[
        bool, typer.Option("--progress-thread", help="Let each rank's progress thread advance everything.")
    ] = False,
) -> None:
    """Time nonblocking collectives beside a computation: the time that they expose, and that it loses to them."""
    module = importlib.import_module("thalweg_labs.bench.overlap")
    found = cases(ops or ",".join(module.OPERATIONS), sizes)
    if blocking := [case.operation for case in found if not case.is_nonblocking]:
        raise ThalwegError(USAGE, f"{blocking[0]} leaves nothing to overlap", f"name i{blocking[0]}")
    if hosts and lab:
        raise ThalwegError(USAGE, "--hosts makes a lab, and --lab names one that is up", "give one of the two")
    numbers = [[_number(word) for word in words(text)] for text in (ranks, tests)]
    request = module.Request(words(mpi), numbers[0], lab, found, numbers[1], batches, progress_thread)
    if not hosts:
        module.run(request, json_file)
        return
    made_lab = importlib.import_module("thalweg_labs.bench.lab_jobs").made_lab
    with made_lab("overlap", hosts, "star", (rate, ""), 0) as made:
        module.run(request._replace(ranks=[hosts], lab=made.name), json_file)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ThalwegError(USAGE, f"'{text}' is no number", "write numbers with commas between them: 2,4")
    return int(text)
