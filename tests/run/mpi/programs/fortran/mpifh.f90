! SPDX-License-Identifier: BSD-3-Clause
program conformance_mpifh
  implicit none
  include 'mpif.h'
  integer :: ierr, request, absolute_type, kinds(1)
  integer :: lengths(1)
  integer, target, asynchronous, volatile :: cell
  integer(MPI_ADDRESS_KIND) :: address(1)
  include 'body.inc'
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    integer :: code
    if (condition) return
    write (0, '(3a)') 'FAILED fortran: ', what, ' is wrong'
    call MPI_Abort(MPI_COMM_WORLD, 3, code)
  end subroutine
end program
