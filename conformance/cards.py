"""The vector language `operatebench.conformance.cards.v1`, and the sheet of card digests beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..cards import CardValidationError, card_to_json, load_card_json, recompute_card_digest
from ..cards.contract import CARD_PROFILE
from ..errors import DocumentError, describe, pointer
from ..identity.admission import admit
from .judging import Outcome, judge
from .linking import FILES, CardFile, linked_cards, repin, sample_text, written
from .model import Case, Expectation, Strict, read_model
from .patching import PatchOp, generated, patched

DIGESTS = "operatebench.conformance.cards.digests"
"""Our name for the sheet of digests, which names no language itself."""

SAMPLES = frozenset(f"cards/{name}.json" for name in FILES)
"""The packaged sample cards, by the names of packaged files."""

DIGEST_SHEET_MEMBERS = frozenset({"about", "cards", "digest_only"})

MAX_RAW_BYTES = 64 * 1024 * 1024
"""Bytes a ``raw_repeat`` may give."""

_Pair = Annotated[list[Any], Field(min_length=2, max_length=2)]


class Copy(Strict):
    """An extra reference card: a copy of a patched file with a patch of its own, repinned after it."""

    copy_of: CardFile
    patch: list[PatchOp] = Field(default_factory=list)
    no_repin: bool = False


class Literally(Strict):
    """An extra reference that is any value, ``times`` times."""

    value: Any
    times: Annotated[int, Field(ge=0, le=100_000)] = 1


class CardCase(Strict):
    """One case: how its input is made, and whether the reader accepts it."""

    name: str
    target: CardFile
    expected: Literal["accepted", "refused"]
    stage: str = ""
    reason: str = ""
    note: str = ""
    patch: dict[CardFile, list[PatchOp]] = Field(default_factory=dict)
    no_relink: list[CardFile] = Field(default_factory=list)
    no_repin: list[CardFile] = Field(default_factory=list)
    references: list[CardFile] | None = None
    extra_references: list[Copy | Literally] = Field(default_factory=list)
    edit: list[_Pair] = Field(default_factory=list)
    raw: str | None = None
    raw_hex: str | None = None
    raw_repeat: list[_Pair] | None = None

    @model_validator(mode="after")
    def _one_input(self) -> CardCase:
        raws = [name for name in ("raw", "raw_hex", "raw_repeat") if getattr(self, name) is not None]
        if len(raws) > 1 or (raws and self.edit):
            raise ValueError("at most one of edit, raw, raw_hex and raw_repeat")
        if {bool(self.stage), bool(self.reason)} != {self.expected == "refused"}:
            raise ValueError("stage and reason belong to refused cases, and to no other")
        return self


class CardVectorFile(Strict):
    """A whole file of card cases."""

    vectors: str
    count: int
    cases: list[CardCase]
    about: str = ""
    conventions: list[str] = Field(default_factory=list)


def run(document: object) -> list[Outcome]:
    """Run every case of a parsed file of this language, in order.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, or two cases share a name. No
            case of such a file is run.
    """
    file = read_model(CardVectorFile, document, "vector_file")
    if file.count != len(file.cases):
        raise DocumentError("vector_file", path="/count", expected=str(len(file.cases)), actual=describe(file.count))
    seen: set[str] = set()
    for index, case in enumerate(file.cases):
        if case.name in seen:
            path = pointer("cases", index, "name")
            raise DocumentError(
                "vector_file", path=path, expected="a name no other case has", actual=describe(case.name)
            )
        seen.add(case.name)
    return [_judge(case) for case in file.cases]


def _judge(case: CardCase) -> Outcome:
    expect = (
        Expectation(ok="accepted")
        if case.expected == "accepted"
        else Expectation(refused=f"{case.stage}.{case.reason}")
    )
    # The language has generators of its own, so the recipes of the other language have nothing to expand.
    plain = Case(id=case.name, note=case.note, kind="card", input={}, expect=expect)
    return judge(plain, lambda _: decide(case), CardValidationError)


def decide(case: CardCase) -> str:
    """Hand the case's target and references to the reader.

    Returns:
        ``accepted``.

    Raises:
        CardValidationError: the reader refuses.
        DocumentError: ``vector_case``: the input cannot be built.
    """
    cards = linked_cards(case.patch, case.no_relink, case.no_repin)
    source = _source(case, cards)
    load_card_json(source, references=_references(case, cards))
    return "accepted"


def _source(case: CardCase, cards: dict[CardFile, Any]) -> bytes:
    if case.raw is not None:
        return case.raw.encode()
    if case.raw_hex is not None:
        return _from_hex(case.raw_hex)
    if case.raw_repeat is not None:
        return _repeated(case.raw_repeat)
    text = written(cards[case.target])
    for index, pair in enumerate(case.edit):
        found, replacement = generated(pair)
        if type(found) is not str or type(replacement) is not str or found not in text:
            path, expected = pointer("edit", index), "a text of the file, and one in its place"
            raise DocumentError("vector_case", path=path, expected=expected, actual=describe(found))
        text = text.replace(found, replacement, 1)
    return text.encode()


def _from_hex(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        expected, actual = "hexadecimal digits", describe(digits)
        raise DocumentError("vector_case", path="/raw_hex", expected=expected, actual=actual) from None


def _repeated(pieces: list[_Pair]) -> bytes:
    length = 0
    for index, (text, count) in enumerate(pieces):
        fits = type(text) is str and type(count) is int and count >= 0
        length += 4 * len(text) * count if fits else 0
        if not fits or length > MAX_RAW_BYTES:
            path, expected = pointer("raw_repeat", index), "a text and how often it comes"
            raise DocumentError("vector_case", path=path, expected=expected, actual=describe(count))
    return "".join(text * count for text, count in pieces).encode()


def _references(case: CardCase, cards: dict[CardFile, Any]) -> list[Any]:
    names = FILES[: FILES.index(case.target)] if case.references is None else case.references
    given = [cards[name] for name in names]
    for extra in case.extra_references:
        if isinstance(extra, Literally):
            given += [generated(extra.value) for _ in range(extra.times)]
            continue
        copy = patched(cards[extra.copy_of], extra.patch)
        if not extra.no_repin:
            repin(copy)
        given.append(copy)
    return given


class CardDigest(Strict):
    """The digest of a sample card, and length and SHA-256 of the canonical bytes of the whole card."""

    file: str
    id: str
    content_digest_sha256: str
    canonical_card_bytes: int
    canonical_card_sha256: str


class ContentDigest(Strict):
    """A digest over content that is never valid, and the canonical bytes of that content."""

    name: str
    note: str
    card: dict[str, Any]
    canonical_content_hex: str
    content_digest_sha256: str


class DigestSheet(Strict):
    """The whole sheet."""

    about: str
    cards: list[CardDigest]
    digest_only: list[ContentDigest]


def run_digests(document: object) -> list[Outcome]:
    """Recompute every digest of the sheet, in order; each row counts as a case.

    Raises:
        DocumentError: ``vector_file`` if the sheet has another shape.
    """
    sheet = read_model(DigestSheet, document, "vector_file")
    rows: list[tuple[str, dict[str, Any], dict[str, Any], Callable[[dict[str, Any]], Any]]]
    rows = [(row.file, {"file": row.file}, row.model_dump(exclude={"file"}), sample_digest) for row in sheet.cards]
    rows += [
        (row.name, row.card, row.model_dump(exclude={"name", "note", "card"}), content_digest)
        for row in sheet.digest_only
    ]
    return [
        judge(
            Case(id=name, note="", kind="digest", input=given, expect=Expectation(ok=expected)),
            work,
            CardValidationError,
        )
        for name, given, expected, work in rows
    ]


def sample_digest(given: dict[str, Any]) -> dict[str, Any]:
    """Read the sample card of a row with the cards it refers to: its id, its digest, and size and hash of all of it."""
    name = given["file"].removesuffix(".json")
    if name not in FILES:
        raise DocumentError("vector_case", path="/file", expected="a sample card", actual=describe(given["file"]))
    cards = linked_cards({}, FILES, FILES)
    card = load_card_json(sample_text(name), references=[cards[other] for other in FILES[: FILES.index(name)]])
    data = bytes(admit(card_to_json(card), CARD_PROFILE).canonical)
    return {
        "id": card["id"],
        "content_digest_sha256": recompute_card_digest(card),
        "canonical_card_bytes": len(data),
        "canonical_card_sha256": hashlib.sha256(data).hexdigest(),
    }


def content_digest(card: dict[str, Any]) -> dict[str, Any]:
    """Hash content without validating it: its canonical bytes, and the digest of the card."""
    content = admit(card_to_json(card), CARD_PROFILE).value["content"]
    return {
        "canonical_content_hex": bytes(admit(content, CARD_PROFILE).canonical).hex(),
        "content_digest_sha256": recompute_card_digest(card),
    }
