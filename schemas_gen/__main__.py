"""Writes the generated documents to ``schemas/``; with ``--check`` it only says which are out of date."""

import json
import sys
from pathlib import Path
from typing import Any

from . import authority, bundle, evidence
from .cards import OPERATION_FILE, SCENARIO_FILE, VARIANT_FILE, operation, scenario, variant
from .census import CENSUS_FILE, CENSUS_SCHEMA_FILE, census, census_schema, resource_files
from .definitions import definitions
from .forms import DEFINITIONS_FILE
from .registry import REGISTRY_FILE, registry
from .run_bundle_census import MANIFEST_FILE, PROJECTION_CENSUS_FILE, RUN_BUNDLE_CENSUS_FILE, run_bundle_census

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"


def documents() -> dict[str, Any]:
    """Return all documents by file name."""
    cards = {OPERATION_FILE: operation(), SCENARIO_FILE: scenario(), VARIANT_FILE: variant()}
    shared, facts = definitions(), registry()
    made = {
        DEFINITIONS_FILE: shared,
        **cards,
        REGISTRY_FILE: facts,
        CENSUS_SCHEMA_FILE: census_schema(),
        CENSUS_FILE: census(cards, shared, facts, resource_files(REGISTRY_FILE)),
        evidence.EVIDENCE_FILE: evidence.evidence(),
        evidence.OUTCOME_FILE: evidence.outcome(),
        evidence.TAPE_FILE: evidence.tape(),
        evidence.EXECUTION_FILE: evidence.execution(),
        evidence.BINDING_FILE: evidence.binding(),
        authority.AUTHORIZATION_FILE: authority.authorization(),
        authority.USED_AUTHORIZATION_FILE: authority.used_authorization(),
        authority.ISSUERS_FILE: authority.issuers(),
        bundle.ARTIFACT_FILE: bundle.artifact(),
        bundle.EVALUATION_FILE: bundle.evaluation(),
        bundle.LEDGER_FILE: bundle.ledger(),
        bundle.REGRADE_FILE: bundle.regrade(),
    }
    rendered = {name: render(document) for name, document in made.items()}
    given = {name: (SCHEMAS / name).read_bytes() for name in (MANIFEST_FILE, PROJECTION_CENSUS_FILE)}
    return {**made, RUN_BUNDLE_CENSUS_FILE: run_bundle_census(rendered | given)}


def render(document: Any) -> bytes:
    """Return the bytes of a document on disk: two spaces of indent, ASCII, one line feed at the end."""
    return (json.dumps(document, indent=2) + "\n").encode("ascii")


def main(arguments: list[str]) -> int:
    """Write, or with ``--check`` compare, the documents.

    Args:
        arguments: the words after the module's name: nothing or ``--check``.

    Returns:
        The exit status: 0 done or equal, 1 out of date, 64 for unknown arguments.
    """
    if arguments not in ([], ["--check"]):
        print("usage: python -m schemas_gen [--check]", file=sys.stderr)
        return 64
    pages = {SCHEMAS / name: render(document) for name, document in documents().items()}
    stale = [path for path, data in pages.items() if not path.is_file() or path.read_bytes() != data]
    if not arguments:
        for path in stale:
            path.write_bytes(pages[path])
            print(f"schemas/{path.name}")
        return 0
    for path in stale:
        print(f"schemas/{path.name} is out of date: run `make schemas`", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
