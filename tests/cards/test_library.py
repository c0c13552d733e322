"""References resolve to the one card of their schema, id and digest; every card given is validated, and none twice."""

from typing import Any

import pytest

from operatebench.cards import library as library_module
from operatebench.cards import load_card_chain, load_card_json, shape, validate_card
from operatebench.cards.library import Entry, Library
from operatebench.conformance.linking import FILES, sample_text, written
from operatebench.errors import CardValidationError
from tests.cards.chain import Chain, chain, facts, put, sample, sealed

Facts = tuple[str, str, str, str]


def refused(card: Any, *references: Any) -> Facts:
    with pytest.raises(CardValidationError) as caught:
        validate_card(card, references=references)
    return facts(caught.value)


def spare(**edits: Any) -> Any:
    """Return an operation of another id."""
    card = sample("operation")
    card["id"] = "spare.core"
    for edit in edits.values():
        edit(card)
    return sealed(card)


@pytest.mark.parametrize(
    ("name", "given", "missing"),
    [
        ("scenario", (), "damp-mould.core@1.4.0"),
        ("variant", (), "damp-mould.unsurveyed-close"),
        ("variant", ("operation",), "damp-mould.unsurveyed-close"),
    ],
)
def test_a_reference_to_no_card_given_is_unresolved(name: Any, given: tuple[Any, ...], missing: str) -> None:
    member = {"scenario": "operation_core", "variant": "semantic_scenario"}[name]

    assert refused(sample(name), *map(sample, given)) == (
        "references.unresolved",
        f"card#/content/{member}",
        "a card of this schema and id among those given",
        f'"{missing}"',
    )


def test_the_operation_of_a_variant_is_the_one_of_its_scenario_and_among_the_same_cards() -> None:
    code, path, expected, actual = refused(sample("variant"), sample("scenario"))

    assert (code, path) == ("references.target_invalid", "references/0#/content/operation_core")
    assert (expected, actual) == ("a card of this schema and id among those given", '"damp-mould.core@1.4.0"')


def test_a_reference_with_another_digest_is_unresolved() -> None:
    card = sample("scenario")
    card["content"]["operation_core"]["content_digest_sha256"] = "f" * 64

    assert refused(sealed(card), sample("operation")) == (
        "references.unresolved",
        "card#/content/operation_core/content_digest_sha256",
        "the digest of references/0#",
        f'"{"f" * 64}"',
    )


def test_a_reference_to_the_same_id_in_another_schema_is_unresolved() -> None:
    scenario = sample("scenario")
    scenario["id"] = "damp-mould.core@1.4.0"
    made = chain(scenario=lambda card: card.update(id="damp-mould.core@1.4.0"))

    assert validate_card(made["variant"], references=[made["scenario"], made["operation"]])["id"]
    assert refused(made["scenario"], made["scenario"])[0] == "references.target_invalid"
    assert refused(sealed(scenario))[0] == "references.unresolved"


@pytest.mark.parametrize("value", [None, [], "card", 1])
def test_a_target_must_be_an_object(value: Any) -> None:
    code, path, expected, _ = refused(sample("scenario"), sample("operation"), value)

    assert (code, path, expected) == ("references.target_not_object", "references/1#", "an object")


@pytest.mark.parametrize("value", [{}, {"schema": 1, "id": "x"}, {"schema": "x", "id": None}, {"schema": "x"}])
def test_a_target_must_have_schema_and_id(value: Any) -> None:
    code, path, expected, _ = refused(sample("scenario"), sample("operation"), value)

    assert (code, path, expected) == (
        "references.target_without_identity",
        "references/1#",
        "text members schema and id",
    )


def test_two_targets_of_one_schema_and_id_are_ambiguous_even_when_equal_or_unneeded() -> None:
    place = ("references.ambiguous", "references/1#/id")
    assert refused(sample("scenario"), sample("operation"), sample("operation"))[:2] == place
    code, path, expected, actual = refused(sample("scenario"), spare(), sample("operation"), spare())
    assert (code, path) == ("references.ambiguous", "references/2#/id")
    assert (expected, actual) == ("an id that references/0# does not have", '"spare.core"')


def test_ambiguity_is_found_before_any_target_is_validated() -> None:
    broken = {**sample("operation"), "content": {}}

    assert refused(sample("scenario"), broken, sample("operation"))[0] == "references.ambiguous"


@pytest.mark.parametrize("value", [{"x": 1.5}, {"x": object()}, {"x": 2**63}])
def test_a_target_is_admitted_before_the_next_one_is_looked_at(value: Any) -> None:
    code, path, *_ = refused(sample("scenario"), value, None)

    assert (code.split(".")[0], path) == ("projection", "references/0#/x")


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (lambda card: card.update(extra=1), "references/1#/extra"),
        (lambda card: card.update(content_digest_sha256="0" * 64), "references/1#/content_digest_sha256"),
        (lambda card: card.update(schema_version=2), "references/1#/schema_version"),
        (lambda card: card.update(schema="operatebench.operation_card.v2"), "references/1#/schema"),
    ],
)
def test_a_target_nobody_needs_is_validated_all_the_same(edit: Any, path: str) -> None:
    card = spare()
    edit(card)

    code, place, *_ = refused(sample("scenario"), sample("operation"), card)

    assert (code, place) == ("references.target_invalid", path)


