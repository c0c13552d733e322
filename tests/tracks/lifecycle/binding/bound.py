"""What the tests of this folder share: projections of changed specs and files, and what moves between two."""

from functools import cache
from typing import Any

import orjson

from operatebench.replay.identity import RunIdentity
from operatebench.runtime.maintenance.spec.load import spec_of_document
from operatebench.runtime.maintenance.spec.yaml import Document
from operatebench.tracks.lifecycle import OperationSpec, packaged_spec
from operatebench.tracks.lifecycle.binding import (
    Projections,
    SourceFiles,
    cards_of,
    live_identity,
    project,
)
from operatebench.tracks.lifecycle.ownership import live_source_files

AGENT = "reference"


@cache
def files() -> SourceFiles:
    """Return the installed files, read once."""
    return live_source_files()


def binding(variant_id: str = "V1", agent_id: str = AGENT, changed: SourceFiles | None = None) -> RunIdentity:
    """Return what an episode of the packaged spec is bound to, some files of the package being others perhaps."""
    now = {**files(), **(changed or {})}
    return live_identity(packaged_spec(), variant_id, agent_id, source_files=now)


@cache
def usual(variant_id: str = "V1") -> RunIdentity:
    """Return what an episode of the packaged spec is bound to."""
    return binding(variant_id)


def reloaded(document: Document) -> OperationSpec:
    """Return the spec that a document holds; raises the loader's refusal."""
    return spec_of_document(document, "0" * 64)


def projected(spec: OperationSpec, variant_id: str) -> Projections:
    """Return the projections of a variant of a spec."""
    return project(spec, cards_of(spec, variant_id), variant_id, AGENT, source_files=files())


def moved(old: Projections, new: Projections) -> dict[str, set[str]]:
    """Return which paths of which component are others, compared strictly; the values are plain JSON."""
    changes = {
        name: {path for path in old[name].keys() | new[name].keys() if _differ(old[name], new[name], path)}
        for name in old
    }
    return {name: paths for name, paths in changes.items() if paths}


def _differ(old: dict[str, Any], new: dict[str, Any], path: str) -> bool:
    # As text, so that true is not 1 and an absent value is not null.
    return orjson.dumps(old[path]) != orjson.dumps(new[path]) if path in old and path in new else True
