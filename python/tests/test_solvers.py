# SPDX-License-Identifier: BSD-3-Clause
"""scipy's solvers with our operator: the same iterations and residuals as with scipy's matrices."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as la

import evenkeel as ek

RTOL = "rtol" if "rtol" in inspect.signature(la.cg).parameters else "tol"  # before scipy 1.12


def problem():
    A = ek.generate("poisson2d5:nx=24,ny=20").toscipy()
    return sp.csr_array(A), np.random.default_rng(3).standard_normal(A.shape[0])


@pytest.mark.parametrize(
    "solver",
    ["cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "gcrotmk", "tfqmr"],
)
def test_iterations(solver):
    A, b = problem()
    counts, solutions = [], []
    for operator in (A, ek.matrix(A)):
        steps = []
        options = {RTOL: 1e-8} | ({} if solver == "minres" else {"atol": 0.0})
        if solver == "gmres":
            options["callback_type"] = "pr_norm"
        x, info = getattr(la, solver)(operator, b, callback=steps.append, **options)
        assert info == 0
        counts.append(len(steps))
        solutions.append(x)
    assert counts[0] == counts[1] > 0
    residuals = [np.linalg.norm(b - A @ x) / np.linalg.norm(b) for x in solutions]
    np.testing.assert_allclose(residuals[1], residuals[0], rtol=0.05)
    np.testing.assert_allclose(solutions[1], solutions[0], atol=1e-6 * abs(solutions[0]).max())


def test_least_squares():
    A = sp.csr_array(sp.random(80, 30, 0.2, random_state=1) + sp.eye(80, 30))
    b = np.ones(80)
    for solver in (la.lsqr, la.lsmr):
        np.testing.assert_allclose(solver(ek.matrix(A), b)[0], solver(A, b)[0], atol=1e-8)


@pytest.mark.filterwarnings("ignore:Exited")  # both stop at the same accuracy
def test_eigenvalues():
    A, _ = problem()
    E = ek.matrix(A)
    start = np.ones(A.shape[0])
    np.testing.assert_allclose(
        la.eigsh(E, 4, v0=start, return_eigenvectors=False),
        la.eigsh(A, 4, v0=start, return_eigenvectors=False),
    )
    np.testing.assert_allclose(
        sorted(abs(la.eigs(E, 3, v0=start, return_eigenvectors=False))),
        sorted(abs(la.eigs(A, 3, v0=start, return_eigenvectors=False))),
    )
    X = np.random.default_rng(1).standard_normal((A.shape[0], 5))
    mine = la.lobpcg(E, X.copy(), maxiter=60, tol=1e-6)[0]
    theirs = la.lobpcg(A, X.copy(), maxiter=60, tol=1e-6)[0]
    np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Exited")
def test_singular_values():
    A = sp.csr_array(sp.random(90, 60, 0.2, random_state=2))
    for solver in ("arpack", "lobpcg"):
        mine = la.svds(
            ek.matrix(A), 3, solver=solver, random_state=1, return_singular_vectors=False
        )
        theirs = la.svds(A, 3, solver=solver, random_state=1, return_singular_vectors=False)
        np.testing.assert_allclose(np.sort(mine), np.sort(theirs), rtol=1e-6)


def test_operator():
    A, b = problem()
    L = la.aslinearoperator(ek.matrix(A))
    np.testing.assert_allclose(L @ b, A @ b)
    np.testing.assert_allclose(L.H @ b, A.T @ b)
    np.testing.assert_allclose((2 * L + L) @ b, 3 * (A @ b))
    np.testing.assert_allclose(L @ np.outer(b, [1, 2]), A @ np.outer(b, [1, 2]))
    np.testing.assert_allclose(
        la.expm_multiply(L, b, traceA=A.trace()), la.expm_multiply(A, b, traceA=A.trace())
    )
