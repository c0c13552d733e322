"""The census of run bundles: which owner determines each field of each member, and who reads it.

The fields are derived from the packaged schemas, which the census names by digest; the entries are written by hand. A
field that a schema gains or loses is refused until the entries follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..cards.contract import CARD_PROFILE
from ..errors import BundleError, describe
from ..identity.boundary import public
from ..identity.registry import COMPONENTS
from ..identity.resources import PinnedResource, load_pinned
from .resources import load_field_census

RUN_BUNDLE_CENSUS_SCHEMA = "operatebench.run_bundle_census.v1"
RUN_BUNDLE_CENSUS = PinnedResource(
    "schemas",
    "run-bundle-census-v1.registry.json",
    "45d1599c6e1633060a06900315c5d84de71f51b153bf576083851aef27c2bf11",
    CARD_PROFILE,
)

CONSUMERS = (
    "expected",
    "members",
    "cards",
    "census",
    "manifest_self",
    "manifest_live",
    "ledger",
    "binding",
    "requirements",
    "authorization",
    "evidence",
    "replay",
    "evaluation",
    "verdict",
    "regrade",
    "show",
)
"""The checks of the verifier, and the two commands that read a bundle beside it."""

CARD_CONSUMERS = ("cards", "manifest_live", "binding")
"""Who reads the cards of a bundle."""

Schema = Mapping[str, Any]


@public
def load_run_bundle_census() -> dict[str, Any]:
    """Return a fresh plain copy of the census, with the entries of all fields, those of the cards among them.

    The census was validated. The entries of the cards follow from the B1 census.

    Raises:
        BundleError: ``bundle_census``.
        IdentityValidationError: ``resource_…``: a packaged document is not the pinned one.
        CardValidationError: ``resource.unavailable``, likewise.
    """
    census = load_pinned(RUN_BUNDLE_CENSUS)
    schemas = {name: load_pinned(PinnedResource("schemas", name, pin)) for name, pin in census["documents"].items()}
    validate_run_bundle_census(census, schemas)
    cards = [
        {"field": entry["field_path_pattern"], "owner": entry["owner"], "consumers": list(CARD_CONSUMERS)}
        for entry in load_field_census()["entries"]
        if "_card/" in entry["field_path_pattern"]
    ]
    return {**census, "entries": sorted((*census["entries"], *cards), key=lambda entry: entry["field"])}


@public
def validate_run_bundle_census(census: Mapping[str, Any], schemas: Mapping[str, Schema]) -> None:
    """Check that a census has each field of the schemas once, with a known owner and known consumers.

    Args:
        census: the census, of the packaged form.
        schemas: name -> schema of every document that it names.

    Raises:
        BundleError: ``bundle_census``; the path is that of the field.
    """
    fields = _Fields(schemas)
    wanted = {field for root, name in census["roots"].items() for field in fields.below(name, f"/{root}")}
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in census["entries"]:
        field, consumers = entry["field"], entry["consumers"]
        if field in entries or field not in wanted:
            raise _refused(field, "a field of the schemas, once", "a second entry" if field in entries else "none such")
        if entry["owner"] not in census["owners"] and entry["owner"] not in COMPONENTS:
            raise _refused(field, "a component, or an owner that the census explains", describe(entry["owner"]))
        if not consumers or len(set(consumers)) < len(consumers) or not set(consumers) <= set(CONSUMERS):
            raise _refused(field, f"some of {', '.join(CONSUMERS)}", ", ".join(consumers))
        entries[field] = entry
    for field in sorted(wanted - entries.keys()):
        raise _refused(field, "an entry with owner and consumers", "none")


class _Fields:
    """Derives the fields of records from their schemas.

    * A closed record is expanded member by member, and so are the items of an array of records, without an index.
    * A record that one member tells apart has the fields of each of its kinds, below the name of the kind.
    * What several schemas say together, or one of several may say, has the fields of all of them.
    * Everything else is one field.
    """

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas

    def below(self, name: str, place: str) -> set[str]:
        """Return the fields of the document's record; what another part of the schema expands is none."""
        found = set(self._of(self._schemas[name], place, name))
        above = {field[:end] for field in found for end in range(len(field)) if field[end] == "/"}
        return found - above

    def _of(self, schema: Any, place: str, name: str) -> Iterator[str]:
        if schema is False:
            return
        if schema is True:
            yield place
        elif "$ref" in schema:
            yield from self._of(*self._resolved(schema["$ref"], place, name))
        elif "then" in schema:  # an object or null
            yield from self._of(schema["then"], place, name)
        elif "allOf" in schema and "properties" in schema:
            yield from self._of_kinds(schema, place, name)
        elif parts := schema.get("allOf") or schema.get("oneOf") or schema.get("anyOf"):
            for part in parts:
                yield from self._of(part, place, name)
        elif "properties" in schema:
            if schema.get("additionalProperties") is not False or "patternProperties" in schema:
                raise _refused(place, "a closed record", "an open one")
            for member, inner in schema["properties"].items():
                yield from self._of(inner, f"{place}/{member}", name)
        else:
            yield from self._of_items(schema, place, name)

    def _resolved(self, reference: str, place: str, name: str) -> tuple[Schema, str, str]:
        document, _, inside = reference.partition("#")
        target: Any = self._schemas[document or name]
        for step in filter(None, inside.split("/")):
            target = target[step]
        return target, place, document or name

    def _of_kinds(self, schema: Schema, place: str, name: str) -> Iterator[str]:
        told_by = list(schema["properties"])
        for part in schema["allOf"]:
            if len(told_by) == 1 and "if" in part:
                kind = part["if"]["properties"][told_by[0]]["const"]
                yield from self._of(part["then"], f"{place}/{kind}", name)
            elif "if" not in part:
                raise _refused(place, "a record, or kinds that one member tells apart", "something else")
        if len(told_by) > 1:  # conditions on members that are all listed
            yield from self._of({key: value for key, value in schema.items() if key != "allOf"}, place, name)

    def _of_items(self, schema: Schema, place: str, name: str) -> Iterator[str]:
        items = [*schema.get("prefixItems", ()), schema.get("items", False)]
        fields = [field for item in items if item is not True for field in self._of(item, place, name)]
        yield from fields or [place]


def _refused(field: str, expected: str, actual: str) -> BundleError:
    return BundleError("bundle_census", path=field, expected=expected, actual=actual)
