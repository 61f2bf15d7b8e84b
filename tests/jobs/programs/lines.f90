! Calls to which gfortran gives implausible lines: the main program, arguments that are copied before the call,
! statements that continue, and procedures that are inlined.
module kinds
  integer, parameter :: dp = kind(1.d0)
end module

module halo
  use kinds, only: dp
  implicit none
  real(dp) :: buffer(1000) = 1
contains
  subroutine exchange(a, n)
    use kinds, only: dp
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(:)
    integer :: i
    do i = 1, n
      buffer(i) = a(i)
    end do
    call smooth(buffer, n)
    do i = 1, n
      a(i) = buffer(i)
    end do
  end subroutine

  subroutine smooth(b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: b(n)
    integer :: i, k
    do k = 1, 20
      do i = 2, n
        b(i) = sqrt(b(i - 1)*b(i) + 1d-3)
      end do
    end do
  end subroutine
end module

module solver
  use kinds, only: dp
  use halo
  implicit none
contains
  subroutine solve(x, n)
    use kinds, only: dp
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(:)
    real(dp) :: t
    t = sum(x)
    call exchange(x, n)
    x(1) = t
    call exchange(x(1:n), & ! continued

                  n)
    if (t > 3) call exchange(x(1:n:2), n/2)
    call exchange( &
      x, n)
  end subroutine
end module

program lines
  use kinds, only: dp
  use solver
  implicit none
  real(dp) :: x(1000)
  x = 0.5_dp
  call run
contains
  subroutine run
    use kinds, only: dp
    integer :: k
    do k = 1, 400
      call solve(x, 1000)
    end do
  end subroutine
end program
