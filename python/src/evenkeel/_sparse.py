# SPDX-License-Identifier: BSD-3-Clause
"""Products and sums of sparse matrices, and the way to scipy's classes."""

import ctypes

import numpy as np

from . import _arrays, _make, _matrix, errors  # _make and _matrix import this module, too
from ._lib import api, constants, new
from ._plan import Plan


def is_sparse(B):
    """Is B a Matrix, or a sparse array or matrix of scipy?"""
    is_scipy = isinstance(getattr(B, "format", None), str) and hasattr(B, "tocsr")
    return is_scipy or isinstance(B, _matrix.Matrix)


def operand(B, like):
    """B as a Matrix in the context of another, for this one call."""
    if isinstance(B, _matrix.Matrix):
        return B
    return _make.of_any(B, lasting=False, context=like.context, calls=1)


def same_type(A, B):
    """Both with the wider of their types."""
    return A.for_operand(B.dtype), B.for_operand(A.dtype)


def product_of(operation, function, A, B, factors, D=None, **options):
    """Runs a plan with one or two more matrices once, and returns the new matrix."""
    A, B = same_type(A, B)
    if D is not None:
        D = D.for_operand(A.dtype)
        A, B, D = A.for_operand(D.dtype), B.for_operand(D.dtype), plain(D)
    given = {"calls": 1, "B": B.core, "D": D and D.core, "B_transposed": B.transposed, **options}

    def make():
        plan = Plan(A.core, operation, A.transposed, **given)
        return _matrix.Matrix(A.core.derived(function, plan.handle().pointer, *factors))

    try:
        return make()
    except errors.Overflow:  # too many entries for 32 bits: scipy, too, takes 64 then
        given["index"] = constants.EK_I64
        return make()


def like(result, B):
    """The result in the class of B: a Matrix, or an array or a matrix of scipy."""
    if isinstance(B, _matrix.Matrix):
        return result
    # Nobody else has the result: its memory becomes that of a matrix of scipy.
    *arrays, lines = compressed(result.core, writable=True)
    return _scipy(arrays, result.shape, is_array_of(B), lines, True)


def multiply(A, B, alpha=1.0, D=None, beta=1.0, **options):
    """alpha A B + beta D, of the class of B."""
    D = None if D is None else operand(D, A)
    return like(
        product_of("spgemm", api.ek_spgemm, A, operand(B, A), (alpha, beta), D, **options), B
    )


def multiply_from_left(B, A):
    """B A for a B of scipy, whose class the result has."""
    return like(product_of("spgemm", api.ek_spgemm, operand(B, A), A, (1.0, 0.0)), B)


def add(A, B, alpha, beta, **options):
    """alpha A + beta B, of the class of B."""
    if np.isscalar(B) and B == 0:  # sum() begins with it
        return scale(A, alpha)
    if not is_sparse(B):
        return NotImplemented
    return like(product_of("spadd", api.ek_spadd, A, operand(B, A), (alpha, beta), **options), B)


def galerkin(A, P, alpha, **options):
    """alpha P^T A P, of the class of P."""
    return like(product_of("triple", api.ek_triple, A, operand(P, A), (alpha,), **options), P)


def transpose(A):
    """The transpose as a matrix of its own, in the format of A if that is csr or csc."""
    core = A.core
    plan = Plan(core, "transpose", False, calls=1)
    return _matrix.Matrix(core.derived(api.ek_transpose, plan.handle().pointer))


def plain(A):
    """A matrix that is no transpose: A itself, or its transpose as a matrix of its own."""
    return transpose(A) if A.transposed else A


def scale(A, alpha):
    """alpha A, with new values and the same pattern."""
    source = A.core if A.info["format"] in ("csr", "csc") else A.convert("csr").core
    pointer, index, value, lines = compressed(source)
    result = _make.from_compressed(
        source.shape,
        pointer,
        index,
        value * value.dtype.type(alpha),
        lines=lines,
        trusted=True,
        context=source.context,
        calls=source.calls,
        is_array=source.is_array,
    )
    result.core.own = "the matrix is a multiple of another: multiply again"
    return result.T if A.transposed and source is A.core else result


def compressed(core, writable=False):
    """The arrays of a matrix in csr or csc as views, and 1 if it is csc."""
    info = new("ek_matrix_info")
    api.ek_matrix_get_info(core.handle.pointer, ctypes.byref(info))
    by_columns = info.format == b"csc"
    names = (b"col_ptr", b"row_idx", b"val") if by_columns else (b"row_ptr", b"col_idx", b"val")
    dtypes = (*_arrays.INDEX_DTYPES[info.index], core.dtype)
    views = []
    for name, dtype in zip(names, dtypes):
        view = new("ek_view")
        api.ek_matrix_array(core.handle.pointer, name, ctypes.byref(view))
        views.append(_arrays.view(core.handle, view.data, view.len, dtype, writable))
    return (*views, int(by_columns))


def is_array_of(B):
    """Is B an array of scipy, and not one of its older matrices?"""
    import scipy.sparse

    return not isinstance(B, scipy.sparse.spmatrix)


def _scipy(arrays, shape, is_array, lines, is_sorted=False):
    """A matrix of scipy on these arrays; its constructors would copy 64-bit indices that fit 32."""
    import scipy.sparse as sp

    pointer, index, value = arrays
    if pointer.dtype != index.dtype:
        index = _arrays.copies.add(index.astype(pointer.dtype))
    kinds = (sp.csr_array, sp.csc_array) if is_array else (sp.csr_matrix, sp.csc_matrix)
    C = kinds[lines](shape, dtype=value.dtype)
    C.indptr, C.indices, C.data = pointer, index, value
    if is_sorted:
        C.has_sorted_indices = C.has_canonical_format = True
    return C


def to_scipy(A, kind, copy=False):
    """A in CSR or CSC of scipy; a view if it is stored so, unless a copy is wanted."""
    core = A.core
    # The transpose of CSR is the same arrays, read as CSC.
    wanted = {"csr": "csc", "csc": "csr"}[kind] if A.transposed else kind
    if A.info["format"] != wanted:
        core = _matrix.Matrix(core).convert(wanted).core
    *arrays, lines = compressed(core, writable=core is not A.core)
    if copy and core is A.core:
        arrays = [array.copy() for array in arrays]
    return _scipy(arrays, A.shape, core.is_array, lines ^ A.transposed)


def coarsen(function, A, strength, omega):
    """A prolongator of A."""
    source = plain(A).core
    options = new("ek_aggregation", strength=strength, omega=omega)
    return _matrix.Matrix(source.derived(function, source.handle.pointer, ctypes.byref(options)))
