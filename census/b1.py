"""Validates a B1 field census against the live surface of the card contract (card contract, section 18)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..cards.contract import CARD_PROFILE
from ..cards.plain import plain
from ..cards.refusal import refusal
from ..errors import CardValidationError, escape
from ..identity.admission import admit
from ..identity.boundary import public
from ..identity.records import freeze
from .entries import read_entries
from .leaves import OWNERS, Surface, live_surface
from .paths import SourceRoot

ARTIFACT_9 = "operatebench.artifact.v9"
"""The artifact for which this census is too narrow."""

Census = Mapping[str, Any]
"""A validated census: read-only mappings and tuples all the way down."""


@public
def validate_field_census(
    census: object, *, artifact_schema: str | None = None, source_root: str | Path | None = None
) -> Census:
    """Validate a B1 field census; the first broken rule, in this order, refuses it.

    1. It is plain JSON: exact dicts and lists, or a read-only mapping as this function returns it.
    2. Its members and entries have the form of the census schema, no wildcard in paths, and no two entries are equal.
    3. It is not wanted for Artifact 9, which needs a census of all its own leaves.
    4. No path has two entries.
    5. Consumers are exactly those of the owner in the card registry, in order.
    6. With ``source_root``, every source exists below it. Without, the file system is never touched.
    7. Every owner owns something.
    8. The paths are exactly the leaves of the packaged card schemas, each with the owner of its card.

    Args:
        census: the census.
        artifact_schema: what the census is wanted for; only Artifact 9 makes a difference.
        source_root: the source tree in which its sources must exist.

    Returns:
        The census, deeply immutable and sharing nothing with the argument. It validates again, to an equal one.

    Raises:
        CardValidationError: ``projection.…``, ``shape.…`` or ``census.…``. The cause is a TypeError for
            ``census.argument`` and the operating system's error for ``census.source_stale``; otherwise there is none.
    """
    if artifact_schema is not None and type(artifact_schema) is not str:
        wrong = TypeError("the artifact schema is not text")
        raise refusal("census.argument", "artifact_schema#", "text", artifact_schema) from wrong
    root = SourceRoot(source_root) if source_root is not None else None
    value = plain(census, "census#") if type(census) is MappingProxyType else census
    value = admit(value, CARD_PROFILE, at="census#").value
    entries = read_entries(value)
    if artifact_schema == ARTIFACT_9:
        raise refusal("census.scope", "census#/artifact_schema", ARTIFACT_9, value["artifact_schema"])
    surface = live_surface()
    _require_single_owners(entries)
    _require_consumers(entries, surface)
    if root is not None:
        for index, entry in enumerate(entries):
            for position, source in enumerate(entry["source_paths"]):
                root.require_source(source, f"census#/entries/{index}/source_paths/{position}")
    _require_leaves(entries, surface)
    frozen: Census = freeze(value)
    return frozen


def _require_single_owners(entries: list[dict[str, Any]]) -> None:
    first: dict[str, int] = {}
    for index, entry in enumerate(entries):
        path = entry["field_path_pattern"]
        if first.setdefault(path, index) != index:
            expected = f"a path without entry (/entries/{first[path]} has it, for {entries[first[path]]['owner']})"
            raise refusal("census.two_owners", f"census#/entries/{index}/field_path_pattern", expected, path)


def _require_consumers(entries: list[dict[str, Any]], surface: Surface) -> None:
    for index, entry in enumerate(entries):
        wanted, found = surface.consumers[entry["owner"]], entry["consumers"]
        if tuple(found) != wanted:
            raise CardValidationError(
                "census.wrong_consumers" if set(wanted) <= set(found) else "census.missing_consumer",
                path=f"census#/entries/{index}/consumers",
                expected=", ".join(wanted),
                actual=escape(", ".join(found)),
            )


def _require_leaves(entries: list[dict[str, Any]], surface: Surface) -> None:
    found = {entry["field_path_pattern"]: entry["owner"] for entry in entries}
    owning = set(found.values())
    for owner in OWNERS:
        if owner not in owning:
            raise CardValidationError("census.missing_owner", path="census#/entries", expected=owner, actual="no entry")
    for leaf in surface.owners:
        if leaf not in found:
            raise CardValidationError("census.missing_leaf", path="census#/entries", expected=leaf, actual="no entry")
    for index, (path, owner) in enumerate(found.items()):
        wanted = surface.owners.get(path)
        if wanted is None:
            place = f"census#/entries/{index}/field_path_pattern"
            raise refusal("census.fabricated_leaf", place, "a leaf of the card contract", path)
        if owner != wanted:
            raise refusal("census.wrong_owner", f"census#/entries/{index}/owner", wanted, owner)
