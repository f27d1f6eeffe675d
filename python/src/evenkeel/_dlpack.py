# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of cupy, torch and others by __dlpack__, without a copy, on the host and on a device.

The structs are those of DLPack's version 0 (dlpack.h, DLManagedTensor), which every producer gives
when it is asked for no version.

The library's queue does not wait for other streams of CUDA, so a producer's work on an array must
be done before a product. A producer that is asked for the stream 1 makes CUDA's default stream wait
for its own (array API, __dlpack__), and then a product waits for the default stream. It also waits
for its own result, since a producer knows nothing of the library's queue.
"""

import ctypes
import math
from typing import Any, Callable

import numpy as np

from . import _arrays, _products, errors
from ._lib import constants, real

CPU, CUDA, CUDA_HOST, ROCM_HOST, MANAGED = 1, 2, 3, 11, 13  # of DLDeviceType
HOST = CPU, CUDA_HOST, ROCM_HOST
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


class Capsule:
    """What a capsule says about an array; it stays unused, and with it the array alive.

    One that is turned says it about the transpose.
    """

    def __init__(self, array, turned=False):
        on_host = array.__dlpack_device__()[0] in HOST
        self.capsule = array.__dlpack__(**({} if on_host else {"stream": DEFAULT_STREAM}))
        tensor = _Tensor.from_address(_pointer(self.capsule, b"dltensor"))
        self.dtype = CODE.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        shape, steps = tensor.shape[: tensor.ndim], tensor.strides
        # Without strides the elements are contiguous.
        if steps:
            steps = steps[: len(shape)]
        else:
            steps = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
        self.turned, way = turned, slice(None, None, -1 if turned else 1)
        self.shape, self.strides = tuple(shape[way]), tuple(steps[way])
        self.device, self.device_id = tensor.device_type, tensor.device_id
        self.data = (tensor.data or 0) + tensor.byte_offset

    def dense(self):
        """The view of the library for a vector or a block in memory of a device."""
        if self.dtype is None:
            raise TypeError(
                "an array on a device has neither float32 nor float64, and others are not "
                "multiplied there: convert it, or copy it to the host"
            )
        if len(self.shape) == 1:
            rows, cols = self.shape[0], 1
            found = (constants.EK_COL_MAJOR, rows) if rows <= 1 or self.strides == (1,) else None
        elif len(self.shape) == 2:
            rows, cols = self.shape
            found = _arrays.order_of(self.shape, self.strides)
        else:
            raise ValueError(f"an operand has {len(self.shape)} dimensions; 1 or 2 are expected")
        if found is None:
            steps = ", ".join(map(str, self.strides))
            raise ValueError(
                f"the elements of an array on a device are {steps} apart; a contiguous vector, or "
                "a block with contiguous rows or columns, is expected"
            )
        order, ld = found
        value, where = _arrays.VALUE[self.dtype], constants.EK_ON_DEVICE
        return _arrays.dense(value, rows, cols, ld, self.data, order, where)


def device_of(X: Any) -> "int | None":
    """The kind of device of an array of another library, or None if it has no __dlpack__."""
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack_device__"):
        return None
    return int(X.__dlpack_device__()[0])


def is_foreign(*arrays: Any) -> bool:
    """Is one of these an array of another library?"""
    return any(device_of(X) is not None for X in arrays)


def is_on_device(*arrays: Any) -> bool:
    """Is one of these an array in memory of a device?"""
    return any(device_of(X) not in (None, *HOST) for X in arrays)


def resolved(X: Any) -> Any:
    """X, or a copy of it if its memory does not hold its elements.

    torch keeps a sign or a conjugate that is still to be applied as a bit of the tensor, and of the
    sign its __dlpack__ tells nothing.
    """
    result = X
    for name in ("resolve_conj", "resolve_neg"):
        result = getattr(result, name, lambda: result)()
    if result is not X:
        _arrays.copies.count(1, result.numel() * result.element_size())
    return result


def to_numpy(X: Any) -> np.ndarray:
    """An array of another library in memory of the host as an ndarray, on the same memory if that
    has its elements."""
    X = resolved(X)
    try:
        return np.from_dlpack(X)
    except (BufferError, RuntimeError):  # bool came late to DLPack
        if not hasattr(X, "__array__"):
            raise
        return np.asarray(X)


def refuse_unresolved(out: Any) -> None:
    """Raises a ValueError for a result of which the memory is not to hold the elements."""
    if any(getattr(out, name, bool)() for name in ("is_conj", "is_neg")):
        raise ValueError("out is a tensor with a sign or conjugate that is still to be applied")


def for_result(X: Any) -> np.ndarray:
    """The same for an array that gets a result.

    numpy 1 shows all memory of others read-only, and numpy 2 where a producer gives no capsule with
    a version, for the older ones cannot say whether the consumer may write. So a producer gives no
    such capsule of memory that must not change.
    """
    refuse_unresolved(X)
    try:
        y = np.from_dlpack(X)
        if any(size > 1 and step == 0 for size, step in zip(y.shape, y.strides)):
            raise ValueError("out has one place for several elements, as what expand() returns")
        if y.flags.writeable:
            return y
        Capsule(X)
    except BufferError as problem:
        raise ValueError(f"out cannot be written to: {problem}") from None
    return _arrays.writable(y)


def on_host(function: Callable[..., Any], X: Any, out: Any, *factors: float) -> Any:
    """function(X, out, ...) where one of both, or both, are of another library, on the host."""
    x = X if device_of(X) is None else to_numpy(X)
    y = function(x, out if device_of(out) is None else for_result(out), *factors)
    return out if out is not None else back(X, y)


def _is_of(X, library):
    """Is X an array of this library, or of a class derived from its own?"""
    return any(kind.__module__.split(".")[0] == library for kind in type(X).__mro__)


def back(X: Any, y: np.ndarray) -> Any:
    """An ndarray as an array of the library from which X came."""
    if hasattr(X, "__array_namespace__"):
        return X.__array_namespace__().from_dlpack(y)
    if _is_of(X, "torch"):
        import torch

        return torch.from_dlpack(y)
    return y


def _empty(X, shape):
    """A new array like X, on its device, which need not be the current one."""
    if hasattr(X, "new_empty"):
        return X.new_empty(shape)
    if _is_of(X, "cupy"):
        import cupy

        with X.device:
            return cupy.empty(shape, X.dtype)
    if hasattr(X, "__array_namespace__"):
        return X.__array_namespace__().empty(shape, dtype=X.dtype, device=X.device)
    raise TypeError(f"no array for the result can be made beside a {type(X).__name__}: give out=")


def _device_id(context):
    """The number of a context's device among those of CUDA."""
    kind, _, number = (context.device or {"name": "none"})["name"].partition(":")
    if kind != "cuda":
        raise errors.DeviceError("an array is on a device, and the context has none of CUDA")
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


