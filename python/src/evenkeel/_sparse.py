# SPDX-License-Identifier: BSD-3-Clause
"""Products and sums of sparse matrices, and the way to scipy's classes."""

import ctypes
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _make, _matrix, errors  # _make and _matrix import this module, too
from ._lib import api, constants, new, real
from ._plan import Core, Plan

if TYPE_CHECKING:
    from ._matrix import Matrix


def is_sparse(B: Any) -> bool:
    """Is B a Matrix, or a sparse array or matrix of scipy?"""
    if isinstance(B, _matrix.Matrix):
        return True
    return isinstance(getattr(B, "format", None), str) and hasattr(B, "tocsr")


def operand(B: Any, like: "Matrix") -> "Matrix":
    """B as a Matrix in the context of another, for this one call."""
    if isinstance(B, _matrix.Matrix):
        return B
    return _make.of_any(B, lasting=False, context=like.context, calls=1)


def same_type(A: "Matrix", B: "Matrix") -> "tuple[Matrix, Matrix]":
    """Both with the wider of their types."""
    return A.for_operand(B.dtype), B.for_operand(A.dtype)


def product_of(
    operation: str,
    function: Any,
    A: "Matrix",
    B: "Matrix",
    factors: Any,
    D: Any = None,
    **options: Any,
) -> "Matrix":
    """Runs a plan with one or two more matrices once, and returns the new matrix."""
    A, B = same_type(A, B)
    if D is not None:
        D = D.for_operand(A.dtype)
        A, B, D = A.for_operand(D.dtype), B.for_operand(D.dtype), plain(D)
    factors = [real(factor) for factor in factors]
    given = {"calls": 1, "B": B.core, "D": D and D.core, "B_transposed": B.transposed, **options}

    def make():
        plan = Plan(A.core, operation, A.transposed, **given)
        return _matrix.Matrix(A.core.derived(function, plan.handle().pointer, *factors))

    try:
        return make()
    except errors.Overflow:  # too many entries for 32 bits: scipy, too, takes 64 then
        given["index"] = constants.EK_I64
        return make()


def like(result: "Matrix", B: Any, is_sorted: bool = True) -> Any:
    """The result in the class of B: a Matrix, or an array or a matrix of scipy."""
    if isinstance(B, _matrix.Matrix):
        return result
    # Nobody else has the result: its memory becomes that of a matrix of scipy.
    *arrays, lines = compressed(result.core, writable=True)
    return _scipy(arrays, result.shape, is_array_of(B), lines, is_sorted)


def multiply(
    A: "Matrix", B: Any, alpha: float = 1.0, D: Any = None, beta: float = 1.0, **options: Any
) -> Any:
    """alpha A B + beta D, of the class of B."""
    D = None if D is None else operand(D, A)
    C = product_of("spgemm", api.ek_spgemm, A, operand(B, A), (alpha, beta), D, **options)
    return like(C, B, not options.get("unsorted"))


def multiply_from_left(B: Any, A: "Matrix") -> Any:
    """B A for a B of scipy, whose class the result has."""
    return like(product_of("spgemm", api.ek_spgemm, operand(B, A), A, (1.0, 0.0)), B)


def add(A: "Matrix", B: Any, alpha: float, beta: float, **options: Any) -> Any:
    """alpha A + beta B, of the class of B."""
    if not is_sparse(B):
        raise TypeError(f"{type(B).__name__} is not a sparse matrix")
    return like(product_of("spadd", api.ek_spadd, A, operand(B, A), (alpha, beta), **options), B)


def sum_of(A: "Matrix", B: Any, alpha: float, beta: float) -> Any:
    """The same for the operators + and -."""
    if np.isscalar(B) and B == 0:  # sum() begins with it
        return scale(A, alpha)
    return add(A, B, alpha, beta) if is_sparse(B) else NotImplemented


def galerkin(A: "Matrix", P: Any, alpha: float, **options: Any) -> Any:
    """alpha P^T A P, of the class of P."""
    return like(product_of("triple", api.ek_triple, A, operand(P, A), (alpha,), **options), P)


