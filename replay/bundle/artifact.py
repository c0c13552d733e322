"""``artifact.json``: what a run bundle consists of and is bound to, as a frozen record that seals itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import orjson

from ...cards.form import require_form
from ...errors import BundleError, describe, pointer
from ...identity.admission import admit
from ...identity.labels import labelled_digest
from ...identity.records import freeze
from ...identity.strictjson import parse_json
from .contract import (
    ARTIFACT_PATH,
    ARTIFACT_PROFILE,
    ARTIFACT_RESOURCE,
    ARTIFACT_SCHEMA,
    ARTIFACT_SCHEMA_VERSION,
    AUTHORIZATION,
    MAX_ARTIFACT_BYTES,
    PLACES,
    SELF_DIGEST,
)

_AT = f"{ARTIFACT_PATH}#"


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a bundle.

    Attributes:
        role: what it is.
        path: where it is; it follows from the role, as the media type does.
        media_type: what it is written in.
        size: bytes of the file.
        digest_sha256: SHA-256 of the file, its last line feed included.
    """

    role: str
    path: str
    media_type: str
    size: int
    digest_sha256: str


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """What the ledger comes to; kept outside of it, so that a cut tail is seen even if the rest was closed anew."""

    lines: int
    rows: int
    head_digest_sha256: str
    merkle_root_sha256: str


@dataclass(frozen=True, slots=True)
class Writer:
    """What wrote a bundle, as it says itself. It is shown, and no check trusts it.

    Attributes:
        distribution: name of the distribution.
        version: its version.
        python: the interpreter.
        platform: the platform.
        dependencies: name -> version of what was installed.
        lock_digest_sha256: of the lock file; None when installed from a wheel.
        source_identity_digest_sha256: of the source that ran.
        spec_sha256: of the bytes of the spec; None for the packaged one.
    """

    distribution: str
    version: str
    python: str
    platform: str
    dependencies: Mapping[str, str]
    lock_digest_sha256: str | None
    source_identity_digest_sha256: str
    spec_sha256: str | None

    def __post_init__(self) -> None:
        """Keep a read-only copy of the dependencies."""
        object.__setattr__(self, "dependencies", MappingProxyType(dict(self.dependencies)))


@dataclass(frozen=True, slots=True)
class Artifact:
    """The contents list of a run bundle, of the right form and with the right digest.

    Attributes:
        track: the track of the run.
        members: all other files, by path.
        identity_manifest_digest_sha256: of the manifest.
        card_refs: a CardRef each for operation, semantic_scenario and variant.
        ledger: what the ledger comes to.
        runtime_evidence_digest_sha256: of the evidence.
        evaluation_digest_sha256: of the evaluation.
        writer: what wrote the bundle.
        authorization_digest_sha256: of the authorization that the run used; None if it used none.
        artifact_digest_sha256: of all the other members under their label.
    """

    track: str
    members: tuple[Member, ...]
    identity_manifest_digest_sha256: str
    card_refs: Mapping[str, Mapping[str, str]]
    ledger: LedgerFacts
    runtime_evidence_digest_sha256: str
    evaluation_digest_sha256: str
    writer: Writer
    authorization_digest_sha256: str | None
    artifact_digest_sha256: str

    @classmethod
    def seal(
        cls,
        *,
        track: str,
        members: tuple[Member, ...],
        identity_manifest_digest_sha256: str,
        card_refs: Mapping[str, Mapping[str, str]],
        ledger: LedgerFacts,
        runtime_evidence_digest_sha256: str,
        evaluation_digest_sha256: str,
        writer: Writer,
        authorization_digest_sha256: str | None = None,
    ) -> Self:
        """Return the artifact of these contents, with its digest.

        Raises:
            BundleError: ``artifact_json``, ``artifact_limits``, ``artifact_shape`` or ``artifact_members``.
        """
        open_artifact = cls(
            track=track,
            members=members,
            identity_manifest_digest_sha256=identity_manifest_digest_sha256,
            card_refs=card_refs,
            ledger=ledger,
            runtime_evidence_digest_sha256=runtime_evidence_digest_sha256,
            evaluation_digest_sha256=evaluation_digest_sha256,
            writer=writer,
            authorization_digest_sha256=authorization_digest_sha256,
            artifact_digest_sha256="0" * 64,
        )
        wire = open_artifact.to_wire()
        wire[SELF_DIGEST] = _digest(wire)
        return cls._of(admit(wire, ARTIFACT_PROFILE, at=_AT).value)

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Read an artifact from the bytes of its file.

        Raises:
            BundleError: the first rule it breaks: generation, strict JSON, form, canonical form, members, digest.
        """
        require_generation(text, _AT)
        admitted = parse_json(text, ARTIFACT_PROFILE, at=_AT)
        artifact = cls._of(admitted.value)
        if bytes(admitted.canonical) + b"\n" != text:
            expected = "canonical JSON and one line feed"
            raise BundleError("artifact_canonical", path=_AT, expected=expected, actual="other bytes")
        digest = _digest(admitted.value)
        if artifact.artifact_digest_sha256 != digest:
            stated = artifact.artifact_digest_sha256
            raise BundleError("artifact_digest", path=f"{_AT}/{SELF_DIGEST}", expected=digest, actual=stated)
        return artifact

    @classmethod
    def _of(cls, wire: dict[str, Any]) -> Self:
        require_form(wire, _AT, partial(BundleError.found, "artifact_shape"), ARTIFACT_RESOURCE)
        members = tuple(Member(**member) for member in wire["members"])
        _require_members(members, authorized=wire["authorization_digest_sha256"] is not None)
        names = {field.name for field in fields(cls)} - {"members", "ledger", "writer", "card_refs"}
        return cls(
            members=members,
            ledger=LedgerFacts(**wire["ledger"]),
            writer=Writer(**wire["writer"]),
            card_refs=freeze(wire["card_refs"]),
            **{name: wire[name] for name in names},
        )

    def member(self, role: str) -> Member:
        """Return the member of a role."""
        return next(member for member in self.members if member.role == role)

    def to_wire(self) -> dict[str, Any]:
        """Return the artifact as fresh plain JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            "schema": ARTIFACT_SCHEMA,
            "schema_version": ARTIFACT_SCHEMA_VERSION,
            **plain,
            "members": [_plain(member) for member in self.members],
            "card_refs": {role: dict(reference) for role, reference in self.card_refs.items()},
            "ledger": _plain(self.ledger),
            "writer": {**_plain(self.writer), "dependencies": dict(self.writer.dependencies)},
        }

    def to_bytes(self) -> bytes:
        """Return the file: canonical JSON and one line feed."""
        return bytes(admit(self.to_wire(), ARTIFACT_PROFILE, at=_AT).canonical) + b"\n"


