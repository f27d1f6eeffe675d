# SPDX-License-Identifier: BSD-3-Clause
"""fast.c: the life of its functions, arrays that it must refuse, and the package without it."""

import ctypes
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import _fast


RELOADED = """
import ctypes, importlib, weakref
import numpy as np, evenkeel as ek
from evenkeel import _context, _fast

A, x, X = ek.matrix([[2.0, 0], [1, 3]]), np.ones(2), np.ones((2, 3))
for _ in range(3):
    A @ x, A @ X
cell = weakref.ref(_context.state.cell)
_context.state.cell = ctypes.c_int()
importlib.reload(_fast)
assert not _fast.AVAILABLE or cell() is not None
others = [k + 0.5 for k in range(100000)]  # where memory was freed
for _ in range(3):
    assert (A @ x).tolist() == [2, 4] and (A @ X)[:, 1].tolist() == [2, 4]
"""


def test_fast_functions_outlive_their_module():
    for allocator in ("default", "debug"):
        result = subprocess.run(
            [sys.executable, "-c", RELOADED],
            env={**os.environ, "PYTHONMALLOC": allocator},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, (result.returncode, result.stderr)


def test_without_fast(tmp_path):
    """The package does without fast.c, and gives the same results."""
    program = (
        "import numpy as np, scipy.sparse as sp, evenkeel as ek\n"
        "from evenkeel import _fast\n"
        "S = sp.random(70, 50, 0.2, format='csr', random_state=1)\n"
        "A, x, y = ek.matrix(S), np.arange(50.0), np.empty(70)\n"
        "for _ in range(3):\n"
        "    assert np.allclose(A @ x, S @ x) and np.allclose(A.T @ (S @ x), S.T @ (S @ x))\n"
        "assert A.matmul(x, out=y) is y and np.allclose(y, S @ x)\n"
        "assert A.matmul(x, out=y, alpha=2, beta=-1.0) is y and np.allclose(y, S @ x)\n"
        "X, U = np.arange(150.0).reshape(50, 3), np.arange(140.0).reshape(2, 70)\n"
        "for _ in range(3):\n"
        "    assert np.allclose(A @ X, S @ X) and np.allclose(U @ A, U @ S)\n"
        "print(_fast.AVAILABLE)\n"
    )
    for fast, expected in (
        ({}, "True"),
        ({"PYTHONMALLOC": "debug"}, "True"),  # memory that was freed is overwritten
        ({"EVENKEEL_FAST": str(tmp_path)}, "False"),
    ):
        result = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **fast},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.stdout.strip() == expected, result.stderr


def test_read_only_result():
    A = ek.matrix(random_matrix(20, 20, 0.3))
    x, y = np.ones(20), np.zeros(20)
    y.flags.writeable = False
    for _ in range(3):
        A @ x
        with pytest.raises(ValueError, match="read-only"):
            A.matmul(x, out=y)
    assert not y.any()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclass_and_pickled_dtype():
    """Arrays that look alike but are not what the fast way takes."""
    A = random_matrix(20, 20, 0.3)
    E, x = ek.matrix(A), integers(20)
    E @ x
    other = pickle.loads(pickle.dumps(x))
    np.testing.assert_array_equal(E @ other, A @ x)
    np.testing.assert_array_equal(E @ np.ma.masked_array(x), A @ x)
    np.testing.assert_array_equal(E @ np.matrix(x).T, (A @ x)[:, None])
    assert sp.issparse(E) is False


@pytest.mark.skipif(not _fast.AVAILABLE, reason="there is no fast.c")
@pytest.mark.parametrize("status, kind", [(-2, MemoryError), (-10, RuntimeError), (-1, None)])
def test_runs_that_fail_are_not_repeated(monkeypatch, status, kind):
    """They may have written parts of y; only a refusal (EK_EINVAL) leads to the general way."""
    runs, pointer = [], ctypes.c_void_p
    signature = (ctypes.c_int, pointer, ctypes.c_double, pointer, ctypes.c_double, pointer)
    fails = ctypes.CFUNCTYPE(*signature)(lambda *given: runs.append(given) or status)
    for operation in _fast._RUN:
        monkeypatch.setitem(_fast._RUN, operation, ctypes.cast(fails, pointer).value)
    S = random_matrix(20, 20, 0.3)
    E, x, X = ek.matrix(S), integers(20), integers(20, 20)
    for product, operand, expected in (
        (E.matmul, x, S @ x),
        (E.matmul, X, S @ X),
        (E.rmatmul, X, X @ S),
    ):
        if operand is X:
            product(X)  # makes its fast function
        out = np.ones(operand.shape)
        if kind:
            with pytest.raises(kind):
                product(operand, out, 1.0, 2.0)
            assert (out == 1).all()
        else:
            np.testing.assert_array_equal(product(operand, out, 1.0, 2.0), expected + 2)
        assert runs and (len(runs) == 1 or not kind)
        runs.clear()
