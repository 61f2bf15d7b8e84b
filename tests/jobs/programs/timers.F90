! Timers from Fortran, in the habit of the paper: 30 steps, with one solver in each on even ranks; or, with the argument
! "misuse", wrong use: "WRONG timer: what" is what the report is to say of that line.
program timers
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  use fathom
  implicit none
  integer :: i, ierr, rank
  character(len=10) :: what
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, what)
  if (what == "misuse") call misuse
  do i = 1, 30
    if (what /= "misuse") call step
  end do
  if (rank == 0) open (unit=17, file="report.txt")
  call report_timers(17, MPI_COMM_WORLD)
  call MPI_Finalize(ierr)
contains
  subroutine step
    integer, save :: t = 0
    call get_timer(t, "step")
    call start_timer(t)
    if (mod(rank, 2) == 0) call solver
    call stop_timer(t)
  end subroutine
  subroutine solver
    integer, save :: t = 0
    call get_timer(t, "pcg iteration")
    call start_timer(t)
    call stop_timer(t)
  end subroutine
  subroutine misuse
    integer, save :: t = 0
    call get_timer(t, "first")
    call stop_timer(t)      ! WRONG first: stopped, but not running
    call start_timer(t)
    call start_timer(t)     ! WRONG first: started, but already running
    call stop_timer(t)
    call start_timer(t)     ! WRONG first: never stopped
  end subroutine
end program
