# SPDX-License-Identifier: BSD-3-Clause
"""Primitives on numpy arrays of int32, int64, float32 and float64: what sparse operations are built
from. Options of all: method=, threads=, block=, arity=, trusted=, context=."""

import ctypes

import numpy as np

from . import _arrays
from ._context import allowed, default_context
from ._lib import api, choice, constants, header, new

MONOIDS = {
    "sum": constants.EK_SUM,
    "max": constants.EK_MAX,
    "min": constants.EK_MIN,
    "or": constants.EK_OR,
}
KINDS = {"inclusive": constants.EK_INCLUSIVE, "exclusive": constants.EK_EXCLUSIVE}
_by, _at = ctypes.byref, _arrays.address


def options(method=None, threads=0, block=0, arity=0, trusted=False, context=None):
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
    return context.pointer, _by(given)


def numbers(array, argument="array"):
    """An array of one dimension, contiguous, of one of the four types."""
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.newbyteorder("=") not in _arrays.VALUE:
        raise TypeError(
            f"{argument} has the type {array.dtype} and {array.ndim} dimensions; int32, "
            "int64, float32 or float64, and one are expected"
        )
    return _arrays.as_type(array, array.dtype.newbyteorder("="))


def two_alike(a, b):
    """Two arrays of numbers of the same type."""
    a, b = numbers(a, "a"), numbers(b, "b")
    if a.dtype != b.dtype:
        raise TypeError(f"a has the type {a.dtype}, and b has {b.dtype}")
    return a, b


def room(out, length, dtype):
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


def segments(n, flags, offsets):
    """An ek_segments with what has to live during the call, and the number of segments."""
    if (flags is None) == (offsets is None):
        raise ValueError("one of flags and offsets is expected")
    if flags is not None:
        flags = np.ascontiguousarray(flags).view(np.uint8)
        if flags.shape != (n,):
            raise ValueError(f"flags has the shape {flags.shape}; {(n,)} is expected")
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


@header("ek_reduce")
def reduce(array, op: str = "sum", **given):
    """The sum, maximum, minimum or bitwise or of an array.

    >>> reduce(np.arange(5))
    10
    """
    array, op = numbers(array), choice(MONOIDS, op, "op")
    result = np.empty(1, array.dtype)
    ctx, opts = options(**given)
    api.ek_reduce(ctx, opts, _arrays.VALUE[array.dtype], op, len(array), _at(array), _at(result))
    return result[0].item()


@header("ek_scan")
def scan(array, op: str = "sum", kind: str = "inclusive", out=None, **given) -> np.ndarray:
    """The scan (prefix sum) of an array; out may be the array itself.

    >>> scan(np.array([1, 2, 3]), kind="exclusive")
    array([0, 1, 3])
    """
    array = numbers(array)
    out = room(out, len(array), array.dtype)
    ctx, opts = options(**given)
    api.ek_scan(
        ctx,
        opts,
        _arrays.VALUE[array.dtype],
        choice(MONOIDS, op, "op"),
        choice(KINDS, kind, "kind"),
        len(array),
        _at(array),
        _at(out),
    )
    return out


@header("ek_segmented_scan")
def segmented_scan(
    array, *, flags=None, offsets=None, op: str = "sum", kind: str = "inclusive", out=None, **given
) -> np.ndarray:
    """The scan of each segment; flags are not 0 where a segment begins, offsets are positions.

    >>> segmented_scan(np.array([1, 1, 1, 1]), offsets=np.array([0, 1, 4]))
    array([1, 1, 2, 3])
    """
    array = numbers(array)
    out = room(out, len(array), array.dtype)
    parts, keep, _ = segments(len(array), flags, offsets)
    ctx, opts = options(**given)
    api.ek_segmented_scan(
        ctx,
        opts,
        _arrays.VALUE[array.dtype],
        choice(MONOIDS, op, "op"),
        choice(KINDS, kind, "kind"),
        len(array),
        _at(array),
        _by(parts),
        _at(out),
    )
    del keep
    return out


