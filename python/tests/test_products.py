# SPDX-License-Identifier: BSD-3-Clause
"""Products with vectors and blocks, exactly equal to scipy's on integers."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _fast

CLASSES = [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix]


def same(result, expected):
    """Equal in shape, type and every bit but the sign of zeros."""
    assert isinstance(result, np.ndarray)
    assert result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_types(kind, value, index, shape):
    A = with_index(kind(shape.astype(value)), index)
    B = ek.matrix(A)
    A = shape.astype(value)  # coo_array gives numbers in place of vectors of one entry
    rows, cols = A.shape
    x, u = integers(cols, dtype=value), integers(rows, dtype=value)
    for _ in range(3):  # the first product is the slow way, the next ones the fast
        same(B @ x, A @ x)
    same(B.T @ u, A.T @ u)
    same(u @ B, A.T @ u)
    for columns in (0, 1, 2, 5, 9):
        X, U = integers(cols, columns, dtype=value), integers(rows, columns, dtype=value)
        same(B @ X, A @ X)
        same(B.T @ U, A.T @ U)
        same(B @ np.asfortranarray(X), A @ X)
        same(U.T @ B, np.ascontiguousarray(U.T @ A.toarray()))
    assert B.shape == A.shape and B.dtype == value and B.T.shape == A.shape[::-1]


def with_index(A, index):
    """The same matrix with indices of this type; scipy's constructors choose it themselves."""
    for name in ("indptr", "indices"):
        if hasattr(A, name):
            setattr(A, name, getattr(A, name).astype(index))
    if A.format == "coo" and hasattr(A, "coords"):
        A.coords = tuple(axis.astype(index) for axis in A.coords)
    return A


def test_no_copies(shape):
    for index in (np.int32, np.int64):
        A = with_index(shape.copy(), index)
        before = ek.copies()
        B = ek.matrix(A)
        assert B.info["borrowed"] == 1
        B @ np.ones(A.shape[1])
        B @ np.ones((A.shape[1], 3))
        B.T @ np.asfortranarray(np.ones((A.shape[0], 3)))
        ek.matrix(A.T) @ np.ones(A.shape[0])
        assert ek.copies() == before
        if A.nnz:
            assert np.shares_memory(B.arrays["val"], A.data)
            assert np.shares_memory(B.tocsr().indices, A.indices)
    before = ek.copies()
    ek.matrix(shape.astype(np.int16))
    assert ek.copies()[0] > before[0] or shape.nnz == 0


def test_strides():
    A = random_matrix(40, 30, 0.3)
    B = ek.matrix(A)
    wide = integers(90, 20)
    for X in (
        wide[::3, ::2],
        wide[:30, 3:9],
        wide[:30].T[:9].T,
        wide[29::-1, ::-1],
        np.broadcast_to(wide[:30, :1], (30, 7)),
        wide.astype(">f8")[:30],
        wide.astype(int)[:30],
    ):
        same(B @ X, A @ X.astype(float))
        same(B @ X[:, 0], A @ X[:, 0].astype(float))
    odd = np.frombuffer(b"x" + np.arange(30.0).tobytes(), np.float64, 30, 1)
    assert not odd.flags.aligned
    same(B @ odd, A @ np.arange(30.0))
    same(B @ odd, A @ np.arange(30.0))
    read_only = integers(30)
    read_only.flags.writeable = False
    same(B @ read_only, A @ read_only)
    same(B @ list(range(30)), A @ np.arange(30.0))


