# SPDX-License-Identifier: BSD-3-Clause
"""Matrices on the arrays of scipy: what scipy does to its arrays must not change a product."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as la

import evenkeel as ek
from conftest import integers, random_matrix

CPU = [
    row["name"] for row in ek.methods("spmv") if row["device"] == "cpu" and "n" in row["supports"]
]
CHANGES = {
    "sort_indices": lambda S: S.sort_indices(),
    "sum_duplicates": lambda S: S.sum_duplicates(),
    "max": lambda S: S.max(),
    "argmax": lambda S: S.argmax(),
    "min of rows": lambda S: S.min(axis=1),
    "find": lambda S: sp.find(S),
    "setting an entry": lambda S: S.__setitem__((3, 3), S[3, 3]),
    "splu": lambda S: la.splu(S),
    "spsolve": lambda S: la.spsolve(S, np.ones(S.shape[0])),
}


def unsorted(kind, duplicates):
    """A nonsingular matrix of integers whose entries descend in each row or column."""
    A = kind(random_matrix(60, 60, 0.2) + 200 * sp.eye(60))
    pointer, index, value = [0], [], []
    for begin, end in zip(A.indptr, A.indptr[1:]):
        again = begin + (1 if duplicates else 0)
        for places in (range(end - 1, begin - 1, -1), range(begin, again)):
            index += [A.indices[k] for k in places]
            value += [A.data[k] for k in places]
        pointer.append(len(index))
    return kind((np.array(value), np.array(index), np.array(pointer)), shape=A.shape)


@pytest.mark.filterwarnings("ignore")  # of scipy, about the kind of matrix that it likes best
@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix])
@pytest.mark.parametrize("change", list(CHANGES))
def test_scipy_reorders(change, kind, duplicates):
    x = integers(60)
    S = unsorted(kind, duplicates)
    expected, transposed = S @ x, S.T @ x
    before = ek.copies()
    E = ek.matrix(S)
    size = S.data.nbytes + S.indices.nbytes + S.indptr.nbytes
    assert ek.copies() == (before[0] + 3, before[1] + size) and E.info["borrowed"] == 0
    E @ x, E.T @ x
    CHANGES[change](S)
    np.testing.assert_array_equal(E @ x, expected)
    np.testing.assert_array_equal(E.T @ x, transposed)
    np.testing.assert_array_equal(E.toarray(), S.toarray())


@pytest.mark.parametrize("method", CPU)
def test_all_methods(method):
    """Those that keep columns or values of their own, too."""
    S, x = unsorted(sp.csr_array, False), integers(60)
    expected = S @ x
    plan = ek.matrix(S).plan(method=method)
    S.sort_indices()
    np.testing.assert_array_equal(plan @ x, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", list(CHANGES))
def test_sorted_stays(change):
    """A matrix in canonical format is not copied, and scipy leaves its arrays as they are."""
    S, x = sp.csr_array(random_matrix(60, 60, 0.2) + 200 * sp.eye(60)), integers(60)
    S = sp.csr_array((S.data, S.indices, S.indptr), shape=S.shape)  # its order is not known yet
    arrays, before = (S.data, S.indices, S.indptr), ek.copies()
    E = ek.matrix(S)
    assert E.info["borrowed"] == 1 and ek.copies() == before
    expected, kept = S @ x, [array.copy() for array in arrays]
    E @ x
    CHANGES[change](S)
    np.testing.assert_array_equal(E @ x, expected)
    for array, old in zip(arrays, kept):
        np.testing.assert_array_equal(array, old)
    assert S.indices is arrays[1] and ek.copies() == before


def test_operands_of_one_call():
    """What is used during a call only is not copied, whatever its order."""
    S = unsorted(sp.csr_array, True)
    E = ek.matrix(random_matrix(60, 60, 0.2, seed=5))
    A, before = E.tocsr(), ek.copies()
    for result, expected in ((E @ S, A @ S), (S @ E, S @ A), (E + S, A + S), (S - E, S - A)):
        np.testing.assert_array_equal(result.toarray(), expected.toarray())
    assert ek.copies() == before


def test_values_of_a_copy():
    S = unsorted(sp.csr_array, False)
    E, x = ek.matrix(S), integers(60)
    with pytest.raises(ValueError, match="sum_duplicates"):
        E.values_changed()
    S.data[:] = integers(S.nnz)
    E.set_values(S.data)  # in their order, which is not that of columns
    np.testing.assert_array_equal(E @ x, S @ x)
    C = ek.matrix(S, copy=True)
    with pytest.raises(ValueError, match="set_values"):
        C.values_changed()


def test_wrong_arrays_are_found_first():
    """The order of entries is looked at after the check that there are such entries."""
    S = unsorted(sp.csr_array, False)
    S.indptr = S.indptr.copy()
    S.indptr[5] = 10**8
    with pytest.raises(IndexError):
        ek.matrix(S)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", list(CHANGES))
@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_scipy_reorders_an_export(kind, duplicates, change):
    """What scipy wants to sort is a copy, whatever made the matrix; the arrays of ours stay."""
    S = unsorted(kind, duplicates)
    made = {"csr": ek.from_csr, "csc": ek.from_csc}[S.format]
    for E in (ek.matrix(S), made(S.indptr, S.indices, S.data, S.shape)):
        kept, expected, before = S.indices.copy(), E.toarray(), ek.copies()
        for A in (E, E.T):
            exported = A.toscipy()
            assert (exported.format == S.format) == (A is E)
            CHANGES[change](exported)
        assert ek.copies()[0] == before[0] + 6
        np.testing.assert_array_equal(E.toarray(), expected)
        np.testing.assert_array_equal(S.indices, kept)


def test_export_of_a_file(tmp_path):
    """A file in binary form keeps the order of entries."""
    S = unsorted(sp.csr_array, True)
    ek.write(tmp_path / "a.ekm", S)
    E = ek.read(tmp_path / "a.ekm")
    assert E.stats()["sorted"] == 0 and E.stats()["duplicates"] == 60
    view = E.tocsr()
    view.sum_duplicates()
    np.testing.assert_array_equal(view.toarray(), E.toarray())


def test_sorted_exports_are_views():
    """Their order is found out once, and scipy is told."""
    E, before = ek.matrix(random_matrix(60, 60, 0.2)), ek.copies()
    for A in (E, E.T, E):
        view = A.toscipy()
        assert view.has_canonical_format and not view.data.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view.data[0] = 1
        for change in ("sort_indices", "sum_duplicates"):
            getattr(view, change)()
    assert ek.copies() == before and E.core.canonical is True
    E.core.canonical = False  # what was found out is not asked again
    assert E.tocsr().data.flags.writeable


def test_counts_of_conversions():
    """ek.copies() counts the arrays that were made of coordinates and of other formats."""
    A = random_matrix(40, 30, 0.3)
    size = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    for kind in (A.tocoo, A.tobsr, A.tolil, A.toarray):
        before = ek.copies()
        ek.matrix(kind())
        arrays, total = np.subtract(ek.copies(), before)
        assert arrays >= 3 and total >= size, kind
