"""The lexical languages of the identity contract, section 6: digest, namespaced name, predicate and field path."""

from __future__ import annotations

import re

from .profile import MAX_IDENTITY_STRING_BYTES

MAX_FIELD_PATH_LENGTH = 1_024
"""Longest field path in code points."""

DIGEST_LENGTH = 64

# Possessive quantifiers: no input can make these patterns backtrack.
_DIGEST = re.compile(r"[0-9a-f]{64}+")
_NAME = re.compile(r"[a-z][a-z0-9]*+(?:[._-][a-z0-9]++)++")
_FIELD_PATH = re.compile(r"(?:/(?:[^/~*]++|~[01])++)++")


def is_digest(value: object) -> bool:
    """Tell whether ``value`` is exact text of 64 lowercase hexadecimal characters."""
    return type(value) is str and len(value) == DIGEST_LENGTH and _DIGEST.fullmatch(value) is not None


def is_name(value: object) -> bool:
    """Tell whether ``value`` is exact text of at least two segments joined by one of ``.``, ``_`` or ``-`` each.

    The length limit of 1 MiB acts before the pattern does.
    """
    return type(value) is str and len(value) <= MAX_IDENTITY_STRING_BYTES and _NAME.fullmatch(value) is not None


def is_predicate(value: object) -> bool:
    """Tell whether ``value`` is a namespaced name with at least one dot."""
    return is_name(value) and "." in str(value)


def is_field_path(value: object) -> bool:
    """Tell whether ``value`` is exact text of one or more ``/token`` steps and at most 1,024 code points.

    No token is empty, ``~`` stands only as ``~0`` or ``~1``, and ``*`` nowhere. Any other character may occur, a
    newline included.
    """
    return type(value) is str and len(value) <= MAX_FIELD_PATH_LENGTH and _FIELD_PATH.fullmatch(value) is not None
