! the solver for the height of the sea surface
!
! preconditioned conjugate gradients in the form of chronopoulos and gear: both
! scalar products of an iteration are of vectors known at the same moment. so they
! can be summed over the ranks in one allreduce (fused) as well as in two, and
! the results are the same.
module pcg
  use mpi
  use kinds, only: dp
  use domain, only: domain_t, domain_field
  use halo, only: halo_exchange, halo_t
  use timing, only: get_timer, start_timer, stop_timer
  implicit none
  private

  ! the five-point operator: a point couples with its neighbours through its
  ! faces, and centre holds the rest. symmetric and positive definite
  type, public :: operator_t
    real(dp), allocatable :: east(:, :, :)
    real(dp), allocatable :: north(:, :, :)
    real(dp), allocatable :: centre(:, :, :)
  end type operator_t

  ! vectors of the iteration, kept so that a solve allocates nothing
  type, public :: pcg_t
    logical :: fused = .false.
    real(dp), allocatable :: r(:, :, :)    ! residual
    real(dp), allocatable :: z(:, :, :)    ! residual, preconditioned
    real(dp), allocatable :: az(:, :, :)   ! operator on z
    real(dp), allocatable :: s(:, :, :)    ! search direction
    real(dp), allocatable :: as(:, :, :)   ! operator on s
  end type pcg_t

  integer, parameter, public :: pcg_max_iterations = 200
  real(dp), parameter :: tolerance = 1.0e-6_dp

  public :: pcg_make, pcg_solve

contains

  subroutine pcg_make(solver, dom, fused)
    type(pcg_t), intent(out) :: solver
    type(domain_t), intent(in) :: dom
    logical, intent(in) :: fused

    solver%fused = fused
    call domain_field(dom, solver%r)
    call domain_field(dom, solver%z)
    call domain_field(dom, solver%az)
    call domain_field(dom, solver%s)
    call domain_field(dom, solver%as)
  end subroutine pcg_make

  ! x starts as a guess with its frames filled and ends as the solution, without.
  ! iterations above pcg_max_iterations: no solution was found
  subroutine pcg_solve(solver, dom, plan, a, rhs, x, iterations)
    type(pcg_t), intent(inout) :: solver
    type(domain_t), intent(in) :: dom
    type(halo_t), intent(in) :: plan
    type(operator_t), intent(in) :: a
    real(dp), intent(in) :: rhs(0:, 0:, :)
    real(dp), intent(inout) :: x(0:, 0:, :)
    integer, intent(out) :: iterations

    integer, save :: timer = 0
    real(dp) :: rho, rho_before, rho_enough, delta, sigma, alpha, beta
    logical :: found

    call get_timer(timer, 'pcg iteration')
    call start(solver, dom, a, rhs, x)
    rho_before = 1.0_dp
    rho_enough = 0.0_dp
    sigma = 0.0_dp
    do iterations = 1, pcg_max_iterations
      call start_timer(timer)
      call precondition(solver, dom, a)
      call halo_exchange(plan, dom, 1, solver%z)
      call apply(a, dom, solver%z, solver%az)
      call sum_products(solver, dom, rho, delta)
      if (iterations == 1) rho_enough = tolerance**2*rho
      found = rho <= rho_enough
      if (.not. found) then
        beta = 0.0_dp
        if (iterations > 1) beta = rho/rho_before
        sigma = delta - beta**2*sigma
        alpha = rho/sigma
        rho_before = rho
        call advance(solver, dom, alpha, beta, x)
      end if
      call stop_timer(timer)
      if (found) exit
    end do
  end subroutine pcg_solve

  ! the first residual, and no direction yet
  subroutine start(solver, dom, a, rhs, x)
    type(pcg_t), intent(inout) :: solver
    type(domain_t), intent(in) :: dom
    type(operator_t), intent(in) :: a
    real(dp), intent(in) :: rhs(0:, 0:, :), x(0:, 0:, :)

    call apply(a, dom, x, solver%az)
    solver%r = rhs - solver%az
    solver%s = 0.0_dp
    solver%as = 0.0_dp
  end subroutine start

  subroutine precondition(solver, dom, a)
    type(pcg_t), intent(inout) :: solver
    type(domain_t), intent(in) :: dom
    type(operator_t), intent(in) :: a

    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        solver%z(i, j, b) = solver%r(i, j, b)/a%centre(i, j, b)
      end do
    end do
  end subroutine precondition

  subroutine apply(a, dom, x, ax)
    type(operator_t), intent(in) :: a
    type(domain_t), intent(in) :: dom
    real(dp), intent(in) :: x(0:, 0:, :)
    real(dp), intent(inout) :: ax(0:, 0:, :)

    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        ax(i, j, b) = a%centre(i, j, b)*x(i, j, b) &
                      - a%east(i, j, b)*x(i + 1, j, b) - a%east(i - 1, j, b)*x(i - 1, j, b) &
                      - a%north(i, j, b)*x(i, j + 1, b) - a%north(i, j - 1, b)*x(i, j - 1, b)
      end do
    end do
  end subroutine apply

  ! rho = (r, z), delta = (az, z)
  subroutine sum_products(solver, dom, rho, delta)
    type(pcg_t), intent(in) :: solver
    type(domain_t), intent(in) :: dom
    real(dp), intent(out) :: rho, delta

    real(dp) :: mine(2), total(2)
    integer :: ierr

    mine(1) = local_product(dom, solver%r, solver%z)
    mine(2) = local_product(dom, solver%az, solver%z)
    if (solver%fused) then
      call mpi_allreduce(mine, total, 2, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    else
      call mpi_allreduce(mine(1), total(1), 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
      call mpi_allreduce(mine(2), total(2), 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    end if
    rho = total(1)
    delta = total(2)
  end subroutine sum_products

  real(dp) function local_product(dom, x, y)
    type(domain_t), intent(in) :: dom
    real(dp), intent(in) :: x(0:, 0:, :), y(0:, 0:, :)

    integer :: b, n

    local_product = 0.0_dp
    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        associate (i => dom%block(b)%i(n), j => dom%block(b)%j(n))
          local_product = local_product + x(i, j, b)*y(i, j, b)
        end associate
      end do
    end do
  end function local_product

  ! the next direction, and one step along it
  subroutine advance(solver, dom, alpha, beta, x)
    type(pcg_t), intent(inout) :: solver
    type(domain_t), intent(in) :: dom
    real(dp), intent(in) :: alpha, beta
    real(dp), intent(inout) :: x(0:, 0:, :)

    integer :: b, n, i, j

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean
        i = dom%block(b)%i(n)
        j = dom%block(b)%j(n)
        solver%s(i, j, b) = solver%z(i, j, b) + beta*solver%s(i, j, b)
        solver%as(i, j, b) = solver%az(i, j, b) + beta*solver%as(i, j, b)
        x(i, j, b) = x(i, j, b) + alpha*solver%s(i, j, b)
        solver%r(i, j, b) = solver%r(i, j, b) - alpha*solver%as(i, j, b)
      end do
    end do
  end subroutine advance

end module pcg
