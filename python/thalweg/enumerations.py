# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations of the C interfaces. Made from interfaces/ by `make interfaces`."""

from enum import IntEnum


class BalanceScheme(IntEnum):
    """thalweg_balance_scheme."""

    SWEEP = 0
    ALIAS = 1


class BalanceSpread(IntEnum):
    """thalweg_balance_spread."""

    EVEN = 0
    CAPPED = 1


class FenceScheme(IntEnum):
    """thalweg_fence_scheme."""

    SWEEP = 0
    ALIAS = 1
    REFINE = 2
    GREEDY = 3
    NEAR = 4
    STAY = 5


class Status(IntEnum):
    """thalweg_status."""

    SUCCESS = 0
    ERROR_INVALID_ARGUMENT = 1
    ERROR_OUT_OF_MEMORY = 2
    ERROR_MPI = 3
    ERROR_MISMATCH = 4
    ERROR_UNSUPPORTED = 5
    ERROR_SYSTEM = 6
    ERROR_NOT_PROVEN = 7
    ERROR_INTERNAL = 8
    ERROR_HANDLER = 9


class Sync(IntEnum):
    """thalweg_sync."""

    NONE = 0
    MINE = 1
    ALL = 2


class Collective(IntEnum):
    """thalweg_collective."""

    BROADCAST = 0
    SCATTER = 1
    GATHER = 2
    ALLGATHER = 3
    ALLTOALL = 4
    REDUCE = 5
    ALLREDUCE = 6
    SCAN = 7
    BARRIER = 8
    EXSCAN = 9
    REDUCE_SCATTER = 10


class SignalKind(IntEnum):
    """thalweg_signal_kind."""

    SET = 0
    ADD = 1


class Condition(IntEnum):
    """thalweg_condition."""

    EQUAL = 0
    NOT_EQUAL = 1
    GREATER_EQUAL = 2
    LESS_EQUAL = 3


class AtomicKind(IntEnum):
    """thalweg_atomic_kind."""

    ADD = 0
    SWAP = 1
    COMPARE_SWAP = 2
