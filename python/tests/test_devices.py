# SPDX-License-Identifier: BSD-3-Clause
"""Devices. No graphics card is needed: arrays of the host that say that they are on a device of
CUDA stand for those of cupy and torch, and OpenCL, which may run on the processor, has real
ones."""

import ctypes
import sys
import types

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _dlpack, _products
from evenkeel._lib import api


class OnDevice:
    """An array with nothing but __dlpack__, whose capsules say CUDA, as those of torch and cupy do.

    The memory is that of an ndarray, unless `at` is its address.
    """

    __array_ufunc__ = None  # so that numbers of numpy do not take it apart

    def __init__(self, array, device_id=0, calls=None, kind=_dlpack.CUDA, at=None):
        self.array, self.device_id, self.kind, self.at = array, device_id, kind, at
        self.calls = [] if calls is None else calls

    def __dlpack_device__(self):
        return self.kind, self.device_id

    def __dlpack__(self, *, stream=None):
        self.calls.append(("stream", stream))
        capsule = self.array.__dlpack__()
        tensor = _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))
        tensor.device_type, tensor.device_id = self.kind, self.device_id
        if self.at is not None:
            tensor.data, tensor.byte_offset = self.at, 0
        return capsule


@pytest.fixture
def card(monkeypatch):
    """Has products with such arrays computed by the host, as if its memory were device 2 of CUDA's;
    gives the list of what was called."""
    calls = []
    monkeypatch.setattr(_dlpack, "_device_id", lambda context: 2)
    monkeypatch.setattr(
        _dlpack, "_wait_for_default_stream", lambda number: calls.append(("wait", number))
    )
    monkeypatch.setattr(ek.Context, "wait", lambda self: calls.append(("done", None)))

    def on_the_host(function):
        def run(plan, alpha, x, beta, y):
            calls.append(("product", function.__name__))
            for view in (x._obj, y._obj):
                assert view.where == 1
                view.where = 0
            function(plan, alpha, x, beta, y)

        return run

    for name, function in list(_products.RUN.items()):
        monkeypatch.setitem(_products.RUN, name, on_the_host(function))
    return calls


def test_products(card):
    """Vectors and blocks from both sides, by a Matrix and by a Plan, in each order of a block."""
    A = random_matrix(40, 30, 0.3)
    E, D = ek.matrix(A), A.toarray()
    x, u, X, U = integers(30), integers(40), integers(30, 4), integers(4, 40)
    y, v, Y, V = np.empty(40), np.empty(30), np.empty((40, 4)), np.empty((4, 30))
    cases = (
        (E.matmul, x, y, A @ x),
        (E.plan(method="spmv.csr.merge"), x, y, A @ x),
        (E.T.plan(reproducible=True), u, v, A.T @ u),
        (E.rmatmul, u, v, A.T @ u),
        (E.T.matmul, u, v, A.T @ u),
        (E.matmul, X, Y, D @ X),
        (E.plan("spmm", width=4), X, Y, D @ X),
        (E.rmatmul, U, V, U @ D),
        (E.T.rmatmul, X.T.copy(), Y.T.copy(), X.T @ D.T),
        (E.matmul, X.T.copy().T, Y.T.copy().T, D @ X),
        (E.matmul, integers(30, 9)[:, 2:6], np.empty((40, 9))[:, 5:], D @ integers(30, 9)[:, 2:6]),
    )
    before = ek.copies()
    for multiply, given, result, expected in cases:
        result[...] = np.nan
        out = OnDevice(result, 2)
        assert multiply(OnDevice(given, 2), out=out) is out
        np.testing.assert_array_equal(result, expected)
        multiply(OnDevice(given, 2), out=out, alpha=2, beta=-1)
        np.testing.assert_array_equal(result, expected)
    assert ek.copies() == before


def test_types_meet(card):
    """A matrix of f32 meets arrays of f64 as on the host; other types are refused."""
    A = random_matrix(40, 30, 0.3, dtype=np.float32)
    E, y = ek.matrix(A), np.empty(40)
    E.matmul(OnDevice(integers(30), 2), out=OnDevice(y, 2))
    np.testing.assert_array_equal(y, A.astype(float) @ integers(30))
    for wrong in (np.int32, np.complex128, np.float16):
        x, out = OnDevice(integers(30).astype(wrong), 2), OnDevice(np.empty(40, "f4"), 2)
        with pytest.raises(TypeError, match="neither float32 nor float64"):
            E.matmul(x, out=out)
    with pytest.raises(ValueError, match="f64"):
        E.plan()(OnDevice(integers(30), 2), out=OnDevice(y, 2))
    with pytest.raises(ValueError, match="f32"):  # an x of f32 is not converted there
        x, out = OnDevice(integers(30).astype("f4"), 2), OnDevice(np.empty(40, "f4"), 2)
        ek.matrix(A.astype(float)).matmul(x, out=out)


