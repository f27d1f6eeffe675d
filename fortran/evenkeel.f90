! SPDX-License-Identifier: BSD-3-Clause
! The library evenkeel for Fortran 2018. What each function computes, costs and refuses is said in the
! header <evenkeel/ek.h>. Made from it by fortran/generate.py: do not change by hand.
!
! - Handles are type(c_ptr). Structures are derived types with the same names; call `h = ek_hints()` to
!   set their sizes and all other members to 0.
! - Arrays are passed as they are, of any type: integer(4) or (8), real(4) or (8). What the library
!   borrows, and vectors and results, must have the attribute target and no gaps between elements
!   (ek_vector and its like refuse gaps by a size of 0), but columns of a block may be apart.
! - EK_BASE1 says that indices of a matrix begin with 1. The places of ek_sparse_vector, offsets of
!   segments and what primitives find count from 0.
! - Strings end with c_null_char: 'csr5'//c_null_char. ek_string makes Fortran's of those that come back.
! - An operation whose name is that of a function, EK_SPMV in C, is EK_OPERATION_SPMV here.
! - Constants for versions of the library are not here: call ek_version.
module evenkeel
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: EK_OK = 0
  integer(c_int), parameter :: EK_EINVAL = -1
  integer(c_int), parameter :: EK_ENOMEM = -2
  integer(c_int), parameter :: EK_ERANGE = -3
  integer(c_int), parameter :: EK_EOVERFLOW = -4
  integer(c_int), parameter :: EK_ESYNTAX = -5
  integer(c_int), parameter :: EK_ETRUNCATED = -6
  integer(c_int), parameter :: EK_ETRAILING = -7
  integer(c_int), parameter :: EK_ELIMIT = -8
  integer(c_int), parameter :: EK_EIO = -9
  integer(c_int), parameter :: EK_EDEVICE = -10
  integer(c_int), parameter :: EK_EUNSUPPORTED = -11
  integer(c_int), parameter :: EK_F32 = 1
  integer(c_int), parameter :: EK_F64 = 2
  integer(c_int), parameter :: EK_INT32 = 3
  integer(c_int), parameter :: EK_INT64 = 4
  integer(c_int), parameter :: EK_I32 = 1
  integer(c_int), parameter :: EK_I64_32 = 2
  integer(c_int), parameter :: EK_I64 = 3
  integer(c_int), parameter :: EK_OP_N = 111
  integer(c_int), parameter :: EK_OP_T = 112
  integer(c_int), parameter :: EK_ISA_SCALAR = 0
  integer(c_int), parameter :: EK_ISA_AVX2 = 1
  integer(c_int), parameter :: EK_ISA_AVX512 = 2
  integer(c_int), parameter :: EK_ISA_AVX2_LOADS = 3
  integer(c_int), parameter :: EK_ISA_AVX512_LOADS = 4
  integer(c_int), parameter :: EK_ISA_NEON = 5
  integer(c_int), parameter :: EK_LOG_WARNING = 1
  integer(c_int), parameter :: EK_MEMORY_AUTO = 0
  integer(c_int), parameter :: EK_MEMORY_COPY = 1
  integer(c_int), parameter :: EK_MEMORY_MAPPED = 2
  integer(c_int), parameter :: EK_MEMORY_SHARED = 3
  integer(c_int), parameter :: EK_OPERATION_SPMV = 1
  integer(c_int), parameter :: EK_OPERATION_REDUCE = 2
  integer(c_int), parameter :: EK_OPERATION_SCAN = 3
  integer(c_int), parameter :: EK_OPERATION_SEGMENTED_SCAN = 4
  integer(c_int), parameter :: EK_OPERATION_SEGMENTED_SUM = 5
  integer(c_int), parameter :: EK_OPERATION_SORT = 6
  integer(c_int), parameter :: EK_OPERATION_MERGE = 7
  integer(c_int), parameter :: EK_OPERATION_KSELECT = 8
  integer(c_int), parameter :: EK_OPERATION_SET_UNION = 9
  integer(c_int), parameter :: EK_OPERATION_SET_INTERSECTION = 10
  integer(c_int), parameter :: EK_OPERATION_SPMM = 11
  integer(c_int), parameter :: EK_OPERATION_SPGEMM = 12
  integer(c_int), parameter :: EK_OPERATION_SPADD = 13
  integer(c_int), parameter :: EK_OPERATION_SPARSE_DOT_DENSE = 14
  integer(c_int), parameter :: EK_OPERATION_SPARSE_DOT = 15
  integer(c_int), parameter :: EK_OPERATION_SPARSE_AXPY = 16
  integer(c_int), parameter :: EK_OPERATION_GATHER = 17
  integer(c_int), parameter :: EK_OPERATION_GATHER_ZERO = 18
  integer(c_int), parameter :: EK_OPERATION_SCATTER = 19
  integer(c_int), parameter :: EK_OPERATION_SPARSE_ADD = 20
  integer(c_int), parameter :: EK_OPERATION_PAIRS_UNION = 21
  integer(c_int), parameter :: EK_OPERATION_PAIRS_INTERSECTION = 22
  integer(c_int), parameter :: EK_OPERATION_DENSE_SPMM = 23
  integer(c_int), parameter :: EK_OPERATION_SPADD_DENSE = 24
  integer(c_int), parameter :: EK_OPERATION_TRANSPOSE = 25
  integer(c_int), parameter :: EK_OPERATION_SPMSPV = 26
  integer(c_int), parameter :: EK_OPERATION_GEMVI = 27
  integer(c_int), parameter :: EK_OPERATION_TRIPLE = 28
  integer(c_int), parameter :: EK_TO_COO = 29
  integer(c_int), parameter :: EK_TO_CSR = 30
  integer(c_int), parameter :: EK_OPERATION_ARRAY_ADD = 31
  integer(c_int), parameter :: EK_OPERATION_COMPACT = 32
  integer(c_int), parameter :: EK_REPRO_RUN = 0
  integer(c_int), parameter :: EK_REPRO_STRICT = 1
  integer(c_int), parameter :: EK_SUM = 1
  integer(c_int), parameter :: EK_MAX = 2
  integer(c_int), parameter :: EK_MIN = 3
  integer(c_int), parameter :: EK_OR = 4
  integer(c_int), parameter :: EK_INCLUSIVE = 1
  integer(c_int), parameter :: EK_EXCLUSIVE = 2
  integer(c_int), parameter :: EK_BORROW = 0
  integer(c_int), parameter :: EK_COPY = 1
  integer(c_int), parameter :: EK_ADOPT = 2
  integer(c_int), parameter :: EK_TRUSTED = 16
  integer(c_int), parameter :: EK_BASE1 = 32
  integer(c_int), parameter :: EK_KEEP_ORDER = 64
  integer(c_int), parameter :: EK_DUP_SUM = 256
  integer(c_int), parameter :: EK_DUP_LAST = 512
  integer(c_int), parameter :: EK_DUP_ERROR = 768
  integer(c_int), parameter :: EK_ON_DEVICE = 1
  integer(c_int), parameter :: EK_COL_MAJOR = 0
  integer(c_int), parameter :: EK_ROW_MAJOR = 1
  integer(c_int), parameter :: EK_PARAMETERS_TEXT = 96

  type, bind(C) :: ek_layout
    type(c_ptr) :: type = c_null_ptr
    type(c_ptr) :: member = c_null_ptr
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: size = 0
    integer(c_int64_t) :: count = 0
  end type ek_layout

  type, bind(C) :: ek_build_info
    integer(c_size_t) :: size = 0
    type(c_ptr) :: version = c_null_ptr
    type(c_ptr) :: commit = c_null_ptr
    type(c_ptr) :: compiler = c_null_ptr
    type(c_ptr) :: threads = c_null_ptr
    type(c_ptr) :: isa = c_null_ptr
    integer(c_int) :: isa_here = 0
  end type ek_build_info

  type, bind(C) :: ek_options
    integer(c_size_t) :: size = 0
    type(c_funptr) :: alloc = c_null_funptr
    type(c_funptr) :: dealloc = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int) :: threads = 0
    integer(c_int) :: isa_limit = 0
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: log_user = c_null_ptr
    type(c_ptr) :: device = c_null_ptr
    integer(c_int) :: device_memory = 0
    type(c_funptr) :: parallel = c_null_funptr
    type(c_ptr) :: parallel_user = c_null_ptr
  end type ek_options

  type, bind(C) :: ek_profile_number
    type(c_ptr) :: name = c_null_ptr
    integer(c_int) :: count = 0
    real(c_double) :: value(3) = 0
    real(c_double) :: family(3) = 0
  end type ek_profile_number

  type, bind(C) :: ek_tune_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: path = c_null_ptr
    integer(c_int) :: dry = 0
    integer(c_int) :: quick = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_funptr) :: number = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type ek_tune_options

  type, bind(C) :: ek_device_info
    integer(c_size_t) :: size = 0
    character(kind=c_char) :: name(32) = c_null_char
    character(kind=c_char) :: text(128) = c_null_char
    character(kind=c_char) :: driver(128) = c_null_char
    character(kind=c_char) :: kind(16) = c_null_char
    integer(c_int) :: units = 0
    integer(c_int) :: lanes = 0
    integer(c_int64_t) :: memory = 0
    integer(c_int64_t) :: local = 0
    integer(c_int) :: unified = 0
    integer(c_int) :: mapped = 0
    integer(c_int) :: shared = 0
    integer(c_int) :: f64 = 0
    character(kind=c_char) :: arch(32) = c_null_char
    integer(c_int) :: atomics = 0
    integer(c_int64_t) :: local_most = 0
  end type ek_device_info

  type, bind(C) :: ek_device_counters
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: to_device = 0
    integer(c_int64_t) :: from_device = 0
    integer(c_int64_t) :: launches = 0
    integer(c_int64_t) :: compiled = 0
    integer(c_int64_t) :: loaded = 0
  end type ek_device_counters

  type, bind(C) :: ek_matrix_info
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nnz = 0
    integer(c_int) :: value = 0
    integer(c_int) :: index = 0
    type(c_ptr) :: format = c_null_ptr
    integer(c_int64_t) :: dim(4) = 0
    integer(c_int) :: borrowed = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: state = 0
    integer(c_int) :: base = 0
  end type ek_matrix_info

  type, bind(C) :: ek_view
    integer(c_size_t) :: size = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: len = 0
    integer(c_size_t) :: elem_size = 0
    integer(c_int) :: type = 0
  end type ek_view

  type, bind(C) :: ek_read_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: allow_nan = 0
    integer(c_int) :: mirror = 0
    integer(c_int) :: duplicates = 0
    integer(c_int64_t) :: max_bytes = 0
    integer(c_int64_t) :: max_ratio = 0
    integer(c_int64_t) :: max_dim = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: progress_user = c_null_ptr
  end type ek_read_options

  type, bind(C) :: ek_twin
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: paper_name = c_null_ptr
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nnz = 0
    integer(c_int64_t) :: row_min = 0
    integer(c_int64_t) :: row_max = 0
    type(c_ptr) :: structure = c_null_ptr
    type(c_ptr) :: works = c_null_ptr
  end type ek_twin

  type, bind(C) :: ek_stats
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nnz = 0
    integer(c_int64_t) :: row_min = 0
    integer(c_int64_t) :: row_max = 0
    real(c_double) :: row_mean = 0
    real(c_double) :: row_stddev = 0
    integer(c_int64_t) :: row_median = 0
    integer(c_int64_t) :: empty_rows = 0
    integer(c_int64_t) :: empty_cols = 0
    integer(c_int64_t) :: lower_bandwidth = 0
    integer(c_int64_t) :: upper_bandwidth = 0
    integer(c_int64_t) :: diagonal = 0
    integer(c_int64_t) :: duplicates = 0
    integer(c_int) :: sorted = 0
    integer(c_int) :: symmetric = 0
    integer(c_int64_t) :: histogram(64) = 0
  end type ek_stats

  type, bind(C) :: ek_format_param
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: min = 0
    integer(c_int64_t) :: max = 0
    type(c_ptr) :: text = c_null_ptr
  end type ek_format_param

  type, bind(C) :: ek_convert_times
    integer(c_size_t) :: size = 0
    real(c_double) :: layout = 0
    real(c_double) :: allocation = 0
    real(c_double) :: pattern = 0
    real(c_double) :: values = 0
    real(c_double) :: tile_ptr = 0
    real(c_double) :: tile_desc = 0
    real(c_double) :: transposition = 0
  end type ek_convert_times

  type, bind(C) :: ek_convert_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: value = 0
    integer(c_int) :: index = 0
    integer(c_int64_t) :: max_bytes = 0
    type(c_ptr) :: times = c_null_ptr
  end type ek_convert_options

  type, bind(C) :: ek_hints
    integer(c_size_t) :: size = 0
    type(c_ptr) :: method = c_null_ptr
    integer(c_int) :: op = 0
    integer(c_int64_t) :: calls = 0
    integer(c_int) :: reproducible = 0
    integer(c_int) :: threads = 0
    type(c_ptr) :: format = c_null_ptr
    integer(c_int64_t) :: memory = 0
    integer(c_int64_t) :: width = 0
    type(c_ptr) :: B = c_null_ptr
    integer(c_int) :: op_b = 0
    integer(c_int) :: index = 0
    type(c_ptr) :: D = c_null_ptr
    integer(c_int) :: measure = 0
    integer(c_int) :: unsorted = 0
  end type ek_hints

  type, bind(C) :: ek_prediction
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: calls = 0
    real(c_double) :: run = 0
    real(c_double) :: convert = 0
  end type ek_prediction

  type, bind(C) :: ek_dense
    integer(c_size_t) :: size = 0
    integer(c_int) :: value = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: ld = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: where = 0
    integer(c_int64_t) :: order = 0
  end type ek_dense

  type, bind(C) :: ek_aggregation
    integer(c_size_t) :: size = 0
    real(c_double) :: strength = 0
    real(c_double) :: omega = 0
  end type ek_aggregation

  type, bind(C) :: ek_heap_counts
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: update_key = 0
    integer(c_int64_t) :: find_maxchild = 0
    integer(c_int64_t) :: compare = 0
    integer(c_int64_t) :: swap = 0
    integer(c_int64_t) :: heapify_update_key = 0
    integer(c_int64_t) :: heapify_find_maxchild = 0
    integer(c_int64_t) :: heapify_compare = 0
    integer(c_int64_t) :: heapify_swap = 0
  end type ek_heap_counts

  type, bind(C) :: ek_array_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: method = c_null_ptr
    integer(c_int) :: threads = 0
    integer(c_int) :: flags = 0
    integer(c_int64_t) :: block = 0
    integer(c_int) :: arity = 0
    type(c_ptr) :: counts = c_null_ptr
    integer(c_int) :: where = 0
    type(c_ptr) :: parameters = c_null_ptr
  end type ek_array_options

  type, bind(C) :: ek_segments
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: flag = c_null_ptr
    type(c_ptr) :: offset = c_null_ptr
    integer(c_int) :: offset_type = 0
  end type ek_segments

  type, bind(C) :: ek_pairs
    integer(c_size_t) :: size = 0
    integer(c_int) :: type = 0
    integer(c_size_t) :: value_size = 0
    integer(c_int64_t) :: n = 0
    type(c_ptr) :: key = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
  end type ek_pairs

  type, bind(C) :: ek_sparse
    integer(c_size_t) :: size = 0
    integer(c_int) :: value = 0
    integer(c_int) :: index = 0
    integer(c_int64_t) :: n = 0
    integer(c_int64_t) :: nnz = 0
    type(c_ptr) :: idx = c_null_ptr
    type(c_ptr) :: val = c_null_ptr
  end type ek_sparse

  private :: make_ek_build_info, make_ek_options, make_ek_tune_options, make_ek_device_info, &
      make_ek_device_counters, make_ek_matrix_info, make_ek_view, make_ek_read_options, &
      make_ek_stats, make_ek_convert_times, make_ek_convert_options, make_ek_hints, &
      make_ek_prediction, make_ek_dense, make_ek_aggregation, make_ek_heap_counts, &
      make_ek_array_options, make_ek_segments, make_ek_pairs, make_ek_sparse, size_if, dense_of, &
      vector_f32, vector_f64, block_f32, block_f64, segment_flags, segment_offsets_32, &
      segment_offsets_64, sparse_of, sparse_32_f32, sparse_32_f64, sparse_64_f32, sparse_64_f64

  interface ek_build_info
    module procedure make_ek_build_info
  end interface

  interface ek_options
    module procedure make_ek_options
  end interface

  interface ek_tune_options
    module procedure make_ek_tune_options
  end interface

  interface ek_device_info
    module procedure make_ek_device_info
  end interface

  interface ek_device_counters
    module procedure make_ek_device_counters
  end interface

  interface ek_matrix_info
    module procedure make_ek_matrix_info
  end interface

  interface ek_view
    module procedure make_ek_view
  end interface

  interface ek_read_options
    module procedure make_ek_read_options
  end interface

  interface ek_stats
    module procedure make_ek_stats
  end interface

  interface ek_convert_times
    module procedure make_ek_convert_times
  end interface

  interface ek_convert_options
    module procedure make_ek_convert_options
  end interface

  interface ek_hints
    module procedure make_ek_hints
  end interface

  interface ek_prediction
    module procedure make_ek_prediction
  end interface

  interface ek_dense
    module procedure make_ek_dense
  end interface

  interface ek_aggregation
    module procedure make_ek_aggregation
  end interface

  interface ek_heap_counts
    module procedure make_ek_heap_counts
  end interface

  interface ek_array_options
    module procedure make_ek_array_options
  end interface

  interface ek_segments
    module procedure make_ek_segments
  end interface

  interface ek_pairs
    module procedure make_ek_pairs
  end interface

  interface ek_sparse
    module procedure make_ek_sparse
  end interface

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

  interface

    function ek_version() bind(C, name="ek_version")
      import
      type(c_ptr) :: ek_version
    end function ek_version

    function ek_layout_next(after) bind(C, name="ek_layout_next")
      import
      type(ek_layout), target, intent(in), optional :: after
      type(c_ptr) :: ek_layout_next
    end function ek_layout_next

    function ek_status_text(status) bind(C, name="ek_status_text")
      import
      integer(c_int), value :: status
      type(c_ptr) :: ek_status_text
    end function ek_status_text

    function ek_error_text() bind(C, name="ek_error_text")
      import
      type(c_ptr) :: ek_error_text
    end function ek_error_text

    function ek_value_name(value) bind(C, name="ek_value_name")
      import
      integer(c_int), value :: value
      type(c_ptr) :: ek_value_name
    end function ek_value_name

    function ek_index_name(index) bind(C, name="ek_index_name")
      import
      integer(c_int), value :: index
      type(c_ptr) :: ek_index_name
    end function ek_index_name

    function ek_isa_name(isa) bind(C, name="ek_isa_name")
      import
      integer(c_int), value :: isa
      type(c_ptr) :: ek_isa_name
    end function ek_isa_name

    function ek_value_size(value) bind(C, name="ek_value_size")
      import
      integer(c_int), value :: value
      integer(c_size_t) :: ek_value_size
    end function ek_value_size

    function ek_build_get_info(info) bind(C, name="ek_build_get_info")
      import
      type(ek_build_info), target, intent(inout) :: info
      integer(c_int) :: ek_build_get_info
    end function ek_build_get_info

    function ek_feature_next(after) bind(C, name="ek_feature_next")
      import
      type(c_ptr), value :: after
      type(c_ptr) :: ek_feature_next
    end function ek_feature_next

    function ek_feature_name(feature) bind(C, name="ek_feature_name")
      import
      type(c_ptr), value :: feature
      type(c_ptr) :: ek_feature_name
    end function ek_feature_name

    function ek_feature_text(feature) bind(C, name="ek_feature_text")
      import
      type(c_ptr), value :: feature
      type(c_ptr) :: ek_feature_text
    end function ek_feature_text

    function ek_feature_version(feature) bind(C, name="ek_feature_version")
      import
      type(c_ptr), value :: feature
      type(c_ptr) :: ek_feature_version
    end function ek_feature_version

    function ek_context_create(options, ctx) bind(C, name="ek_context_create")
      import
      type(ek_options), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: ctx
      integer(c_int) :: ek_context_create
    end function ek_context_create

    subroutine ek_context_destroy(ctx) bind(C, name="ek_context_destroy")
      import
      type(c_ptr), value :: ctx
    end subroutine ek_context_destroy

    function ek_context_threads(ctx) bind(C, name="ek_context_threads")
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: ek_context_threads
    end function ek_context_threads

    function ek_context_isa(ctx) bind(C, name="ek_context_isa")
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: ek_context_isa
    end function ek_context_isa

    function ek_tune(ctx, options) bind(C, name="ek_tune")
      import
      type(c_ptr), value :: ctx
      type(ek_tune_options), target, intent(in), optional :: options
      integer(c_int) :: ek_tune
    end function ek_tune

    function ek_profile_name() bind(C, name="ek_profile_name")
      import
      type(c_ptr) :: ek_profile_name
    end function ek_profile_name

    function ek_profile_refused() bind(C, name="ek_profile_refused")
      import
      type(c_ptr) :: ek_profile_refused
    end function ek_profile_refused

    function ek_profile_numbers(number, user) bind(C, name="ek_profile_numbers")
      import
      type(c_funptr), value :: number
      type(c_ptr), value :: user
      integer(c_int) :: ek_profile_numbers
    end function ek_profile_numbers

    function ek_context_profile_name(ctx) bind(C, name="ek_context_profile_name")
      import
      type(c_ptr), value :: ctx
      type(c_ptr) :: ek_context_profile_name
    end function ek_context_profile_name

    function ek_context_profile_refused(ctx) bind(C, name="ek_context_profile_refused")
      import
      type(c_ptr), value :: ctx
      type(c_ptr) :: ek_context_profile_refused
    end function ek_context_profile_refused

    function ek_context_profile_numbers(ctx, number, user) bind(C, &
        name="ek_context_profile_numbers")
      import
      type(c_ptr), value :: ctx
      type(c_funptr), value :: number
      type(c_ptr), value :: user
      integer(c_int) :: ek_context_profile_numbers
    end function ek_context_profile_numbers

    function ek_device_get_info(k, info) bind(C, name="ek_device_get_info")
      import
      integer(c_int), value :: k
      type(ek_device_info), target, intent(inout) :: info
      integer(c_int) :: ek_device_get_info
    end function ek_device_get_info

    function ek_device_drivers(text, bytes) bind(C, name="ek_device_drivers")
      import
      character(kind=c_char), dimension(*), intent(inout) :: text
      integer(c_size_t), value :: bytes
      integer(c_int) :: ek_device_drivers
    end function ek_device_drivers

    function ek_context_get_device(ctx, info) bind(C, name="ek_context_get_device")
      import
      type(c_ptr), value :: ctx
      type(ek_device_info), target, intent(inout) :: info
      integer(c_int) :: ek_context_get_device
    end function ek_context_get_device

    function ek_device_get_counters(ctx, counters) bind(C, name="ek_device_get_counters")
      import
      type(c_ptr), value :: ctx
      type(ek_device_counters), target, intent(inout) :: counters
      integer(c_int) :: ek_device_get_counters
    end function ek_device_get_counters

    function ek_device_alloc(ctx, bytes, data) bind(C, name="ek_device_alloc")
      import
      type(c_ptr), value :: ctx
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: ek_device_alloc
    end function ek_device_alloc

    subroutine ek_device_free(ctx, data) bind(C, name="ek_device_free")
      import
      type(c_ptr), value :: ctx
      type(*), dimension(*), target, intent(inout) :: data
    end subroutine ek_device_free

    function ek_device_write(ctx, to_device, from, bytes) bind(C, name="ek_device_write")
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: to_device
      type(*), dimension(*), target, intent(in) :: from
      integer(c_int64_t), value :: bytes
      integer(c_int) :: ek_device_write
    end function ek_device_write

    function ek_device_read(ctx, from_device, to, bytes) bind(C, name="ek_device_read")
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: from_device
      type(c_ptr), value :: to
      integer(c_int64_t), value :: bytes
      integer(c_int) :: ek_device_read
    end function ek_device_read

    function ek_device_copy(ctx, to, from, bytes) bind(C, name="ek_device_copy")
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: to
      type(*), dimension(*), target, intent(in) :: from
      integer(c_int64_t), value :: bytes
      integer(c_int) :: ek_device_copy
    end function ek_device_copy

    function ek_device_wait(ctx) bind(C, name="ek_device_wait")
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: ek_device_wait
    end function ek_device_wait

    function ek_device_timer_start(ctx) bind(C, name="ek_device_timer_start")
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: ek_device_timer_start
    end function ek_device_timer_start

    function ek_device_timer_stop(ctx, seconds) bind(C, name="ek_device_timer_stop")
      import
      type(c_ptr), value :: ctx
      real(c_double), intent(inout) :: seconds
      integer(c_int) :: ek_device_timer_stop
    end function ek_device_timer_stop

    function ek_matrix_from_csr(ctx, value, index, rows, cols, row_ptr, col_idx, val, flags, A) &
        bind(C, name="ek_matrix_from_csr")
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: value
      integer(c_int), value :: index
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: cols
      type(*), dimension(*), target, intent(in) :: row_ptr
      type(*), dimension(*), target, intent(in) :: col_idx
      type(*), dimension(*), target, intent(in) :: val
      integer(c_int), value :: flags
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_from_csr
    end function ek_matrix_from_csr

    function ek_matrix_from_csc(ctx, value, index, rows, cols, col_ptr, row_idx, val, flags, A) &
        bind(C, name="ek_matrix_from_csc")
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: value
      integer(c_int), value :: index
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: cols
      type(*), dimension(*), target, intent(in) :: col_ptr
      type(*), dimension(*), target, intent(in) :: row_idx
      type(*), dimension(*), target, intent(in) :: val
      integer(c_int), value :: flags
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_from_csc
    end function ek_matrix_from_csc

    function ek_matrix_from_coo(ctx, value, index, rows, cols, nnz, row_idx, col_idx, val, flags, &
        A) bind(C, name="ek_matrix_from_coo")
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: value
      integer(c_int), value :: index
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: cols
      integer(c_int64_t), value :: nnz
      type(*), dimension(*), target, intent(in) :: row_idx
      type(*), dimension(*), target, intent(in) :: col_idx
      type(*), dimension(*), target, intent(in) :: val
      integer(c_int), value :: flags
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_from_coo
    end function ek_matrix_from_coo

    subroutine ek_matrix_destroy(A) bind(C, name="ek_matrix_destroy")
      import
      type(c_ptr), value :: A
    end subroutine ek_matrix_destroy

    function ek_matrix_get_info(A, info) bind(C, name="ek_matrix_get_info")
      import
      type(c_ptr), value :: A
      type(ek_matrix_info), target, intent(inout) :: info
      integer(c_int) :: ek_matrix_get_info
    end function ek_matrix_get_info

    function ek_matrix_array(A, name, view) bind(C, name="ek_matrix_array")
      import
      type(c_ptr), value :: A
      character(kind=c_char), dimension(*), intent(in) :: name
      type(ek_view), target, intent(inout) :: view
      integer(c_int) :: ek_matrix_array
    end function ek_matrix_array

    function ek_matrix_check(A) bind(C, name="ek_matrix_check")
      import
      type(c_ptr), value :: A
      integer(c_int) :: ek_matrix_check
    end function ek_matrix_check

    function ek_matrix_values_changed(A) bind(C, name="ek_matrix_values_changed")
      import
      type(c_ptr), value :: A
      integer(c_int) :: ek_matrix_values_changed
    end function ek_matrix_values_changed

    function ek_matrix_set_values(A, count, val) bind(C, name="ek_matrix_set_values")
      import
      type(c_ptr), value :: A
      integer(c_int64_t), value :: count
      type(*), dimension(*), target, intent(in) :: val
      integer(c_int) :: ek_matrix_set_values
    end function ek_matrix_set_values

    function ek_matrix_read(ctx, path, value, index, options, A) bind(C, name="ek_matrix_read")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: path
      integer(c_int), value :: value
      integer(c_int), value :: index
      type(ek_read_options), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_read
    end function ek_matrix_read

    function ek_matrix_read_memory(ctx, name, data, bytes, value, index, options, A) bind(C, &
        name="ek_matrix_read_memory")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: name
      type(*), dimension(*), target, intent(in) :: data
      integer(c_size_t), value :: bytes
      integer(c_int), value :: value
      integer(c_int), value :: index
      type(ek_read_options), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_read_memory
    end function ek_matrix_read_memory

    function ek_matrix_write(A, path, form) bind(C, name="ek_matrix_write")
      import
      type(c_ptr), value :: A
      character(kind=c_char), dimension(*), intent(in) :: path
      character(kind=c_char), dimension(*), intent(in), optional :: form
      integer(c_int) :: ek_matrix_write
    end function ek_matrix_write

    function ek_dense_read(ctx, path, value, options, rows, cols, data) bind(C, &
        name="ek_dense_read")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: path
      integer(c_int), value :: value
      type(ek_read_options), target, intent(in), optional :: options
      integer(c_int64_t), intent(inout) :: rows
      integer(c_int64_t), intent(inout) :: cols
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: ek_dense_read
    end function ek_dense_read

    function ek_dense_write(ctx, path, value, rows, cols, data) bind(C, name="ek_dense_write")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: path
      integer(c_int), value :: value
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: cols
      type(*), dimension(*), target, intent(in) :: data
      integer(c_int) :: ek_dense_write
    end function ek_dense_write

    subroutine ek_free(ctx, block, bytes) bind(C, name="ek_free")
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: block
      integer(c_size_t), value :: bytes
    end subroutine ek_free

    function ek_matrix_generate(ctx, spec, value, index, A) bind(C, name="ek_matrix_generate")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: spec
      integer(c_int), value :: value
      integer(c_int), value :: index
      type(c_ptr), intent(inout) :: A
      integer(c_int) :: ek_matrix_generate
    end function ek_matrix_generate

    function ek_generator_next(after) bind(C, name="ek_generator_next")
      import
      type(c_ptr), value :: after
      type(c_ptr) :: ek_generator_next
    end function ek_generator_next

    function ek_generator_name(generator) bind(C, name="ek_generator_name")
      import
      type(c_ptr), value :: generator
      type(c_ptr) :: ek_generator_name
    end function ek_generator_name

    function ek_generator_text(generator) bind(C, name="ek_generator_text")
      import
      type(c_ptr), value :: generator
      type(c_ptr) :: ek_generator_text
    end function ek_generator_text

    function ek_generator_example(generator) bind(C, name="ek_generator_example")
      import
      type(c_ptr), value :: generator
      type(c_ptr) :: ek_generator_example
    end function ek_generator_example

    function ek_twin_next(after) bind(C, name="ek_twin_next")
      import
      type(ek_twin), target, intent(in), optional :: after
      type(c_ptr) :: ek_twin_next
    end function ek_twin_next

    function ek_matrix_stats(A, stats) bind(C, name="ek_matrix_stats")
      import
      type(c_ptr), value :: A
      type(ek_stats), target, intent(inout) :: stats
      integer(c_int) :: ek_matrix_stats
    end function ek_matrix_stats

    function ek_format_next(after) bind(C, name="ek_format_next")
      import
      type(c_ptr), value :: after
      type(c_ptr) :: ek_format_next
    end function ek_format_next

    function ek_format_find(name) bind(C, name="ek_format_find")
      import
      character(kind=c_char), dimension(*), intent(in) :: name
      type(c_ptr) :: ek_format_find
    end function ek_format_find

    function ek_format_name(format) bind(C, name="ek_format_name")
      import
      type(c_ptr), value :: format
      type(c_ptr) :: ek_format_name
    end function ek_format_name

    function ek_format_text(format) bind(C, name="ek_format_text")
      import
      type(c_ptr), value :: format
      type(c_ptr) :: ek_format_text
    end function ek_format_text

    function ek_format_source(format) bind(C, name="ek_format_source")
      import
      type(c_ptr), value :: format
      type(c_ptr) :: ek_format_source
    end function ek_format_source

    function ek_format_get_param(format, k) bind(C, name="ek_format_get_param")
      import
      type(c_ptr), value :: format
      integer(c_int), value :: k
      type(c_ptr) :: ek_format_get_param
    end function ek_format_get_param

    function ek_format_array(format, k) bind(C, name="ek_format_array")
      import
      type(c_ptr), value :: format
      integer(c_int), value :: k
      type(c_ptr) :: ek_format_array
    end function ek_format_array

    function ek_matrix_convert(A, format, options, B) bind(C, name="ek_matrix_convert")
      import
      type(c_ptr), value :: A
      character(kind=c_char), dimension(*), intent(in) :: format
      type(ek_convert_options), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: B
      integer(c_int) :: ek_matrix_convert
    end function ek_matrix_convert

    function ek_matrix_convert_in_place(A, format, options) bind(C, &
        name="ek_matrix_convert_in_place")
      import
      type(c_ptr), value :: A
      character(kind=c_char), dimension(*), intent(in) :: format
      type(ek_convert_options), target, intent(in), optional :: options
      integer(c_int) :: ek_matrix_convert_in_place
    end function ek_matrix_convert_in_place

    function ek_matrix_get(A, i, j, value) bind(C, name="ek_matrix_get")
      import
      type(c_ptr), value :: A
      integer(c_int64_t), value :: i
      integer(c_int64_t), value :: j
      real(c_double), intent(inout) :: value
      integer(c_int) :: ek_matrix_get
    end function ek_matrix_get

    function ek_matrix_set(A, i, j, value) bind(C, name="ek_matrix_set")
      import
      type(c_ptr), value :: A
      integer(c_int64_t), value :: i
      integer(c_int64_t), value :: j
      real(c_double), value :: value
      integer(c_int) :: ek_matrix_set
    end function ek_matrix_set

    function ek_operation_name(operation) bind(C, name="ek_operation_name")
      import
      integer(c_int), value :: operation
      type(c_ptr) :: ek_operation_name
    end function ek_operation_name

    function ek_operation_text(operation) bind(C, name="ek_operation_text")
      import
      integer(c_int), value :: operation
      type(c_ptr) :: ek_operation_text
    end function ek_operation_text

    function ek_method_next(after) bind(C, name="ek_method_next")
      import
      type(c_ptr), value :: after
      type(c_ptr) :: ek_method_next
    end function ek_method_next

    function ek_method_find(name) bind(C, name="ek_method_find")
      import
      character(kind=c_char), dimension(*), intent(in) :: name
      type(c_ptr) :: ek_method_find
    end function ek_method_find

    function ek_method_name(method) bind(C, name="ek_method_name")
      import
      type(c_ptr), value :: method
      type(c_ptr) :: ek_method_name
    end function ek_method_name

    function ek_method_text(method) bind(C, name="ek_method_text")
      import
      type(c_ptr), value :: method
      type(c_ptr) :: ek_method_text
    end function ek_method_text

    function ek_method_source(method) bind(C, name="ek_method_source")
      import
      type(c_ptr), value :: method
      type(c_ptr) :: ek_method_source
    end function ek_method_source

    function ek_method_format(method) bind(C, name="ek_method_format")
      import
      type(c_ptr), value :: method
      type(c_ptr) :: ek_method_format
    end function ek_method_format

    function ek_method_device(method) bind(C, name="ek_method_device")
      import
      type(c_ptr), value :: method
      type(c_ptr) :: ek_method_device
    end function ek_method_device

    function ek_method_operation(method) bind(C, name="ek_method_operation")
      import
      type(c_ptr), value :: method
      integer(c_int) :: ek_method_operation
    end function ek_method_operation

    function ek_method_get_param(method, k) bind(C, name="ek_method_get_param")
      import
      type(c_ptr), value :: method
      integer(c_int), value :: k
      type(c_ptr) :: ek_method_get_param
    end function ek_method_get_param

    function ek_method_supports(method, op, level) bind(C, name="ek_method_supports")
      import
      type(c_ptr), value :: method
      integer(c_int), value :: op
      integer(c_int), value :: level
      integer(c_int) :: ek_method_supports
    end function ek_method_supports

    function ek_plan_create(operation, A, hints, plan) bind(C, name="ek_plan_create")
      import
      integer(c_int), value :: operation
      type(c_ptr), value :: A
      type(ek_hints), target, intent(in), optional :: hints
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: ek_plan_create
    end function ek_plan_create

    subroutine ek_plan_destroy(plan) bind(C, name="ek_plan_destroy")
      import
      type(c_ptr), value :: plan
    end subroutine ek_plan_destroy

    function ek_plan_method(plan) bind(C, name="ek_plan_method")
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: ek_plan_method
    end function ek_plan_method

    function ek_plan_format(plan) bind(C, name="ek_plan_format")
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: ek_plan_format
    end function ek_plan_format

    function ek_plan_parameters(plan) bind(C, name="ek_plan_parameters")
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: ek_plan_parameters
    end function ek_plan_parameters

    function ek_plan_explain(plan, text, size) bind(C, name="ek_plan_explain")
      import
      type(c_ptr), value :: plan
      character(kind=c_char), dimension(*), intent(inout) :: text
      integer(c_size_t), value :: size
      integer(c_int) :: ek_plan_explain
    end function ek_plan_explain

    function ek_plan_predict(plan, calls, prediction) bind(C, name="ek_plan_predict")
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: calls
      type(ek_prediction), target, intent(inout) :: prediction
      integer(c_int) :: ek_plan_predict
    end function ek_plan_predict

    function ek_plan_bytes(plan) bind(C, name="ek_plan_bytes")
      import
      type(c_ptr), value :: plan
      integer(c_int64_t) :: ek_plan_bytes
    end function ek_plan_bytes

    function ek_plan_memory(plan) bind(C, name="ek_plan_memory")
      import
      type(c_ptr), value :: plan
      integer(c_int64_t) :: ek_plan_memory
    end function ek_plan_memory

    function ek_wisdom_load(ctx, path) bind(C, name="ek_wisdom_load")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: path
      integer(c_int) :: ek_wisdom_load
    end function ek_wisdom_load

    function ek_wisdom_save(ctx, path) bind(C, name="ek_wisdom_save")
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), dimension(*), intent(in) :: path
      integer(c_int) :: ek_wisdom_save
    end function ek_wisdom_save

    function ek_wisdom_forget(ctx) bind(C, name="ek_wisdom_forget")
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: ek_wisdom_forget
    end function ek_wisdom_forget

    function ek_wisdom_count(ctx) bind(C, name="ek_wisdom_count")
      import
      type(c_ptr), value :: ctx
      integer(c_int64_t) :: ek_wisdom_count
    end function ek_wisdom_count

    function ek_spmv(plan, alpha, x, beta, y) bind(C, name="ek_spmv")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(ek_dense), target, intent(in) :: x
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: y
      integer(c_int) :: ek_spmv
    end function ek_spmv

    function ek_spmv_add(plan, alpha, x, beta, y, z) bind(C, name="ek_spmv_add")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(ek_dense), target, intent(in) :: x
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: y
      type(ek_dense), target, intent(in) :: z
      integer(c_int) :: ek_spmv_add
    end function ek_spmv_add

    function ek_spmm(plan, alpha, X, beta, Y) bind(C, name="ek_spmm")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(ek_dense), target, intent(in) :: X
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: Y
      integer(c_int) :: ek_spmm
    end function ek_spmm

    function ek_dense_spmm(plan, alpha, X, beta, Y) bind(C, name="ek_dense_spmm")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(ek_dense), target, intent(in) :: X
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: Y
      integer(c_int) :: ek_dense_spmm
    end function ek_dense_spmm

    function ek_spgemm(plan, alpha, beta, C) bind(C, name="ek_spgemm")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      real(c_double), value :: beta
      type(c_ptr), intent(inout) :: C
      integer(c_int) :: ek_spgemm
    end function ek_spgemm

    function ek_spadd(plan, alpha, beta, C) bind(C, name="ek_spadd")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      real(c_double), value :: beta
      type(c_ptr), intent(inout) :: C
      integer(c_int) :: ek_spadd
    end function ek_spadd

    function ek_spadd_dense(plan, alpha, beta, Y) bind(C, name="ek_spadd_dense")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: Y
      integer(c_int) :: ek_spadd_dense
    end function ek_spadd_dense

    function ek_transpose(plan, C) bind(C, name="ek_transpose")
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: C
      integer(c_int) :: ek_transpose
    end function ek_transpose

    function ek_triple(plan, alpha, C) bind(C, name="ek_triple")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(c_ptr), intent(inout) :: C
      integer(c_int) :: ek_triple
    end function ek_triple

    function ek_result_values(plan, alpha, beta, C, count, val) bind(C, name="ek_result_values")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      real(c_double), value :: beta
      type(c_ptr), value :: C
      integer(c_int64_t), value :: count
      type(*), dimension(*), target, intent(inout) :: val
      integer(c_int) :: ek_result_values
    end function ek_result_values

    function ek_aggregate(A, options, T) bind(C, name="ek_aggregate")
      import
      type(c_ptr), value :: A
      type(ek_aggregation), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: T
      integer(c_int) :: ek_aggregate
    end function ek_aggregate

    function ek_prolongator(A, options, P) bind(C, name="ek_prolongator")
      import
      type(c_ptr), value :: A
      type(ek_aggregation), target, intent(in), optional :: options
      type(c_ptr), intent(inout) :: P
      integer(c_int) :: ek_prolongator
    end function ek_prolongator

    function ek_array_add(ctx, options, type, n, a, b, out) bind(C, name="ek_array_add")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: a
      type(*), dimension(*), target, intent(in) :: b
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_array_add
    end function ek_array_add

    function ek_reduce(ctx, options, type, op, n, in, result) bind(C, name="ek_reduce")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: in
      type(*), dimension(*), target, intent(inout) :: result
      integer(c_int) :: ek_reduce
    end function ek_reduce

    function ek_scan(ctx, options, type, op, kind, n, in, out) bind(C, name="ek_scan")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int), value :: kind
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: in
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_scan
    end function ek_scan

    function ek_segmented_scan(ctx, options, type, op, kind, n, in, segments, out) bind(C, &
        name="ek_segmented_scan")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int), value :: kind
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: in
      type(ek_segments), target, intent(in) :: segments
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_segmented_scan
    end function ek_segmented_scan

    function ek_segmented_sum(ctx, options, type, n, in, segments, out) bind(C, &
        name="ek_segmented_sum")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: in
      type(ek_segments), target, intent(in) :: segments
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_segmented_sum
    end function ek_segmented_sum

    function ek_compact(ctx, options, in, flag, count, out) bind(C, name="ek_compact")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_pairs), target, intent(in) :: in
      integer(c_int8_t), dimension(*), target, intent(in) :: flag
      integer(c_int64_t), intent(inout) :: count
      type(ek_pairs), target, intent(in) :: out
      integer(c_int) :: ek_compact
    end function ek_compact

    function ek_sort(ctx, options, pairs) bind(C, name="ek_sort")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_pairs), target, intent(in) :: pairs
      integer(c_int) :: ek_sort
    end function ek_sort

    function ek_merge(ctx, options, batch, a, b, out) bind(C, name="ek_merge")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int64_t), value :: batch
      type(ek_pairs), target, intent(in) :: a
      type(ek_pairs), target, intent(in) :: b
      type(ek_pairs), target, intent(in) :: out
      integer(c_int) :: ek_merge
    end function ek_merge

    function ek_kselect(ctx, options, type, lists, length, k, in, kth, smallest) bind(C, &
        name="ek_kselect")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: lists
      integer(c_int64_t), value :: length
      integer(c_int64_t), value :: k
      type(*), dimension(*), target, intent(in) :: in
      type(*), dimension(*), target, intent(inout), optional :: kth
      type(*), dimension(*), target, intent(inout), optional :: smallest
      integer(c_int) :: ek_kselect
    end function ek_kselect

    function ek_adheap_replay(ctx, options, type, lists, length, k, in, updates, first, path) &
        bind(C, name="ek_adheap_replay")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: lists
      integer(c_int64_t), value :: length
      integer(c_int64_t), value :: k
      type(*), dimension(*), target, intent(in) :: in
      integer(c_int64_t), value :: updates
      integer(c_int64_t), dimension(*), target, intent(in) :: first
      integer(c_int64_t), dimension(*), target, intent(in) :: path
      integer(c_int) :: ek_adheap_replay
    end function ek_adheap_replay

    function ek_set_union(ctx, options, type, a_n, a, b_n, b, count, out) bind(C, &
        name="ek_set_union")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: a_n
      type(*), dimension(*), target, intent(in) :: a
      integer(c_int64_t), value :: b_n
      type(*), dimension(*), target, intent(in) :: b
      integer(c_int64_t), intent(inout) :: count
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_set_union
    end function ek_set_union

    function ek_set_intersection(ctx, options, type, a_n, a, b_n, b, count, out) bind(C, &
        name="ek_set_intersection")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: type
      integer(c_int64_t), value :: a_n
      type(*), dimension(*), target, intent(in) :: a
      integer(c_int64_t), value :: b_n
      type(*), dimension(*), target, intent(in) :: b
      integer(c_int64_t), intent(inout) :: count
      type(*), dimension(*), target, intent(inout) :: out
      integer(c_int) :: ek_set_intersection
    end function ek_set_intersection

    function ek_pairs_union(ctx, options, value, op, a, b, count, out) bind(C, &
        name="ek_pairs_union")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: value
      integer(c_int), value :: op
      type(ek_pairs), target, intent(in) :: a
      type(ek_pairs), target, intent(in) :: b
      integer(c_int64_t), intent(inout) :: count
      type(ek_pairs), target, intent(in) :: out
      integer(c_int) :: ek_pairs_union
    end function ek_pairs_union

    function ek_pairs_intersection(ctx, options, value, op, a, b, count, out) bind(C, &
        name="ek_pairs_intersection")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: value
      integer(c_int), value :: op
      type(ek_pairs), target, intent(in) :: a
      type(ek_pairs), target, intent(in) :: b
      integer(c_int64_t), intent(inout) :: count
      type(ek_pairs), target, intent(in) :: out
      integer(c_int) :: ek_pairs_intersection
    end function ek_pairs_intersection

    function ek_heap_create(ctx, key, value_size, arity, capacity, heap) bind(C, &
        name="ek_heap_create")
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: key
      integer(c_size_t), value :: value_size
      integer(c_int), value :: arity
      integer(c_int64_t), value :: capacity
      type(c_ptr), intent(inout) :: heap
      integer(c_int) :: ek_heap_create
    end function ek_heap_create

    subroutine ek_heap_destroy(heap) bind(C, name="ek_heap_destroy")
      import
      type(c_ptr), value :: heap
    end subroutine ek_heap_destroy

    function ek_heap_size(heap) bind(C, name="ek_heap_size")
      import
      type(c_ptr), value :: heap
      integer(c_int64_t) :: ek_heap_size
    end function ek_heap_size

    function ek_heap_build(heap, n, keys, values) bind(C, name="ek_heap_build")
      import
      type(c_ptr), value :: heap
      integer(c_int64_t), value :: n
      type(*), dimension(*), target, intent(in) :: keys
      type(*), dimension(*), target, intent(in), optional :: values
      integer(c_int) :: ek_heap_build
    end function ek_heap_build

    function ek_heap_insert(heap, key, value) bind(C, name="ek_heap_insert")
      import
      type(c_ptr), value :: heap
      type(*), dimension(*), target, intent(in) :: key
      type(*), dimension(*), target, intent(in), optional :: value
      integer(c_int) :: ek_heap_insert
    end function ek_heap_insert

    function ek_heap_node(heap, node, key, value) bind(C, name="ek_heap_node")
      import
      type(c_ptr), value :: heap
      integer(c_int64_t), value :: node
      type(*), dimension(*), target, intent(inout), optional :: key
      type(*), dimension(*), target, intent(inout), optional :: value
      integer(c_int) :: ek_heap_node
    end function ek_heap_node

    function ek_heap_delete_max(heap, key, value) bind(C, name="ek_heap_delete_max")
      import
      type(c_ptr), value :: heap
      type(*), dimension(*), target, intent(inout), optional :: key
      type(*), dimension(*), target, intent(inout), optional :: value
      integer(c_int) :: ek_heap_delete_max
    end function ek_heap_delete_max

    function ek_heap_update_key(heap, node, key, value) bind(C, name="ek_heap_update_key")
      import
      type(c_ptr), value :: heap
      integer(c_int64_t), value :: node
      type(*), dimension(*), target, intent(in) :: key
      type(*), dimension(*), target, intent(in), optional :: value
      integer(c_int) :: ek_heap_update_key
    end function ek_heap_update_key

    function ek_heap_get_counts(heap, counts) bind(C, name="ek_heap_get_counts")
      import
      type(c_ptr), value :: heap
      type(ek_heap_counts), target, intent(inout) :: counts
      integer(c_int) :: ek_heap_get_counts
    end function ek_heap_get_counts

    function ek_csr_to_coo(ctx, options, index, rows, row_ptr, nnz, row_idx) bind(C, &
        name="ek_csr_to_coo")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: index
      integer(c_int64_t), value :: rows
      type(*), dimension(*), target, intent(in) :: row_ptr
      integer(c_int64_t), value :: nnz
      type(*), dimension(*), target, intent(inout) :: row_idx
      integer(c_int) :: ek_csr_to_coo
    end function ek_csr_to_coo

    function ek_coo_to_csr(ctx, options, value, index, rows, cols, nnz, row_idx, col_idx, val, &
        count, row_ptr, out_col, out_val) bind(C, name="ek_coo_to_csr")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      integer(c_int), value :: value
      integer(c_int), value :: index
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: cols
      integer(c_int64_t), value :: nnz
      type(*), dimension(*), target, intent(in) :: row_idx
      type(*), dimension(*), target, intent(in) :: col_idx
      type(*), dimension(*), target, intent(in) :: val
      integer(c_int64_t), intent(inout) :: count
      type(*), dimension(*), target, intent(inout) :: row_ptr
      type(*), dimension(*), target, intent(inout) :: out_col
      type(*), dimension(*), target, intent(inout) :: out_val
      integer(c_int) :: ek_coo_to_csr
    end function ek_coo_to_csr

    function ek_sparse_dot_dense(ctx, options, x, y, result) bind(C, name="ek_sparse_dot_dense")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_sparse), target, intent(in) :: x
      type(ek_dense), target, intent(in) :: y
      type(*), dimension(*), target, intent(inout) :: result
      integer(c_int) :: ek_sparse_dot_dense
    end function ek_sparse_dot_dense

    function ek_sparse_dot(ctx, options, x, y, result) bind(C, name="ek_sparse_dot")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_sparse), target, intent(in) :: x
      type(ek_sparse), target, intent(in) :: y
      type(*), dimension(*), target, intent(inout) :: result
      integer(c_int) :: ek_sparse_dot
    end function ek_sparse_dot

    function ek_sparse_axpy(ctx, options, alpha, x, y) bind(C, name="ek_sparse_axpy")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      real(c_double), value :: alpha
      type(ek_sparse), target, intent(in) :: x
      type(ek_dense), target, intent(in) :: y
      integer(c_int) :: ek_sparse_axpy
    end function ek_sparse_axpy

    function ek_gather(ctx, options, y, x) bind(C, name="ek_gather")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_dense), target, intent(in) :: y
      type(ek_sparse), target, intent(in) :: x
      integer(c_int) :: ek_gather
    end function ek_gather

    function ek_gather_zero(ctx, options, y, x) bind(C, name="ek_gather_zero")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_dense), target, intent(in) :: y
      type(ek_sparse), target, intent(in) :: x
      integer(c_int) :: ek_gather_zero
    end function ek_gather_zero

    function ek_scatter(ctx, options, x, y) bind(C, name="ek_scatter")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      type(ek_sparse), target, intent(in) :: x
      type(ek_dense), target, intent(in) :: y
      integer(c_int) :: ek_scatter
    end function ek_scatter

    function ek_sparse_add(ctx, options, alpha, x, beta, y, count, z) bind(C, name="ek_sparse_add")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      real(c_double), value :: alpha
      type(ek_sparse), target, intent(in) :: x
      real(c_double), value :: beta
      type(ek_sparse), target, intent(in) :: y
      integer(c_int64_t), intent(inout) :: count
      type(ek_sparse), target, intent(in) :: z
      integer(c_int) :: ek_sparse_add
    end function ek_sparse_add

    function ek_gemvi(ctx, options, alpha, A, x, beta, y) bind(C, name="ek_gemvi")
      import
      type(c_ptr), value :: ctx
      type(ek_array_options), target, intent(in), optional :: options
      real(c_double), value :: alpha
      type(ek_dense), target, intent(in) :: A
      type(ek_sparse), target, intent(in) :: x
      real(c_double), value :: beta
      type(ek_dense), target, intent(in) :: y
      integer(c_int) :: ek_gemvi
    end function ek_gemvi

    function ek_spmspv(plan, alpha, x, count, y) bind(C, name="ek_spmspv")
      import
      type(c_ptr), value :: plan
      real(c_double), value :: alpha
      type(ek_sparse), target, intent(in) :: x
      integer(c_int64_t), intent(inout) :: count
      type(ek_sparse), target, intent(in) :: y
      integer(c_int) :: ek_spmspv
    end function ek_spmspv

    function ek_spmspv_size(plan, x, most, exact) bind(C, name="ek_spmspv_size")
      import
      type(c_ptr), value :: plan
      type(ek_sparse), target, intent(in) :: x
      integer(c_int64_t), intent(inout), optional :: most
      integer(c_int64_t), intent(inout), optional :: exact
      integer(c_int) :: ek_spmspv_size
    end function ek_spmspv_size
  end interface
