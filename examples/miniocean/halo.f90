! the exchange of block edges
!
! the frame of a block is filled from the edges of its up to eight neighbours:
! by copying where the neighbour is on the same rank, otherwise by one message
! from each rank that holds neighbours. both ends of a message walk all blocks
! and directions in the same order, so the pieces in it need no labels.
module halo
  use mpi
  use kinds, only: dp
  use blocks, only: blocks_t, blocks_neighbour
  use domain, only: domain_t
  use timing, only: get_timer, start_timer, stop_timer
  implicit none
  private

  ! a rectangle of points in a local block
  type :: piece_t
    integer :: b = 0
    integer :: i1 = 0, i2 = 0
    integer :: j1 = 0, j2 = 0
  end type piece_t

  ! the pieces that go to one rank or come from it
  type :: message_t
    integer :: rank = 0
    integer :: first = 0     ! points that lie before it in the buffer
    integer :: n_points = 0
    type(piece_t), allocatable :: pieces(:)
  end type message_t

  type, public :: halo_t
    type(piece_t), allocatable :: copy_from(:)
    type(piece_t), allocatable :: copy_to(:)
    integer :: n_peers = 0
    type(message_t), allocatable :: sends(:)      ! one to each peer
    type(message_t), allocatable :: receives(:)   ! one from each peer
  end type halo_t

  integer, parameter :: n_directions = 8
  integer, parameter :: step_x(n_directions) = [-1, 0, 1, -1, 1, -1, 0, 1]
  integer, parameter :: step_y(n_directions) = [-1, -1, -1, 0, 0, 1, 1, 1]
  integer, parameter :: tag = 1

  public :: halo_plan, halo_exchange

