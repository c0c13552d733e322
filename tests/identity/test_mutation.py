"""Every single change of a valid manifest, census or projection set is refused, at the changed place or above it."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from operatebench.errors import IdentityValidationError, pointer
from operatebench.identity import validate_identity_manifest
from tests.identity import documents, oracle
from tests.identity.documents import Tokens, Triple, at, put, remove
from tests.identity.refusals import assert_well_formed

ROOTS = ("manifest", "census", "projections")
FIXTURES = {"golden": documents.golden, "rich": documents.rich}
CASES = [(name, root) for name in FIXTURES for root in ROOTS]

MANIFEST_CODES = {
    "schema": {"manifest_header"},
    "schema_version": {"manifest_header"},
    "compatibility_contract": {"compatibility_contract"},
    "manifest_digest_sha256": {"manifest_digest"},
}
REQUIREMENT_CODES = {"requirement_shape", "requirement_digest", "requirement_range", "component_identity"}
CENSUS_CODES = {
    "schema": {"census_header"},
    "schema_version": {"census_header"},
    "manifest_schema": {"census_header"},
    "owners": {"census_owners", "map_cardinality"},
    "entries": {
        "census_entries",
        "census_entry",
        "census_owner_unknown",
        "field_path",
        "census_duplicate",
        "census_order",
        "ownership_join",
    },
}


def is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list) or not value


def leaves(value: Any, tokens: Tokens = ()) -> Iterator[Tokens]:
    """Yield the pointer of every scalar and empty container."""
    if is_leaf(value):
        yield tokens
        return
    for token, child in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(child, (*tokens, token))


def every_pointer(value: Any) -> set[Tokens]:
    """Find every pointer below the root in another way, level by level: what the mutated ones are compared with."""
    found: set[Tokens] = set()
    level: list[tuple[Tokens, Any]] = [((), value)]
    while level:
        below: list[tuple[Tokens, Any]] = []
        for tokens, parent in level:
            keys = list(parent) if isinstance(parent, dict) else range(len(parent)) if isinstance(parent, list) else ()
            below += [((*tokens, key), parent[key]) for key in keys]
        found |= {tokens for tokens, _ in below}
        level = below
    return found


def other_types(leaf: Any) -> list[Any]:
    """Return values of other types that look like the leaf."""
    if leaf is None:
        return [False, 0, "", "null", [], {}]
    if isinstance(leaf, bool):
        return [int(leaf), str(leaf).lower(), None, [leaf]]
    if isinstance(leaf, int):
        return [str(leaf), None, [leaf], *([bool(leaf)] if leaf in {0, 1} else [])]
    if isinstance(leaf, str):
        return [None, [leaf], {leaf: leaf}, len(leaf)]
    return [None, {} if isinstance(leaf, list) else [], "", 0, False]


def other_values(leaf: Any) -> list[Any]:
    """Return other values of the leaf's type."""
    if isinstance(leaf, bool):
        return [not leaf]
    if isinstance(leaf, int):
        return [leaf - 1, leaf // 2 - 7]
    if isinstance(leaf, str):
        return [leaf + "x", leaf[:-1] if leaf else "\n", leaf.upper() if leaf.upper() != leaf else leaf + "\n"]
    if isinstance(leaf, list):
        return [[None]]
    return [{"x": None}] if isinstance(leaf, dict) else ["x"]


def refused(triple: Triple) -> IdentityValidationError:
    with pytest.raises(IdentityValidationError) as caught:
        validate_identity_manifest(triple.manifest, triple.census, triple.projections)
    assert_well_formed(caught.value)
    assert caught.value.expected
    assert caught.value.expected != caught.value.actual
    return caught.value


def mirrors(root: str, tokens: Tokens, before: Triple, after: Triple) -> set[str]:
    """Return the places that stand for the changed one: itself, and what is compared with it."""
    places = {f"{root}#{pointer(*tokens)}"}
    if root == "projections" and len(tokens) > 1:
        name, *below = tokens
        places.add(f"manifest#/components/{name}/owned_projection{pointer(*below)}")
    if root == "census" and tokens[0] == "entries" and len(tokens) > 1:
        for triple in (before, after):
            entries = triple.census["entries"]
            row = entries[tokens[1]] if int(tokens[1]) < len(entries) else None
            if isinstance(row, dict) and isinstance(row.get("field_path"), str):
                places.add(f"projections#/{row.get('owner')}{pointer(row['field_path'])}")
    if root == "manifest" and "compatible" in tokens:
        # A range that still contains the version is a sound requirement: only the digests above it can tell.
        places |= {f"manifest#/composites/{name}/bundle_digest_sha256" for name in oracle.MEMBERS}
    return places


def codes(root: str, tokens: Tokens) -> set[str]:
    """Return the codes a change at a pointer may be refused with."""
    if root == "projections":
        whole = {"root_cardinality", "map_names", "projection_shape"} if len(tokens) == 1 else set()
        return whole | {"ownership_join", "field_path"}
    if len(tokens) == 1 and root == "census":
        return CENSUS_CODES.get(str(tokens[0]), set()) | {"census_keys", "root_cardinality"}
    if root == "census":
        return CENSUS_CODES[str(tokens[0])]
    if tokens[0] not in {"components", "composites"}:
        return MANIFEST_CODES.get(str(tokens[0]), set()) | {"root_cardinality", "manifest_keys"}
    if len(tokens) <= 2:
        return {
            "root_cardinality",
            "map_cardinality",
            "map_type",
            "map_names",
            "component_identity",
            "composite_identity",
        }
    if tokens[0] == "composites":
        return {"composite_identity"}
    if tokens[2] in {"owned_projection", "owned_fields"}:
        return {"ownership_join"}
    if tokens[2] == "requires":
        return REQUIREMENT_CODES | ({"component_keys"} if len(tokens) == 3 else set()) | {"composite_identity"}
    return {"component_identity", "component_keys"}


def is_above(path: str, places: set[str]) -> bool:
    return any(place.startswith(path + "/") for place in places)


def assert_refused_there(root: str, tokens: Tokens, before: Triple, after: Triple) -> None:
    """Assert that the changed triple is refused with a fitting code: at, above or inside the changed place."""
    error = refused(after)
    where = f"{root}#{pointer(*tokens)}: {error}"
    assert error.code in codes(root, tokens), where
    if error.code == "census_order":  # one row out of place puts others out of place too
        assert error.path.startswith("census#/entries/"), where
        return
    places = mirrors(root, tokens, before, after)
    inside = tuple(place + "/" for place in places)
    assert error.path in places or error.path.startswith(inside) or is_above(error.path, places), where


@pytest.mark.parametrize(("fixture", "root"), CASES)
def test_changing_any_leaf_is_refused(fixture: str, root: str) -> None:
    before = FIXTURES[fixture]()
    mutated: set[Tokens] = set()
    for tokens in leaves(before.root(root)):
        leaf = at(before.root(root), tokens)
        after = before.copy()
        for value in (*other_types(leaf), *other_values(leaf)):
            put(after.root(root), tokens, copy.deepcopy(value))
            assert_refused_there(root, tokens, before, after)
        mutated.add(tokens)
    assert mutated == {tokens for tokens in every_pointer(before.root(root)) if is_leaf(at(before.root(root), tokens))}


@pytest.mark.parametrize(("fixture", "root"), CASES)
def test_taking_away_any_member_or_item_is_refused(fixture: str, root: str) -> None:
    before = FIXTURES[fixture]()
    removed: set[Tokens] = set()
    for tokens in every_pointer(before.root(root)):
        after = before.copy()
        remove(after.root(root), tokens)
        removed.add(tokens)
        parent = at(after.root(root), tokens[:-1])
        if isinstance(parent, list):
            # Later items move up, so the first difference may be at any of them.
            error = refused(after)
            assert error.code in codes(root, tokens), f"{tokens}: {error}"
            assert error.path.split("#")[0] in {root, "projections" if root == "census" else "manifest"}
        else:
            assert_refused_there(root, tokens, before, after)
    assert removed == every_pointer(before.root(root))


@pytest.mark.parametrize(("fixture", "root"), CASES)
def test_an_extra_member_or_item_anywhere_is_refused(fixture: str, root: str) -> None:
    before = FIXTURES[fixture]()
    for tokens in [(), *every_pointer(before.root(root))]:
        holder = at(before.root(root), tokens)
        if not isinstance(holder, dict | list):
            continue
        after = before.copy()
        inside = at(after.root(root), tokens)
        place: Tokens = (*tokens, "/extra" if isinstance(holder, dict) else len(holder))
        if isinstance(holder, dict):
            inside["/extra"] = None
        else:
            inside.append(copy.deepcopy(holder[-1]) if holder else None)
        assert_refused_there(root, place, before, after)


@pytest.mark.parametrize(("fixture", "root"), CASES)
def test_another_order_of_any_array_is_refused(fixture: str, root: str) -> None:
    before = FIXTURES[fixture]()
    reordered = 0
    for tokens in every_pointer(before.root(root)):
        holder = at(before.root(root), tokens)
        if not isinstance(holder, list) or holder == holder[::-1]:
            continue
        after = before.copy()
        at(after.root(root), tokens).reverse()
        error = refused(after)
        assert error.code in codes(root, (*tokens, 0)), f"{tokens}: {error}"
        reordered += 1
    assert reordered or (fixture, root) == ("golden", "projections")


@pytest.mark.parametrize(("fixture", "root"), CASES)
def test_another_name_of_any_member_is_refused(fixture: str, root: str) -> None:
    before = FIXTURES[fixture]()
    for tokens in every_pointer(before.root(root)):
        if not isinstance(tokens[-1], str):
            continue
        after = before.copy()
        documents.rename(after.root(root), tokens, tokens[-1] + "x")
        error = refused(after)
        assert error.code in codes(root, tokens) | {"map_names", "manifest_keys"}, f"{tokens}: {error}"


def test_a_value_under_another_owner_is_refused() -> None:
    triple = documents.golden()
    path = f"/fixture/{oracle.CARD}"
    triple.projections[oracle.BUILD][path] = triple.projections[oracle.CARD].pop(path)
    assert refused(triple).code == "ownership_join"
    triple = documents.golden()
    triple.census["entries"][2]["owner"] = oracle.BUILD
    assert refused(triple).code == "ownership_join"


def test_two_swapped_projections_or_components_are_refused() -> None:
    triple = documents.golden()
    both = triple.projections
    both[oracle.CARD], both[oracle.BUILD] = both[oracle.BUILD], both[oracle.CARD]
    assert refused(triple).code == "ownership_join"
    triple = documents.golden()
    both = triple.manifest["components"]
    both[oracle.CARD], both[oracle.BUILD] = both[oracle.BUILD], both[oracle.CARD]
    assert refused(triple).code == "ownership_join"
