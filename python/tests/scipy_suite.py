# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that runs scipy's own tests with our operator in place of its matrices:

    python -m pytest -p scipy_suite --pyargs scipy.sparse.linalg._isolve

Every real matrix, sparse or dense, that scipy's solvers turn into an operator becomes a Matrix
first. Fails if that never happened.
"""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg._interface as interface

import evenkeel as ek

original = interface.aslinearoperator
replaced = 0


def aslinearoperator(A):
    """scipy's function, for a Matrix of ours in place of what is a matrix."""
    global replaced
    if (sp.issparse(A) or isinstance(A, np.ndarray)) and A.ndim == 2 and A.dtype.char in "fd":
        replaced += 1
        A = ek.matrix(A)
    return original(A)


def pytest_configure(config):
    """Puts the function in the place of scipy's wherever a module of scipy has it by name."""
    import importlib
    import sys

    for name in ("_isolve", "_isolve.lsqr", "_isolve.lsmr", "_eigen", "_eigen._svds"):
        importlib.import_module("scipy.sparse.linalg." + name)
    for name, module in list(sys.modules.items()):
        # But for scipy.sparse.linalg itself, which the tests use.
        if (
            name.startswith("scipy.sparse.linalg._")
            and vars(module).get("aslinearoperator") is original
        ):
            module.aslinearoperator = aslinearoperator


def pytest_terminal_summary(terminalreporter):
    """Says how many there were."""
    terminalreporter.write_line(f"{replaced} matrices became evenkeel's")


def pytest_sessionfinish(session):
    """Without any, the tests said nothing about evenkeel."""
    if replaced == 0:
        session.exitstatus = 1
