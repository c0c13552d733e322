"""The vector language `operatebench.conformance.identity.v1`: one function for each kind of case."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from pydantic import Field

from ..errors import DocumentError, IdentityValidationError, describe
from ..identity import (
    ComponentIdentityV1,
    ValidatedIdentityManifest,
    evaluate_component_requirements,
    identity_diff,
    identity_to_json,
    recompute_bundle,
    recompute_component,
    recompute_manifest_digest,
    validate_identity_manifest,
)
from ..identity.admission import admit
from .forging import manifest_record, with_fields
from .judging import Outcome, judge
from .model import Strict, read_model, read_vector_file
from .ops import Op, apply
from .sealing import ManifestInput, documents

MAX_HEX_BYTES = 1_024
"""Canonical bytes up to this length are compared byte by byte, longer ones by length and digest."""


def run(document: object) -> list[Outcome]:
    """Run every case of a parsed file of this language, in order.

    Raises:
        DocumentError: ``vector_file``; see :func:`operatebench.conformance.model.read_vector_file`.
    """
    file = read_vector_file(document, KINDS)
    return [judge(case, KINDS[case.kind], IdentityValidationError) for case in file.cases]


class CanonicalInput(Strict):
    """Input of kind `canonical`: any value, admissible or not."""

    value: Any


def canonical(given: dict[str, Any]) -> dict[str, Any]:
    """Normalize a value and encode it: length and SHA-256 of the bytes, and the bytes themselves if they are few."""
    data = bytes(admit(read_model(CanonicalInput, given, "vector_case").value).canonical)
    result: dict[str, Any] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    if len(data) <= MAX_HEX_BYTES:
        result["canonical_utf8_hex"] = data.hex()
    return result


class AcceptInput(ManifestInput):
    """Input of kind `accept_manifest`: a manifest, and the component to show more of."""

    show: str | None = None


def accept_manifest(given: dict[str, Any]) -> dict[str, Any]:
    """Validate a well-made manifest: all 14 digests, and of the component to show its wrapper's bytes and its paths."""
    wanted = read_model(AcceptInput, given, "vector_case")
    accepted = _validate(documents(wanted))
    digests = {name: component.content_digest_sha256 for name, component in accepted.components.items()}
    digests |= {name: composite.bundle_digest_sha256 for name, composite in accepted.composites.items()}
    digests["manifest"] = accepted.manifest_digest_sha256
    result: dict[str, Any] = {"digests": digests}
    if wanted.show is not None:
        shown = identity_to_json(_member(accepted.components, wanted.show))
        wrapper = {"domain": shown["domain"], "schema": shown["schema"], "content": shown["owned_projection"]}
        result["shown_wrapper_utf8_hex"] = bytes(admit(wrapper).canonical).hex()
        result["shown_owned_fields"] = shown["owned_fields"]
    return result


class ValidateInput(ManifestInput):
    """Input of kind `validate`: a manifest, and edits on it, its census and its projections."""

    ops: list[Op]


def validate(given: dict[str, Any]) -> str:
    """Validate a manifest, census and projections after edits on any of them: the manifest digest."""
    wanted = read_model(ValidateInput, given, "vector_case")
    edited = documents(wanted)
    apply(wanted.ops, edited)
    return _validate(edited).manifest_digest_sha256


class ComponentInput(Strict):
    """Input of kind `component`: the three arguments of the construction, well formed or not."""

    name: Any
    owned_projection: Any
    requires: Any

    def build(self) -> ComponentIdentityV1:
        """Construct the component with the code under test."""
        return recompute_component(self.name, self.owned_projection, self.requires)


def component(given: dict[str, Any]) -> dict[str, Any]:
    """Construct one component: its content digest, and digest, bytes and nodes of its complete wire identity."""
    made = read_model(ComponentInput, given, "vector_case").build()
    identity = admit(identity_to_json(made)).canonical
    return {
        "content_digest_sha256": made.content_digest_sha256,
        "identity_sha256": identity.sha256(),
        "identity_bytes": identity.size,
        "identity_nodes": identity.nodes,
    }


class BundleInput(Strict):
    """Input of kind `bundle`: golden leaves by name, field overrides by leaf, raw entries, or another resolver."""

    name: Any
    leaves: list[str]
    forge: dict[str, dict[str, Any]] = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict)
    holder: Any = None


