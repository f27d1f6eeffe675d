# SPDX-License-Identifier: BSD-3-Clause
"""Products with blocks in the fast way, which has to do what the general way does."""

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _fast, _products

needs_fast = pytest.mark.skipif(not _fast.AVAILABLE, reason="there is no fast.c")


def block(rows, cols, dtype=np.float64):
    return integers(rows * cols, dtype=dtype).reshape(rows, cols)


def sides(E, kind, columns):
    """The fast way, the general one, X and the shape of the result, for A X, A^T X, X A, X A^T."""

    def forgetting(general):
        def run(A, *given):
            A.core.blocks.clear()
            return general(A, *given)

        return run

    right, left = forgetting(_products.multiply), forgetting(_products.multiply_left)
    for A in (E, E.T):
        rows, cols = A.shape
        yield A.matmul, right, A, block(cols, columns, kind), (rows, columns)
        yield A.rmatmul, left, A, block(columns, rows, kind), (columns, cols)


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 8, 65])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_same_as_the_general_way(kind, columns):
    E = ek.matrix(random_matrix(40, 30, 0.3, dtype=kind))
    for fast, general, A, X, shape in sides(E, kind, columns):
        for _ in range(3):
            Y, Z = fast(X), general(A, X, None, 1.0, 0.0)
            np.testing.assert_array_equal(Y, Z)
            assert (Y.dtype, Y.shape, Y.strides) == (Z.dtype, Z.shape, Z.strides)
        np.testing.assert_array_equal((A @ X) if shape[0] == A.shape[0] else X @ A, Z)
        for alpha, beta in ((2.0, -1.0), (0, 2), (np.float64(3), True), (np.float32(2), 1)):
            for order in "CF":
                Y, Z = np.full(shape, 4, kind, order), np.full(shape, 4, kind, order)
                assert fast(X, Y, alpha, beta) is Y and general(A, X, Z, alpha, beta) is Z
                np.testing.assert_array_equal(Y, Z)


@needs_fast
def test_goes_the_short_way(monkeypatch):
    E = ek.matrix(random_matrix(40, 30, 0.3))
    expected = [fast(X) for fast, _, _, X, _ in sides(E, np.float64, 4)]

    def the_long_way(*given):
        raise AssertionError(given)

    monkeypatch.setattr(_products, "multiply", the_long_way)
    monkeypatch.setattr(_products, "multiply_left", the_long_way)
    for Y, (fast, _, _, X, shape) in zip(expected, sides(E, np.float64, 4)):
        np.testing.assert_array_equal(fast(X), Y)
        out = np.ones(shape)
        np.testing.assert_array_equal(fast(X, out, 2.0, 1.0), 2 * Y + 1)
    with pytest.raises(AssertionError):  # another shape has to be new
        E @ block(30, 5)


def test_what_does_not_fit():
    """Blocks that look alike get the results, or the exceptions, of the general way."""
    S = random_matrix(40, 30, 0.3)
    E, X = ek.matrix(S), block(30, 4)
    expected = S @ X
    E @ X
    wide = np.zeros((30, 8))
    wide[:, ::2] = X
    odd = np.zeros(30 * 4 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(30, 4)
    odd[:] = X
    for like in (
        np.asfortranarray(X),
        wide[:, ::2],
        odd,
        X.astype(np.int8),
        X.astype(np.float32),
        X.astype(">f8"),
        X.tolist(),
        np.ma.masked_array(X),
    ):
        np.testing.assert_array_equal(E @ like, expected)
        np.testing.assert_array_equal(E.matmul(like, alpha=2), 2 * expected)
    frozen, Y = np.zeros((40, 4)), np.zeros((40, 4))
    frozen.flags.writeable = False
    for out, text in (
        (frozen, "read-only"),
        (np.zeros((4, 40)), "out is"),
        (np.zeros((40, 4), "f4"), "out is"),
        (np.zeros(160), "out is"),
        (Y.tolist(), "out is"),
    ):
        with pytest.raises(ValueError, match=text):
            E.matmul(X, out=out)
    with pytest.raises(ValueError, match="no out"):
        E.matmul(X, beta=1.0)
    with pytest.raises(ek.Error):
        E @ block(31, 4)
    with pytest.raises(ValueError, match="masked"):
        E @ np.ma.masked_equal(X, X[0, 0])
    for alpha, problem in ((10**400, OverflowError), (2j, TypeError), ("2", TypeError)):
        with pytest.raises(problem):
            E.matmul(X, out=Y, alpha=alpha)
    assert not Y.any()


@needs_fast
def test_limits_and_shapes():
    """A fast product is for one limit of threads, and a matrix keeps a few shapes only."""
    S = random_matrix(40, 30, 0.3)
    E, X = ek.matrix(S), block(30, 4)
    E @ X
    one = E.core.blocks["spmm", False, X.shape]
    try:
        ek.set_threads(1)
        assert one(X) is None or one.limit == 1
        np.testing.assert_array_equal(E @ X, S @ X)
        assert E.core.blocks["spmm", False, X.shape].limit == 1
    finally:
        ek.set_threads(0)
    np.testing.assert_array_equal(E @ X, S @ X)
    for columns in range(2, 200):
        Y = block(30, columns)
        np.testing.assert_array_equal(E @ Y, S @ Y)
    assert len(E.core.blocks) <= 64
    kept = E.core.block("spmm", False, Y)
    del E
    np.testing.assert_array_equal(kept, S @ Y)


def test_values_change():
    S = random_matrix(40, 30, 0.3)
    E, X = ek.matrix(S), block(30, 4)
    for factor in (2, 3, 4):
        E @ X
        S.data[:] = factor * integers(S.nnz)
        E.values_changed()
        np.testing.assert_array_equal(E @ X, S @ X)
