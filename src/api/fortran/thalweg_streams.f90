! SPDX-License-Identifier: BSD-3-Clause
! Streams: thalweg/stream.h describes all calls, docs/streams.md what they promise.
module thalweg_streams
  use, intrinsic :: iso_c_binding
  use thalweg_arrays
  use thalweg_functions
  use thalweg_structures
  implicit none
  private

  ! What a program does with items that arrive, and what it keeps of them: a type of its own that extends this one.
  type, abstract, public :: thalweg_handler
  contains
    procedure(receive_items), deferred :: receive
  end type thalweg_handler

  abstract interface
    ! So many items have arrived: call c_f_pointer(items, array, [count]). They lie there during the call only.
    subroutine receive_items(self, items, count)
      import :: c_ptr, thalweg_handler
      class(thalweg_handler), intent(inout) :: self
      type(c_ptr), intent(in) :: items
      integer, intent(in) :: count
    end subroutine receive_items
  end interface

  ! What the library gives back to deliver().
  type :: delivery
    class(thalweg_handler), pointer :: handler => null()
    integer(c_size_t) :: item_bytes = 1
  end type delivery

  type, public :: thalweg_stream
    private
    type(c_ptr) :: handle = c_null_ptr
    type(delivery), pointer :: delivered => null()
  contains
    procedure :: create => stream_create
    procedure :: free => stream_free
    procedure, private :: send_to, send_each, send_places
    generic :: send => send_to, send_each, send_places
    procedure :: flush => stream_flush
    procedure :: progress => stream_progress
    procedure :: finish => stream_finish
    procedure :: statistics => stream_statistics
  end type thalweg_stream

contains

  ! Collective. A stream of items of so many bytes; the handler needs the attribute `target`, and outlives the stream.
  subroutine stream_create(self, communicator, item_bytes, handler, shape, buffer_bytes, status)
    class(thalweg_stream), intent(inout) :: self
    integer, intent(in) :: communicator, item_bytes
    class(thalweg_handler), intent(inout), target :: handler
    character(*), intent(in), optional :: shape
    integer, intent(in), optional :: buffer_bytes
    integer, intent(out), optional :: status
    type(thalweg_stream_options) :: options
    type(thalweg_stream_handler) :: functions
    character(kind=c_char), allocatable, target :: text(:)
    integer :: i
    if (item_bytes < 1) then
      call refuse("create", "items without bytes", "give the bytes of an item", status)
      return
    end if
    allocate (self%delivered)
    self%delivered%handler => handler
    self%delivered%item_bytes = item_bytes
    options%size = c_sizeof(options)
    options%item_bytes = item_bytes
    if (present(buffer_bytes)) options%buffer_bytes = buffer_bytes
    if (present(shape)) then
      text = [(shape(i:i), i=1, len_trim(shape)), c_null_char]
      options%shape = c_loc(text)
    end if
    functions%size = c_sizeof(functions)
    functions%context = c_loc(self%delivered)
    functions%deliver = c_funloc(deliver)
    call settle(thalweg_fortran_create_stream(communicator, options, functions, self%handle), status)
    if (.not. c_associated(self%handle)) deallocate (self%delivered)
  end subroutine stream_create

  ! Frees the stream. Not collective, but all ranks do it before MPI ends.
  subroutine stream_free(self, status)
    class(thalweg_stream), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_stream_free(self%handle), status)
    if (associated(self%delivered) .and. .not. c_associated(self%handle)) deallocate (self%delivered)
  end subroutine stream_free

  ! Sends all items of an array to one rank. They are copied; handlers may be called meanwhile.
  subroutine send_to(self, rank, items, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(in) :: rank
    class(*), intent(in), target :: items(:)
    integer, intent(out), optional :: status
    type(placed_array) :: placed
    placed = place_of(items)
    if (are_items(self, placed, status)) &
      call settle(thalweg_stream_send_many_to(self%handle, rank, placed%elements, placed%place), status)
  end subroutine send_to

  ! Sends items(i) to ranks(i).
  subroutine send_each(self, ranks, items, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(in) :: ranks(:)
    class(*), intent(in), target :: items(:)
    integer, intent(out), optional :: status
    type(placed_array) :: placed
    placed = place_of(items)
    if (size(ranks) /= size(items)) then
      call refuse("send", "more ranks than items, or fewer", "give a rank for each item", status)
    else if (are_items(self, placed, status)) then
      call settle(thalweg_stream_send_many(self%handle, placed%elements, ranks, placed%place), status)
    end if
  end subroutine send_each

  ! Sends so many items of any type that C knows to one rank: c_loc(items) tells where they are.
  subroutine send_places(self, rank, place, count, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(in) :: rank, count
    type(c_ptr), intent(in) :: place
    integer, intent(out), optional :: status
    call settle(thalweg_stream_send_many_to(self%handle, rank, int(count, c_size_t), place), status)
  end subroutine send_places

  logical function are_items(self, placed, status)
    class(thalweg_stream), intent(in) :: self
    type(placed_array), intent(in) :: placed
    integer, intent(out), optional :: status
    are_items = .false.
    if (.not. associated(self%delivered)) then
      call refuse("send", "a stream that is none", "create it", status)
    else if (placed%kind < 0) then
      call refuse("send", "items with gaps, or of a type that is unknown", "give c_loc(items) and their number", status)
    else if (placed%elements > 0 .and. placed%element_bytes /= self%delivered%item_bytes) then
      call refuse("send", "items of another size than the stream's", "give items of the stream's type", status)
    else
      are_items = .true.
    end if
  end function are_items

  ! Sends what is in buffers.
  subroutine stream_flush(self, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_stream_flush(self%handle), status)
  end subroutine stream_flush

  ! Handles what has arrived.
  subroutine stream_progress(self, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_stream_progress(self%handle), status)
  end subroutine stream_progress

  ! Collective. Ends the phase: all items of all ranks have been handled.
  subroutine stream_finish(self, status)
    class(thalweg_stream), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(thalweg_stream_finish(self%handle), status)
  end subroutine stream_finish

  ! What this rank's end has done since it was made.
  subroutine stream_statistics(self, done, status)
    class(thalweg_stream), intent(in) :: self
    type(thalweg_stream_statistics), intent(out) :: done
    integer, intent(out), optional :: status
    done%size = c_sizeof(done)
    call settle(thalweg_stream_read_statistics(self%handle, done), status)
  end subroutine stream_statistics

  function deliver(context, items, bytes) bind(C) result(failed)
    type(c_ptr), value :: context, items
    integer(c_size_t), value :: bytes
    integer(c_int) :: failed
    type(delivery), pointer :: delivered
    call c_f_pointer(context, delivered)
    call delivered%handler%receive(items, int(bytes / delivered%item_bytes))
    failed = 0
  end function deliver

end module thalweg_streams
