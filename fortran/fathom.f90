!> What a Fortran application may tell Fathom: see fathom.h. Every call is safe at any time.
module fathom
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: fathom_region_begin, fathom_region_end, fathom_snapshot
  public :: get_timer, start_timer, stop_timer

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
    !> Starts a timer that get_timer has given.
    subroutine start_timer(timer) bind(c, name="fathom_timer_start")
      import :: c_int
      integer(c_int), value :: timer
    end subroutine
    !> Stops it: one event more.
    subroutine stop_timer(timer) bind(c, name="fathom_timer_stop")
      import :: c_int
      integer(c_int), value :: timer
    end subroutine
    subroutine c_snapshot(label, collective) bind(c, name="fathom_snapshot")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: label(*)
      integer(c_int), value :: collective
    end subroutine
  end interface

contains

  !> Begins a named part of the program; regions nest.
  subroutine fathom_region_begin(name)
    character(len=*), intent(in) :: name
    call c_region_begin(trim(name) // c_null_char)
  end subroutine

  !> Ends the innermost open region of that name.
  subroutine fathom_region_end(name)
    character(len=*), intent(in) :: name
    call c_region_end(trim(name) // c_null_char)
  end subroutine

  !> Keeps a subtotal of all MPI routines in the profile: of this process, or of all if collective.
  subroutine fathom_snapshot(label, collective)
    character(len=*), intent(in) :: label
    logical, intent(in), optional :: collective
    integer(c_int) :: all
    all = 0
    if (present(collective)) all = merge(1_c_int, 0_c_int, collective)
    call c_snapshot(trim(label) // c_null_char, all)
  end subroutine

  !> The timer of that name, made on the first call. Keep it: integer, save :: t = 0
  subroutine get_timer(timer, name)
    integer(c_int), intent(inout) :: timer
    character(len=*), intent(in) :: name
    call c_timer_get(timer, trim(name) // c_null_char)
  end subroutine

end module fathom
