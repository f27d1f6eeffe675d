# SPDX-License-Identifier: BSD-3-Clause
"""The shared library, declared from the tables that declare.py made of its header.

`api.ek_...` are its functions; those that return a status raise the exception of a failure.
`structs.ek_...` are its structs, `constants.EK_...` its enumerators, and `callbacks[...]` the types
of functions that it calls. ctypes releases the GIL in every call.
"""

import ctypes
import operator
import os
import sys
import types
from typing import Any, Callable, TypeVar

import numpy as np

from . import _api, errors

KINDS: dict = {
    name: getattr(ctypes, name)
    for name in (
        "c_int",
        "c_uint",
        "c_double",
        "c_size_t",
        "c_int64",
        "c_uint64",
        "c_char",
        "c_char_p",
        "c_void_p",
    )
}
KINDS[None] = None
KINDS["ek_status"] = ctypes.c_int
WHOLE = {KINDS[name] for name in ("c_int", "c_uint", "c_size_t", "c_int64", "c_uint64")}


class _Origin(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _load():
    """Loads the library, and returns it and its file.

    It is the one that EVENKEEL_LIBRARY names, which must have the same version; else the one in the
    package, as in a wheel; else the system's, by its SONAME.
    """
    beside = os.path.join(os.path.dirname(__file__), "libevenkeel.so")
    given = os.environ.get("EVENKEEL_LIBRARY") or (os.path.exists(beside) and beside)
    if given:
        return ctypes.CDLL(given), given
    soname = "libevenkeel.so." + _api.VERSION.rpartition(".")[0]
    library, origin = ctypes.CDLL(soname), _Origin()
    found = ctypes.CDLL(None).dladdr(library.ek_version, ctypes.byref(origin))
    return library, os.fsdecode(origin.file) if found else soname


api, path = _load()
constants = types.SimpleNamespace(**_api.CONSTANTS)
structs = types.SimpleNamespace()
_members: dict = {}  # of each struct: the types by name
callbacks: dict = {}


def raise_status(status):
    """Raises the exception for a status, with the message of this thread's last failure."""
    text = (api.ek_error_text() or api.ek_status_text(status)).decode(errors="replace")
    raise errors.BY_STATUS.get(status, errors.Error)(text)


def _check(status, _function, _arguments):
    if status:
        raise_status(status)
    return status


def _declare():
    for name, (returns, arguments) in _api.FUNCTIONS.items():
        function = getattr(api, name)
        function.restype = KINDS[returns]
        function.argtypes = [KINDS[kind] for _, kind in arguments]
        if returns == "ek_status":
            function.errcheck = _check
    for name, members in _api.STRUCTS.items():
        fields = [
            (member, KINDS[kind] * count if count > 1 else KINDS[kind])
            for member, kind, count in members
        ]
        setattr(structs, name, type(name, (ctypes.Structure,), {"_fields_": fields}))
        _members[name] = dict(fields)
    for name, (returns, arguments) in _api.CALLBACKS.items():
        callbacks[name] = ctypes.CFUNCTYPE(KINDS[returns], *[KINDS[kind] for kind in arguments])


_declare()
version = api.ek_version().decode()
if version != _api.VERSION:
    raise ImportError(f"{path} is evenkeel {version}, and this package is for {_api.VERSION}")


def choice(table, name, argument):
    """What a table has for a name, or an exception that lists the names."""
    if name not in table:
        raise ValueError(f"{argument} is {name!r}; {', '.join(table)} are expected")
    return table[name]


def whole(value: Any, argument: str, kind: Any = ctypes.c_int64) -> int:
    """An integer that fits the type; ctypes would take the rest of a larger one."""
    number = operator.index(value)
    if kind(number).value != number:
        bits, is_signed = 8 * ctypes.sizeof(kind), kind(-1).value < 0
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
        raise errors.Overflow(f"{argument} is {number}; {low} to {high} are expected")
    return number


def real(value: Any, argument: str = "a factor") -> float:
    """A number as a float."""
    if type(value) is not float:
        if isinstance(value, (str, bytes)) or np.iscomplexobj(value) or np.ndim(value):
            raise TypeError(f"{argument} is {value!r}; a real number is expected")
        value = float(value)
    return value


def text(value: Any, argument: str) -> bytes:
    """A text as C has it. ctypes would take a number for an address, and C would take a null
    character for the end."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{argument} is {value!r}; a text is expected")
    result = value.encode() if isinstance(value, str) else value
    if b"\0" in result:
        raise ValueError(f"{argument} is {value!r}; a text without null characters is expected")
    return result


def file_name(path: Any) -> bytes:
    """The name of a file as C has it."""
    return text(os.fsencode(path), "path")


def new(name, **members):
    """Makes a struct with its size set. Texts may be str; a member that is None stays zero."""
    kind = getattr(structs, name)
    result, types_of = kind(), _members[name]
    if next(iter(types_of)) == "size":
        result.size = ctypes.sizeof(kind)
    for member, value in members.items():
        if value is None:
            continue
        if types_of[member] in WHOLE:
            value = whole(value, member, types_of[member])
        elif types_of[member] is ctypes.c_char_p:
            value = text(value, member)
        setattr(result, member, value)
    return result


def contents(name, pointer):
    """The struct of the library at an address, which the library owns."""
    return getattr(structs, name).from_address(pointer)


def walk(after):
    """Goes through a table of the library by its function ..._next."""
    row = after(None)
    while row:
        yield row
        row = after(row)


def each(get, row):
    """Goes through what a row of a table has several of, by its function with a number from 0."""
    k = 0
    while found := get(row, k):
        yield found
        k += 1


def as_dict(struct):
    """The members of a struct by name, texts decoded, without `size`."""
    result = {}
    for name, _ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, ctypes.Array):
            value = list(value)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if name != "size":
            result[name] = value
    return result


Function = TypeVar("Function", bound=Callable[..., Any])


def header(*names: str) -> Callable[[Function], Function]:
    """Appends what the header says about functions to a docstring."""

    def append(function: Function) -> Function:
        texts = [f"{name}: {_api.DOCS[name]}" for name in names]
        function.__doc__ = "\n\n".join([(function.__doc__ or "").rstrip(), *texts])
        return function

    return append


_untrack: Any = None
if sys.implementation.name == "cpython":  # for the collector of which it is: see Handle
    _untrack = ctypes.pythonapi.PyObject_GC_UnTrack
    _untrack.argtypes, _untrack.restype = [ctypes.py_object], None


class Handle:
    """Owns an object of the library, and keeps what the object uses for as long as it lives.

    CPython's collector of cycles runs the __del__ of all that goes together, in any order, and
    another __del__, or a generator's `finally`, may still use a matrix then. So it does not see
    handles. They go with their last reference, and what they keep goes after them: other handles,
    and arrays, into which it does not look either, so that no cycle is hidden from it.
    """

    __slots__ = ("pointer", "keep", "_destroy", "__weakref__")

    def __init__(self, destroy, pointer, keep=()):
        self._destroy = destroy
        self.pointer = pointer
        self.keep = keep
        if _untrack:
            _untrack(self)

    def __del__(self):
        self._destroy(self.pointer)

    def __reduce__(self):
        raise TypeError(
            "contexts, plans and heaps stay in their process and cannot be copied or pickled; a "
            "Matrix can"
        )


def made(destroy, keep, function, *arguments):
    """Calls a function whose last argument is where the new object goes, and returns its handle."""
    result = ctypes.c_void_p()
    function(*arguments, ctypes.byref(result))
    return Handle(destroy, result.value, keep)
