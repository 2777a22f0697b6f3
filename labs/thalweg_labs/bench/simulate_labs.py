# SPDX-License-Identifier: BSD-3-Clause
"""How well simulation predicts: measured times in labs beside simulated ones, from the probe's figures.

Each strategy of every case is measured, with the parameters that the model thinks best for it. It is predicted by the
model, and simulated on levels loggp and flow, on the network that the lab has. The figures are the rank
correlation with the measured times, the median of predicted over measured, and the median of how many times as long or
as short a prediction is.
"""

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from statistics import mean, median
from typing import NamedTuple

from thalweg import _core
from thalweg.rows import Row, make_row, write_rows
from thalweg.simulation.candidates import simulate_candidate
from thalweg.simulation.ground import LEVELS
from thalweg.trials.cases import Case, candidates, node_places
from thalweg.trials.session import Job, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune.run import machine_of

BATCHES = 3
LIMIT = 5
"""A candidate that takes so many times as long as the fastest has one batch."""
PREDICTORS = ("model", *LEVELS)


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: int
    labs: Sequence[str]
    cases: Sequence[Case]


class Accuracy(NamedTuple):
    """How near predictions are to measured times."""

    correlation: float
    ratio: float
    """The median of predicted over measured."""
    error: float
    """The median of how many times too long or too short, at least 1."""


def accuracy(measured: Sequence[float], predicted: Sequence[float]) -> Accuracy:
    """Compare times, one by one."""
    from scipy.stats import spearmanr  # noqa: PLC0415 - slow to import

    ratios = [one / other for one, other in zip(predicted, measured, strict=True)]
    correlation = float(spearmanr(measured, predicted).statistic) if len(ratios) > 1 else 1.0
    return Accuracy(
        correlation if math.isfinite(correlation) else 0.0, median(ratios), median(max(r, 1 / r) for r in ratios)
    )


def simulated(case: Case, names: Sequence[str], job: Job, machine: _core.Machine) -> dict[str, dict[str, float]]:
    """Simulate candidates on both levels: seconds by level and candidate, without those that need commutative sums."""
    known, leaves = node_places(job, machine), list(job.leaves)
    seconds: dict[str, dict[str, float]] = {level: {} for level in LEVELS}
    for name in names:
        with suppress(_core.Error):
            for level, found in seconds.items():
                one = simulate_candidate(
                    f"{case.call}={name}",
                    case.size,
                    job.nodes,
                    machine,
                    known,
                    leaves=leaves,
                    level=level,
                    explained_max=0,
                )
                found[name] = one.seconds
    return seconds


def compare(
    case: Case, measured: Mapping[str, float], predicted: Mapping[str, float], job: Job, machine: _core.Machine
) -> dict[str, Accuracy]:
    """Hold the model and both levels against a case's measured times."""
    found = {"model": predicted, **simulated(case, [name for name in predicted if name in measured], job, machine)}
    names = list(found[LEVELS[-1]])
    times = [measured[name] for name in names]
    return {predictor: accuracy(times, [found[predictor][name] for name in names]) for predictor in PREDICTORS}


def best_of_strategies(space: Sequence[_core.Candidate]) -> dict[str, float]:
    """Give the first candidate of each strategy with its predicted seconds, from candidates in the model's order."""
    found: dict[str, tuple[str, float]] = {}
    for candidate in space:
        if not candidate.is_bound:
            found.setdefault(candidate.text.split(":")[0], (candidate.text, candidate.seconds))
    return dict(found.values())


def measure(session: Session, case: Case, names: Sequence[str]) -> dict[str, float]:
    """Measure candidates: the medians of some batches, in seconds."""
    samples = session.measure(case.operation, case.size, names, batches=BATCHES, limit=LIMIT)
    return {name: median(one.completion_us) * 1e-6 for name, one in samples.items() if one.completion_us}


def run(request: Request, json_file: str) -> None:
    """Measure all cases in all labs, print and write the figures."""
    program = trial_program(request.mpi, os.environ)
    rows: list[Row] = []
    for lab in request.labs:
        all_found: list[dict[str, Accuracy]] = []
        with Session(start_words([], request.ranks, program), lab=lab) as session:
            machine = machine_of(session, "", lab)
            for case in request.cases:
                predicted = best_of_strategies(candidates(case, session.job, machine))
                found = compare(case, measure(session, case, list(predicted)), predicted, session.job, machine)
                all_found.append(found)
                rows += rows_of(f"{machine.network or 'star'} {case.name}", found)
                print(f"{machine.network or 'star':<14} {case.name:<22} {words_of(found)}", flush=True)
        means = {
            predictor: Accuracy(*(mean(values) for values in zip(*(one[predictor] for one in all_found), strict=True)))
            for predictor in PREDICTORS
        }
        print(f"{machine.network or 'star':<14} {'mean':<22} {words_of(means)}", flush=True)
    if json_file:
        write_rows(rows, json_file)


def words_of(found: Mapping[str, Accuracy]) -> str:
    """Write the figures for a line."""
    return "; ".join(
        f"{predictor}: rho {one.correlation:.2f}, ratio {one.ratio:.2f}, off {one.error:.2f}"
        for predictor, one in found.items()
    )


def rows_of(name: str, found: Mapping[str, Accuracy]) -> list[Row]:
    """Write the figures as rows, ideal values as the peer's."""
    rows: list[Row] = []
    for predictor, one in found.items():
        rows += [
            make_row(name, f"rank correlation of {predictor}", "rho", one.correlation, 1.0, "measured"),
            make_row(name, f"{predictor} / measured", "ratio", one.ratio, 1.0, "measured"),
            make_row(name, f"times that {predictor} is off", "ratio", one.error, 1.0, "measured"),
        ]
    return rows
