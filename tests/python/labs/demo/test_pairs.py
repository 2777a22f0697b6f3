# SPDX-License-Identifier: BSD-3-Clause
"""A case runs both ways, compares answers with each other and with what is known, and survives failures."""

from dataclasses import replace

import pytest
from script_program import program_that

from thalweg.rows import geometric_mean
from thalweg_labs.demo import pairs, series
from thalweg_labs.demo.pairs import Budget, Case, measure
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.rows import rows_of
from thalweg_labs.demo.series import measure_all
from thalweg_labs.demo.site import Site
from thalweg_labs.demo.table import table_of

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


def test_a_native_run_that_takes_too_long_is_no_failure(echo: Program, site: Site) -> None:
    del echo
    cut = measure(program_that("sleep 600; true"), 4, site, Budget(share_s=0, limit_s=1))
    assert (cut.not_run, cut.failure) == (True, "")
    assert table_of([cut]).title


def test_every_case_is_run_however_little_time_there_is(
    echo: Program, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    work = [(echo, ranks) for ranks in (2, 4, 8)]
    cases = measure_all(work, site, total_s=0, limit_s=60)
    assert [(case.pairs, case.not_run, case.failure) for case in cases] == [(1, False, "")] * 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[1/3] a script, No MPI, 2 ranks …", "there is no terminal"
    assert len(lines) == 6
    assert lines[-1].startswith("[3/3] 1 pairs; ")


def test_a_number_of_pairs_is_kept_whatever_time_there_is(echo: Program, site: Site) -> None:
    for ranks, total_s in ((2, 0), (4, 60)):
        assert [case.pairs for case in measure_all([(echo, ranks)], site, total_s, limit_s=60, pairs=2)] == [2]


def test_a_run_may_take_longer_on_a_busy_machine(echo: Program, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    del echo
    limits: list[float] = []

    def noted(program: Program, ranks: int, _site: Site, budget: Budget) -> Case:
        limits.append(budget.limit_s)
        return Case(program, ranks, not_run=True)

    monkeypatch.setattr(series, "measure", noted)
    for load in (0.1, 10.0):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 1.0, 1.0))
        monkeypatch.setattr("os.sched_getaffinity", lambda _process: {0, 1})
        measure_all([(program_that("true"), 2)], site, 60, 90)
    assert limits == [90, 450]


def test_a_hang_under_thalweg_is_a_failure(echo: Program, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    del echo
    monkeypatch.setattr(pairs, "_patience_s", lambda _native: 1)
    budget = Budget(share_s=0, limit_s=1)
    case = measure(program_that('[ -z "$UNDER" ] || sleep 600; echo answer: right'), 4, site, budget)
    assert not case.not_run
    assert "ran longer than 1 s" in case.failure


def test_rows_have_ratios_above_one_where_ours_is_less(echo: Program, site: Site) -> None:
    for row in rows_of([measure(echo, 4, site, BUDGET)]):
        assert (row["ratio"] > 1) == (row["ours"] < row["peer"])
        assert row["peer_name"] == "No MPI alone"


def test_what_a_program_says_it_waited_for_is_a_row(echo: Program, site: Site) -> None:
    """Twice as long alone as with Thalweg; programs that do not say it have no such row."""
    program = program_that('echo answer: right; [ -n "$UNDER" ] && echo 0.25 || echo 0.5')
    program = replace(program, exposed_s=lambda output: float(output.split()[-1]))
    case = measure(program, 4, site, BUDGET)
    found = [row for row in rows_of([case]) if row["metric"] == "exposed time"]
    assert [(row["ours"], row["peer"], row["ratio"]) for row in found] == [(0.25, 0.5, 2.0)] * 2
    assert table_of([case]).title
    assert "exposed time" not in {row["metric"] for row in rows_of([measure(echo, 2, site, BUDGET)])}


def test_geometric_mean() -> None:
    assert geometric_mean([1, 4, 16]) == 4
    assert geometric_mean([]) == 1
