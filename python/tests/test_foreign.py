# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of other libraries by __dlpack__ on the host. A class with nothing but __dlpack__ stands
for these libraries."""

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _dlpack


class Tensor:
    """An array of which only __dlpack__ is known."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return _dlpack.CPU, 0

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


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
        vector = _dlpack.Capsule(Tensor(array))
        assert vector.data == array.ctypes.data and vector.shape == array.shape
        assert vector.dtype == array.dtype and vector.device == _dlpack.CPU
        steps = tuple(step // array.itemsize for step in array.strides)
        assert vector.strides == steps
        turned = _dlpack.Capsule(Tensor(array), turned=True)
        assert turned.shape == array.T.shape and turned.strides == steps[::-1]
    assert _dlpack.Capsule(Tensor(integers(3, dtype=np.int32))).dtype is None
