# SPDX-License-Identifier: BSD-3-Clause
"""Run pairs, natively and under Thalweg, and say what was gained and how sure that is."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, PROGRAM, USAGE, ThalwegError
from thalweg.launch.arguments import Arguments, count_of, read_arguments, words_of
from thalweg.launch.first_run import look_first
from thalweg.launch.flags import KEEP, PAIRS, TRY_FLAGS, Parser
from thalweg.launch.plan import make_plan
from thalweg.launch.timed_run import Run, RunFailedError, run
from thalweg.pairs.outputs import compare, text_of
from thalweg.pairs.reasons import Gain, reasons
from thalweg.report.run_report import RunReport
from thalweg.settings.layers import effective_settings
from thalweg.terminal import print_line
from thalweg.text_files import check_writable
from thalweg.units import time_text

NAME = "thalweg try"
PAIR_COUNT = 5
PAIR_COUNT_MAX = 1000
# With fewer pairs the rank-sum test can never be sure.
SURE_PAIR_COUNT_MIN = 4
_DAY_S = 86_400.0
_PLANNINGS = 3
# The least difference of medians that is called one.
_DIFFERENCE_MIN = 0.02


class Way(NamedTuple):
    """A way to run the program."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass
class Pairs:
    """The runs of both ways, in their order."""

    native: list[Run] = field(default_factory=list)
    ours: list[Run] = field(default_factory=list)


def try_words(words: Sequence[str]) -> int | None:
    """Run what stands behind `thalweg try`. Gives the exit status, and None if help is asked for."""
    arguments = read_arguments(words, NAME, TRY_FLAGS)
    if arguments.asks_for_help:
        return None
    given = {one.flag: one.value for one in Parser(NAME, TRY_FLAGS).read(words)[0]}
    count = count_of(given.get(PAIRS, str(PAIR_COUNT)), f"{NAME}: --pairs", PAIR_COUNT_MAX)
    keep = given.get(KEEP, "")
    if keep:
        check_writable(keep, "name another file: --keep FILE")
    if arguments.dry_run:
        raise ThalwegError(USAGE, f"{NAME}: --dry-run starts nothing", "thalweg run --dry-run prints the command")
    with tempfile.TemporaryDirectory(prefix="thalweg-try-") as folder:
        report = str(Path(keep).absolute()) if keep else os.path.join(folder, "report.json")
        native, ours = _ways(arguments, report)
        pairs = _run_pairs(native, ours, count, Path(folder))
        start_s = _planning_s(arguments)
        _conclude(pairs, start_s, _report(report))
    return _end(pairs, keep)


def _ways(arguments: Arguments, report: str) -> tuple[Way, Way]:
    """Give the native command, as `thalweg run` would start it without Thalweg, and the one under Thalweg."""
    environment = dict(os.environ)
    disabled = arguments._replace(flags=arguments.flags | {"disable": True})
    plan = make_plan(disabled, effective_settings(disabled.flags, environment, "."), environment)
    # Before the runs that are timed: what it finds out holds from then on.
    look_first(plan.mpi, plan.ranks, effective_settings(arguments.flags, environment, "."), environment)
    environment["THALWEG_SETUP"] = "0"
    ranks = ["-n", str(arguments.ranks)] if arguments.ranks else []
    settings = words_of(arguments._replace(flags=arguments.flags | {"report": report}))
    ours = [sys.executable, "-m", "thalweg", "run", *ranks, *settings, "--", *arguments.command]
    return Way((plan.path, *plan.command[1:]), plan.environment), Way(tuple(ours), environment)


def _run_pairs(native: Way, ours: Way, count: int, folder: Path) -> Pairs:
    """Run in turns; every second pair is turned round, so that no way always follows the other."""
    pairs = Pairs()
    print_line(f"{'':10}{'library':>11}{'Thalweg':>11}")
    for number in range(count):
        turns = [(native, pairs.native, "natively"), (ours, pairs.ours, "under Thalweg")]
        for way, runs, name in turns if number % 2 == 0 else reversed(turns):
            try:
                runs.append(run(way.command, way.environment, folder, _DAY_S, cwd=Path.cwd()))
            except RunFailedError as error:
                raise ThalwegError(PROGRAM, f"{NAME}: run {number + 1} {name} failed: {error}") from error
        before, after = pairs.native[-1].wall_s, pairs.ours[-1].wall_s
        print(f"  run {number + 1:<4}{time_text(before):>11}{time_text(after):>11}", flush=True)
    return pairs


