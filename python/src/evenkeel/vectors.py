# SPDX-License-Identifier: BSD-3-Clause
"""Sparse vectors: indices that ascend strictly, with a value each, and a length."""

import ctypes
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, errors
from ._lib import api, header, new, real, whole
from ._primitive import numbers, options

if TYPE_CHECKING:
    from ._matrix import Matrix

_by = ctypes.byref


def dense(y: Any, dtype: np.dtype, dimensions: int) -> np.ndarray:
    """A dense operand as an ndarray, unless a sparse vector of this type would lose some of it."""
    y = _arrays.unmasked(y)
    if y.ndim != dimensions:
        raise ValueError(f"the operand has {y.ndim} dimensions; {dimensions} are expected")
    if y.dtype.kind not in "biuf" or np.result_type(y.dtype, dtype) != dtype:
        raise TypeError(
            f"the operand is {y.dtype}, and the sparse vector is {dtype}: convert one of them"
        )
    return y


class SparseVector:
    """A sparse vector of length n. Its arrays are used where they are.

    >>> x = SparseVector(np.array([1, 3]), np.array([2., 5]), 4)
    >>> x.dot(np.array([1., 10, 100, 1000]))
    5020.0
    >>> (x + x).toarray()
    array([ 0.,  4.,  0., 10.])
    """

    __slots__ = ("indices", "values", "n")

    def __init__(self, indices: ArrayLike, values: ArrayLike, n: int) -> None:
        self.indices, self.values = numbers(indices, "indices"), numbers(values, "values")
        if self.indices.dtype.kind != "i" or len(self.indices) != len(self.values):
            raise ValueError(
                f"there are {len(self.indices)} indices of {self.indices.dtype} and "
                f"{len(self.values)} values; as many integers as values are expected"
            )
        self.n = whole(n, "n")

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.indices)

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.values.dtype

    def view(self) -> Any:
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
        return _by(_arrays.vector(_arrays.unmasked(y)))

    @header("ek_sparse_dot", "ek_sparse_dot_dense")
    def dot(self, y: "SparseVector | ArrayLike", **given: Any) -> Union[int, float]:
        """The dot product with a sparse vector, or with an ndarray of a type that fits this one."""
        result = np.empty(1, self.dtype)
        ctx, opts = options(**given)
        if isinstance(y, SparseVector):
            api.ek_sparse_dot(ctx, opts, _by(self.view()), _by(y.view()), _arrays.address(result))
        else:
            y = _arrays.as_type(dense(y, self.dtype, 1), self.dtype)
            api.ek_sparse_dot_dense(
                ctx, opts, _by(self.view()), _by(_arrays.vector(y)), _arrays.address(result)
            )
        return result[0].item()

    @header("ek_sparse_axpy")
    def axpy(self, y: np.ndarray, alpha: float = 1.0, **given: Any) -> np.ndarray:
        """Adds alpha times this vector to the ndarray y."""
        ctx, opts = options(**given)
        api.ek_sparse_axpy(ctx, opts, real(alpha), _by(self.view()), self._dense(y))
        return y

    @header("ek_sparse_add")
    def add(
        self, y: "SparseVector", alpha: float = 1.0, beta: float = 1.0, **given: Any
    ) -> "SparseVector":
        """alpha times this vector plus beta times the sparse vector y."""
        if not isinstance(y, SparseVector):
            raise TypeError(f"{type(y).__name__} is not a sparse vector")
        alpha, beta = real(alpha), real(beta)
        most = self.nnz + y.nnz
        z = SparseVector(np.empty(most, self.indices.dtype), np.empty(most, self.dtype), self.n)
        count = ctypes.c_int64()
        ctx, opts = options(**given)
        api.ek_sparse_add(
            ctx, opts, alpha, _by(self.view()), beta, _by(y.view()), _by(count), _by(z.view())
        )
        return SparseVector(z.indices[: count.value], z.values[: count.value], self.n)

    def __add__(self, y: "SparseVector") -> "SparseVector":
        return self.add(y) if isinstance(y, SparseVector) else NotImplemented

    def __sub__(self, y: "SparseVector") -> "SparseVector":
        return self.add(y, 1.0, -1.0) if isinstance(y, SparseVector) else NotImplemented

    @header("ek_scatter")
    def scatter(self, y: np.ndarray, **given: Any) -> np.ndarray:
        """Copies the values to their places in the ndarray y."""
        ctx, opts = options(**given)
        api.ek_scatter(ctx, opts, _by(self.view()), self._dense(y))
        return y

    def toarray(self) -> np.ndarray:
        """This vector as an ndarray."""
        return self.scatter(np.zeros(self.n, self.dtype))

    def __repr__(self) -> str:
        return f"<evenkeel.SparseVector of {self.n}, {self.nnz} entries, {self.dtype}>"


@header("ek_gather")
def gather(y: ArrayLike, indices: ArrayLike, **given: Any) -> SparseVector:
    """The entries of the ndarray y at these indices, as a sparse vector."""
    y, indices = numbers(y, "y"), numbers(indices, "indices")
    x = SparseVector(indices, np.empty(len(indices), y.dtype), len(y))
    ctx, opts = options(**given)
    api.ek_gather(ctx, opts, _by(_arrays.vector(y)), _by(x.view()))
    return x


@header("ek_gemvi")
def gemvi(A: ArrayLike, x: SparseVector, alpha: float = 1.0, **given: Any) -> np.ndarray:
    """alpha A x for an ndarray A of two dimensions, whose type fits that of the sparse vector x."""
    A, view = _arrays.as_block(dense(A, x.dtype, 2), x.dtype)
    y = np.empty(A.shape[0], x.dtype)
    ctx, opts = options(**given)
    api.ek_gemvi(ctx, opts, real(alpha), _by(view), _by(x.view()), 0.0, _by(_arrays.vector(y)))
    return y


@header("ek_spmspv", "ek_spmspv_size")
def multiply(A: "Matrix", x: SparseVector, alpha: float = 1.0) -> SparseVector:
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
    api.ek_spmspv(pointer, real(alpha), _by(x.view()), _by(count), _by(y.view()))
    return SparseVector(y.indices[: count.value], y.values[: count.value], y.n)
