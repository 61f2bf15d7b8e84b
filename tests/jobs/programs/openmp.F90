! Timers in the threads of OpenMP: "team" by each of three threads, thread k 10 (k + 1) times; "region" around it.
program openmp
  use mpi
  use omp_lib
  use fathom
  implicit none
  integer, save :: region = 0, team = 0
  integer :: i, ierr, provided
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call get_timer(region, "region")
  call get_timer(team, "team")
  call start_timer(region)
  !$omp parallel num_threads(3) private(i)
  do i = 1, 10 * (omp_get_thread_num() + 1)
    call start_timer(team)
    call stop_timer(team)
  end do
  !$omp end parallel
  call stop_timer(region)
  call MPI_Finalize(ierr)
end program
