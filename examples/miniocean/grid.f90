! the global grid: where there is land, how deep the ocean is, latitudes
!
! the grid closes on itself from east to west and ends at walls in the north and
! the south. every rank holds all of it (a few bytes a point), so nobody has to
! ask another rank what is land.
module grid
  use kinds, only: dp, i8
  implicit none
  private

  type, public :: grid_t
    integer :: nx = 0
    integer :: ny = 0
    logical, allocatable :: ocean(:, :)
    real(dp), allocatable :: depth(:, :)   ! 0 to 1; only meant where there is ocean
  contains
    procedure :: is_ocean
    procedure :: depth_at
    procedure :: latitude_at
  end type grid_t

  ! a rounded box with a ragged coast; lengths are fractions of the grid
  type :: continent_t
    real(dp) :: x, y
    real(dp) :: half_width, half_height
    real(dp) :: phase_bays, phase_capes
  end type continent_t

  integer, parameter :: n_continents = 3
  real(dp), parameter :: pi = acos(-1.0_dp)
  real(dp), parameter :: last_latitude = 80.0_dp*pi/180.0_dp

  public :: grid_make

contains

  ! the shapes are drawn in fractions of the grid, so one seed gives the same
  ! continents at every resolution
  subroutine grid_make(globe, nx, ny, seed)
    type(grid_t), intent(out) :: globe
    integer, intent(in) :: nx, ny, seed

    type(continent_t) :: continents(n_continents)
    real(dp) :: x, y
    integer :: i, j

    globe%nx = nx
    globe%ny = ny
    allocate (globe%ocean(nx, ny), globe%depth(nx, ny))
    continents = draw_continents(seed)
    do j = 1, ny
      y = (j - 0.5_dp)/ny
      do i = 1, nx
        x = (i - 0.5_dp)/nx
        globe%ocean(i, j) = .not. on_land(continents, x, y)
        globe%depth(i, j) = sea_floor(x, y)
      end do
    end do
  end subroutine grid_make

  ! an old world that fills about a quarter of the grid, so that whole ranks fall
  ! on land even when there are few, a new world opposite, and an island
  function draw_continents(seed) result(continents)
    integer, intent(in) :: seed
    type(continent_t) :: continents(n_continents)

    integer(i8) :: dice
    real(dp) :: x, y

    dice = 1 + seed
    call roll_away(dice)
    x = merge(0.25_dp, 0.75_dp, roll(dice) < 0.5_dp)
    y = merge(0.22_dp, 0.78_dp, roll(dice) < 0.5_dp)
    continents(1) = continent(dice, x, y, 0.30_dp, 0.33_dp)
    continents(2) = continent(dice, x + 0.5_dp, 1.0_dp - y, 0.15_dp, 0.27_dp)
    continents(3) = continent(dice, roll(dice), 0.5_dp, 0.04_dp, 0.08_dp)
  end function draw_continents

  ! about this place and size, the rest by chance
  type(continent_t) function continent(dice, x, y, half_width, half_height)
    integer(i8), intent(inout) :: dice
    real(dp), intent(in) :: x, y, half_width, half_height

    continent%x = x + 0.04_dp*(roll(dice) - 0.5_dp)
    continent%y = y + 0.04_dp*(roll(dice) - 0.5_dp)
    continent%half_width = half_width*(1.0_dp + 0.1_dp*roll(dice))
    continent%half_height = half_height*(1.0_dp + 0.1_dp*roll(dice))
    continent%phase_bays = 2.0_dp*pi*roll(dice)
    continent%phase_capes = 2.0_dp*pi*roll(dice)
  end function continent

  logical function on_land(continents, x, y)
    type(continent_t), intent(in) :: continents(:)
    real(dp), intent(in) :: x, y

    real(dp) :: dx, dy, angle, coast
    integer :: c

    on_land = .false.
    do c = 1, size(continents)
      associate (land => continents(c))
        dx = x - land%x
        dx = (dx - anint(dx))/land%half_width
        dy = (y - land%y)/land%half_height
        angle = atan2(dy, dx)
        coast = 1.0_dp + 0.06_dp*sin(3.0_dp*angle + land%phase_bays) &
                       + 0.03_dp*sin(11.0_dp*angle + land%phase_capes)
      end associate
      if (dx**4 + dy**4 < coast**4) on_land = .true.
    end do
  end function on_land

  ! ridges from pole to pole, never shallower than 0.3
  pure real(dp) function sea_floor(x, y)
    real(dp), intent(in) :: x, y

    sea_floor = 0.75_dp + 0.25_dp*cos(6.0_dp*pi*x + 2.0_dp*sin(pi*y)) &
                        - 0.20_dp*(2.0_dp*y - 1.0_dp)**2
  end function sea_floor

  ! park and miller's generator in integers: the same land on every machine
  real(dp) function roll(dice)
    integer(i8), intent(inout) :: dice

    integer(i8), parameter :: modulus = 2147483647_i8

    dice = modulo(48271_i8*dice, modulus)
    roll = real(dice, dp)/real(modulus, dp)
  end function roll

  ! neighbouring seeds begin with almost the same numbers: leave those out
  subroutine roll_away(dice)
    integer(i8), intent(inout) :: dice

    real(dp) :: ignored
    integer :: i

    do i = 1, 10
      ignored = roll(dice)
    end do
  end subroutine roll_away

  ! i may leave the grid in the east and in the west; beyond the walls is land
  pure logical function is_ocean(self, i, j)
    class(grid_t), intent(in) :: self
    integer, intent(in) :: i, j

    is_ocean = .false.
    if (j >= 1 .and. j <= self%ny) is_ocean = self%ocean(wrapped(self, i), j)
  end function is_ocean

  pure real(dp) function depth_at(self, i, j)
    class(grid_t), intent(in) :: self
    integer, intent(in) :: i, j

    depth_at = 0.0_dp
    if (self%is_ocean(i, j)) depth_at = self%depth(wrapped(self, i), j)
  end function depth_at

  ! in radians, of a row or, at a half, between two rows
  pure real(dp) function latitude_at(self, row)
    class(grid_t), intent(in) :: self
    real(dp), intent(in) :: row

    latitude_at = (2.0_dp*(row - 0.5_dp)/self%ny - 1.0_dp)*last_latitude
  end function latitude_at

  pure integer function wrapped(self, i)
    class(grid_t), intent(in) :: self
    integer, intent(in) :: i

    wrapped = modulo(i - 1, self%nx) + 1
  end function wrapped

end module grid
