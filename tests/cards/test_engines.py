"""The schemas alone decide alike in two engines, and what they refuse the reader refuses too."""

import json
import random
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry, Resource

from operatebench.cards import CARD_SCHEMAS, CardValidationError, load_schema, validate_card
from operatebench.cards.shape import require_shape_of
from operatebench.conformance.cards import CardCase
from operatebench.conformance.linking import FILES, linked_cards
from tests.cards.chain import leaves, sample, sealed

FOLDER = files("operatebench.vectors").joinpath("cards")
DEFINITIONS = json.loads(files("operatebench.schemas").joinpath("card-defs-v1.schema.json").read_bytes())
CASES = [
    case
    for name in ("accepts", "refusals")
    for case in json.loads(FOLDER.joinpath(f"{name}.json").read_bytes())["cases"]
    # A hundred thousand nodes are about limits, and take the slow engine a long time.
    if case["name"] != "limit.nodes-over-100000" and not {"edit", "raw", "raw_hex", "raw_repeat"} & case.keys()
]
ENGINES = {
    schema: (
        jsonschema.Draft202012Validator(
            load_schema(schema),
            registry=Registry().with_resource(DEFINITIONS["$id"], Resource.from_contents(DEFINITIONS)),
        ),
        jsonschema_rs.Draft202012Validator(
            load_schema(schema), registry=jsonschema_rs.Registry([(DEFINITIONS["$id"], DEFINITIONS)]), offline=True
        ),
    )
    for schema in CARD_SCHEMAS
}
SEED = 20_240_301


def verdicts(schema: str, card: Any) -> tuple[bool, bool]:
    """Return what the two engines say of a card."""
    first, second = ENGINES[schema]
    return first.is_valid(card), second.is_valid(card)


def shape_verdict(schema: str, card: Any) -> str:
    try:
        require_shape_of(schema, card, "card#")
    except CardValidationError as refusal:
        return refusal.code
    return ""


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_both_engines_and_the_reader_agree_on_every_vector(case: dict[str, Any]) -> None:
    wanted = CardCase.model_validate(case)
    card = linked_cards(wanted.patch, wanted.no_relink, wanted.no_repin)[wanted.target]
    schema = sample(wanted.target)["schema"]
    first, second = verdicts(schema, card)

    assert first is second
    if case["expected"] == "accepted":
        assert first
    # The reader's own rules of shape are order and repetition of sets; all others are the schemas'.
    code = shape_verdict(schema, card)
    assert first is (code in ("", "shape.set_order"))


class Border:
    """Draws cards near the border of the schemas: samples with parts exchanged, resized, renamed or removed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.pool: list[Any] = [
            None,
            True,
            False,
            0,
            -1,
            1,
            2**63 - 1,
            -(2**63),
            "",
            "a",
            "A",
            "/",
            "/a/b",
            "a\n",
            "1.2.3",
        ]
        self.pool += [
            "[a-z]*",
            "(a)",
            "a{2}b{3}",
            "2024-02-30T00:00:00.000000Z",
            [],
            {},
            ["b", "a"],
            ["a", "a"],
            {"kind": "null"},
        ]
        self.pool += [value for name in FILES for _, value in leaves(sample(name))]

    def card(self, name: Any) -> Any:
        card = sample(name)
        for _ in range(self.draw.choice([1, 1, 1, 2, 3])):
            self.change(card)
        return card

    def change(self, card: Any) -> None:
        places = list(self.places(card))
        holder, key = self.draw.choice(places)
        kind = self.draw.random()
        if kind < 0.4:
            holder[key] = json.loads(json.dumps(self.draw.choice(self.pool)))
        elif kind < 0.5:
            other, other_key = self.draw.choice(places)
            holder[key] = json.loads(json.dumps(other[other_key]))
        elif kind < 0.65:
            del holder[key]
        elif kind < 0.8 and isinstance(holder, dict):
            holder[self.draw.choice(["extra", key + "x", "Bad", "a\nb", "kind", "type"])] = holder[key]
        elif isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        elif isinstance(holder[key], str):
            holder[key] += self.draw.choice(["x", "\n", "é", "-", "0"])
        elif type(holder[key]) is int:
            holder[key] += self.draw.choice([-1, 1])

    def places(self, value: Any) -> Any:
        if isinstance(value, dict | list):
            keys = list(value) if isinstance(value, dict) else range(len(value))
            for key in keys:
                yield value, key
                yield from self.places(value[key])


@pytest.mark.parametrize("name", FILES)
def test_both_engines_and_the_reader_agree_near_the_border(name: Any) -> None:
    border = Border(SEED + len(name))
    schema = sample(name)["schema"]
    upstream = [sample(other) for other in FILES[: FILES.index(name)]]
    counts = {"valid": 0, "unsorted": 0, "invalid": 0, "accepted": 0}
    for _ in range(250):
        card = border.card(name)
        first, second = verdicts(schema, card)
        assert first is second, card
        code = shape_verdict(schema, card)
        counts["unsorted" if code == "shape.set_order" else "valid" if first else "invalid"] += 1
        assert first is (code in ("", "shape.set_order")), (code, card)
        try:
            validate_card(sealed(card), references=upstream)
        except CardValidationError:
            continue
        counts["accepted"] += 1
        assert verdicts(schema, card) == (True, True), card
    assert min(counts["valid"], counts["invalid"], counts["accepted"]) > 10, counts
