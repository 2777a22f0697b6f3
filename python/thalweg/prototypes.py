# SPDX-License-Identifier: BSD-3-Clause
"""What functions of the C interfaces give back, and take. Made from the headers by `make interfaces`."""

from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any

from thalweg import structures

Communicator = type[c_int | c_void_p]  # what MPI_Comm is
Prototypes = dict[str, tuple[Any, tuple[Any, ...]]]


def of_status(_communicator: Communicator) -> Prototypes:
    """include/thalweg/status.h."""
    return {
        "thalweg_status_name": (c_char_p, (c_int,)),
        "thalweg_last_error": (POINTER(structures.Error), ()),
        "thalweg_error_message": (c_char_p, ()),
    }


def of_request(_communicator: Communicator) -> Prototypes:
    """include/thalweg/request.h."""
    return {
        "thalweg_request_test": (c_int, (POINTER(c_void_p), POINTER(c_int))),
        "thalweg_request_wait": (c_int, (POINTER(c_void_p),)),
        "thalweg_request_wait_all": (c_int, (c_size_t, c_void_p)),
        "thalweg_request_free": (c_int, (POINTER(c_void_p),)),
    }


def of_team(communicator: Communicator) -> Prototypes:
    """include/thalweg/team.h."""
    return {
        "thalweg_team_create_for": (c_int, (c_int, communicator, POINTER(c_void_p))),
        "thalweg_team_split": (c_int, (c_void_p, c_int, c_int, POINTER(c_void_p))),
        "thalweg_team_subset": (c_int, (c_void_p, c_int, c_void_p, POINTER(c_void_p))),
        "thalweg_team_of_blocks": (c_int, (c_void_p, c_size_t, c_void_p, POINTER(c_void_p))),
        "thalweg_team_free": (c_int, (POINTER(c_void_p),)),
        "thalweg_team_rank": (c_int, (c_void_p,)),
        "thalweg_team_size": (c_int, (c_void_p,)),
        "thalweg_team_use": (c_int, (c_void_p, c_char_p)),
        "thalweg_team_allocate": (c_int, (c_void_p, c_size_t, POINTER(c_void_p))),
        "thalweg_team_release": (c_int, (c_void_p, c_void_p)),
        "thalweg_team_reach": (c_void_p, (c_void_p, c_void_p, c_int)),
        "thalweg_team_put": (c_int, (c_void_p, POINTER(structures.TeamTransfer), POINTER(c_void_p))),
        "thalweg_team_get": (c_int, (c_void_p, POINTER(structures.TeamTransfer), POINTER(c_void_p))),
        "thalweg_team_update": (c_int, (c_void_p, POINTER(structures.TeamAtomic), POINTER(c_void_p))),
        "thalweg_team_fence": (c_int, (c_void_p,)),
        "thalweg_team_quiet": (c_int, (c_void_p,)),
        "thalweg_team_wait": (c_int, (c_void_p, c_void_p, c_int, c_uint64, POINTER(c_uint64))),
        "thalweg_team_progress": (c_int, (c_void_p,)),
        "thalweg_team_strategy": (c_int, (c_void_p, c_int, c_size_t, POINTER(c_void_p))),
        "thalweg_team_start": (c_int, (c_void_p, c_void_p, POINTER(c_void_p))),
        "thalweg_team_barrier": (c_int, (c_void_p, POINTER(c_void_p))),
        "thalweg_team_complete": (c_int, (c_void_p,)),
        "thalweg_team_open_inboxes": (c_int, (c_void_p,)),
        "thalweg_team_inboxes": (c_int, (c_void_p, POINTER(c_void_p))),
        "thalweg_team_send": (c_int, (c_void_p, c_int, c_int, c_void_p, c_size_t)),
        "thalweg_team_receive": (c_int, (c_void_p, c_int, c_int, c_void_p, c_size_t, POINTER(structures.Received))),
    }