contains

  subroutine halo_plan(plan, cut, owner, my_rank, n_ranks)
    type(halo_t), intent(out) :: plan
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), my_rank, n_ranks

    integer, allocatable :: place(:)

    allocate (place(size(owner)))
    call number_blocks(owner, place)
    call collect_pieces(cut, owner, place, my_rank, my_rank, plan%copy_from, plan%copy_to)
    call plan_messages(cut, owner, place, my_rank, n_ranks, plan)
  end subroutine halo_plan

  ! where a block stands among the blocks of its owner
  subroutine number_blocks(owner, place)
    integer, intent(in) :: owner(:)
    integer, intent(out) :: place(:)

    integer :: id

    do id = 1, size(owner)
      place(id) = count(owner(:id) == owner(id))
    end do
  end subroutine number_blocks

  ! ranks that share an edge always send in both directions
  subroutine plan_messages(cut, owner, place, my_rank, n_ranks, plan)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), place(:), my_rank, n_ranks
    type(halo_t), intent(inout) :: plan

    type(piece_t), allocatable :: mine(:), theirs(:)
    integer :: rank, n

    allocate (plan%sends(n_ranks), plan%receives(n_ranks))
    n = 0
    do rank = 0, n_ranks - 1
      if (rank == my_rank) cycle
      call collect_pieces(cut, owner, place, my_rank, rank, mine, theirs)
      if (size(mine) == 0) cycle
      n = n + 1
      call fill_message(plan%sends, n, rank, mine)
      call collect_pieces(cut, owner, place, rank, my_rank, theirs, mine)
      call fill_message(plan%receives, n, rank, mine)
    end do
    plan%n_peers = n
  end subroutine plan_messages

  ! messages follow one another in the buffer
  subroutine fill_message(messages, n, rank, pieces)
    type(message_t), intent(inout) :: messages(:)
    integer, intent(in) :: n, rank
    type(piece_t), intent(in) :: pieces(:)

    messages(n)%rank = rank
    messages(n)%pieces = pieces
    messages(n)%n_points = sum(points_in(pieces))
    if (n > 1) messages(n)%first = messages(n - 1)%first + messages(n - 1)%n_points
  end subroutine fill_message

  ! all edges of one rank's blocks that frame another rank's blocks, in the order
  ! of the framed blocks
  subroutine collect_pieces(cut, owner, place, from_rank, to_rank, from, to)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: owner(:), place(:), from_rank, to_rank
    type(piece_t), allocatable, intent(out) :: from(:), to(:)

    integer :: id, d, other, n, pass

    do pass = 1, 2
      n = 0
      do id = 1, size(owner)
        if (owner(id) /= to_rank) cycle
        do d = 1, n_directions
          other = blocks_neighbour(cut, id, step_x(d), step_y(d))
          if (other == 0) cycle
          if (owner(other) /= from_rank) cycle
          n = n + 1
          if (pass == 1) cycle
          from(n) = edge_of(cut, other, place(other), -step_x(d), -step_y(d))
          to(n) = frame_of(cut, id, place(id), step_x(d), step_y(d))
        end do
      end do
      if (pass == 1) allocate (from(n), to(n))
    end do
  end subroutine collect_pieces

  ! the outermost own points of a block on one side or corner
  type(piece_t) function edge_of(cut, id, b, dx, dy) result(piece)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: id, b, dx, dy

    piece%b = b
    call span(dx, cut%list(id)%nx, 1, cut%list(id)%nx, piece%i1, piece%i2)
    call span(dy, cut%list(id)%ny, 1, cut%list(id)%ny, piece%j1, piece%j2)
  end function edge_of

  ! the frame just outside a block on one side or corner
  type(piece_t) function frame_of(cut, id, b, dx, dy) result(piece)
    type(blocks_t), intent(in) :: cut
    integer, intent(in) :: id, b, dx, dy

    piece%b = b
    call span(dx, cut%list(id)%nx, 0, cut%list(id)%nx + 1, piece%i1, piece%i2)
    call span(dy, cut%list(id)%ny, 0, cut%list(id)%ny + 1, piece%j1, piece%j2)
  end function frame_of

  subroutine span(direction, n, low, high, first, last)
    integer, intent(in) :: direction, n, low, high
    integer, intent(out) :: first, last

    select case (direction)
    case (-1)
      first = low
      last = low
    case (1)
      first = high
      last = high
    case default
      first = 1
      last = n
    end select
  end subroutine span

  elemental integer function points_in(piece)
    type(piece_t), intent(in) :: piece

    points_in = (piece%i2 - piece%i1 + 1)*(piece%j2 - piece%j1 + 1)
  end function points_in

  ! fill the frames of a field of n_values a point
  subroutine halo_exchange(plan, dom, n_values, field)
    type(halo_t), intent(in) :: plan
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: n_values
    real(dp), intent(inout) :: field(n_values, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks)

    integer, save :: timer = 0
    real(dp), allocatable, asynchronous :: outgoing(:), incoming(:)
    integer :: requests(2*plan%n_peers)
    integer :: m, n_requests, ierr

    call get_timer(timer, 'halo')
    call start_timer(timer)
    allocate (outgoing(n_values*sum(plan%sends%n_points)))
    allocate (incoming(n_values*sum(plan%receives%n_points)))
    n_requests = 0
    do m = 1, plan%n_peers
      n_requests = n_requests + 1
      call mpi_irecv(incoming(n_values*plan%receives(m)%first + 1), &
                     n_values*plan%receives(m)%n_points, mpi_double_precision, &
                     plan%receives(m)%rank, tag, mpi_comm_world, requests(n_requests), ierr)
    end do
    do m = 1, plan%n_peers
      call pack_pieces(plan%sends(m), dom, n_values, field, outgoing)
      n_requests = n_requests + 1
      call mpi_isend(outgoing(n_values*plan%sends(m)%first + 1), &
                     n_values*plan%sends(m)%n_points, mpi_double_precision, &
                     plan%sends(m)%rank, tag, mpi_comm_world, requests(n_requests), ierr)
    end do
    call copy_pieces(plan, dom, n_values, field)
    call mpi_waitall(n_requests, requests, mpi_statuses_ignore, ierr)
    do m = 1, plan%n_peers
      call unpack_pieces(plan%receives(m), dom, n_values, field, incoming)
    end do
    call stop_timer(timer)
  end subroutine halo_exchange

  subroutine pack_pieces(message, dom, n_values, field, buffer)
    type(message_t), intent(in) :: message
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: n_values
    real(dp), intent(in) :: field(n_values, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks)
    real(dp), intent(inout), asynchronous :: buffer(:)

    integer :: p, i, j, at

    at = n_values*message%first
    do p = 1, size(message%pieces)
      associate (piece => message%pieces(p))
        do j = piece%j1, piece%j2
          do i = piece%i1, piece%i2
            buffer(at + 1:at + n_values) = field(:, i, j, piece%b)
            at = at + n_values
          end do
        end do
      end associate
    end do
  end subroutine pack_pieces

  subroutine unpack_pieces(message, dom, n_values, field, buffer)
    type(message_t), intent(in) :: message
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: n_values
    real(dp), intent(inout) :: field(n_values, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks)
    real(dp), intent(in), asynchronous :: buffer(:)

    integer :: p, i, j, at

    at = n_values*message%first
    do p = 1, size(message%pieces)
      associate (piece => message%pieces(p))
        do j = piece%j1, piece%j2
          do i = piece%i1, piece%i2
            field(:, i, j, piece%b) = buffer(at + 1:at + n_values)
            at = at + n_values
          end do
        end do
      end associate
    end do
  end subroutine unpack_pieces

  ! edges whose neighbour is on this rank; they never overlap with a frame
  subroutine copy_pieces(plan, dom, n_values, field)
    type(halo_t), intent(in) :: plan
    type(domain_t), intent(in) :: dom
    integer, intent(in) :: n_values
    real(dp), intent(inout) :: field(n_values, 0:dom%max_nx + 1, 0:dom%max_ny + 1, dom%n_blocks)

    integer :: p, i, j

    do p = 1, size(plan%copy_from)
      associate (from => plan%copy_from(p), to => plan%copy_to(p))
        do j = 0, to%j2 - to%j1
          do i = 0, to%i2 - to%i1
            field(:, to%i1 + i, to%j1 + j, to%b) = field(:, from%i1 + i, from%j1 + j, from%b)
          end do
        end do
      end associate
    end do
  end subroutine copy_pieces

end module halo
