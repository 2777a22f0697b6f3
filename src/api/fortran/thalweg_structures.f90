! SPDX-License-Identifier: BSD-3-Clause
! Constants and structures of the C interfaces. Made from interfaces/ by `make interfaces`.
module thalweg_structures
  use, intrinsic :: iso_c_binding
  implicit none
  private

  ! A function that does not return thalweg_success has changed nothing, unless its comment says otherwise.
  integer(c_int), parameter, public :: thalweg_success = 0
  integer(c_int), parameter, public :: thalweg_error_invalid_argument = 1
  integer(c_int), parameter, public :: thalweg_error_out_of_memory = 2
  integer(c_int), parameter, public :: thalweg_error_mpi = 3
  integer(c_int), parameter, public :: thalweg_error_mismatch = 4
  integer(c_int), parameter, public :: thalweg_error_unsupported = 5
  integer(c_int), parameter, public :: thalweg_error_system = 6
  integer(c_int), parameter, public :: thalweg_error_not_proven = 7
  integer(c_int), parameter, public :: thalweg_error_internal = 8
  integer(c_int), parameter, public :: thalweg_error_handler = 9

  ! How a call is ordered with other ranks, before it touches buffers and before it ends.
  integer(c_int), parameter, public :: thalweg_sync_none = 0
  integer(c_int), parameter, public :: thalweg_sync_mine = 1
  integer(c_int), parameter, public :: thalweg_sync_all = 2

  ! The collectives of a team.
  integer(c_int), parameter, public :: thalweg_collective_broadcast = 0
  integer(c_int), parameter, public :: thalweg_collective_scatter = 1
  integer(c_int), parameter, public :: thalweg_collective_gather = 2
  integer(c_int), parameter, public :: thalweg_collective_allgather = 3
  integer(c_int), parameter, public :: thalweg_collective_alltoall = 4
  integer(c_int), parameter, public :: thalweg_collective_reduce = 5
  integer(c_int), parameter, public :: thalweg_collective_allreduce = 6
  integer(c_int), parameter, public :: thalweg_collective_scan = 7
  integer(c_int), parameter, public :: thalweg_collective_barrier = 8
  integer(c_int), parameter, public :: thalweg_collective_exscan = 9
  integer(c_int), parameter, public :: thalweg_collective_reduce_scatter = 10

  ! The effect of a signal on its word.
  integer(c_int), parameter, public :: thalweg_signal_set = 0
  integer(c_int), parameter, public :: thalweg_signal_add = 1

  ! A comparison of a word with a value, both without sign.
  integer(c_int), parameter, public :: thalweg_condition_equal = 0
  integer(c_int), parameter, public :: thalweg_condition_not_equal = 1
  integer(c_int), parameter, public :: thalweg_condition_greater_equal = 2
  integer(c_int), parameter, public :: thalweg_condition_less_equal = 3

  ! An operation on a word that no other one divides.
  integer(c_int), parameter, public :: thalweg_atomic_add = 0
  integer(c_int), parameter, public :: thalweg_atomic_swap = 1
  integer(c_int), parameter, public :: thalweg_atomic_compare_swap = 2

  ! The last failure of a call of this thread. Later versions may add fields at the end.
  type, bind(C), public :: thalweg_error
    integer(c_int) :: status = 0
    integer(c_int) :: rank = 0
    type(c_ptr) :: call = c_null_ptr
    type(c_ptr) :: remedy = c_null_ptr
    type(c_ptr) :: message = c_null_ptr
  end type thalweg_error

  ! The message that a receive got.
  type, bind(C), public :: thalweg_received
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    integer(c_int) :: from = 0
    integer(c_int) :: tag = 0
    integer(c_size_t) :: bytes = 0_c_size_t
  end type thalweg_received

  ! Blocks of bytes between this rank's memory and the symmetric memory of `rank`. The default is one block of
  ! nothing.
  type, bind(C), public :: thalweg_team_transfer
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    type(c_ptr) :: memory = c_null_ptr
    integer(c_size_t) :: offset = 0_c_size_t
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0_c_size_t
    integer(c_size_t) :: blocks = 1_c_size_t
    integer(c_intptr_t) :: memory_stride = 0
    integer(c_intptr_t) :: data_stride = 0
    type(c_ptr) :: places = c_null_ptr
    type(c_ptr) :: signal = c_null_ptr
    integer(c_int64_t) :: value = 0_c_int64_t
    integer(c_int) :: kind = thalweg_signal_set
    integer(c_int) :: rank = 0
  end type thalweg_team_transfer

  ! An operation on a word in the symmetric memory of `rank`, which is aligned to its size. The default adds 0 to a
  ! word of 8 bytes.
  type, bind(C), public :: thalweg_team_atomic
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    type(c_ptr) :: memory = c_null_ptr
    integer(c_size_t) :: offset = 0_c_size_t
    integer(c_size_t) :: bytes = 8_c_size_t
    integer(c_int64_t) :: value = 0_c_int64_t
    integer(c_int64_t) :: compare = 0_c_int64_t
    type(c_ptr) :: result = c_null_ptr
    integer(c_int) :: kind = thalweg_atomic_add
    integer(c_int) :: rank = 0
  end type thalweg_team_atomic

  ! The same on all ranks. 0 and NULL: the best by Thalweg's judgment.
  type, bind(C), public :: thalweg_stream_options
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    integer(c_size_t) :: item_bytes = 0_c_size_t
    integer(c_size_t) :: buffer_bytes = 0_c_size_t
    integer(c_size_t) :: memory_bytes = 0_c_size_t
    type(c_ptr) :: shape = c_null_ptr
    integer(c_size_t) :: max_pending_items = 0_c_size_t
    integer(c_size_t) :: max_overflow_bytes = 0_c_size_t
    integer(c_int) :: period_us = 0
  end type thalweg_stream_options

  ! Counters of a rank's end of a stream. Sent items are its own, and those of others on their way.
  type, bind(C), public :: thalweg_stream_statistics
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    integer(c_int64_t) :: buffers_full = 0_c_int64_t
    integer(c_int64_t) :: buffers_flushed = 0_c_int64_t
    integer(c_int64_t) :: buffers_waited = 0_c_int64_t
    integer(c_int64_t) :: buffers_closed = 0_c_int64_t
    integer(c_int64_t) :: near_bytes = 0_c_int64_t
    integer(c_int64_t) :: far_bytes = 0_c_int64_t
    integer(c_int64_t) :: buffer_bytes = 0_c_int64_t
    integer(c_int64_t) :: far_messages = 0_c_int64_t
    integer(c_int64_t) :: hops = 0_c_int64_t
    integer(c_int64_t) :: delivered_bytes = 0_c_int64_t
    integer(c_int64_t) :: delivered_items = 0_c_int64_t
    integer(c_int64_t) :: waits = 0_c_int64_t
    integer(c_int64_t) :: waited_ns = 0_c_int64_t
    integer(c_int64_t) :: finish_ns = 0_c_int64_t
    integer(c_int64_t) :: duration_ns = 0_c_int64_t
    integer(c_int64_t) :: waves = 0_c_int64_t
    integer(c_int64_t) :: phases = 0_c_int64_t
    integer(c_int64_t) :: max_overflow_bytes = 0_c_int64_t
    integer(c_int64_t) :: max_memory_bytes = 0_c_int64_t
  end type thalweg_stream_statistics

  ! The treatment of arriving items. All functions may put items into links, and return 0, or something else after
  ! fail().
  type, bind(C), public :: thalweg_stream_handler
    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call
    type(c_ptr) :: context = c_null_ptr
    type(c_funptr) :: deliver = c_null_funptr
    type(c_funptr) :: forward = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
    type(c_funptr) :: resend = c_null_funptr
  end type thalweg_stream_handler
end module thalweg_structures
