# SPDX-License-Identifier: BSD-3-Clause
"""Multiplies with the installed Python package: package.py VERSION FOLDER; the library is in FOLDER."""

import importlib.metadata
import os
import sys

import evenkeel as ek
import numpy as np
from evenkeel import _fast

version, folder = sys.argv[1:]
assert ek.__version__ == importlib.metadata.version("evenkeel") == version, ek.__version__
assert os.path.samefile(os.path.dirname(ek.library), folder), ek.library
assert _fast.AVAILABLE
row_ptr, col_idx = np.array([0, 2, 3, 5]), np.array([0, 1, 1, 0, 2])
A = ek.from_csr(row_ptr, col_idx, np.array([4.0, 1, 3, 2, 5]), (3, 3))
y = A @ np.array([1.0, 2, 3])
assert y.tolist() == [6, 6, 17], y
print("Python", sys.version.split()[0], "numpy", np.__version__, ek.library, ek.__version__, y)
