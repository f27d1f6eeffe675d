# SPDX-License-Identifier: BSD-3-Clause
"""Sparse vectors: indices that ascend strictly, with a value each, and a length."""

import ctypes

import numpy as np

from . import _arrays, errors
from ._lib import api, header, new
from .primitives import numbers, options

_by = ctypes.byref


class SparseVector:
    """A sparse vector of length n. Its arrays are used where they are.

    >>> x = SparseVector(np.array([1, 3]), np.array([2., 5]), 4)
    >>> x.dot(np.array([1., 10, 100, 1000]))
    5020.0
    >>> (x + x).toarray()
    array([ 0.,  4.,  0., 10.])
    """

    __slots__ = ("indices", "values", "n")

    def __init__(self, indices, values, n: int) -> None:
        self.indices, self.values = numbers(indices, "indices"), numbers(values, "values")
        if self.indices.dtype.kind != "i" or len(self.indices) != len(self.values):
            raise ValueError(
                f"there are {len(self.indices)} indices of {self.indices.dtype} and "
                f"{len(self.values)} values; as many integers as values are expected"
            )
        self.n = int(n)

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.indices)

    @property
    def dtype(self):
        """Type of the values."""
        return self.values.dtype

    def view(self):
        """The ek_sparse of the vector."""
        return new(
            "ek_sparse",
            value=_arrays.VALUE[self.dtype],
            n=self.n,
            nnz=self.nnz,
            index=_arrays.VALUE[self.indices.dtype],
            idx=_arrays.address(self.indices),
            val=_arrays.address(self.values),
        )

    def _dense(self, y):
        if (
            not isinstance(y, np.ndarray)
            or y.dtype != self.dtype
            or not y.flags.carray
            or y.ndim != 1
        ):
            raise ValueError(f"a writable, contiguous ndarray of {self.dtype} is expected")
        return _by(_arrays.vector(y))

    @header("ek_sparse_dot", "ek_sparse_dot_dense")
    def dot(self, y, **given):
        """The dot product with a sparse vector or an ndarray."""
        result = np.empty(1, self.dtype)
        ctx, opts = options(**given)
        if isinstance(y, SparseVector):
            api.ek_sparse_dot(ctx, opts, _by(self.view()), _by(y.view()), _arrays.address(result))
        else:
            y = _arrays.as_type(np.asarray(y), self.dtype)
            api.ek_sparse_dot_dense(
                ctx, opts, _by(self.view()), _by(_arrays.vector(y)), _arrays.address(result)
            )
        return result[0].item()

    @header("ek_sparse_axpy")
    def axpy(self, y, alpha: float = 1.0, **given) -> np.ndarray:
        """Adds alpha times this vector to the ndarray y."""
        ctx, opts = options(**given)
        api.ek_sparse_axpy(ctx, opts, alpha, _by(self.view()), self._dense(y))
        return y

    @header("ek_sparse_add")
    def add(self, y, alpha: float = 1.0, beta: float = 1.0, **given) -> "SparseVector":
        """alpha times this vector plus beta times the sparse vector y."""
        most = self.nnz + y.nnz
        z = SparseVector(np.empty(most, self.indices.dtype), np.empty(most, self.dtype), self.n)
        count = ctypes.c_int64()
        ctx, opts = options(**given)
        api.ek_sparse_add(
            ctx, opts, alpha, _by(self.view()), beta, _by(y.view()), _by(count), _by(z.view())
        )
        return SparseVector(z.indices[: count.value], z.values[: count.value], self.n)

    def __add__(self, y):
        return self.add(y)

    def __sub__(self, y):
        return self.add(y, 1.0, -1.0)

    @header("ek_scatter")
    def scatter(self, y, **given) -> np.ndarray:
        """Copies the values to their places in the ndarray y."""
        ctx, opts = options(**given)
        api.ek_scatter(ctx, opts, _by(self.view()), self._dense(y))
        return y

    def toarray(self) -> np.ndarray:
        """This vector as an ndarray."""
        return self.scatter(np.zeros(self.n, self.dtype))

    def __repr__(self):
        return f"<evenkeel.SparseVector of {self.n}, {self.nnz} entries, {self.dtype}>"


@header("ek_gather")
def gather(y, indices, **given) -> SparseVector:
    """The entries of the ndarray y at these indices, as a sparse vector."""
    y = numbers(y, "y")
    indices = np.asarray(indices)
    x = SparseVector(indices, np.empty(len(indices), y.dtype), len(y))
    ctx, opts = options(**given)
    api.ek_gather(ctx, opts, _by(_arrays.vector(y)), _by(x.view()))
    return x


@header("ek_gemvi")
def gemvi(A, x: SparseVector, alpha: float = 1.0, **given) -> np.ndarray:
    """alpha A x for an ndarray A of two dimensions and a sparse vector x."""
    A = np.asarray(A)
    A, view = _arrays.as_block(A, x.dtype)
    y = np.empty(A.shape[0], x.dtype)
    ctx, opts = options(**given)
    api.ek_gemvi(ctx, opts, alpha, _by(view), _by(x.view()), 0.0, _by(_arrays.vector(y)))
    return y


@header("ek_spmspv", "ek_spmspv_size")
def multiply(A, x: SparseVector, alpha: float = 1.0) -> SparseVector:
    """alpha A x for a Matrix A and a sparse vector x: a sparse vector of the wider type."""
    A = A.for_operand(x.dtype)
    wide = _arrays.I64 if A.info["index"] == "64" else _arrays.I32
    if x.indices.dtype != wide and wide == _arrays.I32:
        wrong = np.flatnonzero((x.indices < 0) | (x.indices >= x.n))
        if len(wrong):
            raise errors.OutOfRange(
                f"indices[{wrong[0]}] is {x.indices[wrong[0]]}; 0 to {x.n - 1} are expected"
            )
        if x.n != A.shape[1]:
            raise ValueError(f"x has the length {x.n}; {A.shape[1]} is expected")
    x = SparseVector(_arrays.as_type(x.indices, wide), _arrays.as_type(x.values, A.dtype), x.n)
    pointer = A.core.plan("spmspv", A.transposed).handle().pointer
    most, count = ctypes.c_int64(), ctypes.c_int64()
    api.ek_spmspv_size(pointer, _by(x.view()), _by(most), None)
    y = SparseVector(np.empty(most.value, wide), np.empty(most.value, A.dtype), A.shape[0])
    api.ek_spmspv(pointer, alpha, _by(x.view()), _by(count), _by(y.view()))
    return SparseVector(y.indices[: count.value], y.values[: count.value], y.n)
