! SPDX-License-Identifier: BSD-3-Clause
!> The API of Fathom for Fortran applications: see fathom.h. Every procedure may be called at any time.
module fathom
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_ptr, c_size_t
  implicit none
  private
  public :: fathom_region_begin, fathom_region_end, fathom_snapshot
  public :: get_timer, start_timer, stop_timer, report_timers

  interface
    subroutine c_region_begin(name) bind(c, name="fathom_region_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_region_end(name) bind(c, name="fathom_region_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_timer_get(timer, name) bind(c, name="fathom_timer_get")
      import :: c_char, c_int
      integer(c_int), intent(inout) :: timer
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    !> Starts a timer returned by get_timer.
    subroutine start_timer(timer) bind(c, name="fathom_timer_start")
      import :: c_int
      integer(c_int), value :: timer
    end subroutine
    !> Stops a timer, which ends an event.
    subroutine stop_timer(timer) bind(c, name="fathom_timer_stop")
      import :: c_int
      integer(c_int), value :: timer
    end subroutine
    ! comm is an integer or a type(MPI_Comm), which contains one, so no MPI module is needed here
    type(c_ptr) function c_timers_text(comm) bind(c, name="fathom_timers_text")
      import :: c_ptr
      type(*), intent(in) :: comm
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
    subroutine c_free(text) bind(c, name="free")
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine
    subroutine c_snapshot(label, collective) bind(c, name="fathom_snapshot")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: label(*)
      integer(c_int), value :: collective
    end subroutine
  end interface

contains

  !> Begins a named region; regions nest.
  subroutine fathom_region_begin(name)
    character(len=*), intent(in) :: name
    call c_region_begin(trim(name) // c_null_char)
  end subroutine

  !> Ends the innermost open region of that name.
  subroutine fathom_region_end(name)
    character(len=*), intent(in) :: name
    call c_region_end(trim(name) // c_null_char)
  end subroutine

  !> Stores the totals of all MPI routines so far in the profile: of this process, or of all if collective.
  subroutine fathom_snapshot(label, collective)
    character(len=*), intent(in) :: label
    logical, intent(in), optional :: collective
    integer(c_int) :: all
    all = 0
    if (present(collective)) all = merge(1_c_int, 0_c_int, collective)
    call c_snapshot(trim(label) // c_null_char, all)
  end subroutine

  !> Returns the timer of that name, created on the first call. Store it: integer, save :: t = 0
  subroutine get_timer(timer, name)
    integer(c_int), intent(inout) :: timer
    character(len=*), intent(in) :: name
    call c_timer_get(timer, trim(name) // c_null_char)
  end subroutine

  !> Writes the timers of all tasks of a communicator to a unit of its task 0. All tasks must call it.
  subroutine report_timers(unit, comm)
    integer, intent(in) :: unit
    type(*), intent(in) :: comm
    type(c_ptr) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i, first, status
    text = c_timers_text(comm)
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [c_strlen(text)])
    first = 1
    do i = 1, size(letters)
      if (letters(i) /= new_line('a')) cycle
      write (unit, '(*(a))', iostat=status) letters(first:i - 1)
      if (status /= 0) exit
      first = i + 1
    end do
    call c_free(text)
  end subroutine

end module fathom
