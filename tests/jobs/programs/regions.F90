! Regions from Fortran: Fathom's module, and MPI_Pcontrol, which has one argument here.
subroutine barriers(n)
#if defined USE_F08
  use mpi_f08
#elif defined USE_MPI
  use mpi
#endif
  implicit none
#if !defined USE_F08 && !defined USE_MPI
  include 'mpif.h'
#endif
  integer, intent(in) :: n
  integer :: i, ierr
  do i = 1, n
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
end subroutine

program regions
#if defined USE_F08
  use mpi_f08
#elif defined USE_MPI
  use mpi
#endif
  use fathom
  implicit none
#if !defined USE_F08 && !defined USE_MPI
  include 'mpif.h'
#endif
  integer :: ierr, i
  character(len=20) :: padded
  call MPI_Init(ierr)
  call fathom_region_begin('solver')
  call barriers(2)
  padded = 'inner'
  do i = 1, 3
    call fathom_region_begin(padded)
    call barriers(1)
    call fathom_region_end('inner')
  end do
  call fathom_region_end('solver')
  call MPI_Pcontrol(1) ! not paused, no name: nothing
  call barriers(1)
  call MPI_Pcontrol(0)
  call barriers(10)
  call MPI_Pcontrol(1)
  call barriers(2)
  call MPI_Pcontrol(-1)
  call fathom_snapshot('so far', .true.)
  call fathom_snapshot('mine')
  call MPI_Finalize(ierr)
end program
