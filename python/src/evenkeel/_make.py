# SPDX-License-Identifier: BSD-3-Clause
"""Makes matrices: from scipy's, from arrays, from files and from generators."""

import ctypes
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _arrays, _sparse, errors
from ._context import Context, default_context
from ._lib import api, callbacks, choice, constants, file_name, header, new, text, whole
from ._matrix import Matrix
from ._plan import Core

DUPLICATES = {
    "sum": constants.EK_DUP_SUM,
    "last": constants.EK_DUP_LAST,
    "error": constants.EK_DUP_ERROR,
}
VALUES = {"float64": constants.EK_F64, "float32": constants.EK_F32}
INDICES = {"32": constants.EK_I32, "64/32": constants.EK_I64_32, "64": constants.EK_I64}


def value_dtype(dtype):
    """The type that a matrix has for values of another: f32 if they fit there, else f64."""
    for usual in (_arrays.F64, _arrays.F32):
        if dtype is usual:
            return usual
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "c":
        raise TypeError(
            f"values are {dtype}; real ones are expected: the library has no complex ones"
        )
    _arrays.expect_numbers(dtype, "values are")
    fits = dtype == _arrays.F32 or np.result_type(dtype, np.float32) == _arrays.F32
    return _arrays.F32 if fits else _arrays.F64


def index_dtype(dtype):
    """The type that a matrix has for indices of another: one that holds all of them."""
    if dtype is _arrays.I32:
        return dtype
    narrow = dtype.itemsize < 4 or dtype.newbyteorder("=") == _arrays.I32
    return _arrays.I32 if narrow else _arrays.I64


def sizes(shape):
    """Rows and columns."""
    rows, cols = shape
    rows, cols = whole(rows, "the number of rows"), whole(cols, "the number of columns")
    if min(rows, cols) < 0:
        raise errors.InvalidArgument(f"the shape is {rows} x {cols}; sizes from 0 are expected")
    return rows, cols


