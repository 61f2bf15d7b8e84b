! the slow, three-dimensional part of a step
!
! momentum and tracers of every ocean column from the values of the step before.
! this is where the floating-point work is; its cost follows the number of
! ocean points. the frames of sea%q must be filled.
module baroclinic
  use kinds, only: dp
  use domain, only: domain_t
  use grid, only: grid_t
  use seawater, only: density_column
  use state, only: n_variables, salt, state_t, temp, uvel, vvel
  use timing, only: get_timer, start_timer, stop_timer
  use vertical, only: mix_column, mixing_strength
  implicit none
  private

  real(dp), parameter :: rotation = 0.05_dp
  real(dp), parameter :: gravity = 5.0e-3_dp       ! on a column of depth 1
  real(dp), parameter :: viscosity = 0.05_dp
  real(dp), parameter :: drag = 0.01_dp
  real(dp), parameter :: diffusion = 0.02_dp
  real(dp), parameter :: fastest = 0.2_dp          ! levels per step; keeps the upwind scheme stable

  public :: baroclinic_step

contains

  subroutine baroclinic_step(sea, dom, globe)
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe

    real(dp), allocatable :: density(:, :, :), pressure(:, :, :), former(:, :, :, :, :)
    integer, save :: timer = 0
    integer :: b

    call get_timer(timer, 'baroclinic_driver')
    call start_timer(timer)
    allocate (density(sea%nz, 0:dom%max_nx + 1, 0:dom%max_ny + 1))
    allocate (pressure, mold=density)
    do b = 1, dom%n_blocks
      call find_pressure(sea, dom, b, density, pressure)
      call step_block(sea, dom, globe, b, density, pressure)
    end do
    call move_alloc(sea%q, former)
    call move_alloc(sea%q_next, sea%q)
    call move_alloc(former, sea%q_next)
    call stop_timer(timer)
  end subroutine baroclinic_step

  ! one row and one column beyond the block, because the force on a face needs both sides
  subroutine find_pressure(sea, dom, b, density, pressure)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: b
    real(dp), intent(inout), contiguous :: density(:, 0:, 0:), pressure(:, 0:, 0:)

    integer :: i, j

    do j = 1, dom%block(b)%ny + 1
      do i = 1, dom%block(b)%nx + 1
        if (dom%ocean(i, j, b) < 0.5_dp) cycle
        call density_column(sea%nz, sea%q(:, temp, i, j, b), sea%q(:, salt, i, j, b), density(:, i, j))
        call add_up_weight(sea%nz, density(:, i, j), pressure(:, i, j))
      end do
    end do
  end subroutine find_pressure

  pure subroutine add_up_weight(nz, density, pressure)
    integer, intent(in) :: nz
    real(dp), intent(in) :: density(nz)
    real(dp), intent(out) :: pressure(nz)

    real(dp) :: above
    integer :: k

    above = 0.0_dp
    do k = 1, nz
      pressure(k) = above + 0.5_dp*gravity/nz*density(k)
      above = above + gravity/nz*density(k)
    end do
  end subroutine add_up_weight

  subroutine step_block(sea, dom, globe, b, density, pressure)
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: b
    real(dp), intent(in), contiguous :: density(:, 0:, 0:), pressure(:, 0:, 0:)

    real(dp) :: column(sea%nz, n_variables), strength(sea%nz), row
    integer :: n, i, j

    do n = 1, dom%block(b)%n_ocean
      i = dom%block(b)%i(n)
      j = dom%block(b)%j(n)
      row = real(dom%block(b)%south + j, dp)
      call step_u(sea, dom, b, i, j, globe%latitude_at(row), pressure, column(:, uvel))
      call step_v(sea, dom, b, i, j, globe%latitude_at(row + 0.5_dp), pressure, column(:, vvel))
      call step_tracers(sea, dom, b, i, j, column(:, temp), column(:, salt))
      column(1, temp) = column(1, temp) + sea%heat(i, j, b)
      call mixing_strength(sea%nz, sea%q(:, :, i, j, b), density(:, i, j), strength)
      call mix_column(sea%nz, strength, column)
      sea%q_next(:, :, i, j, b) = column
    end do
  end subroutine step_block

  ! the velocity through the east face
  subroutine step_u(sea, dom, b, i, j, latitude, pressure, u_next)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: b, i, j
    real(dp), intent(in) :: latitude
    real(dp), intent(in), contiguous :: pressure(:, 0:, 0:)
    real(dp), intent(out) :: u_next(sea%nz)

    real(dp) :: v(sea%nz), force(sea%nz)

    u_next = 0.0_dp
    if (dom%open_east(i, j, b) < 0.5_dp) return
    v = 0.25_dp*(sea%q(:, vvel, i, j, b) + sea%q(:, vvel, i + 1, j, b) &
                 + sea%q(:, vvel, i, j - 1, b) + sea%q(:, vvel, i + 1, j - 1, b))
    force = rotation*sin(latitude)*v - (pressure(:, i + 1, j) - pressure(:, i, j))
    force(1) = force(1) + sea%stress(i, j, b)
    call step_velocity(sea%nz, sea%q(:, uvel, i, j, b), &
                       sea%q(:, uvel, i - 1, j, b), sea%q(:, uvel, i + 1, j, b), &
                       sea%q(:, uvel, i, j - 1, b), sea%q(:, uvel, i, j + 1, b), &
                       sea%q(:, uvel, i, j, b), v, force, u_next)
  end subroutine step_u

  ! the velocity through the north face
  subroutine step_v(sea, dom, b, i, j, latitude, pressure, v_next)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: b, i, j
    real(dp), intent(in) :: latitude
    real(dp), intent(in), contiguous :: pressure(:, 0:, 0:)
    real(dp), intent(out) :: v_next(sea%nz)

    real(dp) :: u(sea%nz), force(sea%nz)

    v_next = 0.0_dp
    if (dom%open_north(i, j, b) < 0.5_dp) return
    u = 0.25_dp*(sea%q(:, uvel, i, j, b) + sea%q(:, uvel, i - 1, j, b) &
                 + sea%q(:, uvel, i, j + 1, b) + sea%q(:, uvel, i - 1, j + 1, b))
    force = -rotation*sin(latitude)*u - (pressure(:, i, j + 1) - pressure(:, i, j))
    call step_velocity(sea%nz, sea%q(:, vvel, i, j, b), &
                       sea%q(:, vvel, i - 1, j, b), sea%q(:, vvel, i + 1, j, b), &
                       sea%q(:, vvel, i, j - 1, b), sea%q(:, vvel, i, j + 1, b), &
                       u, sea%q(:, vvel, i, j, b), force, v_next)
  end subroutine step_v

  ! x is either velocity, carried along by (u, v) at its place. on land the
  ! neighbours are zero, which is how the coast brakes the water
  pure subroutine step_velocity(nz, x, west, east, south, north, u, v, force, x_next)
    integer, intent(in) :: nz
    real(dp), intent(in) :: x(nz), west(nz), east(nz), south(nz), north(nz)
    real(dp), intent(in) :: u(nz), v(nz), force(nz)
    real(dp), intent(out) :: x_next(nz)

    real(dp) :: carried, spread
    integer :: k

    do k = 1, nz
      carried = max(u(k), 0.0_dp)*(x(k) - west(k)) + min(u(k), 0.0_dp)*(east(k) - x(k)) &
                + max(v(k), 0.0_dp)*(x(k) - south(k)) + min(v(k), 0.0_dp)*(north(k) - x(k))
      spread = viscosity*(west(k) + east(k) + south(k) + north(k) - 4.0_dp*x(k))
      x_next(k) = x(k) - carried + spread - drag*x(k) + force(k)
    end do
  end subroutine step_velocity

  subroutine step_tracers(sea, dom, b, i, j, t_next, s_next)
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: b, i, j
    real(dp), intent(out) :: t_next(sea%nz), s_next(sea%nz)

    real(dp) :: flow(sea%nz, 4), upward(0:sea%nz), open_faces(4)

    flow(:, 1) = sea%q(:, uvel, i - 1, j, b)
    flow(:, 2) = sea%q(:, uvel, i, j, b)
    flow(:, 3) = sea%q(:, vvel, i, j - 1, b)
    flow(:, 4) = sea%q(:, vvel, i, j, b)
    open_faces = [dom%open_east(i - 1, j, b), dom%open_east(i, j, b), &
                  dom%open_north(i, j - 1, b), dom%open_north(i, j, b)]
    call find_upward_flow(sea%nz, flow, upward)
    call step_tracer(sea, b, i, j, temp, flow, upward, open_faces, t_next)
    call step_tracer(sea, b, i, j, salt, flow, upward, open_faces, s_next)
  end subroutine step_tracers

  ! upward(k) is through the floor of level k, in levels per step; what flows in
  ! from the sides must leave through the top
  pure subroutine find_upward_flow(nz, flow, upward)
    integer, intent(in) :: nz
    real(dp), intent(in) :: flow(nz, 4)
    real(dp), intent(out) :: upward(0:nz)

    integer :: k

    upward(nz) = 0.0_dp
    do k = nz, 1, -1
      upward(k - 1) = upward(k) + flow(k, 1) - flow(k, 2) + flow(k, 3) - flow(k, 4)
    end do
    upward = max(-fastest, min(fastest, upward))
  end subroutine find_upward_flow

  ! temperature or salinity: carried by the flow from where it comes, and spread
  ! through open faces
  subroutine step_tracer(sea, b, i, j, variable, flow, upward, open_faces, x_next)
    type(state_t), intent(in) :: sea
    integer, intent(in) :: b, i, j, variable
    real(dp), intent(in) :: flow(sea%nz, 4), upward(0:sea%nz), open_faces(4)
    real(dp), intent(out) :: x_next(sea%nz)

    real(dp) :: x, west, east, south, north, above, below, carried, spread
    integer :: k

    do k = 1, sea%nz
      x = sea%q(k, variable, i, j, b)
      west = x - sea%q(k, variable, i - 1, j, b)
      east = sea%q(k, variable, i + 1, j, b) - x
      south = x - sea%q(k, variable, i, j - 1, b)
      north = sea%q(k, variable, i, j + 1, b) - x
      above = sea%q(max(k - 1, 1), variable, i, j, b) - x
      below = x - sea%q(min(k + 1, sea%nz), variable, i, j, b)
      carried = max(flow(k, 1), 0.0_dp)*west + min(flow(k, 2), 0.0_dp)*east &
                + max(flow(k, 3), 0.0_dp)*south + min(flow(k, 4), 0.0_dp)*north &
                + max(upward(k), 0.0_dp)*below + min(upward(k - 1), 0.0_dp)*above
      spread = diffusion*(open_faces(2)*east - open_faces(1)*west &
                          + open_faces(4)*north - open_faces(3)*south)
      x_next(k) = x - carried + spread
    end do
  end subroutine step_tracer

end module baroclinic
