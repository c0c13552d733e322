"""Shows a manifest as a tree, and the difference of two as what moved and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import escape
from ..identity import OwnedMutation, RequirementV1, ValidatedIdentityManifest, identity_diff
from ..identity.records import thaw
from ..identity.registry import BUNDLES, COMPONENTS

_SHORT = 12
_WIDTH = max(map(len, COMPONENTS))


def short(digest: str) -> str:
    """Return the first twelve hexadecimal characters of a digest: enough for people, never for programs."""
    return digest[:_SHORT]


def requirement_text(requirement: RequirementV1) -> str:
    """Say in a few words what a requirement asks of its component."""
    compatible = requirement.compatible
    if compatible["kind"] == "exact_digest":
        return f"exact {short(compatible['content_digest_sha256'])}"
    if compatible["kind"] == "closed_schema_version_range":
        return f"versions {compatible['minimum_schema_version']}..{compatible['maximum_schema_version']}"
    return f"predicate {escape(compatible['predicate'])} {compatible['predicate_version']}"


def manifest_tree(manifest: ValidatedIdentityManifest) -> list[str]:
    """Return a manifest in indented lines: components in registry order with what they require, then bundles."""
    lines = [f"manifest {manifest.manifest_digest_sha256}", "", "components"]
    for component in manifest.components.values():
        fields = len(component.owned_fields)
        count = f"{fields} field" if fields == 1 else f"{fields} fields"
        lines.append(f"  {component.name:<{_WIDTH}}  {short(component.content_digest_sha256)}  {count}")
        lines += [
            f"    requires {requirement.component:<{_WIDTH}}  {requirement_text(requirement)}"
            for requirement in component.requires
        ]
    lines += ["", "bundles"]
    for bundle in manifest.composites.values():
        lines.append(f"  {bundle.name:<{_WIDTH}}  {short(bundle.bundle_digest_sha256)}")
        lines += [f"    {member}" for member in bundle.members]
    return lines


def manifest_json(manifest: ValidatedIdentityManifest) -> dict[str, Any]:
    """Return what the tree shows as a plain object, digests in full."""
    return {
        "consistent_in_itself": True,
        "compared_with_independent_projections": False,
        "manifest_digest_sha256": manifest.manifest_digest_sha256,
        "components": [
            {
                "name": component.name,
                "content_digest_sha256": component.content_digest_sha256,
                "fields": len(component.owned_fields),
                "requires": [
                    {"component": requirement.component, "compatible": thaw(requirement.compatible, "")}
                    for requirement in component.requires
                ],
            }
            for component in manifest.components.values()
        ],
        "composites": [
            {
                "name": bundle.name,
                "bundle_digest_sha256": bundle.bundle_digest_sha256,
                "members": list(bundle.members),
            }
            for bundle in manifest.composites.values()
        ],
    }


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two manifests.

    Attributes:
        old: the manifest before.
        new: the manifest after.
        moved: rows of owners whose own fields changed.
        follows: rows of owners of which only requirements changed.
    """

    old: ValidatedIdentityManifest
    new: ValidatedIdentityManifest
    moved: tuple[OwnedMutation, ...]
    follows: tuple[OwnedMutation, ...]

    @classmethod
    def between(cls, old: ValidatedIdentityManifest, new: ValidatedIdentityManifest) -> Difference:
        """Compare two manifests.

        Raises:
            IdentityValidationError: ``diff_reassignment`` if a path has another owner.
        """
        rows = identity_diff(old, new)
        moved = tuple(row for row in rows if row.changed_field_paths)
        return cls(old, new, moved, tuple(row for row in rows if not row.changed_field_paths))

    @property
    def identical(self) -> bool:
        """Whether nothing moved at all."""
        return self.old.manifest_digest_sha256 == self.new.manifest_digest_sha256

    def lines(self) -> list[str]:
        """Return the difference in lines for people."""
        old, new = self.old.manifest_digest_sha256, self.new.manifest_digest_sha256
        if self.identical:
            return [f"identical: manifest {old}"]
        lines: list[str] = []
        if self.moved:
            lines.append("moved")
        for row in self.moved:
            arrow = _arrow(row.old_content_digest_sha256, row.new_content_digest_sha256)
            lines.append(f"  {row.owner:<{_WIDTH}}  {arrow}")
            lines += [f"    {self._change(row.owner, path)} {escape(path, 1_024)}" for path in row.changed_field_paths]
            lines += self._requirements(row)
        if self.follows:
            lines.append("follows")
        for row in self.follows:
            lines.append(f"  {row.owner}")
            lines += self._requirements(row)
        lines.append("bundles")
        for name, (before, after) in self._bundles().items():
            lines.append(f"  {name:<{_WIDTH}}  {'unchanged' if before == after else _arrow(before, after)}")
        return [*lines, f"manifest {old} -> {new}"]

    def to_json(self) -> dict[str, Any]:
        """Return the difference as a fresh plain object."""
        return {
            "identical": self.identical,
            "old_manifest_digest_sha256": self.old.manifest_digest_sha256,
            "new_manifest_digest_sha256": self.new.manifest_digest_sha256,
            "moved": [asdict(row) for row in self.moved],
            "follows": [asdict(row) for row in self.follows],
            "composites": [
                {"name": name, "old_bundle_digest_sha256": before, "new_bundle_digest_sha256": after}
                for name, (before, after) in self._bundles().items()
                if before != after
            ],
        }

    def _change(self, owner: str, path: str) -> str:
        if path not in self.old.components[owner].owned_projection:
            return "added  "
        return "changed" if path in self.new.components[owner].owned_projection else "removed"

    def _requirements(self, row: OwnedMutation) -> list[str]:
        """Return a line for each requirement of an owner that changed: what it asked before and asks now."""
        lines = []
        new = {requirement.component: requirement for requirement in self.new.components[row.owner].requires}
        for old in self.old.components[row.owner].requires:
            if old.component in row.changed_requirement_components:
                change = f"{requirement_text(old)} -> {requirement_text(new[old.component])}"
                lines.append(f"    requires {old.component:<{_WIDTH}}  {change}{self._stillness(old.component)}")
        return lines

    def _stillness(self, component: str) -> str:
        """Remark that a requirement changed although the component it names did not."""
        before, after = (side.components[component].content_digest_sha256 for side in (self.old, self.new))
        return "  (which did not move)" if before == after else ""

    def _bundles(self) -> Mapping[str, tuple[str, str]]:
        return {
            name: (self.old.composites[name].bundle_digest_sha256, self.new.composites[name].bundle_digest_sha256)
            for name in BUNDLES
        }


def _arrow(old: str, new: str) -> str:
    return f"{short(old)} -> {short(new)}"
