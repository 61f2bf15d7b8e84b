! As tail_calls.c, in Fortran.
module steps
  use mpi
  implicit none
  real(8) :: state(8) = 0, total(8) = 0
  integer :: ierr
contains
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i
    real(8) :: s
    s = state(1)
    do i = 1, n*1000
      s = s*0.999d0 + 0.5d0/(1 + mod(i, 7))
    end do
    state(1) = s
  end subroutine

  subroutine force(n)
    integer, intent(in) :: n
    call work(n)
    state(2) = state(2) + state(1)
    call work(n)
  end subroutine

  subroutine update_h(n)
    integer, intent(in) :: n
    call work(n)
    state(3) = state(3) + state(1)
    call force(n)
  end subroutine

  subroutine left(n)
    integer, intent(in) :: n
    state(4) = state(4) + 1
    call force(n)
  end subroutine

  subroutine right(n)
    integer, intent(in) :: n
    state(5) = state(5) + 1
    call force(n)
  end subroutine

  subroutine choose(n)
    integer, intent(in) :: n
    if (mod(n, 2) == 1) then
      call left(n)
    else
      call right(n)
    end if
  end subroutine

  subroutine solve()
    integer :: i
    do i = 1, 50
      state(6) = state(6) + 1
      call mpi_allreduce(state, total, 8, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
  end subroutine
end module

program tail_calls
  use steps
  implicit none
  integer :: i, n(2)
  call mpi_init(ierr)
  do i = 1, 200
    n = 200 + mod(i, 2)
    call update_h(n(1))
    state(7) = state(7) + 1
    call choose(n(2))
    state(8) = state(8) + 1
    call solve()
  end do
  call mpi_finalize(ierr)
  if (state(1) < 0) print *, state
end program
