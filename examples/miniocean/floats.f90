! floats that drift with the surface, as those of an observing programme
!
! every step releases more of them and none is ever taken out, so every step takes
! longer than the one before: a list that grows. they do not act on the ocean.
module floats
  use kinds, only: dp
  use domain, only: domain_t
  use state, only: state_t, uvel, vvel
  use timing, only: get_timer, start_timer, stop_timer
  implicit none
  private

  type, public :: floats_t
    integer :: n = 0
    integer, allocatable :: at(:, :)       ! (i, j, block; float)
    real(dp), allocatable :: place(:, :)   ! (x, y; float), from the middle of the point
  end type floats_t

  integer, parameter :: spacing = 4        ! one float for so many ocean points
  integer, parameter :: substeps = 60
  real(dp), parameter :: tide = 1.0e-3_dp

  public :: floats_step

contains

  subroutine floats_step(self, sea, dom)
    type(floats_t), intent(inout) :: self
    type(state_t), intent(in) :: sea
    type(domain_t), intent(in) :: dom

    integer, save :: timer = 0

    call get_timer(timer, 'floats')
    call start_timer(timer)
    call release(self, dom)
    call drift(self, sea)
    call stop_timer(timer)
  end subroutine floats_step

  subroutine release(self, dom)
    type(floats_t), intent(inout) :: self
    type(domain_t), intent(in) :: dom

    integer :: b, n

    do b = 1, dom%n_blocks
      do n = 1, dom%block(b)%n_ocean, spacing
        call make_room(self)
        self%n = self%n + 1
        self%at(:, self%n) = [dom%block(b)%i(n), dom%block(b)%j(n), b]
        self%place(:, self%n) = 0.0_dp
      end do
    end do
  end subroutine release

  subroutine make_room(self)
    type(floats_t), intent(inout) :: self

    integer, allocatable :: at(:, :)
    real(dp), allocatable :: place(:, :)

    if (.not. allocated(self%at)) allocate (self%at(3, 1024), self%place(2, 1024))
    if (self%n < size(self%at, 2)) return
    allocate (at(3, 2*self%n), place(2, 2*self%n))
    at(:, :self%n) = self%at
    place(:, :self%n) = self%place
    call move_alloc(at, self%at)
    call move_alloc(place, self%place)
  end subroutine make_room

  subroutine drift(self, sea)
    type(floats_t), intent(inout) :: self
    type(state_t), intent(in) :: sea

    real(dp) :: x, y, u, v
    integer :: n, k

    do n = 1, self%n
      u = sea%q(1, uvel, self%at(1, n), self%at(2, n), self%at(3, n))/substeps
      v = sea%q(1, vvel, self%at(1, n), self%at(2, n), self%at(3, n))/substeps
      x = self%place(1, n)
      y = self%place(2, n)
      do k = 1, substeps
        x = x + u - tide*y
        y = y + v + tide*x
      end do
      self%place(:, n) = [x, y]
    end do
  end subroutine drift

end module floats
