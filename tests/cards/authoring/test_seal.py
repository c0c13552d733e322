"""Sealing: the digest follows the content, the reference follows the card given, order and format stay the author's."""

import json
from typing import Any

import pytest

from operatebench.cards import CardValidationError, load_card_chain, recompute_card_digest
from operatebench.cards.authoring.seal import Change, card_text, seal
from tests.cards.authoring.chains import TEXTS, resealed, sample_card, sample_chain


@pytest.mark.parametrize("name", TEXTS)
def test_a_sealed_card_stays_as_it_is(name: str) -> None:
    sealed = seal(sample_card(name))

    assert sealed.text() == TEXTS[name]
    assert (sealed.digest.moved, sealed.reference, sealed.sorted_sets) == (False, None, ())


def test_the_digest_follows_the_content_and_members_stay_in_order() -> None:
    card = {"content_digest_sha256": "?", **dict(reversed(sample_card("variant").items()))}
    card["content"]["variant_label"] = "another"

    sealed = seal(card)

    assert list(json.loads(sealed.text())) == ["content_digest_sha256", "content", "id", "schema_version", "schema"]
    assert sealed.digest.new == recompute_card_digest(sealed.card) == sealed.card["content_digest_sha256"]
    assert sealed.digest.moved


def test_a_card_without_digest_gets_one_at_the_end() -> None:
    card = sample_card("operation")
    digest = card.pop("content_digest_sha256")

    sealed = seal(card)

    assert sealed.digest == Change(None, digest)
    assert list(sealed.card)[-1] == "content_digest_sha256"


def test_text_is_raw_utf_8_with_two_spaces() -> None:
    assert card_text({"a": ["é🔧", 1]}) == '{\n  "a": [\n    "é🔧",\n    1\n  ]\n}\n'.encode()


def test_the_reference_follows_the_upstream_card() -> None:
    operation, scenario, variant = sample_chain()
    operation["content"]["operation_version"] = "1.0.1"
    old = scenario["content_digest_sha256"], operation["content_digest_sha256"]

    new_operation = seal(operation).card
    new_scenario = seal(scenario, [new_operation])
    new_variant = seal(variant, [new_operation, new_scenario.card])

    assert new_scenario.reference == Change(old[1], new_operation["content_digest_sha256"])
    assert new_variant.reference == Change(old[0], new_scenario.digest.new)
    assert len(load_card_chain([new_variant.text(), new_scenario.text(), card_text(new_operation)])) == 3


def test_without_upstream_the_reference_stays() -> None:
    scenario = sample_card("scenario")
    scenario["content"]["operation_core"]["content_digest_sha256"] = "0" * 64

    assert seal(scenario).card["content"]["operation_core"]["content_digest_sha256"] == "0" * 64


def shuffled() -> Any:
    operation = sample_card("operation")
    content = operation["content"]
    content["event_contracts"].reverse()
    content["authority_contract"]["roles"][1]["authorities"].reverse()
    content["state_contract"]["initial_state_schema"]["properties"]["phase"]["enum"].reverse()
    return operation


def test_sets_are_sorted_only_when_asked() -> None:
    with pytest.raises(CardValidationError) as refused:
        seal(shuffled())
    assert refused.value.code == "shape.set_order"

    sealed = seal(shuffled(), sort_sets=True)

    assert sealed.text() == TEXTS["operation"]
    assert sealed.sorted_sets == (
        "/content/authority_contract/roles/1/authorities",
        "/content/event_contracts",
        "/content/state_contract/initial_state_schema/properties/phase/enum",
    )


def test_an_inner_set_decides_where_its_owner_sorts() -> None:
    operation = sample_card("operation")
    roles = operation["content"]["authority_contract"]["roles"]
    roles[0]["authorities"] = ["zzz", *roles[0]["authorities"]]

    sealed = seal(operation, sort_sets=True)

    assert sealed.card["content"]["authority_contract"]["roles"][0]["authorities"] == ["approve.spend", "zzz"]
    assert sealed.sorted_sets == ("/content/authority_contract/roles/0/authorities",)


def test_nothing_but_sets_is_sorted() -> None:
    scenario = sample_card("scenario")
    scenario["content"]["decision_points"].reverse()

    assert seal(scenario, sort_sets=True).sorted_sets == ()


@pytest.mark.parametrize("sort_sets", [False, True])
def test_a_card_of_wrong_shape_is_not_sealed(sort_sets: bool) -> None:
    operation = shuffled()
    operation["content"]["policy_contract"]["currency"] = "eur"
    with pytest.raises(CardValidationError) as refused:
        seal(operation, sort_sets=sort_sets)
    assert (refused.value.code, refused.value.path) == ("shape.lexical", "card#/content/policy_contract/currency")


def test_a_double_item_is_not_sorted_away() -> None:
    operation = shuffled()
    operation["content"]["event_contracts"].append(operation["content"]["event_contracts"][0])
    with pytest.raises(CardValidationError) as refused:
        seal(operation, sort_sets=True)
    assert refused.value.code == "shape.set_duplicate"


@pytest.mark.parametrize(
    ("name", "spoil", "upstream", "code", "path"),
    [
        ("variant", {"schema": "x"}, [], "generation.unsupported_pair", "card#/schema"),
        ("variant", {"id": None}, [], "shape.wrong_type", "card#/id"),
        ("operation", {}, ["scenario"], "references.unresolved", "card#"),
        ("variant", {}, ["operation"], "references.unresolved", "card#/content/semantic_scenario/id"),
        ("scenario", {"content": []}, ["operation"], "references.unresolved", "card#/content/operation_core"),
    ],
)
def test_refusals(name: str, spoil: dict[str, Any], upstream: list[str], code: str, path: str) -> None:
    with pytest.raises(CardValidationError) as refused:
        seal({**sample_card(name), **spoil}, [sample_card(each) for each in upstream])
    assert (refused.value.code, refused.value.path) == (code, path)


def test_a_card_without_content_is_refused() -> None:
    card = sample_card("operation")
    del card["content"]
    with pytest.raises(CardValidationError) as refused:
        seal(card)
    assert refused.value.code == "shape.missing_key"


def test_a_stale_upstream_card_gives_no_digest() -> None:
    operation, scenario, _ = sample_chain()
    operation["content"]["operation_version"] = "1.0.1"
    with pytest.raises(CardValidationError) as refused:
        seal(scenario, [operation])
    assert (refused.value.code, refused.value.path) == (
        "digest.stale_or_forged",
        "references/0#/content_digest_sha256",
    )
    assert seal(scenario, [resealed(operation)]).reference