def test_a_target_is_validated_with_its_own_references_and_rules() -> None:
    broken = spare(edit=put("/authority_contract/event_authority/0/required_authority", "nobody"))
    lonely = chain(operation=lambda card: card.update(id="gone.core"))["scenario"]
    lonely["id"] = "lonely.scenario"

    assert refused(sample("variant"), sample("operation"), sample("scenario"), broken)[:2] == (
        "references.target_invalid",
        "references/2#/content/authority_contract/event_authority/0/required_authority",
    )
    assert refused(sample("variant"), sample("operation"), sample("scenario"), sealed(lonely))[:2] == (
        "references.target_invalid",
        "references/2#/content/operation_core",
    )


def test_the_hint_of_an_invalid_target_says_what_is_wrong_with_it() -> None:
    broken = spare(edit=put("/authority_contract/event_authority/0/required_authority", "nobody"))

    with pytest.raises(CardValidationError) as caught:
        validate_card(sample("scenario"), references=[sample("operation"), broken])

    assert caught.value.hint == (
        "semantic.authority_not_granted: No role grants a required authority. Grant it to a role."
    )


def test_a_fault_two_cards_upstream_is_named_once() -> None:
    made = chain(operation=put("/authority_contract/event_authority/0/required_authority", "nobody"))

    with pytest.raises(CardValidationError) as caught:
        validate_card(made["variant"], references=[made["scenario"], made["operation"]])

    assert caught.value.path == "references/1#/content/authority_contract/event_authority/0/required_authority"
    assert caught.value.code == "references.target_invalid"
    assert caught.value.hint.startswith("semantic.authority_not_granted: ")


def test_targets_are_refused_before_the_card_itself_is_resolved() -> None:
    card = sample("scenario")
    card["content"]["operation_core"]["id"] = "nobody"
    broken = spare()
    broken["content_digest_sha256"] = "0" * 64

    assert refused(sealed(card), broken)[0] == "references.target_invalid"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_extra_cards_the_card_itself_and_any_order_are_tolerated(order: tuple[int, ...]) -> None:
    cards = [sample("operation"), sample("scenario"), sample("variant")]
    references = [cards[index] for index in order] + [spare()]

    for name in FILES:
        assert validate_card(sample(name), references=references)["id"] == sample(name)["id"]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count how often a card's shape is checked."""
    seen: list[str] = []
    original = shape.require_shape_of

    def counting(schema: str, card: Any, at: str) -> None:
        seen.append(at)
        original(schema, card, at)

    monkeypatch.setattr(library_module, "require_shape_of", counting)
    return seen


def variants(count: int, *, broken: bool = False) -> tuple[Chain, list[Any]]:
    edit = put("/authority_contract/event_authority/0/required_authority", "nobody")
    made = chain(**({"operation": edit} if broken else {}))
    copies = [sealed({**made["variant"], "id": f"variant.{index}"}) for index in range(count)]
    return made, copies


def test_every_card_of_a_chain_is_checked_once(checks: list[str]) -> None:
    made, copies = variants(20)
    sources = [written(card) for card in (*copies, made["scenario"], made["operation"])]

    assert len(load_card_chain(sources)) == 22
    assert sorted(checks) == sorted(f"cards/{index}#" for index in range(22))


def test_an_upstream_card_that_was_refused_is_not_looked_at_again(checks: list[str]) -> None:
    made, copies = variants(3, broken=True)
    library = Library()
    entries = [
        Entry(card, f"cards/{index}#") for index, card in enumerate((*copies, made["scenario"], made["operation"]))
    ]
    for entry in entries:
        library.add(entry)

    faults = []
    for entry in entries:
        with pytest.raises(CardValidationError) as caught:
            library.facts(entry)
        faults.append((caught.value.code, caught.value.path))

    place = "cards/4#/content/authority_contract/event_authority/0/required_authority"
    assert faults == [("references.target_invalid", place)] * 4 + [("semantic.authority_not_granted", place)]
    assert sorted(checks) == [f"cards/{index}#" for index in range(5)]
    with pytest.raises(CardValidationError) as again:
        library.facts(entries[-1])
    assert again.value.path == place
    assert len(checks) == 5


def test_a_card_and_its_references_are_each_checked_once(checks: list[str]) -> None:
    load_card_json(sample_text("variant"), references=[sample("scenario"), sample("operation"), spare()])

    assert sorted(checks) == ["card#", "references/0#", "references/1#", "references/2#"]
