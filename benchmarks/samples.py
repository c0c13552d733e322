"""Makes the documents that are measured: seeded, so that every run and every hash seed measures the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from operatebench.identity import build_identity_manifest, build_projection_census
from operatebench.identity.registry import COMPONENTS

_SEED = 20_250_101
_VOCABULARY = """
    account approval arrival balance boiler booked budget caller carrier checked closed contract counter courier
    damage delivery deposit driver effect engine estimate evidence followup handover invoice kitchen landlord
    ledger meeting notice operator parcel payment permit pressure quote receipt refund repair report resident
    returned schedule settled signed supplier tenant ticket urgent valve visit voucher waiting warranty window
    witness
"""
_WORDS = _VOCABULARY.split()
_FOREIGN_WORDS = ("naïve", "Zürich", "£250", "→", "検査済み", "приёмка", "🔧", "👍🏽", "🏠")
_FIELDS_LIMIT = 372
"""Most fields of one generated component: eleven of them stay below the 4,096 rows of a census."""

_EMPTY_BYTES, _EMPTY_NODES = 800, 30
"""Size and nodes of an empty component identity, rounded up."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A measured JSON text.

    Attributes:
        shape: what it is, in words.
        data: the text in UTF-8.
        nodes: its JSON values; member names are not counted.
        non_ascii: share of its characters that stand in texts or names with at least one non-ASCII character, 0 to 1.
            One such character makes CPython store and encode the whole text differently, so whole texts count.
    """

    shape: str
    data: bytes
    nodes: int
    non_ascii: float


@dataclass(frozen=True, slots=True)
class ManifestSample:
    """A valid manifest with its census and projections, each as a text of its own, so that nothing is shared."""

    manifest: Sample
    census: Sample
    projections: Sample


def sample(shape: str, value: Any, indent: int | None = None) -> Sample:
    """Write ``value`` as JSON, in member order, raw UTF-8, compact unless ``indent`` is given, and measure it."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
    nodes = total = foreign = 0
    for node, names in _visit(value):
        nodes += 1
        for characters in (*names, *([node] if isinstance(node, str) else [])):
            total += len(characters)
            foreign += 0 if characters.isascii() else len(characters)
    return Sample(shape, text.encode(), nodes, foreign / total if total else 0.0)


