! A team of three in which it is known who works and who waits, as in waits.c.
module turns
  use, intrinsic :: iso_fortran_env, only: real64
  use omp_lib
  implicit none
  integer, parameter :: team = 3
  real(real64) :: end, worked = 0, worked_by_main = 0
  real(real64), volatile :: sink
  integer, volatile :: regions = 0
contains
  subroutine work()
    real(real64) :: sum
    integer :: i
    sum = 0
    do i = 1, 300000
      sum = sum + 1 / real(i, real64)
    end do
    sink = sum
  end subroutine

  subroutine turn()
    real(real64) :: spent
    spent = -omp_get_wtime()
    call work()
    spent = spent + omp_get_wtime()
    !$omp atomic
    worked = worked + spent
    if (omp_get_thread_num() == 0) worked_by_main = worked_by_main + spent
  end subroutine

  logical function is_over()
    is_over = omp_get_wtime() >= end
  end function

  subroutine uneven()
    integer :: i
    !$omp parallel num_threads(team) private(i)
    if (omp_get_thread_num() == mod(regions, team)) then
      do i = 1, 10
        call turn()
      end do
    end if
    !$omp end parallel
    regions = regions + 1
  end subroutine

  subroutine serial()
    integer :: i, size
    size = 0
    !$omp parallel num_threads(team) reduction(+: size)
    size = size + 1
    !$omp end parallel
    do i = 1, 10 * size
      call turn()
    end do
    regions = regions + 1
  end subroutine

  subroutine critical()
    !$omp parallel num_threads(team)
    do while (.not. is_over())
      !$omp critical
      call turn()
      !$omp end critical
    end do
    !$omp end parallel
    regions = regions + 1
  end subroutine

  subroutine task()
    integer :: i
    !$omp parallel num_threads(team)
    !$omp single
    !$omp task private(i)
    do i = 1, 10
      call turn()
    end do
    !$omp end task
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    regions = regions + 1
  end subroutine

  subroutine even()
    integer :: i
    !$omp parallel do num_threads(team) schedule(dynamic)
    do i = 1, 2000
      if (.not. is_over()) call turn()
    end do
    !$omp end parallel do
    regions = regions + 1
  end subroutine
end module

program waits
  use turns
  implicit none
  character(len=16) :: name
  real(real64) :: start
  call get_command_argument(1, name)
  start = omp_get_wtime()
  end = start + 0.4_real64
  do while (.not. is_over())
    select case (name)
    case ("uneven")
      call uneven()
    case ("serial")
      call serial()
    case ("critical")
      call critical()
    case ("task")
      call task()
    case ("even")
      call even()
    end select
  end do
  print *, worked, worked_by_main, omp_get_wtime() - start
end program
