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


class Boolean(Tensor):
    """An array of a library whose __dlpack__ has no bool, which numpy can read nevertheless."""

    def __dlpack__(self, **options):
        raise RuntimeError("bool is not supported by dlpack")

    def __array__(self, *_, **options):
        return self.array


def test_bool():
    A = random_matrix(40, 30, 0.3)
    E, x = ek.matrix(A), integers(30) > 0
    np.testing.assert_array_equal(E @ Boolean(x), A @ x)
    np.testing.assert_array_equal(Boolean(integers(40) > 0) @ E, A.T @ (integers(40) > 0))


def test_one_place():
    """A result whose elements share their place would lose all but one of them."""
    A = random_matrix(40, 30, 0.3)
    E, y, Y = ek.matrix(A), np.zeros(1), np.zeros((1, 4))
    for X, out in (
        (integers(30), np.lib.stride_tricks.as_strided(y, (40,), (0,))),
        (integers(30, 4), np.lib.stride_tricks.as_strided(Y, (40, 4), (0, 8))),
    ):
        with pytest.raises(ValueError, match="one place"):
            E.matmul(X, out=Tensor(out))
    assert not y.any() and not Y.any()
    one = np.zeros(1)  # of one element the step does not matter
    ek.matrix(A[:1]).matmul(
        integers(30), out=Tensor(np.lib.stride_tricks.as_strided(one, (1,), (0,)))
    )
    assert one[0] == (A[:1] @ integers(30))[0]


class Pending(Tensor):
    """A tensor of which the memory has the other sign, as torch has them after y.conj().imag."""

    def is_neg(self):
        return True

    def resolve_neg(self):
        made = Tensor(-self.array)
        made.numel, made.element_size = lambda: self.array.size, lambda: self.array.itemsize
        return made


def test_pending_sign():
    """The sign that an operand still has to get is not lost, and no result is such an array."""
    A = random_matrix(40, 30, 0.3)
    E, x, X = ek.matrix(A), integers(30), integers(3, 40)
    before = ek.copies()
    np.testing.assert_array_equal(E @ Pending(x), A @ -x)
    np.testing.assert_array_equal(E.plan() @ Pending(x), A @ -x)
    np.testing.assert_array_equal(Pending(X) @ E, -X @ A.toarray())
    after = ek.copies()
    assert after[0] - before[0] == 3 and after[1] - before[1] == 2 * x.nbytes + X.nbytes
    y = np.zeros(40)
    with pytest.raises(ValueError, match="out is a tensor with a sign"):
        E.matmul(x, out=Pending(y))
    assert not y.any()


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_torch(torch):
    """Vectors and blocks of torch from both sides, of each type and with steps between elements."""
    A = random_matrix(40, 30, 0.3)
    E, S = ek.matrix(A), ek.matrix(A.astype(np.float32))
    D, x, u = torch.from_numpy(A.toarray()), torch.from_numpy(integers(30)), integers(40)
    X, U = torch.from_numpy(integers(30, 4)), torch.from_numpy(integers(4, 40))
    u, z = torch.from_numpy(u), x * (1 + 2j)
    before = ek.copies()
    for result, expected in (
        (E @ x, D @ x),
        (E.plan() @ x, D @ x),
        (E.T @ u, D.T @ u),
        (u @ E, D.T @ u),
        (E @ X, D @ X),
        (E @ X.T.contiguous().T, D @ X),
        (U @ E, U @ D),
        (S @ x.float(), D.float() @ x.float()),
        (E @ torch.zeros(30, 0).double(), torch.zeros(40, 0).double()),
    ):
        assert isinstance(result, torch.Tensor) and torch.equal(result, expected)
    assert ek.copies() == before
    others = x.float(), x.int(), x.half(), x > 0, z, z.conj(), z.conj().imag, -z.conj()
    for given in (X[:, 1], *others):
        expected = D.to(torch.complex128) @ given.to(torch.complex128)
        assert torch.equal((E @ given).to(torch.complex128), expected)
    with pytest.raises((RuntimeError, BufferError), match="detach"):
        E @ x.clone().requires_grad_()


def test_result_in_torch(torch):
    """out= of torch, which an operand of numpy may have too."""
    A = random_matrix(40, 30, 0.3)
    E, x, X = ek.matrix(A), torch.from_numpy(integers(30)), torch.from_numpy(integers(30, 4))
    D, new = torch.from_numpy(A.toarray()), {"dtype": torch.float64}
    for size, part in ((40, ...), (80, np.s_[::2]), ((40, 3), np.s_[:, 1])):
        out = torch.empty(size, **new)[part]
        for given in (x, x.numpy()):
            out[...] = 3
            assert E.matmul(given, out=out, alpha=2, beta=5) is out
            assert torch.equal(out, 2 * (D @ x) + 15)
            assert E.plan()(given, out=out) is out and torch.equal(out, D @ x)
    for out in (torch.empty(40, 4, **new), torch.empty(4, 40, **new).T):
        assert E.matmul(X, out=out) is out and torch.equal(out, D @ X)
    y = np.empty(40)
    assert E.matmul(x, out=y) is y and np.array_equal(y, D @ x)
    with pytest.raises(ValueError, match="one place"):
        E.matmul(x, out=torch.zeros(1, **new).expand(40))
    pending = torch.zeros(40, dtype=torch.complex128).conj()
    for wrong in (pending, pending.imag, torch.empty(40), torch.empty(39, **new)):
        with pytest.raises(ValueError, match="out is"):
            E.matmul(x, out=wrong)


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
