"""Reads the build descriptors of upstream builds, version 1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .build_form import (
    ANYTHING,
    DIGEST,
    DistributionArtifact,
    Rule,
    Toolchain,
    exactly,
    matching,
    one_of,
    read_artifacts,
    read_toolchain,
    require_members,
)
from .clean_tree import CLEAN_TREE_ALGORITHM

BUILD_PROVENANCE_SCHEMA = "operatebench.build_provenance_descriptor.v1"

_PAIR = "audited_distribution_pair"
_COMMIT = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class BuildProvenanceDescriptorV1:
    """What an upstream build says of itself (evidence contract, section 9). Nothing here writes one.

    Attributes:
        source_commit: evidence of where it was built. Descriptors that differ in it alone are equally eligible.
        source_tree_digest_sha256: of the clean tracked source tree.
        uv_lock_sha256: of the lock file.
        distribution_artifacts: wheel and source archive; None for a checkout that nothing was built of.
        toolchain: what built.
    """

    source_commit: str
    source_tree_digest_sha256: str
    uv_lock_sha256: str
    distribution_artifacts: tuple[DistributionArtifact, DistributionArtifact] | None
    toolchain: Toolchain


def read_build_provenance(document: Any) -> BuildProvenanceDescriptorV1:
    """Return what an upstream build descriptor says.

    Args:
        document: plain JSON, as the strict parser gives it. Types are exact: ``1`` is not ``true``.

    Raises:
        ProvenanceError: ``build_descriptor_shape``; the path is a JSON Pointer.
    """
    rules: dict[str, Rule] = {
        "schema": exactly(BUILD_PROVENANCE_SCHEMA),
        "schema_version": exactly(1),
        "source_commit": (matching(_COMMIT), "40 lowercase hexadecimal digits"),
        "source_tree_algorithm": exactly(CLEAN_TREE_ALGORITHM),
        "source_tree_digest_sha256": DIGEST,
        "tree_clean": exactly(True),
        "uv_lock_sha256": DIGEST,
        "build_mode": one_of("checkout", _PAIR),
        "distribution_artifacts": ANYTHING,
        "toolchain": ANYTHING,
    }
    require_members(document, "", rules)
    toolchain = read_toolchain(
        document["toolchain"], {"python_implementation": exactly("cpython"), "build_backend": exactly("hatchling")}
    )
    return BuildProvenanceDescriptorV1(
        source_commit=document["source_commit"],
        source_tree_digest_sha256=document["source_tree_digest_sha256"],
        uv_lock_sha256=document["uv_lock_sha256"],
        distribution_artifacts=read_artifacts(document, _PAIR),
        toolchain=toolchain,
    )
