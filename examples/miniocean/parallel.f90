! entering and leaving mpi
!
! all ranks of mpi_comm_world run the model. rank and size never change after
! parallel_start, so they are read as variables.
module parallel
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi
  implicit none
  private

  integer, protected, public :: my_rank = 0
  integer, protected, public :: n_ranks = 1

  public :: parallel_start, parallel_finish, parallel_refuse, parallel_fail

  ! stop with a status would print "STOP 2" once per rank; exit is silent
  interface
    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit
  end interface

contains

  subroutine parallel_start()
    integer :: ierr

    call mpi_init(ierr)
    call mpi_comm_rank(mpi_comm_world, my_rank, ierr)
    call mpi_comm_size(mpi_comm_world, n_ranks, ierr)
  end subroutine parallel_start

  subroutine parallel_finish()
    integer :: ierr

    flush (output_unit)
    call mpi_finalize(ierr)
  end subroutine parallel_finish

  ! wrong usage, seen by every rank alike: rank 0 says why, all exit with status 2
  subroutine parallel_refuse(reason)
    character(*), intent(in) :: reason

    if (my_rank == 0) write (error_unit, '(2a)') 'miniocean: ', reason
    flush (error_unit)
    call parallel_finish()
    call c_exit(2_c_int)
  end subroutine parallel_refuse

  ! a failure during the run, seen by every rank alike
  subroutine parallel_fail(reason)
    character(*), intent(in) :: reason

    if (my_rank == 0) write (error_unit, '(2a)') 'miniocean: ', reason
    flush (error_unit)
    call parallel_finish()
    call c_exit(1_c_int)
  end subroutine parallel_fail

end module parallel
