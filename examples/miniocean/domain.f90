! the part of the ocean that this rank works on
!
! fields over the domain are shaped (..., 0:max_nx+1, 0:max_ny+1, n_blocks): every
! block has a frame of one point for its neighbours' values (see halo). points
! on land and points beyond a smaller block are there, are zero and stay zero.
!
! velocities live on faces: u on the east face of its point, v on the north one.
module domain
  use kinds, only: dp
  use blocks, only: blocks_t
  use grid, only: grid_t
  implicit none
  private

  ! work is done along the list of ocean points, so its cost follows their number
  type, public :: local_block_t
    integer :: id = 0
    integer :: west = 0
    integer :: south = 0
    integer :: nx = 0
    integer :: ny = 0
    integer :: n_ocean = 0
    integer, allocatable :: i(:)
    integer, allocatable :: j(:)
  end type local_block_t

  type, public :: domain_t
    integer :: n_blocks = 0
    integer :: max_nx = 0
    integer :: max_ny = 0
    type(local_block_t), allocatable :: block(:)
    real(dp), allocatable :: ocean(:, :, :)         ! 1 in the ocean, 0 on land
    real(dp), allocatable :: open_east(:, :, :)     ! 1 where water flows through the east face
    real(dp), allocatable :: open_north(:, :, :)
  end type domain_t

  public :: domain_make, domain_field

contains

  subroutine domain_make(dom, globe, cut, owner, rank)
    type(domain_t), intent(out) :: dom
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), rank

    integer :: id, b

    dom%n_blocks = count(owner == rank)
    dom%max_nx = cut%max_nx
    dom%max_ny = cut%max_ny
    allocate (dom%block(dom%n_blocks))
    call domain_field(dom, dom%ocean)
    call domain_field(dom, dom%open_east)
    call domain_field(dom, dom%open_north)
    b = 0
    do id = 1, size(owner)
      if (owner(id) /= rank) cycle
      b = b + 1
      call take_block(dom%block(b), globe, cut, id)
      call mark_water(dom, globe, b)
    end do
  end subroutine domain_make

  ! a field of one value a point, zero everywhere
  subroutine domain_field(dom, field)
    type(domain_t), intent(in) :: dom
    real(dp), allocatable, intent(out) :: field(:, :, :)

    allocate (field(0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks))
    field = 0.0_dp
  end subroutine domain_field

  subroutine take_block(mine, globe, cut, id)
    type(local_block_t), intent(out) :: mine
    type(grid_t), intent(in) :: globe
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: id

    integer :: i, j, n

    mine%id = id
    mine%west = cut%list(id)%west
    mine%south = cut%list(id)%south
    mine%nx = cut%list(id)%nx
    mine%ny = cut%list(id)%ny
    mine%n_ocean = cut%list(id)%n_ocean
    allocate (mine%i(mine%n_ocean), mine%j(mine%n_ocean))
    n = 0
    do j = 1, mine%ny
      do i = 1, mine%nx
        if (.not. globe%is_ocean(mine%west + i, mine%south + j)) cycle
        n = n + 1
        mine%i(n) = i
        mine%j(n) = j
      end do
    end do
  end subroutine take_block

  ! the frame is marked too, from the global grid, so no exchange is needed
  subroutine mark_water(dom, globe, b)
    type(domain_t), intent(inout) :: dom
    type(grid_t), intent(in) :: globe
    integer, intent(in) :: b

    integer :: i, j, x, y

    do j = 0, dom%block(b)%ny + 1
      do i = 0, dom%block(b)%nx + 1
        x = dom%block(b)%west + i
        y = dom%block(b)%south + j
        if (.not. globe%is_ocean(x, y)) cycle
        dom%ocean(i, j, b) = 1.0_dp
        if (globe%is_ocean(x + 1, y)) dom%open_east(i, j, b) = 1.0_dp
        if (globe%is_ocean(x, y + 1)) dom%open_north(i, j, b) = 1.0_dp
      end do
    end do
  end subroutine mark_water

end module domain
