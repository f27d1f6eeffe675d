# SPDX-License-Identifier: BSD-3-Clause
"""The library's tables as data: methods, formats, generators, twins, features, devices."""

import ctypes

from . import errors
from ._lib import api, as_dict, constants, contents, each, new, walk
from ._plan import OPERATIONS


def _text(value):
    return None if value is None else value.decode(errors="replace")


def _parameters(get, row):
    return [as_dict(contents("ek_format_param", param)) for param in each(get, row)]


def operations() -> list:
    """All operations: name, and what each computes.

    >>> "spmv" in [row["name"] for row in operations()]
    True
    """
    return [
        {"name": name, "text": _text(api.ek_operation_text(number))}
        for name, number in OPERATIONS.items()
    ]


def methods(operation: "str | None" = None) -> list:
    """All methods, or those of one operation: name, text, source, format, device, parameters, and
    whether they support op N and op T, as such and reproducibly.

    >>> methods("spmv")[0]["name"]
    'spmv.csr.serial'
    """
    names = {number: name for name, number in OPERATIONS.items()}
    rows = []
    for row in walk(api.ek_method_next):
        name = names[api.ek_method_operation(row)]
        if operation in (None, name):
            supports = {
                op + level: bool(api.ek_method_supports(row, number, strict))
                for op, number in (("", 0), ("n", constants.EK_OP_N), ("t", constants.EK_OP_T))
                for level, strict in (
                    ("", constants.EK_REPRO_RUN),
                    ("+strict", constants.EK_REPRO_STRICT),
                )
            }
            rows.append(
                {
                    "name": _text(api.ek_method_name(row)),
                    "operation": name,
                    "text": _text(api.ek_method_text(row)),
                    "source": _text(api.ek_method_source(row)),
                    "format": _text(api.ek_method_format(row)),
                    "device": _text(api.ek_method_device(row)),
                    "parameters": _parameters(api.ek_method_get_param, row),
                    "supports": sorted(name for name, yes in supports.items() if yes and name),
                }
            )
    return rows


def formats() -> list:
    """All formats in which a matrix can be stored."""
    return [
        {
            "name": _text(api.ek_format_name(row)),
            "text": _text(api.ek_format_text(row)),
            "source": _text(api.ek_format_source(row)),
            "arrays": [_text(name) for name in each(api.ek_format_array, row)],
            "parameters": _parameters(api.ek_format_get_param, row),
        }
        for row in walk(api.ek_format_next)
    ]


def generators() -> list:
    """All generators of matrices: name, text, and an example with all parameters."""
    return [
        {
            "name": _text(api.ek_generator_name(row)),
            "text": _text(api.ek_generator_text(row)),
            "example": _text(api.ek_generator_example(row)),
        }
        for row in walk(api.ek_generator_next)
    ]


def twins() -> list:
    """Matrices of published works, which generate("twin:name=...") imitates."""
    return [as_dict(contents("ek_twin", row)) for row in walk(api.ek_twin_next)]


def features() -> dict:
    """Optional parts of the build: the version of the library behind each; None: left out."""
    return {
        _text(api.ek_feature_name(row)): _text(api.ek_feature_version(row))
        for row in walk(api.ek_feature_next)
    }


def build() -> dict:
    """How the library was built: version, commit, compiler, threads, instruction sets."""
    info = new("ek_build_info")
    api.ek_build_get_info(ctypes.byref(info))
    return {**as_dict(info), "isa_here": _text(api.ek_isa_name(info.isa_here))}


def devices() -> list:
    """The devices of this machine; the first call loads the drivers."""
    found: list = []
    while True:
        info = new("ek_device_info")
        try:
            api.ek_device_get_info(len(found), ctypes.byref(info))
        except errors.DeviceError:
            if not info.name:
                return found
        found.append(as_dict(info))


def drivers() -> str:
    """A line that says, for each driver of devices, what it has or why it is missing."""
    text = ctypes.create_string_buffer(1024)
    api.ek_device_drivers(text, len(text))
    return _text(text.value)


def profile() -> dict:
    """The machine profile in force: its name, and why a stored one is not."""
    return {"name": _text(api.ek_profile_name()), "refused": _text(api.ek_profile_refused())}
