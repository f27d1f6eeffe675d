# SPDX-License-Identifier: BSD-3-Clause
"""Products, sums and transposes of sparse matrices, and the way to scipy and back."""

import numpy as np
import pytest
import scipy.sparse as sp

import evenkeel as ek
from conftest import integers, is_array, random_matrix

KINDS = [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix]


def same(result, expected):
    """A matrix of scipy or of ours with these entries."""
    result.toscipy().sum() if isinstance(result, ek.Matrix) else result.sum()
    np.testing.assert_array_equal(result.toarray(), expected.toarray())


@pytest.mark.parametrize("kind", KINDS)
def test_product(kind, shape):
    A = kind(shape)
    E, right = ek.matrix(A), kind(random_matrix(A.shape[1], 23, 0.2))
    C = E @ right
    assert is_array(C) == is_array(right)
    same(C, A @ right)
    same(E @ ek.matrix(right), A @ right)
    assert isinstance(E @ ek.matrix(right), ek.Matrix)
    left = kind(random_matrix(13, A.shape[0], 0.2))
    D = left @ E
    assert is_array(D) == is_array(left)
    same(D, left @ A)
    same(E.T @ ek.matrix(left).T, A.T @ left.T)
    same(E.T @ E, A.T @ A)


@pytest.mark.parametrize("kind", KINDS)
def test_sum(kind, shape):
    A, B = kind(shape), kind(random_matrix(*shape.shape, 0.2, seed=4))
    E, F = ek.matrix(A), ek.matrix(B)
    same(E + F, A + B)
    same(E - B, A - B)
    same(B - E, B - A)
    same(E + F.T.T, A + B)
    same(3 * E, 3 * A)
    same(-E.T, -A.T)
    same(E / 2, A / 2)
    same(sum([E, F]), A + B)
    assert is_array(E + B) == is_array(B)
    same(E.add(F, 2, -3), 2 * A - 3 * B)


def test_there_and_back(shape):
    for kind in KINDS:
        A = kind(shape)
        E = ek.matrix(A)
        for result, expected in (
            (E.tocsr(), A),
            (E.tocsc(), A),
            (E.tocoo(), A),
            (E.T.tocsr(), A.T),
            (E.T.tocsc(), A.T),
            (E.T.toscipy(), A.T),
            (E.toscipy(), A),
        ):
            same(result, expected)
            assert is_array(result) == is_array(A)
        np.testing.assert_array_equal(E.toarray(), A.toarray())
        np.testing.assert_array_equal(E.T.toarray(), A.T.toarray())
        np.testing.assert_array_equal(E.diagonal(), A.diagonal())
        assert E.tocsr(copy=True).data.flags.writeable


def test_results_can_be_changed():
    A = random_matrix(30, 30, 0.2)
    C = ek.matrix(A) @ A
    C.data[:] = 0
    C.sort_indices()
    assert C.has_canonical_format and abs(C).sum() == 0


def test_wide_indices():
    A = random_matrix(30, 30, 0.2)
    A.indptr, A.indices = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    C = ek.matrix(A) @ A
    assert C.indices.dtype == np.int64
    same(C, A @ A)


def test_types_meet():
    A, B = random_matrix(30, 30, 0.2, dtype=np.float32), random_matrix(30, 30, 0.2, seed=8)
    for result in (ek.matrix(A) @ B, ek.matrix(B) @ A):
        assert result.dtype == np.float64
    same(ek.matrix(A) @ B, A @ B)
    same(ek.matrix(A) + B, A + B)


def test_multiples_own_their_arrays():
    A = random_matrix(30, 30, 0.2)
    S, x = A.copy(), integers(30)
    B, C = 2 * ek.matrix(S), -ek.matrix(S)
    S.indices[:] = 0
    S.data[:] = 0
    np.testing.assert_array_equal(B @ x, 2 * (A @ x))
    np.testing.assert_array_equal(C @ x, -(A @ x))
    B.set_values(A.data)
    np.testing.assert_array_equal(B @ x, A @ x)


