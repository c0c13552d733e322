"""Every leaf of the spec, changed alone: the loader refuses it, or exactly the component that owns it moves."""

import pytest

from operatebench.errors import pointer
from operatebench.runtime.maintenance.spec.yaml import Document
from operatebench.tracks.lifecycle import packaged_spec
from operatebench.tracks.lifecycle.binding import owner_of_section
from operatebench.tracks.lifecycle.binding.variant_card import surfaces_of
from tests.runtime.maintenance.spec.edits import Steps, shipped
from tests.tracks.lifecycle.binding.bound import moved, projected, usual
from tests.tracks.lifecycle.binding.leaves import TABLE, leaves, loaded

LOADED = set(TABLE.read_text(encoding="utf-8").split())

REFERRED = {"/operation/operation_version": {"semantic_scenario_content"}}
"""Part of the id of a card: what refers to that card by its id moves with it."""


def variant_of(document: Document, steps: Steps) -> str:
    """Return a variant for which a leaf counts."""
    if steps[0] == "variants":
        return str(steps[1])
    if steps[0] == "surface_fixtures":
        for variant_id in packaged_spec().variants:
            if steps[1] in surfaces_of(document.value, variant_id):
                return variant_id
    return "V1"


@pytest.mark.parametrize("section", list(shipped().value))
def test_a_changed_leaf_is_refused_or_moves_its_owner(section: str) -> None:
    document = shipped()
    for steps, value in leaves(document):
        if steps[0] != section:
            continue
        at = pointer(*steps)
        spec = loaded(document, steps, value)
        assert (spec is not None) == (at in LOADED), at
        if spec is not None:
            variant_id = variant_of(document, steps)
            owners = {owner_of_section(steps), *REFERRED.get(at, ())}
            assert moved(usual(variant_id).projections, projected(spec, variant_id)).keys() == owners, at


def test_the_table_is_about_leaves() -> None:
    every = {pointer(*steps) for steps, _ in leaves(shipped())}
    assert every > LOADED
