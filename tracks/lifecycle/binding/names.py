"""How codes, instants and texts of a spec are written on a card."""

from __future__ import annotations

import hashlib


def name_of(code: str) -> str:
    """Return the card name of a code; the loader refuses codes whose names would fall together."""
    return code.lower()


def timestamp_of(instant: str) -> str:
    """Return ``YYYY-MM-DDTHH:MM:SSZ`` with microseconds."""
    return f"{instant.removesuffix('Z')}.000000Z"


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()
