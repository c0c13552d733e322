"""What commands share: arguments and options, and the end of a help page with its example and exit statuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object for programs instead of lines for people.")
]

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The folder of the run bundle.")]

SpecOption = Annotated[
    str | None, typer.Option("--spec", metavar="FILE", help="The operation spec; without it, the packaged one.")
]

MOST_JOBS = 64
"""The most processes that ``--jobs`` takes."""

_REFUSED = "input refused: unreadable, not strict JSON, over a limit, or of an unknown kind"


def processes(jobs: int | None) -> int:
    """Return how many processes do the work: as many as ``--jobs`` says, or one per processor."""
    return jobs or min(os.cpu_count() or 1, MOST_JOBS)


def require_digest(option: str, digest: str) -> None:
    """Refuse what is no SHA-256 in lowercase hexadecimal.

    Raises:
        typer.BadParameter: it is none.
    """
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise typer.BadParameter(f"{option} takes 64 lowercase hexadecimal digits")


def require_output(option: str, path: str, *, filled: bool = False) -> None:
    """Refuse what names no file or folder to be written, or one in a run bundle, which would be none any more.

    Args:
        option: how the user named it.
        path: what the user named.
        filled: whether it is a folder that may be there already, and gets files.

    Raises:
        typer.BadParameter: it is empty, ``-``, or in a bundle.
    """
    if path in ("", "-"):
        raise typer.BadParameter(f"{option} names no file or folder: give a path")
    target = Path(os.path.realpath(path))
    for folder in (*([target] if filled else []), *target.parents):
        if os.path.lexists(folder / "artifact.json"):
            raise typer.BadParameter(f"{option} names a place in a run bundle, which stays as it is")


def ending(*examples: str, yes: str, no: str = "", refused: str = _REFUSED) -> str:
    """Return the end of a help page: worked examples, then what each exit status of the command means."""
    statuses = {0: yes, 1: refused, 2: no, 64: "wrong usage"}
    # The mark \b keeps the lines of a paragraph as they are.
    example = "\n".join(["\b", "Example:", *(f"  operatebench {each}" for each in examples)])
    exits = "\n".join(["\b", "Exit status:", *(f"  {status:<2}  {text}" for status, text in statuses.items() if text)])
    return f"{example}\n\n{exits}"


def group_of(about: str, example: str) -> typer.Typer:
    """Return an empty group of commands.

    Args:
        about: one sentence for its help page.
        example: a worked example of one of its commands.
    """
    return typer.Typer(help=about, epilog=ending(example, yes="yes", no="the answer is no"))
