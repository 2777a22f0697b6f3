# SPDX-License-Identifier: BSD-3-Clause
"""Time strategies whose ranks are numbered along the machine beside the same in the order of ranks.

All take turns in one job, batch by batch, so each batch of one has a batch of the other beside it: the median of the
pairs' ratios counts. The library's own call is measured beside them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.rows import Row, paired_row, write_rows
from thalweg.strategies import all_strategies
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Samples, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import size_text, time_text

ORDERS = ("tour", "places")
_PARAMETER = "order"


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: int
    lab: str
    cases: Sequence[Case]
    strategies: Sequence[str]
    batches: int


def ordered_strategies(operation: str, chosen: Sequence[str]) -> list[str]:
    """Name the strategies of an operation that take an order, or those chosen among them."""
    names = [
        entry.name
        for entry in all_strategies(operation)
        if any(parameter.name == _PARAMETER for parameter in entry.parameters)
    ]
    return [name for name in names if not chosen or name in chosen]


def rows_of(case: Case, ranks: int, samples: Mapping[str, Samples]) -> Iterator[Row]:
    """Put each strategy in each order beside the same in the order of ranks, and beside native."""
    for name, ours in samples.items():
        strategy, has_order, _ = name.partition(f":{_PARAMETER}=")
        for peer, title in ((strategy, "the order of ranks"), (NATIVE, NATIVE)) if has_order else ():
            pairs = list(zip(ours.completion_us, samples[peer].completion_us, strict=True))
            what = f"{case.operation} {name}, {size_text(case.size)}, {ranks} ranks"
            yield paired_row(what, "completion time", "us", pairs, title)


def run(request: Request, json_file: str) -> None:
    """Measure, print, and write the rows."""
    rows: list[Row] = []
    for mpi in request.mpis:
        words = start_words([], request.ranks, trial_program(mpi, os.environ))
        with Session(words, lab=request.lab) as session:
            for case in request.cases:
                names = ordered_strategies(case.operation, request.strategies)
                if not names:
                    message = f"thalweg bench: no such strategy of {case.operation} takes an order"
                    raise ThalwegError(USAGE, message, f"`thalweg strategies {case.operation}` lists them")
                uses = [NATIVE, *(use for name in names for use in (name, *(f"{name}:order={one}" for one in ORDERS)))]
                samples = session.measure(case.operation, case.size, uses, batches=request.batches)
                for row in rows_of(case, session.job.ranks, samples):
                    row["case"] = f"{mpi}: {row['case']}"
                    print(_line(row), flush=True)
                    rows.append(row)
    if json_file:
        write_rows(rows, json_file)


def _line(row: Row) -> str:
    ours, peer = (time_text(figure * 1e-6) for figure in (row["ours"], row["peer"]))
    return f"{row['case']}: {ours}, {row['peer_name']} {peer}: {row['ratio']:.2f}"
