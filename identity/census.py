"""The manifest-projection census: which component owns which field path (identity contract, section 10).

It proves only that ownership over the eleven supplied projections is unique and complete. It takes part in no digest
and is neither the B1 card census nor a run-bundle census.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..errors import IdentityValidationError, describe
from .admission import Admitted
from .boundary import public
from .component import admit_projection
from .grammar import is_field_path
from .refusal import refusal
from .registry import (
    B1_ARTIFACT_SCHEMA,
    B1_CENSUS_SCHEMA,
    COMPONENTS,
    IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA,
    IDENTITY_MANIFEST_SCHEMA,
    IDENTITY_SCHEMA_VERSION,
)

MAX_CENSUS_ENTRIES = 4_096
"""Most rows over all owners together."""

CENSUS_KEYS = ("schema", "schema_version", "manifest_schema", "owners", "entries")


def require_manifest_scope(census: dict[str, Any]) -> None:
    """Refuse a B1 card census by either of its two discriminators, whatever else is wrong with it.

    Raises:
        IdentityValidationError: ``census_b1_scope``.
    """
    for member, discriminator in (("schema", B1_CENSUS_SCHEMA), ("artifact_schema", B1_ARTIFACT_SCHEMA)):
        if census.get(member) == discriminator:
            raise refusal(
                "census_b1_scope",
                f"census#/{member}",
                describe(IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA),
                discriminator,
            )


def read_census(census: dict[str, Any]) -> dict[str, list[str]]:
    """Check an admitted census and return its paths by owner.

    Rules, in the order in which they are checked: exactly five keys; schema, version and manifest schema; all eleven
    owners in registry order; entries an array of at most 4,096; each row exactly ``{field_path, owner}`` with a known
    owner, a grammatical and unseen path; rows sorted by owner, then path.

    Returns:
        Owner -> its paths in code-point order, for all eleven owners in registry order.

    Raises:
        IdentityValidationError: the ``census_…`` codes, ``field_path`` or ``resource_limits``.
    """
    if census.keys() != set(CENSUS_KEYS):
        expected = f"exactly {', '.join(CENSUS_KEYS)}"
        raise IdentityValidationError("census_keys", path="census#", expected=expected, actual=_names(census))
    header = {
        "schema": IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA,
        "schema_version": IDENTITY_SCHEMA_VERSION,
        "manifest_schema": IDENTITY_MANIFEST_SCHEMA,
    }
    for member, wanted in header.items():
        found = census[member]
        if type(found) is not type(wanted) or found != wanted:
            raise refusal("census_header", f"census#/{member}", describe(wanted), found)
    if census["owners"] != list(COMPONENTS):
        raise refusal("census_owners", "census#/owners", "the component names in registry order", census["owners"])
    entries = census["entries"]
    if type(entries) is not list:
        raise refusal("census_entries", "census#/entries", "an array", entries)
    require_entry_count(entries)
    return _paths_by_owner(entries)


def require_entry_count(entries: list[Any]) -> None:
    """Refuse more than 4,096 rows.

    Raises:
        IdentityValidationError: ``resource_limits``.
    """
    if len(entries) > MAX_CENSUS_ENTRIES:
        raise refusal("resource_limits", "census#/entries", f"at most {MAX_CENSUS_ENTRIES} rows", entries)


def _paths_by_owner(entries: list[Any]) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {name: [] for name in COMPONENTS}
    owners: dict[str, str] = {}
    for index, row in enumerate(entries):
        if type(row) is not dict or len(row) != 2 or "field_path" not in row or "owner" not in row:
            raise refusal("census_entry", f"census#/entries/{index}", "an object of exactly field_path and owner", row)
        path, owner = row["field_path"], row["owner"]
        if type(owner) is not str or owner not in paths:
            raise refusal("census_owner_unknown", f"census#/entries/{index}/owner", "a component name", owner)
        if not is_field_path(path):
            raise refusal("field_path", f"census#/entries/{index}/field_path", "a field path", path)
        if path in owners:
            expected = f"a path not yet owned (it is owned by {owners[path]})"
            raise refusal("census_duplicate", f"census#/entries/{index}/field_path", expected, path)
        owners[path] = owner
        paths[owner].append(path)
    ordered = [path for names in paths.values() for path in sorted(names)]
    for index, (path, wanted) in enumerate(zip(owners, ordered, strict=True)):
        if path != wanted:
            expected = f"rows sorted by owner, then path; here {describe(wanted)}"
            raise refusal("census_order", f"census#/entries/{index}", expected, path)
    return paths


@public
def build_projection_census(owned_projections: dict[str, Any]) -> dict[str, Any]:
    """Build the census of exactly the given eleven projections.

    Args:
        owned_projections: component name -> flat projection, for exactly the eleven components.

    Returns:
        A fresh plain census document.

    Raises:
        IdentityValidationError: ``root_type``, ``map_names``, ``projection_shape``, ``strict_json``, ``field_path``,
            ``resource_limits``, or ``census_duplicate`` for a path under two owners.
    """
    projections = admit_named_projections(owned_projections)
    entries = [
        {"field_path": path, "owner": owner}
        for owner, projection in projections.items()
        for path in sorted(projection.value)
    ]
    census = {
        "schema": IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA,
        "schema_version": IDENTITY_SCHEMA_VERSION,
        "manifest_schema": IDENTITY_MANIFEST_SCHEMA,
        "owners": list(COMPONENTS),
        "entries": entries,
    }
    read_census(census)
    return census


def admit_named_projections(owned_projections: object) -> dict[str, Admitted]:
    """Admit a plain object of exactly the eleven projections, in registry order.

    Raises:
        IdentityValidationError: ``root_type``, ``map_names``, ``projection_shape``, ``strict_json``, ``field_path`` or
            ``resource_limits``.
    """
    if type(owned_projections) is not dict:
        raise refusal("root_type", "projections#", "a plain object", owned_projections)
    # Of more names than there are components one is odd: no more need to be looked at.
    names = list(islice(owned_projections, len(COMPONENTS) + 1))
    if any(type(name) is not str for name in names) or set(names) != set(COMPONENTS):
        odd = [name for name in names if type(name) is not str or name not in COMPONENTS]
        actual = describe(odd[0]) if odd else "without " + ", ".join(sorted(set(COMPONENTS) - set(names)))
        expected = "exactly the eleven component names"
        raise IdentityValidationError("map_names", path="projections#", expected=expected, actual=actual)
    return {name: admit_projection(owned_projections[name], f"projections#/{name}") for name in COMPONENTS}


def _names(members: dict[str, Any]) -> str:
    return ", ".join(describe(name[:40]) for name in members)
