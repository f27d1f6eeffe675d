# SPDX-License-Identifier: BSD-3-Clause
"""Primitives on numpy arrays of int32, int64, float32 and float64: what sparse operations are built
from. Options of all: method=, threads=, block=, arity=, trusted=, context=. Heaps: ek.Heap."""

import ctypes
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays
from ._lib import api, choice, constants, header, whole
from ._primitive import (
    index_type,
    marks,
    numbers,
    options,
    pairs,
    payload,
    room,
    segments,
    two_alike,
)

MONOIDS = {
    "sum": constants.EK_SUM,
    "max": constants.EK_MAX,
    "min": constants.EK_MIN,
    "or": constants.EK_OR,
}
KINDS = {"inclusive": constants.EK_INCLUSIVE, "exclusive": constants.EK_EXCLUSIVE}
_by, _at = ctypes.byref, _arrays.address


@header("ek_array_add")
def add(a: ArrayLike, b: ArrayLike, out: Optional[np.ndarray] = None, **given: Any) -> np.ndarray:
    """The sum of two arrays of the same type; out may be one of them.

    >>> add(np.array([1, 2]), np.array([10, 20]))
    array([11, 22])
    """
    a, b = two_alike(a, b)
    if len(a) != len(b):
        raise ValueError(f"a has {len(a)} numbers, and b has {len(b)}")
    out = room(out, len(a), a.dtype)
    ctx, opts = options(**given)
    api.ek_array_add(ctx, opts, _arrays.VALUE[a.dtype], len(a), _at(a), _at(b), _at(out))
    return out


@header("ek_reduce")
def reduce(array: ArrayLike, op: str = "sum", **given: Any) -> Union[int, float]:
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
def scan(
    array: ArrayLike,
    op: str = "sum",
    kind: str = "inclusive",
    out: Optional[np.ndarray] = None,
    **given: Any,
) -> np.ndarray:
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
    array: ArrayLike,
    *,
    flags: Optional[ArrayLike] = None,
    offsets: Optional[ArrayLike] = None,
    op: str = "sum",
    kind: str = "inclusive",
    out: Optional[np.ndarray] = None,
    **given: Any,
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
def segmented_sum(
    array: ArrayLike,
    *,
    flags: Optional[ArrayLike] = None,
    offsets: Optional[ArrayLike] = None,
    out: Optional[np.ndarray] = None,
    **given: Any,
) -> np.ndarray:
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


@header("ek_compact")
def compact(
    keys: ArrayLike, flags: ArrayLike, values: Optional[ArrayLike] = None, **given: Any
) -> Any:
    """The keys whose flags are not 0, in their order, or these keys and their values.

    >>> compact(np.array([3, 1, 2]), [True, False, True])
    array([3, 2])
    """
    keys = numbers(keys, "keys")
    flags = marks(flags, len(keys))
    kept, also = np.empty_like(keys), None
    if values is not None:
        values = np.require(payload(values), requirements=["C", "A"])
        also = np.empty_like(values)
    count = ctypes.c_int64()
    ctx, opts = options(**given)
    pair, out = pairs(keys, values), pairs(kept, also)
    api.ek_compact(ctx, opts, _by(pair), _at(flags), _by(count), _by(out))
    kept = kept[: count.value]
    return kept if also is None else (kept, also[: count.value])


@header("ek_sort")
def sort(keys: ArrayLike, values: Optional[ArrayLike] = None, **given: Any) -> Any:
    """A sorted copy of the keys, or sorted copies of keys and values.

    >>> sort(np.array([3, 1, 2]), np.array([30., 10, 20]))
    (array([1, 2, 3]), array([10., 20., 30.]))
    """
    keys = numbers(keys, "keys").copy()
    values = None if values is None else np.array(payload(values), order="C")
    ctx, opts = options(**given)
    api.ek_sort(ctx, opts, _by(pairs(keys, values)))
    return keys if values is None else (keys, values)


@header("ek_merge")
def merge(a: ArrayLike, b: ArrayLike, **given: Any) -> np.ndarray:
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
def kselect(lists: ArrayLike, k: int, smallest: bool = False, **given: Any) -> Any:
    """The k-th smallest number (from 1) of an array, or of each row of an array of two dimensions;
    with `smallest` also the k smallest, in any order.

    >>> kselect(np.array([5., 1, 3]), 2)
    3.0
    """
    lists = _arrays.unmasked(lists)
    if lists.ndim not in (1, 2):
        raise ValueError(f"lists has {lists.ndim} dimensions; one or two are expected")
    flat, k = numbers(lists.reshape(-1), "lists"), whole(k, "k")
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
def union(a: ArrayLike, b: ArrayLike, **given: Any) -> np.ndarray:
    """The union of two sets of integers, which ascend strictly.

    >>> union(np.array([1, 3]), np.array([2, 3]))
    array([1, 2, 3])
    """
    return _set(api.ek_set_union, a, b, lambda m, n: m + n, given)


@header("ek_set_intersection")
def intersection(a: ArrayLike, b: ArrayLike, **given: Any) -> np.ndarray:
    """The intersection of two sets of integers, which ascend strictly.

    >>> intersection(np.array([1, 3]), np.array([2, 3]))
    array([3])
    """
    return _set(api.ek_set_intersection, a, b, min, given)


@header("ek_csr_to_coo")
def csr_to_coo(row_ptr: ArrayLike, **given: Any) -> np.ndarray:
    """The row of each entry of a matrix in CSR.

    >>> csr_to_coo(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    row_ptr = numbers(row_ptr, "row_ptr")
    if len(row_ptr) == 0 or row_ptr[-1] < 0:
        raise ValueError("row_ptr is empty, or its last number is negative")
    out = np.empty(row_ptr[-1], row_ptr.dtype)
    ctx, opts = options(**given)
    api.ek_csr_to_coo(
        ctx,
        opts,
        index_type(row_ptr, "row_ptr"),
        len(row_ptr) - 1,
        _at(row_ptr),
        len(out),
        _at(out),
    )
    return out


@header("ek_coo_to_csr")
def coo_to_csr(
    row_idx: ArrayLike, col_idx: ArrayLike, val: ArrayLike, shape: "tuple[int, int]", **given: Any
) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Row pointers, columns and values of entries in any order; those at one place are added.

    >>> coo_to_csr(np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([1., 2, 3]), (2, 2))
    (array([0, 1, 2]), array([1, 0]), array([2., 4.]))
    """
    row_idx, col_idx = two_alike(row_idx, col_idx, ("row_idx", "col_idx"))
    val, index = numbers(val, "val"), index_type(row_idx, "row_idx")
    if not len(row_idx) == len(col_idx) == len(val):
        raise ValueError(
            f"there are {len(row_idx)} rows, {len(col_idx)} columns and {len(val)} values"
        )
    rows, cols = whole(shape[0], "the number of rows"), whole(shape[1], "the number of columns")
    row_ptr, count = np.empty(rows + 1, row_idx.dtype), ctypes.c_int64()
    out_col, out_val = np.empty_like(col_idx), np.empty_like(val)
    ctx, opts = options(**given)
    api.ek_coo_to_csr(
        ctx,
        opts,
        _arrays.VALUE[val.dtype],
        index,
        rows,
        cols,
        len(val),
        _at(row_idx),
        _at(col_idx),
        _at(val),
        _by(count),
        _at(row_ptr),
        _at(out_col),
        _at(out_val),
    )
    return row_ptr, out_col[: count.value], out_val[: count.value]
