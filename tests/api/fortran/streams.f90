! SPDX-License-Identifier: BSD-3-Clause
! Streams from Fortran: numbers and types of the program, to one rank and to many, sent by the program and by handlers.
module kept
  use, intrinsic :: iso_c_binding
  use thalweg
  implicit none

  type, bind(C) :: visit
    integer(c_int) :: place
    integer(c_int) :: steps
  end type visit

  ! Each visit leads to one of the following rank, until it has no steps left.
  type, extends(thalweg_handler) :: walks
    type(thalweg_stream), pointer :: stream => null()
    integer :: ends = 0, places = 0, next = 0
  contains
    procedure :: receive => go_on
  end type walks

  type, extends(thalweg_handler) :: sums
    integer(c_int64_t) :: sum = 0
    integer :: items = 0
  contains
    procedure :: receive => add_up
  end type sums

contains

  subroutine go_on(self, items, count)
    class(walks), intent(inout) :: self
    type(c_ptr), intent(in) :: items
    integer, intent(in) :: count
    type(visit), pointer :: visits(:)
    type(visit), target :: following
    integer :: i
    call c_f_pointer(items, visits, [count])
    do i = 1, count
      self%places = self%places + visits(i)%place
      if (visits(i)%steps == 0) then
        self%ends = self%ends + 1
      else
        following = visit(visits(i)%place + 1, visits(i)%steps - 1)
        call self%stream%send(self%next, c_loc(following), 1)
      end if
    end do
  end subroutine go_on

  subroutine add_up(self, items, count)
    class(sums), intent(inout) :: self
    type(c_ptr), intent(in) :: items
    integer, intent(in) :: count
    integer(c_int64_t), pointer :: numbers(:)
    call c_f_pointer(items, numbers, [count])
    self%sum = self%sum + sum(numbers)
    self%items = self%items + count
  end subroutine add_up

end module kept

program streams
  use mpi_f08
  use kept
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer :: rank, ranks
  logical :: right = .true.

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call send_numbers()
  call walk()
  call go_wrong()
  if (right) print "(a)", "all right"
  call MPI_Finalize()
  if (.not. right) error stop 1

contains

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) print "(2a)", "FAILED: ", what
    right = right .and. condition
  end subroutine require

  subroutine send_numbers()
    type(sums), target :: got
    type(thalweg_stream) :: stream
    type(thalweg_stream_statistics) :: done
    integer(int64) :: numbers(1000)
    integer :: i, phase
    call stream%create(MPI_COMM_WORLD%MPI_VAL, 8, got, shape="direct", buffer_bytes=512)
    do phase = 1, 2
      got%sum = 0
      got%items = 0
      numbers = [(int(i, int64), i=1, 1000)]
      call stream%send(0, numbers(1:10))
      call stream%send([(mod(i, ranks), i=1, 1000)], numbers)
      call stream%flush()
      call stream%progress()
      call stream%finish()
      call require(got%items == ranks * (count([(mod(i, ranks) == rank, i=1, 1000)]) + merge(10, 0, rank == 0)), &
        "items")
      call require(got%sum == ranks * (sum(pack(numbers, [(mod(i, ranks) == rank, i=1, 1000)])) &
        + merge(55, 0, rank == 0)), "sums of items")
    end do
    call stream%statistics(done)
    call require(done%phases == 2, "phases")
    call stream%free()
  end subroutine send_numbers

  subroutine walk()
    type(walks), target :: got
    type(thalweg_stream), target :: stream
    type(visit), target :: begins(2)
    integer :: ends
    got%stream => stream
    got%next = mod(rank + 1, ranks)
    begins = [visit(0, 5), visit(100, 0)]
    call stream%create(MPI_COMM_WORLD%MPI_VAL, int(c_sizeof(begins(1))), got)
    call stream%send(got%next, c_loc(begins), 2)
    call stream%finish()
    call MPI_Allreduce(got%ends, ends, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call require(ends == 2 * ranks, "ends of walks")
    call require(got%places == 100 + 0 + 1 + 2 + 3 + 4 + 5, "places of walks")
    call stream%free()
  end subroutine walk

  subroutine go_wrong()
    type(sums), target :: got
    type(thalweg_stream) :: stream
    integer(int64) :: numbers(4)
    integer :: status
    numbers = 0
    call stream%send(0, numbers, status=status)
    call require(status == thalweg_error_invalid_argument, "a stream that is none sends")
    call stream%create(MPI_COMM_WORLD%MPI_VAL, 8, got)
    call stream%send(ranks, numbers, status=status)
    call require(index(thalweg_error_message(), "ranks 0 to ") > 0, thalweg_error_message())
    call stream%send([0], numbers, status=status)
    call require(index(thalweg_error_message(), "give a rank for each item") > 0, thalweg_error_message())
    call stream%send(0, [1, 2], status=status)
    call require(index(thalweg_error_message(), "items of another size") > 0, thalweg_error_message())
    call stream%finish()
    call require(got%items == 0, "something was sent")
    call stream%free()
    call stream%create(MPI_COMM_WORLD%MPI_VAL, 8, got, shape="direct4", status=status)
    call require(index(thalweg_error_message(), "the shape direct4") > 0, thalweg_error_message())
  end subroutine go_wrong

end program streams
