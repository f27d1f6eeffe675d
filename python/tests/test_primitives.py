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
    for wrong in (3, dense, None):
        with pytest.raises(TypeError):
            x + wrong
        with pytest.raises(TypeError):
            x.add(wrong)
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


def test_nothing_is_lost():
    """A dense operand fits the type of the sparse vector, or is refused, as by a plan."""
    index = np.array([2, 7])
    for dtype, fits, refused in (
        ("f4", ("f4", "i2", "?", ">f4", "f2"), ("f8", "i4", "i8", "c8", "O", "U1")),
        ("f8", ("f4", "f8", "i8", "u4", ">f8"), ("c16", "c8", "O")),
        ("i4", ("i4", "i2", "u2"), ("i8", "u4", "f4", "f8", "c8")),
        ("i8", ("i8", "i4", "u4"), ("f8", "u8", "c16")),
    ):
        x = ek.SparseVector(index, np.array([1, 2], dtype), 30)
        for kind in fits:
            y, Y = np.ones(30, kind), np.ones((3, 30), kind)
            assert x.dot(y) == 3
            np.testing.assert_array_equal(vectors.gemvi(Y, x), [3, 3, 3])
        for kind in refused:
            for call in (x.dot, lambda Y: vectors.gemvi(Y, x)):
                shape = 30 if call == x.dot else (3, 30)
                with pytest.raises(TypeError, match="convert one of them"):
                    call(np.ones(shape, kind))
    masked = np.ma.masked_array(np.ones(30), np.arange(30) == 7)
    x = ek.SparseVector(index, np.ones(2), 30)
    for wrong in (
        lambda: x.dot(masked),
        lambda: x.axpy(masked),
        lambda: x.scatter(masked),
        lambda: vectors.gemvi(masked[None], x),
        lambda: vectors.gather(masked, index),
        lambda: ek.SparseVector(index, np.ma.masked_array([1.0, 2], [0, 1]), 30),
        lambda: primitives.reduce(masked),
        lambda: primitives.kselect(masked, 1),
    ):
        with pytest.raises(ValueError, match="masked"):
            wrong()
    for wrong in (
        lambda: x.dot(np.ones((5, 6))),
        lambda: x.dot(1.0),
        lambda: vectors.gemvi(np.ones(30), x),
        lambda: vectors.gemvi(np.ones((2, 3, 5)), x),
    ):
        with pytest.raises(ValueError, match="dimensions"):
            wrong()
    E = ek.matrix(random_matrix(5, 30, 0.3))
    for options in ({"out": np.zeros(5)}, {"beta": 1}):
        with pytest.raises(ValueError, match="no out and no beta"):
            E.matmul(x, **options)


