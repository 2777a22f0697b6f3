"""A case runs both ways, compares answers with each other and with what is known, and survives failures."""

import time

import pytest
from script_program import program_that

from thalweg.demo import pairs
from thalweg.demo.pairs import Budget, measure
from thalweg.demo.program import Program
from thalweg.demo.rows import rows_of
from thalweg.demo.site import Site
from thalweg.demo.table import table_of
from thalweg.rows import geometric_mean

BUDGET = Budget(share_s=0, limit_s=60, min_pairs=3)


def test_both_ways_agree(echo: Program, site: Site) -> None:
    case = measure(echo, 4, site, BUDGET)
    assert (case.name, case.pairs, case.answers_agree, case.failure) == ("script/none/4", 3, True, "")
    assert case.answer == {"answer": "right"}


def test_another_answer_under_thalweg_is_seen(echo: Program, site: Site) -> None:
    del echo
    assert not measure(program_that("echo answer: $UNDER."), 4, site, BUDGET).answers_agree


def test_an_answer_that_is_known_to_be_wrong_is_seen(echo: Program, site: Site) -> None:
    del echo
    program = program_that("echo answer: wrong", known={"answer": "right"})
    assert not measure(program, 4, site, BUDGET).answers_agree


def test_failures_are_kept_and_shown(echo: Program, site: Site) -> None:
    good = measure(echo, 2, site, BUDGET)
    silent = measure(program_that("true"), 4, site, BUDGET)
    broken = measure(program_that("exit 9"), 8, site, BUDGET)
    assert silent.failure == "no line 'answer: …' in the output"
    assert "ended with status 9" in broken.failure
    assert {row["case"] for row in rows_of([good, silent, broken])} == {"script/none/2", "geometric mean"}
    assert table_of([good, silent, broken]).title


def test_no_run_goes_on_beyond_the_end_of_all(echo: Program, site: Site) -> None:
    del echo
    end_s = time.monotonic() + 1
    budget = Budget(share_s=0, limit_s=60, end_s=end_s)
    cut = measure(program_that("sleep 600; true"), 4, site, budget)
    late = measure(program_that("echo answer: right"), 8, site, budget)
    assert (cut.not_run, cut.failure, late.not_run) == (True, "", True)
    assert table_of([cut, late]).title


def test_a_hang_under_thalweg_is_a_failure(echo: Program, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    del echo
    monkeypatch.setattr(pairs, "_patience_s", lambda _native: 1)
    budget = Budget(share_s=0, limit_s=60, end_s=time.monotonic() + 1)
    case = measure(program_that('[ -z "$UNDER" ] || sleep 600; echo answer: right'), 4, site, budget)
    assert not case.not_run
    assert "ran longer than 1 s" in case.failure


def test_rows_have_ratios_above_one_where_ours_is_less(echo: Program, site: Site) -> None:
    for row in rows_of([measure(echo, 4, site, BUDGET)]):
        assert (row["ratio"] > 1) == (row["ours"] < row["peer"])
        assert row["peer_name"] == "No MPI alone"


def test_geometric_mean() -> None:
    assert geometric_mean([1, 4, 16]) == 4
    assert geometric_mean([]) == 1
