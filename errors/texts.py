"""Texts about values and places that are safe to print: new, escaped, short, made without running a caller's code."""

from __future__ import annotations

MAX_TEXT = 200
"""Longest ``expected`` or ``actual`` in characters."""

MAX_PATH = 512
"""Longest ``path`` in characters; a longer one is cut and ends in ``…``."""

_MAX_PRINTED_BITS = 256
# Reading the name through the descriptor of ``type`` runs no hook of a hostile metaclass.
_type_name = type.__dict__["__name__"].__get__


def escape(text: str, limit: int = MAX_TEXT) -> str:
    """Return a new printable text, cut at ``limit`` characters: controls, surrogates and bidi marks are escaped."""
    head = text[: limit + 1]
    if not head.isprintable():
        head = "".join(
            character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
            for character in head
        )
    return cut(head, limit)


def cut(text: str, limit: int) -> str:
    """Return ``text``, or its first ``limit`` characters ending in ``…``."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe(value: object) -> str:
    """Describe ``value`` in a new escaped text of at most 200 characters without running any hook of it.

    Scalars are shown as JSON would show them, bigger values by type and size, foreign objects by type name only.
    """
    # Exact types by identity: hashing or comparing a foreign class could run a hook of its metaclass.
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        quoted = _quote(value, MAX_TEXT)
        return quoted if len(quoted) <= MAX_TEXT else f"text of {len(value)} characters: {_quote(value, 120)}"
    if type(value) is int:
        bits = value.bit_length()
        return str(value) if bits <= _MAX_PRINTED_BITS else f"an integer of {bits} bits"
    if type(value) is float:
        return repr(value)
    if type(value) is dict:
        return f"an object with {len(value)} members"
    if type(value) is list:
        return f"an array of {len(value)} items"
    # The name may be of a class derived from str; this copies it without asking that class.
    return f"a Python object of type {escape(str.__getitem__(_type_name(type(value)), slice(100)), 100)}"


def _quote(text: str, limit: int) -> str:
    cut = text[: limit + 1]
    return '"' + escape(cut.replace("\\", "\\\\").replace('"', '\\"'), limit) + '"'


def pointer(*tokens: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of ``tokens``.

    It is exact for names of printable characters; others are written as escapes, and it is cut at 512 characters.
    """
    return escape("".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens), MAX_PATH)
