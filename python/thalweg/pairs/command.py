# SPDX-License-Identifier: BSD-3-Clause
"""Run pairs, natively and under Thalweg, and say what was gained and how sure that is."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from statistics import median
from typing import NamedTuple

from thalweg.answers.answer import STDOUT, answered, people_apart
from thalweg.errors import FAILED, PROGRAM, USAGE, ThalwegError
from thalweg.launch.arguments import Arguments, count_of, read_arguments, words_of
from thalweg.launch.first_run import look_first
from thalweg.launch.flags import JSON, KEEP, PAIRS, TRY_FLAGS, Parser
from thalweg.launch.plan import make_plan
from thalweg.launch.timed_run import RunFailedError, run
from thalweg.pairs.judgments import Pairs, Tried, judgment, surely_saved_s, tried_data
from thalweg.pairs.outputs import compare, text_of
from thalweg.pairs.reasons import Gain, reasons
from thalweg.report.run_report import RunReport
from thalweg.settings.layers import effective_settings
from thalweg.terminal import print_line
from thalweg.text_files import check_writable
from thalweg.tune.promise import search_promise
from thalweg.units import time_text

NAME = "thalweg try"
PAIR_COUNT = 5
PAIR_COUNT_MAX = 1000
_DAY_S = 86_400.0
_PLANNINGS = 3


class Way(NamedTuple):
    """A way to run the program."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


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
    json_file = given.get(JSON, "")
    if json_file not in {"", STDOUT}:
        check_writable(json_file, "name another file: --json FILE")
    with people_apart(json_file), tempfile.TemporaryDirectory(prefix="thalweg-try-") as folder:
        report = str(Path(keep).absolute()) if keep else os.path.join(folder, "report.json")
        native, ours = _ways(arguments, report)
        pairs = _run_pairs(native, ours, count, Path(folder))
        tried = _tried(pairs, _planning_s(arguments), _report(report))
        _conclude(tried)
        _end(tried, keep)
    answered("try", tried_data(tried, arguments.command, keep), json_file)
    return FAILED.number if tried.outputs.lost else 0


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


def _tried(pairs: Pairs, start_s: float, report: RunReport | None) -> Tried:
    """Put together what was found."""
    gain = Gain(surely_saved_s(pairs), start_s)
    said = reasons(report, gain) if report else ["no rank left a report"]
    outputs = compare([one.output for one in pairs.native], [one.output for one in pairs.ours])
    return Tried(pairs, start_s, said, outputs, _tunable_share(report) if report else 0.0)


def _tunable_share(report: RunReport) -> float:
    from thalweg.tune.wanted import wanted  # noqa: PLC0415 - the compiled core has what can be tuned

    return sum(one.share for one in wanted(report))


def _conclude(tried: Tried) -> None:
    """Print medians, what they say, and why."""
    pairs = tried.pairs
    print_line("")
    for name, figure in (("wall time", "wall_s"), ("CPU time", "cpu_s")):
        native = [getattr(one, figure) for one in pairs.native]
        ours = [getattr(one, figure) for one in pairs.ours]
        print_line(f"{name:10}{time_text(median(native)):>11}{time_text(median(ours)):>11}  {judgment(native, ours)}")
    more = (max(one.memory_bytes for one in runs) for runs in (pairs.native, pairs.ours))
    print_line("{:10}{:>11}{:>11}  largest process".format("memory", *(f"{size / (1 << 20):.1f} MiB" for size in more)))
    print_line(f"{'start':10}{'':>11}{'+' + time_text(tried.start_s):>11}  to look at the program, of the wall time")
    print_line("")
    for reason in tried.reasons:
        print_line(f"why: {reason}")


def _end(tried: Tried, keep: str) -> None:
    """Print whether the answers are equal, and the next command."""
    print_line(text_of(tried.outputs))
    for line in tried.outputs.lost[:3]:
        print_line(f"  missing: {line}")
    if keep:
        print_line(f"next: thalweg tune --for {quote(keep)}{search_promise(tried.tunable_share)}")
    else:
        print_line("next: --keep FILE keeps a report, which thalweg tune --for FILE and thalweg report FILE take")
