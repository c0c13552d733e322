"""Every leaf of the samples, changed in type, value or presence, is refused or moves just the digest that owns it."""

from typing import Any

import pytest

from operatebench.cards import CardValidationError, recompute_card_digest
from operatebench.conformance.linking import FILES, UPSTREAM, CardFile
from tests.cards.chain import chain, leaves, sample, validated
from tests.cards.leaf_mutations import KINDS, expected, mutated, outcome

EXPECTED = expected()
ROWS = [(name, pointer, row) for name in FILES for pointer, row in EXPECTED[name].items()]


def test_the_table_has_exactly_the_leaves_of_the_sample_cards() -> None:
    for name in FILES:
        assert set(EXPECTED[name]) == {pointer for pointer, _ in leaves(sample(name))}
    assert len(ROWS) == sum(len(list(leaves(sample(name)))) for name in FILES) == 476


@pytest.mark.parametrize("name", FILES)
def test_every_leaf_is_refused_or_moves_its_digest_as_the_table_says(name: CardFile) -> None:
    found = {
        pointer: [outcome(name, mutated(name, pointer, kind)) for kind in KINDS] for pointer, _ in leaves(sample(name))
    }

    assert found == EXPECTED[name]


def test_every_outcome_is_a_declared_refusal_or_a_moved_digest() -> None:
    outcomes = {found for _, _, row in ROWS for found in row}

    assert outcomes <= {"moved", *CardValidationError.codes}
    assert {len(row) for _, _, row in ROWS} == {3}


def test_another_type_is_refused_but_for_the_literals_of_predicates() -> None:
    moved = {(name, pointer) for name, pointer, row in ROWS if row[KINDS.index("type")] == "moved"}

    assert len(moved) == 5
    assert all(name == "scenario" and pointer.endswith("/right/value") for name, pointer in moved)


def test_only_items_and_optional_fields_may_be_absent() -> None:
    moved = {pointer for _, pointer, row in ROWS if row[KINDS.index("presence")] == "moved"}

    free = {"payload", "correlation", "hidden_initial_values", "boiler", "occupants"}
    for pointer in moved:
        *_, holder, last = pointer.split("/")
        assert last.isdigit() or holder in free, pointer


@pytest.mark.parametrize("name", FILES)
def test_an_accepted_change_moves_the_digest_that_owns_it_and_no_other(name: CardFile) -> None:
    start = {other: sample(other)["content_digest_sha256"] for other in FILES}
    accepted = [
        (pointer, kind)
        for pointer, row in EXPECTED[name].items()
        for kind, found in zip(KINDS, row, strict=True)
        if found == "moved"
    ]

    assert accepted
    for pointer, kind in accepted:
        card = mutated(name, pointer, kind)
        digests = {other: recompute_card_digest(card if other == name else sample(other)) for other in FILES}
        assert [other for other in FILES if digests[other] != start[other]] == [name], (pointer, kind)


@pytest.mark.parametrize("name", ["operation", "scenario"])
def test_a_moved_digest_moves_those_that_refer_to_it_through_their_reference_alone(name: CardFile) -> None:
    def edit(card: Any) -> None:
        card["id"] = f"{card['id'].partition('@')[0]}.moved"

    made = chain(**{name: edit})
    below = FILES[FILES.index(name) + 1 :]

    for other in FILES:
        assert validated(other, made)["content_digest_sha256"] == made[other]["content_digest_sha256"]
    for other in below:
        member = UPSTREAM[other][1]
        before, after = sample(other)["content"], made[other]["content"]
        changed = [key for key in before if before[key] != after[key]]
        assert changed == [member]
