! A team of OpenMP that computes in every rank; and the ranks wait for each other.
program team
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use omp_lib
  implicit none
  integer :: provided, ierr, mine, going
  real(real64) :: end, all
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  end = MPI_Wtime() + 1
  going = 1
  all = 0
  do while (going == 1)
    !$omp parallel num_threads(3) reduction(+: all)
    all = all + work(omp_get_thread_num())
    !$omp end parallel
    mine = merge(1, 0, MPI_Wtime() < end)
    call MPI_Allreduce(mine, going, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierr)
  end do
  if (all < 0) print *, all
  call MPI_Finalize(ierr)
contains
  real(real64) function work(thread)
    integer, intent(in) :: thread
    integer :: i
    work = 0
    do i = 1, 200000
      work = work + sqrt(real(i + thread, real64))
    end do
  end function
end program
