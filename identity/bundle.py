"""Builds bundle identities from the complete identities of their members (identity contract, sections 7 and 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import IdentityValidationError
from .boundary import public
from .canonical import Canonical, array, mapping, scalar
from .component import VERSION, BuiltComponent, content_digest, rebuild_component, require_registered
from .records import ComponentIdentityV1, CompositeIdentityV1, bounded_members
from .refusal import refusal
from .registry import BUNDLES, COMPOSITE_IDENTITY_SCHEMA, IDENTITY_SCHEMA_VERSION, BundleSpec

_COMPOSITE_SCHEMA = scalar(COMPOSITE_IDENTITY_SCHEMA)


@dataclass(frozen=True, slots=True)
class BuiltBundle:
    """A bundle identity that this call has built itself.

    Attributes:
        spec: its registry entry.
        digest: its bundle digest.
        members: wire member name -> canonical bytes.
        identity: the whole wire record, composed of the members.
    """

    spec: BundleSpec
    digest: str
    members: Mapping[str, Canonical]
    identity: Canonical

    def record(self) -> CompositeIdentityV1:
        """Return the frozen record."""
        return CompositeIdentityV1(
            name=self.spec.name,
            domain=self.spec.domain,
            schema=COMPOSITE_IDENTITY_SCHEMA,
            schema_version=IDENTITY_SCHEMA_VERSION,
            members=self.spec.members,
            bundle_digest_sha256=self.digest,
        )


def build_bundles(components: Mapping[str, BuiltComponent], at: str) -> dict[str, BuiltBundle]:
    """Build every bundle whose leaves are all there, members before holders (section 7).

    Args:
        components: freshly built leaves.
        at: the place of the bundles, for the path of a refusal.

    Raises:
        IdentityValidationError: ``resource_limits`` if a digest wrapper is over the document limits.
    """
    identities = {name: component.identity for name, component in components.items()}
    bundles: dict[str, BuiltBundle] = {}
    for spec in BUNDLES.values():
        if not components.keys() >= set(spec.leaves):
            continue
        rows = array(mapping({"name": scalar(name), "identity": identities[name]}) for name in spec.members)
        digest = content_digest(spec.domain, _COMPOSITE_SCHEMA, mapping({"members": rows}), f"{at}/{spec.name}")
        members = {
            "bundle_digest_sha256": scalar(digest),
            "domain": scalar(spec.domain),
            "members": array(map(scalar, spec.members)),
            "schema": _COMPOSITE_SCHEMA,
            "schema_version": VERSION,
        }
        bundles[spec.name] = BuiltBundle(spec, digest, members, mapping(members))
        identities[spec.name] = bundles[spec.name].identity
    return bundles


@public
def recompute_bundle(
    name: str, resolved_member_identities: dict[str, ComponentIdentityV1] | MappingProxyType[str, ComponentIdentityV1]
) -> CompositeIdentityV1:
    """Compute the identity of one bundle from the complete identities of its leaves (section 8.3).

    Rules, in the order in which they are checked:

    * ``name`` is one of the two bundles;
    * the resolver is an exact dict or read-only mapping of exactly the 8 or 10 leaves; its width is checked before its
      values are touched, and a read-only mapping is asked for at most one entry too many;
    * every leaf is recomputed from its own fields and must be equal.

    The experiment bundle recomputes the runtime bundle from the same leaves; no supplied bundle record is accepted.

    Raises:
        IdentityValidationError: ``name``, ``leaf_closure``, ``leaf_identity`` or ``resource_limits``.
    """
    spec = BUNDLES[require_registered(name, BUNDLES)]
    return build_bundles(resolve_leaves(spec, resolved_member_identities), "resolver#")[spec.name].record()


def resolve_leaves(spec: BundleSpec, resolver: object) -> dict[str, BuiltComponent]:
    """Snapshot a resolver of exactly the bundle's leaves, then rebuild each leaf (8.3, steps 2 to 4).

    Raises:
        IdentityValidationError: ``leaf_closure`` or ``leaf_identity``.
    """
    expected = f"exactly the {len(spec.leaves)} leaves of {spec.name}"
    if type(resolver) is not dict and type(resolver) is not MappingProxyType:
        raise refusal("leaf_closure", "resolver#", expected, resolver)
    if type(resolver) is dict and len(resolver) != len(spec.leaves):
        raise refusal("leaf_closure", "resolver#", expected, resolver)
    try:
        leaves = bounded_members(resolver, len(spec.leaves), "resolver#")
    except IdentityValidationError as fault:
        raise IdentityValidationError(
            "leaf_closure", path="resolver#", expected=expected, actual=fault.actual
        ) from None
    missing = [name for name in spec.leaves if name not in leaves]
    if missing:
        raise IdentityValidationError(
            "leaf_closure", path="resolver#", expected=expected, actual="no " + ", no ".join(missing)
        )
    return {name: rebuild_component(leaves[name], name, "leaf_identity", f"resolver#/{name}") for name in spec.leaves}
