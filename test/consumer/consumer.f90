! SPDX-License-Identifier: BSD-3-Clause
! Uses the module for Fortran as programs do. All types are compared with the library's own sizes.
program consumer
  use evenkeel
  implicit none
  integer, parameter :: dp = c_double, i8 = c_int64_t
  type(c_ptr) :: ctx
  integer(c_int32_t), target :: row_ptr(4) = [1, 3, 3, 4], col_idx(3) = [1, 3, 2]
  integer(c_int64_t), target :: row_ptr_64(4) = [1_i8, 3_i8, 3_i8, 4_i8]
  real(dp), target :: val(3) = [1, 2, 3]

  call expect(ek_context_create(ctx=ctx) == EK_OK, 'a context')
  call layouts()
  call products()
  call matrices()
  call arrays()
  call errors()
  call ek_context_destroy(ctx)
  print '(a)', 'all is as it should be'

contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (.not. holds) then
      print '(a, a, a, a)', 'not so: ', what, '; ', ek_string(ek_error_text())
      error stop
    end if
  end subroutine expect

  subroutine layouts()
    type(ek_layout), pointer :: row
    type(c_ptr) :: at
    integer(c_size_t) :: bytes
    integer :: compared

    compared = 0
    at = ek_layout_next()
    do while (c_associated(at))
      call c_f_pointer(at, row)
      if (ek_string(row%member) == '') then
        bytes = size_of(ek_string(row%type))
        if (bytes > 0) then
          call expect(bytes == row%size, 'the size of '//ek_string(row%type))
          compared = compared + 1
        end if
      end if
      at = ek_layout_next(row)
    end do
    call expect(compared == 12, 'twelve sizes were compared')
  end subroutine layouts

  integer(c_size_t) function size_of(name) result(bytes)
    character(len=*), intent(in) :: name

    bytes = 0
    select case (name)
    case ('ek_options'); bytes = c_sizeof(ek_options())
    case ('ek_hints'); bytes = c_sizeof(ek_hints())
    case ('ek_dense'); bytes = c_sizeof(ek_vector(val))
    case ('ek_matrix_info'); bytes = c_sizeof(ek_matrix_info())
    case ('ek_stats'); bytes = c_sizeof(ek_stats())
    case ('ek_view'); bytes = c_sizeof(ek_view())
    case ('ek_device_info'); bytes = c_sizeof(ek_device_info())
    case ('ek_array_options'); bytes = c_sizeof(ek_array_options())
    case ('ek_segments'); bytes = c_sizeof(ek_segments())
    case ('ek_pairs'); bytes = c_sizeof(ek_pairs())
    case ('ek_sparse'); bytes = c_sizeof(ek_sparse())
    case ('ek_heap_counts'); bytes = c_sizeof(ek_heap_counts())
    end select
  end function size_of

  subroutine products()
    type(c_ptr) :: A, plan
    type(ek_matrix_info) :: info
    type(ek_hints) :: hints
    real(dp), target :: x(3) = [4, 5, 6], y(3), X2(3, 2), Y2(3, 2)
    character(kind=c_char, len=:), allocatable, target :: method

    call expect(ek_matrix_from_csr(ctx, EK_F64, EK_I64_32, 3_i8, 3_i8, row_ptr_64, col_idx, val, &
        ior(EK_BORROW, EK_BASE1), A) == EK_OK, 'a matrix that borrows arrays from 1')
    info = ek_matrix_info()
    call expect(ek_matrix_get_info(A, info) == EK_OK .and. info%nnz == 3 .and. info%base == 1 .and. &
        info%borrowed == 1, 'what is known of it')
    method = 'csr.merge'//c_null_char
    hints = ek_hints()
    hints%method = c_loc(method)
    call expect(ek_plan_create(EK_OPERATION_SPMV, A, hints, plan) == EK_OK, 'a plan')
    call expect(ek_string(ek_plan_method(plan)) == 'spmv.csr.merge', 'its method')
    call expect(index(ek_explanation(plan), 'csr.merge') > 0, 'its explanation')
    y = 7
    call expect(ek_spmv(plan, 1.0_dp, ek_vector(x), 0.0_dp, ek_vector(y)) == EK_OK, 'a product')
    call expect(all(y == [16, 0, 15]), 'A x')
    call ek_plan_destroy(plan)
    hints = ek_hints()
    hints%op = EK_OP_T
    call expect(ek_plan_create(EK_OPERATION_SPMV, A, hints, plan) == EK_OK, 'a plan for A^T x')
    call expect(ek_spmv(plan, 1.0_dp, ek_vector(x), 1.0_dp, ek_vector(y)) == EK_OK, 'A^T x + y')
    call expect(all(y == [20, 18, 23]), 'A^T x + y')
    call ek_plan_destroy(plan)

    call expect(ek_plan_create(EK_OPERATION_SPMM, A, plan=plan) == EK_OK, 'a plan for blocks')
    Y2 = 7
    X2 = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call expect(ek_spmm(plan, 2.0_dp, ek_vector(X2), 0.0_dp, ek_vector(Y2)) == EK_OK, 'a block')
    call expect(all(Y2 == reshape([14, 0, 12, 32, 0, 30], [3, 2])), '2 A X')
    call ek_plan_destroy(plan)
    call ek_matrix_destroy(A)
  end subroutine products

  subroutine matrices()
    type(c_ptr) :: A, plan, C
    type(ek_hints) :: hints
    real(c_double) :: value

    call expect(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3_i8, 3_i8, row_ptr, col_idx, val, &
        ior(EK_BORROW, EK_BASE1), A) == EK_OK, 'a matrix')
    hints = ek_hints()
    hints%b = A
    C = c_null_ptr
    call expect(ek_plan_create(EK_OPERATION_SPGEMM, A, hints, plan) == EK_OK, 'a plan for A A')
    call expect(ek_spgemm(plan, 1.0_dp, 0.0_dp, C) == EK_OK, 'A A')
    call expect(ek_matrix_get(C, 0_i8, 1_i8, value) == EK_OK .and. value == 6, 'an entry of A A')
    call ek_matrix_destroy(C)
    call ek_plan_destroy(plan)
    call ek_matrix_destroy(A)
  end subroutine matrices

  subroutine arrays()
    integer(c_int32_t), target :: in(6) = [3, 1, 4, 1, 5, 9], out(6), offset(3) = [0, 2, 6], sums(2)
    integer(c_int8_t), target :: flag(6) = [0_c_int8_t, 0_c_int8_t, 1_c_int8_t, 0_c_int8_t, 0_c_int8_t, &
        0_c_int8_t]
    integer(c_int32_t) :: most(1), largest(2)

    call expect(ek_scan(ctx, type=EK_INT32, op=EK_SUM, kind=EK_INCLUSIVE, n=6_i8, in=in, out=out) == &
        EK_OK, 'a scan')
    call expect(all(out == [3, 4, 8, 9, 14, 23]), 'sums of the scan')
    call expect(ek_segmented_sum(ctx, type=EK_INT32, n=6_i8, in=in, segments=ek_segments_of(offset), &
        out=sums) == EK_OK, 'a segmented sum')
    call expect(all(sums == [4, 19]), 'two sums')
    sums = 0
    call expect(ek_segmented_sum(ctx, type=EK_INT32, n=6_i8, in=in, segments=ek_segments_of(flag), &
        out=sums) == EK_OK, 'a segmented sum by flags')
    call expect(all(sums == [4, 19]), 'two sums by flags')
    call expect(ek_kselect(ctx, type=EK_INT32, lists=1_i8, length=6_i8, k=2_i8, in=in, kth=most, &
        smallest=largest) == EK_OK, 'k-selection')
    call expect(most(1) == 1 .and. all(largest == 1), 'the two smallest')
  end subroutine arrays

  subroutine errors()
    type(c_ptr) :: A
    integer(c_int32_t), target :: too_far(3) = [1, 9, 2]

    call expect(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3_i8, 3_i8, row_ptr, too_far, val, &
        ior(EK_BORROW, EK_BASE1), A) == EK_ERANGE, 'a column that is not there')
    call expect(index(ek_string(ek_error_text()), 'col_idx(2)') > 0, 'its place in the message')
    call gaps()
    call distances()
  end subroutine errors

  ! A row of a block has gaps between its elements: it is refused and stays as it is.
  subroutine gaps()
    type(c_ptr) :: A, plan
    real(dp), target :: x(3), Y2(2, 3)

    call expect(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3_i8, 3_i8, row_ptr, col_idx, val, &
        ior(EK_BORROW, EK_BASE1), A) == EK_OK, 'a matrix')
    call expect(ek_plan_create(EK_OPERATION_SPMV, A, plan=plan) == EK_OK, 'a plan')
    x = 1
    Y2 = 7
    call expect(ek_spmv(plan, 1.0_dp, ek_vector(x), 0.0_dp, ek_vector(Y2(1, :))) == EK_EINVAL, &
        'a row of a block as a vector')
    call expect(all(Y2 == 7), 'the block is as it was')
    call ek_plan_destroy(plan)
    call ek_matrix_destroy(A)
  end subroutine gaps

  ! A x for the columns of X, which are part of a larger array, as are those of Y. What is beside Y
  ! stays as it is.
  subroutine distances()
    type(c_ptr) :: A, plan
    type(ek_dense) :: d
    real(dp), target :: X(5, 4), Y(4, 6), none(3, 0)
    real(c_float), target :: Z(5, 4)

    call expect(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3_i8, 3_i8, row_ptr, col_idx, val, &
        ior(EK_BORROW, EK_BASE1), A) == EK_OK, 'a matrix')
    call expect(ek_plan_create(EK_OPERATION_SPMM, A, plan=plan) == EK_OK, 'a plan')
    X = -100
    X(2:4, 1) = [1, 2, 3]
    X(2:4, 3) = [4, 5, 6]
    Y = 7
    call expect(ek_spmm(plan, 2.0_dp, ek_vector(X(2:4, 1:3:2)), 0.0_dp, ek_vector(Y(1:3, 4:5))) == &
        EK_OK, 'blocks in larger arrays')
    call expect(all(Y(1:3, 4:5) == reshape([14, 0, 12, 32, 0, 30], [3, 2])), '2 A X')
    call expect(all(Y(4, :) == 7) .and. all(Y(:, 1:3) == 7) .and. all(Y(:, 6) == 7), 'what is beside Y')
    call expect(ek_spmm(plan, 1.0_dp, ek_vector(X(1:5:2, 1:2)), 0.0_dp, ek_vector(Y(1:3, 1:2))) == &
        EK_EINVAL, 'columns with gaps')
    call expect(ek_spmm(plan, 1.0_dp, ek_vector(X(2:4, 3:1:-2)), 0.0_dp, ek_vector(Y(1:3, 1:2))) == &
        EK_EINVAL, 'columns in descending order')
    call expect(all(Y(:, 1:3) == 7), 'nothing was written')
    call expect(ek_spmm(plan, 1.0_dp, ek_vector(none), 0.0_dp, ek_vector(Y(1:3, 1:0))) == EK_OK, &
        'blocks without columns')
    d = ek_vector(Z(2:3, 2:4))
    call expect(d%rows == 2 .and. d%cols == 3 .and. d%ld == 5 .and. d%value == EK_F32, 'single precision')
    d = ek_vector(Z(2:2, 1:3:2))
    call expect(d%rows == 1 .and. d%cols == 2 .and. d%ld == 10, 'a row as a block')
    call ek_plan_destroy(plan)
    call ek_matrix_destroy(A)
  end subroutine distances
end program consumer
