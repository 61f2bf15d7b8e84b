! The same as successive.c, in Fortran.
program successive
    use mpi
    implicit none
    integer, parameter :: dp = kind(1.0d0), steps = 100, n = 20000, times = 480
    real(dp) :: x(n), r(n), p(n), results(2), many(times), sums(times)
    integer :: step, i, ierr

    call mpi_init(ierr)
    r = [(1.0_dp / i, i = 1, n)]
    p = r
    x = 0
    many = 1
    do step = 1, steps
        call norms(x, r, results)
        call mpi_barrier(mpi_comm_world, ierr)
        call solve()
        call mpi_barrier(mpi_comm_world, ierr)
        call chain(results)
        call mpi_barrier(mpi_comm_world, ierr)
        if (mod(step, 50) == 0) call loop()
    end do
    if (results(1) < -1) print *, results, sums
    call mpi_finalize(ierr)

contains

    subroutine norms(a, b, both)
        real(dp), intent(in) :: a(:), b(:)
        real(dp), intent(out) :: both(2)
        real(dp) :: one, two
        one = sum(a * a)
        two = sum(b * b)
        call mpi_allreduce(one, both(1), 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! norm 1
        call mpi_allreduce(two, both(2), 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! norm 2
    end subroutine

    subroutine solve()
        real(dp) :: mine, alpha, beta
        mine = dot_product(p, r)
        call mpi_allreduce(mine, alpha, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! alpha
        alpha = 1 / (1 + abs(alpha))
        x = x + alpha * p
        r = r - 0.5_dp * alpha * p
        mine = dot_product(r, r)
        call mpi_allreduce(mine, beta, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! beta
        p = r + 1e-3_dp * p / (1 + abs(beta))
    end subroutine

    subroutine chain(both)
        real(dp), intent(inout) :: both(2)
        real(dp) :: a, b
        a = both(1)
        call mpi_allreduce(a, b, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! chain 1
        call mpi_allreduce(b, both(2), 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr) ! chain 2
        call mpi_barrier(mpi_comm_world, ierr)
        call mpi_allreduce(mpi_in_place, b, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! chain 3
        call mpi_allreduce(mpi_in_place, b, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr) ! chain 4
        both(1) = min(b, 1.0_dp)
    end subroutine

    subroutine loop()
        integer :: k
        do k = 1, times
            call mpi_allreduce(many(k), sums(k), 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) ! loop
        end do
        call mpi_barrier(mpi_comm_world, ierr)
    end subroutine
end program
