# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: shapes that have broken sparse codes, with small integers as values, so
that every order of additions gives the same bits."""

import os
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp

FOLDER = os.environ.get("EK_MATRICES")


def random_matrix(rows, cols, density, seed=1, dtype=np.float64):
    """A matrix of integers from 1 to 9 with about this density."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, cols)) < density
    return sp.csr_array((mask * rng.integers(1, 10, (rows, cols))).astype(dtype))


def shapes():
    """Matrices by name: no rows, empty rows at both ends, one huge row, one column and the like."""
    one_row = np.zeros((50, 3000))
    one_row[17] = 1 + np.arange(3000) % 7
    ends = np.zeros((40, 30))
    ends[11:29] = random_matrix(18, 30, 0.3).toarray()
    arrow = np.eye(200) * 3
    arrow[0], arrow[:, 0] = 2, 1
    return {
        "0x0": sp.csr_array((0, 0)),
        "0x5": sp.csr_array((0, 5)),
        "5x0": sp.csr_array((5, 0)),
        "1x1": sp.csr_array([[7.0]]),
        "no entries": sp.csr_array((9, 4)),
        "one column": random_matrix(300, 1, 0.5),
        "one row": random_matrix(1, 300, 0.5),
        "huge row": sp.csr_array(one_row),
        "huge column": sp.csr_array(one_row.T),
        "empty ends": sp.csr_array(ends),
        "arrow": sp.csr_array(arrow),
        "square": random_matrix(129, 129, 0.1),
        "wide": random_matrix(33, 257, 0.2),
        "tall": random_matrix(257, 31, 0.2),
        "dense": random_matrix(17, 19, 1.0),
    }


@pytest.fixture(params=list(shapes()))
def shape(request):
    """One of the shapes."""
    return shapes()[request.param]


def integers(*size, seed=2, dtype=np.float64):
    """Small integers."""
    return np.random.default_rng(seed).integers(-9, 10, size).astype(dtype)


def is_array(A):
    """Is A one of scipy's arrays, and not one of its matrices? Before 1.11 those were derived."""
    return type(A).__name__.endswith("_array")


def real_matrices():
    """Paths of the real matrices that EK_MATRICES names, smallest first."""
    files = pathlib.Path(FOLDER).glob("*.mtx*") if FOLDER else []
    return sorted(files, key=lambda path: path.stat().st_size)
