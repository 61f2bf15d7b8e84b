program free_form
implicit none
integer i
real x
x = 1
do i = 1, 10
     call first(x)
call second(x, &
     4000000)
end do
print *, x
contains
subroutine first(a)
real, intent(inout) :: a
     call second(a, 4000000)
a = a + 1
end subroutine
subroutine second(a, n)
real, intent(inout) :: a
integer, intent(in) :: n
integer k
do k = 1, n
     a = sqrt(a*a + 1e-3)
end do
a = a + 1
end subroutine
end program
