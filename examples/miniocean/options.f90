! the command line
!
! every rank reads its own copy of the command line, so all of them come to the
! same result without a message.
module options
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  private

  type, public :: options_t
    integer :: steps = 25
    integer :: nx = 384
    integer :: ny = 288
    integer :: levels = 32
    integer :: blocks_x = 8
    integer :: blocks_y = 8
    integer :: seed = 7
    character(9) :: dist = 'cartesian'
    logical :: fused = .false.
    logical :: serial_output = .false.
    logical :: serial_input = .false.
    logical :: floats = .false.
    logical :: help = .false.
  end type options_t

  integer, parameter :: max_digits = 9

  public :: options_read, options_print_help

contains

  ! error stays empty when the command line is right
  subroutine options_read(opts, error)
    type(options_t), intent(out) :: opts
    character(:), allocatable, intent(out) :: error

    character(:), allocatable :: name
    integer :: position

    error = ''
    position = 1
    do while (position <= command_argument_count() .and. error == '')
      name = argument(position)
      position = position + 1
      select case (name)
      case ('--fused')
        opts%fused = .true.
      case ('--serial-output')
        opts%serial_output = .true.
      case ('--serial-input')
        opts%serial_input = .true.
      case ('--floats')
        opts%floats = .true.
      case ('--help', '-h')
        opts%help = .true.
      case ('--steps', '--grid', '--levels', '--blocks', '--seed', '--dist')
        if (position > command_argument_count()) then
          error = name // ' needs a value; see --help.'
        else
          call set_value(opts, name, argument(position), error)
          position = position + 1
        end if
      case default
        error = 'there is no option "' // name // '"; see --help.'
      end select
    end do
    if (error == '') call check_blocks(opts, error)
  end subroutine options_read

  subroutine set_value(opts, name, value, error)
    type(options_t), intent(inout) :: opts
    character(*), intent(in) :: name, value
    character(:), allocatable, intent(inout) :: error

    select case (name)
    case ('--steps')
      call set_number(name, value, 1, 1000000, opts%steps, error)
    case ('--levels')
      call set_number(name, value, 1, 1000, opts%levels, error)
    case ('--seed')
      call set_number(name, value, 0, 999999999, opts%seed, error)
    case ('--grid')
      call set_pair(name, value, 8, 10000, opts%nx, opts%ny, error)
    case ('--blocks')
      call set_pair(name, value, 1, 1000, opts%blocks_x, opts%blocks_y, error)
    case ('--dist')
      if (value /= 'cartesian' .and. value /= 'packed' .and. value /= 'balanced') then
        error = '--dist is cartesian, packed or balanced, not "' // value // '".'
      end if
      opts%dist = value
    end select
  end subroutine set_value

  subroutine set_number(name, value, low, high, number, error)
    character(*), intent(in) :: name, value
    integer, intent(in) :: low, high
    integer, intent(inout) :: number
    character(:), allocatable, intent(inout) :: error

    integer :: n

    n = whole_number(value)
    if (n < low .or. n > high) then
      error = name // ' is a whole number from ' // text(low) // ' to ' // text(high) &
              // ', not "' // value // '".'
    else
      number = n
    end if
  end subroutine set_number

  ! two numbers with an x between them: 384x288
  subroutine set_pair(name, value, low, high, first, second, error)
    character(*), intent(in) :: name, value
    integer, intent(in) :: low, high
    integer, intent(inout) :: first, second
    character(:), allocatable, intent(inout) :: error

    integer :: a, b, cross

    cross = index(value, 'x')
    a = -1
    b = -1
    if (cross > 0) then
      a = whole_number(value(:cross - 1))
      b = whole_number(value(cross + 1:))
    end if
    if (min(a, b) < low .or. max(a, b) > high) then
      error = name // ' is two whole numbers from ' // text(low) // ' to ' // text(high) &
              // ' with an x between them, not "' // value // '".'
    else
      first = a
      second = b
    end if
  end subroutine set_pair

  subroutine check_blocks(opts, error)
    type(options_t), intent(in) :: opts
    character(:), allocatable, intent(inout) :: error

    if (opts%blocks_x > opts%nx .or. opts%blocks_y > opts%ny) then
      error = 'a grid of ' // text(opts%nx) // 'x' // text(opts%ny) // ' points cannot be cut into ' &
              // text(opts%blocks_x) // 'x' // text(opts%blocks_y) // ' blocks; choose fewer with --blocks.'
    end if
  end subroutine check_blocks

  subroutine options_print_help()
    character(*), parameter :: lines(*) = [character(80) :: &
      'usage: mpirun -n RANKS miniocean [OPTION]...', &
      'a small ocean model; all ranks step one ocean on a grid cut into blocks', &
      '', &
      '  --steps N         time steps (25)', &
      '  --grid NXxNY      points of the global grid (384x288)', &
      '  --levels N        vertical levels (32)', &
      '  --blocks NXxNY    blocks the grid is cut into (8x8)', &
      '  --seed N          another seed gives other continents (7)', &
      '  --dist D          cartesian: blocks go to ranks by place, land or not;', &
      '                    packed: only blocks with ocean, to the low ranks;', &
      '                    balanced: by the number of ocean points (cartesian)', &
      '  --fused           join the two sums of a solver iteration into one allreduce', &
      '  --serial-output   gather the surface on rank 0 and write it there', &
      '  --serial-input    rank 0 reads the forcing from a file while all wait', &
      '  --floats          release floats in every step and never take one out', &
      '  --help            print this text']
    integer :: i

    do i = 1, size(lines)
      write (output_unit, '(a)') trim(lines(i))
    end do
  end subroutine options_print_help

  function argument(position) result(value)
    integer, intent(in) :: position
    character(:), allocatable :: value

    integer :: length

    call get_command_argument(position, length=length)
    allocate (character(length) :: value)
    call get_command_argument(position, value)
  end function argument

  ! -1 for anything but digits, because a formatted read would take "1 2" or "3,4"
  integer function whole_number(value) result(n)
    character(*), intent(in) :: value

    n = -1
    if (len(value) < 1 .or. len(value) > max_digits) return
    if (verify(value, '0123456789') /= 0) return
    read (value, *) n
  end function whole_number

  function text(n)
    integer, intent(in) :: n
    character(:), allocatable :: text

    character(12) :: buffer

    write (buffer, '(i0)') n
    text = trim(buffer)
  end function text

end module options
