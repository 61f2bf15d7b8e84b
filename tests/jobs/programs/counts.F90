! A Fortran program that knows what it did, for mpif.h, `use mpi` (USE_MPI) and `use mpi_f08` (USE_F08): before each
! call t() writes down what Fathom must say of it, as tally.h does in C. Results are checked, because sentinels such
! as MPI_IN_PLACE, MPI_STATUS_IGNORE and MPI_BOTTOM must get through unharmed.
#if defined USE_F08
#define MODULE_OR_HEADER use mpi_f08
#define HEADER
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
#define FILEHANDLE type(MPI_File)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#else
#if defined USE_MPI
#define MODULE_OR_HEADER use mpi
#define HEADER
#else
#define MODULE_OR_HEADER
#define HEADER include 'mpif.h'
#endif
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define WINDOW integer
#define FILEHANDLE integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif

module tallies
  implicit none
  integer :: rank, ranks, left, right, used = 0
  character(len=40) :: names(200)
  integer :: figures(4, 200) = 0
contains
  subroutine t(name, bytes, sent, received)
    character(len=*), intent(in) :: name
    integer, intent(in), optional :: bytes, sent, received
    integer :: i
    do i = 1, used
      if (names(i) == 'MPI_' // name) exit
    end do
    if (i > used) used = i
    names(i) = 'MPI_' // name
    figures(1, i) = figures(1, i) + 1
    if (present(bytes)) figures(2:4, i) = figures(2:4, i) + [bytes, sent, received]
  end subroutine

  subroutine write_tallies()
    integer :: i, unit
    character(len=32) :: file
    write (file, '(a, i0)') 'tally.', rank
    open (newunit=unit, file=file, status='replace')
    do i = 1, used
      write (unit, '(a, 4(1x, i0))') trim(names(i)), figures(:, i)
    end do
    close (unit)
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      write (*, *) 'rank', rank, 'wrong: ', what
      error stop 3
    end if
  end subroutine
end module

! Open MPI's bindings do not call the C routines for these.
subroutine no_requests()
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer :: n, ierr, index, indices(1)
  logical :: flag
  STATUS(one)
  STATUSES(none, 1)
  REQUEST :: r(1)
  call t('Waitall')
  call MPI_Waitall(0, r, MPI_STATUSES_IGNORE, ierr)
  call t('Waitall')
  call MPI_Waitall(0, r, none, ierr)
  call t('Testall')
  call MPI_Testall(0, r, flag, MPI_STATUSES_IGNORE, ierr)
  call require(flag, 'all of no requests')
  call t('Waitany')
  call MPI_Waitany(0, r, index, one, ierr) ! what MPICH's bindings say is not MPI_UNDEFINED
  call t('Testany')
  call MPI_Testany(0, r, index, flag, one, ierr)
  call require(flag, 'none of no requests')
  call t('Waitsome')
  call MPI_Waitsome(0, r, n, indices, none, ierr)
  call require(n == MPI_UNDEFINED, 'some of no requests')
  call t('Testsome')
  call MPI_Testsome(0, r, n, indices, none, ierr)
  call require(n == MPI_UNDEFINED, 'some of no requests')
end subroutine

subroutine messages()
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer :: i, n, ierr, out(20), in(30), index, indices(4)
  logical :: flag
  STATUS(one)
  STATUSES(two, 2)
  REQUEST :: r(2)
  out = rank
  do i = 1, 10
    in = -1
    call t('Sendrecv', 40, 40, 40)
    call MPI_Sendrecv(out, 10, MPI_INTEGER, right, i, in, 30, MPI_INTEGER, left, i, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call require(ierr == MPI_SUCCESS .and. in(10) == left .and. in(11) == -1, 'sendrecv')
  end do
  do i = 1, 5
    call t('Sendrecv', 4 * i, 4 * i, 4 * i)
    call MPI_Sendrecv(out, i, MPI_INTEGER, right, i, in, 30, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                      MPI_COMM_WORLD, one, ierr)
    call t('Get_count')
    call MPI_Get_count(one, MPI_INTEGER, n, ierr)
    call require(n == i .and. SOURCE_OF(one) == left, 'status of sendrecv')
  end do
  do i = 1, 7
    call t('Irecv', 4 * i, 0, 4 * i)
    call MPI_Irecv(in, 30, MPI_INTEGER, left, 5, MPI_COMM_WORLD, r(1), ierr)
    call t('Isend', 4 * i, 4 * i, 0)
    call MPI_Isend(out, i, MPI_INTEGER, right, 5, MPI_COMM_WORLD, r(2), ierr)
    select case (i)
    case (1)
      call t('Waitall')
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    case (2)
      call t('Waitall')
      call MPI_Waitall(2, r, two, ierr)
    case (3)
      call t('Wait')
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      call t('Wait')
      call MPI_Wait(r(2), one, ierr)
    case (4)
      call t('Waitany')
      call MPI_Waitany(2, r, index, MPI_STATUS_IGNORE, ierr)
      call t('Waitany')
      call MPI_Waitany(2, r, index, one, ierr)
      call require(index >= 0 .and. index <= 2, 'an index of waitany') ! mpi_f08 of MPICH 4.0 counts from 0
    case (5)
      do
        call t('Waitsome')
        call MPI_Waitsome(2, r, n, indices, MPI_STATUSES_IGNORE, ierr)
        if (n == MPI_UNDEFINED) exit
      end do
    case (6)
      flag = .false.
      do while (.not. flag)
        call t('Testall')
        call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, ierr)
      end do
    case (7)
      do n = 1, 2
        flag = .false.
        do while (.not. flag)
          call t('Test')
          call MPI_Test(r(n), flag, MPI_STATUS_IGNORE, ierr)
        end do
      end do
    end select
    call require(in(i) == left, 'nonblocking messages')
  end do
  call t('Recv_init')
  call MPI_Recv_init(in, 30, MPI_INTEGER, left, 6, MPI_COMM_WORLD, r(1), ierr)
  call t('Send_init')
  call MPI_Send_init(out, 3, MPI_INTEGER, right, 6, MPI_COMM_WORLD, r(2), ierr)
  do i = 1, 3
    call t('Startall', 24, 12, 12)
    call MPI_Startall(2, r, ierr)
    call t('Waitall')
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
  end do
  do i = 1, 2
    call t('Request_free')
    call MPI_Request_free(r(i), ierr)
  end do
end subroutine

subroutine collectives()
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer :: i, ierr, one(1), out(4 * 8), in(4 * 8), counts(8), places(8)
  DATATYPE :: types(8)
  REQUEST :: r
  logical :: is
  is = rank == 0
  do i = 1, 6
    one = rank + 1
    call t('Allreduce', 4, 4, 4)
    call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call require(one(1) == ranks * (ranks + 1) / 2, 'allreduce in place')
  end do
  out = rank
  call t('Bcast', 16, merge(16, 0, is), merge(0, 16, is))
  call MPI_Bcast(out, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call require(out(4) == 0, 'bcast')
  call t('Reduce', 8, 8, merge(8, 0, is))
  call MPI_Reduce(out, in, 2, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  in = -1
  in(1 + 2 * rank:2 + 2 * rank) = rank
  call t('Allgather', 8, 8, 8 * ranks)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call require(all(in(1:2 * ranks:2) == [(i, i = 0, ranks - 1)]), 'allgather in place')
  in = rank
  call t('Gather', 12, 12, merge(12 * ranks, 0, is))
  if (is) then
    call MPI_Gather(MPI_IN_PLACE, 3, MPI_INTEGER, in, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Gather(in, 3, MPI_INTEGER, out, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end if
  call require(.not. is .or. in(3 * ranks) == ranks - 1, 'gather in place')
  counts = 2
  places = [(8 * i, i = 0, 7)]
  types = MPI_INTEGER
  do i = 1, 3
    out = rank
    call t('Alltoallw', 8 * ranks, 8 * ranks, 8 * ranks)
    call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD, ierr)
    call require(in(2 * ranks) == ranks - 1 .and. in(1) == 0, 'alltoallw')
  end do
  call t('Alltoallw', 8 * ranks, 8 * ranks, 8 * ranks)
  call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, in, counts, places, types, MPI_COMM_WORLD, ierr)
  call t('Ialltoallw', 8 * ranks, 8 * ranks, 8 * ranks)
  call MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD, r, ierr)
  call t('Wait')
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  call t('Ibarrier')
  call MPI_Ibarrier(MPI_COMM_WORLD, r, ierr)
  call t('Wait')
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  call t('Barrier')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
end subroutine

! A message at an absolute address, and objects that are made and freed.
subroutine objects()
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer, target :: out(6), in(6)
  integer :: ierr, i, n, dims(1), sources(1), targets(1), lengths(1), from, to
  logical :: periodic(1), flag
  integer(kind=MPI_ADDRESS_KIND) :: places(1), value
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  double precision :: now
  DATATYPE :: there(2), vector
  COMM :: half, copy, ring, star
  out = rank
  in = -1
  lengths = 6
  do i = 1, 2
    call t('Get_address')
    if (i == 1) call MPI_Get_address(out, places(1), ierr)
    if (i == 2) call MPI_Get_address(in, places(1), ierr)
    call t('Type_create_hindexed')
    call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, there(i), ierr)
    call t('Type_commit')
    call MPI_Type_commit(there(i), ierr)
  end do
  call t('Sendrecv', 24, 24, 24)
  call MPI_Sendrecv(MPI_BOTTOM, 1, there(1), right, 1, MPI_BOTTOM, 1, there(2), left, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call touch(in)
  call require(all(in == left), 'messages at absolute addresses')
  call t('Bcast', 24, merge(24, 0, rank == 0), merge(0, 24, rank == 0))
  call MPI_Bcast(MPI_BOTTOM, 1, there(2), 0, MPI_COMM_WORLD, ierr)
  call touch(in)
  call require(all(in == ranks - 1), 'broadcast to absolute addresses')
  do i = 1, 2
    call t('Type_free')
    call MPI_Type_free(there(i), ierr)
  end do
  call t('Type_vector')
  call MPI_Type_vector(2, 1, 3, MPI_INTEGER, vector, ierr)
  call t('Type_commit')
  call MPI_Type_commit(vector, ierr)
  call t('Sendrecv', 8, 8, 8)
  call MPI_Sendrecv(out, 1, vector, right, 2, in, 1, vector, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call t('Type_size')
  call MPI_Type_size(vector, n, ierr)
  call require(n == 8, 'the size of a type')
  call t('Type_free')
  call MPI_Type_free(vector, ierr)
  call t('Comm_split')
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call t('Comm_dup')
  call MPI_Comm_dup(half, copy, ierr)
  call t('Barrier')
  call MPI_Barrier(copy, ierr)
  dims = ranks
  periodic = .true.
  call t('Cart_create')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., ring, ierr)
  call t('Cart_shift')
  call MPI_Cart_shift(ring, 0, 1, from, to, ierr)
  call require(from == left .and. to == right, 'a ring')
  call t('Neighbor_allgather', 8, 8, 8)
  call MPI_Neighbor_allgather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, ring, ierr)
  sources = left
  targets = right
  call t('Dist_graph_create_adjacent')
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., star, ierr)
  call t('Comm_free')
  call MPI_Comm_free(star, ierr)
  call t('Comm_free')
  call MPI_Comm_free(ring, ierr)
  call t('Comm_free')
  call MPI_Comm_free(copy, ierr)
  call t('Comm_free')
  call MPI_Comm_free(half, ierr)
  call t('Comm_get_attr')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call require(flag .and. value > 0, 'an attribute')
  call t('Comm_create_keyval')
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, n, value, ierr)
  value = 100 + rank
  call t('Comm_set_attr')
  call MPI_Comm_set_attr(MPI_COMM_WORLD, n, value, ierr)
  value = 0
  call t('Comm_get_attr')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, n, value, flag, ierr)
  call require(flag .and. value == 100 + rank, 'an attribute of our own')
  call t('Comm_delete_attr')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, n, ierr)
  call t('Comm_free_keyval')
  call MPI_Comm_free_keyval(n, ierr)
  call t('Type_match_size')
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, vector, ierr)
  call t('Get_processor_name')
  call MPI_Get_processor_name(name, n, ierr)
  call t('Initialized')
  call MPI_Initialized(flag, ierr)
  now = MPI_Wtime() ! not counted
  call require(flag .and. now >= 0, 'a clock')
