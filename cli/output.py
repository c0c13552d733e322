"""What every command answers with: lines for people, one JSON object for programs, an exit status."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from ..errors import DocumentError, OperateBenchError
from .inputs import place_for_people, refusal_json


class Exit(IntEnum):
    """The exit statuses of all commands."""

    YES = 0
    REFUSED = 1
    NO = 2
    USAGE = 64


def write_out(data: bytes) -> None:
    """Write bytes to standard output.

    Raises:
        OSError: they cannot be written.
    """
    if sys.stdout is None:  # closed from the start: another file may have got its descriptor
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_err(text: str) -> None:
    """Write text to standard error as UTF-8, whatever the locale says; if that was closed from the start, nowhere.

    Raises:
        OSError: it cannot be written.
    """
    if sys.stderr is not None:
        sys.stderr.buffer.write(text.encode())
        sys.stderr.buffer.flush()


def pretty(document: Any) -> bytes:
    """Return a document as people like to read it: two spaces of indentation, ASCII, a newline at the end."""
    return json.dumps(document, indent=2, allow_nan=False).encode() + b"\n"


def refusal_text(refusal: OperateBenchError, files: Mapping[str, str]) -> str:
    """Return a refusal in lines for people, its place named by the file instead of its role."""
    return refusal.moved_to(place_for_people(refusal.path, files)).diagnostics() + "\n"


@contextmanager
def forcible() -> Iterator[None]:
    """Write files for a command that has ``--force``: the remedy for a name that is taken mentions it."""
    try:
        yield
    except DocumentError as refusal:
        if refusal.code != "file_exists":
            raise
        texts = {"path": refusal.path, "expected": refusal.expected, "actual": refusal.actual}
        hint = "Name a new file, or give --force to replace the old one."
        raise DocumentError(refusal.code, **texts, hint=hint) from None


class Reply:
    """The answer of one command, given to people line by line or to programs as one object at the end.

    Args:
        command: the command's words, such as ``manifest validate``.
        as_json: whether a program asks.
        files: the role of each input in refusals, such as ``manifest``, -> the file as named by the user.
    """

    def __init__(self, command: str, as_json: bool, files: Mapping[str, str] | None = None) -> None:
        self.command = command
        self.as_json = as_json
        self.files = files or {}

    def data(self, *lines: str) -> None:
        """Write data lines for people to standard output."""
        if not self.as_json and lines:
            write_out("".join(f"{line}\n" for line in lines).encode())

    def verdict(self, *lines: str) -> None:
        """Write verdict lines for people to standard error."""
        if not self.as_json and lines:
            write_err("".join(f"{line}\n" for line in lines))

    def say(self, refusal: OperateBenchError, files: Mapping[str, str]) -> dict[str, Any]:
        """Write a refusal for people to standard error, and return it as a plain object for programs."""
        if not self.as_json:
            write_err(refusal_text(refusal, files))
        return refusal_json(refusal, files)

    def refuse(self, refusal: OperateBenchError, status: Exit) -> Exit:
        """Finish with a refusal."""
        return self.end(status, refusal=self.say(refusal, self.files))

    def end(self, status: Exit, **members: Any) -> Exit:
        """Finish: to programs, write the one object; it is ASCII, its members in the order given.

        Args:
            status: how the command ends.
            **members: what the object holds beside the command and its exit status.
        """
        if self.as_json:
            answer = {"command": self.command, "exit": int(status), **members}
            write_out(json.dumps(answer, allow_nan=False).encode() + b"\n")
        return status

    def give(self, work: Callable[[Reply], Exit]) -> int:
        """Run ``work``; a refusal that comes out of it is one of the input, exit status 1."""
        try:
            return int(work(self))
        except OperateBenchError as refusal:
            return int(self.refuse(refusal, Exit.REFUSED))
