! SPDX-License-Identifier: BSD-3-Clause
! Thalweg's teams and streams in Fortran 2008: `use thalweg`, and link with the library for the program's MPI.
! Calls that fail stop the program with a message, unless they are given a `status`, as allocate() is a `stat`.
module thalweg
  use thalweg_arrays, only: thalweg_error_message
  use thalweg_streams
  use thalweg_structures
  use thalweg_teams
  implicit none
  public
end module thalweg