@pytest.mark.parametrize("n", LENGTHS)
def test_flags(n):
    """Flags of any type: what is not 0 is set."""
    a, flags = integers(n), (np.arange(n) % 3 == 1)
    sums = primitives.segmented_sum(a, flags=flags)
    scans = primitives.segmented_scan(a, flags=flags)
    for other in (flags * 256, flags * 0.5, flags.astype("u1"), flags[::-1].copy()[::-1]):
        np.testing.assert_array_equal(primitives.segmented_sum(a, flags=other), sums)
        np.testing.assert_array_equal(primitives.segmented_scan(a, flags=list(other)), scans)
    with pytest.raises(ValueError, match="flags has the shape"):
        primitives.segmented_sum(a, flags=[1] * (n + 1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_add_and_compact(dtype, n):
    a, b = integers(n, dtype=dtype), integers(n, seed=7, dtype=dtype)
    np.testing.assert_array_equal(primitives.add(a, b), a + b)
    result = a.copy()
    assert primitives.add(result, b, out=result) is result
    np.testing.assert_array_equal(result, a + b)
    flags = integers(n, seed=3) > 0
    np.testing.assert_array_equal(primitives.compact(a, flags), a[flags])
    for values in (np.arange(n), np.arange(n, dtype="f4")[::-1], np.arange(n).astype("M8[s]")):
        keys, kept = primitives.compact(a, flags.astype(int) * 2, values)
        np.testing.assert_array_equal(keys, a[flags])
        np.testing.assert_array_equal(kept, values[flags])


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_coordinates(index, dtype, shape):
    A = shape.astype(dtype).tocoo()
    order = np.random.default_rng(4).permutation(A.nnz)
    row, col, val = A.row[order].astype(index), A.col[order].astype(index), A.data[order]
    both = [np.concatenate([array, array]) for array in (row, col, val)]
    row_ptr, columns, values = primitives.coo_to_csr(*both, A.shape)
    B = shape.sorted_indices()
    np.testing.assert_array_equal(row_ptr, B.indptr)
    np.testing.assert_array_equal(columns, B.indices)
    np.testing.assert_array_equal(values, 2 * B.data)
    assert row_ptr.dtype == columns.dtype == index and values.dtype == dtype
    np.testing.assert_array_equal(
        primitives.csr_to_coo(row_ptr), np.repeat(np.arange(A.shape[0]), np.diff(row_ptr))
    )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value_dtype", [None, *TYPES])
@pytest.mark.parametrize("arity", [2, 8, 33])
def test_heap(dtype, value_dtype, arity):
    keys = np.random.default_rng(6).permutation(300).astype(dtype)
    heap = ek.Heap(dtype, value_dtype, arity=arity)
    if value_dtype is None:
        heap.build(keys[:200])
        for key in keys[200:]:
            heap.insert(key)
        assert len(heap) == 300 and heap.node(0) == 299
        heap.update_key(0, -5)
        taken = [heap.delete_max() for _ in range(300)]
        assert taken == [*range(298, -1, -1), -5]
    else:
        heap.build(keys[:200], (3 * keys[:200]).astype(value_dtype))
        for key in keys[200:]:
            heap.insert(key, 3 * int(key))
        assert heap.node(0) == (299, 897)
        heap.update_key(0, -5, -15)
        taken = [heap.delete_max() for _ in range(300)]
        assert taken == [(key, 3 * key) for key in [*range(298, -1, -1), -5]]
    assert len(heap) == 0 and heap.counts["update_key"] > 0 and "0" in repr(heap)
    for call in (heap.delete_max, lambda: heap.node(0)):
        with pytest.raises(ek.errors.OutOfRange):
            call()


def test_heap_refuses():
    heap, pairs = ek.Heap(np.int32), ek.Heap(np.float32, np.int64)
    for wrong, problem in (
        (lambda: heap.insert(1.5), TypeError),
        (lambda: heap.insert(2**31), OverflowError),
        (lambda: heap.insert(1, 2), ValueError),
        (lambda: pairs.insert(1.5), ValueError),
        (lambda: pairs.insert(1.5, 2.5), TypeError),
        (lambda: pairs.insert(2j, 2), TypeError),
        (lambda: pairs.insert(np.ones(2), 2), TypeError),
        (lambda: heap.build(np.ones(3)), TypeError),
        (lambda: heap.build(np.ones((3, 3), np.int32)), TypeError),
        (lambda: pairs.build(np.ones(3, "f4")), ValueError),
        (lambda: pairs.build(np.ones(3, "f4"), np.ones(2, int)), ValueError),
        (lambda: ek.Heap(object), TypeError),
        (lambda: ek.Heap(arity=1), ValueError),
        (lambda: ek.Heap(arity=2**32 + 2), OverflowError),
    ):
        with pytest.raises(problem):
            wrong()
    assert len(heap) == len(pairs) == 0


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
    with pytest.raises(OverflowError):
        primitives.kselect(np.ones(3), 2**64 + 1)
    for call in (
        lambda: primitives.csr_to_coo(np.array([0.0, 1])),
        lambda: primitives.coo_to_csr(np.ones(2), np.ones(2), np.ones(2), (2, 2)),
        lambda: primitives.compact(np.ones(2), [1, 0], np.array([{}, {}])),
        lambda: primitives.sort(np.ones(2), np.array([{}, {}])),
        lambda: primitives.add(np.ones(2), np.ones(2, int)),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: primitives.csr_to_coo(np.array([], int)),
        lambda: primitives.csr_to_coo(np.array([0, -1])),
        lambda: primitives.coo_to_csr(np.arange(2), np.arange(2), np.ones(3), (2, 2)),
        lambda: primitives.add(np.ones(2), np.ones(3)),
        lambda: primitives.compact(np.ones(2), [1, 0, 1]),
        lambda: primitives.compact(np.ones(2), [1, 0], np.ones(3)),
    ):
        with pytest.raises(ValueError):
            call()
    masked = np.ma.masked_array(np.ones(2), mask=[0, 1])
    for call in (
        lambda: primitives.sort(np.ones(2), masked),
        lambda: primitives.compact(np.ones(2), [1, 0], masked),
    ):
        with pytest.raises(ValueError, match="masked"):
            call()
    with pytest.raises(IndexError):
        primitives.coo_to_csr(np.array([0, 2]), np.arange(2), np.ones(2), (2, 2))
    for lists in (np.ones((2, 3, 4)), np.float64(1)):
        with pytest.raises(ValueError, match="one or two"):
            primitives.kselect(lists, 1)