def transpose(A: "Matrix") -> "Matrix":
    """The transpose as a matrix of its own, in the format of A if that is csr or csc."""
    core = A.core
    plan = Plan(core, "transpose", False, calls=1)
    return _matrix.Matrix(core.derived(api.ek_transpose, plan.handle().pointer))


def plain(A: "Matrix") -> "Matrix":
    """A matrix that is no transpose: A itself, or its transpose as a matrix of its own."""
    return transpose(A) if A.transposed else A


def scale(A: "Matrix", alpha: Any) -> "Matrix":
    """alpha A, with the same pattern, in arrays of its own."""
    source = A.core if A.info["format"] in ("csr", "csc") else A.convert("csr").core
    pointer, index, value, lines = compressed(source)
    result = _make.from_compressed(
        source.shape,
        pointer,
        index,
        value * value.dtype.type(real(alpha)),
        lines=lines,
        copy=True,
        trusted=True,
        context=source.context,
        calls=source.calls,
        is_array=source.is_array,
    )
    return result.T if A.transposed and source is A.core else result


def compressed(core: Core, writable: bool = False) -> "tuple[Any, ...]":
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


def is_array_of(B: Any) -> bool:
    """Is B an array of scipy, and not one of its older matrices?"""
    import scipy.sparse

    # Before scipy 1.11 arrays were derived from matrices, and had this attribute.
    return not isinstance(B, scipy.sparse.spmatrix) or getattr(B, "_is_array", False)


@functools.lru_cache(None)
def _empty(kind, dtype):
    """The attributes of an empty matrix of scipy, or None if they are not those of every shape."""
    made, other = kind((1, 1), dtype=dtype), kind.__new__(kind)
    try:
        attributes = vars(made).copy()
        vars(other).update(attributes, _shape=(2, 3))
        return attributes if made._shape == (1, 1) and other.shape == (2, 3) else None
    except (AttributeError, TypeError):
        return None


def _scipy(arrays, shape, is_array, lines, is_sorted=False):
    """A matrix of scipy on these arrays; its constructors would copy 64-bit indices that fit 32.

    They also take as long as products of small matrices: so all but the first of a kind are made
    from the attributes of one that is empty.
    """
    import scipy.sparse as sp

    pointer, index, value = arrays
    if pointer.dtype != index.dtype:
        index = _arrays.copies.add(index.astype(pointer.dtype))
    kinds = (sp.csr_array, sp.csc_array) if is_array else (sp.csr_matrix, sp.csc_matrix)
    attributes = _empty(kinds[lines], value.dtype)
    if attributes is None:
        C = kinds[lines](shape, dtype=value.dtype)
    else:
        C = kinds[lines].__new__(kinds[lines])
        vars(C).update(attributes, _shape=shape)
    C.indptr, C.indices, C.data = pointer, index, value
    if is_sorted:
        C.has_sorted_indices = C.has_canonical_format = True
    return C


def to_scipy(A: "Matrix", kind: str, copy: bool = False) -> Any:
    """A in CSR or CSC of scipy; a view if it is stored so, unless a copy is wanted or entries are
    unsorted or repeated: scipy would sort and sum those where they are, and views are read-only."""
    core = A.core
    # The transpose of CSR is the same arrays, read as CSC.
    wanted = {"csr": "csc", "csc": "csr"}[kind] if A.transposed else kind
    if A.info["format"] != wanted:
        core = _matrix.Matrix(core).convert(wanted).core
    is_own = core is not A.core
    *arrays, lines = compressed(core, writable=is_own)
    if copy and not is_own:
        arrays, is_own = [array.copy() for array in arrays], True
    like_this = A.shape, core.is_array, lines ^ A.transposed
    C = _scipy(arrays, *like_this, is_sorted=bool(core.canonical))
    if is_own:
        return C
    if core.canonical is None:
        core.canonical = bool(C.has_canonical_format)  # one pass over the indices, by scipy
    if core.canonical:
        return C
    return _scipy([_arrays.copies.add(array.copy()) for array in arrays], *like_this)


def coarsen(function: Any, A: "Matrix", strength: float, omega: float) -> "Matrix":
    """A prolongator of A."""
    source = plain(A).core
    options = new("ek_aggregation", strength=strength, omega=omega)
    return _matrix.Matrix(source.derived(function, source.handle.pointer, ctypes.byref(options)))