def test_out():
    A = random_matrix(40, 30, 0.3)
    B = ek.matrix(A)
    x, X = integers(30), integers(30, 6)
    y = np.full(40, np.nan)
    assert B.matmul(x, out=y) is y
    same(y, A @ x)
    B.dot(x, out=y, alpha=3, beta=-2)
    same(y, 3 * (A @ x) - 2 * (A @ x))
    both = np.full((80, 9), 5.0)
    part = both[::2, 1:7]
    B.matmul(X, out=part, alpha=2, beta=1)
    same(part.copy(), 2 * (A @ X) + 5)
    assert (both[1::2] == 5).all() and (both[:, 0] == 5).all() and (both[:, 7:] == 5).all()
    column = both[:40, 3]
    B.matmul(x, out=column)
    same(column.copy(), A @ x)
    left = np.empty((6, 30))
    assert B.rmatmul(integers(6, 40), out=left) is left
    same(left, integers(6, 40) @ A.toarray())
    for wrong in (np.empty(39), np.empty(40, np.float32), np.empty((40, 1)), [0] * 40):
        with pytest.raises(ValueError):
            B.matmul(x, out=wrong)
    for left in (integers(6, 40), integers(6, 40) * 1j):
        with pytest.raises(ValueError, match="out is list"):
            B.rmatmul(left, out=[[0] * 30] * 6)
    with pytest.raises(ValueError, match="beta"):
        B.matmul(x, beta=1)
    with pytest.raises(ValueError, match="beta"):
        B.matmul(x + 1j, beta=1)
    with pytest.raises(ValueError, match="overlap"):
        square = ek.matrix(random_matrix(30, 30, 0.3))
        square.matmul(x, out=x)


def test_types_meet():
    A = random_matrix(40, 30, 0.3, dtype=np.float32)
    B = ek.matrix(A)
    x = integers(30)
    same(B @ x, A.astype(float) @ x)  # f64, as in numpy
    same(B @ x.astype(np.float32), A @ x.astype(np.float32))
    same(B @ x.astype(np.int8), (A @ x).astype(np.float32))
    z = x + 1j * x[::-1]
    D = random_matrix(40, 30, 0.3)
    C = ek.matrix(D)
    same(C @ z, D @ z)
    same(C @ np.outer(z, [1, 2j]), D @ np.outer(z, [1, 2j]))
    same(np.outer([1, 2j], np.ones(40)) @ C, np.outer([1, 2j], np.ones(40)) @ D.toarray())
    same(B @ z.astype(np.complex64), A @ z.astype(np.complex64))
    with pytest.raises(TypeError, match="complex"):
        ek.matrix(D * 1j)
    single, out = z.astype(np.complex64), np.ones(40, np.complex64)
    for factor in (2, 2.0, np.float64(2), np.complex128(2)):  # a factor does not widen the result
        same(B.matmul(single, alpha=factor), 2 * (A @ single))
    same(B.matmul(single, out=out, alpha=np.float64(2), beta=np.float64(3)), 2 * (A @ single) + 3)
    for wrong in ("2", [2], np.ones(1)):
        with pytest.raises(TypeError, match="alpha is"):
            B.matmul(single, alpha=wrong)


@pytest.mark.skipif(np.finfo(np.longdouble).bits == 64, reason="there is no wider type here")
def test_no_digits_lost():
    """What has more digits than the library is refused, and not rounded."""
    A = random_matrix(40, 30, 0.3)
    E = ek.matrix(A)
    for wide in (np.longdouble, np.clongdouble):
        for wrong in (
            lambda: E @ np.ones(30, wide),
            lambda: E @ np.ones((30, 2), wide),
            lambda: np.ones(40, wide) @ E,
            lambda: np.ones((2, 40), wide) @ E,
            lambda: E.plan() @ np.ones(30, wide),
            lambda: E.plan("spmm") @ np.ones((30, 2), wide),
            lambda: ek.matrix(A.astype(wide)),
            lambda: ek.matrix(np.ones((3, 2), wide)),
            lambda: ek.from_csr(A.indptr, A.indices, A.data.astype(wide), A.shape),
            lambda: E.set_values(A.data.astype(wide)),
        ):
            with pytest.raises(TypeError, match="convert|real"):
                wrong()


@pytest.mark.parametrize("kind", ["U1", "S1", "M8[D]", "m8[s]", "O", [("a", "f8")]])
def test_no_numbers(kind):
    """What is no number is refused, and not parsed, counted in days or taken for NaN."""
    A = random_matrix(40, 30, 0.3)
    E, values = ek.matrix(A), A.data.copy()
    for wrong in (
        lambda: E @ np.ones(30, int).astype(kind),
        lambda: E @ np.ones((30, 2), int).astype(kind),
        lambda: np.ones(40, int).astype(kind) @ E,
        lambda: np.ones((2, 40), int).astype(kind) @ E,
        lambda: E.plan() @ np.ones(30, int).astype(kind),
        lambda: E.plan("spmm") @ np.ones((30, 2), int).astype(kind),
        lambda: E.set_values(np.ones(A.nnz, int).astype(kind)),
        lambda: ek.matrix(np.ones((3, 2), int).astype(kind)),
        lambda: ek.from_csr(A.indptr, A.indices, A.data.astype(int).astype(kind), A.shape),
    ):
        with pytest.raises(TypeError):
            wrong()
    np.testing.assert_array_equal(A.data, values)


