"""Reads the documents a user names, and says where in which file a refusal happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from ..errors import DocumentError, OperateBenchError, describe
from ..files import read_file, read_standard_input, shown
from ..files.read import STANDARD_INPUT

if TYPE_CHECKING:  # at run time it would load the parser
    from ..identity.admission import Admitted

_STANDARD_INPUT = "-"


def read_bytes(file: str, limit: int) -> bytes:
    """Return the content of a file, or of standard input for ``-``.

    Raises:
        DocumentError: the codes of :func:`operatebench.files.read_file`.
    """
    return read_standard_input(limit) if file == _STANDARD_INPUT else read_file(file, limit)


def read_text(role: str, file: str) -> bytes:
    """Return the bytes of a file that should be a document of the identity profile, without parsing it.

    Raises:
        DocumentError: the file cannot be read; the path is ``role#``.
    """
    from ..identity.profile import IDENTITY_PROFILE

    try:
        return read_bytes(file, IDENTITY_PROFILE.max_text_bytes)
    except DocumentError as refusal:
        raise refusal.moved_to(f"{role}#") from None


def parse_text(role: str, text: bytes) -> Admitted:
    """Parse and admit a document of the identity profile.

    Raises:
        IdentityValidationError: ``strict_json`` or ``resource_limits``; the path starts with ``role#``.
    """
    from ..identity.strictjson import parse_json

    try:
        return parse_json(text)
    except OperateBenchError as refusal:
        raise refusal.moved_to(f"{role}#{refusal.path}") from None


def read_document(role: str, file: str) -> Any:
    """Read, parse and admit a document of the identity profile.

    Args:
        role: what the path of a refusal starts with, such as ``manifest``.
        file: the file as named by the user, or ``-``.

    Returns:
        Its value, integral floats as integers.

    Raises:
        DocumentError: the file cannot be read; the path is ``role#``.
        IdentityValidationError: ``strict_json`` or ``resource_limits``; the path starts with ``role#``.
    """
    return parse_text(role, read_text(role, file)).value


def unknown_kind(role: str, document: Any, expected: str) -> DocumentError:
    """Return the refusal of a document whose ``schema`` member names no supported kind.

    Args:
        role: what the path of the refusal starts with.
        document: the document's value.
        expected: the kinds supported.
    """
    if type(document) is not dict:
        return DocumentError("document_kind", path=f"{role}#", expected=expected, actual=describe(document))
    actual = describe(document["schema"]) if "schema" in document else "no such member"
    return DocumentError("document_kind", path=f"{role}#/schema", expected=expected, actual=actual)


def require_standard_input_once(files: Iterable[str]) -> None:
    """Refuse to read standard input for two documents.

    Raises:
        typer.BadParameter: it is named twice.
    """
    if list(files).count(_STANDARD_INPUT) > 1:
        raise typer.BadParameter("standard input, '-', can be given for one file only")


def file_label(file: str) -> str:
    """Return how a file, or ``-``, is named in sentences."""
    return STANDARD_INPUT if file == _STANDARD_INPUT else shown(file)


def place_for_people(path: str, files: Mapping[str, str]) -> str:
    """Return the place of a refusal with the role of the document replaced by the name of its file.

    ``manifest#/components`` becomes ``m.json#/components``; ``manifest#line 3 column 7`` becomes
    ``m.json line 3 column 7``; any other path stays.
    """
    role, inside = _split(path, files)
    if role is None:
        return path
    gap = "#" if inside.startswith("/") else " " if inside else ""
    return f"{file_label(files[role])}{gap}{inside}"


def refusal_json(refusal: OperateBenchError, files: Mapping[str, str]) -> dict[str, Any]:
    """Return a refusal as a plain object, its place as ``document`` (the role), ``file`` and ``path`` (inside it)."""
    role, inside = _split(refusal.path, files)
    plain = refusal.to_json()
    return {
        "code": plain.pop("code"),
        "cause": plain.pop("cause"),
        "document": role,
        "file": shown(files[role]) if role is not None else None,
        **plain,
        "path": inside,
    }


def _split(path: str, files: Mapping[str, str]) -> tuple[str | None, str]:
    """Split the path of a refusal into the role of the document and the place inside it."""
    role, mark, inside = path.partition("#")
    return (role, inside) if mark and role in files else (None, path)
