# SPDX-License-Identifier: BSD-3-Clause
"""Copies of a matrix: by the module copy, and by pickle, which takes it to other processes."""

from typing import TYPE_CHECKING, Any, Callable

from . import _make, _matrix, _sparse
from ._plan import Core

if TYPE_CHECKING:
    from ._matrix import Matrix


def rebuild(
    arrays: "tuple[Any, ...]", format: str, transposed: bool, calls: int, is_array: bool
) -> "Matrix":
    """The Matrix that Copying.__reduce__ took apart, in the default context."""
    pointer, index, value, lines, shape = arrays
    options = {"lines": lines, "copy": True, "calls": calls, "is_array": is_array}
    made = _make.from_compressed(shape, pointer, index, value, **options)
    if format not in ("csr", "csc"):
        made = made.convert(format, max_bytes=2**63 - 1)  # as large as it was
    made.core.own = "the matrix was unpickled: change its values by set_values"
    return made.T if transposed else made


class Copying:
    """What copies a Matrix, which has these members."""

    __slots__ = ()
    core: Core
    transposed: bool

    def __copy__(self) -> "Matrix":
        """Another object for the same matrix."""
        return _matrix.Matrix(self.core, self.transposed)

    def __deepcopy__(self, _memo: dict) -> "Matrix":
        """A matrix with arrays of its own in the same context, as of matrix(A, copy=True)."""
        return _make.matrix(self, copy=True)

    def __reduce__(self) -> "tuple[Callable[..., Any], tuple[Any, ...]]":
        """The arrays of the matrix, in CSR if it is neither in CSR nor in CSC, and its format."""
        plain = _matrix.Matrix(self.core)
        format = plain.format
        source = self.core if format in ("csr", "csc") else plain.convert("csr").core
        arrays = (*_sparse.compressed(source), source.shape)
        return rebuild, (arrays, format, self.transposed, self.core.calls, self.core.is_array)
