! A Cartesian communicator of 4 x 1 ranks from Fortran.
program grid
#ifdef USE_F08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: made
#else
  use mpi
  implicit none
  integer :: made
#endif
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [4, 1], [.true., .false.], .false., made, ierr)
  call MPI_Finalize(ierr)
end program
