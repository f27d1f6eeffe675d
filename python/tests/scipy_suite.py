# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that runs scipy's own tests with our operator in place of its matrices:

    python -m pytest -p scipy_suite --pyargs scipy.sparse.linalg._isolve scipy.sparse.linalg._eigen

Every real matrix, sparse or dense, that scipy's solvers turn into an operator becomes a Matrix
first. Fails if that never happened. What is left out is listed with its reason at the end.
"""

import functools
import importlib
import inspect
import re
import sys

import numpy as np
import scipy.sparse as sp

import evenkeel as ek

# Functions that make an operator of a matrix, in the modules that import them by name
NAMES = ("aslinearoperator", "_makeMatMat")
# Tests that are left out: a part of their names, and why
LEFT_OUT = {
    r"^test_dtypes.*-float(32|64)-c?longdouble": "the library has no type with as many digits"
}
replaced, left_out = 0, []


def with_ours(function):
    """A function of scipy's that is given a Matrix of ours in place of what is a matrix."""

    @functools.wraps(function)
    def make(A):
        global replaced
        if (sp.issparse(A) or isinstance(A, np.ndarray)) and A.ndim == 2 and A.dtype.char in "fd":
            replaced += 1
            A = ek.matrix(A)
        return function(A)

    return make


def pytest_configure(config):
    """Puts these functions in the place of scipy's, in every module of its solvers."""
    for name in ("_isolve", "_isolve.lsqr", "_isolve.lsmr", "_eigen", "_eigen._svds"):
        importlib.import_module("scipy.sparse.linalg." + name)
    for module_name, module in list(sys.modules.items()):
        # But for scipy.sparse.linalg itself, which the tests use, and where they are defined.
        if module_name.startswith(("scipy.sparse.linalg._isolve", "scipy.sparse.linalg._eigen")):
            for name in NAMES:
                if inspect.isfunction(getattr(module, name, None)):
                    setattr(module, name, with_ours(getattr(module, name)))


def pytest_collection_modifyitems(config, items):
    """Takes out the tests of LEFT_OUT."""
    for pattern, reason in LEFT_OUT.items():
        found = [item for item in items if re.search(pattern, item.name)]
        items[:] = [item for item in items if item not in found]
        config.hook.pytest_deselected(items=found)
        left_out.append(f"{len(found)} of scipy's tests, {pattern}: {reason}")


def pytest_terminal_summary(terminalreporter):
    """Says how many matrices there were, and what was not run."""
    for line in left_out:
        terminalreporter.write_line(f"not run: {line}")
    terminalreporter.write_line(f"{replaced} matrices became evenkeel's")


def pytest_sessionfinish(session):
    """Without any, the tests said nothing about evenkeel."""
    if replaced == 0:
        session.exitstatus = 1
