# SPDX-License-Identifier: BSD-3-Clause
"""Contexts: threads, instruction set, device. Most programs never need one of their own."""

import ctypes
import logging
import threading

from ._lib import api, as_dict, callbacks, choice, constants, file_name, header, made, new, whole

MEMORY = {
    "auto": constants.EK_MEMORY_AUTO,
    "copy": constants.EK_MEMORY_COPY,
    "mapped": constants.EK_MEMORY_MAPPED,
    "shared": constants.EK_MEMORY_SHARED,
}
ISA = {
    api.ek_isa_name(value).decode(): value
    for name, value in vars(constants).items()
    if name.startswith("EK_ISA_")
}
_logger = logging.getLogger("evenkeel")


def _log(_user, _level, text):
    _logger.warning("%s", text.decode(errors="replace"))


_LOG = callbacks["ek_options.log"](_log)  # as long as the module, so as all contexts


class Context:
    """Allocator, threads, instruction set and device of matrices, plans and primitives.

    Everything that takes no context uses a default one, which the environment variables EK_THREADS,
    EK_ISA, EK_DEVICE and EK_METHOD can change. Warnings go to the logger "evenkeel".

    >>> Context(threads=1).threads
    1
    """

    __slots__ = ("handle",)

    def __init__(
        self,
        *,
        threads: int = 0,
        isa: "str | None" = None,
        device: "str | None" = None,
        device_memory: str = "auto",
    ) -> None:
        options = new(
            "ek_options",
            threads=threads,
            device=device,
            isa_limit=None if isa is None else choice(ISA, isa, "isa") + 1,
            device_memory=choice(MEMORY, device_memory, "device_memory"),
        )
        options.log = ctypes.cast(_LOG, ctypes.c_void_p)
        self.handle = made(
            api.ek_context_destroy, (), api.ek_context_create, ctypes.byref(options)
        )

    @property
    def pointer(self) -> int:
        return self.handle.pointer

    @property
    def threads(self) -> int:
        """Maximum number of threads of one call."""
        return api.ek_context_threads(self.pointer)

    @property
    def isa(self) -> str:
        """Highest instruction set that the context uses."""
        return api.ek_isa_name(api.ek_context_isa(self.pointer)).decode()

    @property
    def device(self) -> "dict | None":
        """What is known about the device of the context, or None if it has none."""
        info = new("ek_device_info")
        try:
            api.ek_context_get_device(self.pointer, ctypes.byref(info))
        except RuntimeError:
            return None
        return as_dict(info)

    @property
    def profile(self) -> dict:
        """As profile(), but of the device if the context has one."""
        refused = api.ek_context_profile_refused(self.pointer)
        return {
            "name": api.ek_context_profile_name(self.pointer).decode(errors="replace"),
            "refused": refused and refused.decode(errors="replace"),
        }

    @header("ek_device_wait")
    def wait(self) -> None:
        """Waits for the device."""
        api.ek_device_wait(self.pointer)

    @property
    def device_counters(self) -> dict:
        """Counts of what was copied to the device and back, launched and compiled."""
        counters = new("ek_device_counters")
        api.ek_device_get_counters(self.pointer, ctypes.byref(counters))
        return as_dict(counters)

    @header("ek_wisdom_load")
    def load_wisdom(self, path: str) -> None:
        """Adds measured choices from a file."""
        api.ek_wisdom_load(self.pointer, file_name(path))

    @header("ek_wisdom_save")
    def save_wisdom(self, path: str) -> None:
        """Writes measured choices to a file."""
        api.ek_wisdom_save(self.pointer, file_name(path))


class _Threads:
    """The limit that set_threads and threadpoolctl change; reading it takes no lock."""

    __slots__ = ("limit", "cell", "lock", "context")

    def __init__(self):
        self.limit = 0
        self.cell = ctypes.c_int()  # the same for fast.c
        self.lock = threading.Lock()
        self.context = None


state = _Threads()


def default_context() -> Context:
    """The context of everything that was given none."""
    if state.context is None:
        with state.lock:
            if state.context is None:
                state.context = Context()
    return state.context


def threads() -> int:
    """Number of threads that calls may use now."""
    most = default_context().threads
    return min(state.limit or most, most)


def set_threads(number: int) -> int:
    """Limits the threads of all calls from now on, and returns the limit so far.

    0 takes the limit away. Contexts with fewer threads keep theirs. A product whose limit is new
    gets a new plan, and keeps the one that it had.

    >>> before = set_threads(1)
    >>> threads()
    1
    >>> set_threads(before)
    1
    """
    number = whole(number, "number", ctypes.c_int)
    if number < 0:
        raise ValueError(f"number is {number}; 0 or more is expected")
    with state.lock:
        before, state.limit = state.limit, number
        state.cell.value = number
    return before


def allowed(context: Context, wanted: int, limit: "int | None" = None) -> int:
    """The number of threads for options and hints, 0 for all of the context: `wanted`, or the limit
    where that is less: the one in force, unless another is given."""
    limit = state.limit if limit is None else limit
    if 0 < limit < context.threads and not 0 < wanted <= limit:
        return limit
    return wanted
