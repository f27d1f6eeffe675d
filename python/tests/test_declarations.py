# SPDX-License-Identifier: BSD-3-Clause
"""The declarations are those of the library: structs by its table of layouts, and all functions."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import evenkeel as ek
from evenkeel import _api, _lib, errors

KINDS = {
    "int": (ctypes.c_int, ctypes.c_int64),
    "uint": (ctypes.c_uint, ctypes.c_uint64, ctypes.c_size_t),
    "real": (ctypes.c_double,),
    "enum": (ctypes.c_int,),
    "text": (ctypes.c_char,),
    "pointer": (ctypes.c_void_p, ctypes.c_char_p),
}


def test_layout():
    rows = [_lib.contents("ek_layout", row) for row in _lib.walk(_lib.api.ek_layout_next)]
    seen = set()
    for row in rows:
        struct = getattr(_lib.structs, row.type.decode())
        if not row.member:
            assert ctypes.sizeof(struct) == row.size, row.type
            continue
        name = row.member.decode()
        field = getattr(struct, name)
        assert (field.offset, field.size) == (row.offset, row.size), (row.type, row.member)
        kind = dict(struct._fields_)[name]
        assert getattr(kind, "_length_", 1) == row.count or row.kind == b"text"
        assert (
            getattr(kind, "_type_", kind) in KINDS[row.kind.decode()]
            or kind in KINDS[row.kind.decode()]
        )
        seen.add((struct.__name__, name))
    assert seen == {
        (name, member[0]) for name, members in _api.STRUCTS.items() for member in members
    }


def test_functions():
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", _lib.path], capture_output=True, text=True
    )
    if exported.returncode:
        pytest.skip("there is no nm")
    names = {line.split()[2].split("@")[0] for line in exported.stdout.splitlines()}
    assert {name for name in names if name.startswith("ek_")} == set(_api.FUNCTIONS)


def test_statuses():
    for name, value in _api.CONSTANTS.items():
        if value < 0:
            assert errors.BY_STATUS[value].__doc__.startswith(name + ":")
    assert len(errors.BY_STATUS) == sum(value < 0 for value in _api.CONSTANTS.values())


def test_version():
    assert ek.__version__ == _api.VERSION == ek.build()["version"]
    assert ek.build()["threads"] == "pool"
    with open("/proc/self/maps") as maps:
        mine = [line for line in maps if "evenkeel" in line]
    assert mine  # the library is loaded, and brought no run time of OpenMP along:
    needed = subprocess.run(["readelf", "-d", _lib.path], capture_output=True, text=True).stdout
    assert "omp" not in needed.lower()


def test_library(tmp_path):
    """Without a library in the package it is the system's, unless the environment names one."""
    name = "libevenkeel.so." + _api.VERSION.rpartition(".")[0]
    shutil.copytree(
        pathlib.Path(ek.__file__).parent,
        tmp_path / "evenkeel",
        ignore=shutil.ignore_patterns("libevenkeel.so"),
    )
    (tmp_path / name).symlink_to(pathlib.Path(_lib.path).resolve())
    (tmp_path / "other.so").symlink_to(pathlib.Path(_lib.path).resolve())
    usual = {key: value for key, value in os.environ.items() if key != "EVENKEEL_LIBRARY"}
    paths = {"PYTHONPATH": str(tmp_path), "LD_LIBRARY_PATH": str(tmp_path)}
    chosen = {"EVENKEEL_LIBRARY": str(tmp_path / "other.so")}
    for more, expected in ((paths, name), (paths | chosen, "other.so")):
        result = subprocess.run(
            [sys.executable, "-c", "import evenkeel; print(evenkeel.__file__, evenkeel.library)"],
            env={**usual, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        files = [str(tmp_path / "evenkeel" / "__init__.py"), str(tmp_path / expected)]
        assert result.stdout.split() == files, result.stderr


def test_docstrings():
    assert "gamma(k + 2)" in ek.Matrix.matmul.__doc__
    for name in ("matrix", "read", "generate", "from_csr", "Plan", "Matrix", "methods"):
        assert getattr(ek, name).__doc__
