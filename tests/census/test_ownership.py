"""Every place in a card has one owner, through the leaf it is, is part of, or holds."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from operatebench.cards import CARD_SCHEMAS
from operatebench.census import OWNERS, load_field_census, owner_of
from operatebench.census.leaves import live_surface
from tests.census.support import CARD, OPERATION, SCENARIO, VARIANT, refusal

OPERATION_CARD, SCENARIO_CARD, VARIANT_CARD = CARD_SCHEMAS
ENTRIES = {entry["field_path_pattern"]: entry for entry in load_field_census()["entries"]}


def real_pointers(path: str) -> Iterator[str]:
    """Yield pointers to a leaf in real cards: with an index after each array of records."""
    steps = path.split("/")
    for index in ("0", "7", "4095"):
        place, pointer = "", ""
        for step in steps[1:]:
            place, pointer = f"{place}/{step}", f"{pointer}/{step}"
            if place in live_surface().arrays:
                pointer += f"/{index}"
        yield pointer


def test_every_leaf_is_found_from_its_path_and_from_real_cards() -> None:
    for path, entry in ENTRIES.items():
        for pointer in (path, *real_pointers(path)):
            found = owner_of(pointer)
            assert (found.owner, found.leaves) == (entry["owner"], (path,))
            assert (found.consumers, found.source_paths) == (tuple(entry["consumers"]), tuple(entry["source_paths"]))


@pytest.mark.parametrize(
    ("pointer", "leaf"),
    [
        ("/operation_card/content/policy_contract/horizon_minutes", "/operation_card/content/policy_contract"),
        (
            "/operation_card/content/event_contracts/2/required/a~1b/shape",
            "/operation_card/content/event_contracts/required",
        ),
        (
            "/operation_card/content/transition_contract/reducer_ids/0",
            "/operation_card/content/transition_contract/reducer_ids",
        ),
        (
            "/semantic_scenario_card/content/decision_points/0/reach_predicate/operands/1/left",
            "/semantic_scenario_card/content/decision_points/reach_predicate",
        ),
        ("/variant_card/content/events/0/payload/0/1/2", "/variant_card/content/events/payload"),
        ("/variant_card/content/events/0/payload/", "/variant_card/content/events/payload"),
        ("/variant_card/content/events/3/trigger/correlation/x~0y", "/variant_card/content/events/trigger/correlation"),
    ],
)
def test_what_lies_below_a_leaf_belongs_to_it(pointer: str, leaf: str) -> None:
    assert owner_of(pointer).leaves == (leaf,)


@pytest.mark.parametrize(
    ("pointer", "owner", "count"),
    [
        ("/contract_resources", CARD, 7),
        ("/operation_card", OPERATION, 39),
        ("/semantic_scenario_card/content", SCENARIO, 25),
        ("/variant_card/content/events", VARIANT, 11),
        ("/variant_card/content/events/3", VARIANT, 11),
        ("/variant_card/content/events/3/trigger", VARIANT, 3),
        ("/operation_card/content/authority_contract/roles/0", OPERATION, 2),
    ],
)
def test_a_place_above_leaves_holds_them_all(pointer: str, owner: str, count: int) -> None:
    found = owner_of(pointer)

    place = re.sub(r"/[0-9]+", "", pointer)
    assert (found.owner, len(found.leaves)) == (owner, count)
    assert all(leaf.startswith(f"{place}/") for leaf in found.leaves)
    wanted = dict.fromkeys(source for leaf in found.leaves for source in ENTRIES[leaf]["source_paths"])
    assert found.source_paths == tuple(wanted)


@pytest.mark.parametrize(
    ("card", "owner"), [(OPERATION_CARD, OPERATION), (SCENARIO_CARD, SCENARIO), (VARIANT_CARD, VARIANT)]
)
def test_a_pointer_into_one_card(card: str, owner: str) -> None:
    assert owner_of("/id", card_schema=card).owner == owner
    assert owner_of("", card_schema=card).owner == owner


def test_a_pointer_into_a_card_is_read_from_its_root() -> None:
    assert owner_of("/content/events/3/at", card_schema=VARIANT_CARD) == owner_of("/variant_card/content/events/3/at")
    assert refusal(owner_of, "/content/events", card_schema=SCENARIO_CARD).code == "census.pointer_unowned"
    assert refusal(owner_of, "/variant_card/id", card_schema=VARIANT_CARD).code == "census.pointer_unowned"


@pytest.mark.parametrize("card", ["variant", "operatebench.card_defs.v1", 1, ["x"]])
def test_an_unknown_card_is_refused(card: Any) -> None:
    error = refusal(owner_of, "/id", card_schema=card)

    assert (error.code, error.path) == ("resource.unknown", "card_schema#")


@pytest.mark.parametrize(
    "pointer",
    [
        *(
            "",
            "/",
            "/x",
            "/variant_card/",
            "/variant_card/contents",
            "/variant_card/0",
            "/variant_card/content/0/events",
        ),
        *(
            "/variant_card/content/events/0/0/at",
            "/variant_card/content/events/03/at",
            "/variant_card/content/events/-/at",
        ),
        *(
            "/variant_card/content/events/\u0663/at",
            "/variant_card/content/events/ 3/at",
            "/variant_card/content/event",
        ),
        *("/variant_card/content/events/3/a~1t", "/contract_resources/README.md"),
    ],
)
def test_a_place_nobody_owns_is_refused(pointer: str) -> None:
    error = refusal(owner_of, pointer)

    assert (error.code, error.path) == ("census.pointer_unowned", "pointer#")
    assert "/variant_card" in error.expected


@pytest.mark.parametrize("pointer", ["variant_card", "#/variant_card", "/~", "/~2", "/a~", None, 1, ["/variant_card"]])
def test_what_is_no_pointer_is_refused(pointer: Any) -> None:
    error = refusal(owner_of, pointer)

    assert (error.code, error.path) == ("census.pointer_syntax", "pointer#")


def test_owners_are_those_of_the_census() -> None:
    assert tuple(dict.fromkeys(entry["owner"] for entry in ENTRIES.values())) == OWNERS
