! SPDX-License-Identifier: BSD-3-Clause
! The loops of timers.c, in Fortran.
module bench_timers
  use fathom, only: get_timer, start_timer, stop_timer
  implicit none
  private

  integer, parameter :: pairs = 8000, hundred = 100, depth = 8   ! as in timers.h
  integer, save :: timers(hundred) = 0

  public :: make, one, in_turn, nested

contains

  subroutine make() bind(c, name='bench_fortran_make')
    character(16) :: name
    integer :: i

    do i = 1, hundred
      write (name, '(a, i0)') 'timer ', i - 1
      call get_timer(timers(i), name)
    end do
  end subroutine make

  subroutine one() bind(c, name='bench_fortran_one')
    integer :: i

    do i = 1, pairs
      call start_timer(timers(1))
      call stop_timer(timers(1))
    end do
  end subroutine one

  subroutine in_turn() bind(c, name='bench_fortran_hundred')
    integer :: i, t

    do i = 1, pairs/hundred
      do t = 1, hundred
        call start_timer(timers(t))
        call stop_timer(timers(t))
      end do
    end do
  end subroutine in_turn

  subroutine nested() bind(c, name='bench_fortran_nested')
    integer :: i, t

    do i = 1, pairs/depth
      do t = 1, depth
        call start_timer(timers(t))
      end do
      do t = depth, 1, -1
        call stop_timer(timers(t))
      end do
    end do
  end subroutine nested

end module bench_timers
