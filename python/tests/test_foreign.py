# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of other libraries by __dlpack__, and devices. No graphics card is needed: a class with
nothing but __dlpack__ stands for cupy and torch, and OpenCL may run on the processor."""

import types

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _dlpack


class Tensor:
    """An array of which only __dlpack__ is known, on the processor or, as it says, on a device."""

    def __init__(self, array, device=_dlpack.CPU):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class OnDevice(Tensor):
    """Memory of the host in capsules that say CUDA, as those of torch and cupy do."""

    def __init__(self, array, device_id=0, calls=None):
        super().__init__(array, _dlpack.CUDA)
        self.device_id, self.calls = device_id, [] if calls is None else calls

    def __dlpack_device__(self):
        return self.device, self.device_id

    def __dlpack__(self, *, stream=None):
        self.calls.append(("stream", stream))
        capsule = self.array.__dlpack__()
        tensor = _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))
        tensor.device_type, tensor.device_id = self.device, self.device_id
        return capsule


def test_on_the_host():
    A = random_matrix(40, 30, 0.3)
    E, x, X = ek.matrix(A), integers(30), integers(30, 4)
    before = ek.copies()
    np.testing.assert_array_equal(E @ Tensor(x), A @ x)
    np.testing.assert_array_equal(E @ Tensor(X), A @ X)
    assert ek.copies() == before


def test_result_on_the_host():
    """out= of another library, which numpy 1 shows read-only, is written to in its place."""
    A = random_matrix(40, 30, 0.3)
    E, x, X = ek.matrix(A), integers(30), integers(30, 4)
    y, z, Y = np.zeros(40), np.zeros(40, complex), np.zeros((80, 8))[::2, ::2]
    before = ek.copies()
    for given in (Tensor(x), x):
        out = Tensor(y)
        assert E.matmul(given, out=out) is out
        np.testing.assert_array_equal(y, A @ x)
        E.matmul(given, out=out, alpha=2, beta=-1)
        np.testing.assert_array_equal(y, A @ x)
        assert E.plan()(given, out=out, alpha=3) is out
        np.testing.assert_array_equal(y, 3 * (A @ x))
    assert ek.copies() == before
    E.matmul(Tensor(X), out=Tensor(Y))
    np.testing.assert_array_equal(Y, A @ X)
    E.matmul(Tensor(x * 1j), out=Tensor(z))
    np.testing.assert_array_equal(z, A @ (x * 1j))
    left = np.zeros((2, 30))
    E.rmatmul(Tensor(integers(2, 40)), out=Tensor(left))
    np.testing.assert_array_equal(left, integers(2, 40) @ A.toarray())
    nothing = Tensor(np.zeros(0))
    assert ek.matrix(random_matrix(0, 30, 0.3)).matmul(x, out=nothing) is nothing
    y.flags.writeable = False
    for wrong, text in ((y, "read"), (np.zeros(39), "is expected"), (np.zeros(40, "f4"), "is exp")):
        with pytest.raises(ValueError, match=text):
            E.matmul(Tensor(x), out=Tensor(wrong))
    with pytest.raises(ValueError, match="out is list"):
        E.matmul(Tensor(x), out=[0] * 40)


def test_blocks_on_a_device(monkeypatch):
    """Blocks in the memory of a device are refused, and the message says what to do."""
    monkeypatch.setattr(_dlpack, "_device_id", lambda context: 0)
    E = ek.matrix(random_matrix(40, 30, 0.3))
    with pytest.raises(TypeError, match="2 dimensions on a device .* copy it to the host"):
        E.matmul(OnDevice(integers(30, 4)), out=OnDevice(integers(40, 4)))


def test_torch():
    torch = pytest.importorskip("torch")
    A = random_matrix(40, 30, 0.3)
    E, x = ek.matrix(A), integers(30)
    y = E @ torch.from_numpy(x)
    assert isinstance(y, torch.Tensor)
    np.testing.assert_array_equal(y.numpy(), A @ x)
    out = torch.empty(40, dtype=torch.float64)
    assert E.matmul(torch.from_numpy(x), out=out) is out
    np.testing.assert_array_equal(out.numpy(), A @ x)


def test_capsule():
    """What is read of a capsule is what numpy says of the array."""
    for array in (
        integers(30),
        integers(30, dtype=np.float32)[3:],
        integers(90)[::3],
        integers(4, 5),
    ):
        vector = _dlpack.Vector(Tensor(array))
        assert vector.data == array.ctypes.data and vector.shape == array.shape
        assert vector.dtype == array.dtype and vector.device == _dlpack.CPU
        steps = tuple(step // array.itemsize for step in array.strides)
        assert vector.strides in (steps, None)
    assert _dlpack.Vector(Tensor(integers(3, dtype=np.int32))).dtype is None
    view = _dlpack.Vector(OnDevice(integers(30))).dense(0)
    assert view.rows == 30 and view.where == 1
    with pytest.raises(ValueError, match="3 apart"):
        _dlpack.Vector(OnDevice(integers(90)[::3])).dense(0)
    with pytest.raises(TypeError):
        _dlpack.Vector(OnDevice(integers(4, 5))).dense(0)
    for wrong in (integers(30), Tensor(integers(30)), OnDevice(integers(30), 1)):
        with pytest.raises(ValueError, match="device 0 of CUDA is expected"):
            _dlpack.Vector(wrong).dense(0)


def test_device_without_one():
    """A vector on a device needs a context with one; the library says so."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    with pytest.raises(ek.errors.DeviceError, match="the context has none"):
        E.matmul(OnDevice(integers(30)), out=OnDevice(integers(40)))


def test_order_of_streams(monkeypatch):
    """Both producers make the default stream wait for theirs; we wait for it before the product."""
    calls = []
    monkeypatch.setattr(_dlpack, "_device_id", lambda context: 2)
    monkeypatch.setattr(
        _dlpack, "_wait_for_default_stream", lambda number: calls.append(("wait", number))
    )
    monkeypatch.setattr(
        _dlpack,
        "api",
        types.SimpleNamespace(ek_spmv=lambda *_: calls.append(("product", None))),
    )
    E = ek.matrix(random_matrix(40, 30, 0.3))
    y = OnDevice(integers(40), 2, calls)
    monkeypatch.setattr(ek.Context, "wait", lambda self: calls.append(("done", None)))
    assert E.matmul(OnDevice(integers(30), 2, calls), out=y) is y
    assert calls == [
        ("stream", 1),
        ("stream", 1),
        ("wait", 2),
        ("product", None),
        ("done", None),
    ]
    for out in (integers(40), OnDevice(integers(40), 1)):
        del calls[:]
        with pytest.raises(ValueError, match="device 2 of CUDA is expected"):
            E.matmul(OnDevice(integers(30), 2), out=out)
        assert calls == []


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
