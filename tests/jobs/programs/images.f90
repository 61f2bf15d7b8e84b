! Coarray Fortran: images compute, wait for each other, and read what others have.
program images
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  real(real64) :: x[*], total
  integer(int64) :: now, end, rate
  integer :: going[*], k, i
  call system_clock(now, rate)
  end = now + rate
  total = 0
  going = 1
  k = 0
  do
    k = k + 1
    x = relax(k)
    if (this_image() == 1) then
      call system_clock(now)
      going = merge(1, 0, now < end)
    end if
    sync all
    do i = 1, num_images()
      total = total + x[i]
    end do
    if (going[1] == 0) exit
    sync all
  end do
  if (this_image() == 1 .and. total < 0) print *, total
contains
  real(real64) function relax(k)
    integer, intent(in) :: k
    integer :: i
    relax = 0
    do i = 1, 100000
      relax = relax + sqrt(real(i + k, real64))
    end do
  end function
end program
