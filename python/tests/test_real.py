# SPDX-License-Identifier: BSD-3-Clause
"""Real matrices, from the folder that EK_MATRICES names."""

import gzip

import numpy as np
import pytest
import scipy.io

import evenkeel as ek
from conftest import real_matrices

LARGEST = 100_000  # bytes of a file; scipy's reader takes long for more

FILES = [path for path in real_matrices() if path.stat().st_size < LARGEST][::4]


@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_matrix(path):
    try:
        A = ek.read(path)
    except ek.errors.Unsupported as problem:
        pytest.skip(str(problem))  # complex values
    with (gzip.open if path.suffix == ".gz" else open)(path) as file:
        S = scipy.io.mmread(file).tocsr()
    assert A.shape == S.shape
    S.sum_duplicates()
    mine = A.tocsr(copy=True)
    mine.sort_indices()
    np.testing.assert_array_equal(mine.indices, S.indices)
    np.testing.assert_array_equal(mine.data, S.data)
    rng = np.random.default_rng(1)
    for E, T, reach in ((A, S, S.shape[1]), (ek.matrix(S), S, S.shape[1]), (A.T, S.T, S.shape[0])):
        x = rng.standard_normal(reach)
        size = abs(T) @ abs(x)
        k = np.diff(T.tocsr().indptr) + 2
        bound = k * 2.0**-52 * size  # the error of both
        assert (abs(E @ x - T @ x) <= bound).all()
