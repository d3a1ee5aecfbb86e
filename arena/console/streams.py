"""The standard streams of a process, so that nothing of them can end the work."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class LastingOutput(io.FileIO):
    """A stream of which what cannot be written is lost: a closed terminal, a full disk.

    A pipe that nobody reads is an error all the same: it ends a command as `head` expects.

    Attributes:
        fault: why something was lost that somebody may miss; '' where nothing was.
    """

    fault = ""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write bytes, and return how many."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            if error.errno != errno.EIO:  # nobody reads a terminal that was closed
                self.fault = error.strerror or type(error).__name__
            return memoryview(data).nbytes


def keep_streams() -> list[LastingOutput]:
    """Replace standard output and errors by streams that last; return them.

    A stream that was closed goes to the null device: else the next file that is opened, a database
    for example, would get its number, and be written by whoever prints. A character that the
    encoding of a terminal lacks is printed as a question mark.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False, encoding="utf-8")
    outputs = []
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name) or open(number, "w", closefd=False, encoding="utf-8")
        stream.flush()
        output = LastingOutput(number, "w", closefd=False)
        errors = "replace" if stream.errors == "strict" else stream.errors
        lasting = io.TextIOWrapper(
            io.BufferedWriter(output),
            encoding=stream.encoding,
            errors=errors,
            line_buffering=stream.line_buffering,
        )
        setattr(sys, name, lasting)
        outputs.append(output)
    return outputs
