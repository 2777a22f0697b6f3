! SPDX-License-Identifier: BSD-3-Clause
! Teams: thalweg/team.h describes all calls, docs/teams.md what they promise. Ranks count from 0, as MPI's do, and
! elements of arrays from 1. Communicators and operators are MPI's numbers: MPI_COMM_WORLD%MPI_VAL of mpi_f08.
module thalweg_teams
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use thalweg_arrays
  use thalweg_functions
  use thalweg_structures
  implicit none
  private
  public :: thalweg_set_signal, thalweg_add_signal

  ! How a call synchronizes before and after it.
  type, public :: thalweg_synchronization
    integer(c_int) :: before = thalweg_sync_mine
    integer(c_int) :: after = thalweg_sync_mine
  end type thalweg_synchronization
  type(thalweg_synchronization), parameter, public :: &
    thalweg_strict = thalweg_synchronization(thalweg_sync_all, thalweg_sync_all), &
    thalweg_loose = thalweg_synchronization(thalweg_sync_none, thalweg_sync_none)

  ! The effect of a put on a word at its rank, once the data is there.
  type, public :: thalweg_signal
    private
    type(c_ptr) :: word = c_null_ptr
    integer(c_int64_t) :: value = 0
    integer(c_int) :: kind = thalweg_signal_set
  end type thalweg_signal

  ! A call that was started: its arrays belong to it until it has finished, and need the attribute `target`.
  type, public :: thalweg_request
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: test => request_test
    procedure :: wait => request_wait
  end type thalweg_request

  ! A team; one without a handle is that of ranks that are in none.
  type, public :: thalweg_team
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => team_create
    procedure :: free => team_free
    procedure :: rank => team_rank
    procedure :: size => team_size
    procedure :: exists => team_exists
    procedure :: use => team_use
    procedure :: split => team_split
    procedure :: subset => team_subset
    procedure, private :: allocate_int32, allocate_int64, allocate_real32, allocate_real64, allocate_complex
    generic :: allocate => allocate_int32, allocate_int64, allocate_real32, allocate_real64, allocate_complex
    procedure :: release => team_release
    procedure :: put => team_put
    procedure :: get => team_get
    procedure :: add => team_add
    procedure :: fetch_add => team_fetch_add
    procedure :: swap => team_swap
    procedure :: compare_swap => team_compare_swap
    procedure :: wait => team_wait
    procedure :: fence => team_fence
    procedure :: quiet => team_quiet
    procedure :: progress => team_progress
    procedure :: broadcast => team_broadcast
    procedure :: scatter => team_scatter
    procedure :: gather => team_gather
    procedure :: allgather => team_allgather
    procedure :: alltoall => team_alltoall
    procedure :: reduce => team_reduce
    procedure :: allreduce => team_allreduce
    procedure :: scan => team_scan
    procedure :: barrier => team_barrier
    procedure :: complete => team_complete
    procedure, private :: start => team_start
  end type thalweg_team

contains

  ! Collective. The team of a communicator's ranks, in its order; the communicator is duplicated.
  subroutine team_create(self, communicator, status)
    class(thalweg_team), intent(inout) :: self
    integer, intent(in) :: communicator
    integer, intent(out), optional :: status
    call settle(thalweg_fortran_create_team(communicator, self%handle), status)
  end subroutine team_create

  ! Collective. Waits for calls that were started, and ends the team with its memory.
  subroutine team_free(self, status)
    class(thalweg_team), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_team_free(self%handle), status)
  end subroutine team_free

  integer function team_rank(self) result(rank)
    class(thalweg_team), intent(in) :: self
    rank = thalweg_team_rank(self%handle)
  end function team_rank

  integer function team_size(self) result(ranks)
    class(thalweg_team), intent(in) :: self
    ranks = thalweg_team_size(self%handle)
  end function team_size

  ! Is this rank in it?
  logical function team_exists(self) result(exists)
    class(thalweg_team), intent(in) :: self
    exists = c_associated(self%handle)
  end function team_exists

  ! The strategies that run from now on, as THALWEG_USE names them.
  subroutine team_use(self, selections, status)
    class(thalweg_team), intent(in) :: self
    character(*), intent(in) :: selections
    integer, intent(out), optional :: status
    call settle(thalweg_team_use(self%handle, selections // c_null_char), status)
  end subroutine team_use

  ! Collective. One team for each color, its ranks by key, then by rank; a negative color: none.
  subroutine team_split(self, color, part, key, status)
    class(thalweg_team), intent(in) :: self
    integer, intent(in) :: color
    type(thalweg_team), intent(inout) :: part
    integer, intent(in), optional :: key
    integer, intent(out), optional :: status
    integer(c_int) :: chosen
    chosen = 0
    if (present(key)) chosen = key
    call settle(thalweg_team_split(self%handle, color, chosen, part%handle), status)
  end subroutine team_split

  ! Collective. The ranks that are listed, in that order; none on the others.
  subroutine team_subset(self, ranks, part, status)
    class(thalweg_team), intent(in) :: self
    integer, intent(in) :: ranks(:)
    type(thalweg_team), intent(inout) :: part
    integer, intent(out), optional :: status
    call settle(thalweg_team_subset(self%handle, size(ranks), ranks, part%handle), status)
  end subroutine team_subset

  include "thalweg_memory.inc"
  include "thalweg_collectives.inc"

  subroutine team_barrier(self, request, status)
    class(thalweg_team), intent(in) :: self
    type(thalweg_request), intent(inout), target, optional :: request
    integer, intent(out), optional :: status
    call settle(thalweg_team_barrier(self%handle, place_of_request(request)), status)
  end subroutine team_barrier

  ! Returns when all that this rank has started on the team has finished here.
  subroutine team_complete(self, status)
    class(thalweg_team), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_team_complete(self%handle), status)
  end subroutine team_complete

  ! Makes progress without waiting, and says whether the call has finished.
  subroutine request_test(self, finished, status)
    class(thalweg_request), intent(inout) :: self
    logical, intent(out) :: finished
    integer, intent(out), optional :: status
    integer(c_int) :: answer
    answer = 0
    call settle(thalweg_request_test(self%handle, answer), status)
    finished = answer /= 0
  end subroutine request_test

  ! Waits until the call has finished.
  subroutine request_wait(self, status)
    class(thalweg_request), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_request_wait(self%handle), status)
  end subroutine request_wait

  ! Where a request is; nowhere: the call waits.
  function place_of_request(request) result(place)
    type(thalweg_request), intent(inout), target, optional :: request
    type(c_ptr) :: place
    place = c_null_ptr
    if (present(request)) place = c_loc(request%handle)
  end function place_of_request

end module thalweg_teams
