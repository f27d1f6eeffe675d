# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of cupy and of torch on a device of CUDA. tool/check-gpu runs these tests on a GPU;
elsewhere they say what is missing, and test_devices.py has stand-ins."""

import contextlib

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix


class Cupy:
    """What the tests need of cupy."""

    def __init__(self):
        import cupy

        self.cupy = cupy
        cupy.cuda.runtime.getDeviceCount()
        self.put, self.get, self.empty = cupy.asarray, cupy.asnumpy, cupy.empty

    def address(self, X):
        return X.data.ptr

    def by_columns(self, X):
        return self.cupy.asfortranarray(X)

    @contextlib.contextmanager
    def side_stream(self):
        """Has what follows done in a stream that does not wait for the default one."""
        with self.cupy.cuda.Stream(non_blocking=True):
            yield


class Torch:
    """The same of torch."""

    def __init__(self):
        import torch

        self.torch = torch
        torch.zeros(1, device="cuda")

    def put(self, X):
        return self.torch.from_numpy(np.ascontiguousarray(X)).cuda()

    def get(self, X):
        return X.cpu().numpy()

    def empty(self, shape, dtype):
        return self.put(np.empty(shape, dtype))

    def address(self, X):
        return X.data_ptr()

    def by_columns(self, X):
        return X.T.contiguous().T

    @contextlib.contextmanager
    def side_stream(self):
        with self.torch.cuda.stream(self.torch.cuda.Stream()):
            yield


@pytest.fixture(scope="module")
def context():
    try:
        return ek.Context(device="cuda", device_memory="copy")
    except ek.Error as problem:
        pytest.skip(f"a device of CUDA: {problem}")


@pytest.fixture(params=[Cupy, Torch])
def library(request, context):
    try:
        return request.param()
    except Exception as problem:  # what they load may fail in many ways
        pytest.skip(f"{request.param.__name__.lower()}: {problem}".splitlines()[0])


def same(library, result, given, expected):
    """Is the result, of the class of what was given, equal in shape, type and each number?"""
    assert type(result) is type(given)
    found = library.get(result)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products(library, context, kind):
    """Vectors and blocks of both orders, from both sides, with a result of the caller or a new one;
    nothing is copied to the host or back."""
    A = random_matrix(400, 300, 0.1, dtype=kind)
    D, E = A.toarray(), ek.matrix(A, context=context)
    x, u, X, U = (integers(*shape, dtype=kind) for shape in ((300,), (400,), (300, 5), (5, 400)))
    cases = (
        (E.matmul, library.put(x), D @ x),
        (E.plan(), library.put(x), D @ x),
        (E.T.matmul, library.put(u), u @ D),
        (E.rmatmul, library.put(u), u @ D),
        (E.matmul, library.put(X), D @ X),
        (E.matmul, library.by_columns(library.put(X)), D @ X),
        (E.plan("spmm", width=5), library.put(X), D @ X),
        (E.rmatmul, library.put(U), U @ D),
        (E.rmatmul, library.by_columns(library.put(U)), U @ D),
    )
    for multiply, given, expected in cases:
        same(library, multiply(given), given, expected)  # makes the plan and sends the matrix
        outs = [library.empty(expected.shape, kind)]
        if expected.ndim == 2:
            outs.append(library.by_columns(library.empty(expected.shape, kind)))
        for out in outs:
            copies, counted, at = ek.copies(), context.device_counters, library.address(out)
            assert multiply(given, out=out) is out
            same(library, out, given, expected)
            multiply(given, out=out, alpha=3, beta=-1)
            same(library, out, given, 2 * expected)
            same(library, multiply(given, alpha=2), given, 2 * expected)
            after = context.device_counters
            assert library.address(out) == at and ek.copies() == copies
            assert after["launches"] > counted["launches"]
            for way in ("to_device", "from_device"):
                assert after[way] == counted[way], way


def test_streams(library, context):
    """A product waits for an operand that another stream still computes, and its result is there
    for any stream when it returns."""
    A = random_matrix(400, 300, 0.1)
    E, x = ek.matrix(A, context=context), integers(300)
    operand, y, much = library.put(np.zeros(300)), library.put(np.zeros(400)), library.put(x)
    E.matmul(operand, out=y)
    work = library.put(np.ones((4096, 4096), np.float32))
    with library.side_stream():
        for _ in range(3):
            for _ in range(10):
                work = work @ work * 2.0**-12  # takes milliseconds, and gives ones again
            operand += much
            E.matmul(operand, out=y)
            other = y + 0
            operand -= much
            np.testing.assert_array_equal(library.get(other), A @ x)
        assert library.get(work)[0, 0] == 1


def test_types(library, context):
    """Arrays on a device are not converted; a matrix of f32 is, as on the host."""
    A = random_matrix(400, 300, 0.1)
    narrow, wide = ek.matrix(A.astype(np.float32), context=context), ek.matrix(A, context=context)
    x = library.put(integers(300))
    same(library, narrow @ x, x, A @ integers(300))
    for wrong, problem in (
        (lambda: wide @ library.put(integers(300, dtype=np.float32)), ValueError),
        (lambda: narrow.plan() @ x, ValueError),
        (lambda: wide @ library.put(integers(300, dtype=np.int32)), TypeError),
        (lambda: wide.matmul(x, out=np.empty(400)), ValueError),
        (lambda: wide.matmul(integers(300), out=library.put(integers(400))), ValueError),
        (lambda: wide @ library.put(integers(300, 2))[:, 0], ValueError),
        (lambda: ek.matrix(A, context=ek.Context(device="cpu")) @ x, ek.errors.DeviceError),
    ):
        with pytest.raises(problem):
            wrong()


def test_pending_sign(context):
    """torch keeps a sign as a bit of the tensor, which the product must see."""
    torch = pytest.importorskip("torch")
    try:
        x = torch.from_numpy(integers(300) * 1j).cuda().conj().imag
    except Exception as problem:
        pytest.skip(f"torch: {problem}".splitlines()[0])
    A = random_matrix(400, 300, 0.1)
    y = ek.matrix(A, context=context) @ x
    assert x.is_neg()
    np.testing.assert_array_equal(y.cpu().numpy(), A @ -integers(300))