def _planning_s(arguments: Arguments) -> float:
    """Give the shortest time that `thalweg run` takes before it starts the job: it looks at the program, and plans."""
    ranks = ["-n", str(arguments.ranks)] if arguments.ranks else []
    words = [sys.executable, "-m", "thalweg", "run", "--dry-run", *ranks, *words_of(arguments), "--"]
    times = []
    for _ in range(_PLANNINGS):
        begin_s = time.monotonic()
        subprocess.run([*words, *arguments.command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.monotonic() - begin_s)
    return min(times)


def _report(path: str) -> RunReport | None:
    """Read the report of the last run; a program that makes no MPI call leaves none."""
    from thalweg.report.run_report import read_report  # noqa: PLC0415 - help does without

    return read_report(path) if os.path.exists(path) else None


def _conclude(pairs: Pairs, start_s: float, report: RunReport | None) -> None:
    """Print medians, what they say, and why."""
    print_line("")
    for name, figure in (("wall time", "wall_s"), ("CPU time", "cpu_s")):
        native = [getattr(one, figure) for one in pairs.native]
        ours = [getattr(one, figure) for one in pairs.ours]
        print_line(f"{name:10}{time_text(median(native)):>11}{time_text(median(ours)):>11}  {judgment(native, ours)}")
    more = (max(one.memory_bytes for one in runs) for runs in (pairs.native, pairs.ours))
    print_line("{:10}{:>11}{:>11}  largest process".format("memory", *(f"{size / (1 << 20):.1f} MiB" for size in more)))
    print_line(f"{'start':10}{'':>11}{'+' + time_text(start_s):>11}  to look at the program, of the wall time")
    print_line("")
    gain = Gain(_surely_saved_s(pairs), start_s)
    for reason in reasons(report, gain) if report else ["no rank left a report"]:
        print_line(f"why: {reason}")


def _surely_saved_s(pairs: Pairs) -> float:
    """Give what the median wall time is less, where that is sure and is called a difference; else 0."""
    from thalweg.tune.statistics import is_faster  # noqa: PLC0415 - the compiled core has its constants

    native, ours = ([one.wall_s for one in runs] for runs in (pairs.native, pairs.ours))
    is_sure = is_faster(ours, native) or is_faster(native, ours)
    is_difference = abs(median(native) / median(ours) - 1) >= _DIFFERENCE_MIN
    return median(native) - median(ours) if is_sure and is_difference else 0.0


def _end(pairs: Pairs, keep: str) -> int:
    """Print whether the answers are equal, and the next command; give the exit status."""
    outputs = compare([one.output for one in pairs.native], [one.output for one in pairs.ours])
    print_line(text_of(outputs))
    for line in outputs.lost[:3]:
        print_line(f"  missing: {line}")
    if keep:
        print_line(f"next: thalweg tune --for {keep}")
    else:
        print_line("next: --keep FILE keeps a report, which thalweg tune --for FILE and thalweg report FILE take")
    return FAILED.number if outputs.lost else 0


def judgment(native: Sequence[float], ours: Sequence[float]) -> str:
    """Say by how much ours is less, and whether that is sure."""
    from thalweg.tune.statistics import is_faster  # noqa: PLC0415 - the compiled core has its constants

    before, after = median(native), median(ours)
    if after <= 0 or before <= 0:
        return ""
    words = f"{before / after:.2f} x less" if after < before else f"{after / before:.2f} x more"
    if is_faster(ours, native) or is_faster(native, ours):
        return f"{words}, surely" if abs(before / after - 1) >= _DIFFERENCE_MIN else "the same"
    few = f" with fewer than {SURE_PAIR_COUNT_MIN} pairs" if len(native) < SURE_PAIR_COUNT_MIN else ""
    return f"no sure difference{few}"
