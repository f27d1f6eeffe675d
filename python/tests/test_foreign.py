# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of other libraries by __dlpack__, and devices. No graphics card is needed: a class with
nothing but __dlpack__ stands for cupy and torch, and OpenCL may run on the processor."""

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


def test_on_the_host():
    A = random_matrix(40, 30, 0.3)
    E, x, X = ek.matrix(A), integers(30), integers(30, 4)
    before = ek.copies()
    np.testing.assert_array_equal(E @ Tensor(x), A @ x)
    np.testing.assert_array_equal(E @ Tensor(X), A @ X)
    assert ek.copies() == before


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
    view = _dlpack.Vector(Tensor(integers(30))).dense()
    assert view.rows == 30 and view.where == 1
    with pytest.raises(ValueError, match="3 apart"):
        _dlpack.Vector(Tensor(integers(90)[::3])).dense()
    with pytest.raises(TypeError):
        _dlpack.Vector(Tensor(integers(4, 5))).dense()


def test_device_without_one():
    """A vector on a device needs a context with one; the library says so."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    with pytest.raises(ek.Error):
        E.matmul(Tensor(integers(30), _dlpack.CUDA), out=Tensor(integers(40), _dlpack.CUDA))


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
