! SPDX-License-Identifier: BSD-3-Clause
! Solves A x = b by conjugate gradients in Fortran, where b = A (1, ..., 1). The matrix is that of a
! square grid with m by m points, in CSR with indices that begin with 1. The library uses the arrays
! where they are; it copies only row_ptr, which it needs from 0.
program cg
  use evenkeel
  implicit none
  integer, parameter :: dp = c_double, m = 100, n = m * m
  integer(c_int32_t), target :: row_ptr(n + 1), col_idx(5 * n)
  real(dp), target :: val(5 * n), x(n), b(n), r(n), p(n), q(n)
  type(c_ptr) :: ctx, A, plan
  type(ek_options) :: options
  type(ek_hints) :: hints
  real(dp) :: rho, before, alpha
  integer :: step

  call fill_matrix()
  options = ek_options()
  hints = ek_hints()
  call check(ek_context_create(options, ctx))
  call check(ek_matrix_from_csr(ctx, EK_F64, EK_I32, int(n, c_int64_t), int(n, c_int64_t), row_ptr, &
      col_idx, val, ior(EK_BORROW, EK_BASE1), A))
  call check(ek_plan_create(EK_OPERATION_SPMV, A, hints, plan))

  x = 1
  call check(ek_spmv(plan, 1.0_dp, ek_vector(x), 0.0_dp, ek_vector(b)))
  x = 0
  r = b
  p = r
  rho = dot_product(r, r)
  do step = 1, 1000
    if (sqrt(rho) <= 1e-10_dp * norm2(b)) exit
    call check(ek_spmv(plan, 1.0_dp, ek_vector(p), 0.0_dp, ek_vector(q)))
    alpha = rho / dot_product(p, q)
    x = x + alpha * p
    r = r - alpha * q
    before = rho
    rho = dot_product(r, r)
    p = r + rho / before * p
  end do
  print '(i0, a, a, a, es8.1)', step - 1, ' steps by ', ek_string(ek_plan_method(plan)), &
      ', largest error', maxval(abs(x - 1))

  call ek_plan_destroy(plan)
  call ek_matrix_destroy(A)
  call ek_context_destroy(ctx)

contains
  subroutine check(status)
    integer(c_int), intent(in) :: status

    if (status /= EK_OK) error stop ek_string(ek_error_text())
  end subroutine check

  ! Fills the arrays with 4 on the diagonal and -1 for each neighbour.
  subroutine fill_matrix()
    integer :: i, j, k, row

    k = 1
    do j = 1, m
      do i = 1, m
        row = i + (j - 1) * m
        row_ptr(row) = k
        if (j > 1) call add(k, row - m, -1.0_dp)
        if (i > 1) call add(k, row - 1, -1.0_dp)
        call add(k, row, 4.0_dp)
        if (i < m) call add(k, row + 1, -1.0_dp)
        if (j < m) call add(k, row + m, -1.0_dp)
      end do
    end do
    row_ptr(n + 1) = k
  end subroutine fill_matrix

  subroutine add(k, column, value)
    integer, intent(inout) :: k
    integer, intent(in) :: column
    real(dp), intent(in) :: value

    col_idx(k) = column
    val(k) = value
    k = k + 1
  end subroutine add
end program cg
