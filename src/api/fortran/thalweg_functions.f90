! SPDX-License-Identifier: BSD-3-Clause
! Functions of the C interfaces, of which thalweg/team.h, thalweg/request.h and thalweg/stream.h tell.
module thalweg_functions
  use, intrinsic :: iso_c_binding
  use thalweg_structures
  implicit none
  public

  ! As handles.c knows it.
  type, bind(C) :: fortran_call
    type(c_ptr) :: input = c_null_ptr
    type(c_ptr) :: output = c_null_ptr
    integer(c_size_t) :: count = 0
    integer(c_int) :: collective = 0
    integer(c_int) :: kind = 0
    integer(c_int) :: op = -1
    integer(c_int) :: root = 0
    integer(c_int) :: before = thalweg_sync_mine
    integer(c_int) :: after = thalweg_sync_mine
  end type fortran_call

  interface
    function thalweg_fortran_create_team(communicator, team) bind(C) result(code)
      import :: c_int, c_ptr
      integer(c_int), intent(in) :: communicator
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: code
    end function
    function thalweg_team_split(team, color, key, part) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: color, key
      type(c_ptr), intent(inout) :: part
      integer(c_int) :: code
    end function
    function thalweg_team_subset(team, count, ranks, part) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: count
      integer(c_int), intent(in) :: ranks(*)
      type(c_ptr), intent(inout) :: part
      integer(c_int) :: code
    end function
    function thalweg_team_free(team) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: code
    end function
    function thalweg_team_rank(team) bind(C) result(rank)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: rank
    end function
    function thalweg_team_size(team) bind(C) result(ranks)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: ranks
    end function
    function thalweg_team_use(team, selections) bind(C) result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: selections(*)
      integer(c_int) :: code
    end function
    function thalweg_team_allocate(team, bytes, memory) bind(C) result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: team
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: code
    end function
    function thalweg_team_release(team, memory) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team, memory
      integer(c_int) :: code
    end function
    function thalweg_team_put(team, transfer, request) bind(C) result(code)
      import :: c_int, c_ptr, thalweg_team_transfer
      type(c_ptr), value :: team
      type(thalweg_team_transfer), intent(in) :: transfer
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function thalweg_team_get(team, transfer, request) bind(C) result(code)
      import :: c_int, c_ptr, thalweg_team_transfer
      type(c_ptr), value :: team
      type(thalweg_team_transfer), intent(in) :: transfer
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function thalweg_team_update(team, atomic, request) bind(C) result(code)
      import :: c_int, c_ptr, thalweg_team_atomic
      type(c_ptr), value :: team
      type(thalweg_team_atomic), intent(in) :: atomic
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function thalweg_team_fence(team) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
    function thalweg_team_quiet(team) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
    function thalweg_team_progress(team) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
    function thalweg_team_wait(team, word, condition, value, found) bind(C) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team, word
      integer(c_int), value :: condition
      integer(c_int64_t), value :: value
      integer(c_int64_t), intent(out) :: found
      integer(c_int) :: code
    end function
    function thalweg_fortran_start(team, call, request) bind(C) result(code)
      import :: c_int, c_ptr, fortran_call
      type(c_ptr), value :: team
      type(fortran_call), intent(in) :: call
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function thalweg_team_barrier(team, request) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team, request
      integer(c_int) :: code
    end function
    function thalweg_team_complete(team) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: code
    end function
    function thalweg_request_test(request, finished) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request
      integer(c_int), intent(out) :: finished
      integer(c_int) :: code
    end function
    function thalweg_request_wait(request) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request
      integer(c_int) :: code
    end function
    function thalweg_fortran_create_stream(communicator, options, handler, stream) bind(C) result(code)
      import :: c_int, c_ptr, thalweg_stream_handler, thalweg_stream_options
      integer(c_int), intent(in) :: communicator
      type(thalweg_stream_options), intent(in) :: options
      type(thalweg_stream_handler), intent(in) :: handler
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: code
    end function
    function thalweg_stream_free(stream) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: code
    end function
    function thalweg_stream_send_many(stream, count, ranks, items) bind(C) result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: stream, items
      integer(c_size_t), value :: count
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int) :: code
    end function
    function thalweg_stream_send_many_to(stream, rank, count, items) bind(C) result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: stream, items
      integer(c_int), value :: rank
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function
    function thalweg_stream_flush(stream) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: code
    end function
    function thalweg_stream_progress(stream) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: code
    end function
    function thalweg_stream_finish(stream) bind(C) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: code
    end function
    function thalweg_stream_read_statistics(stream, statistics) bind(C) result(code)
      import :: c_int, c_ptr, thalweg_stream_statistics
      type(c_ptr), value :: stream
      type(thalweg_stream_statistics), intent(inout) :: statistics
      integer(c_int) :: code
    end function
  end interface

end module thalweg_functions
