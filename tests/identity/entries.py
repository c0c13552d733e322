"""Every public entry of the kernel, and every place where a caller can put an object of their own."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from operatebench import identity
from tests.identity import documents, oracle
from tests.identity.documents import Tokens, at, put, rename
from tests.identity.oracle import CARD, CORE, RUNTIME, SCAFFOLD

Call = tuple[str, Callable[..., Any], tuple[Any, ...]]


def pointers(value: Any, tokens: Tokens = ()) -> Iterator[Tokens]:
    """Yield every pointer below a document."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for token, child in children:
        yield (*tokens, token)
        yield from pointers(child, (*tokens, token))


def leaves_of(bundle: str) -> dict[str, identity.ComponentIdentityV1]:
    """Return a resolver of the golden leaves."""
    found = validated().components
    return {name: found[name] for name in oracle.LEAVES[bundle]}


@cache
def validated() -> identity.ValidatedIdentityManifest:
    given = documents.golden()
    return identity.validate_identity_manifest(given.manifest, given.census, given.projections)


def rows() -> list[Any]:
    return [oracle.exact(CARD, "0" * 64), oracle.closed_range(CORE), oracle.named(RUNTIME)]


def at_roots(value: Any) -> Iterator[Call]:
    """Yield every entry with the object as each of its arguments."""
    given = documents.golden()
    roots = (given.manifest, given.census, given.projections)
    composite = identity.recompute_bundle("runtime_bundle", leaves_of("runtime_bundle"))
    yield "validate/manifest", identity.validate_identity_manifest, (value, *roots[1:])
    yield "validate/census", identity.validate_identity_manifest, (roots[0], value, roots[2])
    yield "validate/projections", identity.validate_identity_manifest, (*roots[:2], value)
    yield "component/name", identity.recompute_component, (value, {}, [])
    yield "component/projection", identity.recompute_component, (CARD, value, [])
    yield "component/requires", identity.recompute_component, (CORE, {}, value)
    yield "bundle/name", identity.recompute_bundle, (value, leaves_of("runtime_bundle"))
    yield "bundle/resolver", identity.recompute_bundle, ("runtime_bundle", value)
    yield "digest", identity.recompute_manifest_digest, (value,)
    yield "wire", identity.identity_to_json, (value,)
    yield "wire/resolver", _to_json_with, (composite, value)
    yield "evaluate/requirements", identity.evaluate_component_requirements, (value, {})
    yield "evaluate/resolved", identity.evaluate_component_requirements, ([], value)
    yield "diff/old", identity.identity_diff, (value, validated())
    yield "diff/new", identity.identity_diff, (validated(), value)
    yield "build/projections", identity.build_identity_manifest, (value,)
    yield "build/requirements", identity.build_identity_manifest, (documents.golden_projections(), value)
    yield "census", identity.build_projection_census, (value,)
    yield "claimed", identity.claimed_projections, (value,)


def _to_json_with(record: identity.CompositeIdentityV1, resolver: Any) -> Any:
    return identity.identity_to_json(record, resolved_member_identities=resolver)


def _edits(edit: Callable[[Any, Tokens], None], wanted: Callable[[Any, Tokens], bool]) -> Iterator[Call]:
    for root in ("manifest", "census", "projections"):
        for tokens in pointers(documents.golden().root(root)):
            given = documents.golden()
            if not wanted(given.root(root), tokens):
                continue
            edit(given.root(root), tokens)
            place = f"{root}/{'/'.join(map(str, tokens))}"
            yield place, identity.validate_identity_manifest, (given.manifest, given.census, given.projections)
            if root == "manifest":
                yield "digest/" + place, identity.recompute_manifest_digest, (given.manifest,)
                yield "claimed/" + place, identity.claimed_projections, (given.manifest,)
            elif root == "projections":
                yield "build/" + place, identity.build_identity_manifest, (given.projections,)
                yield "census/" + place, identity.build_projection_census, (given.projections,)
    for tokens in pointers(rows()):
        given_rows = rows()
        if not wanted(given_rows, tokens):
            continue
        edit(given_rows, tokens)
        place = f"rows/{'/'.join(map(str, tokens))}"
        yield "evaluate/" + place, identity.evaluate_component_requirements, (given_rows, {})
        if tokens[0] == 0:
            yield "component/" + place, identity.recompute_component, (CORE, {}, given_rows[:1])
            arguments = (documents.golden_projections(), {CORE: given_rows[:1]})
            yield "build/" + place, identity.build_identity_manifest, arguments


