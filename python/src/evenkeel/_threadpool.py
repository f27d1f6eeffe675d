# SPDX-License-Identifier: BSD-3-Clause
"""Shows the library's threads to threadpoolctl, where that is installed (3.2 or later)."""

from . import _context
from ._lib import path, version


def register() -> None:
    """Adds a controller for this library to those of threadpool_info and threadpool_limits."""
    import threadpoolctl

    class Evenkeel(threadpoolctl.LibController):
        """What threadpoolctl asks of a library with threads."""

        user_api = "evenkeel"
        internal_api = "evenkeel"
        filename_prefixes = ("libevenkeel",)
        check_symbols = ("ek_version", "ek_context_threads")

        def get_num_threads(self):
            return _context.threads()

        def set_num_threads(self, num_threads):
            most = _context.default_context().threads
            _context.set_threads(num_threads if num_threads < most else 0)

        def get_version(self):
            return version

        def set_additional_attributes(self):
            self.loaded = path

    threadpoolctl.register(Evenkeel)
