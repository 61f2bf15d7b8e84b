module solver
  real function dot(x, y)
    do i = 1, n; s = s + x(i)*y(i); end do
    call mpi_allreduce(s, dot, 1, mpi_real, mpi_sum, comm, ierr)
  end function
  subroutine pcg(a, x, b)
    do while (dot(r, r) > enough)
      x = x + alpha*p
    end do
  end subroutine
end module
