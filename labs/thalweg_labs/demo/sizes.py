# SPDX-License-Identifier: BSD-3-Clause
"""How much a program is given to do, so that a run without Thalweg takes some seconds."""

from thalweg_labs.demo.site import MPICH, Flavor

_RANKS_OF_SIZES = 8


def repeats(flavor: Flavor, at_eight_ranks: int, ranks: int) -> int:
    """Scale a number of repetitions that is right for eight ranks on few cores.

    Every rank of MPICH spins, so a step of a collective takes about as many time slices as there are ranks a core,
    and there are more steps too: the time of a collective grows about as the square of the ranks.
    """
    if flavor != MPICH:
        return at_eight_ranks
    return max(1, at_eight_ranks * _RANKS_OF_SIZES**2 // ranks**2)
