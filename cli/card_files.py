"""Reads the cards a user names, alone or as a folder, and says which refusals mean that a file is no card at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import DocumentError, OperateBenchError
from ..files import read_file, shown
from .inputs import read_bytes
from .output import Exit

MAX_CARD_TEXT_BYTES = 64 * 1024 * 1024
"""Most bytes of a card's text; its canonical bytes, eight times fewer at most, have the limit of the contract."""

_NO_CARD = ("parse.", "projection.", "generation.", "resource.", "shape.root_not_object")


def read_card(role: str, file: str) -> Any:
    """Read and admit a document that should be a card.

    Args:
        role: what the path of a refusal starts with.
        file: the file as named by the user, or ``-``.

    Raises:
        DocumentError: the file cannot be read.
        CardValidationError: ``parse.…`` or ``projection.…``.
    """
    from ..cards.contract import CARD_PROFILE
    from ..identity.strictjson import parse_json

    try:
        text = read_bytes(file, MAX_CARD_TEXT_BYTES)
    except DocumentError as refusal:
        raise refusal.moved_to(f"{role}#") from None
    try:
        return parse_json(text, CARD_PROFILE).value
    except OperateBenchError as refusal:
        raise refusal.moved_to(f"{role}#{refusal.path}") from None


def roles_of(first: str, files: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Return the role of each input in refusals -> the file: first the card, then the cards it refers to."""
    return dict(zip([first], files, strict=False)) | {f"references/{index}": file for index, file in enumerate(others)}


def status_of(refusal: OperateBenchError) -> Exit:
    """Tell whether a refusal means that the input is no card that could be judged, or a card that is judged bad."""
    unread = isinstance(refusal, DocumentError) or refusal.code.startswith(_NO_CARD)
    return Exit.REFUSED if unread else Exit.NO


def card_files(folder: str) -> list[str]:
    """Return the names of the JSON files in a folder, sorted; other files, and what lies deeper, are passed by.

    Raises:
        DocumentError: the folder cannot be read, is none, or holds no such file.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(".json"))
    except NotADirectoryError:
        raise DocumentError("file_type", path=shown(folder), expected="a folder", actual="a file") from None
    except FileNotFoundError:
        raise DocumentError("file_missing", path=shown(folder), expected="a folder", actual="nothing") from None
    except OSError as fault:
        actual = os.strerror(fault.errno or 0)
        raise DocumentError("file_unreadable", path=shown(folder), expected="a folder", actual=actual) from None
    if not names:
        raise DocumentError("file_missing", path=shown(folder), expected="files *.json", actual="none")
    return names


def texts_of(folder: str, names: Iterable[str]) -> Iterator[tuple[str, bytes | OperateBenchError]]:
    """Yield the shown name of each file in a folder with its text, or why it is not read; links are not followed."""
    for name in names:
        path, label = Path(folder, name), shown(name)
        if path.is_symlink():
            place = f"{label}#"
            yield label, DocumentError("file_type", path=place, expected="a regular file", actual="a symbolic link")
            continue
        try:
            yield label, read_file(path, MAX_CARD_TEXT_BYTES)
        except DocumentError as refusal:
            yield label, refusal.moved_to(f"{label}#")
