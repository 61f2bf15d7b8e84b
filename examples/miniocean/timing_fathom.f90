! timers of a program that is built with fathom (see timing.f90)
module timing
  use fathom, only: get_timer, start_timer, stop_timer
  implicit none
  private

  public :: get_timer, start_timer, stop_timer
end module timing
