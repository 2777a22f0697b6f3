! SPDX-License-Identifier: BSD-3-Clause
! Arrays as C functions take them, and failures as Fortran programs get them.
module thalweg_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  use thalweg_structures
  implicit none
  private
  public :: placed_array, place_of, settle, refuse, thalweg_error_message

  ! An array of rank 1: where it is, its elements, their bytes, and their kind as handles.c counts kinds; -1: refused.
  type :: placed_array
    type(c_ptr) :: place = c_null_ptr
    integer(c_size_t) :: elements = 0
    integer(c_size_t) :: element_bytes = 1
    integer(c_int) :: kind = 0
  end type placed_array

  character(:), allocatable :: last_message

  interface
    function c_error_message() bind(C, name="thalweg_error_message") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_error_message
    function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! The message of the last call that has failed: call, rank, value and remedy.
  function thalweg_error_message() result(message)
    character(:), allocatable :: message
    message = ""
    if (allocated(last_message)) message = last_message
  end function thalweg_error_message

  ! Ends a call: its status goes to the program, or a failure ends the program, as those of allocate() do.
  subroutine settle(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (code /= thalweg_success) last_message = text_of(c_error_message())
    call hand_over(code, status)
  end subroutine settle

  ! Fails without having called the library.
  subroutine refuse(call, problem, remedy, status)
    character(*), intent(in) :: call, problem, remedy
    integer, intent(out), optional :: status
    last_message = call // ": " // problem // "; " // remedy
    call hand_over(thalweg_error_invalid_argument, status)
  end subroutine refuse

  subroutine hand_over(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= thalweg_success) then
      write (error_unit, "(a)") last_message
      error stop 1
    end if
  end subroutine hand_over

  function text_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do i = 1, size(letters)
      copy(i:i) = letters(i)
    end do
  end function text_of

  ! Where an array is. One with gaps is refused, as a copy would be gone before a call that was started ends.
  function place_of(array) result(placed)
    class(*), intent(in), target :: array(:)
    type(placed_array) :: placed
    integer :: second
    if (size(array) == 0) return
    placed%elements = size(array, kind=c_size_t)
    placed%element_bytes = storage_size(array, kind=c_size_t) / 8
    placed%kind = -1
    second = min(2, size(array))
    select type (array)
    type is (integer(int8))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 1)
    type is (integer(int16))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 2)
    type is (integer(int32))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 3)
    type is (integer(int64))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 4)
    type is (real(real32))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 5)
    type is (real(real64))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 6)
    type is (complex(real32))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 7)
    type is (complex(real64))
      call set(placed, c_loc(array(1)), c_loc(array(second)), 8)
    type is (logical)
      call set(placed, c_loc(array(1)), c_loc(array(second)), 0)
    end select
  end function place_of

  ! gfortran 12 takes every array of class(*) for contiguous, which the place of the second element tells better.
  subroutine set(placed, first, second, kind)
    type(placed_array), intent(inout) :: placed
    type(c_ptr), intent(in) :: first, second
    integer, intent(in) :: kind
    integer(c_intptr_t) :: distance
    distance = transfer(second, distance) - transfer(first, distance)
    if (placed%elements > 1 .and. distance /= int(placed%element_bytes, c_intptr_t)) return
    placed%place = first
    placed%kind = kind
  end subroutine set

end module thalweg_arrays
