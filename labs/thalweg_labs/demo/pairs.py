# SPDX-License-Identifier: BSD-3-Clause
"""A case: one program with one number of ranks, natively and under Thalweg, turn by turn."""

import compileall
import functools
import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import thalweg
from thalweg.errors import ThalwegError
from thalweg.launch.cores import core_count
from thalweg.launch.timed_run import OverdueError, Run, RunFailedError, run
from thalweg_labs.demo.answers import Answer, NoAnswerError, agree
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import Site, base_environment, thalweg_command


@dataclass(frozen=True)
class Medians:
    """The middle of several runs."""

    wall_s: float
    cpu_s: float
    exposed_s: float | None = None
    """That a rank was in the calls of communication which it overlaps; None: the program does not say."""


@dataclass(frozen=True)
class Case:
    """What became of a case. `failure` is empty if all runs ended well, and then the rest is there.

    A case whose native run was cut off is marked as not run, which is no failure.
    """

    program: Program
    ranks: int
    pairs: int = 0
    native: Medians | None = None
    thalweg: Medians | None = None
    answers_agree: bool = False
    answer: Answer | None = None
    failure: str = ""
    not_run: bool = False

    @property
    def name(self) -> str:
        """What rows call it."""
        return f"{self.program.name}/{self.program.flavor.name}/{self.ranks}"


@dataclass(frozen=True)
class Budget:
    """How long a case may take, about; after how long a run is given up; how many pairs at least and at most."""

    share_s: float
    limit_s: float
    min_pairs: int = 1
    max_pairs: int = 7


class _NoTimeError(Exception):
    """The program alone runs longer than a run may; says nothing of Thalweg."""


def measure(program: Program, ranks: int, site: Site, budget: Budget) -> Case:
    """Run pairs, one in any case, until another one would not fit into the case's share of time.

    Within a pair native and Thalweg follow each other, and every second pair is turned round, so that neither
    always meets the machine in the state the other left it in.
    """
    folder = site.scratch / program.name / program.flavor.name / str(ranks)
    folder.mkdir(parents=True)
    native: list[Run] = []
    ours: list[Run] = []
    answers: list[Answer] = []
    try:
        job = _prepared(program, site, folder, ranks)
        plain = [*program.flavor.launcher, str(ranks), *job.command]
        environment = {**base_environment(os.environ), **job.environment}
        compile_command()
        look_first(program.flavor.name, ranks)
        begin_s = time.monotonic()
        while len(native) < budget.max_pairs:
            elapsed_s = time.monotonic() - begin_s
            if len(native) >= budget.min_pairs and elapsed_s * (1 + 1 / len(native)) > budget.share_s:
                break
            for side in (native, ours) if len(native) % 2 == 0 else (ours, native):
                if side is native:
                    side.append(_native_run(plain, environment, folder, budget.limit_s))
                else:
                    limit_s = max(budget.limit_s, _patience_s(native))
                    side.append(run([*thalweg_command(), "run", *plain], environment, folder, limit_s))
                answers.append(program.answer(side[-1].output, folder))
    except _NoTimeError:
        del ours[len(native) :]
    except (RunFailedError, NoAnswerError, ThalwegError, OSError) as error:
        return Case(program, ranks, failure=str(error))
    if not native:
        return Case(program, ranks, not_run=True)
    return Case(
        program,
        ranks,
        pairs=len(native),
        native=_medians(program, native),
        thalweg=_medians(program, ours),
        answers_agree=_all_agree(program, answers),
        answer=answers[0],
    )


@functools.cache
def compile_command() -> None:
    """Compile the command's modules, as an installation does.

    Where PYTHONDONTWRITEBYTECODE is set, as in many containers, the command would else compile them at each start.
    """
    for folder in thalweg.__path__:
        compileall.compile_dir(folder, quiet=2)


@functools.cache
def look_first(mpi: str, ranks: int) -> None:
    """Do before the runs that are timed what the first of them would do by itself."""
    if ranks <= core_count():
        command = [*thalweg_command(), "setup", "-n", str(ranks), "--mpi", mpi]
        subprocess.run(command, env=base_environment(os.environ), stdout=subprocess.DEVNULL, check=False)


def _prepared(program: Program, site: Site, folder: Path, ranks: int) -> Job:
    try:
        return program.prepare(site, folder, ranks)
    except OverdueError as error:
        raise _NoTimeError from error


def _native_run(command: Sequence[str], environment: Mapping[str, str], folder: Path, limit_s: float) -> Run:
    try:
        return run(command, environment, folder, limit_s)
    except OverdueError as error:
        raise _NoTimeError from error


def _patience_s(native: Sequence[Run]) -> float:
    """How long a run under Thalweg is waited for in any case, so that only one that hangs is cut off."""
    return 2 * native[-1].wall_s + 10


def _medians(program: Program, runs: Sequence[Run]) -> Medians:
    wall_s = [one.wall_s for one in runs]
    cpu_s = [one.cpu_s for one in runs]
    exposed_s = statistics.median(program.exposed_s(one.output) for one in runs) if program.exposed_s else None
    return Medians(statistics.median(wall_s), statistics.median(cpu_s), exposed_s)


def _all_agree(program: Program, answers: Sequence[Answer]) -> bool:
    first = answers[0]
    known = {name: first[name] for name in program.known if name in first}
    return agree(known, program.known, program.tolerance) and all(
        agree(first, answer, program.tolerance) for answer in answers
    )
