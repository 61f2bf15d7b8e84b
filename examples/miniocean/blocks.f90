! the grid cut into blocks
!
! blocks lie in columns and rows; all blocks of a column are equally wide and all
! blocks of a row equally high, so the edges of neighbours always match. sizes
! differ by one where the grid does not divide.
module blocks
  use grid, only: grid_t
  implicit none
  private

  type, public :: block_t
    integer :: column = 0    ! from 1, west to east
    integer :: row = 0       ! from 1, south to north
    integer :: west = 0      ! global index of the last point west of the block
    integer :: south = 0     ! global index of the last point south of it
    integer :: nx = 0
    integer :: ny = 0
    integer :: n_ocean = 0   ! ocean points; 0: all land
  end type block_t

  type, public :: blocks_t
    integer :: n_columns = 0
    integer :: n_rows = 0
    integer :: max_nx = 0
    integer :: max_ny = 0
    type(block_t), allocatable :: list(:)   ! by row, then by column
  end type blocks_t

  public :: blocks_cut, blocks_neighbour

contains

  subroutine blocks_cut(cut, globe, n_columns, n_rows)
    type(blocks_t), intent(out) :: cut
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: n_columns, n_rows

    integer :: column, row

    cut%n_columns = n_columns
    cut%n_rows = n_rows
    allocate (cut%list(n_columns*n_rows))
    do row = 1, n_rows
      do column = 1, n_columns
        cut%list((row - 1)*n_columns + column) = cut_one(globe, n_columns, n_rows, column, row)
      end do
    end do
    cut%max_nx = maxval(cut%list%nx)
    cut%max_ny = maxval(cut%list%ny)
  end subroutine blocks_cut

  type(block_t) function cut_one(globe, n_columns, n_rows, column, row) result(part)
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: n_columns, n_rows, column, row

    part%column = column
    part%row = row
    part%west = (column - 1)*globe%nx/n_columns
    part%south = (row - 1)*globe%ny/n_rows
    part%nx = column*globe%nx/n_columns - part%west
    part%ny = row*globe%ny/n_rows - part%south
    part%n_ocean = count(globe%ocean(part%west + 1:part%west + part%nx, &
                                     part%south + 1:part%south + part%ny))
  end function cut_one

  ! 0 beyond the walls; a block may be its own neighbour where the grid closes
  pure integer function blocks_neighbour(cut, id, dx, dy) result(neighbour)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: id, dx, dy

    integer :: column, row

    neighbour = 0
    row = cut%list(id)%row + dy
    if (row < 1 .or. row > cut%n_rows) return
    column = modulo(cut%list(id)%column - 1 + dx, cut%n_columns) + 1
    neighbour = (row - 1)*cut%n_columns + column
  end function blocks_neighbour

end module blocks
