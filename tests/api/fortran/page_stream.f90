! SPDX-License-Identifier: BSD-3-Clause
module counting
  use thalweg
  use, intrinsic :: iso_c_binding
  implicit none

  type, extends(thalweg_handler) :: histogram
    integer :: bars(0:999) = 0 ! of this rank: bar b of all is bar b / ranks of rank mod(b, ranks)
  contains
    procedure :: receive => count_samples
  end type histogram

contains

  subroutine count_samples(self, items, count) ! all that have arrived together
    class(histogram), intent(inout) :: self
    type(c_ptr), intent(in) :: items
    integer, intent(in) :: count
    integer, pointer :: bars(:)
    integer :: i
    call c_f_pointer(items, bars, [count])
    do i = 1, count
      self%bars(bars(i)) = self%bars(bars(i)) + 1
    end do
  end subroutine count_samples
end module counting

program samples
  use mpi_f08
  use counting
  implicit none
  integer, parameter :: drawn = 100000
  type(histogram), target :: counted
  type(thalweg_stream) :: stream
  integer :: rank, ranks, total, bars(drawn)
  real :: numbers(drawn)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call stream%create(MPI_COMM_WORLD%MPI_VAL, storage_size(bars) / 8, counted)
  call random_number(numbers)
  bars = int(numbers * 1000 * ranks)
  call stream%send(mod(bars, ranks), bars / ranks) ! item i goes to rank i of the first array
  call stream%finish() ! every sample of every rank has been counted
  call MPI_Reduce(sum(counted%bars), total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print "(i0, a)", total, " samples"
  call stream%free()
  call MPI_Finalize()
end program samples