end subroutine

! What MPI_BOTTOM changes, the compiler does not see.
subroutine touch(buffer)
  integer, intent(inout) :: buffer(6)
end subroutine

subroutine memory_and_files()
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer, asynchronous :: memory(10)
  integer :: out(4), in(4), ierr
  WINDOW :: win
  FILEHANDLE :: file
  memory = 0
  out = rank + 1
  call t('Win_create')
  call MPI_Win_create(memory, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call t('Win_fence')
  call MPI_Win_fence(0, win, ierr)
  call t('Put', 16, 16, 0)
  call MPI_Put(out, 4, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, ierr)
  call t('Win_fence')
  call MPI_Win_fence(0, win, ierr)
  call require(memory(4) == left + 1, 'put')
  call t('Win_free')
  call MPI_Win_free(win, ierr)
  call t('File_open')
  call MPI_File_open(MPI_COMM_WORLD, 'counts.data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
  call t('File_write_at', 16, 16, 0)
  call MPI_File_write_at(file, 16_MPI_OFFSET_KIND * rank, out, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call t('File_read_at', 16, 0, 16)
  call MPI_File_read_at(file, 16_MPI_OFFSET_KIND * rank, in, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call require(all(in == out), 'a file')
  call t('File_close')
  call MPI_File_close(file, ierr)
end subroutine

program counts
  MODULE_OR_HEADER
  use tallies
  implicit none
  HEADER
  integer :: ierr
  call t('Init')
  call MPI_Init(ierr)
  call t('Comm_rank')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call t('Comm_size')
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call messages()
  call no_requests()
  call collectives()
  call objects()
  call memory_and_files()
  call t('Finalize')
  call MPI_Finalize(ierr)
  call write_tallies()
end program
