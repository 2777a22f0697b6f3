# SPDX-License-Identifier: BSD-3-Clause
"""Hold the model against measurements: its order of the candidates, and its times.

All candidates of every case are measured (`thalweg tune --exhaustive` without writing a tuning file). The figures: the
rank correlation of predicted and measured times; the regret of the model's first candidate and of the best of its first
three; the part of the space that a search in its order goes through until it is within 3 % of the best; the median of
predicted over measured. Then the guided search itself: its pick's regret, and the part of the space and of the
measurements that it takes. Where a paper has an equation for a candidate, the rows say how far it is from the
simulation.
"""

import os
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import NamedTuple

from thalweg import _core
from thalweg.plots import new_figure, save_figure
from thalweg.rows import Row, make_row, write_rows
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Job, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune.run import Found, machine_of, tune_case
from thalweg.tune.search import EXHAUSTIVE, Effort
from thalweg.units import size_text, time_text

NEAR = 1.03
_FIRST = 3
_FOREVER_S = 1e9


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: int
    lab: str
    machine_file: str
    cases: Sequence[Case]
    plot: str


class Figures(NamedTuple):
    """How well the model does in one case; times are ratios to the best measured."""

    correlation: float
    first: float
    first_three: float
    part_until_near: float
    predicted: float
    guided: float
    guided_part: float
    guided_batches: float


def figures(measured: Mapping[str, float], predicted: Mapping[str, float], guided: Found, batches: int) -> Figures:
    """Compare measured seconds with predicted ones, in the model's order."""
    from scipy.stats import spearmanr  # noqa: PLC0415 - slow to import

    order = [name for name in predicted if name in measured]
    times = [measured[name] for name in order]
    best = min(times)
    near = next(index for index, time in enumerate(times) if time <= NEAR * best) + 1
    pick = guided.outcome.pick
    picked = measured.get(pick, best) if pick != NATIVE else min(best, measured[NATIVE])
    return Figures(
        correlation=float(spearmanr(times, [predicted[name] for name in order]).statistic) if len(order) > 1 else 1.0,
        first=times[0] / best,
        first_three=min(times[:_FIRST]) / best,
        part_until_near=near / len(order),
        predicted=median(predicted[name] / measured[name] for name in order),
        guided=picked / min(best, measured[NATIVE]),
        guided_part=len(guided.outcome.tried) / max(guided.outcome.space, 1),
        guided_batches=guided.outcome.batches / max(batches, 1),
    )


def rows_of(case: Case, found: Figures) -> list[Row]:
    """Write the figures as rows, ideal values as the peer's."""
    descriptions = {
        "first": "regret of the model's first",
        "first_three": "regret of the best of its first three",
        "part_until_near": "part of the space until within 3 %",
        "predicted": "predicted / measured",
        "guided": "regret of the guided search",
        "guided_part": "part of the space that the guided search tried",
        "guided_batches": "part of the exhaustive search's batches that it took",
    }
    values = found._asdict()
    rows = [make_row(case.name, text, "ratio", values[key], 1.0, "exhaustive") for key, text in descriptions.items()]
    return [*rows, make_row(case.name, "rank correlation", "rho", values["correlation"], 1.0, "exhaustive")]


def closed_form_rows(case: Case, predicted: Mapping[str, float], job: Job, machine: _core.Machine) -> list[Row]:
    """Hold the papers' equations against the simulation of schedules: how far they are off, by candidate."""
    rows: list[Row] = []
    for name, seconds in predicted.items():
        form = _core.closed_form(f"{case.call}={name}", case.size, job.ranks, machine, list(job.nodes))
        if form is not None and seconds > 0:
            difference = abs(form[0] / seconds - 1)
            rows.append(
                make_row(case.name, f"closed form of {name}", "relative difference", difference, 0.0, "simulation")
            )
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure all cases, print and write the figures."""
    program = trial_program(request.mpi, os.environ)
    rows: list[Row] = []
    all_figures: list[Figures] = []
    exhaustive: list[Found] = []
    with Session(start_words([], request.ranks, program), lab=request.lab) as session:
        machine = machine_of(session, request.machine_file, request.lab)
        for case in request.cases:
            exhaustive.append(tune_case(session, case, machine, EXHAUSTIVE, _FOREVER_S, on_devices=False))
            guided = tune_case(session, case, machine, Effort(), _FOREVER_S, on_devices=False)
            outcome = exhaustive[-1].outcome
            found = figures(outcome.medians, exhaustive[-1].predicted, guided, outcome.batches)
            all_figures.append(found)
            rows += rows_of(case, found)
            rows += closed_form_rows(case, exhaustive[-1].predicted, session.job, machine)
            print(_line(case, found, exhaustive[-1]), flush=True)
    print("mean: " + _words(Figures(*(mean(values) for values in zip(*all_figures, strict=True)))))
    if json_file:
        write_rows(rows, json_file)
    if request.plot:
        draw(exhaustive, machine, request.plot)


def _words(found: Figures) -> str:
    return (
        f"correlation {found.correlation:.2f}, first {found.first:.2f}, first three {found.first_three:.2f}, near "
        f"after {found.part_until_near:.0%}, predicted/measured {found.predicted:.2f}; guided {found.guided:.2f} after "
        f"{found.guided_part:.0%} of the space, {found.guided_batches:.0%} of the batches"
    )


def _line(case: Case, found: Figures, exhaustive: Found) -> str:
    best = min(
        (name for name in exhaustive.outcome.medians if name != NATIVE), key=exhaustive.outcome.medians.__getitem__
    )
    time = time_text(exhaustive.outcome.medians[best])
    return f"{case.name:<22} {_words(found)} (best: {best}, {time})"


def draw(found: Sequence[Found], machine: _core.Machine, path: str) -> None:
    """Draw predicted over measured times of all candidates, a panel for each operation."""
    operations = list(dict.fromkeys(one.case.operation for one in found))
    figure = new_figure(5 * len(operations), 5)
    figure.suptitle(machine.title, fontsize="small")
    for index, operation in enumerate(operations):
        axes = figure.add_subplot(1, len(operations), index + 1)
        for one in (one for one in found if one.case.operation == operation):
            names = [name for name in one.predicted if name in one.outcome.medians]
            measured = [one.outcome.medians[name] * 1e6 for name in names]
            axes.loglog(measured, [one.predicted[name] * 1e6 for name in names], ".", label=size_text(one.case.size))
        low, high = min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])
        axes.plot([low, high], [low, high], color="0.6", linewidth=1)
        axes.set(title=operation, xlabel="measured, microseconds", ylabel="predicted, microseconds")
        axes.legend()
    save_figure(figure, path)
