# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of numpy, and of whatever has __dlpack__, as the library's views; nothing is copied that
need not be, and `copies` counts what is."""

import ctypes
import sys
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._lib import constants, structs

F64, F32 = np.dtype(np.float64), np.dtype(np.float32)
I64, I32 = np.dtype(np.int64), np.dtype(np.int32)
VALUE: "dict[np.dtype, int]" = {
    F32: constants.EK_F32,
    F64: constants.EK_F64,
    I32: constants.EK_INT32,
    I64: constants.EK_INT64,
}
DTYPE: "dict[int, np.dtype]" = {value: dtype for dtype, value in VALUE.items()}
INDEX = {
    (I32, I32): constants.EK_I32,
    (I64, I32): constants.EK_I64_32,
    (I64, I64): constants.EK_I64,
}
INDEX_DTYPES = {index: dtypes for dtypes, index in INDEX.items()}
DENSE_SIZE = ctypes.sizeof(structs.ek_dense)


class Copies:
    """Counts arrays that had to be copied on their way to the library."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrays = self._bytes = 0

    def add(self, *arrays: np.ndarray) -> np.ndarray:
        """Counts these, and returns the last."""
        self.count(len(arrays), sum(array.nbytes for array in arrays))
        return arrays[-1]

    def count(self, arrays: int, size: int) -> None:
        """Counts arrays of other libraries that have `size` bytes in all."""
        with self._lock:
            self._arrays += arrays
            self._bytes += size

    def __call__(self) -> "tuple[int, int]":
        """Returns the numbers of arrays and of bytes so far."""
        with self._lock:
            return self._arrays, self._bytes


copies = Copies()


def _reads_head(offset):
    """Is the first member of an ndarray, behind the head of objects, the address of its data?"""
    sample = np.arange(6.0)[2:]
    where = ctypes.c_size_t.from_address(id(sample) + offset)
    return sample.ctypes.data == where.value


# The struct behind ndarray has been the same since numpy 1.0, and numpy's own macros, compiled into
# every extension, read it where it is. ndarray.ctypes.data takes ten times as long.
_HEAD = object.__basicsize__
if sys.implementation.name == "cpython" and _reads_head(_HEAD):

    def address(array, _at=ctypes.c_size_t.from_address, _id=id, _head=_HEAD):
        """Address of the first element of an ndarray."""
        return _at(_id(array) + _head).value
else:

    def address(array):  # type: ignore[misc]
        """Address of the first element of an ndarray."""
        return array.ctypes.data


def as_type(array: Any, dtype: DTypeLike) -> np.ndarray:
    """The array with this type, in native order, contiguous and aligned: itself, or a copy."""
    if type(array) is np.ndarray and array.dtype is dtype:  # what np.require does takes long
        flags = array.flags
        if flags.c_contiguous and flags.aligned:
            return array
    result = np.asanyarray(array, dtype, "C")
    if not result.flags.aligned:
        result = result.copy("C")
    if result is not array and not np.may_share_memory(result, array):
        copies.add(result)
    return result


def expect_numbers(dtype: np.dtype, name: str) -> None:
    """Raises a TypeError for what is no number, and for more digits than the library has.

    numpy would parse text, and make numbers of dates and of None.
    """
    if dtype.kind not in "biufc":
        raise TypeError(f"{name} {dtype}; numbers are expected")
    if dtype.kind in "fc" and dtype.itemsize > (2 if dtype.kind == "c" else 1) * F64.itemsize:
        raise TypeError(
            f"{name} {dtype}, and the library has no more digits than float64: convert to that"
        )


def unmasked(X: Any) -> np.ndarray:
    """X as an ndarray, unless it is a masked array with elements that are masked."""
    if type(X) is np.ndarray:
        return X
    if np.ma.is_masked(X):
        raise ValueError("an array has masked elements; fill them first, or remove them")
    return np.asarray(X)


class _Memory:
    """Memory of another owner that an ndarray shows, which keeps the owner alive."""

    def __init__(self, owner, pointer, shape, dtype, writable, strides=None):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "strides": strides,
            "typestr": dtype.str,
            "data": (pointer, not writable),
        }


def view(owner, pointer, length, dtype, writable=False):
    """An ndarray on memory that `owner` keeps."""
    if length == 0:
        return np.empty(0, dtype)
    return np.asarray(_Memory(owner, pointer, (length,), dtype, writable))


def writable(array):
    """An ndarray on the memory of a read-only one, which may be written to."""
    at = array.ctypes.data
    return np.asarray(_Memory(array, at, array.shape, array.dtype, True, array.strides))


def dense(value, rows, cols, ld, data, order=constants.EK_COL_MAJOR, where=0):
    """An ek_dense."""
    return structs.ek_dense(DENSE_SIZE, value, rows, cols, ld, data, where, order)


def vector(array: np.ndarray) -> Any:
    """The view of an ndarray of one dimension, or None if the library cannot use it where it is."""
    if not (array.flags.c_contiguous and array.flags.aligned):
        return None
    return dense(VALUE[array.dtype], array.size, 1, array.size, address(array))


def order_of(
    shape: "tuple[int, ...]", strides: "tuple[int, ...]", item: int = 1
) -> "tuple[int, int] | None":
    """The order and leading dimension of a block whose elements are `item` apart, or None."""
    (rows, cols), (down, right) = shape, strides
    if (right == item or cols <= 1) and (rows <= 1 or down % item == 0 and down >= cols * item):
        return constants.EK_ROW_MAJOR, down // item if rows > 1 else cols
    if (down == item or rows <= 1) and (cols <= 1 or right % item == 0 and right >= rows * item):
        return constants.EK_COL_MAJOR, right // item if cols > 1 else rows
    return None


def block(array: np.ndarray) -> Any:
    """The view of an ndarray of two dimensions, or None as for a vector."""
    if not array.flags.aligned or not array.dtype.isnative:
        return None
    found = order_of(array.shape, array.strides, array.itemsize)
    if found is None:
        return None
    (rows, cols), (order, ld) = array.shape, found
    return dense(VALUE[array.dtype], rows, cols, ld, address(array), order)


def as_block(array: np.ndarray, dtype: np.dtype) -> "tuple[np.ndarray, Any]":
    """A block with this type that has a view: the array itself, or a copy; and the view."""
    found = block(array) if array.dtype == dtype else None
    if found is None:
        array = as_type(array, dtype)
        found = block(array)
    return array, found
