# SPDX-License-Identifier: BSD-3-Clause
"""Products with vectors and blocks that need no conversion: alpha A x + beta y by fast.c where it
can be used, else A @ x by ctypes."""

import ctypes
import os
import sys

import numpy as np

from . import _arrays, _products
from ._context import state
from ._lib import api, raise_status


class _Product(ctypes.Structure):
    """struct product of fast.c."""

    _fields_ = [
        ("run", ctypes.c_void_p),
        ("plan", ctypes.c_void_p),
        ("x", ctypes.c_int64 * 2),
        ("y", ctypes.c_int64 * 2),
        ("head", ctypes.c_size_t),
        ("type", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
        ("raise_status", ctypes.py_object),
        ("limit_now", ctypes.POINTER(ctypes.c_int)),
        ("limit", ctypes.c_int),
        ("value", ctypes.c_int),
        ("nd", ctypes.c_int),
    ]


_HEAD = object.__basicsize__
_RUN = {
    "spmv": ctypes.cast(api.ek_spmv, ctypes.c_void_p).value,
    "spmm": ctypes.cast(api.ek_spmm, ctypes.c_void_p).value,
    "dense_spmm": ctypes.cast(api.ek_dense_spmm, ctypes.c_void_p).value,
}
# The same function without types of arguments, which ctypes then need not convert.
_spmv = ctypes.CFUNCTYPE(ctypes.c_int)(("ek_spmv", api))
_ONE, _ZERO = ctypes.c_double(1), ctypes.c_double(0)


def _bind(operation, plan, x, y, dtype, limit):
    """fast.c's multiply(x, y, alpha, beta) for a plan, or for whatever has the address `plan`, and
    arrays with the shapes x and y."""
    product = _Product(
        run=_RUN[operation],
        plan=plan,
        x=(*x, 1)[:2],
        y=(*y, 1)[:2],
        nd=len(x),
        head=_HEAD,
        type=id(np.ndarray),
        descr=id(dtype),
        raise_status=raise_status,
        limit_now=ctypes.pointer(state.cell),  # which keeps the cell
        limit=limit,
        value=_arrays.VALUE[dtype],
    )
    capsule = _new_capsule(ctypes.addressof(product), None, None)
    return _new_function(_method, capsule, None), product


def _load():
    """Loads fast.c, and tries whether it reads arrays right: it must refuse all that do not fit."""
    global _method, _new_capsule, _new_function
    if sys.implementation.name != "cpython":
        return False
    folder = os.path.dirname(__file__)
    try:
        library = ctypes.CDLL(
            os.environ.get("EVENKEEL_FAST") or os.path.join(folder, "libek_fast.so")
        )
        _method = ctypes.addressof(ctypes.c_char.in_dll(library, "evenkeel_method"))
    except (OSError, ValueError):
        return False
    _new_capsule = ctypes.pythonapi.PyCapsule_New
    _new_capsule.restype = ctypes.py_object
    _new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    _new_function = ctypes.pythonapi.PyCFunction_NewEx
    _new_function.restype = ctypes.py_object
    _new_function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    # Without a plan products fail, and so say that x and y were taken for arrays that fit.
    sample, y = np.arange(6.0), np.zeros(4)
    return _head_is_as_expected(sample) and _refuses(sample, y)


def _head_is_as_expected(sample):
    """Do the members of an ndarray that fast.c reads say what numpy says?"""
    at = id(sample) + _HEAD
    word, number = ctypes.c_size_t.from_address, ctypes.c_int.from_address
    size, strided = ctypes.sizeof(ctypes.c_size_t), sample[::2]
    return (
        word(at - size).value == id(np.ndarray)
        and word(at).value == sample.ctypes.data
        and number(at + size).value == 1
        and word(word(at + 2 * size).value).value == sample.size
        and word(word(at + 3 * size).value).value == sample.itemsize
        and word(at + 5 * size).value == id(sample.dtype)
        and number(at + 6 * size).value & 0x501 == 0x501
        and number(id(strided) + _HEAD + 6 * size).value & 1 == 0
    )


def _refuses(sample, y):
    """Does multiply() return None for what does not fit, and for a plan that is none?"""
    others = (sample[:5], sample.astype("f4"), sample[:, None], [1.0] * 6, None, sample)
    multiply, product = _bind("spmv", None, (6,), (4,), _arrays.F64, state.limit)
    by_blocks, block = _bind("spmm", None, (3, 2), (2, 2), _arrays.F64, state.limit)
    X, Y = sample.reshape(3, 2), y.reshape(2, 2)
    return (
        all(multiply(x, y, 1.0, 0.0) is None for x in others)
        and all(by_blocks(x, Y, 1.0, 0.0) is None for x in (*others, X.T, X[:2], X))
        and product.plan is block.plan is None
    )


def block(plan, x):
    """Returns f(X, Y=None, alpha=1.0, beta=0.0) for a Plan and blocks X of the shape x, as product
    does for vectors; None without fast.c."""
    if not AVAILABLE:
        return None
    limit = state.limit
    y = _products.result_shape(plan, x)
    return _by_fast(plan.operation, plan.handle(limit), limit, plan.dtype, x, y)


def product(plan):
    """Returns f(x, y=None, alpha=1.0, beta=0.0), which computes y = alpha op(A) x + beta y for a
    Plan, in a new array without y.

    f gives None where its arguments need more than that, or where the limit of threads is another.
    """
    limit, dtype = state.limit, plan.dtype
    handle = plan.handle(limit)  # the limit may have changed meanwhile
    rows, cols = plan.shape
    if AVAILABLE:
        return _by_fast("spmv", handle, limit, dtype, (cols,), (rows,))
    return _by_ctypes(handle, limit, dtype, rows, cols)


def _by_fast(operation, handle, limit, dtype, x, y):
    """Such a function by fast.c, for arrays with the shapes x and y."""
    multiply, bound = _bind(operation, handle.pointer, x, y, dtype, limit)
    empty = np.empty

    def run(X, Y=None, alpha=1.0, beta=0.0):
        if Y is None:
            if beta:
                return None
            Y = empty(y, dtype)
        return multiply(X, Y, alpha, beta)

    run.keep, run.limit = (handle, bound), limit  # the first live as long as the function
    return run


def _by_ctypes(handle, limit, dtype, rows, cols):
    """The same without fast.c. Views come from a list, of which each running call takes a pair."""
    item = dtype.itemsize
    shape, strides, mask = (cols,), (item,), item - 1
    pointer, value = ctypes.c_void_p(handle.pointer), _arrays.VALUE[dtype]
    free = []
    take, give = free.pop, free.append
    address, empty, ndarray, spmv = _arrays.address, np.empty, np.ndarray, _spmv
    one, zero, limits = _ONE, _ZERO, state

    def run(x, y=None, alpha=1.0, beta=0.0):
        if (
            y is not None
            or type(alpha) is not float
            or type(beta) is not float
            or alpha != 1
            or beta != 0
            or type(x) is not ndarray
            or x.dtype is not dtype
            or x.shape != shape
            or x.strides != strides
            or limits.limit != limit
        ):
            return None
        at = address(x)
        if at & mask:
            return None
        try:
            views = take()
        except IndexError:
            vx = _arrays.dense(value, cols, 1, cols, None)
            vy = _arrays.dense(value, rows, 1, rows, None)
            views = vx, vy, ctypes.byref(vx), ctypes.byref(vy)
        y = empty(rows, dtype)
        views[0].data = at
        views[1].data = address(y)
        status = spmv(pointer, one, views[2], zero, views[3])
        give(views)
        if status:
            raise_status(status)
        return y

    run.keep, run.limit = handle, limit
    return run


AVAILABLE = _load()
