# SPDX-License-Identifier: BSD-3-Clause
"""The demo's programs give under every strategy the answers that they give natively, and all their calls are explained.

Our own examples under some selections always; with --exhaustive under all of them, and the programs that `make demo`
installs.
"""

import json
import os
from pathlib import Path

import pytest
from test_strategies import selections

from thalweg.launch.timed_run import run
from thalweg_labs.demo.answers import Answer, agree
from thalweg_labs.demo.catalog import PROGRAMS
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import Site, base_environment, make_site, thalweg_command

RANKS = 4
# What the gate tries. MPICH's ranks spin.
GATE = {("radix_sort", "openmpi", 8)}
EXPLAINED = ("radix_sort", "openmpi")
LIMIT_S = 120


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One site for all runs: what programs prepare is used again."""
    return make_site(None, tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def prepared() -> dict[str, tuple[Job, Answer]]:
    """Jobs that were prepared, with their native answers, by their folders."""
    return {}


def _answer(program: Program, job: Job, folder: Path, options: tuple[str, ...]) -> Answer:
    environment = {**base_environment(os.environ), **job.environment}
    command = [*thalweg_command(), "run", *options, *program.flavor.launcher, str(RANKS), *job.command]
    return program.answer(run(command, environment, folder, LIMIT_S).output, folder)


def _prepare(program: Program, site: Site, prepared: dict[str, tuple[Job, Answer]]) -> tuple[Path, Job, Answer]:
    folder = site.scratch / program.name / program.flavor.name
    if str(folder) not in prepared:
        folder.mkdir(parents=True)
        job = program.prepare(site, folder, RANKS)
        prepared[str(folder)] = job, _answer(program, job, folder, ("--disable",))
    return folder, *prepared[str(folder)]


def _together(program: Program) -> pytest.MarkDecorator:
    """Let one worker prepare the program and find its native answer, once."""
    return pytest.mark.xdist_group(f"demo of {program.name} on {program.flavor.name}")


def _cases() -> list[object]:
    return [
        pytest.param(
            program,
            number,
            marks=(
                _together(program),
                *(() if (program.name, program.flavor.name, number) in GATE else (pytest.mark.exhaustive,)),
            ),
            id=f"{program.name}-{program.flavor.name}-{number}",
        )
        for program in PROGRAMS
        for number in range(len(selections()))
    ]


@pytest.mark.parametrize(("program", "number"), _cases())
def test_answers_are_the_same(
    program: Program, number: int, site: Site, prepared: dict[str, tuple[Job, Answer]]
) -> None:
    """Every run's answer agrees with the native one to within what the program allows."""
    folder, job, native = _prepare(program, site, prepared)
    use = tuple(word for selection in selections()[number].split(";") for word in ("--use", selection))
    assert agree(native, _answer(program, job, folder, use), program.tolerance)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            program,
            marks=(
                _together(program),
                *(() if (program.name, program.flavor.name) == EXPLAINED else (pytest.mark.exhaustive,)),
            ),
            id=f"{program.name}-{program.flavor.name}",
        )
        for program in PROGRAMS
    ],
)
def test_every_call_is_explained(program: Program, site: Site, prepared: dict[str, tuple[Job, Answer]]) -> None:
    """`thalweg tune explain --details` says of each call what ran, and why, or why there is no choice."""
    folder, job, _ = _prepare(program, site, prepared)
    report_file = folder / "explained.json"
    _answer(program, job, folder, ("--learn-budget", "100", "--report", str(report_file)))
    calls = json.loads(report_file.read_text())["calls"]
    assert calls
    command = [*thalweg_command(), "tune", "explain", "--details", str(report_file)]
    explained = run(command, base_environment(os.environ), folder, LIMIT_S)
    blocks: list[list[str]] = []
    for line in explained.output.splitlines()[2:]:
        if not line:
            break  # what is said of all of them follows
        if line.startswith("  "):
            blocks[-1].append(line.strip())
        else:
            blocks.append([line])
    assert len(blocks) == len(calls)
    for call, (title, *reasons) in zip(calls, blocks, strict=True):
        assert title.startswith(f"{call['function']} at {call['source']}: {call['calls']} calls")
        assert all(ending["strategy"] in title for ending in call["ran_on"])
        assert any(reason.startswith(("no alternatives: ", "pick: ", "learned for ")) for reason in reasons), title
