! Faults of file I/O that findings are about, as in faults.c, in Fortran: faults_io io|small-io fault|sound
program faults_io
   use mpi
   implicit none
   integer, parameter :: steps = 14
   real, save :: field(262144) = 1
   character(len=16) :: rule, kind
   character(len=32) :: name
   integer :: rank, step, unit, error
   logical :: fault

   call mpi_init(error)
   call mpi_comm_rank(mpi_comm_world, rank, error)
   call get_command_argument(1, rule)
   call get_command_argument(2, kind)
   fault = kind == 'fault'
   write (name, '("fortran.",i0,".dat")') rank
   if (rule == 'io') then
      open (newunit=unit, file=name, access='stream', form='unformatted', status='replace')
   else
      open (newunit=unit, file=name, form='formatted', status='replace')
   end if
   do step = 1, steps
      if (rule == 'io') then
         call compute(merge(20.0, 40.0, fault))
         call write_fields(merge(20.0, 0.5, fault))
      else
         call compute(10.0)
         call write_records()
      end if
      call mpi_barrier(mpi_comm_world, error)
   end do
   close (unit)
   call mpi_finalize(error)

contains

   real function cpu_ms()
      real :: seconds
      call cpu_time(seconds)
      cpu_ms = 1e3*seconds
   end function

   subroutine compute(ms)
      real, intent(in) :: ms
      real :: end
      integer :: i
      real, volatile :: x
      x = 1
      end = cpu_ms() + ms
      do while (cpu_ms() < end)
         do i = 1, 5000
            x = x*1.0000001
         end do
      end do
   end subroutine

   subroutine write_fields(ms)
      real, intent(in) :: ms
      real :: end
      end = cpu_ms() + ms
      do while (cpu_ms() < end)
         write (unit, pos=1) field ! the field
      end do
   end subroutine

   ! Sound: the run-time library collects the records.
   subroutine write_records()
      integer :: i
      do i = 1, 20000
         write (unit, '(a)') 'a short record'
         if (fault) flush (unit) ! the record
      end do
   end subroutine
end program