def of_stream(communicator: Communicator) -> Prototypes:
    """include/thalweg/stream.h."""
    return {
        "thalweg_stream_create_for": (
            c_int,
            (
                c_int,
                communicator,
                POINTER(structures.StreamOptions),
                POINTER(structures.StreamHandler),
                POINTER(c_void_p),
            ),
        ),
        "thalweg_stream_free": (c_int, (POINTER(c_void_p),)),
        "thalweg_stream_view_of": (POINTER(structures.StreamView), (c_void_p,)),
        "thalweg_stream_no_rank": (c_int, (c_void_p, c_int)),
        "thalweg_stream_send": (c_int, (c_void_p, c_int, c_void_p)),
        "thalweg_stream_send_many": (c_int, (c_void_p, c_size_t, c_void_p, c_void_p)),
        "thalweg_stream_send_many_to": (c_int, (c_void_p, c_int, c_size_t, c_void_p)),
        "thalweg_stream_flush": (c_int, (c_void_p,)),
        "thalweg_stream_progress": (c_int, (c_void_p,)),
        "thalweg_stream_wait": (c_int, (c_void_p, c_void_p, c_void_p)),
        "thalweg_stream_lock": (c_int, (c_void_p,)),
        "thalweg_stream_unlock": (None, (c_void_p,)),
        "thalweg_stream_finish": (c_int, (c_void_p,)),
        "thalweg_stream_start_finish": (c_int, (c_void_p, POINTER(c_void_p))),
        "thalweg_stream_read_statistics": (c_int, (c_void_p, POINTER(structures.StreamStatistics))),
        "thalweg_stream_read_phase_statistics": (c_int, (c_void_p, POINTER(structures.StreamStatistics))),
        "thalweg_stream_set_name": (c_int, (c_void_p, c_char_p)),
        "thalweg_stream_set_remarks": (c_int, (c_void_p, c_char_p)),
        "thalweg_stream_add_load": (c_int, (c_void_p, c_uint64, c_uint64, c_uint64, c_uint64)),
        "thalweg_stream_shape": (c_char_p, (c_void_p,)),
        "thalweg_stream_explain": (c_char_p, (c_void_p,)),
    }


def of_balance(communicator: Communicator) -> Prototypes:
    """include/thalweg/balance.h."""
    return {
        "thalweg_balancer_create_for": (
            c_int,
            (c_int, communicator, POINTER(structures.BalancerOptions), POINTER(c_void_p)),
        ),
        "thalweg_balancer_free": (c_int, (POINTER(c_void_p),)),
        "thalweg_balancer_flow": (c_int, (c_void_p, c_int64, c_int, POINTER(c_void_p), POINTER(c_size_t))),
        "thalweg_balance_tasks": (
            c_int,
            (c_void_p, POINTER(structures.Tasks), POINTER(structures.BalanceOptions), POINTER(structures.Moved)),
        ),
        "thalweg_balance_start": (
            c_int,
            (c_void_p, POINTER(structures.Tasks), POINTER(structures.BalanceOptions), POINTER(c_void_p)),
        ),
        "thalweg_balance_kept": (c_int, (c_void_p, POINTER(c_size_t))),
        "thalweg_balance_moved": (c_int, (c_void_p, POINTER(structures.Moved))),
    }


def of_place(communicator: Communicator) -> Prototypes:
    """include/thalweg/place.h."""
    return {
        "thalweg_reorder": (
            c_int,
            (
                communicator,
                POINTER(structures.Weight),
                c_size_t,
                POINTER(structures.ReorderOptions),
                POINTER(communicator),
                POINTER(structures.Reordering),
            ),
        ),
    }


