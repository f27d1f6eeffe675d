# SPDX-License-Identifier: BSD-3-Clause
"""The class Matrix: a sparse matrix of the library, or its transpose, with numpy's operators."""

import ctypes
import numbers
import os
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike

from . import _arrays, _dlpack, _make, _products, _sparse
from ._context import Context
from ._copying import Copying
from ._entries import Entries
from ._lib import api, as_dict, contents, each, file_name, header, new, text
from ._plan import Core, Plan
from .vectors import SparseVector, multiply as multiply_vector


class Matrix(Copying, Entries):
    """A sparse matrix: `A @ x`, `A @ X`, `A @ B`, `A.T`, `A + B`, and what scipy's solvers need.

    Make one with evenkeel.matrix, read or generate. Any number of threads may use a matrix, except
    that set_values, values_changed and A[i, j] = v must not run beside anything else on it.
    """

    __slots__ = ("core", "transposed", "shape", "dtype", "_product", "__weakref__")
    __array_ufunc__ = None  # x @ A comes here
    ndim = 2

    def __init__(self, core: Core, transposed: bool = False) -> None:
        self.core, self.transposed = core, transposed
        self.shape = core.shape[::-1] if transposed else core.shape
        self.dtype = core.dtype
        self._product = core.fast[transposed]

    # ---- Products with dense arrays ----

    @overload
    def __matmul__(self, x: "Matrix") -> "Matrix": ...
    @overload
    def __matmul__(self, x: SparseVector) -> SparseVector: ...
    @overload
    def __matmul__(self, x: np.ndarray) -> np.ndarray: ...
    @overload
    def __matmul__(self, x: Any) -> Any: ...
    def __matmul__(self, x: Any) -> Any:
        y = self._product(x)
        if y is None:
            y = self.core.block("spmm", self.transposed, x)
        return y if y is not None else self.matmul(x)

    @header("ek_spmv", "ek_spmm")
    def matmul(self, X: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """Computes alpha A X + beta out for a vector, a block or a sparse matrix X.

        The result has the type of A, or that of X if it is wider: a matrix of f32 is converted
        once, when it first meets an operand of f64. Complex operands give complex results.

        X and out may be arrays of torch, cupy and others, which have __dlpack__. Both may be on the
        CUDA device of A's context; the product has then been computed there when this returns.

        >>> import numpy as np, scipy.sparse as sp
        >>> A, y = Matrix.of(sp.csr_array([[1., 2], [0, 3]])), np.ones(2)
        >>> A.matmul(np.array([1., 1]), out=y, beta=10) is y
        True
        >>> y
        array([13., 13.])
        """
        y = self._product(X, out, alpha, beta)
        if y is None:
            y = self.core.block("spmm", self.transposed, X, out, alpha, beta)
        if y is not None:
            return y
        if type(X) is not np.ndarray or out is not None:
            is_vector = isinstance(X, SparseVector)
            if is_vector or _sparse.is_sparse(X):
                if out is not None or beta:
                    raise ValueError("products with sparse operands have no out and no beta")
                return (multiply_vector if is_vector else _sparse.multiply)(self, X, alpha)
            if _dlpack.is_on_device(X, out):
                return _dlpack.multiply(self, X, out, alpha, beta)
            if _dlpack.is_foreign(X, out):
                return _dlpack.on_host(self.matmul, X, out, alpha, beta)
        X = _arrays.unmasked(X)
        if X.ndim == 1 and X.dtype == self.dtype:
            self._product = self.core.plan("spmv", self.transposed).product()
            self.core.fast[self.transposed] = self._product  # for A.T.T, and each new A.T
            y = self._product(X, out, alpha, beta)
            if y is not None:
                return y
        return _products.multiply(self, X, out, alpha, beta)

    @header("ek_dense_spmm")
    def rmatmul(self, X: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """Computes alpha X A + beta out: products from the other side."""
        y = self.core.fast[not self.transposed](X, out, alpha, beta)
        if y is None:
            y = self.core.block("dense_spmm", self.transposed, X, out, alpha, beta)
        if y is not None:
            return y
        if _dlpack.is_on_device(X, out):
            return _dlpack.multiply(self, X, out, alpha, beta, from_left=True)
        if _dlpack.is_foreign(X, out):
            return _dlpack.on_host(self.rmatmul, X, out, alpha, beta)
        X = _arrays.unmasked(X)
        if X.ndim == 1:
            return self.T.matmul(X, out, alpha, beta)
        return _products.multiply_left(self, X, out, alpha, beta)

    def __rmatmul__(self, X: Any) -> Any:
        y = self.core.fast[not self.transposed](X)
        if y is None:
            y = self.core.block("dense_spmm", self.transposed, X)
        if y is not None:
            return y
        if _sparse.is_sparse(X):
            return _sparse.multiply_from_left(X, self)
        return self.rmatmul(X)

    dot = matvec = matmat = matmul

    def rmatvec(self, x: Any, out: Any = None) -> Any:
        """A.T @ x."""
        y = self.core.fast[not self.transposed](x, out)
        return y if y is not None else self.T.matmul(x, out)

    rmatmat = rmatvec

    @property
    def T(self) -> "Matrix":
        """The transpose; nothing is computed or copied."""
        return Matrix(self.core, not self.transposed)

    H = T

    def transpose(self) -> "Matrix":
        """The transpose; nothing is computed or copied."""
        return self.T

    adjoint = transpose

    def for_operand(self, dtype: DTypeLike) -> "Matrix":
        """This matrix, or one of f64 with the same entries, for an operand of this type."""
        if self.dtype == _arrays.F64 or np.result_type(self.dtype, dtype) == _arrays.F32:
            return self
        core, wide = self.core, self.core.wide
        if wide is None:
            made = Matrix(core).astype(np.float64).core
            with core.lock:
                wide = core.wide = core.wide or made
        return Matrix(wide, self.transposed)

    # ---- Sparse results ----

    @overload
    def __add__(self, B: "Matrix") -> "Matrix": ...
    @overload
    def __add__(self, B: Any) -> Any: ...
    def __add__(self, B: Any) -> Any:
        return _sparse.sum_of(self, B, 1.0, 1.0)

    __radd__ = __add__

    @overload
    def __sub__(self, B: "Matrix") -> "Matrix": ...
    @overload
    def __sub__(self, B: Any) -> Any: ...
    def __sub__(self, B: Any) -> Any:
        return _sparse.sum_of(self, B, 1.0, -1.0)

    def __rsub__(self, B: Any) -> Any:
        return _sparse.sum_of(self, B, -1.0, 1.0)

    def __mul__(self, alpha: float) -> "Matrix":
        return _sparse.scale(self, alpha) if isinstance(alpha, numbers.Real) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, alpha: float) -> "Matrix":
        is_number = isinstance(alpha, numbers.Real)
        return _sparse.scale(self, 1 / alpha) if is_number else NotImplemented

    def __neg__(self) -> "Matrix":
        return _sparse.scale(self, -1)

    @header("ek_spgemm")
    def multiply_sparse(
        self, B: Any, alpha: float = 1.0, D: Any = None, beta: float = 1.0, **options: Any
    ) -> Any:
        """alpha A B + beta D, all sparse; options are those of plan. Each call makes a plan of its
        own, so `measure` only takes decisions that the context has, with `calls` of at least 64.
        With `unsorted=True` the columns in a row may have any order, as in products of scipy and
        MKL, which can take half the time (hints.unsorted).
        """
        return _sparse.multiply(self, B, alpha, D, beta, **options)

    @header("ek_spadd")
    def add(self, B: Any, alpha: float = 1.0, beta: float = 1.0, **options: Any) -> Any:
        """alpha A + beta B, both sparse; options are those of plan."""
        return _sparse.add(self, B, alpha, beta, **options)

    @header("ek_triple")
    def galerkin(self, P: Any, alpha: float = 1.0, **options: Any) -> Any:
        """alpha P^T A P, all sparse; options are those of plan."""
        return _sparse.galerkin(self, P, alpha, **options)

    @header("ek_aggregate")
    def aggregate(self, strength: float = 0.0) -> "Matrix":
        """The prolongator that is constant on each aggregate of rows."""
        return _sparse.coarsen(api.ek_aggregate, self, strength, 0.0)

    @header("ek_prolongator")
    def prolongator(self, strength: float = 0.0, omega: float = 0.0) -> "Matrix":
        """The smoothed prolongator of algebraic multigrid."""
        return _sparse.coarsen(api.ek_prolongator, self, strength, omega)

    @header("ek_plan_create")
    def plan(
        self,
        operation: str = "spmv",
        *,
        calls: int = 0,
        method: "str | None" = None,
        format: "str | None" = None,
        reproducible: bool = False,
        budget: int = 0,
        width: int = 0,
        threads: int = 0,
        measure: bool = False,
    ) -> Plan:
        """Prepares products: "spmv" for vectors, "spmm" for blocks of `width` columns, "dense_spmm"
        for X @ A. `reproducible` means EK_REPRO_STRICT, and `budget` is hints.memory in bytes. With
        `measure` the first products try several methods, and the fastest stays (hints.measure).

        >>> A = Matrix.of([[2., 0], [1, 3]])
        >>> plan = A.plan(method="csr.serial")
        >>> plan.method, plan.format
        ('spmv.csr.serial', 'csr')
        >>> plan @ [1., 1.]
        array([2., 4.])
        """
        return Plan(
            self.core,
            operation,
            self.transposed,
            calls=calls,
            method=method,
            format=format,
            reproducible=reproducible,
            budget=budget,
            width=width,
            threads=threads,
            measure=measure,
        )

    # ---- What it is ----

    @staticmethod
    def of(A: Any, **options: Any) -> "Matrix":
        """evenkeel.matrix(A)."""
        return _make.matrix(A, **options)

    @property
    def info(self) -> dict:
        """The members of ek_matrix_info; those of the matrix behind a transpose."""
        info = new("ek_matrix_info")
        api.ek_matrix_get_info(self.core.handle.pointer, ctypes.byref(info))
        return {
            **as_dict(info),
            "value": api.ek_value_name(info.value).decode(),
            "index": api.ek_index_name(info.index).decode(),
        }

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self.info["nnz"]

    @property
    def format(self) -> str:
        """The format in which the matrix is stored, and its parameters."""
        info = self.info
        entry = api.ek_format_find(info["format"].encode())
        values = [
            f"{contents('ek_format_param', param).name.decode()}={size}"
            for param, size in zip(each(api.ek_format_get_param, entry), info["dim"])
        ]
        return info["format"] + (":" + ",".join(values) if values else "")

    @property
    def context(self) -> Context:
        """The context in which the matrix was made."""
        return self.core.context

    @header("ek_matrix_stats")
    def stats(self) -> dict:
        """Statistics of the pattern: the members of ek_stats."""
        stats = new("ek_stats")
        plain = _sparse.plain(self)
        api.ek_matrix_stats(plain.core.handle.pointer, ctypes.byref(stats))
        return as_dict(stats)

    @header("ek_matrix_check")
    def check(self) -> None:
        """Checks all invariants of the arrays."""
        api.ek_matrix_check(self.core.handle.pointer)

    @property
    def arrays(self) -> dict:
        """The arrays of the format by name, as read-only views."""
        handle = self.core.handle
        found, entry = {}, api.ek_format_find(self.info["format"].encode())
        for name in each(api.ek_format_array, entry):
            view = new("ek_view")
            api.ek_matrix_array(handle.pointer, name, ctypes.byref(view))
            dtype = _arrays.DTYPE.get(view.type, np.dtype(f"V{view.elem_size or 1}"))
            found[name.decode()] = _arrays.view(handle, view.data, view.len, dtype)
        return found

    # ---- Conversion ----

    @header("ek_matrix_convert")
    def convert(
        self,
        format: str,
        *,
        dtype: "DTypeLike | None" = None,
        index: "str | None" = None,
        max_bytes: int = 0,
    ) -> "Matrix":
        """A copy in another format, "sell:c=8" for example."""
        value, width = _make.value_and_index(dtype, index)
        options = new("ek_convert_options", value=value, index=width, max_bytes=max_bytes)
        plain = _sparse.plain(self).core
        return Matrix(
            plain.derived(
                api.ek_matrix_convert,
                plain.handle.pointer,
                text(format, "format"),
                ctypes.byref(options),
            )
        )

    def astype(self, dtype: DTypeLike) -> "Matrix":
        """A copy with values of another type, f32 or f64."""
        result = Matrix(self.core).convert(self.format, dtype=dtype, max_bytes=2**63 - 1)
        return result.T if self.transposed else result

    def tocsr(self, copy: bool = False) -> Any:
        """This matrix in CSR of scipy: a read-only view if it is stored so and copy is False,
        but a copy if entries are unsorted or repeated, since scipy sorts those where they are."""
        return _sparse.to_scipy(self, "csr", copy)

    def tocsc(self, copy: bool = False) -> Any:
        """This matrix in CSC of scipy: a read-only view if it is stored so and copy is False,
        but a copy if entries are unsorted or repeated, since scipy sorts those where they are."""
        return _sparse.to_scipy(self, "csc", copy)

    def tocoo(self) -> Any:
        """This matrix in COO of scipy."""
        return self.tocsr().tocoo()

    def toscipy(self) -> Any:
        """This matrix in scipy, in CSC if it is stored so, else in CSR; as tocsr does it."""
        by_columns = (self.info["format"] == "csc") != self.transposed
        return _sparse.to_scipy(self, "csc" if by_columns else "csr")

    @header("ek_spadd_dense")
    def toarray(self, out: "np.ndarray | None" = None) -> np.ndarray:
        """This matrix as an ndarray."""
        Y = _products.target(self.shape, self.dtype, out, 0.0)
        view = _arrays.block(Y)
        if view is None:
            raise ValueError("out is neither row- nor column-major")
        plan = self.core.plan("spadd_dense", self.transposed)
        api.ek_spadd_dense(plan.handle().pointer, 1.0, 0.0, ctypes.byref(view))
        return Y

    def diagonal(self) -> np.ndarray:
        """The entries of the main diagonal."""
        return self.tocsr().diagonal()

    @header("ek_matrix_write")
    def write(self, path: "str | bytes | os.PathLike[Any]", form: "str | None" = None) -> None:
        """Writes the matrix to a file, "mtx" or "ekm"."""
        plain, kind = _sparse.plain(self), None if form is None else text(form, "form")
        api.ek_matrix_write(plain.core.handle.pointer, file_name(path), kind)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return (
            f"<evenkeel.Matrix {rows} x {cols}, {self.nnz} entries, {self.dtype}, {self.format}"
            f"{', transposed' if self.transposed else ''}>"
        )