def bundle(given: dict[str, Any]) -> str:
    """Recompute a bundle from golden leaves, some forged, and extra entries, or from another holder: its digest."""
    wanted = read_model(BundleInput, given, "vector_case")
    if "holder" in wanted.model_fields_set:
        return recompute_bundle(wanted.name, wanted.holder).bundle_digest_sha256
    golden = documents(ManifestInput(base="golden"))["manifest"]["components"]
    leaves: dict[str, Any] = {}
    for name in wanted.leaves:
        wire = _member(golden, name)
        with _start():
            leaves[name] = recompute_component(name, wire["owned_projection"], wire["requires"])
    for name, fields in wanted.forge.items():
        leaves[name] = with_fields(_member(leaves, name), fields)
    return recompute_bundle(wanted.name, leaves | wanted.extra).bundle_digest_sha256


class ManifestDigestInput(Strict):
    """Input of kind `manifest_digest`: edits on the golden manifest."""

    ops: list[Op]


def manifest_digest(given: dict[str, Any]) -> str:
    """Hash the golden manifest after edits, without validating it: the manifest digest."""
    edited = {"manifest": documents(ManifestInput(base="golden"))["manifest"]}
    apply(read_model(ManifestDigestInput, given, "vector_case").ops, edited)
    return recompute_manifest_digest(edited["manifest"])


class ResolvedInput(Strict):
    """One resolved component: the key it stands under, how to construct it, and fields to write over."""

    key: Any
    component: ComponentInput
    forge: dict[str, Any] = Field(default_factory=dict)


class RequirementsInput(Strict):
    """Input of kind `requirements`: rows, and either components to construct or a raw value to hand over."""

    requirements: Any
    resolved: list[ResolvedInput] = Field(default_factory=list)
    resolved_raw: Any = None


def requirements(given: dict[str, Any]) -> dict[str, Any]:
    """Evaluate requirement rows against components, some forged, or against a raw value: the result record."""
    wanted = read_model(RequirementsInput, given, "vector_case")
    resolved = wanted.resolved_raw
    if "resolved_raw" not in wanted.model_fields_set:
        with _start():
            resolved = {each.key: with_fields(each.component.build(), each.forge) for each in wanted.resolved}
    result = dataclasses.asdict(evaluate_component_requirements(wanted.requirements, resolved))
    return {**result, "reasons": list(result["reasons"])}


class DiffSide(ManifestInput):
    """One side of a diff: a manifest, and edits on its validated record."""

    forge: list[Op] = Field(default_factory=list)


class DiffInput(Strict):
    """Input of kind `diff`."""

    old: DiffSide
    new: DiffSide


def diff(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare two validated manifests, forged afterwards or not: the mutation rows."""
    wanted = read_model(DiffInput, given, "vector_case")
    rows = identity_diff(_validated(wanted.old), _validated(wanted.new))
    return [{name: _plain(value) for name, value in dataclasses.asdict(row).items()} for row in rows]


def _validated(side: DiffSide) -> ValidatedIdentityManifest:
    """Validate one side, then forge its record if the case says so; a forged side may be no record at all any more."""
    start = documents(side)
    with _start():
        genuine = _validate(start)
    if not side.forge:
        return genuine
    forged = {"record": start["manifest"]}
    apply(side.forge, forged)
    record: ValidatedIdentityManifest = manifest_record(forged["record"])
    return record


def _validate(given: dict[str, Any]) -> ValidatedIdentityManifest:
    return validate_identity_manifest(given["manifest"], given["census"], given["projections"])


def _plain(value: Any) -> Any:
    return list(value) if type(value) is tuple else value


def _member(holder: Mapping[str, Any], name: str) -> Any:
    if name not in holder:
        raise DocumentError("vector_case", expected="the name of a component that is there", actual=describe(name))
    return holder[name]


@contextmanager
def _start() -> Iterator[None]:
    """Report a refusal of what a case starts from as a fault of the case: it is not the refusal under test."""
    try:
        yield
    except IdentityValidationError as refusal:
        expected = "a start that is accepted"
        raise DocumentError("vector_case", expected=expected, actual=f"refused with {refusal}") from None


KINDS: Mapping[str, Callable[[dict[str, Any]], Any]] = MappingProxyType(
    {
        "canonical": canonical,
        "accept_manifest": accept_manifest,
        "validate": validate,
        "component": component,
        "bundle": bundle,
        "manifest_digest": manifest_digest,
        "requirements": requirements,
        "diff": diff,
    }
)
"""Kind of case -> from the expanded input to the value that `expect.ok` must equal."""
