"""Figures of the card reader: one chain against `jsonschema` and `json.loads`, and a folder against a smaller one."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from statistics import median
from typing import Any

import jsonschema
import referencing

from operatebench import vectors
from operatebench.cards import CARD_SCHEMAS, load_card_chain, load_schema
from operatebench.cards.authoring.folder import check_cards
from operatebench.cards.authoring.seal import seal
from operatebench.cards.resources import DEFINITIONS, load_resource

from .figures import Measurement, at_least, at_most, figure
from .measure import compare, time_ms
from .samples import Sample, sample

FOLDER_SIZES = (500, 2_000)
"""Variants of one scenario in the folders whose cost per card is compared."""


@cache
def chain() -> tuple[Sample, ...]:
    """Return the texts of the three cards of the conformance vectors: operation, scenario, variant."""
    folder = files(vectors) / "cards"
    texts = ((name, (folder / f"{name}.json").read_bytes()) for name in ("operation", "scenario", "variant"))
    return tuple(
        Sample(f"{name} card", text, measured.nodes, measured.non_ascii)
        for name, text in texts
        for measured in (sample(name, json.loads(text)),)
    )


class StraightWay:
    """What one would do without this package: parse each card, and check it against its schema. No rule is checked."""

    def __init__(self) -> None:
        definitions = load_resource(DEFINITIONS)
        resource: referencing.Resource[Any] = referencing.Resource.from_contents(definitions)
        registry = resource @ referencing.Registry()
        self._validators = [
            jsonschema.Draft202012Validator(load_schema(literal), registry=registry) for literal in CARD_SCHEMAS
        ]

    def __call__(self, texts: tuple[Sample, ...]) -> None:
        """Check the cards, which come in the order of the schemas.

        Raises:
            jsonschema.ValidationError: a schema refuses its card.
        """
        for validator, text in zip(self._validators, texts, strict=True):
            validator.validate(json.loads(text.data))


@figure("cards-chain-vs-jsonschema", at_least(30), rounds=9)
def cards_chain_vs_jsonschema(rounds: int) -> Measurement:
    """Read and validate three cards that refer to one another, every rule, in one call: times faster than jsonschema.

    That is json.loads and a prebuilt validator for each card, which checks shape alone.
    """
    texts = chain()
    sources = [text.data for text in texts]
    straight = StraightWay()
    return compare(
        lambda: load_card_chain(sources),
        lambda: straight(texts),
        reference="json.loads + jsonschema (prebuilt)",
        rounds=rounds,
        samples=texts,
        inverted=True,
    )


@figure("cards-chain-vs-json", at_most(6), rounds=25)
def cards_chain_vs_json(rounds: int) -> Measurement:
    """Read and validate three cards that refer to one another, every rule, in one call, against json.loads of them."""
    texts = chain()
    sources = [text.data for text in texts]
    return compare(
        lambda: load_card_chain(sources),
        lambda: [json.loads(source) for source in sources],
        reference="json.loads of the three cards",
        rounds=rounds,
        samples=texts,
    )


def folder(variants: int) -> list[tuple[str, bytes]]:
    """Return the files of a folder: an operation, a scenario, and so many variants of it, all valid."""
    operation, scenario, variant = (text.data for text in chain())
    made = [("operation.json", operation), ("scenario.json", scenario)]
    for number in range(variants):
        card = json.loads(variant)
        card["id"] = f"{card['id']}-{number}"
        card["content"]["variant_label"] = f"label-{number}"
        made.append((f"variant-{number:04}.json", seal(card).text()))
    return made


@figure("card-check-2000", at_most(1.3), rounds=5)
def card_check_2000(rounds: int) -> Measurement:
    """Check a folder of 2,000 variants of one scenario: cost per card by that of a folder of 500."""
    small, big = (folder(size) for size in FOLDER_SIZES)
    for made in (small, big):
        if any(card.refusal for card in check_cards(made)):  # warms up, too
            raise AssertionError("a generated card is not valid")
    before, after = zip(*([_cost(small), _cost(big)] for _ in range(rounds)), strict=True)
    return Measurement(
        reference="itself with 500 variants",
        ratios=tuple(new / old for new, old in zip(after, before, strict=True)),
        ours=after,
        theirs=before,
        unit="ms per card",
        samples=chain(),
        details={"ms per card of 500": median(before), "ms per card of 2000": median(after)},
    )


def _cost(made: list[tuple[str, bytes]]) -> float:
    """Return how many milliseconds a card of the folder costs; a small folder is checked several times."""
    return time_ms(lambda: list(check_cards(made)), max(FOLDER_SIZES) // len(made) or 1) / len(made)