def index_arrays(pointer, index):
    """Both arrays with types that the library has, without a copy if they have them."""
    for name, array in (("pointers", pointer), ("indices", index)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise TypeError(
                f"the array of {name} has the type {array.dtype} and {array.ndim} "
                "dimensions; integers and one are expected"
            )
    pair = index_dtype(pointer.dtype), index_dtype(index.dtype)
    if pair == (_arrays.I32, _arrays.I64):
        pair = _arrays.I64, _arrays.I64
    return (
        *(_arrays.as_type(a, dtype) for a, dtype in zip((pointer, index), pair)),
        _arrays.INDEX[pair],
    )


def from_compressed(
    shape,
    pointer,
    index,
    value,
    *,
    lines,
    copy=False,
    trusted=False,
    context=None,
    calls=0,
    is_array=True,
):
    """Makes a matrix from the arrays of CSR or, if lines is 1, of CSC, which it borrows."""
    context = context or default_context()
    rows, cols = sizes(shape)
    given, dtype = value, value_dtype(value.dtype)
    value = _arrays.as_type(value, dtype)
    pointer, index, types = index_arrays(pointer, index)
    count = (rows, cols)[lines] + 1
    if len(pointer) != count:
        raise ValueError(f"there are {len(pointer)} pointers; {count} are expected")
    if value.ndim != 1 or not len(index) >= pointer[-1] <= len(value):
        raise ValueError(
            f"the last pointer is {pointer[-1]}, and there are {len(index)} indices and "
            f"{value.size} values"
        )
    flags = constants.EK_COPY if copy else constants.EK_BORROW
    flags |= constants.EK_TRUSTED if trusted else 0
    core = Core(
        context,
        (api.ek_matrix_from_csr, api.ek_matrix_from_csc)[lines],
        context.pointer,
        _arrays.VALUE[dtype],
        types,
        rows,
        cols,
        _arrays.address(pointer),
        _arrays.address(index),
        _arrays.address(value),
        flags,
        calls=calls,
        is_array=is_array,
        keep=() if copy else (pointer, index, value),
    )
    if value is not given and not np.may_share_memory(value, given):
        core.own = f"the values were converted from {given.dtype}: make the matrix again"
    elif not copy:
        core.own = None
    return Matrix(core)


@header("ek_matrix_from_csr")
def from_csr(
    row_ptr: ArrayLike, col_idx: ArrayLike, val: ArrayLike, shape: "tuple[int, int]", **options: Any
) -> Matrix:
    """Makes a matrix from the arrays of compressed sparse rows, without a copy.

    The arrays are borrowed: they must not change while the matrix or a plan of it lives, except
    that values may, with A.values_changed() afterwards. Of a matrix of scipy they do change if it
    sorts them or sums duplicates: see evenkeel.matrix. Options: copy=True makes copies,
    trusted=True skips the check of the indices, calls= is the expected number of products (0:
    many), and context= another Context.

    >>> import numpy as np
    >>> row_ptr, col_idx = np.array([0, 2, 3, 5]), np.array([0, 1, 1, 0, 2])
    >>> A = from_csr(row_ptr, col_idx, np.array([4., 1, 3, 2, 5]), (3, 3))
    >>> A @ np.array([1., 2, 3])
    array([ 6.,  6., 17.])
    """
    arrays = np.asarray(row_ptr), np.asarray(col_idx), np.asarray(val)
    return from_compressed(shape, *arrays, lines=0, **options)


@header("ek_matrix_from_csc")
def from_csc(
    col_ptr: ArrayLike, row_idx: ArrayLike, val: ArrayLike, shape: "tuple[int, int]", **options: Any
) -> Matrix:
    """Makes a matrix from the arrays of compressed sparse columns, without a copy, as from_csr."""
    arrays = np.asarray(col_ptr), np.asarray(row_idx), np.asarray(val)
    return from_compressed(shape, *arrays, lines=1, **options)


@header("ek_matrix_from_coo")
def from_coo(
    row_idx: ArrayLike,
    col_idx: ArrayLike,
    val: ArrayLike,
    shape: "tuple[int, int]",
    *,
    duplicates: str = "sum",
    trusted: bool = False,
    keep_order: bool = False,
    context: "Context | None" = None,
    calls: int = 0,
    is_array: bool = True,
) -> Matrix:
    """Makes a matrix in CSR from coordinates in any order; duplicates: "sum", "last", "error"."""
    context = context or default_context()
    row, col, val = np.asarray(row_idx), np.asarray(col_idx), np.asarray(val)
    flags = choice(DUPLICATES, duplicates, "duplicates")
    if not row.shape == col.shape == val.shape or row.ndim != 1:
        raise ValueError(
            f"rows, columns and values have the shapes {row.shape}, {col.shape} and "
            f"{val.shape}; the same, of one dimension, is expected"
        )
    dtype = value_dtype(val.dtype)
    val = _arrays.as_type(val, dtype)
    both = index_dtype(row.dtype), index_dtype(col.dtype)
    wide = _arrays.I64 if _arrays.I64 in both else _arrays.I32
    row, col, types = index_arrays(
        _arrays.as_type(row, wide) if row.dtype.kind in "iu" else row,
        _arrays.as_type(col, wide) if col.dtype.kind in "iu" else col,
    )
    flags |= constants.EK_TRUSTED if trusted else 0
    flags |= constants.EK_KEEP_ORDER if keep_order else 0
    core = Core(
        context,
        api.ek_matrix_from_coo,
        context.pointer,
        _arrays.VALUE[dtype],
        types,
        *sizes(shape),
        len(val),
        _arrays.address(row),
        _arrays.address(col),
        _arrays.address(val),
        flags,
        calls=calls,
        is_array=is_array,
    )
    core.own = "the matrix was made from coordinates: make it again"
    _arrays.copies.add(*_sparse.compressed(core)[:3])
    return Matrix(core)


def matrix(
    A: Any,
    *,
    copy: bool = False,
    trusted: bool = False,
    calls: int = 0,
    context: "Context | None" = None,
) -> Matrix:
    """Makes a Matrix of a sparse matrix or array of scipy, or of a dense ndarray.

    CSR and CSC are used where they are, with indices of 32 or 64 bits and values of 32 or 64: their
    arrays must not change while the result or a plan of it lives (values may, with values_changed()
    afterwards). copy=True makes copies. So does evenkeel where A has unsorted or duplicate entries
    (A.has_canonical_format is False, as after scipy's A @ B): spsolve, A.max() and other functions
    of scipy sort those where they are. A.sum_duplicates() before saves the copy. COO is read and
    becomes CSR; other kinds, integers among the values, and dense arrays are converted.
    evenkeel.copies() counts all these but copy=True.

    `calls` is the expected number of products, many if it is 0: set it if there are only a few, so
    that they are not preceded by preparations for a thousand.

    A Matrix is returned as it is, or with copy=True as a copy in the same context.

    >>> import scipy.sparse as sp
    >>> A = matrix(sp.csr_array([[2., 0], [1, 3]]))
    >>> A
    <evenkeel.Matrix 2 x 2, 3 entries, float64, csr>
    >>> (A @ A).toarray()
    array([[4., 0.],
           [5., 9.]])
    """
    if isinstance(A, Matrix):
        return _of_matrix(A, copy, calls, context)
    return of_any(A, copy, trusted=trusted, calls=calls, context=context)


def of_any(A, copy=False, lasting=True, **options):
    """A Matrix of what is none; unless it is `lasting`, nobody changes A before the result goes."""
    kind = getattr(A, "format", None)
    if not isinstance(kind, str) or not hasattr(A, "tocsr"):
        A = _arrays.unmasked(A)
        if A.ndim != 2:
            raise TypeError(f"{type(A).__name__} of {A.ndim} dimensions is not a matrix")
        row, col = A.nonzero()
        return from_coo(row, col, A[row, col], A.shape, **options)
    if len(A.shape) != 2:
        raise ValueError(f"the array has {len(A.shape)} dimensions; two are expected")
    options["is_array"] = _sparse.is_array_of(A)
    value_dtype(A.dtype)
    if kind == "coo":
        return from_coo(A.row, A.col, A.data, A.shape, **options)
    if converted := kind not in ("csr", "csc"):
        A = A.tocsr()
        _arrays.copies.add(A.indptr, A.indices, A.data)
    arrays, lines = (A.indptr, A.indices, A.data), int(A.format == "csc")
    result = from_compressed(A.shape, *arrays, lines=lines, copy=copy, **options)
    if converted:
        result.core.own = f"the matrix was converted from {kind}: make it again"
    elif lasting and not copy and not getattr(A, "has_canonical_format", True):
        # scipy reads A without a check to find that out, but it was checked above.
        _arrays.copies.add(*arrays)
        options["trusted"] = True
        result = from_compressed(A.shape, *arrays, lines=lines, copy=True, **options)
        result.core.own = (
            "the matrix was copied, since scipy may sort its entries where they are: change the "
            "values by set_values, or call sum_duplicates of scipy before the matrix is made"
        )
    return result


def _of_matrix(A, copy, calls, context):
    """A Matrix for the function matrix: itself, or a copy."""
    if context not in (None, A.context) or calls not in (0, A.core.calls) and not copy:
        raise ValueError(
            "A is a Matrix: it stays in its context and, unless it is copied, keeps its calls"
        )
    if not copy:
        return A
    result = A.astype(A.dtype)
    result.core.calls = calls or result.core.calls
    return result


def value_and_index(dtype, index):
    """The types of the library for these, 0 where there is none."""
    value = choice(VALUES, np.dtype(dtype).name, "dtype") if dtype is not None else 0
    return value, choice(INDICES, index, "index") if index is not None else 0


def read_options(
    allow_nan=False,
    mirror=False,
    duplicates="sum",
    max_bytes=0,
    max_ratio=0,
    max_dim=0,
    progress=None,
):
    """An ek_read_options, what has to live during the call, and what `progress` raised."""
    raised = []

    def call(_user, done, total):
        try:
            return int(bool(progress(done, total)))
        except BaseException as problem:  # KeyboardInterrupt too; C cannot pass it on
            raised.append(problem)
            return 1

    hook = callbacks["ek_read_options.progress"](call) if progress else None
    options = new(
        "ek_read_options",
        allow_nan=int(allow_nan),
        mirror=int(mirror),
        max_dim=max_dim,
        duplicates=choice(DUPLICATES, duplicates, "duplicates"),
        max_bytes=max_bytes,
        max_ratio=max_ratio,
        progress=ctypes.cast(hook, ctypes.c_void_p) if hook else None,
    )
    return options, hook, raised


@header("ek_matrix_read")
def read(
    path: "str | bytes | os.PathLike[Any]",
    *,
    dtype: "DTypeLike | None" = None,
    index: "str | None" = None,
    context: "Context | None" = None,
    calls: int = 0,
    **options: Any,
) -> Matrix:
    """Reads a matrix from a file: Matrix Market (.mtx, .mtx.gz) or the library's .ekm.

    Options are those of ek_read_options: allow_nan, mirror, duplicates, max_bytes, max_ratio,
    max_dim, and progress(done, total), which stops the call by returning True or by an exception.
    """
    context = context or default_context()
    given, hook, raised = read_options(**options)
    try:
        core = Core(
            context,
            api.ek_matrix_read,
            context.pointer,
            file_name(path),
            *value_and_index(dtype, index),
            ctypes.byref(given),
            calls=calls,
        )
    except errors.Error:
        if not raised:
            raise
    del hook
    if raised:
        raise raised[0]
    return Matrix(core)


@header("ek_matrix_write")
def write(path: "str | bytes | os.PathLike[Any]", A: Any, form: "str | None" = None) -> None:
    """Writes a matrix, or whatever evenkeel.matrix takes, to a file; form: "mtx", "ekm" or None."""
    matrix(A).write(path, form)


@header("ek_matrix_generate")
def generate(
    spec: str,
    *,
    dtype: DTypeLike = np.float64,
    index: str = "32",
    context: "Context | None" = None,
    calls: int = 0,
) -> Matrix:
    """Makes a synthetic matrix from a generator's name and parameters.

    >>> generate("poisson2d5:nx=30,ny=20").shape
    (600, 600)
    """
    context = context or default_context()
    core = Core(
        context,
        api.ek_matrix_generate,
        context.pointer,
        text(spec, "spec"),
        *value_and_index(dtype, index),
        calls=calls,
    )
    return Matrix(core)
