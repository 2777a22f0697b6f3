# SPDX-License-Identifier: BSD-3-Clause
"""Structures of the C interfaces. Made from interfaces/ by `make interfaces`."""

import ctypes
from typing import Any

HEADER_VERSION = 2


class SizedStructure(ctypes.Structure):
    """One that begins with its size, which is not among what it is made from."""

    def __init__(self, *values: Any, **named: Any) -> None:
        """Take the fields behind the size."""
        super().__init__(ctypes.sizeof(self), *values, **named)


class BalancerOptions(SizedStructure):
    """thalweg_balancer_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("order", ctypes.POINTER(ctypes.c_int)),
        ("gathered_ranks", ctypes.c_int),
    )


class BalanceOptions(SizedStructure):
    """thalweg_balance_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("scheme", ctypes.c_int),
        ("spread", ctypes.c_int),
        ("speed", ctypes.c_double),
        ("threshold", ctypes.c_double),
        ("load_seconds", ctypes.c_double),
        ("steps", ctypes.c_double),
        ("hysteresis", ctypes.c_double),
        ("min_gain_seconds", ctypes.c_double),
    )


TasksPack = ctypes.CFUNCTYPE(
    ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
)


class Tasks(SizedStructure):
    """thalweg_tasks."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("count", ctypes.c_size_t),
        ("tasks", ctypes.c_void_p),
        ("task_bytes", ctypes.c_size_t),
        ("weights", ctypes.c_void_p),
        ("pack", TasksPack),
        ("context", ctypes.c_void_p),
    )


class Moved(SizedStructure):
    """thalweg_moved."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("kept", ctypes.c_size_t),
        ("arrived", ctypes.c_size_t),
        ("tasks", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("was_worth", ctypes.c_int),
        ("imbalance", ctypes.c_double),
        ("gain_seconds", ctypes.c_double),
        ("exchange_seconds", ctypes.c_double),
    )


class FenceOptions(SizedStructure):
    """thalweg_fence_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("threshold", ctypes.c_double),
        ("steps", ctypes.c_double),
        ("hysteresis", ctypes.c_double),
        ("min_gain_seconds", ctypes.c_double),
        ("scheme", ctypes.c_int),
    )


class FenceOutcome(SizedStructure):
    """thalweg_fence_outcome."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("left", ctypes.c_uint64),
        ("entered", ctypes.c_uint64),
        ("was_worth", ctypes.c_int),
        ("imbalance", ctypes.c_double),
        ("gain_seconds", ctypes.c_double),
        ("move_seconds", ctypes.c_double),
    )


ForeignFunctionsMake = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
ForeignFunctionsRun = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t
)
ForeignFunctionsPack = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
ForeignFunctionsEnter = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t
)
ForeignFunctionsLeave = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
ForeignFunctionsCombine = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
)
ForeignFunctionsReduced = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t
)
ForeignFunctionsBeginAnew = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class ForeignFunctions(SizedStructure):
    """thalweg_foreign_functions."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("context", ctypes.c_void_p),
        ("make", ForeignFunctionsMake),
        ("run", ForeignFunctionsRun),
        ("pack", ForeignFunctionsPack),
        ("enter", ForeignFunctionsEnter),
        ("leave", ForeignFunctionsLeave),
        ("combine", ForeignFunctionsCombine),
        ("reduced", ForeignFunctionsReduced),
        ("begin_anew", ForeignFunctionsBeginAnew),
    )


class Piece(ctypes.Structure):
    """thalweg_piece."""

    _fields_ = (
        ("from_", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    )


class Weight(ctypes.Structure):
    """thalweg_weight."""

    _fields_ = (
        ("rank", ctypes.c_int),
        ("bytes", ctypes.c_double),
        ("phase", ctypes.c_int),
    )


class ReorderOptions(SizedStructure):
    """thalweg_reorder_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("objective", ctypes.c_char_p),
        ("seconds", ctypes.c_double),
        ("gain", ctypes.c_double),
        ("network", ctypes.c_char_p),
        ("node_list", ctypes.c_char_p),
    )


class Reordering(SizedStructure):
    """thalweg_reordering."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("is_renumbered", ctypes.c_int),
        ("hops_per_byte", ctypes.c_double),
        ("hops_per_byte_before", ctypes.c_double),
        ("link_bytes", ctypes.c_double),
        ("link_bytes_before", ctypes.c_double),
        ("reason", ctypes.c_char * 160),
    )


class Error(ctypes.Structure):
    """thalweg_error."""

    _fields_ = (
        ("status", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("call", ctypes.c_char_p),
        ("remedy", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
    )


class StreamOptions(SizedStructure):
    """thalweg_stream_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("item_bytes", ctypes.c_size_t),
        ("buffer_bytes", ctypes.c_size_t),
        ("memory_bytes", ctypes.c_size_t),
        ("shape", ctypes.c_char_p),
        ("max_pending_items", ctypes.c_size_t),
        ("max_overflow_bytes", ctypes.c_size_t),
        ("period_us", ctypes.c_uint),
    )


