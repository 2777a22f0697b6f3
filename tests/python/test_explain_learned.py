# SPDX-License-Identifier: BSD-3-Clause
"""What was learned of calls is found by the names that reports give them."""

import pytest

from thalweg.tune.explain import Question
from thalweg.tune.explain_learned import learned_name, learned_of
from thalweg.tune.wanted import call_of


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("MPI_Bcast", "bcast"),
        ("MPI_Ibcast", "ibcast"),
        ("MPI_Bcast_init", "bcast_init"),
        ("MPI_Alltoallv_init_c", "alltoallv_init"),
    ],
)
def test_names_tell_blocking_nonblocking_and_persistent_calls_apart(function: str, name: str) -> None:
    """Each form of a call has its own entry."""
    call, is_nonblocking = call_of(function)
    question = Question(call, 8, 4, 4, is_nonblocking=is_nonblocking)
    assert learned_name(question, function) == name
    entry = {"call": name, "ranks": 4, "bytes": 8}
    others = [{"call": other, "ranks": 4, "bytes": 8} for other in ("reduce", "reduce_init")]
    assert learned_of({"learned": [*others, entry]}, name, 4, 8) == [entry]
