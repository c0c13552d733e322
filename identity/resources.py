"""Loads the packaged schemas, registries and golden vectors, each pinned by SHA-256 (identity contract, section 15).

Rules:

* reads are bounded: 64 KiB at a time, 128 of them, 4 MiB in all; the stream is closed exactly once, always;
* the first failure wins over a failure to close; only operating system errors are translated;
* the pin is checked before the bytes are parsed; numbers with a fraction or exponent are refused, even ``1.0``;
* the two registries must be equal to the ones this code is written for;
* what a loader returns is a fresh plain object at every call.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import IO, Any

import orjson

from ..errors import IdentityValidationError
from .boundary import public
from .canonical import encode
from .profile import IDENTITY_PROFILE, Profile
from .refusal import refusal
from .registry import BUNDLES, COMPONENT_IDENTITY_SCHEMA, COMPONENTS, COMPOSITE_IDENTITY_SCHEMA, compatibility_contract
from .strictjson import parse_json

MAX_IDENTITY_RESOURCE_BYTES = 4 * 1024 * 1024
MAX_IDENTITY_RESOURCE_READ_CALLS = 128
_CHUNK = 64 * 1024

_PACKAGE = __name__.rpartition(".identity.")[0]
_RESOURCE_PROFILE = replace(IDENTITY_PROFILE, integral_floats=False)


@dataclass(frozen=True, slots=True)
class PinnedResource:
    """A packaged file: its folder in the package, its name, the SHA-256 of its bytes, and the profile it keeps."""

    folder: str
    name: str
    sha256: str
    profile: Profile = field(default=_RESOURCE_PROFILE, compare=False)


MANIFEST_SCHEMA = PinnedResource(
    "schemas",
    "identity-manifest-v1.schema.json",
    "2cc36cdffa5baa5218aabfd60ac3f84295dfb35b2ca48824b2ffb934594b151c",
)
CENSUS_SCHEMA = PinnedResource(
    "schemas",
    "identity-manifest-projection-census-v1.schema.json",
    "cb4201b75cd6f8ca30d52a01e73d030bb87b86e42697e8a433c9245d2c480e2d",
)
COMPONENT_REGISTRY = PinnedResource(
    "schemas",
    "identity-component-registry-v1.json",
    "852690707e5864ba3d15591094a9c1872dbce2ec4458483c2523ea554553db5f",
)
COMPATIBILITY_REGISTRY = PinnedResource(
    "schemas",
    "identity-compatibility-v1.registry.json",
    "bcb84fdac5a545e34f002113eed1ac7231d7387c0cd61a6043acc6895282ba44",
)
GOLDEN_VECTORS = PinnedResource(
    "vectors/identity",
    "identity-manifest-digest-v1.golden.json",
    "01bceeb07cf195415d519f570e13c697b80f0c4ab4ae7945763fcc1a83225948",
)


def load_identity_schema() -> dict[str, Any]:
    """Return the JSON Schema of the manifest. Refused with ``resource_…`` if it is not the pinned one."""
    return load_pinned(MANIFEST_SCHEMA)


def load_identity_manifest_projection_census_schema() -> dict[str, Any]:
    """Return the JSON Schema of the census. Refused with ``resource_…`` if it is not the pinned one."""
    return load_pinned(CENSUS_SCHEMA)


def load_component_registry() -> dict[str, Any]:
    """Return the component registry. Refused with ``resource_…`` if it is not the frozen one."""
    return load_pinned(COMPONENT_REGISTRY)


def load_compatibility_registry() -> dict[str, Any]:
    """Return the compatibility registry. Refused with ``resource_…`` if it is not the frozen one."""
    return load_pinned(COMPATIBILITY_REGISTRY)


def load_identity_golden_vectors() -> dict[str, Any]:
    """Return the golden vectors. Refused with ``resource_…`` if they are not the pinned ones."""
    return load_pinned(GOLDEN_VECTORS)


@public
def load_pinned(resource: PinnedResource) -> dict[str, Any]:
    """Return a fresh plain copy of a packaged document.

    Raises:
        IdentityValidationError: ``resource_unavailable``, ``resource_pin`` or ``resource_content``; an error of the
            operating system is its cause.
    """
    document: dict[str, Any] = orjson.loads(_verified(resource))
    return document


@cache
def _verified(resource: PinnedResource) -> bytes:
    """Return the bytes of a resource that is the pinned and, for a registry, the frozen one."""
    data = read_resource(resource)
    found = hashlib.sha256(data).hexdigest()
    if found != resource.sha256:
        raise IdentityValidationError("resource_pin", path=resource.name, expected=resource.sha256, actual=found)
    document = parse_json(data, resource.profile)
    frozen = {COMPONENT_REGISTRY: _component_registry, COMPATIBILITY_REGISTRY: _compatibility_registry}.get(resource)
    if type(document.value) is not dict:
        raise refusal("resource_content", resource.name, "an object", document.value)
    if frozen is not None and bytes(document.canonical) != encode(frozen(), resource.profile):
        raise refusal("resource_content", resource.name, "the frozen registry", document.value)
    return data


def _component_registry() -> dict[str, Any]:
    version = {"schema_version": 1}
    return {
        "schema": "operatebench.identity_component_registry.v1",
        **version,
        "components": [
            {
                "name": spec.name,
                "domain": spec.domain,
                "schema": COMPONENT_IDENTITY_SCHEMA,
                **version,
                "requires": list(spec.requires),
            }
            for spec in COMPONENTS.values()
        ],
        "composites": [
            {
                "name": spec.name,
                "domain": spec.domain,
                "schema": COMPOSITE_IDENTITY_SCHEMA,
                **version,
                "members": list(spec.members),
            }
            for spec in BUNDLES.values()
        ],
    }


def _compatibility_registry() -> dict[str, Any]:
    return {
        "schema": "operatebench.identity_compatibility_registry.v1",
        "schema_version": 1,
        "contract": compatibility_contract(),
        "reason_codes": [],
    }


def read_resource(resource: PinnedResource) -> bytes:
    """Read a packaged file whole.

    Raises:
        IdentityValidationError: ``resource_unavailable`` if the package or file cannot be read, or reading breaks a
            bound.
    """
    try:
        folder = files(f"{_PACKAGE}.{resource.folder.partition('/')[0]}")
    except ImportError as fault:
        raise _unavailable(resource, "an installed package") from fault
    try:
        stream = folder.joinpath(*resource.folder.split("/")[1:], resource.name).open("rb")
    except OSError as fault:
        raise _unavailable(resource, "a readable file") from fault
    return _read_and_close(resource, stream)


def _read_and_close(resource: PinnedResource, stream: IO[bytes]) -> bytes:
    try:
        data = _read(resource, stream)
    except BaseException as first:
        with suppress(BaseException):  # the first failure is the one to report
            stream.close()
        if isinstance(first, OSError):
            raise _unavailable(resource, "a readable file") from first
        raise
    try:
        stream.close()
    except BaseExceptionGroup:
        raise
    except Exception as fault:
        raise _unavailable(resource, "a file that can be closed") from fault
    return data


def _read(resource: PinnedResource, stream: IO[bytes]) -> bytes:
    chunks: list[bytes] = []
    size = 0
    for _ in range(MAX_IDENTITY_RESOURCE_READ_CALLS):
        wanted = min(_CHUNK, MAX_IDENTITY_RESOURCE_BYTES + 1 - size)
        chunk = stream.read(wanted)
        if type(chunk) is not bytes:
            raise _unavailable(resource, "bytes") from TypeError("a read returned something else than bytes")
        if not chunk:
            return b"".join(chunks)
        if len(chunk) > wanted:
            raise _unavailable(resource, f"at most {wanted} bytes a read") from ValueError("a read returned too much")
        size += len(chunk)
        if size > MAX_IDENTITY_RESOURCE_BYTES:
            raise _unavailable(resource, f"at most {MAX_IDENTITY_RESOURCE_BYTES} bytes")
        chunks.append(chunk)
    raise _unavailable(resource, f"at most {MAX_IDENTITY_RESOURCE_READ_CALLS} reads")


def _unavailable(resource: PinnedResource, expected: str) -> IdentityValidationError:
    return IdentityValidationError("resource_unavailable", path=resource.name, expected=expected, actual="none")