contains

  type(ek_build_info) function make_ek_build_info() result(s)
    s%size = c_sizeof(s)
  end function make_ek_build_info

  type(ek_options) function make_ek_options() result(s)
    s%size = c_sizeof(s)
  end function make_ek_options

  type(ek_tune_options) function make_ek_tune_options() result(s)
    s%size = c_sizeof(s)
  end function make_ek_tune_options

  type(ek_device_info) function make_ek_device_info() result(s)
    s%size = c_sizeof(s)
  end function make_ek_device_info

  type(ek_device_counters) function make_ek_device_counters() result(s)
    s%size = c_sizeof(s)
  end function make_ek_device_counters

  type(ek_matrix_info) function make_ek_matrix_info() result(s)
    s%size = c_sizeof(s)
  end function make_ek_matrix_info

  type(ek_view) function make_ek_view() result(s)
    s%size = c_sizeof(s)
  end function make_ek_view

  type(ek_read_options) function make_ek_read_options() result(s)
    s%size = c_sizeof(s)
  end function make_ek_read_options

  type(ek_stats) function make_ek_stats() result(s)
    s%size = c_sizeof(s)
  end function make_ek_stats

  type(ek_convert_times) function make_ek_convert_times() result(s)
    s%size = c_sizeof(s)
  end function make_ek_convert_times

  type(ek_convert_options) function make_ek_convert_options() result(s)
    s%size = c_sizeof(s)
  end function make_ek_convert_options

  type(ek_hints) function make_ek_hints() result(s)
    s%size = c_sizeof(s)
  end function make_ek_hints

  type(ek_prediction) function make_ek_prediction() result(s)
    s%size = c_sizeof(s)
  end function make_ek_prediction

  type(ek_dense) function make_ek_dense() result(s)
    s%size = c_sizeof(s)
  end function make_ek_dense

  type(ek_aggregation) function make_ek_aggregation() result(s)
    s%size = c_sizeof(s)
  end function make_ek_aggregation

  type(ek_heap_counts) function make_ek_heap_counts() result(s)
    s%size = c_sizeof(s)
  end function make_ek_heap_counts

  type(ek_array_options) function make_ek_array_options() result(s)
    s%size = c_sizeof(s)
  end function make_ek_array_options

  type(ek_segments) function make_ek_segments() result(s)
    s%size = c_sizeof(s)
  end function make_ek_segments

  type(ek_pairs) function make_ek_pairs() result(s)
    s%size = c_sizeof(s)
  end function make_ek_pairs

  type(ek_sparse) function make_ek_sparse() result(s)
    s%size = c_sizeof(s)
  end function make_ek_sparse

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
end module evenkeel
