! Reads and writes files with every kind of Fortran I/O, and prints the bytes of each: name read written.
program files
    use mpi
    implicit none
    integer :: ierror, rank, unit, i, number
    double precision :: values(1000), other(1000)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    values = rank
    if (rank == 0) then
        open (newunit=unit, file="formatted.txt", status="replace")
        do i = 1, 1000
            write (unit, '(i8)') i
        end do
        close (unit)
        open (newunit=unit, file="formatted.txt", status="old", action="read")
        do i = 1, 1000
            read (unit, *) number
        end do
        close (unit)
        open (newunit=unit, file="unformatted.bin", form="unformatted", status="replace")
        do i = 1, 10
            write (unit) values
        end do
        close (unit)
        open (newunit=unit, file="stream.bin", access="stream", form="unformatted", status="replace")
        write (unit) values
        read (unit, pos=1) other
        close (unit)
        open (newunit=unit, file="direct.bin", access="direct", form="unformatted", recl=8000, status="replace")
        do i = 10, 1, -1
            write (unit, rec=i) values
        end do
        read (unit, rec=3) other
        close (unit)
        print '(a)', "formatted.txt 9000 9000"
        print '(a)', "unformatted.bin 0 80080"
        print '(a)', "stream.bin 8000 8000"
        print '(a)', "direct.bin 8000 80000"
    end if
    call MPI_Finalize(ierror)
end program files
