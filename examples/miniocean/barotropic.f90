! the fast, two-dimensional part of a step: the height of the sea surface
!
! surface waves are far too fast for the time step, so the height is found
! implicitly: height' = height - div(depth*(u - g*grad(height'))), with u the mean
! velocity of a column. every point of the ocean feels every other one, hence the
! solver and its global sums.
module barotropic
  use kinds, only: dp
  use domain, only: domain_field, domain_t
  use grid, only: grid_t
  use halo, only: halo_exchange, halo_t
  use parallel, only: parallel_fail
  use pcg, only: operator_t, pcg_make, pcg_max_iterations, pcg_solve, pcg_t
  use state, only: state_t, uvel, vvel
  use timing, only: get_timer, start_timer, stop_timer
  implicit none
  private

  type, public :: barotropic_t
    type(operator_t) :: a
    type(pcg_t) :: solver
    real(dp), allocatable :: transport(:, :, :, :)   ! (2, i, j, block): through east, north
    real(dp), allocatable :: rhs(:, :, :)
    integer :: iterations = 0                        ! over all steps
  end type barotropic_t

  real(dp), parameter :: gravity = 0.25_dp  ! of the surface; larger is stiffer

  public :: barotropic_make, barotropic_step

contains

  subroutine barotropic_make(self, dom, globe, fused)
    type(barotropic_t), intent(out) :: self
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    logical, intent(in) :: fused

    integer :: b

    allocate (self%transport(2, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks))
    self%transport = 0.0_dp
    call domain_field(dom, self%rhs)
    call domain_field(dom, self%a%east)
    call domain_field(dom, self%a%north)
    call domain_field(dom, self%a%centre)
    do b = 1, dom%n_blocks
      call set_operator(self%a, dom, globe, b)
    end do
    call pcg_make(self%solver, dom, fused)
  end subroutine barotropic_make

  ! a face is as deep as the shallower side, and closed at a coast
  subroutine set_operator(a, dom, globe, b)
    type(operator_t), intent(inout) :: a
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: b

    real(dp) :: depth
    integer :: i, j, x, y

    do j = 0, dom%block(b)%ny
      do i = 0, dom%block(b)%nx
        x = dom%block(b)%west + i
        y = dom%block(b)%south + j
        depth = globe%depth_at(x, y)
        a%east(i, j, b) = dom%open_east(i, j, b)*min(depth, globe%depth_at(x + 1, y))
        a%north(i, j, b) = dom%open_north(i, j, b)*min(depth, globe%depth_at(x, y + 1))
      end do
    end do
    do j = 1, dom%block(b)%ny
      do i = 1, dom%block(b)%nx
        a%centre(i, j, b) = 1.0_dp/gravity + a%east(i, j, b) + a%east(i - 1, j, b) &
                            + a%north(i, j, b) + a%north(i, j - 1, b)
      end do
    end do
  end subroutine set_operator

  subroutine barotropic_step(self, sea, dom, plan)
    type(barotropic_t), intent(inout) :: self
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom
    type(halo_t), intent(in) :: plan

    integer, save :: timer = 0
    integer :: iterations

    call get_timer(timer, 'barotropic_driver')
    call start_timer(timer)
    call find_transport(self, sea, dom)
    call halo_exchange(plan, dom, 2, self%transport)
    call find_rhs(self, sea, dom)
    call pcg_solve(self%solver, dom, plan, self%a, self%rhs, sea%height, iterations)
    if (iterations > pcg_max_iterations) call parallel_fail('the barotropic solver does not converge.')
    self%iterations = self%iterations + iterations
    call halo_exchange(plan, dom, 1, sea%height)
    call correct_velocity(sea, dom)
    call stop_timer(timer)
  end subroutine barotropic_step

  subroutine find_transport(self, sea, dom)
    type(barotropic_t), intent(inout) :: self
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom

    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        self%transport(1, i, j, b) = self%a%east(i, j, b)*sum(sea%q(:, uvel, i, j, b))/sea%nz
        self%transport(2, i, j, b) = self%a%north(i, j, b)*sum(sea%q(:, vvel, i, j, b))/sea%nz
      end do
    end do
  end subroutine find_transport

  subroutine find_rhs(self, sea, dom)
    type(barotropic_t), intent(inout) :: self
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom

    real(dp) :: outflow
    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        outflow = self%transport(1, i, j, b) - self%transport(1, i - 1, j, b) &
                  + self%transport(2, i, j, b) - self%transport(2, i, j - 1, b)
        self%rhs(i, j, b) = (sea%height(i, j, b) - outflow)/gravity
      end do
    end do
  end subroutine find_rhs

  ! water runs downhill, all levels alike
  subroutine correct_velocity(sea, dom)
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom

    real(dp) :: push_east, push_north
    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        push_east = gravity*dom%open_east(i, j, b)*(sea%height(i, j, b) - sea%height(i + 1, j, b))
        push_north = gravity*dom%open_north(i, j, b)*(sea%height(i, j, b) - sea%height(i, j + 1, b))
        sea%q(:, uvel, i, j, b) = sea%q(:, uvel, i, j, b) + push_east
        sea%q(:, vvel, i, j, b) = sea%q(:, vvel, i, j, b) + push_north
      end do
    end do
  end subroutine correct_velocity

end module barotropic
