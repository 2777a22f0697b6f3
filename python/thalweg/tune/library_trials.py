"""Find the best of a library's own algorithms: one job for each, the default's before, and a last comparison.

An algorithm is chosen by environment variables that libraries read when they start, so algorithms cannot take turns in
one job. What a rules file would change is therefore measured again, default and file in two jobs that take turns, and
rules that do not surely help are dropped.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from thalweg.rules.algorithms import DEFAULT, Algorithm, variables
from thalweg.rules.formats import Rule
from thalweg.rules.library import Choices
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Mode, Samples, Session
from thalweg.tune.statistics import is_faster

BATCHES = 7
LEAST_GAIN = 0.03
Times = dict[Case, dict[Algorithm, Samples]]
Start = Callable[[Mapping[str, str]], Session]
"""Starts a job with these variables."""


def starter(words: Sequence[str], lab: str, mode: Mode = Mode.NATIVE) -> Start:
    """Start jobs by these words."""
    return lambda extra: Session(words, lab=lab, mode=mode, variables=extra)


def rounds(choices: Choices) -> list[dict[str, Algorithm]]:
    """Deal the operations' algorithms into jobs: the k-th job has every operation's k-th algorithm."""
    return [
        {operation: found[index] for operation, found in choices.items() if index < len(found)}
        for index in range(max(map(len, choices.values()), default=0))
    ]


def measure(family: str, cases: Sequence[Case], choices: Choices, start: Start, go_on: Callable[[], bool]) -> Times:
    """Measure the algorithms of every case, job by job, until `go_on` says no behind one of them."""
    times: Times = {case: {} for case in cases}
    operations = list(dict.fromkeys(case.operation for case in cases))
    for chosen in [dict.fromkeys(operations, DEFAULT), *rounds(choices)]:
        extra = {key: value for name, one in chosen.items() for key, value in variables(family, name, one).items()}
        with start(extra) as session:
            for case in cases:
                if case.operation in chosen:
                    times[case][chosen[case.operation]] = _native(session, case)
        if not go_on():
            break
    return times


def _native(session: Session, case: Case) -> Samples:
    return session.measure(case.operation, case.size, [NATIVE], batches=BATCHES)[NATIVE]


def best(times: Mapping[Algorithm, Samples]) -> Algorithm | None:
    """Choose the algorithm that is surely faster than the default; none if there is none."""
    name = min(times, key=lambda one: median(times[one].completion_us))
    default = times[DEFAULT].completion_us
    return name if name != DEFAULT and is_faster(times[name].completion_us, default, least_gain=LEAST_GAIN) else None


def rules_of(times: Mapping[Case, Mapping[Algorithm, Samples]], dropped: Sequence[Case] = ()) -> dict[str, list[Rule]]:
    """Put the best algorithms together as rules, sizes ascending."""
    rules: dict[str, list[Rule]] = {}
    for case in sorted(times, key=lambda case: case.size):
        algorithm = None if case in dropped else best(times[case])
        rules.setdefault(case.operation, []).append(Rule(case.size, algorithm))
    return {operation: found for operation, found in rules.items() if any(rule.algorithm for rule in found)}


def compare(
    cases: Sequence[Case], start: Start, extra: Mapping[str, str], turns: int = 3
) -> dict[Case, tuple[list[float], list[float]]]:
    """Measure default and rules in two jobs that take turns; microseconds of both."""
    result: dict[Case, tuple[list[float], list[float]]] = {case: ([], []) for case in cases}
    with start({}) as default, start(extra) as ruled:
        for case in cases:
            for _ in range(turns):
                for kept, session in zip(result[case], (default, ruled), strict=True):
                    kept.extend(_native(session, case).completion_us)
    return result
