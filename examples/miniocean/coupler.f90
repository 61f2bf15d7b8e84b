! the coupling with the atmosphere
!
! the atmosphere has the ocean's grid but is cut into bands of whole rows, one band
! a rank, because it works along latitudes. so the surface changes hands twice:
! temperatures from the owners of blocks to the owners of bands, heat and wind
! back. the mask is known everywhere, so both sides list the points by
! themselves and only values travel.
module coupler
  use mpi
  use kinds, only: dp
  use blocks, only: blocks_t
  use domain, only: domain_t
  use forcing, only: forcing_read, forcing_t
  use grid, only: grid_t
  use state, only: state_t, temp
  implicit none
  private

  type, public :: coupler_t
    integer :: first_row = 1                       ! the band of this rank
    integer :: last_row = 0
    ! values exchanged with each rank, and where they begin in the buffer
    integer, allocatable :: ocean_counts(:), ocean_starts(:)
    integer, allocatable :: band_counts(:), band_starts(:)
    integer, allocatable :: ocean_points(:, :)     ! (i, j, block) of this rank's blocks
    integer, allocatable :: band_points(:, :)      ! (i, j) of this rank's band
    real(dp), allocatable :: band_latitude(:)
    type(forcing_t) :: forcing                     ! on rank 0, if there is a file
  end type coupler_t

  integer, parameter :: year = 360   ! steps

  public :: coupler_plan, coupler_step

