! SPDX-License-Identifier: BSD-3-Clause
! Functions of the module evenkeel that are written by hand: what the header defines inline, for
! arrays of Fortran. fortran/generate.py puts the parts behind the lines below into the module.
!---

  ! Describes a vector or, with columns as they are, a block. The columns of a block may be apart,
  ! as those of X(1:n, :) are.
  interface ek_vector
    module procedure vector_f32, vector_f64, block_f32, block_f64
  end interface

  ! Describes segments: offsets of integer(4) or (8), or flags of one byte for each entry.
  interface ek_segments_of
    module procedure segment_flags, segment_offsets_32, segment_offsets_64
  end interface

  ! Describes a sparse vector of n values, by the places (from 0) and values of its nonzeros.
  interface ek_sparse_vector
    module procedure sparse_32_f32, sparse_32_f64, sparse_64_f32, sparse_64_f64
  end interface

contains

  ! Returns text of the library, which ends in a null character, as a string of Fortran.
  function ek_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: c(:)
    integer :: n

    if (.not. c_associated(text)) then
      string = ''
      return
    end if
    call c_f_pointer(text, c, [huge(0)])
    n = 0
    do while (c(n + 1) /= c_null_char)
      n = n + 1
    end do
    allocate (character(len=n) :: string)
    string = transfer(c(1:n), string)
  end function ek_string

  ! Returns the explanation of a plan's choice.
  function ek_explanation(plan) result(string)
    type(c_ptr), intent(in) :: plan
    character(len=:), allocatable :: string
    character(kind=c_char), target :: text(16384)
    integer(c_int) :: status

    status = ek_plan_explain(plan, text, int(size(text), c_size_t))
    string = ''
    if (status == EK_OK) string = ek_string(c_loc(text))
  end function ek_explanation

  ! Returns the size of a structure or, so that the library refuses it, 0: a section with gaps between
  ! its elements, such as a row of a block, would be a copy, which is gone when the function returns.
  integer(c_size_t) function size_if(contiguous, size)
    logical, intent(in) :: contiguous
    integer(c_size_t), intent(in) :: size

    size_if = merge(size, 0_c_size_t, contiguous)
  end function size_if

  type(ek_dense) function dense_of(type, rows, cols, data, contiguous) result(d)
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: rows, cols
    type(c_ptr), intent(in) :: data
    logical, intent(in) :: contiguous

    d%size = size_if(contiguous, c_sizeof(d))
    d%value = type
    d%rows = rows
    d%cols = cols
    d%ld = rows
    d%data = data
  end function dense_of

  ! Sets the distance between columns to that of the first two, whose addresses are given.
  subroutine set_distance(d, first, second, bytes)
    type(ek_dense), intent(inout) :: d
    type(c_ptr), intent(in) :: first, second
    integer(c_size_t), intent(in) :: bytes
    integer(c_intptr_t) :: apart

    apart = transfer(second, apart) - transfer(first, apart)
    d%ld = apart / int(bytes, c_intptr_t)
    if (mod(apart, int(bytes, c_intptr_t)) /= 0) d%size = 0
  end subroutine set_distance

  type(ek_dense) function vector_f32(x) result(d)
    real(c_float), intent(in), target :: x(:)
    d = dense_of(EK_F32, size(x, kind=c_int64_t), 1_c_int64_t, c_loc(x), is_contiguous(x))
  end function vector_f32

  type(ek_dense) function vector_f64(x) result(d)
    real(c_double), intent(in), target :: x(:)
    d = dense_of(EK_F64, size(x, kind=c_int64_t), 1_c_int64_t, c_loc(x), is_contiguous(x))
  end function vector_f64

  type(ek_dense) function block_f32(X) result(d)
    real(c_float), intent(in), target :: X(:, :)
    if (size(X) == 0 .or. is_contiguous(X)) then
      d = dense_of(EK_F32, size(X, 1, c_int64_t), size(X, 2, c_int64_t), c_loc(X), .true.)
    else
      d = dense_of(EK_F32, size(X, 1, c_int64_t), size(X, 2, c_int64_t), c_loc(X(1, 1)), is_contiguous(X(:, 1)))
      if (size(X, 2) > 1) call set_distance(d, c_loc(X(1, 1)), c_loc(X(1, 2)), c_sizeof(X(1, 1)))
    end if
  end function block_f32

  type(ek_dense) function block_f64(X) result(d)
    real(c_double), intent(in), target :: X(:, :)
    if (size(X) == 0 .or. is_contiguous(X)) then
      d = dense_of(EK_F64, size(X, 1, c_int64_t), size(X, 2, c_int64_t), c_loc(X), .true.)
    else
      d = dense_of(EK_F64, size(X, 1, c_int64_t), size(X, 2, c_int64_t), c_loc(X(1, 1)), is_contiguous(X(:, 1)))
      if (size(X, 2) > 1) call set_distance(d, c_loc(X(1, 1)), c_loc(X(1, 2)), c_sizeof(X(1, 1)))
    end if
  end function block_f64

  type(ek_segments) function segment_flags(flag) result(s)
    integer(c_int8_t), intent(in), target :: flag(:)
    s%size = size_if(is_contiguous(flag), c_sizeof(s))
    if (size(flag) > 0) s%count = 1 + count(flag(2:) /= 0, kind=c_int64_t) ! entry 1 begins one
    s%offset_type = EK_INT32
    s%flag = c_loc(flag)
  end function segment_flags

  type(ek_segments) function segment_offsets_32(offset) result(s)
    integer(c_int32_t), intent(in), target :: offset(:)
    s%size = size_if(is_contiguous(offset), c_sizeof(s))
    s%count = size(offset, kind=c_int64_t) - 1
    s%offset_type = EK_INT32
    s%offset = c_loc(offset)
  end function segment_offsets_32

  type(ek_segments) function segment_offsets_64(offset) result(s)
    integer(c_int64_t), intent(in), target :: offset(:)
    s%size = size_if(is_contiguous(offset), c_sizeof(s))
    s%count = size(offset, kind=c_int64_t) - 1
    s%offset_type = EK_INT64
    s%offset = c_loc(offset)
  end function segment_offsets_64

  ! `fits`: there are as many places as values, all neighbours.
  type(ek_sparse) function sparse_of(value, index, n, nnz, idx, val, fits) result(s)
    integer(c_int), intent(in) :: value, index
    integer(c_int64_t), intent(in) :: n, nnz
    type(c_ptr), intent(in) :: idx, val
    logical, intent(in) :: fits

    s%size = size_if(fits, c_sizeof(s))
    s%value = value
    s%index = index
    s%n = n
    s%nnz = nnz
    s%idx = idx
    s%val = val
  end function sparse_of

  type(ek_sparse) function sparse_32_f32(n, idx, val) result(s)
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in), target :: idx(:)
    real(c_float), intent(in), target :: val(:)
    s = sparse_of(EK_F32, EK_INT32, n, size(val, kind=c_int64_t), c_loc(idx), c_loc(val), &
        size(idx) == size(val) .and. is_contiguous(idx) .and. is_contiguous(val))
  end function sparse_32_f32

  type(ek_sparse) function sparse_32_f64(n, idx, val) result(s)
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in), target :: idx(:)
    real(c_double), intent(in), target :: val(:)
    s = sparse_of(EK_F64, EK_INT32, n, size(val, kind=c_int64_t), c_loc(idx), c_loc(val), &
        size(idx) == size(val) .and. is_contiguous(idx) .and. is_contiguous(val))
  end function sparse_32_f64

  type(ek_sparse) function sparse_64_f32(n, idx, val) result(s)
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target :: idx(:)
    real(c_float), intent(in), target :: val(:)
    s = sparse_of(EK_F32, EK_INT64, n, size(val, kind=c_int64_t), c_loc(idx), c_loc(val), &
        size(idx) == size(val) .and. is_contiguous(idx) .and. is_contiguous(val))
  end function sparse_64_f32

  type(ek_sparse) function sparse_64_f64(n, idx, val) result(s)
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target :: idx(:)
    real(c_double), intent(in), target :: val(:)
    s = sparse_of(EK_F64, EK_INT64, n, size(val, kind=c_int64_t), c_loc(idx), c_loc(val), &
        size(idx) == size(val) .and. is_contiguous(idx) .and. is_contiguous(val))
  end function sparse_64_f64
