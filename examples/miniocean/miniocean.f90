! miniocean: a small ocean model
!
! it has the parts and the habits of a large one: blocks of a global grid with
! land, halo exchanges, a solver with global sums, a coupler, and output.
program miniocean
  use, intrinsic :: iso_fortran_env, only: output_unit
  use kinds, only: dp
  use options, only: options_print_help, options_read, options_t
  use parallel, only: my_rank, n_ranks, parallel_finish, parallel_refuse, parallel_start
  use grid, only: grid_make, grid_t
  use blocks, only: blocks_cut, blocks_t
  use distribution, only: distribute_balanced, distribute_cartesian, distribute_packed
  use domain, only: domain_make, domain_t
  use halo, only: halo_exchange, halo_plan, halo_t
  use state, only: n_variables, state_make, state_t
  use coupler, only: coupler_plan, coupler_step, coupler_t
  use baroclinic, only: baroclinic_step
  use barotropic, only: barotropic_make, barotropic_step, barotropic_t
  use output, only: output_parallel, output_serial
  use forcing, only: forcing_open
  use floats, only: floats_step, floats_t
  use checksum, only: checksum_of
  use timing, only: get_timer, start_timer, stop_timer
  implicit none

  integer, parameter :: coupling_interval = 2
  integer, parameter :: output_interval = 5

  type(options_t) :: opts
  type(grid_t) :: globe
  type(blocks_t) :: cut
  type(domain_t) :: dom
  type(halo_t) :: plan
  type(state_t) :: sea
  type(coupler_t) :: air
  type(barotropic_t) :: waves
  type(floats_t) :: swarm
  integer, allocatable :: owner(:)

  call parallel_start()
  call read_options()
  if (opts%help) then
    if (my_rank == 0) call options_print_help()
  else
    call set_up()
    if (my_rank == 0) call print_set_up()
    call run()
    call print_result()
  end if
  call parallel_finish()

contains

  subroutine read_options()
    character(:), allocatable :: error

    call options_read(opts, error)
    if (error /= '') call parallel_refuse(error)
  end subroutine read_options

  subroutine set_up()
    call grid_make(globe, opts%nx, opts%ny, opts%seed)
    if (.not. any(globe%ocean)) then
      call parallel_refuse('there is no ocean on this grid; choose a larger --grid or another --seed.')
    end if
    call blocks_cut(cut, globe, opts%blocks_x, opts%blocks_y)
    select case (opts%dist)
    case ('packed')
      call distribute_packed(cut, n_ranks, owner)
    case ('balanced')
      call distribute_balanced(cut, n_ranks, owner)
    case default
      call distribute_cartesian(cut, n_ranks, owner)
    end select
    call domain_make(dom, globe, cut, owner, my_rank)
    call halo_plan(plan, cut, owner, my_rank, n_ranks)
    call state_make(sea, dom, globe, opts%levels)
    call coupler_plan(air, dom, globe, cut, owner, my_rank, n_ranks)
    if (opts%serial_input .and. my_rank == 0) call forcing_open(air%forcing, globe%nx, globe%ny)
    call barotropic_make(waves, dom, globe, opts%fused)
  end subroutine set_up

  subroutine run()
    integer, save :: timer = 0
    integer :: step

    call get_timer(timer, 'step')
    do step = 1, opts%steps
      call start_timer(timer)
      if (modulo(step - 1, coupling_interval) == 0) call coupler_step(air, sea, dom, step, my_rank)
      call halo_exchange(plan, dom, opts%levels*n_variables, sea%q)
      call baroclinic_step(sea, dom, globe)
      call barotropic_step(waves, sea, dom, plan)
      if (opts%floats) call floats_step(swarm, sea, dom)
      if (modulo(step, output_interval) == 0 .or. step == opts%steps) call write_output(step)
      call stop_timer(timer)
    end do
  end subroutine run

  subroutine write_output(step)
    integer, intent(in) :: step

    if (opts%serial_output) then
      call output_serial(sea, dom, globe, cut, owner, step, my_rank, n_ranks)
    else
      call output_parallel(sea, dom, globe, step, my_rank)
    end if
  end subroutine write_output

  subroutine print_set_up()
    integer :: points(0:n_ranks - 1), rank

    do rank = 0, n_ranks - 1
      points(rank) = sum(cut%list%n_ocean, mask=owner == rank)
    end do
    write (output_unit, '(4(a, i0), a)') 'grid: ', globe%nx, 'x', globe%ny, ' points, ', opts%levels, &
      ' levels, ', nint(100.0_dp*count(globe%ocean)/size(globe%ocean)), ' percent ocean'
    write (output_unit, '(5(a, i0), a)') 'blocks: ', cut%n_columns, 'x', cut%n_rows, ' of up to ', &
      cut%max_nx, 'x', cut%max_ny, ' points, ', count(cut%list%n_ocean > 0), ' with ocean'
    write (output_unit, '(a, i0, 3a, 3(i0, a))') 'ranks: ', n_ranks, ' (', &
      trim(opts%dist), '), ', count(points > 0), &
      ' with ocean, ', minval(points), ' to ', maxval(points), ' ocean points each'
  end subroutine print_set_up

  subroutine print_result()
    character(8) :: digits

    write (digits, '(z8.8)') checksum_of(sea, dom, globe)
    if (my_rank /= 0) return
    write (output_unit, '(2(a, i0), a)') 'solver: ', waves%iterations, ' iterations in ', opts%steps, ' steps'
    write (output_unit, '(2a)') 'checksum: ', digits
  end subroutine print_result

end program miniocean
