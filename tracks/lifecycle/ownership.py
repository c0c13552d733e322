"""Which identity component each file of the package belongs to, as a table; the digest of the evaluator's sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ...provenance import OwnerTable, SourceSnapshot, take_source_snapshot

UNOWNED = "unowned"
"""The owner of files that no component projects; they move the source identity alone."""

OWNERS: Mapping[str, str] = MappingProxyType(
    {
        "__init__.py": UNOWNED,
        "py.typed": UNOWNED,
        "authority/": UNOWNED,
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
        "provenance/": UNOWNED,
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

OWNER_TABLE = OwnerTable(OWNERS, suffixes=(".json", ".py", ".yaml"))
"""The table as the source identity reads it; the suffixes are those of what is packaged."""

owner_of = OWNER_TABLE.owner_of


@cache
def live_source() -> SourceSnapshot:
    """Return the source of the package that this process imports, as it was when this was first asked for."""
    return take_source_snapshot(Path(__file__).parents[2], OWNER_TABLE)


def live_source_files() -> dict[str, tuple[int, str]]:
    """Return size and SHA-256 of each file of that source."""
    return {file.path: (file.size, file.sha256) for file in live_source().identity.files}
