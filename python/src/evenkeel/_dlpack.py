# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of cupy, torch and others by __dlpack__, without a copy, on the host and on a device.

The structs are those of DLPack's version 0 (dlpack.h, DLManagedTensor), which every producer gives
when it is asked for no version.

The library's queue does not wait for other streams of CUDA, so a producer's work on a vector must
be done before a product. A producer that is asked for the stream 1 makes CUDA's default stream wait
for its own (array API, __dlpack__), and then multiply waits for the default stream.
"""

import ctypes
from typing import Any, Callable

import numpy as np

from . import _arrays, errors
from ._lib import api, constants, real

CPU, CUDA, CUDA_HOST, MANAGED = 1, 2, 3, 13  # of DLDeviceType
DEFAULT_STREAM = 1  # for __dlpack__, and CU_STREAM_LEGACY of the driver
CODE = {(2, 32): _arrays.F32, (2, 64): _arrays.F64}  # kDLFloat and bits


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Vector:
    """What a capsule says about a vector; it stays unused, and with it the vector alive."""

    def __init__(self, array):
        on_host = array.__dlpack_device__()[0] in (CPU, CUDA_HOST)
        self.capsule = array.__dlpack__(**({} if on_host else {"stream": DEFAULT_STREAM}))
        tensor = _Tensor.from_address(_pointer(self.capsule, b"dltensor"))
        self.dtype = CODE.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        self.shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
        # Without strides the elements are contiguous.
        self.strides = (
            tuple(tensor.strides[k] for k in range(tensor.ndim)) if tensor.strides else None
        )
        self.device, self.device_id = tensor.device_type, tensor.device_id
        self.data = (tensor.data or 0) + tensor.byte_offset

    def dense(self, device_id):
        """The view of the library, on this device of CUDA."""
        if self.device not in (CUDA, MANAGED) or self.device_id != device_id:
            raise ValueError(
                f"a vector is on device {self.device_id} of the kind {self.device} of DLPack; "
                f"device {device_id} of CUDA is expected, where the matrix is"
            )
        if self.dtype is None or len(self.shape) != 1:
            raise TypeError(
                f"a tensor of {len(self.shape)} dimensions on a device is no vector of "
                "float32 or float64, and others are not multiplied there: copy it to the host"
            )
        n = self.shape[0]
        if n > 1 and self.strides not in (None, (1,)):
            raise ValueError(
                f"the elements of a vector on a device are {self.strides[0]} apart; 1 is expected"
            )
        return _arrays.dense(
            _arrays.VALUE[self.dtype], n, 1, n, self.data, where=constants.EK_ON_DEVICE
        )


def device_of(X: Any) -> "int | None":
    """The kind of device of an array of another library, or None if it has no __dlpack__."""
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack_device__"):
        return None
    return int(X.__dlpack_device__()[0])


def is_foreign(*arrays: Any) -> bool:
    """Is one of these an array of another library?"""
    return any(device_of(X) is not None for X in arrays)


def to_numpy(X: Any) -> np.ndarray:
    """An array of another library in memory of the host as an ndarray on the same memory."""
    return np.from_dlpack(X)


def for_result(X: Any) -> np.ndarray:
    """The same for an array that gets a result.

    numpy 1 shows all memory of others read-only, and numpy 2 where a producer gives no capsule with
    a version, for the older ones cannot say whether the consumer may write. So a producer gives no
    such capsule of memory that must not change.
    """
    try:
        y = np.from_dlpack(X)
        if y.flags.writeable:
            return y
        Vector(X)
    except BufferError as problem:
        raise ValueError(f"out cannot be written to: {problem}") from None
    return _arrays.writable(y)


def on_host(function: Callable[..., Any], X: Any, out: Any, *factors: float) -> Any:
    """function(X, out, ...) where one of both, or both, are of another library, on the host."""
    x = X if device_of(X) is None else to_numpy(X)
    y = function(x, out if device_of(out) is None else for_result(out), *factors)
    return out if out is not None else back(X, y)


def back(X: Any, y: np.ndarray) -> Any:
    """An ndarray as an array of the library from which X came."""
    if hasattr(X, "__array_namespace__"):
        return X.__array_namespace__().from_dlpack(y)
    if type(X).__module__.split(".")[0] == "torch":
        import torch

        return torch.from_dlpack(y)
    return y


def _empty(X, n):
    """A new vector beside X on its device."""
    if hasattr(X, "new_empty"):
        return X.new_empty((n,))
    return X.__array_namespace__().empty((n,), dtype=X.dtype)


def _device_id(context):
    """The number of a context's device among those of CUDA."""
    kind, _, number = (context.device or {"name": "none"})["name"].partition(":")
    if kind != "cuda":
        raise errors.DeviceError("a vector is on a device of CUDA, and the context has none")
    return int(number)


def _wait_for_default_stream(device_id):
    """Waits until CUDA's default stream has done its work."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()

    def call(function, *arguments):
        status = getattr(driver, function)(*arguments)
        if status:
            raise errors.DeviceError(f"{function} failed with status {status}")

    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device_id)
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuStreamSynchronize", ctypes.c_void_p(DEFAULT_STREAM))
        finally:
            call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    finally:
        call("cuDevicePrimaryCtxRelease_v2", device_id)


def multiply(matrix, X, out, alpha, beta):
    """y = alpha A x + beta y with both vectors on a CUDA device, in the context's queue."""
    device_id, alpha, beta = _device_id(matrix.core.context), real(alpha), real(beta)
    plan = matrix.core.plan("spmv", matrix.transposed)
    if out is None:
        if beta:
            raise ValueError("beta is not 0, and there is no out to which it applies")
        out = _empty(X, matrix.shape[0])
    x, y = Vector(X), Vector(out)
    at, to = x.dense(device_id), y.dense(device_id)
    _wait_for_default_stream(device_id)
    api.ek_spmv(plan.handle().pointer, alpha, ctypes.byref(at), beta, ctypes.byref(to))
    matrix.core.context.wait()
    return out
