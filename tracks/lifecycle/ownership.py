"""Which identity component each file of the package belongs to, as a table; the digest of the evaluator's sources."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ...identity.labels import labelled_digest
from .digests import canonical

UNOWNED = "unowned"
"""The owner of files that no component projects; they move the source identity alone."""

OWNERS: Mapping[str, str] = MappingProxyType(
    {
        "__init__.py": UNOWNED,
        "py.typed": UNOWNED,
        "cards/": UNOWNED,
        "census/": UNOWNED,
        "cli/": UNOWNED,
        "conformance/": UNOWNED,
        "errors/": UNOWNED,
        "files/": UNOWNED,
        "identity/": UNOWNED,
        # Canonical bytes, and what the module that makes them imports.
        "identity/canonical.py": "build_provenance_content",
        "identity/profile.py": "build_provenance_content",
        "replay/": UNOWNED,
        "runtime/__init__.py": UNOWNED,
        "runtime/core/": "runtime_contract_content",
        "runtime/maintenance/": "operation_core_content",
        # Each agent's own file and what agents share; the registry decides nothing.
        "runtime/maintenance/agents/": "scaffold_content",
        "runtime/maintenance/agents/__init__.py": UNOWNED,
        "runtime/maintenance/evaluator/": "evaluator_bundle_content",
        "runtime/maintenance/forged/": UNOWNED,
        "runtime/maintenance/oracle/": UNOWNED,
        # What the spec says is projected from its parsed content, once.
        "runtime/maintenance/spec/maintenance.yaml": UNOWNED,
        "samples/": UNOWNED,
        "schemas/": UNOWNED,
        "schemas/card-defs-v1.schema.json": "card_schema_content",
        "schemas/card-registry-v1.json": "card_schema_content",
        "schemas/identity-field-census-v1.registry.json": "card_schema_content",
        "schemas/identity-field-census-v1.schema.json": "card_schema_content",
        "schemas/operation-card-v1.schema.json": "card_schema_content",
        "schemas/semantic-scenario-card-v1.schema.json": "card_schema_content",
        "schemas/variant-card-v1.schema.json": "card_schema_content",
        "tracks/": UNOWNED,
    }
)
"""File, or folder with a slash at its end -> component, or unowned (replay contract, section 4). The longest entry that
a path begins with says whose it is. A new folder of the package must get an entry."""

_PACKAGE = Path(__file__).parents[2]


def owner_of(path: str) -> str:
    """Return the component that owns a file, or ``unowned``.

    Args:
        path: relative to the package, with slashes, such as ``runtime/core/engine.py``.

    Raises:
        KeyError: no entry covers the path.
    """
    *folders, _ = path.split("/")
    above = ("/".join(folders[:depth]) + "/" for depth in range(len(folders), 0, -1))
    for entry in (path, *above):
        if entry in OWNERS:
            return OWNERS[entry]
    raise KeyError(path)


def installed_files() -> dict[str, Path]:
    """Return the files of the installed package, vectors and byte code aside: relative path -> place, sorted."""
    found = {path.relative_to(_PACKAGE).as_posix(): path for path in _PACKAGE.rglob("*") if path.is_file()}
    return {
        name: found[name] for name in sorted(found) if not name.endswith(".pyc") and not name.startswith("vectors/")
    }


@cache
def evaluator_source_digest() -> str:
    """Return the source identity of the evaluator's files, as they were when it was first asked for.

    The digest is that of replay contract, section 1.
    """
    files = []
    for path, place in installed_files().items():
        if owner_of(path) == "evaluator_bundle_content":
            content = place.read_bytes()
            files.append({"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()})
    return labelled_digest("source_identity.v1", canonical({"files": files}))
