"""The command line: ``main`` answers ``--version`` by itself and loads everything else only when it is asked for."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from .. import __version__

__all__ = ["main"]

EXIT_INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C has ended."""

EXIT_BROKEN_PIPE = 141
"""What a shell reports for a process that wrote to a pipe nobody reads any more."""

EXIT_OUTPUT_LOST = 1
"""The answer could not be written."""


def main() -> int:
    """Run the command line with the arguments of the process.

    Returns:
        The exit status: 0 yes, 1 the input was refused, 2 the answer is no, 64 wrong usage; 130 after an interrupt, 141
        when the reader of a pipe has gone.
    """
    arguments = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # nothing at all if it was closed from the start
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        if arguments in (["--version"], ["-V"]):
            sys.stdout.write(f"operatebench {__version__}\n")
            sys.stdout.flush()
            return 0
        from .app import run

        return run(arguments)
    except KeyboardInterrupt:
        _say("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return EXIT_BROKEN_PIPE
    except OSError as fault:  # those of documents are refusals already; what is left is the output
        _abandon_output()
        _say(f"the answer could not be written: {fault.strerror}")
        return EXIT_OUTPUT_LOST


def _say(text: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):  # nobody is left to tell
            sys.stderr.write(f"operatebench: {text}\n")
            sys.stderr.flush()


def _abandon_output() -> None:
    """Send what is still buffered for the output nowhere, so that the interpreter does not fail on it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                os.dup2(nowhere, stream.fileno())
