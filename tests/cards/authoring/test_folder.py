"""Folders of cards: each judged once, in order, with what it refers to; what no manifest can bind is said."""

import copy
from typing import Any

import pytest

from operatebench.cards import library
from operatebench.cards.authoring.folder import Checked, check_cards, reference_tree
from operatebench.cards.authoring.seal import card_text
from operatebench.errors import DocumentError, OperateBenchError
from tests.cards.authoring.chains import TEXTS, resealed, sample_card

FILES = [(f"{name}.json", TEXTS[name]) for name in ("variant", "scenario", "operation")]


def checked(*files: tuple[str, bytes | OperateBenchError]) -> dict[str, Checked]:
    return {card.name: card for card in check_cards(files)}


def lines(*files: tuple[str, bytes | OperateBenchError]) -> list[str]:
    return [line for card in check_cards(files) for line in card.lines()]


def test_a_sound_folder() -> None:
    found = checked(*FILES)

    assert list(found) == ["variant.json", "scenario.json", "operation.json"]
    assert all(card.sound for card in found.values())
    assert lines(*FILES) == [
        f"OK: {name}.json {sample_card(name)['content_digest_sha256'][:12]}"
        for name in ("variant", "scenario", "operation")
    ]


def spoiled(name: str, **content: Any) -> tuple[str, bytes]:
    card = sample_card(name)
    card["content"].update(content)
    return f"{name}.json", card_text(card)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([("a.json", b"{")], "FAIL: a.json parse.syntax line 1 column 1"),
        ([("a.json", b"[]")], "FAIL: a.json shape.root_not_object"),
        ([("a.json", b'{"schema": "x"}')], "FAIL: a.json generation.unsupported_pair /schema"),
        ([spoiled("operation", operation_type="x")], "FAIL: operation.json shape.closed_value /content/operation_type"),
        (
            [spoiled("operation", operation_version="2.0.0")],
            "FAIL: operation.json digest.stale_or_forged /content_digest_sha256",
        ),
        ([("v.json", TEXTS["variant"])], "FAIL: v.json references.unresolved /content/semantic_scenario"),
        ([("a.json", DocumentError("file_type", path="a.json#"))], "FAIL: a.json file_type"),
    ],
)
def test_one_line_says_what_is_wrong_where(files: list[tuple[str, Any]], expected: str) -> None:
    assert lines(*files) == [expected]


def test_a_fault_upstream_is_told_at_its_place_with_every_card_below() -> None:
    files = [*FILES[:2], spoiled("operation", operation_version="2.0.0")]
    assert lines(*files) == [
        "FAIL: variant.json references.target_invalid operation.json#/content_digest_sha256",
        "FAIL: scenario.json references.target_invalid operation.json#/content_digest_sha256",
        "FAIL: operation.json digest.stale_or_forged /content_digest_sha256",
    ]


def test_a_second_card_of_one_id_is_ambiguous() -> None:
    assert lines(FILES[2], ("z.json", FILES[2][1]))[1] == "FAIL: z.json references.ambiguous /id"


def test_a_card_without_an_id_is_judged_by_its_shape() -> None:
    card = sample_card("operation")
    del card["id"]
    assert lines(("a.json", card_text(card))) == ["FAIL: a.json shape.missing_key"]


def with_big_integers(count: int) -> bytes:
    card = sample_card("operation")
    shape = {"kind": "integer", "minimum": -(2**53), "maximum": 2**53 - 1}
    card["content"]["event_contracts"][0]["optional"] = {
        f"f{index:02}": {"required": False, "shape": dict(shape)} for index in range(count)
    }
    return card_text(resealed(card))


def test_integers_that_no_manifest_can_bind_are_named() -> None:
    (card,) = check_cards([("o.json", with_big_integers(1))])

    assert (card.refusal, card.sound, card.big_integers) == (None, False, 1)
    assert card.lines()[1:] == [
        "not_bindable: o.json /content/event_contracts/0/optional/f00/shape/minimum -9007199254740992"
    ]


def test_only_the_first_of_many_are_named() -> None:
    (card,) = check_cards([("o.json", with_big_integers(30))])

    assert (card.big_integers, len(card.first_big_integers)) == (30, 20)
    assert card.lines()[-1] == "not_bindable: o.json and 10 more"


def test_the_tree_puts_each_card_below_the_one_it_refers_to() -> None:
    digests = {name: sample_card(name)["content_digest_sha256"][:12] for name in TEXTS}
    assert reference_tree(check_cards(FILES)) == [
        f"operation heating.repair@1.0.0  {digests['operation']}  operation.json",
        f"  scenario heating.approval-before-booking  {digests['scenario']}  scenario.json",
        f"    variant heating.approval-before-booking.late-quote  {digests['variant']}  variant.json",
    ]


def test_what_refers_to_nothing_here_stands_at_the_end_and_what_is_refused_is_marked() -> None:
    assert reference_tree(check_cards(FILES[:2])) == [
        "operation heating.repair@1.0.0  not here",
        "  scenario heating.approval-before-booking  refused  scenario.json",
        "    variant heating.approval-before-booking.late-quote  refused  variant.json",
    ]
    assert reference_tree(check_cards([("a.json", b"{")])) == []


def variants(count: int) -> list[tuple[str, bytes]]:
    made = []
    for index in range(count):
        card = copy.deepcopy(sample_card("variant"))
        card["id"] = f"variant-{index}"
        made.append((f"v{index:03}.json", card_text(resealed(card))))
    return made


def test_each_card_is_validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    sound = library.Library.require_sound

    def counted(self: library.Library, entry: library.Entry) -> None:
        seen.append(entry.at)
        sound(self, entry)

    monkeypatch.setattr(library.Library, "require_sound", counted)
    files = [*variants(40), *FILES]

    assert all(card.sound for card in check_cards(files))
    assert sorted(seen) == sorted(f"{name}#" for name, _ in files)


def test_another_scenario_or_variant_moves_nothing() -> None:
    before = {name: card.digest for name, card in checked(*FILES).items()}
    after = {name: card.digest for name, card in checked(*variants(3), *FILES).items()}
    assert before == {name: after[name] for name in before}