class StreamStatistics(SizedStructure):
    """thalweg_stream_statistics."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("buffers_full", ctypes.c_uint64),
        ("buffers_flushed", ctypes.c_uint64),
        ("buffers_waited", ctypes.c_uint64),
        ("buffers_closed", ctypes.c_uint64),
        ("near_bytes", ctypes.c_uint64),
        ("far_bytes", ctypes.c_uint64),
        ("buffer_bytes", ctypes.c_uint64),
        ("far_messages", ctypes.c_uint64),
        ("hops", ctypes.c_uint64),
        ("delivered_bytes", ctypes.c_uint64),
        ("delivered_items", ctypes.c_uint64),
        ("waits", ctypes.c_uint64),
        ("waited_ns", ctypes.c_uint64),
        ("finish_ns", ctypes.c_uint64),
        ("duration_ns", ctypes.c_uint64),
        ("waves", ctypes.c_uint64),
        ("phases", ctypes.c_uint64),
        ("max_overflow_bytes", ctypes.c_uint64),
        ("max_memory_bytes", ctypes.c_uint64),
    )


StreamViewRefill = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t)
StreamViewFail = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
StreamViewHurry = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int)


class StreamView(ctypes.Structure):
    """thalweg_stream_view."""

    _fields_ = (
        ("refill", StreamViewRefill),
        ("fail", StreamViewFail),
        ("hurry", StreamViewHurry),
        ("stream", ctypes.c_void_p),
        ("links", ctypes.c_void_p),
        ("windows", ctypes.c_void_p),
        ("dimension", ctypes.c_void_p),
        ("cells", ctypes.c_void_p),
        ("dimensions", ctypes.c_uint32),
        ("ranks", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("shares_memory", ctypes.c_uint32),
        ("tag_bytes", ctypes.c_uint32),
        ("max_item_bytes", ctypes.c_uint32),
        ("has_sent", ctypes.c_uint32),
        ("in_handler", ctypes.c_uint32),
        ("delivered_bytes", ctypes.c_uint64),
    )


StreamHandlerDeliver = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
StreamHandlerForward = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
)
StreamHandlerRelease = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
StreamHandlerResend = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32)


class StreamHandler(SizedStructure):
    """thalweg_stream_handler."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("context", ctypes.c_void_p),
        ("deliver", StreamHandlerDeliver),
        ("forward", StreamHandlerForward),
        ("release", StreamHandlerRelease),
        ("resend", StreamHandlerResend),
    )


def team_call_of(handle: type[Any]) -> type[SizedStructure]:
    """thalweg_team_call; of handles of MPI."""

    class TeamCall(SizedStructure):
        """thalweg_team_call."""

        _fields_ = (
            ("size", ctypes.c_size_t),
            ("collective", ctypes.c_int),
            ("input", ctypes.c_void_p),
            ("output", ctypes.c_void_p),
            ("count", ctypes.c_size_t),
            ("type", handle),
            ("op", handle),
            ("root", ctypes.c_int),
            ("before", ctypes.c_int),
            ("after", ctypes.c_int),
            ("file", ctypes.c_char_p),
            ("line", ctypes.c_int),
        )

    return TeamCall


class Received(SizedStructure):
    """thalweg_received."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("from_", ctypes.c_int),
        ("tag", ctypes.c_int),
        ("bytes", ctypes.c_size_t),
    )


class TeamTransfer(SizedStructure):
    """thalweg_team_transfer."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("memory", ctypes.c_void_p),
        ("offset", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("blocks", ctypes.c_size_t),
        ("memory_stride", ctypes.c_ssize_t),
        ("data_stride", ctypes.c_ssize_t),
        ("places", ctypes.c_void_p),
        ("signal", ctypes.c_void_p),
        ("value", ctypes.c_uint64),
        ("kind", ctypes.c_int),
        ("rank", ctypes.c_int),
    )


class TeamAtomic(SizedStructure):
    """thalweg_team_atomic."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("memory", ctypes.c_void_p),
        ("offset", ctypes.c_size_t),
        ("bytes", ctypes.c_size_t),
        ("value", ctypes.c_uint64),
        ("compare", ctypes.c_uint64),
        ("result", ctypes.c_void_p),
        ("kind", ctypes.c_int),
        ("rank", ctypes.c_int),
    )
