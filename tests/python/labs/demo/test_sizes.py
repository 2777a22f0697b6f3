# SPDX-License-Identifier: BSD-3-Clause
"""Problems shrink where MPICH's collectives grow."""

from thalweg_labs.demo.site import MPICH, OPENMPI
from thalweg_labs.demo.sizes import repeats


def test_repetitions_fall_with_the_square_of_the_ranks_on_mpich() -> None:
    assert [repeats(MPICH, 10, ranks) for ranks in (4, 8, 16, 1024)] == [40, 10, 2, 1]


def test_repetitions_are_as_given_elsewhere() -> None:
    assert [repeats(OPENMPI, 10, ranks) for ranks in (4, 8)] == [10, 10]
