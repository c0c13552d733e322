"""Holds the measured documents to what the table says of them: sizes, nodes, share of non-ASCII text, validity."""

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.manifests import LINEAR_SIZES, NEAR_LIMIT, StraightWay, near_limit
from benchmarks.samples import ManifestSample, Sample, episodes, integers, manifest_like, manifest_sample, sample
from operatebench.identity import (
    build_projection_census,
    claimed_projections,
    recompute_manifest_digest,
    validate_identity_manifest,
)
from operatebench.identity.registry import COMPONENTS
from operatebench.identity.strictjson import parse_json
from tests.support import ROOT


def roots(manifest: ManifestSample) -> list[Any]:
    return [json.loads(text.data) for text in (manifest.manifest, manifest.census, manifest.projections)]


def nodes_of(value: Any) -> int:
    """Count a second way: recursively."""
    if isinstance(value, dict):
        return 1 + sum(map(nodes_of, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(nodes_of, value))
    return 1


DOCUMENTS = [
    (manifest_like("records", 304_000, 10_300), 300_000, (9_000, 11_000), (0.01, 0.10)),
    (manifest_like("records, indented", 197_000, 6_700, indent=2), 300_000, (5_500, 7_500), (0.01, 0.10)),
    (episodes(299_500, words=20), 300_000, (10_000, 12_000), (0.25, 0.75)),
    (integers(64_000), 300_000, (63_000, 65_536), (0.0, 0.0)),
    (manifest_like("records", 4_010_000, 61_500), 4_000_000, (58_000, 62_000), (0.01, 0.10)),
    (manifest_like("records, indented", 3_300_000, 61_500, indent=2), 4_000_000, (58_000, 62_000), (0.01, 0.10)),
    (episodes(4_000_000, words=80), 4_000_000, (56_000, 62_000), (0.25, 0.75)),
]


@pytest.mark.parametrize(("document", "size", "nodes", "non_ascii"), DOCUMENTS)
def test_parsed_documents_have_the_size_and_shape_they_are_named_for(
    document: Sample, size: int, nodes: tuple[int, int], non_ascii: tuple[float, float]
) -> None:
    assert 0.93 * size <= len(document.data) <= 1.07 * size
    assert nodes[0] <= document.nodes <= nodes[1]
    assert non_ascii[0] <= document.non_ascii <= non_ascii[1]
    admitted = parse_json(document.data)
    assert admitted.canonical.nodes == document.nodes == nodes_of(json.loads(document.data))


def test_the_near_limit_manifest_fills_every_component() -> None:
    manifest, census, projections = roots(near_limit())
    assert validate_identity_manifest(manifest, census, projections).manifest_digest_sha256
    assert 3_600_000 <= len(near_limit().manifest.data) <= 4_100_000
    assert 60_000 <= near_limit().manifest.nodes <= 65_536
    assert 0.0 < near_limit().manifest.non_ascii < 0.05
    assert len(census["entries"]) <= 4_096
    for name in COMPONENTS:
        component = sample(name, manifest["components"][name])
        assert 0.97 * 344_064 <= len(component.data) <= 344_064
        assert 0.97 * 5_600 <= component.nodes <= 5_600


@pytest.mark.parametrize("size", LINEAR_SIZES)
def test_manifests_of_every_size_are_valid_and_about_that_big(size: int) -> None:
    made = manifest_sample("manifest", size, size * NEAR_LIMIT[1] // NEAR_LIMIT[0])
    manifest, census, projections = roots(made)
    record = validate_identity_manifest(manifest, census, projections)
    assert record.manifest_digest_sha256 == recompute_manifest_digest(manifest)
    assert projections == claimed_projections(manifest)
    assert census == build_projection_census(projections)
    assert 0.88 * size <= len(made.manifest.data) <= 1.02 * size


def test_the_straight_way_finds_the_fourteen_digests_of_the_validator() -> None:
    made = manifest_sample("manifest", 20_000, 400)
    record = validate_identity_manifest(*roots(made))
    expected = {name: component.content_digest_sha256 for name, component in record.components.items()}
    expected |= {name: bundle.bundle_digest_sha256 for name, bundle in record.composites.items()}
    expected["manifest"] = record.manifest_digest_sha256
    assert StraightWay()(made) == expected
    assert len(expected) == 14


def test_the_straight_way_refuses_a_changed_digest() -> None:
    made = manifest_sample("manifest", 20_000, 400)
    manifest = json.loads(made.manifest.data)
    digest = manifest["manifest_digest_sha256"]
    manifest["manifest_digest_sha256"] = hashlib.sha256(digest.encode()).hexdigest()
    with pytest.raises(ValueError, match="is not the recomputed one"):
        StraightWay()(ManifestSample(sample("changed", manifest), made.census, made.projections))


@pytest.mark.parametrize(
    ("value", "nodes", "non_ascii"),
    [
        (None, 1, 0.0),
        ({}, 1, 0.0),
        ({"a": [1, {"b": True}]}, 5, 0.0),
        ({"abc": "é"}, 2, 0.25),
        (["ab", "é🔧"], 3, 0.5),
        ({"ключ": "text"}, 2, 0.5),
    ],
)
def test_nodes_and_whole_non_ascii_texts_are_counted(value: Any, nodes: int, non_ascii: float) -> None:
    measured = sample("shape", value)
    assert (measured.nodes, measured.non_ascii) == (nodes, non_ascii)
    assert json.loads(measured.data) == value


def test_samples_are_the_same_bytes_under_every_hash_seed() -> None:
    program = (
        "import hashlib; from benchmarks.samples import *; made = manifest_sample('m', 30_000, 600); "
        "texts = made.manifest, made.census, made.projections, episodes(20_000, 20), integers(1_000); "
        "print(hashlib.sha256(b''.join(text.data for text in texts)).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(digests) == 1