def test_pending_sign(card):
    """As on the host, an operand gets the sign that its memory has not, and a result must not."""
    A = random_matrix(40, 30, 0.3)
    E, y = ek.matrix(A), OnDevice(np.empty(40), 2)

    class Pending(OnDevice):
        def is_neg(self):
            return True

        def resolve_neg(self):
            made = OnDevice(-self.array, 2)
            made.numel, made.element_size = lambda: self.array.size, lambda: self.array.itemsize
            return made

    before = ek.copies()
    for multiply in (E.matmul, E.plan(), E.T.rmatmul):
        multiply(Pending(integers(30), 2), out=y)
        np.testing.assert_array_equal(y.array, A @ -integers(30))
    assert ek.copies()[0] - before[0] == 3
    for multiply in (E.matmul, E.plan()):
        with pytest.raises(ValueError, match="out is a tensor with a sign"):
            multiply(OnDevice(integers(30), 2), out=Pending(np.empty(40), 2))


def made_by(library, device_id, made):
    """A class of arrays that can make others, in the way of this library."""

    def empty(shape, dtype, device=None):
        made.append(library)
        return OnDevice(np.empty(shape, dtype), device_id if device is None else device)

    class Array(OnDevice):
        dtype = np.dtype(float)
        device = device_id

    if library == "torch":
        Array.new_empty = lambda self, shape: empty(shape, self.dtype)
    elif library == "cupy":
        Array.__module__ = "cupy._core.core"
        Array.device = CurrentDevice(made)
    elif library == "array API":
        Array.__array_namespace__ = lambda self: types.SimpleNamespace(empty=empty)
    return Array, empty


class CurrentDevice:
    """cupy's Device, which is the current one in a with statement."""

    def __init__(self, made):
        self.made = made

    def __enter__(self):
        self.made.append("enter")

    def __exit__(self, *_):
        self.made.append("exit")


@pytest.mark.parametrize(
    "library, expected",
    [("torch", ["torch"]), ("cupy", ["enter", "cupy", "exit"]), ("array API", ["array API"])],
)
def test_results(monkeypatch, card, library, expected):
    """Without out=, the result is made on the operand's device, which need not be the current one;
    before version 14 cupy has no __array_namespace__."""
    A, made = random_matrix(40, 30, 0.3), []
    E = ek.matrix(A)
    Array, empty = made_by(library, 2, made)
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(empty=empty))
    for multiply, given, expected_result in (
        (E.__matmul__, integers(30), A @ integers(30)),
        (E.__rmatmul__, integers(40), A.T @ integers(40)),
        (E.plan(), integers(30), A @ integers(30)),
        (E.__matmul__, integers(30, 3), A @ integers(30, 3)),
        (E.__rmatmul__, integers(3, 40), integers(3, 40) @ A.toarray()),
    ):
        del made[:]
        result = multiply(Array(given, 2))
        np.testing.assert_array_equal(result.array, expected_result)
        assert made == expected


def test_result_of_unknown(card):
    E = ek.matrix(random_matrix(40, 30, 0.3))
    with pytest.raises(TypeError, match="OnDevice: give out="):
        E @ OnDevice(integers(30), 2)
    with pytest.raises(ValueError, match="beta"):
        E.matmul(OnDevice(integers(30), 2), beta=1)


def test_order_of_streams(card):
    """Both producers make the default stream wait for theirs; we wait for it before the product."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    y = OnDevice(integers(40), 2, card)
    assert E.matmul(OnDevice(integers(30), 2, card), out=y) is y
    assert card == [
        ("stream", 1),
        ("stream", 1),
        ("wait", 2),
        ("product", "ek_spmv"),
        ("done", None),
    ]


def test_refused(card):
    """What does not fit is refused before anything runs, by a Matrix and by a Plan."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    x, y = OnDevice(integers(30), 2), OnDevice(integers(40), 2)
    read_only = integers(30)
    read_only.flags.writeable = False
    elsewhere = "device 2 of CUDA is expected"
    for given, out, kind, text in (
        (x, integers(40), ValueError, elsewhere),
        (x, OnDevice(integers(40), 1), ValueError, elsewhere),
        (integers(30), y, ValueError, elsewhere),
        (read_only, y, ValueError, elsewhere),
        (OnDevice(integers(30), 2, kind=10), y, ValueError, "device 2 of the kind 10"),  # ROCm
        ([1.0] * 30, y, TypeError, "list has no __dlpack__"),
        (x, [1.0] * 40, TypeError, "list has no __dlpack__"),
        (OnDevice(integers(90)[::3], 2), y, ValueError, "3 apart"),
        (OnDevice(integers(60, 8)[::2, ::2], 2), OnDevice(integers(40, 4), 2), ValueError, "16, 2"),
        (OnDevice(integers(30, 2, 2), 2), y, ValueError, "3 dimensions"),
        (OnDevice(integers(30, 2), 2), y, ValueError, "shape"),
        (x, OnDevice(integers(40, 1), 2), ValueError, "shape"),
        (x, OnDevice(integers(39), 2), ValueError, "shape"),
        (OnDevice(integers(29), 2), y, ValueError, "29"),
    ):
        del card[:]
        plan = E.plan("spmv" if np.ndim(getattr(given, "array", given)) == 1 else "spmm")
        for multiply in (E.matmul, plan):
            with pytest.raises(kind, match=text):
                multiply(given, out=out)
            assert ("done", None) not in card
    with pytest.raises(ValueError, match="1 dimensions; a plan for spmm"):
        E.plan("spmm")(x, out=y)
    with pytest.raises(ValueError, match="a plan for transpose"):
        E.plan("transpose")(x, out=y)


