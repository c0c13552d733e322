"""Refusals of the Identity Manifest v1 contract."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class IdentityValidationError(OperateBenchError, ValueError):
    """A value, record or document breaks the Identity Manifest v1 contract.

    The codes are the stage labels of the identity contract, section 20, in the order in which a manifest meets them,
    then those of the other functions.
    """

    codes = MappingProxyType(
        {
            "root_type": ("A root is not an exact plain object.", "Pass a plain JSON object."),
            "root_cardinality": (
                "A root has the wrong number of members.",
                "Compare the member names with the contract's record.",
            ),
            "strict_json": (
                "The value lies outside the strict JSON profile.",
                "Use null, booleans, integers within ±(2^53-1), clean Unicode text, arrays, objects with unique names.",
            ),
            "resource_limits": (
                "The input is over a fixed limit.",
                "Split or shorten the input; the limits are in docs/IDENTITY_REPLAY_RFC.md.",
            ),
            "map_cardinality": (
                "A map has the wrong number of entries.",
                "Give exactly the eleven components and two bundles.",
            ),
            "projection_shape": (
                "A projection is not a plain object with text names and at most 4,096 fields.",
                "Give a flat object of field path to value.",
            ),
            "census_b1_scope": (
                "A B1 card census was given; its scope is insufficient for a manifest.",
                "Give the manifest-projection census, for example the one `operatebench manifest build` writes.",
            ),
            "census_keys": (
                "The census does not have exactly its five members.",
                "Rebuild the census from the projections.",
            ),
            "census_header": (
                "The census names another schema, version or manifest schema.",
                "Rebuild the census with this version of the toolkit.",
            ),
            "census_owners": (
                "The census does not list all eleven owners in registry order.",
                "List the eleven component names in registry order.",
            ),
            "census_entries": ("The census entries are not an array.", "Give an array of rows."),
            "census_entry": (
                "A census row is not exactly {field_path, owner}.",
                "Give each row exactly these two members.",
            ),
            "census_owner_unknown": (
                "A census row names an owner that is no component.",
                "Name one of the eleven components; bundles own nothing.",
            ),
            "field_path": (
                "A field path breaks the grammar.",
                "Start with '/', leave no token empty, write '~' as '~0', '/' as '~1', and use no '*'.",
            ),
            "census_duplicate": ("A field path is owned twice.", "Give every path exactly one owner."),
            "census_order": (
                "The census rows are not sorted by owner, then path.",
                "Sort rows by registry order of the owner, then by code point of the path.",
            ),
            "manifest_keys": (
                "The manifest does not have exactly its six members.",
                "Compare the member names with the contract's record.",
            ),
            "manifest_header": (
                "The manifest names another schema or version.",
                "Use a toolkit of the matching version, or rebuild the manifest.",
            ),
            "map_type": ("Components or composites are not an object.", "Give an object of name to record."),
            "map_names": (
                "A map does not hold exactly the registered names.",
                "Give exactly the eleven components and two bundles.",
            ),
            "compatibility_contract": (
                "The compatibility contract differs from the frozen one.",
                "Copy the contract of the packaged registry.",
            ),
            "ownership_join": (
                "Census, independent projection and serialized component disagree.",
                "If the source moved on purpose, rebuild manifest and census; else find out who changed the manifest.",
            ),
            "component_keys": (
                "A serialized component does not have exactly its eight members.",
                "Compare the member names with the contract's record.",
            ),
            "requirement_shape": (
                "A requirement row is malformed or not the registered one.",
                "Give the registered dependencies in registry order, each of one known kind.",
            ),
            "component_identity": (
                "A component record differs from the one recomputed from its fields.",
                "Rebuild the manifest from its sources.",
            ),
            "requirement_digest": (
                "A component requires a digest that its dependency no longer has.",
                "Rebuild the manifest, or review why the dependency moved.",
            ),
            "requirement_range": (
                "A component requires a schema version its dependency does not have.",
                "Widen the range, or use a matching dependency.",
            ),
            "requirement_named": (
                "A named predicate is required, and version 1 knows none.",
                "Use an exact digest or a version range.",
            ),
            "composite_identity": (
                "A bundle record differs from the one recomputed from its members.",
                "Rebuild the manifest from its sources.",
            ),
            "manifest_digest": (
                "The manifest's own digest is not the digest of its content.",
                "Rebuild the manifest; never edit one by hand.",
            ),
            "name": ("The name is not a registered component or bundle.", "Use a name of the component registry."),
            "leaf_closure": (
                "The members given are not exactly the bundle's leaves.",
                "Give every leaf of the bundle once, and nothing else.",
            ),
            "leaf_identity": (
                "A member record is not a valid component identity.",
                "Recompute the component; do not edit records.",
            ),
            "record_type": (
                "The value is no identity record that has a JSON form.",
                "Pass a component or composite record of this package.",
            ),
            "requirements_type": ("The requirements are not an array.", "Pass an array of requirement rows."),
            "resolved_type": (
                "The resolved components are not a plain object.",
                "Pass a dict of component name to record.",
            ),
            "resolved_names": (
                "A resolved name is not a registered component.",
                "Use component names only, at most eleven.",
            ),
            "resolved_record": (
                "A resolved record is not the valid identity of its name.",
                "Recompute the component; do not edit records.",
            ),
            "requirement_component": (
                "A requirement names something that is no registered component.",
                "Name one of the eleven components; bundles cannot be required.",
            ),
            "diff_input": ("The diff takes exactly two validated manifests.", "Validate both manifests first."),
            "diff_envelope": (
                "A validated manifest's own schema, version or digest field was changed.",
                "Validate the manifest again.",
            ),
            "diff_registry_order": (
                "A validated manifest's maps are not in registry order.",
                "Validate the manifest again.",
            ),
            "diff_component": (
                "A validated manifest holds a component that does not recompute.",
                "Validate the manifest again.",
            ),
            "diff_duplicate_owner": (
                "A field path has two owners inside one manifest.",
                "Validate the manifest again.",
            ),
            "diff_composite": (
                "A validated manifest holds a bundle that does not recompute.",
                "Validate the manifest again.",
            ),
            "diff_reassignment": (
                "A field path moved to another owner, which no mutation row can express.",
                "Treat the two manifests as different designs; give the path a new name.",
            ),
            "resource_unavailable": ("A packaged resource could not be read whole.", "Reinstall the package."),
            "resource_pin": (
                "A packaged resource is not the pinned one.",
                "Reinstall the package; do not edit its files.",
            ),
            "resource_content": (
                "A packaged resource is not the frozen registry it should be.",
                "Reinstall the package.",
            ),
        }
    )