def require_generation(text: bytes, at: str) -> None:
    """Refuse the artifact of another generation, whatever else it holds; what is no artifact at all passes.

    Args:
        text: read as it comes: earlier generations had fractions, and are named only. No artifact is longer than
            ``MAX_ARTIFACT_BYTES``, and a longer text is not read.
        at: where the artifact is.

    Raises:
        BundleError: ``artifact_generation``.
    """
    if len(text) > MAX_ARTIFACT_BYTES:
        return
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    if type(value) is not dict:
        return
    expected = f"{ARTIFACT_SCHEMA}, version {ARTIFACT_SCHEMA_VERSION}"
    # Generations up to 8 were one file that stated its version so.
    if "artifact_version" in value:
        actual = f"artifact_version {describe(value['artifact_version'])}"
        raise BundleError("artifact_generation", path=f"{at}/artifact_version", expected=expected, actual=actual)
    schema, version = value.get("schema"), value.get("schema_version")
    is_other = schema != ARTIFACT_SCHEMA or type(version) is not int or version != ARTIFACT_SCHEMA_VERSION
    if type(schema) is str and schema.startswith("operatebench.artifact.") and is_other:
        actual = f"{describe(schema)}, version {describe(version)}"
        raise BundleError("artifact_generation", path=f"{at}/schema", expected=expected, actual=actual)


def _digest(wire: Mapping[str, Any]) -> str:
    """Return the digest that an artifact should carry (replay contract, section 1)."""
    content = {name: value for name, value in wire.items() if name != SELF_DIGEST}
    return labelled_digest("artifact.v9", admit(content, ARTIFACT_PROFILE, at=_AT).canonical)


def _require_members(members: tuple[Member, ...], *, authorized: bool) -> None:
    """Refuse a list that is not every role once, in order of path, each with what follows from its role."""
    places = {role: place for role, place in PLACES.items() if authorized or role != AUTHORIZATION}
    if len(members) != len(places):
        expected = f"the {len(places)} members of a bundle with{'' if authorized else 'out'} an authorization"
        raise BundleError("artifact_members", path=f"{_AT}/members", expected=expected, actual=f"{len(members)}")
    for index, (member, (role, place)) in enumerate(zip(members, places.items(), strict=True)):
        for name, wanted in (("role", role), ("path", place.path), ("media_type", place.media_type)):
            if getattr(member, name) != wanted:
                raise _refused("artifact_members", index, name, wanted, getattr(member, name))
        if member.size > place.limit:
            raise _refused("artifact_members", index, "size", f"at most {place.limit}", str(member.size))


def _refused(code: str, index: int, name: str, expected: str, actual: str) -> BundleError:
    return BundleError(code, path=_AT + pointer("members", index, name), expected=expected, actual=actual)


def _plain(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
