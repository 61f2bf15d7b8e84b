! the density of sea water
module seawater
  use kinds, only: dp
  implicit none
  private

  public :: density_column

contains

  ! kg/m3 above 1000, of a column. a quotient of polynomials in temperature and
  ! salinity over one in pressure, as the ocean models use
  pure subroutine density_column(nz, t, s, density)
    integer, intent(in) :: nz
    real(dp), intent(in) :: t(nz), s(nz)
    real(dp), intent(out) :: density(nz)

    real(dp) :: pressure, fresh, saline, squeezed
    integer :: k

    do k = 1, nz
      pressure = (k - 0.5_dp)/nz
      fresh = -0.16_dp + t(k)*(6.8e-2_dp + t(k)*(-9.1e-3_dp + t(k)*(1.0e-4_dp - 1.1e-6_dp*t(k))))
      saline = s(k)*(0.824_dp + t(k)*(-4.1e-3_dp + 7.6e-5_dp*t(k))) - 5.7e-3_dp*s(k)*sqrt(s(k))
      squeezed = 1.0_dp - pressure*(1.0e-3_dp - t(k)*(5.0e-6_dp - 5.0e-8_dp*t(k)))
      density(k) = (fresh + saline)/squeezed
    end do
  end subroutine density_column

end module seawater
