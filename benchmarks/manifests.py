"""Figures of the manifest validator: against the straight way, `json.loads`, and itself at other sizes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from statistics import median
from typing import Any

import jsonschema
import referencing
import rfc8785

from operatebench.identity import (
    load_identity_manifest_projection_census_schema,
    load_identity_schema,
    validate_identity_manifest,
)
from operatebench.identity.registry import (
    BUNDLES,
    COMPONENT_IDENTITY_SCHEMA,
    COMPONENTS,
    COMPOSITE_IDENTITY_SCHEMA,
    IDENTITY_MANIFEST_SCHEMA,
    MANIFEST_DIGEST_DOMAIN,
)
from operatebench.identity.strictjson import parse_json

from .figures import Measurement, at_least, at_most, figure
from .measure import compare, time_ms
from .samples import ManifestSample, manifest_sample

NEAR_LIMIT = (3_784_000, 61_600)
"""Bytes and nodes when every component fills its limits of 344,064 bytes and 5,600 nodes."""

LINEAR_SIZES = (10_000, 80_000, 300_000, 1_000_000, 3_784_000)
"""Bytes of the manifests whose cost per byte is compared; all have as many bytes a node as the biggest."""


@cache
def near_limit() -> ManifestSample:
    """Return the biggest manifest there can be, nearly."""
    return manifest_sample("manifest, every component near its limits", *NEAR_LIMIT)


def validation(manifest: ManifestSample) -> Callable[[], object]:
    """Return a call that validates the texts of ``manifest``, each parsed on its own: nothing is shared."""
    texts = (manifest.manifest, manifest.census, manifest.projections)
    roots = [parse_json(text.data).value for text in texts]
    return lambda: validate_identity_manifest(*roots)


class StraightWay:
    """The same work with the named packages: parse, check against the schemas, hash, compare."""

    def __init__(self) -> None:
        self._manifest, self._census = (
            jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
            for schema in (load_identity_schema(), load_identity_manifest_projection_census_schema())
        )

    def __call__(self, sample: ManifestSample) -> dict[str, str]:
        """Validate the three texts and return the fourteen digests by name; the manifest's is named ``manifest``.

        Raises:
            ValueError: a schema refuses its document, or a digest of the manifest is not the recomputed one.
        """
        manifest = json.loads(sample.manifest.data)
        census = json.loads(sample.census.data)
        projections = json.loads(sample.projections.data)
        self._manifest.validate(manifest)
        self._census.validate(census)
        records = manifest["components"] | manifest["composites"]
        digests = {
            name: _digest(spec.domain, COMPONENT_IDENTITY_SCHEMA, projections[name])
            for name, spec in COMPONENTS.items()
        }
        for name, bundle in BUNDLES.items():
            members = [{"name": member, "identity": records[member]} for member in bundle.members]
            digests[name] = _digest(bundle.domain, COMPOSITE_IDENTITY_SCHEMA, {"members": members})
        content = {name: value for name, value in manifest.items() if name != "manifest_digest_sha256"}
        digests["manifest"] = _digest(MANIFEST_DIGEST_DOMAIN, IDENTITY_MANIFEST_SCHEMA, content)
        claimed = {name: records[name]["content_digest_sha256"] for name in COMPONENTS}
        claimed |= {name: records[name]["bundle_digest_sha256"] for name in BUNDLES}
        claimed["manifest"] = manifest["manifest_digest_sha256"]
        if digests != claimed:
            raise ValueError("a digest of the manifest is not the recomputed one")
        return digests


def _digest(domain: str, schema: str, content: Any) -> str:
    return hashlib.sha256(rfc8785.dumps({"domain": domain, "schema": schema, "content": content})).hexdigest()


@figure("manifest-text-300k", at_least(25), rounds=9)
def manifest_text_300k(rounds: int) -> Measurement:
    """Validate a 300 KB manifest from its three texts, everything recomputed: times faster than the straight way.

    That is json.loads, jsonschema with both schemas, and rfc8785 with SHA-256 for the same fourteen digests.
    """
    sample = manifest_sample("manifest with census and projections, three texts", 304_000, 9_900)
    texts = (sample.manifest, sample.census, sample.projections)
    straight = StraightWay()
    return compare(
        lambda: validate_identity_manifest(*[parse_json(text.data).value for text in texts]),
        lambda: straight(sample),
        reference="json.loads + jsonschema (prebuilt, empty registry) + rfc8785",
        rounds=rounds,
        samples=texts,
        inverted=True,
    )


@figure("manifest-near-limit", at_most(4.0), rounds=15)
def manifest_near_limit(rounds: int) -> Measurement:
    """Validate a parsed manifest near every limit, against json.loads of the manifest's text alone."""
    sample = near_limit()
    return compare(
        validation(sample),
        partial(json.loads, sample.manifest.data),
        reference="json.loads of the manifest",
        rounds=rounds,
        samples=(sample.manifest, sample.census, sample.projections),
    )


@figure("manifest-linear", at_most(2.0), rounds=11)
def manifest_linear(rounds: int) -> Measurement:
    """Validate manifests from 10 KB to near the limit: biggest rise of time per byte from one size to any larger one.

    Fixed costs make the small ones dearer per byte and cannot hide a rise; work that grows with the square of the size
    would show as a rise of hundreds.
    """
    size, nodes = NEAR_LIMIT
    samples = [manifest_sample("manifest", wanted, wanted * nodes // size) for wanted in LINEAR_SIZES]
    calls = [validation(sample) for sample in samples]
    sizes = [len(sample.manifest.data) for sample in samples]
    for call in calls:
        call()  # warm up
    repeats = [1 + LINEAR_SIZES[2] // size for size in sizes]  # small ones are too quick to be timed once
    costs = [
        [time_ms(call, times) * 1e6 / size for call, times, size in zip(calls, repeats, sizes, strict=True)]
        for _ in range(rounds)
    ]  # ns per byte, by round and size
    rises = [largest_rise(row) for row in costs]
    return Measurement(
        reference="itself at smaller sizes",
        ratios=tuple(rise for rise, _, _ in rises),
        ours=tuple(after for _, _, after in rises),
        theirs=tuple(before for _, before, _ in rises),
        unit="ns per byte",
        samples=tuple(sample.manifest for sample in samples),
        details={f"ns per byte at {size}": median(row) for size, *row in zip(sizes, *costs, strict=True)},
    )


def largest_rise(costs: list[float]) -> tuple[float, float, float]:
    """Return the largest quotient of a cost by an earlier one, that earlier cost, and the later one."""
    lowest = costs[0]
    best = (0.0, lowest, lowest)
    for before, cost in pairwise(costs):
        lowest = min(lowest, before)
        best = max(best, (cost / lowest, lowest, cost))
    return best
