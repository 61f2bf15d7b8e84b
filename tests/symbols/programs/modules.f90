! The comment after a mark names its frames, innermost first. What is inlined has its caller after it at -O2 only,
! so that frames after the first are not compared here.
module ocean
  use iso_c_binding
  implicit none
  real :: state = 1
  interface
    subroutine mark(tag) bind(C, name="mark")
      import c_char
      character(kind=c_char), intent(in) :: tag(*)
    end subroutine mark
  end interface
contains
  subroutine step(n)
    integer, intent(in) :: n
    call helper(n)
    call mark("module procedure"//c_null_char) ! ocean::step
    state = state + other()
  contains
    subroutine helper(m)
      integer, intent(in) :: m
      state = state * m
      call mark("internal procedure"//c_null_char) ! ocean::step::helper
      state = state - 1
    end subroutine helper
  end subroutine step
  real function other()
    call mark("function"//c_null_char) ! ocean::other
    other = state * 2
  end function other
end module ocean

subroutine outside(m)
  use ocean, only: mark
  use iso_c_binding
  implicit none
  integer, intent(inout) :: m
  call mark("external"//c_null_char) ! outside
  m = m + 1
end subroutine outside

program tides
  use ocean
  implicit none
  integer :: n = 3
  call step(n)
  call outside(n)
  call local(n)
  call mark("main program"//c_null_char) ! tides
  if (n > 100) print *, state
contains
  subroutine local(k)
    integer, intent(inout) :: k
    call mark("internal of main"//c_null_char) ! tides::local
    state = state + k
  end subroutine local
end program tides
