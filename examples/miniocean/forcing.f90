! a file of forcing data: how far the season differs from the usual one, everywhere
!
! rank 0 alone reads all of it whenever the ocean meets the atmosphere, and the
! others wait for the one number they need: simple, and it does not scale. the
! data are zeros in a scratch file, so they change nothing.
module forcing
  use kinds, only: dp
  implicit none
  private

  type, public :: forcing_t
    integer :: unit = 0
    integer :: nx = 0
    integer :: ny = 0   ! 0: there is no such file
  end type forcing_t

  public :: forcing_open, forcing_read

contains

  subroutine forcing_open(self, nx, ny)
    type(forcing_t), intent(out) :: self
    integer, intent(in) :: nx, ny

    integer :: i, j

    self%nx = nx
    self%ny = ny
    open (newunit=self%unit, status='scratch', form='formatted', action='readwrite')
    do j = 1, ny
      write (self%unit, '(*(f9.4))') [(0.0_dp, i=1, nx)]
    end do
  end subroutine forcing_open

  ! the mean
  real(dp) function forcing_read(self) result(season)
    type(forcing_t), intent(in) :: self

    real(dp) :: row(self%nx)
    integer :: j

    season = 0.0_dp
    rewind (self%unit)
    do j = 1, self%ny
      read (self%unit, '(*(f9.4))') row
      season = season + sum(row)
    end do
    season = season/(self%nx*self%ny)
  end function forcing_read

end module forcing