def test_fast_transposes(monkeypatch):
    """Each A.T is a new object, but products with it go the short way after the first."""
    A = random_matrix(40, 30, 0.3)
    E, x, u, v = ek.matrix(A), integers(30), integers(40), np.empty(30)
    E.rmatvec(u), u @ E.T.T, E @ x

    def the_long_way(self, *given):
        raise AssertionError(given)

    monkeypatch.setattr(ek.Matrix, "matmul", the_long_way)
    same(E.T @ u, A.T @ u)
    same(u @ E, A.T @ u)
    same(E.rmatvec(u), A.T @ u)
    same(E.rmatmul(u), A.T @ u)
    assert E.rmatvec(u, out=v) is v and E.T.rmatvec(x).shape == (40,)
    same(v, A.T @ u)
    same(E.T.T @ x, A @ x)
    same(x @ E.T, A @ x)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_factors(kind):
    """alpha A x + beta y with factors of all real types; fast.c takes Python's and float64."""
    A = random_matrix(40, 30, 0.3, dtype=kind)
    E, x, u = ek.matrix(A), integers(30, dtype=kind), integers(40, dtype=kind)
    plan = E.plan()
    for alpha, beta in ((2, 1), (2.0, -3.0), (np.float64(2), 0.5), (True, False), (0, 2)):
        for function, S, v in (
            (E.matmul, A, x),
            (plan, A, x),
            (E.T.matmul, A.T, u),
            (E.rmatmul, A.T, u),
        ):
            y = np.full(S.shape[0], 4, kind)
            assert function(v, out=y, alpha=alpha, beta=beta) is y
            same(y, (alpha * (S @ v) + beta * 4).astype(kind))
            same(function(v, alpha=alpha), (alpha * (S @ v)).astype(kind))
        assert E.core.fast[0](x, np.empty(40, kind), alpha, beta) is not None or not _fast.AVAILABLE
    for alpha in (np.float32(2), np.int8(2), Fraction(2)):
        same(E.matmul(x, alpha=alpha), 2 * (A @ x))
    for alpha, problem in ((10**400, OverflowError), (2j, TypeError), ("2", TypeError)):
        for wrong in (
            lambda: E.matmul(x, alpha=alpha),
            lambda: E.matmul(x, out=np.zeros(40, kind), beta=alpha),
            lambda: plan(x, alpha=alpha),
            lambda: E.rmatmul(u, alpha=alpha),
        ):
            with pytest.raises(problem):
                wrong()
    for function in (E.matmul, plan):
        with pytest.raises(ValueError, match="beta is not 0"):
            function(x, beta=0.5)


def test_error_bound():
    rng = np.random.default_rng(5)
    for dtype in (np.float32, np.float64):
        dense = np.where(rng.random((300, 200)) < 0.2, rng.standard_normal((300, 200)), 0)
        A, x = sp.csr_array(dense.astype(dtype)), rng.standard_normal(200).astype(dtype)
        exact = A.toarray().astype(np.longdouble) @ x.astype(np.longdouble)
        size = abs(A.toarray()).astype(np.longdouble) @ abs(x).astype(np.longdouble)
        unit = np.finfo(dtype).eps / 2
        k = np.diff(A.indptr) + 2
        bound = k * unit / (1 - k * unit) * size
        assert (abs((ek.matrix(A) @ x).astype(np.longdouble) - exact) <= bound).all()


def test_nan_stays():
    A = ek.matrix(sp.csr_array([[1.0, 0], [0, 2]]))
    np.testing.assert_array_equal(A @ np.array([np.nan, 3]), [np.nan, 6])