def at_values(make: Callable[[], Any]) -> Iterator[Call]:
    """Yield every entry with the object as each value of each document, and as a leaf of a resolver."""
    yield from _edits(lambda document, tokens: put(document, tokens, make()), lambda document, tokens: True)
    yield "census/artifact", identity.validate_identity_manifest, _with_artifact(make())
    yield "bundle/leaf", identity.recompute_bundle, ("runtime_bundle", leaves_of("runtime_bundle") | {SCAFFOLD: make()})
    yield "evaluate/resolved", identity.evaluate_component_requirements, ([], {CARD: make()})


def _with_artifact(value: Any) -> tuple[Any, ...]:
    given = documents.golden()
    del given.census["schema"]
    return given.manifest, given.census | {"artifact_schema": value}, given.projections


def at_names(make: Callable[[str], Any]) -> Iterator[Call]:
    """Yield every entry with the object in the place of each member name."""
    yield from _edits(
        lambda document, tokens: rename(document, tokens, make(str(tokens[-1]))),
        lambda document, tokens: isinstance(at(document, tokens[:-1]), dict),
    )
    resolver: dict[Any, Any] = dict(leaves_of("runtime_bundle"))
    resolver[make(SCAFFOLD)] = resolver.pop(SCAFFOLD)
    yield "bundle/resolver", identity.recompute_bundle, ("runtime_bundle", resolver)
    yield "bundle/proxy", identity.recompute_bundle, ("runtime_bundle", MappingProxyType(resolver))
    yield (
        "evaluate/resolved",
        identity.evaluate_component_requirements,
        ([], {make(CARD): validated().components[CARD]}),
    )
    requirements: Any = {make(CORE): [oracle.closed_range(CARD)]}
    yield "build/requirements", identity.build_identity_manifest, (documents.golden_projections(), requirements)


def record_uses(record: Any) -> Iterator[Call]:
    """Yield every entry that takes a record of this class, with this record."""
    base = validated()
    if type(record) is identity.ComponentIdentityV1:
        resolver = leaves_of("runtime_bundle") | {SCAFFOLD: record}
        yield "wire", identity.identity_to_json, (record,)
        yield "bundle", identity.recompute_bundle, ("runtime_bundle", resolver)
        yield "bundle/proxy", identity.recompute_bundle, ("runtime_bundle", MappingProxyType(resolver))
        yield "evaluate", identity.evaluate_component_requirements, ([], {SCAFFOLD: record})
        components = MappingProxyType({**base.components, SCAFFOLD: record})
        yield "diff", identity.identity_diff, (base, replace(base, components=components))
    elif type(record) is identity.RequirementV1:
        yield from record_uses(replace(base.components[SCAFFOLD], requires=(record,)))
    elif type(record) is identity.CompositeIdentityV1:
        yield "wire", _to_json_with, (record, leaves_of("runtime_bundle"))
        composites = MappingProxyType({**base.composites, "runtime_bundle": record})
        yield "diff", identity.identity_diff, (replace(base, composites=composites), base)
    else:
        yield "diff/old", identity.identity_diff, (record, base)
        yield "diff/new", identity.identity_diff, (base, record)


def records() -> list[Any]:
    """Return one valid record of every class that is read back."""
    base = validated()
    scaffold = base.components[SCAFFOLD]
    return [scaffold, scaffold.requires[0], base.composites["runtime_bundle"], base]


def with_field(record: Any, field: str, value: Any) -> Any:
    """Return the record with one field forged."""
    return replace(record, **{field: value})


def without_field(record: Any, field: str) -> Any:
    """Return the record with one slot that was never filled."""
    kind = type(record)
    forged = object.__new__(kind)
    for name in (each.name for each in fields(kind)):
        if name != field:
            object.__setattr__(forged, name, getattr(record, name))
    return forged


def record_fields() -> list[tuple[int, str]]:
    """Return index and field name of every field of :func:`records`."""
    return [(index, field.name) for index, record in enumerate(records()) for field in fields(record)]
