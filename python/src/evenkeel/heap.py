# SPDX-License-Identifier: BSD-3-Clause
"""Heaps whose nodes have many children, so that SIMD instructions find the largest of them."""

import ctypes
import threading
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _arrays
from ._context import Context, default_context
from ._lib import api, as_dict, header, made, new, real, whole
from ._primitive import numbers

_WIDTH = {4: ctypes.c_int32, 8: ctypes.c_int64}


def _cell(dtype, value, argument):
    """An array of one number."""
    if dtype.kind == "i":
        return np.array([whole(value, argument, _WIDTH[dtype.itemsize])], dtype)
    return np.array([real(value, argument)], dtype)


class Heap:
    """A max-heap of numbers in which every node has `arity` children; each may carry a value.

    >>> heap = Heap(np.int64, np.float64)
    >>> heap.build([3, 9, 4], [0.3, 0.9, 0.4])
    >>> heap.insert(7, 0.7)
    >>> heap.delete_max(), heap.delete_max(), len(heap)
    ((9, 0.9), (7, 0.7), 2)
    """

    __slots__ = ("dtype", "value_dtype", "_handle", "_lock")

    @header("ek_heap_create")
    def __init__(
        self,
        dtype: DTypeLike = np.float64,
        value_dtype: Optional[DTypeLike] = None,
        *,
        arity: int = 8,
        capacity: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        self.dtype = self._type(dtype)
        self.value_dtype = None if value_dtype is None else self._type(value_dtype)
        self._lock = threading.Lock()  # ctypes releases the GIL, and a heap is for one thread
        context = context or default_context()
        self._handle = made(
            api.ek_heap_destroy,
            (context.handle,),
            api.ek_heap_create,
            context.pointer,
            _arrays.VALUE[self.dtype],
            0 if self.value_dtype is None else self.value_dtype.itemsize,
            whole(arity, "arity", ctypes.c_int),
            whole(capacity, "capacity"),
        )

    @staticmethod
    def _type(dtype):
        return numbers(np.empty(0, dtype), "the heap").dtype

    def _pair(self, key, value):
        """Addresses of a key and of its value, and what has to live during the call."""
        if (value is None) != (self.value_dtype is None):
            raise ValueError("a value is expected with each key if, and only if, the heap has some")
        cells = [_cell(self.dtype, key, "key")]
        if value is not None:
            cells.append(_cell(self.value_dtype, value, "value"))
        return (*map(_arrays.address, cells), None)[:2], cells

    def _read(self, function, *arguments) -> Any:
        """The pair that a function stores: a key, or a key and a value."""
        types = (self.dtype, self.value_dtype)
        cells = [np.empty(1, dtype) for dtype in types if dtype is not None]
        places = (*map(_arrays.address, cells), None)[:2]
        with self._lock:
            function(self._handle.pointer, *arguments, *places)
        pair = tuple(cell[0].item() for cell in cells)
        return pair if len(pair) == 2 else pair[0]

    def __len__(self) -> int:
        with self._lock:
            return api.ek_heap_size(self._handle.pointer)

    @header("ek_heap_build")
    def build(self, keys: ArrayLike, values: Optional[ArrayLike] = None) -> None:
        """Replaces the contents by these keys, or keys and values."""
        if (values is None) != (self.value_dtype is None):
            raise ValueError("values are expected if, and only if, the heap has some")
        arrays = [self._array(keys, self.dtype, "keys")]
        if values is not None:
            arrays.append(self._array(values, self.value_dtype, "values"))
            if len(arrays[1]) != len(arrays[0]):
                raise ValueError(f"there are {len(arrays[0])} keys and {len(arrays[1])} values")
        places = (*map(_arrays.address, arrays), None)[:2]
        with self._lock:
            api.ek_heap_build(self._handle.pointer, len(arrays[0]), *places)

    @staticmethod
    def _array(given, dtype, argument):
        """An array of numbers that fits the type of the heap."""
        array = numbers(given, argument)
        if array.size and np.result_type(array.dtype, dtype) != dtype:
            raise TypeError(f"{argument} are {array.dtype}; {dtype} is expected")
        return _arrays.as_type(array, dtype)

    @header("ek_heap_insert")
    def insert(self, key: float, value: Optional[float] = None) -> None:
        """Adds a key, or a key and its value."""
        places, keep = self._pair(key, value)
        with self._lock:
            api.ek_heap_insert(self._handle.pointer, *places)
        del keep

    @header("ek_heap_node")
    def node(self, number: int) -> Any:
        """The key of a node, or its key and value; the root is node 0."""
        return self._read(api.ek_heap_node, whole(number, "number"))

    @header("ek_heap_delete_max")
    def delete_max(self) -> Any:
        """Removes the root, and returns its key, or its key and value."""
        return self._read(api.ek_heap_delete_max)

    @header("ek_heap_update_key")
    def update_key(self, number: int, key: float, value: Optional[float] = None) -> None:
        """Gives a node another key, or another key and value."""
        places, keep = self._pair(key, value)
        with self._lock:
            api.ek_heap_update_key(self._handle.pointer, whole(number, "number"), *places)
        del keep

    @property
    def counts(self) -> dict:
        """Numbers of the operations that the heap has performed: the members of ek_heap_counts."""
        counts = new("ek_heap_counts")
        with self._lock:
            api.ek_heap_get_counts(self._handle.pointer, ctypes.byref(counts))
        return as_dict(counts)

    def __repr__(self) -> str:
        values = "" if self.value_dtype is None else f" with {self.value_dtype}"
        return f"<evenkeel.Heap of {len(self)} {self.dtype}{values}>"
