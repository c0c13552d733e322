"""The records of the identity contract, how they are frozen, and how untrusted ones are read (3, 8.2, 17)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from ..errors import IdentityValidationError
from .profile import IDENTITY_PROFILE
from .refusal import refusal


@dataclass(frozen=True, slots=True)
class RequirementV1:
    """One direct dependency of a component.

    Attributes:
        component: name of the dependency.
        compatible: read-only object: ``kind`` and the members of that kind.
    """

    component: str
    compatible: MappingProxyType[str, Any]


@dataclass(frozen=True, slots=True)
class ComponentIdentityV1:
    """The identity of one component. The wire record is this without ``name``.

    Attributes:
        name: registered name of the component.
        domain: its digest domain.
        schema: schema of the record.
        schema_version: 1.
        content_digest_sha256: digest of ``owned_projection`` alone; requirements do not move it.
        owned_fields: the field paths of the projection, in code-point order.
        owned_projection: read-only object of field path to frozen JSON value.
        excludes: always empty in version 1.
        requires: the direct dependencies, in registry order.
    """

    name: str
    domain: str
    schema: str
    schema_version: int
    content_digest_sha256: str
    owned_fields: tuple[str, ...]
    owned_projection: MappingProxyType[str, Any]
    excludes: tuple[()]
    requires: tuple[RequirementV1, ...]


@dataclass(frozen=True, slots=True)
class CompositeIdentityV1:
    """The identity of one bundle. The wire record is this without ``name``; members are named, never embedded.

    Attributes:
        name: registered name of the bundle.
        domain: its digest domain.
        schema: schema of the record.
        schema_version: 1.
        members: names of the direct members, in wire order.
        bundle_digest_sha256: digest over the complete identities of the members.
    """

    name: str
    domain: str
    schema: str
    schema_version: int
    members: tuple[str, ...]
    bundle_digest_sha256: str


@dataclass(frozen=True, slots=True)
class ValidatedIdentityManifest:
    """A manifest that was recomputed from independent projections and found equal.

    Attributes:
        schema: schema of the manifest.
        schema_version: 1.
        components: read-only map of the eleven identities, in registry order.
        composites: read-only map of the two bundles, the runtime bundle first.
        compatibility_contract: the frozen contract, read-only.
        manifest_digest_sha256: digest of the whole manifest.
    """

    schema: str
    schema_version: int
    components: MappingProxyType[str, ComponentIdentityV1]
    composites: MappingProxyType[str, CompositeIdentityV1]
    compatibility_contract: MappingProxyType[str, Any]
    manifest_digest_sha256: str


@dataclass(frozen=True, slots=True)
class RequirementEvaluationV1:
    """The answer to a list of requirements. Being satisfied authorizes nothing.

    Attributes:
        requirement_contract_version: 1.
        satisfied: true exactly when there are no reasons.
        reasons: why not, each once, in the fixed order of the contract.
    """

    requirement_contract_version: int
    satisfied: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnedMutation:
    """What changed at one owner between two validated manifests.

    Attributes:
        mutation_contract_version: 1.
        owner: name of the component.
        changed_field_paths: paths added, removed or differing in value, in code-point order.
        changed_requirement_components: dependencies whose requirement differs, in the owner's requirement order.
        old_content_digest_sha256: content digest before.
        new_content_digest_sha256: content digest after.
        changed_composites: the bundles the owner belongs to whose digest moved, in bundle order.
    """

    mutation_contract_version: int
    owner: str
    changed_field_paths: tuple[str, ...]
    changed_requirement_components: tuple[str, ...]
    old_content_digest_sha256: str
    new_content_digest_sha256: str
    changed_composites: tuple[str, ...]


def freeze(value: Any) -> Any:
    """Return an admitted value with every object as a read-only view of a fresh dict, every array as a tuple."""
    if type(value) is dict:
        fresh = value.copy()
        for name, item in value.items():
            kind = type(item)
            if kind is dict or kind is list:
                fresh[name] = freeze(item)
        return MappingProxyType(fresh)
    if type(value) is list:
        return tuple([freeze(item) if (kind := type(item)) is dict or kind is list else item for item in value])
    return value


def freeze_owned(value: Any) -> Any:
    """Freeze as :func:`freeze` does, but in place: for a value that a parser or copier made and nobody else holds."""
    if type(value) is dict:
        for name, item in value.items():
            kind = type(item)
            if kind is dict or kind is list:
                value[name] = freeze_owned(item)
        return MappingProxyType(value)
    if type(value) is list:
        return tuple([freeze_owned(item) if (kind := type(item)) is dict or kind is list else item for item in value])
    return value


def thaw(value: object, at: str) -> Any:
    """Copy a value out of a record that may be forged: read-only mappings become dicts and tuples become lists.

    The copy is bounded by the nesting, width and node limits of the profile, whatever a mapping claims about itself. It
    still has to be admitted.

    Raises:
        IdentityValidationError: ``strict_json`` or ``resource_limits``.
    """
    return _Thaw(at).copy(value, 1)


def bounded_members(holder: object, limit: int, at: str) -> dict[str, Any]:
    """Copy the members of an exact dict or read-only mapping, asking it for at most ``limit + 1`` of them.

    Raises:
        IdentityValidationError: ``resource_limits`` for more than ``limit`` members; ``strict_json`` for a name that is
            no exact text or comes twice, or when iterating a read-only mapping fails. An exception group, and anything
            that is no ``Exception``, passes through unchanged.
    """
    members: dict[str, Any] = {}
    for name, item in _pairs(holder, limit + 1, at):
        if type(name) is not str or name in members:
            raise refusal("strict_json", at, "unique member names of exact text", name)
        if len(members) == limit:
            raise IdentityValidationError(
                "resource_limits", path=at, expected=f"at most {limit} members", actual="more members"
            )
        members[name] = item
    return members


def _pairs(holder: object, limit: int, at: str) -> list[tuple[Any, Any]]:
    if type(holder) is dict:
        return list(islice(holder.items(), limit))
    assert type(holder) is MappingProxyType
    try:
        return [(name, item) for name, item in islice(holder.items(), limit)]
    except BaseExceptionGroup:
        raise
    except Exception:  # noqa: BLE001 - whatever a caller's mapping raises; none of it may be kept
        raise IdentityValidationError(
            "strict_json", path=at, expected="a mapping that can be read", actual="a mapping whose iteration failed"
        ) from None


class _Thaw:
    """One bounded copy of a record's value."""

    __slots__ = ("_at", "_nodes")

    def __init__(self, at: str) -> None:
        self._at = at
        self._nodes = 0

    def copy(self, value: object, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > IDENTITY_PROFILE.max_nodes or depth > IDENTITY_PROFILE.max_depth + 1:
            limits = f"at most {IDENTITY_PROFILE.max_nodes} nodes and {IDENTITY_PROFILE.max_depth} nested containers"
            raise IdentityValidationError("resource_limits", path=self._at, expected=limits, actual="more")
        if type(value) is dict or type(value) is MappingProxyType:
            members = bounded_members(value, IDENTITY_PROFILE.max_items, self._at)
            return {name: self.copy(item, depth + 1) for name, item in members.items()}
        if type(value) is list or type(value) is tuple:
            if len(value) > IDENTITY_PROFILE.max_items:
                limits = f"at most {IDENTITY_PROFILE.max_items} direct items"
                raise IdentityValidationError(
                    "resource_limits", path=self._at, expected=limits, actual=f"{len(value)} items"
                )
            return [self.copy(item, depth + 1) for item in value]
        return value