def _on(array, device_id, turned=False):
    """The capsule of an array that must be on this device of CUDA."""
    if not hasattr(array, "__dlpack_device__"):
        raise TypeError(f"a {type(array).__name__} has no __dlpack__, and so is on no device")
    kind, number = array.__dlpack_device__()
    if kind not in (CUDA, MANAGED) or number != device_id:
        raise ValueError(
            f"an array is on device {number} of the kind {int(kind)} of DLPack; device "
            f"{device_id} of CUDA is expected, where the matrix is"
        )
    return Capsule(array, turned)


def _run(plan, x, X, out, alpha, beta):
    """alpha op(A) X + beta out for the capsule x of X, whose transpose it has if that is turned."""
    alpha, beta = real(alpha, "alpha"), real(beta, "beta")
    shape = _products.result_shape(plan, x.shape)
    wanted = shape[::-1] if x.turned else shape
    if out is None:
        if beta:
            raise ValueError("beta is not 0, and there is no out to which it applies")
        out = _empty(X, wanted)
    refuse_unresolved(out)
    y = _on(out, x.device_id, x.turned)
    if y.shape != shape:
        raise ValueError(f"out has another shape than {wanted}, which is expected")
    at, to = x.dense(), y.dense()
    _wait_for_default_stream(x.device_id)
    function = _products.RUN[plan.operation]
    function(plan.handle().pointer, alpha, ctypes.byref(at), beta, ctypes.byref(to))
    plan.context.wait()
    return out


def run(plan, X, out, alpha, beta):
    """A product by a plan, with arrays on a CUDA device."""
    return _run(plan, _on(resolved(X), _device_id(plan.context)), X, out, alpha, beta)


def multiply(matrix, X, out, alpha, beta, from_left=False):
    """alpha A X + beta out for a Matrix, or with X from the left, with arrays on a CUDA device.

    X A is computed as the transpose of A^T X^T: no method for operands from the left runs there.
    """
    x = _on(resolved(X), _device_id(matrix.context), turned=from_left)
    matrix = matrix.for_operand(x.dtype or matrix.dtype)
    plan = _products.plan_for(matrix.T if from_left else matrix, x.shape)
    return _run(plan, x, X, out, alpha, beta)