def test_with_d():
    A, B, D = (random_matrix(30, 30, 0.2, seed=seed) for seed in (1, 2, 3))
    C = ek.matrix(A).multiply_sparse(B, alpha=2, D=D, beta=-1)
    same(C, 2 * (A @ B) - D)
    same(ek.matrix(A).multiply_sparse(ek.matrix(B), D=ek.matrix(D).T), A @ B + D.T)
    same(ek.matrix(A).multiply_sparse(B, method="csr.flags"), A @ B)


def test_unsorted():
    """Rows of a product may be unsorted if that is asked for, and scipy is told so."""
    S = random_matrix(3000, 3000, 2e-3)
    A = ek.matrix(S)
    C, of_ours = A.multiply_sparse(S, unsorted=True), A.multiply_sparse(A, unsorted=True)
    assert not C.has_sorted_indices
    assert (A @ S).has_sorted_indices
    same(C, S @ S)
    same(of_ours, S @ S)
    view = of_ours.toscipy()
    view.sort_indices()  # where they are: those of our matrix stay
    same(of_ours, S @ S)
    same(ek.matrix(C).multiply_sparse(C), (S @ S) @ (S @ S))
    assert ek.matrix(C).multiply_sparse(C).has_canonical_format
    with pytest.raises(ek.Error, match="hints.unsorted"):
        A.add(A, unsorted=True)


def test_multigrid():
    A = ek.generate("poisson2d5:nx=30,ny=20")
    P = A.prolongator()
    coarse = A.galerkin(P)
    S, Q = A.tocsr(), P.tocsr()
    expected = (Q.T @ S @ Q).toarray()
    np.testing.assert_allclose(coarse.toarray(), expected, atol=1e-13 * abs(expected).max())
    assert A.aggregate().shape == P.shape


def test_conversion(shape):
    A = ek.matrix(shape)
    x = integers(shape.shape[1])
    for row in ek.formats():
        try:
            B = A.convert(row["name"], max_bytes=-1)
        except ek.errors.Unsupported:
            continue
        assert B.info["format"] == row["name"]
        np.testing.assert_array_equal(B @ x, shape @ x)
        same(B.tocsr(), shape)
    assert A.convert("csr", dtype="f4", index="64").info["index"] == "64"


def test_no_matrix():
    for wrong in (3, "abc", np.ones(3), [1, 2]):
        with pytest.raises((TypeError, ValueError)):
            ek.matrix(wrong)
    with pytest.raises(TypeError):
        ek.matrix(sp.csr_array([[1, 2]])) + 3
    square = ek.matrix(random_matrix(3, 3, 0.9))
    for wrong in (np.ones((3, 3)), 3, 0, None):
        with pytest.raises(TypeError, match="is not a sparse matrix"):
            square.add(wrong)
    for wrong in (3, None, "abc"):
        for way in (lambda: square + wrong, lambda: square - wrong, lambda: wrong - square):
            with pytest.raises(TypeError):
                way()
    E = ek.matrix(sp.csr_array([[1.0, 2]]))
    for factor in (2, 2.0, np.float32(2), np.int8(2), True + True):
        np.testing.assert_array_equal((E * factor).toarray(), [[2, 4]])
        np.testing.assert_array_equal((E / factor).toarray(), [[0.5, 1]])
    for zero in (0, 0.0):  # as with scipy, whose quotients by numpy's zeros are Inf
        with pytest.raises(ZeroDivisionError):
            E / zero
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal((E / np.float64(0)).toarray(), [[np.inf, np.inf]])
    for wrong in ("3", b"3", None, [3], 1j):
        for way in (lambda: E * wrong, lambda: wrong * E, lambda: E / wrong):
            with pytest.raises(TypeError):
                way()

    class Other:
        core = None

    with pytest.raises((TypeError, ValueError)):
        E @ Other()
    with pytest.raises(ValueError):
        ek.matrix(sp.csr_array((3, 4))) @ sp.csr_array((3, 4))
    np.testing.assert_array_equal(ek.matrix([[0.0, 2], [3, 0]]).toarray(), [[0, 2], [3, 0]])
