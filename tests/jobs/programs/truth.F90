! As truth.c: functions that measure themselves for how long they really computed, in turns of about a millisecond.
! Factors differ, for equal functions would become one.
#define COMPUTE(steps, factor) x = sink; do i = 1, steps; x = x * factor + 1e-3_real64; end do; sink = x
module kernels
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi
  implicit none
  integer, parameter :: ALPHA_ = 1, OUTER_ = 2, INNER_OF_OUTER_ = 3, INNER_ = 4, NAP_ = 5, LATE_ = 6, RECEIVE_ = 7, &
      SEND_ = 8, WHATS = 8
  character(len=14), parameter :: names(WHATS) = [character(len=14) :: "alpha", "outer", "inner_of_outer", "inner", &
      "nap", "late", "receive", "send"]
  integer(int64) :: spent(WHATS) = 0, last = 0, state = 12345
  integer :: steps_in_us = 1
  real(real64), volatile :: sink = 0
  interface
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function
  end interface
contains
  integer(int64) function now()
    call system_clock(now)  ! ns
  end function

  subroutine charge(what)
    integer, intent(in) :: what
    integer(int64) :: t
    t = now()
    spent(what) = spent(what) + t - last
    last = t
  end subroutine

  integer function turn(us)
    integer, intent(in) :: us
    state = mod(state * 1664525 + 1013904223, 4294967296_int64)
    turn = us / 2 + int(state * us / 4294967296_int64)
  end function

  subroutine alpha(steps)
    integer, intent(in) :: steps
    real(real64) :: x
    integer :: i
    COMPUTE(steps, 0.999999_real64)
  end subroutine

  subroutine inner(steps)
    integer, intent(in) :: steps
    real(real64) :: x
    integer :: i
    COMPUTE(steps, 0.999998_real64)
  end subroutine

  subroutine outer(steps, steps_of_inner)
    integer, intent(in) :: steps, steps_of_inner
    real(real64) :: x
    integer :: i
    COMPUTE(steps, 0.999997_real64)
    call charge(OUTER_)
    call inner(steps_of_inner)
    call charge(INNER_OF_OUTER_)
  end subroutine

  subroutine nap(us)
    integer, intent(in) :: us
    integer(c_int) :: ignored
    ignored = usleep(us)
    call charge(NAP_)
  end subroutine

  subroutine late(steps)
    integer, intent(in) :: steps
    real(real64) :: x
    integer :: i
    COMPUTE(steps, 0.999996_real64)
  end subroutine

  subroutine lead(end)
    integer(int64), intent(in) :: end
    integer :: go, ierr
    go = 1
    do while (go == 1)
      call alpha(turn(1600) * steps_in_us)
      call charge(ALPHA_)
      call outer(turn(1000) * steps_in_us, turn(900) * steps_in_us)
      call inner(turn(800) * steps_in_us)
      call charge(INNER_)
      call nap(turn(700))
      go = merge(1, 0, last < end)
      call MPI_Send(go, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
      call charge(SEND_)
      call MPI_Recv(go, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call charge(RECEIVE_)
    end do
  end subroutine

  subroutine follow()
    integer :: go, ierr
    go = 1
    do while (go == 1)
      call MPI_Recv(go, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call charge(RECEIVE_)
      call late(turn(1200) * steps_in_us)
      call charge(LATE_)
      call MPI_Send(go, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
      call charge(SEND_)
    end do
  end subroutine

  subroutine rounds(rank, ns)
    integer, intent(in) :: rank
    integer(int64), intent(in) :: ns
    last = now()
    if (rank == 0) then
      call lead(last + ns)
    else
      call follow()
    end if
    call charge(SEND_)  ! so that these were no jumps, which leave no frame behind
  end subroutine

  subroutine calibrate()
    integer, parameter :: STEPS = 2000000
    integer(int64) :: start
    start = now()
    call alpha(STEPS)
    steps_in_us = int(STEPS * 1000_int64 / (now() - start))
  end subroutine
end module

program truth
  use kernels
  implicit none
  integer(int64) :: sums(WHATS)
  integer :: rank, ierr, ms, i
  character(len=20) :: word
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, word)
  read (word, *) ms
  call calibrate()
  call rounds(rank, ms * 1000000_int64)
  call MPI_Reduce(spent, sums, WHATS, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    do i = 1, WHATS
      print "(a, ' ', i0)", trim(names(i)), sums(i)
    end do
  end if
  call MPI_Finalize(ierr)
end program