@pytest.mark.parametrize("kind", [float, complex])
def test_nothing_of_the_product(kind):
    """With alpha = 0 the operand is not read, and with beta = 0 the old result is not."""
    E = ek.matrix(random_matrix(40, 30, 0.3))
    for X in (np.full(30, np.nan, kind), np.full((30, 2), np.inf, kind)):
        same(E.matmul(X, alpha=0), np.zeros((40,) + X.shape[1:], kind))
        Y = np.full((40,) + X.shape[1:], np.nan, kind)
        same(E.matmul(X, out=Y, alpha=0), np.zeros(Y.shape, kind))
        Y[...] = 3
        same(E.matmul(X, out=Y, alpha=0, beta=2), np.full(Y.shape, 6, kind))
        same(E.T.rmatmul(X.T, alpha=0), np.zeros(Y.T.shape, kind))


def test_wrong_shapes():
    A = ek.matrix(random_matrix(40, 30, 0.3))
    for x in (np.ones(40), np.ones((40, 2)), np.ones((2, 3, 4)), np.float64(3)):
        with pytest.raises(ValueError):
            A @ x
    with pytest.raises(ValueError):
        np.ones((3, 30)) @ A


def test_values_changed():
    A = random_matrix(60, 60, 0.2)
    B = ek.matrix(A)
    x = integers(60)
    same(B @ x, A @ x)
    A.data[:] = integers(A.nnz)
    B.values_changed()
    same(B @ x, A @ x)
    C = ek.matrix(A, copy=True)
    C @ x
    values = integers(A.nnz, seed=9)
    C.set_values(values)
    A.data[:] = values
    same(C @ x, A @ x)
    C[5, int(A[[5]].indices[0])] = 77
    assert C[5, int(A[[5]].indices[0])] == 77 and C[-55, int(A[[5]].indices[0])] == 77
    with pytest.raises(ValueError, match="values of its own"):
        C.values_changed()


def test_values_of_a_copy_changed():
    """values_changed says so where a matrix does not use the values that were given."""
    A = random_matrix(60, 60, 0.2)
    for made, reason in (
        (A.astype(np.int64), "converted from int64"),
        (A.astype(bool), "converted from bool"),
        (A.tocoo(), "coordinates"),
        (sp.bsr_array(A), "converted from bsr"),
        (A.toarray(), "coordinates"),
    ):
        with pytest.raises(ValueError, match=reason):
            ek.matrix(made).values_changed()
    for values, reason in (
        (A.data.astype(">f8"), "converted from >f8"),
        (A.data.astype("f2"), "converted from float16"),
        (np.repeat(A.data, 2)[::2], "converted from float64"),
    ):
        B = ek.from_csr(A.indptr, A.indices, values, A.shape)
        with pytest.raises(ValueError, match=reason):
            B.T.values_changed()
    wide = A.indptr.astype(np.int16), A.indices.astype(np.int64)  # only the indices are converted
    B = ek.from_csr(*wide, A.data, A.shape)
    B @ np.ones(60)
    A.data[:] = integers(A.nnz)
    B.values_changed()
    same(B @ np.ones(60), A @ np.ones(60))
    for result in (2 * B, B @ B, B.convert("sell"), ek.generate("poisson2d5:nx=5,ny=4")):
        with pytest.raises(ValueError):
            result.values_changed()


def test_masked():
    """A mask is not ignored."""
    E = ek.matrix(random_matrix(30, 30, 0.3))
    x = np.ma.masked_array(integers(30), mask=np.arange(30) == 3)
    for wrong in (
        lambda: E @ x,
        lambda: x @ E,
        lambda: E @ x[:, None],
        lambda: E.plan() @ x,
        lambda: E.rmatmul(x[None]),
        lambda: ek.matrix(x[:, None]),
    ):
        for _ in range(2):
            with pytest.raises(ValueError, match="masked"):
                wrong()
    same(E @ x.filled(0), E @ np.ma.masked_array(x.filled(0)))


def test_unsorted_and_duplicates():
    A = sp.csr_array(
        (np.array([1.0, 2, 3, 4]), np.array([2, 0, 2, 2]), np.array([0, 3, 4])), shape=(2, 3)
    )
    assert not A.has_canonical_format
    same(ek.matrix(A) @ np.array([1.0, 10, 100]), A @ np.array([1.0, 10, 100]))
    same(ek.matrix(A).toarray(), A.toarray())