def of_objects(communicator: Communicator) -> Prototypes:
    """include/thalweg/objects.h."""
    return {
        "thalweg_objects_open_for": (c_int, (c_int, communicator, POINTER(c_void_p))),
        "thalweg_objects_close": (c_int, (POINTER(c_void_p),)),
        "thalweg_objects_view_of": (c_void_p, (c_void_p,)),
        "thalweg_objects_add": (c_int, (c_void_p, c_void_p, c_uint64, POINTER(c_uint16))),
        "thalweg_objects_remove": (c_int, (c_void_p, c_uint16)),
        "thalweg_objects_refill": (c_int, (c_void_p, c_int, c_size_t)),
        "thalweg_objects_place": (c_int, (c_void_p, c_uint32, c_size_t, POINTER(c_void_p))),
        "thalweg_objects_begin_large": (c_int, (c_void_p, c_size_t, POINTER(c_void_p))),
        "thalweg_objects_send_large": (c_int, (c_void_p, c_uint32)),
        "thalweg_objects_keep": (c_void_p, (c_void_p,)),
        "thalweg_objects_free_kept": (None, (c_void_p,)),
        "thalweg_objects_associate": (
            c_int,
            (c_void_p, c_uint16, c_char_p, c_uint32, POINTER(c_uint32), POINTER(c_uint16)),
        ),
        "thalweg_objects_dissociate": (c_int, (c_void_p, c_uint16)),
        "thalweg_objects_deposit": (c_int, (c_void_p, c_uint16, c_uint32, c_uint32, c_size_t, POINTER(c_void_p))),
        "thalweg_objects_deposit_multicast": (
            c_int,
            (c_void_p, c_uint16, c_uint32, c_void_p, c_size_t, c_size_t, POINTER(c_void_p)),
        ),
        "thalweg_objects_end_bracket": (c_int, (c_void_p, c_uint16, c_uint32)),
        "thalweg_objects_sample": (None, (c_void_p, c_uint16, c_uint32, c_size_t)),
        "thalweg_objects_fail": (None, (c_void_p, c_char_p)),
        "thalweg_objects_flush": (c_int, (c_void_p,)),
        "thalweg_objects_progress": (c_int, (c_void_p,)),
        "thalweg_objects_finish": (c_int, (c_void_p,)),
        "thalweg_objects_fence": (
            c_int,
            (c_void_p, POINTER(structures.FenceOptions), POINTER(structures.FenceOutcome)),
        ),
        "thalweg_objects_explain": (c_char_p, (c_void_p,)),
        "thalweg_objects_checkpoint": (c_int, (communicator, c_char_p)),
        "thalweg_objects_restore": (c_int, (communicator, c_char_p)),
    }


def of_objects_foreign(communicator: Communicator) -> Prototypes:
    """include/thalweg/objects_foreign.h."""
    return {
        "thalweg_foreign_create_for": (
            c_int,
            (
                c_int,
                communicator,
                c_void_p,
                c_int,
                c_char_p,
                c_uint64,
                POINTER(structures.ForeignFunctions),
                POINTER(c_void_p),
            ),
        ),
        "thalweg_foreign_free": (c_int, (POINTER(c_void_p),)),
        "thalweg_foreign_objects": (c_void_p, (c_void_p,)),
        "thalweg_foreign_call": (c_int, (c_void_p, c_uint32, c_uint16, POINTER(structures.Piece), c_size_t)),
        "thalweg_foreign_broadcast": (c_int, (c_void_p, POINTER(structures.Piece), c_size_t)),
        "thalweg_foreign_section": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(structures.Piece), c_size_t)),
        "thalweg_foreign_associate": (c_int, (c_void_p, c_char_p, POINTER(c_uint32))),
        "thalweg_foreign_dissociate": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_begin": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_end": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_call_in": (
            c_int,
            (c_void_p, c_uint32, c_void_p, c_uint32, POINTER(structures.Piece), c_size_t),
        ),
        "thalweg_foreign_section_in": (
            c_int,
            (c_void_p, c_uint32, c_void_p, c_void_p, c_size_t, POINTER(structures.Piece), c_size_t),
        ),
        "thalweg_foreign_send": (c_int, (c_void_p, c_uint32, POINTER(structures.Piece), c_size_t)),
        "thalweg_foreign_migrate": (c_int, (c_void_p, c_uint32, c_int)),
        "thalweg_foreign_rank_of": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_contribute": (c_int, (c_void_p, c_void_p, c_size_t)),
        "thalweg_foreign_hold": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_release": (c_int, (c_void_p, c_uint32)),
        "thalweg_foreign_give": (None, (c_void_p, c_size_t)),
        "thalweg_foreign_fail": (None, (c_char_p,)),
        "thalweg_foreign_keep": (c_void_p, (c_void_p,)),
        "thalweg_foreign_free_kept": (None, (c_void_p,)),
    }
