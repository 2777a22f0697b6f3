! SPDX-License-Identifier: BSD-3-Clause
! Heat spreads in a plate that is cut into strips of columns; see README.md.
program heat
  use mpi_f08
  use thalweg
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer :: rows = 200, columns = 200, steps = 200
  logical :: on_team = .true.
  type(thalweg_team) :: team
  real(real64), pointer, contiguous :: plate(:, :), next(:, :), swapped(:, :), ghosts(:)
  integer(int64), pointer, contiguous :: arrived(:)
  integer :: rank, ranks, first, last, own, row, column
  integer(int64) :: step
  real(real64) :: begin_s, seconds

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_options()
  call team%create(MPI_COMM_WORLD%MPI_VAL)
  ! Columns from first to last of all are this rank's, and lie between one of each neighbor.
  first = 1 + int(int(columns, int64) * rank / ranks)
  last = int(int(columns, int64) * (rank + 1) / ranks)
  own = last - first + 1
  allocate (plate(0:rows + 1, 0:own + 1), next(0:rows + 1, 0:own + 1))
  call team%allocate(ghosts, 4 * rows)
  call team%allocate(arrived, 2)
  plate = 0
  do column = 1, own
    do row = 1, rows
      plate(row, column) = real(modulo(7 * row + 11 * (first + column), 13), real64)
    end do
  end do
  next = plate
  call team%barrier()
  begin_s = MPI_Wtime()
  do step = 1, steps
    if (on_team) then
      call exchange_by_puts()
    else
      call exchange_by_messages()
    end if
    do column = 1, own
      do row = 1, rows
        next(row, column) = plate(row, column) + 0.125_real64 * (plate(row - 1, column) + plate(row + 1, column) &
          + plate(row, column - 1) + plate(row, column + 1) - 4 * plate(row, column))
      end do
    end do
    swapped => plate
    plate => next
    next => swapped
  end do
  seconds = MPI_Wtime() - begin_s
  call tell()
  call team%free()
  call MPI_Finalize()

contains

  ! The neighbors' columns come into the ghosts of this step, those of even and odd steps apart.
  subroutine exchange_by_puts()
    integer :: place
    place = 1 + 2 * rows * int(modulo(step, 2_int64))
    if (rank > 0) call team%put(ghosts, rank - 1, place + rows, plate(1:rows, 1), thalweg_set_signal(arrived, 2, step))
    if (rank < ranks - 1) &
      call team%put(ghosts, rank + 1, place, plate(1:rows, own), thalweg_set_signal(arrived, 1, step))
    if (rank > 0) then
      call team%wait(arrived, 1, thalweg_condition_greater_equal, step)
      plate(1:rows, 0) = ghosts(place:place + rows - 1)
    end if
    if (rank < ranks - 1) then
      call team%wait(arrived, 2, thalweg_condition_greater_equal, step)
      plate(1:rows, own + 1) = ghosts(place + rows:place + 2 * rows - 1)
    end if
  end subroutine exchange_by_puts

  subroutine exchange_by_messages()
    integer :: left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call MPI_Sendrecv(plate(1:rows, 1), rows, MPI_DOUBLE_PRECISION, left, 0, plate(1:rows, own + 1), rows, &
      MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(plate(1:rows, own), rows, MPI_DOUBLE_PRECISION, right, 0, plate(1:rows, 0), rows, &
      MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine exchange_by_messages

  ! The answer is a sum of whole numbers, which does not depend on its order.
  subroutine tell()
    integer(int64) :: total(1)
    real(real64) :: slowest(1)
    total(1) = 0
    do column = 1, own
      do row = 1, rows
        total(1) = total(1) + nint(plate(row, column) * 1e6_real64, int64) * (row + 3 * (first + column))
      end do
    end do
    call team%allreduce(total, total)
    call team%allreduce([seconds], slowest, op=MPI_MAX%MPI_VAL)
    if (rank > 0) return
    print "(3(a, i0))", "answer: rows=", rows, " columns=", columns, " sum=", total(1)
    print "(a, i0, 2a, f0.6)", "time: ranks=", ranks, merge(" on=team", " on=mpi ", on_team), " seconds=", slowest(1)
  end subroutine tell

  subroutine read_options()
    character(32) :: name, text
    integer :: i, problem
    problem = 0
    do i = 1, command_argument_count() - 1, 2
      call get_command_argument(i, name)
      call get_command_argument(i + 1, text)
      select case (name)
      case ("--rows")
        read (text, *, iostat=problem) rows
      case ("--columns")
        read (text, *, iostat=problem) columns
      case ("--steps")
        read (text, *, iostat=problem) steps
      case ("--on")
        on_team = text == "team"
        if (.not. on_team .and. text /= "mpi") problem = 1
      case default
        problem = 1
      end select
      if (problem /= 0) exit
    end do
    if (problem == 0 .and. modulo(command_argument_count(), 2) == 0 .and. min(rows, steps) > 0 .and. &
      columns >= ranks) return
    if (rank == 0) &
      print "(a)", "usage: heat [--rows N] [--columns N] [--steps N] [--on team|mpi], a column for each rank"
    call MPI_Finalize()
    stop 2
  end subroutine read_options

end program heat
