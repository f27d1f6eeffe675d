# SPDX-License-Identifier: BSD-3-Clause
"""evenkeel for Python: sparse matrices of numpy and scipy, multiplied at even speed.

    import evenkeel as ek
    A = ek.matrix(scipy_matrix)     # without a copy
    y = A @ x                       # also A.T @ x, A @ X, A @ B, A + B
    print(A.plan().explain())       # which method, and why

Everything is a thin layer on the header evenkeel/ek.h, whose text is in the docstrings.
"""

from . import errors, primitives, vectors
from ._arrays import copies
from ._context import Context, default_context, set_threads, threads
from ._lib import path as library, version as __version__
from ._make import from_coo, from_csc, from_csr, generate, matrix, read, write
from ._matrix import Matrix
from ._plan import Plan
from ._tables import (
    build,
    devices,
    drivers,
    features,
    formats,
    generators,
    methods,
    operations,
    profile,
    twins,
)
from .errors import Error
from .heap import Heap
from .vectors import SparseVector

try:
    from ._threadpool import register as _register

    _register()
except (ImportError, AttributeError):  # no threadpoolctl, or one without controllers of others
    pass

__all__ = [
    "Context",
    "Error",
    "Heap",
    "Matrix",
    "Plan",
    "SparseVector",
    "build",
    "copies",
    "default_context",
    "devices",
    "drivers",
    "errors",
    "features",
    "formats",
    "from_coo",
    "from_csc",
    "from_csr",
    "generate",
    "generators",
    "library",
    "matrix",
    "methods",
    "operations",
    "primitives",
    "profile",
    "read",
    "set_threads",
    "threads",
    "twins",
    "vectors",
    "write",
]
