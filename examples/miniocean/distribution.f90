! which rank works on which block
!
! a block that is all land belongs to nobody: there is nothing to compute, and
! nobody exchanges its edges. what the distributions do with the ranks that
! are left without ocean is the point of having several.
module distribution
  use mpi
  use blocks, only: blocks_t
  implicit none
  private

  integer, parameter :: nobody = -1

  public :: distribute_balanced, distribute_cartesian, distribute_packed

contains

  ! ranks form a grid as the blocks do; a rank gets the blocks of its place. a
  ! rank whose place is all land has nothing to do
  subroutine distribute_cartesian(cut, n_ranks, owner)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: n_ranks
    integer, allocatable, intent(out) :: owner(:)

    integer :: ranks(2), id, x, y, ierr

    ranks = 0
    call mpi_dims_create(n_ranks, 2, ranks, ierr)
    allocate (owner(size(cut%list)))
    owner = nobody
    do id = 1, size(cut%list)
      if (cut%list(id)%n_ocean == 0) cycle
      x = (cut%list(id)%column - 1)*ranks(1)/cut%n_columns
      y = (cut%list(id)%row - 1)*ranks(2)/cut%n_rows
      owner(id) = y*ranks(1) + x
    end do
  end subroutine distribute_cartesian

  ! blocks with ocean fill the ranks from rank 0 on, equally many to each; the
  ! ranks that are left over are the last ones
  subroutine distribute_packed(cut, n_ranks, owner)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: n_ranks
    integer, allocatable, intent(out) :: owner(:)

    integer :: id, placed, per_rank

    per_rank = (count(cut%list%n_ocean > 0) + n_ranks - 1)/n_ranks
    allocate (owner(size(cut%list)))
    owner = nobody
    placed = 0
    do id = 1, size(cut%list)
      if (cut%list(id)%n_ocean == 0) cycle
      owner(id) = placed/per_rank
      placed = placed + 1
    end do
  end subroutine distribute_packed

  ! the largest block that is left goes to the rank with the fewest ocean points,
  ! so that all have about the same work
  subroutine distribute_balanced(cut, n_ranks, owner)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: n_ranks
    integer, allocatable, intent(out) :: owner(:)

    integer :: points(0:n_ranks - 1), n, id, rank

    allocate (owner(size(cut%list)))
    owner = nobody
    points = 0
    do n = 1, count(cut%list%n_ocean > 0)
      id = maxloc(cut%list%n_ocean, dim=1, mask=owner == nobody)
      rank = minloc(points, dim=1) - 1
      owner(id) = rank
      points(rank) = points(rank) + cut%list(id)%n_ocean
    end do
  end subroutine distribute_balanced

end module distribution
