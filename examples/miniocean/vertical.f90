! vertical mixing of a column
!
! stable at any strength because it is implicit: one tridiagonal system a column,
! the same for all variables.
module vertical
  use kinds, only: dp
  use state, only: n_variables, uvel, vvel
  implicit none
  private

  real(dp), parameter :: background = 1.0e-3_dp
  real(dp), parameter :: shear_mixing = 0.2_dp
  real(dp), parameter :: convection = 5.0_dp
  real(dp), parameter :: buoyancy = 1.0e-3_dp

  public :: mixing_strength, mix_column

contains

  ! strength(k) is between levels k and k+1. strong where the shear overcomes the
  ! layering or where heavy water lies above light water. without jumps, so
  ! that a last bit does not decide over the result
  pure subroutine mixing_strength(nz, q, density, strength)
    integer, intent(in) :: nz
    real(dp), intent(in) :: q(nz, n_variables), density(nz)
    real(dp), intent(out) :: strength(nz)

    real(dp) :: layering, shear, richardson
    integer :: k

    do k = 1, nz - 1
      layering = density(k + 1) - density(k)
      shear = (q(k + 1, uvel) - q(k, uvel))**2 + (q(k + 1, vvel) - q(k, vvel))**2
      richardson = buoyancy*max(layering, 0.0_dp)/(shear + 1.0e-8_dp)
      strength(k) = background + shear_mixing/(1.0_dp + 5.0_dp*richardson)**2 &
                    + convection*min(max(-layering, 0.0_dp), 1.0_dp)
    end do
    strength(nz) = 0.0_dp
  end subroutine mixing_strength

  pure subroutine mix_column(nz, strength, q)
    integer, intent(in) :: nz
    real(dp), intent(in) :: strength(nz)
    real(dp), intent(inout) :: q(nz, n_variables)

    real(dp) :: ratio(nz), pivot
    integer :: k, v

    pivot = 1.0_dp/(1.0_dp + strength(1))
    ratio(1) = strength(1)*pivot
    q(1, :) = q(1, :)*pivot
    do k = 2, nz
      pivot = 1.0_dp/(1.0_dp + strength(k) + strength(k - 1)*(1.0_dp - ratio(k - 1)))
      ratio(k) = strength(k)*pivot
      q(k, :) = (q(k, :) + strength(k - 1)*q(k - 1, :))*pivot
    end do
    do v = 1, n_variables
      do k = nz - 1, 1, -1
        q(k, v) = q(k, v) + ratio(k)*q(k + 1, v)
      end do
    end do
  end subroutine mix_column

end module vertical
