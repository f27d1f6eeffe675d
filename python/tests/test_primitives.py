# SPDX-License-Identifier: BSD-3-Clause
"""Primitives and sparse vectors, compared with numpy on integers."""

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import primitives, vectors

TYPES = [np.int32, np.int64, np.float32, np.float64]
LENGTHS = [0, 1, 7, 100, 5000]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_scans(dtype, n):
    a = integers(n, dtype=dtype)
    assert primitives.reduce(a) == a.sum()
    if n:
        assert primitives.reduce(a, "max") == a.max() and primitives.reduce(a, "min") == a.min()
    np.testing.assert_array_equal(primitives.scan(a), np.cumsum(a, dtype=dtype))
    exclusive = np.concatenate([[0], np.cumsum(a)[:-1]]) if n else a
    np.testing.assert_array_equal(primitives.scan(a, kind="exclusive"), exclusive)
    in_place = a.copy()
    assert primitives.scan(in_place, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, np.cumsum(a))
    offsets = np.array([0, n // 3, n // 3, n // 2, n])
    sums = [a[i:j].sum() for i, j in zip(offsets, offsets[1:])]
    np.testing.assert_array_equal(primitives.segmented_sum(a, offsets=offsets), sums)
    scans = [np.cumsum(a[i:j]) for i, j in zip(offsets, offsets[1:])]
    np.testing.assert_array_equal(
        primitives.segmented_scan(a, offsets=offsets), np.concatenate(scans)
    )
    flags = np.zeros(n, bool)
    flags[offsets[1:-1][offsets[1:-1] < n]] = True
    np.testing.assert_array_equal(primitives.segmented_scan(a, flags=flags), np.concatenate(scans))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_order(dtype, n):
    a = integers(n, dtype=dtype)
    np.testing.assert_array_equal(primitives.sort(a), np.sort(a))
    keys, order = primitives.sort(a, np.arange(n))
    np.testing.assert_array_equal(a[order], keys)
    b = np.sort(integers(n // 2, seed=9, dtype=dtype))
    np.testing.assert_array_equal(primitives.merge(np.sort(a), b), np.sort(np.concatenate([a, b])))
    for k in {1, n // 2, n} - {0} if n else ():
        assert primitives.kselect(a, k) == np.sort(a)[k - 1]
        kth, smallest = primitives.kselect(a, k, smallest=True)
        np.testing.assert_array_equal(np.sort(smallest), np.sort(a)[:k])
    if n % 10 == 0 and n:
        rows = a.reshape(10, -1)
        np.testing.assert_array_equal(primitives.kselect(rows, 1), rows.min(1))


def test_sets():
    for dtype in (np.int32, np.int64):
        a, b = (np.unique(integers(50, seed=s, dtype=dtype)) for s in (1, 2))
        np.testing.assert_array_equal(primitives.union(a, b), np.union1d(a, b))
        np.testing.assert_array_equal(primitives.intersection(a, b), np.intersect1d(a, b))
        pointers = np.array([0, 2, 2, 5], dtype)
        np.testing.assert_array_equal(primitives.csr_to_coo(pointers), [0, 0, 2, 2, 2])


def test_vectors():
    for dtype in TYPES:
        y = integers(100, dtype=dtype)
        index = np.unique(integers(30) + 40).astype(np.int32)
        x = ek.SparseVector(index, integers(len(index), dtype=dtype), 100)
        dense = x.toarray()
        assert x.dot(y) == dense @ y and x.dot(x) == dense @ dense
        np.testing.assert_array_equal(x.axpy(y.copy(), 3), y + 3 * dense)
        other = vectors.gather(y, np.arange(10, 60, dtype=np.int32))
        np.testing.assert_array_equal(other.values, y[10:60])
        np.testing.assert_array_equal((x + other).toarray(), dense + other.toarray())
        np.testing.assert_array_equal((x - other).toarray(), dense - other.toarray())
    A = random_matrix(40, 100, 0.2)
    x = ek.SparseVector(index, integers(len(index)), 100)
    np.testing.assert_array_equal((ek.matrix(A) @ x).toarray(), A @ x.toarray())
    np.testing.assert_array_equal(vectors.gemvi(A.toarray(), x), A @ x.toarray())
    np.testing.assert_array_equal(vectors.gemvi(A.toarray(order="F"), x), A @ x.toarray())
    with pytest.raises(ek.errors.OutOfRange):
        ek.SparseVector(np.array([3, 2]), np.ones(2), 4).dot(np.ones(4))
    for index in ([1, 2**32 + 3], [-(2**32) + 1, 3], [1, 6]):
        wrong = ek.SparseVector(np.array(index), np.ones(2), 6)
        with pytest.raises(IndexError):
            ek.matrix(random_matrix(5, 6, 0.5)) @ wrong
    huge = ek.SparseVector(np.array([1, 2**32 + 3]), np.ones(2), 2**33)
    with pytest.raises(ValueError, match="length"):
        ek.matrix(random_matrix(5, 6, 0.5)) @ huge


def test_types_meet():
    """A matrix of f32 meets a sparse vector of f64 as it does a dense one."""
    A = random_matrix(40, 30, 0.3, dtype=np.float32)
    x = ek.SparseVector(np.array([2, 7]), np.array([1 / 3, 1e300]), 30)
    y = ek.matrix(A) @ x
    assert y.dtype == np.float64
    np.testing.assert_array_equal(y.toarray(), A.astype(float) @ x.toarray())
    single = ek.SparseVector(x.indices, np.ones(2, np.float32), 30)
    assert (ek.matrix(A) @ single).dtype == np.float32


def test_refused():
    for wrong in (np.ones((2, 2)), np.ones(3, np.complex128), np.ones(3, np.int8)):
        with pytest.raises(TypeError):
            primitives.scan(wrong)
    with pytest.raises(ValueError, match="sum, max"):
        primitives.scan(np.ones(3), op="product")
    with pytest.raises(ValueError):
        primitives.scan(np.ones(3), out=np.ones(4))
    with pytest.raises(ValueError):
        primitives.segmented_sum(np.ones(3))
    with pytest.raises(ek.errors.OutOfRange):
        primitives.segmented_sum(np.ones(3), offsets=np.array([0, 2, 1, 3]))
    for values in (np.ones((3, 2)), np.ones((3, 1)), np.ones(2), np.float64(1)):
        with pytest.raises(ValueError, match="the same shape"):
            primitives.sort(np.arange(3), values)
    for lists in (np.ones((2, 3, 4)), np.float64(1)):
        with pytest.raises(ValueError, match="one or two"):
            primitives.kselect(lists, 1)
