! SPDX-License-Identifier: BSD-3-Clause
! Every call of a team from Fortran, against what it should give.
module checking
  use, intrinsic :: iso_fortran_env
  use thalweg
  implicit none
  integer :: failures = 0
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, "(2a)") "FAILED: ", what
  end subroutine require

  subroutine require_refusal(status, text)
    integer, intent(in) :: status
    character(*), intent(in) :: text
    call require(status == thalweg_error_invalid_argument, "no refusal: " // text)
    call require(index(thalweg_error_message(), text) > 0, text // " is not in: " // thalweg_error_message())
  end subroutine require_refusal
end module checking

program teams
  use mpi_f08
  use checking
  implicit none
  type(thalweg_team) :: team
  integer :: rank, ranks, next, i

  call MPI_Init()
  call team%create(MPI_COMM_WORLD%MPI_VAL)
  rank = team%rank()
  ranks = team%size()
  next = modulo(rank + 1, ranks)
  call check_collectives()
  call check_modes_and_requests()
  call check_memory()
  call check_words()
  call check_parts()
  call check_errors()
  call team%free()
  call require(.not. team%exists(), "a team that was freed exists")
  if (failures == 0) print "(a)", "all right"
  call MPI_Finalize()
  if (failures > 0) error stop 1

contains

  subroutine check_collectives()
    real(real64) :: mine(3), all3(3 * ranks), part(3)
    integer(int64) :: longs(2), sums(2)
    integer(int32) :: small(2), one(2)
    complex(real64) :: waves(2), wave_sums(2)
    real(real64), allocatable :: none(:), whole(:)
    allocate (none(0))
    mine = [1, 2, 3] + 10 * rank
    part = mine
    call team%broadcast(part, ranks - 1)
    call require(all(part == [1, 2, 3] + 10 * (ranks - 1)), "broadcast")
    call team%allgather(mine, all3)
    call require(all(all3 == [([1, 2, 3] + 10 * i, i=0, ranks - 1)]), "allgather")
    part = -1
    if (rank == 0) then
      call team%scatter(all3, part, 0)
    else
      call team%scatter(none, part, 0)
    end if
    call require(all(part == mine), "scatter")
    whole = 0 * all3
    if (rank == 0) then
      call team%gather(mine, whole, 0)
      call require(all(whole == all3), "gather")
    else
      call team%gather(mine, none, 0)
    end if
    call team%alltoall([(real([1, 2, 3] + 100 * rank + 10 * i, real64), i=0, ranks - 1)], all3)
    call require(all(all3 == [([1, 2, 3] + 100 * i + 10 * rank, i=0, ranks - 1)]), "alltoall")
    longs = [rank, 2]
    call team%allreduce(longs, sums)
    call require(all(sums == [ranks * (ranks - 1) / 2, 2 * ranks]), "allreduce of int64")
    small = [rank, -rank]
    call team%allreduce(small, one, op=MPI_MAX%MPI_VAL)
    call require(all(one == [ranks - 1, 0]), "allreduce by MPI_MAX")
    call team%allreduce(small, small)
    call require(all(small == [1, -1] * (ranks * (ranks - 1) / 2)), "allreduce in place")
    waves = [(1, 2), (3, 4)]
    call team%reduce(waves, wave_sums, 0)
    if (rank == 0) call require(all(wave_sums == ranks * waves), "reduce of complex numbers")
    call team%scan([real(rank + 1, real32)], part(1:0), status=i)
    call require_refusal(i, "scan")
    mine(1:1) = rank + 1
    call team%scan(mine(1:1), part(1:1))
    call require(int(part(1)) == (rank + 1) * (rank + 2) / 2, "scan")
  end subroutine check_collectives

  subroutine check_modes_and_requests()
    real(real64), target :: first(4), second(4), total(4)
    type(thalweg_request) :: requests(2)
    logical :: finished
    first = rank
    second = 2 * rank
    call team%allreduce(first, total, when=thalweg_strict)
    call require(all(total == ranks * (ranks - 1) / 2), "a strict allreduce")
    call team%broadcast(first, 0, when=thalweg_loose)
    call team%broadcast(second, 0, when=thalweg_synchronization(thalweg_sync_mine, thalweg_sync_none))
    call team%complete()
    call require(all(first == 0) .and. all(second == 0), "loose broadcasts")
    first = 1
    second = 2
    call team%allreduce(first, total, request=requests(1))
    call team%barrier(request=requests(2))
    finished = .false.
    do while (.not. finished)
      call requests(2)%test(finished)
    end do
    call requests(1)%wait()
    call require(all(total == ranks), "an allreduce that was started")
    call team%barrier()
    call team%use("broadcast=flat")
    call team%broadcast(total, 0)
  end subroutine check_modes_and_requests

  subroutine check_memory()
    real(real64), pointer, contiguous :: table(:), grid(:, :)
    integer(int64), pointer, contiguous :: signals(:)
    real(real64), target :: read(6)
    type(thalweg_request) :: request
    call team%allocate(table, 12)
    call team%allocate(signals, 2)
    call require(all(table == 0), "memory does not begin with zeros")
    grid(1:3, 1:4) => table
    call team%barrier()
    call team%put(table, next, 2, [5, 6] + real(rank, real64), thalweg_set_signal(signals, 1, 7_int64))
    call team%wait(signals, 1, thalweg_condition_equal, 7_int64)
    call require(all(table(2:3) == [5, 6] + modulo(rank - 1, ranks)), "put with a signal")
    call team%barrier()
    ! The third row of the grid: an element of each column.
    call team%put(table, next, 3, real([1, 2, 3, 4], real64), thalweg_add_signal(signals, 2, 3_int64), block=1, &
      stride=3)
    call team%wait(signals, 2, thalweg_condition_greater_equal, 3_int64)
    call require(all(grid(3, :) == [1, 2, 3, 4]), "put in blocks")
    call team%barrier()
    call team%get(table, next, 3, read(1:4), block=1, stride=3)
    call require(all(read(1:4) == [1, 2, 3, 4]), "get in blocks")
    call team%get(table, next, 1, read, request=request)
    call request%wait()
    call require(read(2) == 5 + rank, "get with a request")
    call team%barrier()
    call team%put(table, next, 12, [real(rank, real64)], request=request)
    call team%fence()
    call team%quiet()
    call request%wait()
    call team%progress()
    call team%barrier()
    call require(table(12) == modulo(rank - 1, ranks), "put with a request")
    call team%release(signals)
    call team%release(table)
  end subroutine check_memory

  subroutine check_words()
    integer(int64), pointer, contiguous :: longs(:)
    integer(int32), pointer, contiguous :: shorts(:)
    integer(int64) :: before
    call team%allocate(longs, 3)
    call team%allocate(shorts, 2)
    call team%add(longs, 0, 1, 2_int64)
    call team%fetch_add(shorts, 0, 2, -1_int64, before)
    call require(before <= 0 .and. before > -ranks, "fetch_add")
    call team%barrier()
    if (rank == 0) call require(longs(1) == 2 * ranks .and. shorts(2) == -ranks, "sums of words")
    call team%swap(longs, next, 2, int(rank + 10, int64), before)
    call require(before == 0, "swap")
    call team%compare_swap(longs, next, 2, int(rank + 10, int64), -5_int64, before)
    call require(before == rank + 10, "compare_swap")
    call team%compare_swap(longs, next, 2, 1_int64, 9_int64, before)
    call require(before == -5, "compare_swap of another word")
    call team%barrier()
    call require(longs(2) == -5, "the word that was swapped")
    call team%release(shorts)
    call team%release(longs)
  end subroutine check_words

  subroutine check_parts()
    type(thalweg_team) :: part, some
    call team%split(modulo(rank, 2), part, key=-rank)
    call require(part%size() == (ranks + 1 - modulo(rank, 2)) / 2, "split")
    call part%barrier()
    call part%free()
    call team%subset([ranks - 1, 0], some, status=i)
    if (ranks == 1) then
      call require_refusal(i, "twice in a list")
    else
      call require(some%exists() .eqv. (rank == 0 .or. rank == ranks - 1), "subset")
      if (some%exists()) call require(some%rank() == merge(0, 1, rank == ranks - 1), "ranks of a subset")
    end if
    call some%free()
  end subroutine check_parts

  subroutine check_errors()
    real(real64), pointer, contiguous :: table(:)
    real(real64) :: square(3, 3)
    type(thalweg_team) :: nobody
    integer :: status
    call team%allocate(table, 3)
    square = 0
    call team%put(table, ranks, 1, square(:, 1), status=status)
    call require_refusal(status, "put on rank")
    call team%put(table, 0, 0, square(:, 1), status=status)
    call require_refusal(status, "elements count from 1")
    call team%put(table, 0, 1, square(2, :), status=status)
    call require_refusal(status, "an array with gaps")
    call team%put(table, 0, 1, [1.0, 2.0], status=status)
    call require_refusal(status, "data of another type than the memory")
    call team%put(table, 0, 1, square(:, 1), block=2, stride=1, status=status)
    call require_refusal(status, "no whole number of blocks")
    call team%broadcast(square(2, :), 0, status=status)
    call require_refusal(status, "broadcast: an array with gaps")
    call team%allreduce(square(:, 1), square(1:2, 2), status=status)
    call require_refusal(status, "do not fit each other")
    call team%add(table, 0, 1, 1_int64, status=status)
    call require_refusal(status, "no integers of 4 or 8 bytes")
    call team%use("broadcast=gossip", status=status)
    call require_refusal(status, "gossip")
    call nobody%barrier(status=status)
    call require_refusal(status, "there is no team")
    call team%release(table)
  end subroutine check_errors

end program teams
