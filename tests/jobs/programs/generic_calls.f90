! Procedures that are called by another name, a generic and a type-bound one, and named only where they are never called.
module kernels
  implicit none
  integer, parameter :: dp = kind(1.d0)
  interface relax
    module procedure relax_r8, relax_i4
  end interface
  type :: field
    real(dp) :: s = 0
  contains
    procedure :: advance => field_step
  end type
contains
  subroutine burn(n, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x
    integer :: i
    do i = 1, n
      x = sqrt(x*x + 1e-3_dp)
    end do
  end subroutine
  subroutine relax_r8(n, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x
    call burn(n, x)
    x = x + 1
  end subroutine
  subroutine relax_i4(n, k)
    integer, intent(in) :: n
    integer, intent(inout) :: k
    k = k + n
  end subroutine
  subroutine field_step(this, n)
    class(field), intent(inout) :: this
    integer, intent(in) :: n
    call burn(n, this%s)
    this%s = this%s + 1
  end subroutine
end module

module model
  use kernels
  implicit none
contains
  subroutine solve(x)
    real(dp), intent(inout) :: x
    type(field) :: f
    if (x < -1e30_dp) call relax_r8(1, x)
    if (x < -1e30_dp) call field_step(f, 1)
    call relax(4000000, x)
    x = x + 3
    call f%advance(4000000)
    x = x + f%s
  end subroutine
end module

program generic_calls
  use model
  implicit none
  integer :: i
  real(dp) :: x
  x = 1
  do i = 1, 10
    call solve(x)
  end do
  print *, x
end program
