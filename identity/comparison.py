"""What moved between two validated manifests, for people: components, bundles, and paths that changed their owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .diff import identity_diff
from .reassigned import Reassigned, reassigned
from .records import ValidatedIdentityManifest


@dataclass(frozen=True, slots=True)
class MovedComponent:
    """One component that is another one.

    Attributes:
        component: its name.
        paths: what is different in it; empty for one that merely follows, because it requires another that moved.
    """

    component: str
    paths: tuple[str, ...]

    def to_wire(self) -> dict[str, Any]:
        """Return it as a fresh plain object."""
        return {"component": self.component, "paths": list(self.paths)}


@dataclass(frozen=True, slots=True)
class ManifestComparison:
    """One manifest beside another.

    Attributes:
        moved: components with another content, and those that follow, in registry order; empty if both are equal.
        bundles: names of the bundles that are others.
        reassigned: paths that belong to another component; if there are any, ``moved`` names no paths.
    """

    moved: tuple[MovedComponent, ...]
    bundles: tuple[str, ...]
    reassigned: tuple[Reassigned, ...]

    @classmethod
    def between(cls, old: ValidatedIdentityManifest, new: ValidatedIdentityManifest) -> ManifestComparison:
        """Compare two manifests."""
        if old.manifest_digest_sha256 == new.manifest_digest_sha256:
            return cls((), (), ())
        bundles = tuple(
            name
            for name, bundle in new.composites.items()
            if bundle.bundle_digest_sha256 != old.composites[name].bundle_digest_sha256
        )
        gone = reassigned(*({name: each.owned_fields for name, each in side.components.items()} for side in (old, new)))
        if gone:  # a diff of manifests refuses these
            names = (
                name
                for name, component in new.components.items()
                if component.content_digest_sha256 != old.components[name].content_digest_sha256
            )
            return cls(tuple(MovedComponent(name, ()) for name in names), bundles, gone)
        rows = identity_diff(old, new)
        return cls(tuple(MovedComponent(row.owner, row.changed_field_paths) for row in rows), bundles, ())

    @property
    def other_contents(self) -> tuple[str, ...]:
        """The components whose content is another one; one that follows has the same."""
        return tuple(row.component for row in self.moved if row.paths or self.reassigned)

    def to_wire(self) -> dict[str, Any]:
        """Return the comparison as a fresh plain object."""
        return {
            "equal": not self.moved,
            "moved": [row.to_wire() for row in self.moved],
            "bundles": list(self.bundles),
            "reassigned": [row._asdict() for row in self.reassigned],
        }