def _visit(value: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield every node with the member names it has."""
    pending = [value]
    while pending:
        node = pending.pop()
        yield node, list(node) if isinstance(node, dict) else []
        pending.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())


def manifest_sample(shape: str, size: int, nodes: int) -> ManifestSample:
    """Return a valid manifest of about ``size`` bytes and ``nodes`` nodes, all components about equally big.

    Args:
        shape: what it is, in words.
        size: bytes of the manifest; over 8,000, at most 3,784,704 (eleven times the limit of a component).
        nodes: nodes of the manifest; at most 61,600.
    """
    projections = _projections(size, nodes)
    manifest = build_identity_manifest(projections)
    census = build_projection_census(projections)
    return ManifestSample(
        sample(shape, manifest),
        sample(f"census of: {shape}", census),
        sample(f"projections of: {shape}", projections),
    )


def manifest_like(shape: str, size: int, nodes: int, indent: int | None = None) -> Sample:
    """Return a document built like a manifest, without digests and without the limit on one component.

    Args:
        shape: what it is, in words.
        size: bytes of its compact form.
        nodes: its nodes.
        indent: spaces of indentation; compact when None.
    """
    components = {
        name: {"owned_fields": sorted(projection), "owned_projection": projection, "excludes": []}
        for name, projection in _projections(size, nodes).items()
    }
    return sample(shape, {"schema": "manifest.like", "components": components}, indent)


def _projections(size: int, nodes: int) -> dict[str, dict[str, Any]]:
    """Return eleven projections whose identities have about ``size`` bytes and ``nodes`` nodes together."""
    random = Random(_SEED)
    room, places = size // len(COMPONENTS), nodes // len(COMPONENTS)
    return {name: _projection(random, name.removesuffix("_content"), room, places) for name in COMPONENTS}


def _projection(random: Random, stem: str, room: int, places: int) -> dict[str, Any]:
    """Return one projection whose identity fills ``room`` bytes, with at most ``places`` nodes."""
    projection: dict[str, Any] = {}
    free_room, free_places = room - _EMPTY_BYTES, places - _EMPTY_NODES
    while len(projection) < _FIELDS_LIMIT:
        path = f"/{stem}/{random.choice(_WORDS)}/{random.choice(_WORDS)}/{len(projection):04}"
        value = _value(random, _text_words(random, room / places, wide=free_room * places > free_places * room))
        added = sample("", value)
        needed = len(added.data) + 2 * len(path) + 7
        if needed > free_room or added.nodes + 1 > free_places:
            break
        projection[path] = value
        free_room -= needed
        free_places -= added.nodes + 1
    path = f"/{stem}/summary"
    projection[path] = _text(random, max(1, free_room // 5), foreign=0.0)[: max(0, free_room - 2 * len(path) - 9)]
    return projection


def _text_words(random: Random, bytes_a_node: float, *, wide: bool) -> int:
    """Return how many words the next texts shall have: many of them while there is more room than nodes to fill it."""
    usual = max(1, round(bytes_a_node / 5))
    return random.randint(2 * usual, 4 * usual) if wide else random.randint(1, usual)


def _value(random: Random, words: int) -> Any:
    kind = random.randrange(8)
    if kind == 0:
        return _text(random, words * 2)
    if kind == 1:
        return random.choice((None, True, False, random.randrange(100_000)))
    if kind == 2:
        return [random.randrange(10_000) for _ in range(random.randint(4, 10))]
    return {
        "id": f"{random.choice(_WORDS)}-{random.randrange(10_000):04}",
        "enabled": random.random() < 0.5,
        "limit": random.randrange(1_000_000),
        "note": _text(random, words),
        "tags": random.sample(_WORDS, 3),
        "steps": [
            {"at": random.randrange(10_000), "state": random.choice(_WORDS), "says": _text(random, words)}
            for _ in range(random.randint(1, 5))
        ],
    }


def _text(random: Random, words: int, foreign: float = 0.04) -> str:
    """Return a sentence; with the probability ``foreign`` one of its words is not ASCII."""
    chosen = random.choices(_WORDS, k=words)
    if random.random() < foreign:
        chosen[random.randrange(words)] = random.choice(_FOREIGN_WORDS)
    return " ".join(chosen)


def episodes(size: int, words: int) -> Sample:
    """Return message episodes of about ``size`` bytes, every second text with an emoji or foreign word.

    Args:
        size: bytes of the document.
        words: most words of one message; half of that is the mean.
    """
    random = Random(_SEED)
    made: list[Any] = []
    length = 0
    while length < size:
        messages = [
            {
                "role": random.choice(("resident", "operator", "contractor")),
                "at": 1_700_000_000 + random.randrange(10_000_000),
                "text": _text(random, random.randint(1, words), foreign=0.5),
                "seen": random.random() < 0.8,
            }
            for _ in range(random.randint(4, 12))
        ]
        episode = {"episode": f"e-{len(made):05}", "messages": messages, "outcome": random.choice(_WORDS)}
        made.append(episode)
        length += len(sample("", episode).data) + 1
    batches = [made[start : start + 1_000] for start in range(0, len(made), 1_000)]
    return sample("message episodes, every second text with an emoji or foreign word", {"batches": batches})


def integers(nodes: int) -> Sample:
    """Return rows of 250 integers from 0 to 5,999, ``nodes`` nodes in all: the most values a document can have."""
    random = Random(_SEED)
    rows = [[random.randrange(6_000) for _ in range(250)] for _ in range(nodes // 251)]
    return sample("rows of 250 integers below 6,000", rows)
