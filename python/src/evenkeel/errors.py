# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: one class for each status of the library, each also one of Python's own kinds."""


class Error(Exception):
    """A call of the library failed. The text is the library's, which names argument, position and
    value; `status` is the number of the status, such as -1."""

    status = 0


class InvalidArgument(Error, ValueError):
    """EK_EINVAL: an argument is wrong: a bad value, or sizes that do not match."""

    status = -1


class OutOfMemory(Error, MemoryError):
    """EK_ENOMEM: there is not enough memory."""

    status = -2


class OutOfRange(Error, IndexError):
    """EK_ERANGE: an index or a value lies outside its range."""

    status = -3


class Overflow(Error, OverflowError):
    """EK_EOVERFLOW: a number does not fit its type."""

    status = -4


class FileSyntax(Error, ValueError):
    """EK_ESYNTAX: a file does not follow its format."""

    status = -5


class FileTruncated(Error, EOFError):
    """EK_ETRUNCATED: a file ends too early."""

    status = -6


class FileTrailing(Error, ValueError):
    """EK_ETRAILING: a file continues after the end of its content."""

    status = -7


class LimitExceeded(Error, ValueError):
    """EK_ELIMIT: a configured limit was exceeded."""

    status = -8


class FileError(Error, OSError):
    """EK_EIO: the operating system, or a compressed stream, reported an error."""

    status = -9


class DeviceError(Error, RuntimeError):
    """EK_EDEVICE: a device reported an error, or there is no such device or driver."""

    status = -10


class Unsupported(Error, NotImplementedError):
    """EK_EUNSUPPORTED: valid, but not available in this build or for these types."""

    status = -11


BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}
