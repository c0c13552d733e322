"""Says which owners changed between two validated manifests, and which bundles moved with them (section 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import IdentityValidationError, describe, pointer
from .admission import admit
from .boundary import public
from .bundle import BuiltBundle, build_bundles
from .canonical import encode, mapping
from .component import BuiltComponent, rebuild_component, record_fields, require_satisfied
from .document import COMPATIBILITY_CONTRACT, SELF_DIGEST, manifest_digest
from .profile import IDENTITY_PROFILE
from .records import OwnedMutation, ValidatedIdentityManifest, bounded_members, thaw
from .refusal import refusal
from .registry import (
    BUNDLES,
    COMPONENTS,
    IDENTITY_MANIFEST_SCHEMA,
    IDENTITY_SCHEMA_VERSION,
    OWNED_MUTATION_CONTRACT_VERSION,
    ComponentSpec,
)
from .wire import composite_fields

_ENVELOPE_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "schema": (str,),
        "schema_version": (int,),
        SELF_DIGEST: (str,),
    }
)


@dataclass(frozen=True, slots=True)
class _Side:
    """One manifest, rebuilt.

    Attributes:
        components: rebuilt components in registry order.
        bundles: rebuilt bundles.
        owners: field path -> owner.
    """

    components: dict[str, BuiltComponent]
    bundles: dict[str, BuiltBundle]
    owners: dict[str, str]


@public
def identity_diff(old: ValidatedIdentityManifest, new: ValidatedIdentityManifest) -> tuple[OwnedMutation, ...]:
    """Return one row per owner whose fields or requirements differ, in registry order.

    Both manifests are rebuilt first, the old one before the new one, because a frozen record can still be forged: its
    own schema, version and digest; its maps in registry order; the frozen contract; every component, its paths owned
    once; every requirement met; both bundles; the manifest digest. A path may not change its owner.

    A changed digest reaches direct dependents only, as a changed requirement: content digests ignore requirements.

    Returns:
        Rows in registry order; empty for equal manifests.

    Raises:
        IdentityValidationError: ``diff_input``, ``diff_envelope``, ``diff_registry_order``, ``compatibility_contract``,
            ``diff_component``, ``diff_duplicate_owner``, ``requirement_…``, ``diff_composite``, ``manifest_digest`` or
            ``diff_reassignment``; ``strict_json`` or ``resource_limits`` for a contract that is no JSON.
    """
    for name, manifest in (("old", old), ("new", new)):
        if type(manifest) is not ValidatedIdentityManifest:
            expected = "exactly a ValidatedIdentityManifest"
            raise refusal("diff_input", f"{name}#", expected, manifest)
    before, after = _rebuild(old, "old#"), _rebuild(new, "new#")
    for path in sorted(before.owners.keys() & after.owners.keys()):
        if before.owners[path] != after.owners[path]:
            place = "new#" + pointer(path)
            raise IdentityValidationError(
                "diff_reassignment", path=place, expected=before.owners[path], actual=after.owners[path]
            )
    moved = {name for name in BUNDLES if before.bundles[name].digest != after.bundles[name].digest}
    rows = (_row(spec, before.components[name], after.components[name], moved) for name, spec in COMPONENTS.items())
    return tuple(row for row in rows if row.changed_field_paths or row.changed_requirement_components)


def _row(spec: ComponentSpec, old: BuiltComponent, new: BuiltComponent, moved: set[str]) -> OwnedMutation:
    return OwnedMutation(
        mutation_contract_version=OWNED_MUTATION_CONTRACT_VERSION,
        owner=spec.name,
        changed_field_paths=_changed_paths(old, new),
        changed_requirement_components=tuple(
            name for name, left, right in zip(spec.requires, old.requires, new.requires, strict=True) if left != right
        ),
        old_content_digest_sha256=old.digest,
        new_content_digest_sha256=new.digest,
        changed_composites=tuple(bundle for bundle in spec.composites if bundle in moved),
    )


def _changed_paths(old: BuiltComponent, new: BuiltComponent) -> tuple[str, ...]:
    if old.digest == new.digest:
        return ()
    left, right = old.projection, new.projection

    def changed(path: str) -> bool:
        both = path in left and path in right
        return not both or encode(left[path], IDENTITY_PROFILE) != encode(right[path], IDENTITY_PROFILE)

    return tuple(path for path in sorted(left.keys() | right.keys()) if changed(path))


def _rebuild(manifest: ValidatedIdentityManifest, at: str) -> _Side:
    fields = record_fields(manifest, ValidatedIdentityManifest, _ENVELOPE_TYPES, "diff_envelope", at)
    for member, wanted in (("schema", IDENTITY_MANIFEST_SCHEMA), ("schema_version", IDENTITY_SCHEMA_VERSION)):
        if fields[member] != wanted:
            place = f"{at}/{member}"
            raise refusal("diff_envelope", place, describe(wanted), fields[member])
    components = _in_registry_order(getattr(manifest, "components", None), COMPONENTS, f"{at}/components")
    composites = _in_registry_order(getattr(manifest, "composites", None), BUNDLES, f"{at}/composites")
    _require_contract(getattr(manifest, "compatibility_contract", None), f"{at}/compatibility_contract")
    side = _Side({}, {}, {})
    for name, record in components.items():
        built = rebuild_component(record, name, "diff_component", f"{at}/components/{name}")
        for path in built.projection:
            if side.owners.setdefault(path, name) != name:
                place = f"{at}/components/{name}{pointer(path)}"
                expected = f"a path not owned by {side.owners[path]}"
                raise IdentityValidationError("diff_duplicate_owner", path=place, expected=expected, actual=name)
        side.components[name] = built
    require_satisfied(side.components, f"{at}/components")
    side.bundles.update(build_bundles(side.components, f"{at}/composites"))
    for name, record in composites.items():
        _require_composite(record, side.bundles[name], f"{at}/composites/{name}")
    digest = manifest_digest(side.components, side.bundles)
    if fields[SELF_DIGEST] != digest:
        place = f"{at}/{SELF_DIGEST}"
        raise refusal("manifest_digest", place, describe(digest), fields[SELF_DIGEST])
    return side


def _in_registry_order(records: object, registry: Mapping[str, Any], at: str) -> dict[str, Any]:
    """Return the entries of a read-only mapping whose iteration order is exactly that of the registry."""
    expected = f"a read-only mapping of the {len(registry)} registered names in registry order"
    if type(records) is not MappingProxyType:
        raise refusal("diff_registry_order", at, expected, records)
    try:
        members = bounded_members(records, len(registry), at)
    except IdentityValidationError as fault:
        raise IdentityValidationError("diff_registry_order", path=at, expected=expected, actual=fault.actual) from None
    if list(members) != list(registry):
        actual = ", ".join(describe(name[:40]) for name in members)
        raise IdentityValidationError("diff_registry_order", path=at, expected=expected, actual=actual)
    return members


def _require_contract(contract: object, at: str) -> None:
    if type(contract) is MappingProxyType or type(contract) is dict:
        plain = thaw(contract, at)
        admit(plain, at=at)
        # Encoded as it stands: a record is not normalized, so 1.0 is not 1 here.
        if encode(plain, IDENTITY_PROFILE) == bytes(mapping(COMPATIBILITY_CONTRACT)):
            return
    raise refusal("compatibility_contract", at, "the frozen contract", contract)


def _require_composite(record: object, fresh: BuiltBundle, at: str) -> None:
    fields = composite_fields(record, "diff_composite", at)
    for member, wanted in (("name", fresh.spec.name), ("bundle_digest_sha256", fresh.digest)):
        if fields[member] != wanted:
            place = f"{at}/{member}"
            raise refusal("diff_composite", place, describe(wanted), fields[member])