@header("ek_segmented_sum")
def segmented_sum(array, *, flags=None, offsets=None, out=None, **given) -> np.ndarray:
    """The sum of each segment.

    >>> segmented_sum(np.array([1., 2, 3]), offsets=np.array([0, 0, 2, 3]))
    array([0., 3., 3.])
    """
    array = numbers(array)
    parts, keep, count = segments(len(array), flags, offsets)
    out = room(out, count, array.dtype)
    ctx, opts = options(**given)
    api.ek_segmented_sum(
        ctx, opts, _arrays.VALUE[array.dtype], len(array), _at(array), _by(parts), _at(out)
    )
    del keep
    return out


def pairs(keys, values, length=None):
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


@header("ek_sort")
def sort(keys, values=None, **given):
    """A sorted copy of the keys, or sorted copies of keys and values.

    >>> sort(np.array([3, 1, 2]), np.array([30., 10, 20]))
    (array([1, 2, 3]), array([10., 20., 30.]))
    """
    keys = numbers(keys, "keys").copy()
    values = None if values is None else np.array(values, order="C")
    ctx, opts = options(**given)
    api.ek_sort(ctx, opts, _by(pairs(keys, values)))
    return keys if values is None else (keys, values)


@header("ek_merge")
def merge(a, b, **given) -> np.ndarray:
    """Merges two sorted arrays.

    >>> merge(np.array([1, 3]), np.array([2]))
    array([1, 2, 3])
    """
    a, b = two_alike(a, b)
    out = np.empty(len(a) + len(b), a.dtype)
    ctx, opts = options(**given)
    api.ek_merge(ctx, opts, 1, _by(pairs(a, None)), _by(pairs(b, None)), _by(pairs(out, None)))
    return out


@header("ek_kselect")
def kselect(lists, k: int, smallest: bool = False, **given):
    """The k-th smallest number (from 1) of an array, or of each row of an array of two dimensions;
    with `smallest` also the k smallest, in any order.

    >>> kselect(np.array([5., 1, 3]), 2)
    3.0
    """
    lists = np.asarray(lists)
    if lists.ndim not in (1, 2):
        raise ValueError(f"lists has {lists.ndim} dimensions; one or two are expected")
    flat = numbers(lists.reshape(-1), "lists")
    rows = lists.shape[0] if lists.ndim == 2 else 1
    kth = np.empty(rows, flat.dtype)
    chosen = np.empty((rows, k), flat.dtype) if smallest else None
    ctx, opts = options(**given)
    api.ek_kselect(
        ctx,
        opts,
        _arrays.VALUE[flat.dtype],
        rows,
        lists.shape[-1],
        k,
        _at(flat),
        _at(kth),
        _at(chosen) if smallest else None,
    )
    if lists.ndim == 1:
        return (kth[0].item(), chosen[0]) if chosen is not None else kth[0].item()
    return (kth, chosen) if smallest else kth


def _set(function, a, b, length, given):
    a, b = two_alike(a, b)
    out, count = np.empty(length(len(a), len(b)), a.dtype), ctypes.c_int64()
    ctx, opts = options(**given)
    function(
        ctx, opts, _arrays.VALUE[a.dtype], len(a), _at(a), len(b), _at(b), _by(count), _at(out)
    )
    return out[: count.value]


@header("ek_set_union")
def union(a, b, **given) -> np.ndarray:
    """The union of two sets of integers, which ascend strictly.

    >>> union(np.array([1, 3]), np.array([2, 3]))
    array([1, 2, 3])
    """
    return _set(api.ek_set_union, a, b, lambda m, n: m + n, given)


@header("ek_set_intersection")
def intersection(a, b, **given) -> np.ndarray:
    """The intersection of two sets of integers, which ascend strictly.

    >>> intersection(np.array([1, 3]), np.array([2, 3]))
    array([3])
    """
    return _set(api.ek_set_intersection, a, b, min, given)


@header("ek_csr_to_coo")
def csr_to_coo(row_ptr, **given) -> np.ndarray:
    """The row of each entry of a matrix in CSR.

    >>> csr_to_coo(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    row_ptr = numbers(row_ptr, "row_ptr")
    out = np.empty(row_ptr[-1], row_ptr.dtype)
    ctx, opts = options(**given)
    api.ek_csr_to_coo(
        ctx,
        opts,
        _arrays.INDEX[row_ptr.dtype, row_ptr.dtype],
        len(row_ptr) - 1,
        _at(row_ptr),
        len(out),
        _at(out),
    )
    return out
