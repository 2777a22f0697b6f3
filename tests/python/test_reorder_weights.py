# SPDX-License-Identifier: BSD-3-Clause
"""Weights of `thalweg.reorder` in all their forms; jobs of real ranks are in tests/core/place."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import thalweg
from thalweg.placement.reorder import weight_rows


@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_all_forms_say_the_same(ranks: int, random: Random) -> None:
    matrix = np.array([[random.choice([0, 0, 1.5, 8e6]) for _ in range(ranks)] for _ in range(ranks)])
    pattern = thalweg.Pattern(tasks=ranks)
    pattern.add_phase("half", matrix / 2, repeats=2)
    for rank in range(ranks):
        expected = {(to, matrix[rank, to], 0) for to in range(ranks) if matrix[rank, to]}
        forms = [
            {to: matrix[rank, to] for to in range(ranks) if matrix[rank, to]},
            matrix[rank],
            matrix[[rank]],
            matrix,
            sparse.csr_array(matrix),
            sparse.csr_array(matrix[[rank]]),
            sparse.lil_matrix(matrix),
            pattern,
        ]
        for form in forms:
            rows = weight_rows(form, rank, ranks)
            assert {(int(to), float(size), int(phase)) for to, size, phase in rows} == expected


def test_phases_stay_apart() -> None:
    pattern = thalweg.Pattern([[0, 1], [0, 0]])
    pattern.add_phase("back", [[0, 2], [3, 0]])
    assert weight_rows(pattern, 0, 2).tolist() == [(1, 1.0, 0), (1, 2.0, 1)]
    assert weight_rows(pattern, 1, 2).tolist() == [(0, 3.0, 1)]


@pytest.mark.parametrize(
    "wrong", [np.zeros(3), np.zeros((4, 3)), sparse.csr_array((2, 4)), thalweg.Pattern(tasks=5), {2**40: 1.0}]
)
def test_what_is_no_row_of_four_ranks_is_refused(wrong: object) -> None:
    with pytest.raises(thalweg.PlaceError, match="reorder: .*rank"):
        weight_rows(wrong, 0, 4)