contains

  subroutine coupler_plan(self, dom, globe, cut, owner, my_rank, n_ranks)
    type(coupler_t), intent(out) :: self
    type(domain_t), intent(in) :: dom
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), my_rank, n_ranks

    integer :: row

    call band_of(my_rank, n_ranks, globe%ny, self%first_row, self%last_row)
    allocate (self%ocean_counts(0:n_ranks - 1), self%ocean_starts(0:n_ranks - 1))
    allocate (self%band_counts(0:n_ranks - 1), self%band_starts(0:n_ranks - 1))
    call list_ocean_points(self, dom, globe%ny, n_ranks)
    call list_band_points(self, globe, cut, owner, n_ranks)
    self%band_latitude = [(globe%latitude_at(real(row, dp)), row=self%first_row, self%last_row)]
  end subroutine coupler_plan

  ! more ranks than rows leave some bands empty
  pure subroutine band_of(rank, n_ranks, ny, first, last)
    integer, intent(in) :: rank, n_ranks, ny
    integer, intent(out) :: first, last

    first = rank*ny/n_ranks + 1
    last = (rank + 1)*ny/n_ranks
  end subroutine band_of

  ! the points of this rank's blocks, sorted by the rank whose band they are in
  subroutine list_ocean_points(self, dom, ny, n_ranks)
    type(coupler_t), intent(inout) :: self
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: ny, n_ranks

    integer :: rank, first, last, b, n, m, row

    allocate (self%ocean_points(3, sum(dom%block%n_ocean)))
    m = 0
    do rank = 0, n_ranks - 1
      call band_of(rank, n_ranks, ny, first, last)
      self%ocean_starts(rank) = m
      do b = 1, dom%n_blocks
        do n = 1, dom%block(b)%n_ocean
          row = dom%block(b)%south + dom%block(b)%j(n)
          if (row < first .or. row > last) cycle
          m = m + 1
          self%ocean_points(:, m) = [dom%block(b)%i(n), dom%block(b)%j(n), b]
        end do
      end do
      self%ocean_counts(rank) = m - self%ocean_starts(rank)
    end do
  end subroutine list_ocean_points

  ! the points of this rank's band, sorted by the rank whose blocks they are in
  ! and in the order in which that rank lists them
  subroutine list_band_points(self, globe, cut, owner, n_ranks)
    type(coupler_t), intent(inout) :: self
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), n_ranks

    integer :: rank, id, i, j, m

    allocate (self%band_points(2, count(globe%ocean(:, self%first_row:self%last_row))))
    m = 0
    do rank = 0, n_ranks - 1
      self%band_starts(rank) = m
      do id = 1, size(owner)
        if (owner(id) /= rank) cycle
        associate (part => cut%list(id))
          do j = max(part%south + 1, self%first_row), min(part%south + part%ny, self%last_row)
            do i = part%west + 1, part%west + part%nx
              if (.not. globe%ocean(i, j)) cycle
              m = m + 1
              self%band_points(:, m) = [i, j]
            end do
          end do
        end associate
      end do
      self%band_counts(rank) = m - self%band_starts(rank)
    end do
  end subroutine list_band_points

  subroutine coupler_step(self, sea, dom, step, my_rank)
    type(coupler_t), intent(in) :: self
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: step, my_rank

    real(dp), allocatable :: surface(:), air_surface(:), flux(:, :), air_flux(:, :)
    real(dp) :: season
    integer :: n, ierr

    season = read_season(self%forcing, step, my_rank)
    allocate (surface(size(self%ocean_points, 2)), flux(2, size(self%ocean_points, 2)))
    allocate (air_surface(size(self%band_points, 2)), air_flux(2, size(self%band_points, 2)))
    do n = 1, size(surface)
      associate (at => self%ocean_points(:, n))
        surface(n) = sea%q(1, temp, at(1), at(2), at(3))
      end associate
    end do
    call mpi_alltoallv(surface, self%ocean_counts, self%ocean_starts, mpi_double_precision, &
                       air_surface, self%band_counts, self%band_starts, mpi_double_precision, &
                       mpi_comm_world, ierr)
    call find_fluxes(self, season, air_surface, air_flux)
    call mpi_alltoallv(air_flux, 2*self%band_counts, 2*self%band_starts, mpi_double_precision, &
                       flux, 2*self%ocean_counts, 2*self%ocean_starts, mpi_double_precision, &
                       mpi_comm_world, ierr)
    call take_fluxes(self, sea, dom, flux)
  end subroutine coupler_step

  ! rank 0 keeps the calendar, and the file of forcing data if there is one
  real(dp) function read_season(file, step, my_rank) result(season)
    type(forcing_t), intent(in) :: file
    integer, intent(in) :: step, my_rank

    integer :: ierr

    season = 0.0_dp
    if (my_rank == 0) season = sin(8.0_dp*atan(1.0_dp)*step/year)
    if (file%ny > 0) season = season + forcing_read(file)
    call mpi_bcast(season, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  end function read_season

  ! the atmosphere: warm air over the sun's latitude, and winds that a row warmer
  ! than its mean makes stronger
  subroutine find_fluxes(self, season, surface, flux)
    type(coupler_t), intent(in) :: self
    real(dp), intent(in) :: season, surface(:)
    real(dp), intent(out) :: flux(:, :)

    real(dp) :: row_mean(self%first_row:self%last_row), latitude, air
    integer :: n, j

    row_mean = mean_of_rows(self, surface)
    do n = 1, size(surface)
      j = self%band_points(2, n)
      latitude = self%band_latitude(j - self%first_row + 1)
      air = -2.0_dp + 30.0_dp*cos(latitude - 0.3_dp*season)**2
      flux(1, n) = 0.02_dp*(air - surface(n))
      flux(2, n) = -2.0e-3_dp*cos(3.0_dp*latitude)*(1.0_dp + 0.05_dp*(surface(n) - row_mean(j)))
    end do
  end subroutine find_fluxes

  function mean_of_rows(self, surface) result(mean)
    type(coupler_t), intent(in) :: self
    real(dp), intent(in) :: surface(:)
    real(dp) :: mean(self%first_row:self%last_row)

    integer :: points(self%first_row:self%last_row), n, j

    mean = 0.0_dp
    points = 0
    do n = 1, size(surface)
      j = self%band_points(2, n)
      mean(j) = mean(j) + surface(n)
      points(j) = points(j) + 1
    end do
    mean = mean/max(points, 1)
  end function mean_of_rows

  subroutine take_fluxes(self, sea, dom, flux)
    type(coupler_t), intent(in) :: self
    type(state_t), intent(inout) :: sea
    type(domain_t), intent(in) :: dom
    real(dp), intent(in) :: flux(:, :)

    integer :: n

    do n = 1, size(flux, 2)
      associate (at => self%ocean_points(:, n))
        sea%heat(at(1), at(2), at(3)) = flux(1, n)
        sea%stress(at(1), at(2), at(3)) = flux(2, n)*dom%open_east(at(1), at(2), at(3))
      end associate
    end do
  end subroutine take_fluxes

end module coupler
