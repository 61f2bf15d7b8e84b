! SPDX-License-Identifier: BSD-3-Clause
! What an MPI call costs in Fortran: the same loops as calls.c, through the `mpi` module.   calls BATCHES
! To be compiled with -cpp: the 64 places a routine is called from are made by macros.
#define FOUR(x) x; x; x; x
#define SIXTEEN(x) FOUR(x); FOUR(x); FOUR(x); FOUR(x)
#define FROM_64_SITES(x) SIXTEEN(x); SIXTEEN(x); SIXTEEN(x); SIXTEEN(x)

#define COMM_RANK call MPI_Comm_rank(MPI_COMM_WORLD, answer, ierr)
#define TEST call MPI_Test(pending, flag, MPI_STATUS_IGNORE, ierr)
#define SENDRECV call MPI_Sendrecv(to, n, MPI_DOUBLE_PRECISION, 0, 1, from, n_sizes, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
#define POST call MPI_Irecv(from, n_sizes, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, both(1), ierr)
#define SEND call MPI_Isend(to, n, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, both(2), ierr)
#define WAITALL POST; SEND; call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, ierr)
#define ALLREDUCE call MPI_Allreduce(to, from, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)

#define NEXT_SIZE k = k + 1; n = sizes(k)
#define ONE(x) n = 1; do i = 1, rounds * n_sites; x; end do
#define MANY(x) do i = 1, rounds; k = mod(i, n_sizes); FROM_64_SITES(NEXT_SIZE; x); end do

module loops
  use mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  integer, parameter :: n_sites = 64, n_sizes = 100, n_rounds = 100, pending_tag = 99
  real(real64), save :: to(n_sizes) = 0, from(n_sizes) = 0
  integer, save :: sizes(n_sizes + n_sites), pending, answer, ierr, both(2), n, k
  logical, save :: flag

  interface
    subroutine bench_instructions_begin() bind(c)
    end subroutine bench_instructions_begin

    subroutine bench_instructions_end(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine bench_instructions_end
  end interface

  abstract interface
    subroutine loop(rounds)
      integer, intent(in) :: rounds
    end subroutine loop
  end interface

contains

  subroutine measure_comm_rank_one(rounds)
    integer, intent(in) :: rounds
    integer :: i
    ONE(COMM_RANK)
  end subroutine measure_comm_rank_one

  subroutine measure_comm_rank_many(rounds)
    integer, intent(in) :: rounds
    integer :: i
    MANY(COMM_RANK)
  end subroutine measure_comm_rank_many

  subroutine measure_test_one(rounds)
    integer, intent(in) :: rounds
    integer :: i
    ONE(TEST)
  end subroutine measure_test_one

  subroutine measure_test_many(rounds)
    integer, intent(in) :: rounds
    integer :: i
    MANY(TEST)
  end subroutine measure_test_many

  subroutine measure_sendrecv_one(rounds)
    integer, intent(in) :: rounds
    integer :: i
    ONE(SENDRECV)
  end subroutine measure_sendrecv_one

  subroutine measure_sendrecv_many(rounds)
    integer, intent(in) :: rounds
    integer :: i
    MANY(SENDRECV)
  end subroutine measure_sendrecv_many

  subroutine measure_waitall_one(rounds)
    integer, intent(in) :: rounds
    integer :: i
    ONE(WAITALL)
  end subroutine measure_waitall_one

  subroutine measure_waitall_many(rounds)
    integer, intent(in) :: rounds
    integer :: i
    MANY(WAITALL)
  end subroutine measure_waitall_many

  subroutine measure_allreduce_one(rounds)
    integer, intent(in) :: rounds
    integer :: i
    ONE(ALLREDUCE)
  end subroutine measure_allreduce_one

  subroutine measure_allreduce_many(rounds)
    integer, intent(in) :: rounds
    integer :: i
    MANY(ALLREDUCE)
  end subroutine measure_allreduce_many

end module loops

program calls
  use loops
  implicit none

  character(32) :: argument
  integer :: batches, i

  batches = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) batches
  end if
  sizes = [(1 + mod(i, n_sizes), i = 0, n_sizes + n_sites - 1)]

  call MPI_Init(ierr)
  call measure('comm_rank/one', 1, measure_comm_rank_one)
  call measure('comm_rank/many', 1, measure_comm_rank_many)
  ! only for MPI_Test: while a receive is pending the other waits have more to look at as well
  call MPI_Irecv(from, n_sizes, MPI_DOUBLE_PRECISION, 0, pending_tag, MPI_COMM_WORLD, pending, ierr)
  call measure('test/one', 1, measure_test_one)
  call measure('test/many', 1, measure_test_many)
  call MPI_Cancel(pending, ierr)
  call MPI_Wait(pending, MPI_STATUS_IGNORE, ierr)
  call measure('sendrecv/one', 1, measure_sendrecv_one)
  call measure('sendrecv/many', 1, measure_sendrecv_many)
  call measure('waitall/one', 3, measure_waitall_one)
  call measure('waitall/many', 3, measure_waitall_many)
  call measure('allreduce/one', 1, measure_allreduce_one)
  call measure('allreduce/many', 1, measure_allreduce_many)
  call MPI_Finalize(ierr)

contains

  subroutine measure(name, n_calls, run)
    character(*), intent(in) :: name
    integer, intent(in) :: n_calls ! MPI calls in the statement
    procedure(loop) :: run

    integer(int64) :: start, finish, best
    integer :: batch

    best = huge(best)
    call run(n_rounds)
    do batch = 1, batches
      call system_clock(start) ! nanoseconds
      call run(n_rounds)
      call system_clock(finish)
      best = min(best, finish - start)
    end do
    call bench_instructions_begin()
    call run(n_rounds)
    call bench_instructions_end(name // c_null_char)
    print '(a, 1x, f0.2)', name, real(best, real64) / (real(n_rounds, real64) * n_sites * n_calls)
  end subroutine measure

end program calls
