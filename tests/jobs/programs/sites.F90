! Calls of MPI from places that a test finds again: each line with "@" names what it calls and from where.
! (At -O2 gfortran itself gives the call of MPI_Init a wrong line.)
module solver
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
contains
  subroutine solve(steps)
    integer, intent(in) :: steps
    integer :: i, error
    double precision :: part, whole
    do i = 1, steps
      part = i
      call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! @ MPI_Allreduce solver::solve
    end do
    call finish()
    if (whole < 0) print *, whole
  contains
    subroutine finish()
      call MPI_Barrier(MPI_COMM_WORLD, error) ! @ MPI_Barrier solver::solve::finish
      part = part + 1
    end subroutine finish
  end subroutine solve
end module solver

program sites
  use solver
  implicit none
  integer :: error
  call MPI_Init(error)
  call solve(3)
  call MPI_Barrier(MPI_COMM_WORLD, error) ! @ MPI_Barrier sites
  call MPI_Finalize(error)
end program sites
