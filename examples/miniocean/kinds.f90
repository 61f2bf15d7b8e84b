! the number kinds of the model
module kinds
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private

  integer, parameter, public :: dp = real64
  integer, parameter, public :: i8 = int64
end module kinds
