! SPDX-License-Identifier: BSD-3-Clause
program heat
  use mpi_f08
  use thalweg
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: cells = 100, steps = 1000 ! of each rank's part of a ring
  type(thalweg_team) :: team
  real(real64), pointer, contiguous :: ghosts(:) ! from the left and the right, for even steps and for odd ones
  integer(int64), pointer, contiguous :: arrived(:) ! the last step from the left, and from the right
  real(real64) :: ring(0:cells + 1), total(1)
  integer(int64) :: step
  integer :: left, right, ghost

  call MPI_Init()
  call team%create(MPI_COMM_WORLD%MPI_VAL)
  call team%allocate(ghosts, 4)
  call team%allocate(arrived, 2)
  left = modulo(team%rank() - 1, team%size())
  right = modulo(team%rank() + 1, team%size())
  ring = 0
  if (team%rank() == 0) ring(1) = 1000
  do step = 1, steps
    ghost = 1 + 2 * int(modulo(step, 2_int64))
    call team%put(ghosts, right, ghost, ring(cells:cells), thalweg_set_signal(arrived, 1, step))
    call team%put(ghosts, left, ghost + 1, ring(1:1), thalweg_set_signal(arrived, 2, step))
    call team%wait(arrived, 1, thalweg_condition_greater_equal, step)
    call team%wait(arrived, 2, thalweg_condition_greater_equal, step)
    ring(0) = ghosts(ghost)
    ring(cells + 1) = ghosts(ghost + 1)
    ring(1:cells) = ring(1:cells) + 0.25_real64 * (ring(0:cells - 1) - 2 * ring(1:cells) + ring(2:cells + 1))
  end do
  call team%allreduce([sum(ring(1:cells))], total)
  if (team%rank() == 0) print "(a, f0.6)", "heat ", total(1)
  call team%free()
  call MPI_Finalize()
end program heat
