! the output of the model: the temperature of the sea surface
!
! in parallel each rank sums up its own part and three reductions do the rest. in
! serial the surface is gathered on rank 0, which alone sums and writes it while
! all others wait: simple, and it does not scale.
module output
  use, intrinsic :: iso_fortran_env, only: output_unit
  use mpi
  use kinds, only: dp
  use blocks, only: blocks_t
  use domain, only: domain_t
  use grid, only: grid_t
  use state, only: state_t, temp
  implicit none
  private

  type :: summary_t
    real(dp) :: low = huge(1.0_dp)
    real(dp) :: high = -huge(1.0_dp)
    real(dp) :: total = 0.0_dp
  end type summary_t

  real(dp), parameter :: land = -99.0_dp

  public :: output_parallel, output_serial

contains

  subroutine output_parallel(sea, dom, globe, step, my_rank)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: step, my_rank

    real(dp), allocatable :: surface(:)
    type(summary_t) :: mine, whole
    integer :: ierr

    call collect_surface(sea, dom, surface)
    mine = summary_of(surface)
    call mpi_reduce(mine%low, whole%low, 1, mpi_double_precision, mpi_min, 0, mpi_comm_world, ierr)
    call mpi_reduce(mine%high, whole%high, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
    call mpi_reduce(mine%total, whole%total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
    if (my_rank == 0) call print_summary(step, whole, count(globe%ocean))
  end subroutine output_parallel

  subroutine output_serial(sea, dom, globe, cut, owner, step, my_rank, n_ranks)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), step, my_rank, n_ranks

    real(dp), allocatable :: mine(:), whole(:)
    integer :: counts(0:n_ranks - 1), starts(0:n_ranks - 1), rank, ierr

    do rank = 0, n_ranks - 1
      counts(rank) = sum(cut%list%n_ocean, mask=owner == rank)
      starts(rank) = sum(counts(:rank - 1))
    end do
    call collect_surface(sea, dom, mine)
    allocate (whole(merge(sum(counts), 0, my_rank == 0)))
    call mpi_gatherv(mine, size(mine), mpi_double_precision, &
                     whole, counts, starts, mpi_double_precision, 0, mpi_comm_world, ierr)
    if (my_rank /= 0) return
    call print_summary(step, summary_of(whole), size(whole))
    call write_map(whole, globe, cut, owner, starts)
  end subroutine output_serial

  ! block by block, in the order of the lists of ocean points
  subroutine collect_surface(sea, dom, surface)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    real(dp), allocatable, intent(out) :: surface(:)

    integer :: b, n, m

    allocate (surface(sum(dom%block%n_ocean)))
    m = 0
    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        m = m + 1
        surface(m) = sea%q(1, temp, dom%block(b)%i(n), dom%block(b)%j(n), b)
      end do
    end do
  end subroutine collect_surface

  pure type(summary_t) function summary_of(surface) result(summary)
    real(dp), intent(in) :: surface(:)

    summary%low = minval(surface)
    summary%high = maxval(surface)
    summary%total = sum(surface)
  end function summary_of

  subroutine print_summary(step, summary, n_points)
    integer, intent(in) :: step, n_points
    type(summary_t), intent(in) :: summary

    write (output_unit, '(a, i6, 3(a, f9.5))') 'step', step, ': sea surface from ', summary%low, &
      ' to ', summary%high, ' degrees, mean ', summary%total/n_points
  end subroutine print_summary

  ! as text to a scratch file, which the system removes: the cost is real and
  ! nothing is left behind
  subroutine write_map(surface, globe, cut, owner, starts)
    real(dp), intent(in) :: surface(:)
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), starts(0:)

    real(dp) :: map(globe%nx, globe%ny)
    integer :: next(0:size(starts) - 1), id, i, j, unit

    map = land
    next = starts
    do id = 1, size(owner)
      associate (part => cut%list(id))
        if (part%n_ocean == 0) cycle
        do j = part%south + 1, part%south + part%ny
          do i = part%west + 1, part%west + part%nx
            if (.not. globe%ocean(i, j)) cycle
            next(owner(id)) = next(owner(id)) + 1
            map(i, j) = surface(next(owner(id)))
          end do
        end do
      end associate
    end do
    open (newunit=unit, status='scratch', form='formatted', action='readwrite')
    do j = 1, globe%ny
      write (unit, '(*(f9.4))') map(:, j)
    end do
    close (unit)
  end subroutine write_map

end module output
