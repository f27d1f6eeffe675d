# SPDX-License-Identifier: BSD-3-Clause
"""What the primitives share: their options, and their arguments as the library takes them."""

import ctypes
from typing import Any

import numpy as np

from . import _arrays
from ._context import Context, allowed, default_context
from ._lib import constants, new

_at = _arrays.address


def options(
    method: "str | None" = None,
    threads: int = 0,
    block: int = 0,
    arity: int = 0,
    trusted: bool = False,
    context: "Context | None" = None,
) -> "tuple[int, Any]":
    """The pointer of a context, and a pointer to options."""
    context = context or default_context()
    given = new(
        "ek_array_options",
        method=method,
        threads=allowed(context, threads),
        block=block,
        arity=arity,
        flags=constants.EK_TRUSTED if trusted else 0,
    )
    return context.pointer, ctypes.byref(given)


def numbers(array: Any, argument: str = "array") -> np.ndarray:
    """An array of one dimension, contiguous, of one of the four types."""
    array = _arrays.unmasked(array)
    if array.ndim != 1 or array.dtype.newbyteorder("=") not in _arrays.VALUE:
        raise TypeError(
            f"{argument} has the type {array.dtype} and {array.ndim} dimensions; int32, "
            "int64, float32 or float64, and one are expected"
        )
    return _arrays.as_type(array, array.dtype.newbyteorder("="))


def payload(values: Any) -> np.ndarray:
    """An array of values that move along with keys: of any type but references to objects."""
    values = _arrays.unmasked(values)
    if values.dtype.hasobject:
        raise TypeError(f"values have the type {values.dtype}; numbers are expected")
    return values


def two_alike(
    a: Any, b: Any, names: "tuple[str, str]" = ("a", "b")
) -> "tuple[np.ndarray, np.ndarray]":
    """Two arrays of numbers of the same type."""
    a, b = numbers(a, names[0]), numbers(b, names[1])
    if a.dtype != b.dtype:
        raise TypeError(f"{names[0]} has the type {a.dtype}, and {names[1]} has {b.dtype}")
    return a, b


def index_type(array: np.ndarray, argument: str) -> int:
    """The type of the library for indices in an array of numbers."""
    if array.dtype.kind != "i":
        raise TypeError(f"{argument} has the type {array.dtype}; int32 or int64 is expected")
    return _arrays.INDEX[array.dtype, array.dtype]


def room(out: Any, length: int, dtype: np.dtype) -> np.ndarray:
    """The array for a result of one dimension: `out`, or a new one."""
    if out is None:
        return np.empty(length, dtype)
    if (
        not isinstance(out, np.ndarray)
        or out.dtype != dtype
        or out.shape != (length,)
        or not out.flags.carray
    ):
        raise ValueError(f"out: a writable, contiguous ndarray of {length} {dtype} is expected")
    return out


def marks(flags: Any, n: int) -> np.ndarray:
    """n flags of any type as bytes, which are not 0 where a flag is not."""
    flags = np.ascontiguousarray(_arrays.unmasked(flags) != 0).view(np.uint8)
    if flags.shape != (n,):
        raise ValueError(f"flags has the shape {flags.shape}; {(n,)} is expected")
    return flags


def segments(n: int, flags: Any, offsets: Any) -> "tuple[Any, np.ndarray, int]":
    """An ek_segments with what has to live during the call, and the number of segments."""
    if (flags is None) == (offsets is None):
        raise ValueError("one of flags and offsets is expected")
    if flags is not None:
        flags = marks(flags, n)
        count = int(np.count_nonzero(flags[1:])) + 1 if n else 0
        return new("ek_segments", count=count, flag=_at(flags)), flags, count
    offsets = numbers(offsets, "offsets")
    count = len(offsets) - 1
    return (
        new(
            "ek_segments",
            count=count,
            offset=_at(offsets),
            offset_type=_arrays.VALUE[offsets.dtype],
        ),
        offsets,
        count,
    )


def pairs(keys: np.ndarray, values: "np.ndarray | None", length: "int | None" = None) -> Any:
    """An ek_pairs; values have 4 or 8 bytes each."""
    size = 0 if values is None else values.dtype.itemsize
    if values is not None and (values.shape != keys.shape or size not in (4, 8)):
        raise ValueError(
            f"keys have the shape {keys.shape}, and values {values.shape} and {size} bytes each; "
            "the same shape and values of 4 or 8 bytes are expected"
        )
    return new(
        "ek_pairs",
        type=_arrays.VALUE[keys.dtype],
        value_size=size,
        key=_at(keys),
        n=len(keys) if length is None else length,
        value=None if values is None else _at(values),
    )
