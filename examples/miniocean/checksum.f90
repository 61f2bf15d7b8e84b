! one number for the state of the whole ocean
!
! values are rounded to whole numbers before they are summed: a sum of integers is
! the same in any order, and differences in the last bits, which another number
! of ranks brings, almost never reach it.
module checksum
  use mpi
  use kinds, only: dp, i8
  use domain, only: domain_t
  use grid, only: grid_t
  use state, only: n_variables, state_t
  implicit none
  private

  integer(i8), parameter :: modulus = 2147483647_i8
  real(dp), parameter :: fineness(n_variables) = [1.0e5_dp, 1.0e5_dp, 1.0e7_dp, 1.0e7_dp]
  real(dp), parameter :: height_fineness = 1.0e6_dp

  public :: checksum_of

contains

  ! the result counts on rank 0
  integer(i8) function checksum_of(sea, dom, globe)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe

    integer(i8) :: mine, total
    integer :: b, n, ierr

    mine = 0
    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        mine = modulo(mine + point_sum(sea, dom, globe, b, n), modulus)
      end do
    end do
    total = 0
    call mpi_reduce(mine, total, 1, mpi_integer8, mpi_sum, 0, mpi_comm_world, ierr)
    checksum_of = modulo(total, modulus)
  end function checksum_of

  ! a value counts with a factor made from its place, so that values at wrong
  ! places are noticed
  integer(i8) function point_sum(sea, dom, globe, b, n) result(total)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: b, n

    integer(i8) :: place
    integer :: i, j, k, v

    i = dom%block(b)%i(n)
    j = dom%block(b)%j(n)
    place = int(dom%block(b)%south + j - 1, i8)*globe%nx + dom%block(b)%west + i
    total = weighted(sea%height(i, j, b)*height_fineness, place)
    do v = 1, n_variables
      do k = 1, sea%nz
        place = modulo(48271_i8*place, modulus)
        total = modulo(total + weighted(sea%q(k, v, i, j, b)*fineness(v), place), modulus)
      end do
    end do
  end function point_sum

  pure integer(i8) function weighted(value, place)
    real(dp), intent(in) :: value
    integer(i8), intent(in) :: place

    weighted = modulo(modulo(nint(value, i8), modulus)*place, modulus)
  end function weighted

end module checksum
