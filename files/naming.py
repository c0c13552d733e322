"""How the name of a file is shown to people and programs."""

from __future__ import annotations

import os

from ..errors.texts import MAX_PATH, escape


def shown(path: str | bytes | os.PathLike[str]) -> str:
    """Return the name of a file as escaped text of at most 512 characters, the same in every locale.

    The bytes of the name are read as UTF-8; those that are none, and unprintable characters, are escaped.
    """
    return escape(os.fsencode(path).decode("utf-8", "surrogateescape"), MAX_PATH)
