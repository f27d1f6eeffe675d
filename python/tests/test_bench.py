# SPDX-License-Identifier: BSD-3-Clause
"""python -m evenkeel.bench: what it prints, and what is in the times of other libraries."""

import re
import subprocess
import sys
import types

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix
from evenkeel import bench


def test_runs():
    """Each operation has a line for each matrix and one for the mean."""
    arguments = ["poisson2d5:nx=20", "--seconds", "0.01", "--least", "0", "--threads", "1"]
    result = subprocess.run(
        [sys.executable, "-m", "evenkeel.bench", *arguments], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    for operation in ("spmv", "spmv.t", "spmm", "spgemm"):
        number = r" +\d+\.\d+"
        line = rf"^poisson2d5:nx=20 +\d+ {re.escape(operation)} .* us  scipy{number}.*prepare"
        assert re.search(line + number + "$", result.stdout, re.M), result.stdout
        assert f"\n{operation} against scipy: " in result.stdout
    assert "A.T @ x" in result.stdout and result.stderr == ""


def test_on_a_device(capsys):
    """Vectors of the host are brought to the device and back."""
    try:
        ek.Context(device="opencl")
    except ek.Error as problem:
        pytest.skip(str(problem))
    options = ["--operations", "spmv,spmm", "--seconds", "0.01", "--device", "opencl"]
    bench.main(["poisson2d5:nx=20", *options])
    text = capsys.readouterr().out
    assert "no device" not in text and text.count("scipy") >= 3


def test_cupy(monkeypatch):
    """X goes to the device before the time begins, and the time ends when the product is done."""
    calls = []

    class Stand:
        """A module that notes what is called, by its dotted name."""

        def __init__(self, name):
            self.name = name

        def __getattr__(self, part):
            return Stand(f"{self.name}.{part}")

        def __call__(self, *given):
            calls.append(self.name)
            return self

        def __matmul__(self, X):
            calls.append("product")

    for name in ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.sparse"):
        module = types.ModuleType(name)
        module.__path__, module.__getattr__ = [], Stand(name).__getattr__
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules["cupyx"], "scipy", sys.modules["cupyx.scipy"], raising=False)
    monkeypatch.setattr(
        sys.modules["cupyx.scipy"], "sparse", sys.modules["cupyx.scipy.sparse"], raising=False
    )
    make = bench.cupy_peer()
    A, x = random_matrix(40, 30, 0.3), integers(30)
    product = make(A, x)
    assert "cupy.asarray" in calls
    del calls[:]
    product()
    assert calls[0] == "product" and calls[-1].endswith("synchronize")
    assert not any("asarray" in name for name in calls)
    assert make(A, A) is None


def test_mkl(monkeypatch):
    """The stand-in of sparse_dot_mkl is asked for sorted rows of sparse products only."""
    module = types.ModuleType("sparse_dot_mkl")
    module.dot_product_mkl = lambda S, X, reorder_output=False: (S @ X, reorder_output)
    monkeypatch.setitem(sys.modules, "sparse_dot_mkl", module)
    found = bench.peers()
    A, x = random_matrix(30, 30, 0.3), integers(30)
    product, is_sorted = found["mkl"](A, x)()
    np.testing.assert_array_equal(product, A @ x)
    assert not is_sorted
    assert not found["mkl"](A, A)()[1]
    assert found["mkl-sorted"](A, A)()[1]
    assert found["mkl-sorted"](A, x) is None


def test_operands():
    """Peers compute the same product as we do."""
    S = random_matrix(40, 40, 0.3)
    for operation in ("spmv", "spmv.t", "spmm", "spgemm"):
        matrix = S.T if operation == "spmv.t" else S
        X = bench.operand_for(operation, matrix, 3)
        mine, theirs = bench.ours(S, operation, X, None)(), bench.with_scipy(matrix, X)()
        unsorted = bench.ours(S, operation, X, None, unsorted=True)()
        if operation == "spgemm":
            mine, theirs, unsorted = (C.toarray() for C in (mine, theirs, unsorted))
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
        np.testing.assert_array_equal(mine, unsorted)
