# SPDX-License-Identifier: BSD-3-Clause
"""Which search finds a fast strategy with few trials: the best after k tries, in four orders of the candidates.

All candidates of every case are measured once. The orders are then played on these times: the model's, the tuner's
(the model's, with different strategies first), chance, and that of a classifier. It is a decision tree that tells from
the trials of all other cases which candidates come within a tenth of the best (Nishtala 2009, the talk's comparison of
exhaustive, guided and random search).
"""

import json
import math
import os
import random
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import NamedTuple

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.text_files import write_text
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune.run import machine_of, tune_case
from thalweg.tune.search import EXHAUSTIVE, Effort, different_first

TRIES = (1, 2, 4, 8, 16, 32)
_NEAR = 1.1
"""Times the best that the classifier takes for near."""
_SHUFFLES = 200
_DEPTH = 8
_FOREVER_S = 1e9


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: int
    lab: str
    machine_file: str
    cases: Sequence[Case]
    trials_file: str
    """Where all times are written; empty: nowhere."""


class Measured(NamedTuple):
    """A case's candidates in the model's order, each with its time; native is none of them."""

    case: Case
    seconds: Mapping[str, float]


def best_after(order: Sequence[str], seconds: Mapping[str, float], tries: int) -> float:
    """Give the best time of so many first ones, as a multiple of the best of all."""
    return min(seconds[name] for name in order[:tries]) / min(seconds.values())


def by_chance(seconds: Mapping[str, float], tries: int, seed: int = 1) -> float:
    """Give the median over many random orders."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    names = list(seconds)
    return median(best_after(chance.sample(names, len(names)), seconds, tries) for _ in range(_SHUFFLES))


def features(case: Case, candidate: str) -> dict[str, float]:
    """Describe a candidate for a case by numbers: operation, mode and strategy as words that hold or not."""
    strategy, _, parameters = candidate.partition(":")
    found = {f"call {case.call}": 1.0, f"mode {case.mode}": 1.0, f"strategy {case.call} {strategy}": 1.0}
    found["bytes"] = math.log2(case.size + 1)
    for parameter in filter(None, parameters.split(":")):
        name, _, value = parameter.partition("=")
        found |= {f"{name}": math.log2(float(value) + 1)} if value.isdecimal() else {f"{name} {value}": 1.0}
    return found


def classified(of: Measured, others: Sequence[Measured]) -> list[str]:
    """Order a case's candidates by how probably each is near the best, as the trials of other cases teach.

    Of equal ones, the model's order holds. The decision tree is scikit-learn's (Breiman and others 1984).
    """
    try:
        from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - an optional package
        from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415
    except ImportError as error:
        raise ThalwegError(INSTALLATION, "scikit-learn is missing", "install it: pip install scikit-learn") from error
    taught = [(one, name) for one in others for name in one.seconds]
    is_near = [one.seconds[name] <= _NEAR * min(one.seconds.values()) for one, name in taught]
    if not taught or all(is_near) or not any(is_near):
        return list(of.seconds)
    numbers = DictVectorizer(sparse=False)
    tree = DecisionTreeClassifier(max_depth=_DEPTH, class_weight="balanced", random_state=1)
    tree.fit(numbers.fit_transform([features(one.case, name) for one, name in taught]), is_near)
    probable = tree.predict_proba(numbers.transform([features(of.case, name) for name in of.seconds]))[:, 1]
    ranked = sorted(zip(of.seconds, probable, strict=True), key=lambda one: -one[1])
    return [name for name, _ in ranked]


def figures(of: Measured, others: Sequence[Measured]) -> dict[str, list[float]]:
    """Give the best after each number of tries, as multiples of the best of all, by search."""
    orders = {
        "model": list(of.seconds),
        "tuner": different_first(list(of.seconds), Effort().round_size),
        "classifier": classified(of, others),
    }
    found = {name: [best_after(order, of.seconds, tries) for tries in TRIES] for name, order in orders.items()}
    found["random"] = [by_chance(of.seconds, tries) for tries in TRIES]
    return found


def measure(request: Request) -> list[Measured]:
    """Measure every candidate of every case, in one job."""
    program = trial_program(request.mpi, os.environ)
    found = []
    with Session(start_words([], request.ranks, program), lab=request.lab) as session:
        machine = machine_of(session, request.machine_file, request.lab)
        for case in request.cases:
            outcome = tune_case(session, case, machine, EXHAUSTIVE, _FOREVER_S, on_devices=False).outcome
            times = {name: seconds for name, seconds in outcome.medians.items() if name != NATIVE}
            predicted = [name for name in outcome.tried if name in times]
            found.append(Measured(case, {name: times[name] for name in predicted}))
            print(f"{case.name}: {len(times)} candidates", flush=True)
    return found


def run(request: Request, json_file: str) -> None:
    """Measure, print a line for each number of tries, and write the rows."""
    measured = measure(request)
    if request.trials_file:
        write_text(json.dumps([[one.case.operation, one.case.size, dict(one.seconds)] for one in measured]),
                   request.trials_file)  # fmt: skip
    rows: list[Row] = []
    all_figures = []
    for one in measured:
        found = figures(one, [other for other in measured if other is not one])
        all_figures.append(found)
        for search, values in found.items():
            for tries, value in zip(TRIES, values, strict=True):
                rows.append(make_row(one.case.name, f"best after {tries}: {search}", "ratio", value, 1.0, "exhaustive"))
    space = mean(len(one.seconds) for one in measured)
    print(f"best after k tries, times the best of all {space:.0f} candidates (geometric mean, worst case):")
    for index, tries in enumerate(TRIES):
        by_search = {name: [found[name][index] for found in all_figures] for name in all_figures[0]}
        texts = [f"{name} {geometric_mean(times):.2f} ({max(times):.2f})" for name, times in by_search.items()]
        print(f"{tries:>4}: {', '.join(texts)}")
    if json_file:
        write_rows(rows, json_file)