def test_device_without_one():
    """An array on a device needs a context with one; the library says so."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    for multiply in (E.matmul, E.T.rmatmul, E.plan()):
        with pytest.raises(ek.errors.DeviceError, match="the context has none"):
            multiply(OnDevice(integers(30)), out=OnDevice(integers(40)))


@pytest.mark.parametrize("failing", [None, "cuCtxPushCurrent_v2", "cuStreamSynchronize"])
def test_wait_for_default_stream(monkeypatch, failing):
    """The calls of CUDA's driver, which is not needed here, and what is undone after a failure."""
    calls = []

    class Driver:
        def __getattr__(self, name):
            return lambda *given: calls.append((name, given)) or int(name == failing)

    monkeypatch.setattr(_dlpack.ctypes, "CDLL", lambda name: Driver())
    if failing:
        with pytest.raises(ek.errors.DeviceError, match=failing):
            _dlpack._wait_for_default_stream(3)
    else:
        _dlpack._wait_for_default_stream(3)
    names = [name for name, _ in calls]
    assert names[0] == "cuDevicePrimaryCtxRetain" and names[-1] == "cuDevicePrimaryCtxRelease_v2"
    assert calls[0][1][1] == 3 and calls[-1][1] == (3,)
    pushed = failing != "cuCtxPushCurrent_v2"
    assert names.count("cuCtxPopCurrent_v2") == names.count("cuStreamSynchronize") == pushed
    if pushed:
        assert dict(calls)["cuStreamSynchronize"][0].value == 1  # CU_STREAM_LEGACY


def test_opencl():
    """Vectors of the host in a context with a device are copied by the library."""
    try:
        context = ek.Context(device="opencl")
    except ek.Error as problem:
        pytest.skip(str(problem))
    assert context.device["name"].startswith("opencl")
    A = random_matrix(400, 300, 0.1)
    E, x = ek.matrix(A, context=context), integers(300)
    np.testing.assert_array_equal(E @ x, A @ x)
    np.testing.assert_array_equal(E.T @ (A @ x), A.T @ (A @ x))
    assert E.plan().method.endswith(".gpu") and context.device_counters["launches"] > 0
    context.wait()

def context_of(device):
    """A context with this device, if there is one."""
    try:
        return ek.Context(device=device, device_memory="copy")
    except ek.Error as problem:
        pytest.skip(str(problem))


class Memory:
    """An array in memory of a context's device, which the library gave."""

    def __init__(self, context, array):
        self.context, self.array, self.at = context, array, ctypes.c_void_p()
        api.ek_device_alloc(context.pointer, max(array.nbytes, 1), ctypes.byref(self.at))
        api.ek_device_write(context.pointer, self.at, array.ctypes.data, array.nbytes)

    def shown(self, device_id):
        """What stands for an array of another library on this memory."""
        return OnDevice(self.array, device_id, at=self.at.value)

    def read(self):
        """What is there now."""
        result = np.empty_like(self.array)
        api.ek_device_read(self.context.pointer, self.at, result.ctypes.data, result.nbytes)
        return result

    def __del__(self):
        api.ek_device_free(self.context.pointer, self.at)


@pytest.mark.parametrize("device", ["cuda", "opencl"])
def test_memory_of_a_device(monkeypatch, device):
    """Products where the memory really is that of a device. OpenCL has no streams of others."""
    context, device_id = context_of(device), 0
    if device == "opencl":
        monkeypatch.setattr(_dlpack, "_device_id", lambda context: 0)
        monkeypatch.setattr(_dlpack, "_wait_for_default_stream", lambda number: None)
    else:
        device_id = _dlpack._device_id(context)
    A = random_matrix(400, 300, 0.1)
    E, D = ek.matrix(A, context=context), A.toarray()
    x, u, X, U = integers(300), integers(400), integers(300, 5), integers(5, 400)
    for multiply, given, expected in (
        (E.matmul, x, A @ x),
        (E.rmatmul, u, A.T @ u),
        (E.plan(method="spmv.csr.vector.gpu"), x, A @ x),
        (E.matmul, X, D @ X),
        (E.T.matmul, U.T.copy(), D.T @ U.T),
        (E.plan("spmm", width=5), X, D @ X),
        (E.rmatmul, U, U @ D),
    ):
        operand, result = Memory(context, given), Memory(context, np.full(expected.shape, np.nan))
        multiply(operand.shown(device_id), out=result.shown(device_id))
        np.testing.assert_array_equal(result.read(), expected)
        multiply(operand.shown(device_id), out=result.shown(device_id), alpha=3, beta=-1)
        np.testing.assert_array_equal(result.read(), 2 * expected)
