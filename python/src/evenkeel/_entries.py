# SPDX-License-Identifier: BSD-3-Clause
"""Entries of a matrix: one of them, and new values for all. No product may run meanwhile."""

import ctypes
import operator

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, errors
from ._lib import api, header, real
from ._plan import Core


class Entries:
    """What reads and changes entries of a Matrix, which has these members."""

    __slots__ = ()
    core: Core
    transposed: bool
    shape: "tuple[int, int]"
    dtype: np.dtype

    def __getitem__(self, where: "tuple[int, int]") -> float:
        i, j = self._place(where)
        value = ctypes.c_double()
        api.ek_matrix_get(self.core.handle.pointer, i, j, ctypes.byref(value))
        return value.value

    def __setitem__(self, where: "tuple[int, int]", value: float) -> None:
        i, j = self._place(where)
        api.ek_matrix_set(self.core.handle.pointer, i, j, real(value, "the value"))
        self.core.wide = None

    def _place(self, where):
        if not isinstance(where, tuple) or len(where) != 2:
            raise TypeError(f"an entry is A[i, j]; [{where!r}] is not a row and a column")
        place = []
        for name, index, size in zip(("row", "column"), map(operator.index, where), self.shape):
            if not -size <= index < size:
                raise errors.OutOfRange(f"{name} {index} is not one of {size}")
            place.append(index % size)
        return tuple(place[:: -1 if self.transposed else 1])

    @header("ek_matrix_values_changed")
    def values_changed(self) -> None:
        """Tells that values of the arrays changed from which the matrix was made, if it uses them
        where they are."""
        if self.core.own:
            raise ValueError(f"no values changed: {self.core.own}")
        api.ek_matrix_values_changed(self.core.handle.pointer)
        self.core.wide = None

    @header("ek_matrix_set_values")
    def set_values(self, values: ArrayLike) -> None:
        """Gives the entries new values, in the order of the arrays from which it was made."""
        values = _arrays.unmasked(values)
        if values.dtype.kind == "c":
            raise TypeError(f"values are {values.dtype}; real ones are expected")
        _arrays.expect_numbers(values.dtype, "values are")
        values = _arrays.as_type(values, self.dtype)
        api.ek_matrix_set_values(self.core.handle.pointer, values.size, _arrays.address(values))
        self.core.wide = None
