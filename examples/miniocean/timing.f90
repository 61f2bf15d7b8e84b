! timers of a program that is built without any: every call does nothing
!
! timing_fathom.f90 has the same calls, with fathom's timers behind them. a
! procedure keeps its timer in an integer that is saved and starts as 0.
module timing
  implicit none
  private

  public :: get_timer, start_timer, stop_timer

contains

  subroutine get_timer(timer, name)
    integer, intent(inout) :: timer
    character(*), intent(in) :: name
  end subroutine get_timer

  subroutine start_timer(timer)
    integer, intent(in) :: timer
  end subroutine start_timer

  subroutine stop_timer(timer)
    integer, intent(in) :: timer
  end subroutine stop_timer

end module timing
