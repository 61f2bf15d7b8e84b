! what the model knows about the ocean at one moment
!
! the four variables of a column lie side by side in memory, level by level, so
! the work on a column stays in cache and all of it goes into one halo message.
module state
  use kinds, only: dp
  use domain, only: domain_t, domain_field
  use grid, only: grid_t
  implicit none
  private

  integer, parameter, public :: n_variables = 4
  integer, parameter, public :: temp = 1   ! temperature, degrees
  integer, parameter, public :: salt = 2   ! salinity, per mille
  integer, parameter, public :: uvel = 3   ! velocity to the east, points per step
  integer, parameter, public :: vvel = 4   ! velocity to the north

  type, public :: state_t
    integer :: nz = 0
    real(dp), allocatable :: q(:, :, :, :, :)        ! (level, variable, i, j, block)
    real(dp), allocatable :: q_next(:, :, :, :, :)
    real(dp), allocatable :: height(:, :, :)         ! of the sea surface
    real(dp), allocatable :: heat(:, :, :)           ! from the atmosphere, degrees per step
    real(dp), allocatable :: stress(:, :, :)         ! of the wind, on the top level
  end type state_t

  public :: state_make

contains

  ! at rest, warm and light at the surface near the equator
  subroutine state_make(sea, dom, globe, nz)
    type(state_t), intent(out) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: nz

    real(dp) :: latitude, below
    integer :: b, n, k

    sea%nz = nz
    allocate (sea%q(nz, n_variables, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks))
    sea%q = 0.0_dp
    allocate (sea%q_next, source=sea%q)
    call domain_field(dom, sea%height)
    call domain_field(dom, sea%heat)
    call domain_field(dom, sea%stress)
    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        associate (i => dom%block(b)%i(n), j => dom%block(b)%j(n))
          latitude = globe%latitude_at(real(dom%block(b)%south + j, dp))
          do k = 1, nz
            below = (k - 0.5_dp)/nz
            sea%q(k, temp, i, j, b) = 2.0_dp + 25.0_dp*cos(latitude)**2*exp(-4.0_dp*below)
            sea%q(k, salt, i, j, b) = 34.5_dp + 1.5_dp*cos(2.0_dp*latitude)*exp(-6.0_dp*below)
          end do
        end associate
      end do
    end do
  end subroutine state_make

end module state
