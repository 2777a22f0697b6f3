# SPDX-License-Identifier: BSD-3-Clause
"""Calls of teams among what is tuned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.trials.cases import MODES, OPERATIONS, TEAM, TEAM_COLLECTIVES, TEAMS, Case, cases
from thalweg.trials.session import Job
from thalweg.tune.explain import Question, known_picks
from thalweg.tune.run import last_root
from thalweg.tune.wanted import call_of, mode_of, operation_of


@given(st.sampled_from(sorted(TEAM)))
def test_each_name_says_its_call_and_mode(name: str) -> None:
    """Names of functions in reports are those of operations."""
    case = Case(name, 8)
    assert case.is_of_team
    assert not case.is_nonblocking
    assert case.call in TEAM_COLLECTIVES
    assert name == f"team_{case.call}" + next(suffix for suffix, mode in MODES.items() if mode == case.mode)
    assert call_of(name) == (case.call, False)
    assert operation_of(name) == name
    assert mode_of(name) == case.mode
    assert Case(f"{name}/2s", 8).mode == case.mode


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_calls_of_mpi_have_no_mode(name: str) -> None:
    assert Case(name, 8).mode == mode_of(name) == ""


def test_teams_are_all_their_calls_in_the_modes_with_names() -> None:
    found = [case.operation for case in cases([TEAMS], [8])]
    assert len(found) == len(set(found)) == 3 * (len(TEAM_COLLECTIVES) - 1) + 1
    assert {case.size for case in cases(["team_barrier"], [8])} == {0}
    with pytest.raises(ThalwegError, match="team_allreduce@weak cannot be tuned"):
        cases(["team_allreduce@weak"], [8])


def test_picks_hold_for_the_last_rank_as_root() -> None:
    job = Job(6, (0, 0, 0, 1, 1, 1), 1, (), ())
    assert last_root(Case("broadcast", 8), job) == "^5"
    assert last_root(Case("team_gather@loose", 8), job) == "^5"
    assert not last_root(Case("team_allreduce", 8), job)
    assert not last_root(Case("ibroadcast", 8), job)
    assert not last_root(Case("broadcast", 8), Job(1, (0,), 1, (), ()))


def test_picks_are_explained_by_mode() -> None:
    tuning = _core.Tuning()
    picks = []
    for mode, use in (("mine-mine", "ring"), ("all-all", "rabenseifner")):
        pick = _core.Pick()
        pick.call, pick.ranks, pick.nodes, pick.bytes, pick.mode = "allreduce", 4, 1, 8, mode
        pick.use = use
        picks.append(pick)
    tuning.of_teams = picks
    question = Question("allreduce", 8, 4, 4)
    assert known_picks([tuning], question) == []
    assert [pick.use for pick, _ in known_picks([tuning], question._replace(mode="all-all"))] == ["rabenseifner"]
