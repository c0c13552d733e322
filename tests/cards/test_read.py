"""The reader takes bytes, text or a path, strictly, and gives an immutable card that shares nothing with anybody."""

import copy
import gc
import json
import traceback
import weakref
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.cards import card_to_json, load_card_chain, load_card_json, recompute_card_digest, validate_card
from operatebench.conformance.linking import FILES, sample_text
from operatebench.errors import CardValidationError
from tests.cards.chain import Chain, chain, facts, fault_of, in_order, put, sample, sealed

OPERATION = sample_text("operation")


def refused(source: Any, references: Any = ()) -> CardValidationError:
    with pytest.raises(CardValidationError) as caught:
        load_card_json(source, references=references)
    return caught.value


def upstream(name: Any) -> list[Any]:
    return [sample(other) for other in FILES[: FILES.index(name)]]


@pytest.mark.parametrize("name", FILES)
def test_bytes_text_and_path_give_the_same_card(name: Any, tmp_path: Path) -> None:
    data = sample_text(name)
    path = tmp_path / "card.json"
    path.write_bytes(data)

    for source in (data, data.decode(), path):
        card = load_card_json(source, references=upstream(name))
        assert card_to_json(card) == sample(name)
        assert list(card) == list(sample(name))
        assert list(card["content"]) == list(sample(name)["content"])
        assert recompute_card_digest(card) == card["content_digest_sha256"]


class Bytes(bytes):
    def decode(self, *_: Any) -> str:
        raise AssertionError("a hook ran")


class Text(str):
    __slots__ = ()

    def encode(self, *_: Any) -> bytes:
        raise AssertionError("a hook ran")


class Place(type(Path())):  # type: ignore[misc]  # the platform's concrete class is known at run time only
    def read_bytes(self) -> bytes:
        raise AssertionError("a hook ran")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (Bytes(b"{}"), "Bytes"),
        (Text("{}"), "Text"),
        (Place("/"), "Place"),
        (PurePosixPath("/"), "PurePosixPath"),
        (bytearray(b"{}"), "bytearray"),
        (memoryview(b"{}"), "memoryview"),
    ],
    ids=["bytes", "text", "path", "pure path", "bytearray", "memoryview"],
)
def test_other_types_of_source_are_refused_and_their_hooks_do_not_run(source: Any, name: str) -> None:
    fault = refused(source)

    assert facts(fault) == (
        "parse.source",
        "card#",
        "bytes, text of JSON or a pathlib.Path",
        f"a Python object of type {name}",
    )
    assert type(fault.__cause__) is TypeError


@pytest.mark.parametrize("source", [None, 7, {}, [], sample("operation")], ids=["null", "7", "dict", "list", "card"])
def test_values_are_no_source(source: Any) -> None:
    assert refused(source).code == "parse.source"


def test_text_is_never_taken_for_a_path(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(OPERATION)

    assert refused(str(path)).code == "parse.syntax"


@pytest.mark.parametrize(
    "make", [lambda folder: folder / "none.json", lambda folder: folder, lambda folder: folder / "a\0b"]
)
def test_a_path_that_cannot_be_read_is_refused(make: Any, tmp_path: Path) -> None:
    place = make(tmp_path)
    fault = refused(place)

    assert (fault.code, fault.path, fault.expected) == ("parse.unreadable", "card#", "a readable file")
    assert place.name.replace("\0", "\\x00") in fault.actual
    assert isinstance(fault.__cause__, OSError | ValueError)
    assert fault.__cause__.__traceback__ is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "parse.syntax"),
        (b" \n", "parse.syntax"),
        (b"\xef\xbb\xbf" + OPERATION, "parse.syntax"),
        (OPERATION + b"x", "parse.syntax"),
        (OPERATION + OPERATION, "parse.syntax"),
        (b'{"a": 1,}', "parse.syntax"),
        (b'{"a": 01}', "parse.syntax"),
        (b'{"a": +1}', "parse.syntax"),
        (b'{"a": 0x1}', "parse.syntax"),
        (b"{'a': 1}", "parse.syntax"),
        (b'{"a": 1} // x', "parse.syntax"),
        (b'{"a": "\t"}', "parse.syntax"),
        (b'{"a": "\\x41"}', "parse.syntax"),
        (b'{"a": NaN}', "parse.syntax"),
        (b'{"a": -Infinity}', "parse.syntax"),
        (b'{"a": .5}', "parse.syntax"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "parse.syntax"),
        (b'{"a": \xff}', "parse.not_utf8"),
        (b'{"\xc0\xaf": 1}', "parse.not_utf8"),
        (b'{"\xed\xa0\xbd": 1}', "parse.not_utf8"),
        (b'{"\xf5\x80\x80\x80": 1}', "parse.not_utf8"),
        (b"\xff\xfe{\x00}\x00", "parse.not_utf8"),
        (b'{"a": 1.0}', "parse.float"),
        (b'{"a": 1e2}', "parse.float"),
        (b'{"a": -0.0}', "parse.float"),
        (b'{"a": 1e400}', "parse.float"),
        (b'{"a": 1, "a": 1}', "parse.duplicate_key"),
        (b'{"x": [{"a": 1, "\\u0061": 1}]}', "parse.duplicate_key"),
        (b'{"a": "\\ud83d"}', "projection.lone_surrogate"),
        (b'{"a": "\\ude00\\ud83d"}', "projection.lone_surrogate"),
        (b'{"\\udfff": 1}', "projection.lone_surrogate"),
        (b"[" * 65 + b"]" * 65, "parse.too_deep"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "parse.too_deep"),
        (b"[" * 5_000 + b"]" * 5_000, "parse.too_deep"),
        (b'{"a": 9223372036854775808}', "projection.integer_range"),
        (b'{"a": -9223372036854775809}', "projection.integer_range"),
        (b'{"a": 18446744073709551616}', "projection.integer_range"),
        (b"[" + b"1," * 4_096 + b"1]", "projection.too_many_members"),
        (b"[]", "shape.root_not_object"),
        (b"null", "shape.root_not_object"),
    ],
)
def test_text_is_read_strictly(text: bytes, code: str) -> None:
    fault = refused(text)

    assert fault.code == code
    assert fault.path.startswith("card#")
    if b"\xff" not in text and code != "parse.not_utf8":
        assert refused(text.decode()).code == code


@pytest.mark.parametrize("count", [65, 100_000, 2_000_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_deep_nesting_is_refused_even_when_it_never_ends(opening: bytes, count: int) -> None:
    assert refused(opening * count).code in ("parse.too_deep", "parse.syntax")


def test_64_levels_of_text_are_read_and_brackets_in_texts_do_not_count() -> None:
    assert refused(b"[" * 64 + b"]" * 64).code == "shape.root_not_object"
    assert refused(b'["' + b"[{" * 5_000 + b'\\"["]').code == "shape.root_not_object"


def test_text_with_a_lone_surrogate_has_no_utf8() -> None:
    assert facts(refused('{"a": "\ud800"}'))[:3] == ("parse.not_utf8", "card#", "text without lone surrogates")


def test_the_place_of_a_fault_in_text_is_its_line_and_column() -> None:
    assert refused(b'{\n "a": 1,\n}').path == "card# line 3 column 1"


def test_minus_zero_is_zero() -> None:
    text = OPERATION.replace(
        b'"declared_max_domain_generated_audit_events": 12', b'"declared_max_domain_generated_audit_events": -0'
    )
    moved = sealed(json.loads(text))
    data = text.replace(sample("operation")["content_digest_sha256"].encode(), moved["content_digest_sha256"].encode())

    zero = load_card_json(data)["content"]["transition_contract"]["declared_max_domain_generated_audit_events"]
    assert (zero, type(zero)) == (0, int)


@pytest.mark.parametrize("pad", [b" ", b"\n", b"\t", b"\r"])
def test_padding_of_any_length_is_no_fault(pad: bytes) -> None:
    padding = pad * (9 * 2**20)

    assert load_card_json(padding + OPERATION + b" ")["id"] == "damp-mould.core@1.4.0"


def test_member_order_and_escapes_do_not_count() -> None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(item) for name, item in reversed(value.items())}
        return [turned(item) for item in value] if isinstance(value, list) else value

    text = json.dumps(turned(sample("variant")), ensure_ascii=True, separators=(" ,\n", "\t: "))

    assert card_to_json(load_card_json(text, references=upstream("variant"))) == sample("variant")


@pytest.mark.parametrize(
    "call",
    [
        lambda: load_card_json(b"{"),
        lambda: load_card_json("\ud800"),
        lambda: load_card_json(b"[1.5]"),
        lambda: load_card_json(OPERATION.replace(b"EUR", b"USD")),
        lambda: load_card_json(sample_text("scenario")),
        lambda: load_card_json(sample_text("variant"), references=[sample("scenario")]),
    ],
)
def test_a_refused_card_has_no_cause(call: Any) -> None:
    with pytest.raises(CardValidationError) as caught:
        call()

    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_a_card_is_immutable_all_the_way_down() -> None:
    card: Any = load_card_json(sample_text("variant"), references=upstream("variant"))

    def walk(value: Any) -> Iterator[Any]:
        yield value
        for item in (
            value.values() if isinstance(value, MappingProxyType) else value if isinstance(value, tuple) else ()
        ):
            yield from walk(item)

    kinds = {type(value) for value in walk(card)}
    assert kinds == {MappingProxyType, tuple, str, int, bool, type(None)}
    with pytest.raises(TypeError):
        card["id"] = "x"
    with pytest.raises(TypeError):
        card["content"]["events"][0]["payload"]["room"] = "x"
    with pytest.raises(TypeError):
        card["content"]["events"][0] = None


def test_a_card_shares_nothing_with_what_was_given() -> None:
    made = chain()
    given = made["variant"]

    card = validate_card(given, references=[made["scenario"], made["operation"]])
    given["content"]["events"][0]["payload"]["room"] = "changed"
    given["content"]["events"].clear()

    assert card_to_json(card) == sample("variant")


def test_a_thawed_card_is_detached_and_validates_again() -> None:
    card = load_card_json(OPERATION)
    thawed = card_to_json(card)

    assert validate_card(card) == card
    thawed["content"]["operation_version"] = "9.9.9"
    assert card["content"]["operation_version"] == "1.4.0-rc.2+build.77"
    with pytest.raises(CardValidationError) as caught:
        validate_card(thawed)
    assert caught.value.code == "digest.stale_or_forged"


class Watched:
    """An iterable of references that counts how often and how far it is read."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.started = 0
        self.given = 0

    def __iter__(self) -> Iterator[Any]:
        self.started += 1
        for item in self.items:
            self.given += 1
            yield item


def test_references_are_iterated_once_and_may_be_a_generator() -> None:
    watched = Watched(upstream("variant"))

    assert validate_card(sample("variant"), references=watched)["id"]
    assert (watched.started, watched.given) == (1, 2)
    assert validate_card(sample("variant"), references=(card for card in upstream("variant")))["id"]


def test_references_of_an_operation_are_never_touched() -> None:
    watched = Watched([object()])
    nothing: Any = None

    assert validate_card(sample("operation"), references=watched)["id"]
    assert load_card_json(OPERATION, references=nothing)["id"]
    assert watched.started == 0


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda card: card.update(x=float("nan")), "projection.float"),
        (lambda card: card.update(schema="other"), "generation.unsupported_pair"),
        (lambda card: card.update(id="Upper"), "shape.lexical"),
        (lambda card: card.update(content_digest_sha256="0" * 64), "digest.stale_or_forged"),
    ],
)
def test_a_card_that_is_unsound_in_itself_is_refused_before_its_references_are_touched(edit: Any, code: str) -> None:
    watched = Watched([object()])
    card = sample("variant")
    edit(card)

    with pytest.raises(CardValidationError) as caught:
        validate_card(card, references=watched)

    assert (caught.value.code, watched.started) == (code, 0)


@pytest.mark.parametrize(
    ("count", "code", "path"),
    [
        (4_096, "references.target_without_identity", "references/4095#"),
        (4_097, "projection.too_many_references", "references#"),
    ],
)
def test_4096_references_are_read_and_4097_are_not(count: int, code: str, path: str) -> None:
    # So many whole cards would have too many nodes; these are read one by one up to the last, which has no identity.
    many = [{"schema": "x", "id": str(index)} for index in range(4_095)] + [{}, {}]

    with pytest.raises(CardValidationError) as caught:
        validate_card(sample("scenario"), references=many[:count])

    assert (caught.value.code, caught.value.path) == (code, path)


def sum_of_nodes(values: list[Any]) -> int:
    def nodes(value: Any) -> int:
        if isinstance(value, dict):
            return 1 + sum(1 + nodes(item) for item in value.values())
        return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1

    return sum(map(nodes, values))


def test_endless_references_are_read_for_4097_items_at_most() -> None:
    def endless() -> Iterator[Any]:
        while True:
            watched.given += 1
            yield {}

    watched = Watched(())
    with pytest.raises(CardValidationError) as caught:
        validate_card(sample("scenario"), references=endless())

    assert (caught.value.code, caught.value.path) == ("projection.too_many_references", "references#")
    assert caught.value.expected == "at most 4096 cards"
    assert watched.given == 4_097


@pytest.mark.parametrize("bad", [None, 7])
def test_references_that_cannot_be_iterated_are_refused(bad: Any) -> None:
    with pytest.raises(CardValidationError) as caught:
        validate_card(sample("scenario"), references=bad)

    assert facts(caught.value)[:3] == ("projection.unreadable", "references#", "cards that can be iterated")


def test_references_that_fail_are_refused_without_their_exception() -> None:
    class Payload:
        pass

    payload = Payload()
    watch = weakref.ref(payload)

    def failing(held: Any) -> Iterator[Any]:
        yield {}
        raise RuntimeError("secret", held)

    with pytest.raises(CardValidationError) as caught:
        validate_card(sample("scenario"), references=failing(payload))
    del payload
    gc.collect()

    assert (caught.value.code, caught.value.path) == ("projection.unreadable", "references#")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert watch() is None


def test_an_interrupt_inside_references_passes_through() -> None:
    def interrupted() -> Iterator[Any]:
        yield {}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validate_card(sample("scenario"), references=interrupted())


def wide_operation(name: str, texts: int, size: int) -> Any:
    """Return an operation with that many texts of that size, each of its own first character."""
    card = sample("operation")
    card["id"] = name
    shape = card["content"]["event_contracts"][0]["required"]["room"]["shape"]
    shape["enum"] = [chr(ord("a") + index) + "x" * (size - 1) for index in range(texts)]
    card["content"]["event_contracts"] = in_order(card["content"]["event_contracts"])
    return sealed(card)


def text_bytes(value: Any) -> int:
    if isinstance(value, dict):
        return sum(text_bytes(name) + text_bytes(item) for name, item in value.items())
    if isinstance(value, list):
        return sum(map(text_bytes, value))
    return len(value.encode()) if isinstance(value, str) else 0


@pytest.mark.parametrize(("over", "fits"), [(0, True), (1, False)])
def test_a_card_and_its_references_share_8_mebibytes_of_text(over: int, fits: bool) -> None:
    scenario, operation = sample("scenario"), sample("operation")
    first = wide_operation("spare.a", 4, 2**20)
    rest = 2**23 - text_bytes([scenario, operation, first]) - text_bytes(wide_operation("spare.b", 3, 2**20))
    second = wide_operation("spare.b", 3, 2**20)
    last = sample("operation")
    last["id"] = "spare.c"
    second["id"] = "spare.b"
    rest -= text_bytes(last)
    last["content"]["event_contracts"][0]["required"]["room"]["shape"]["enum"] = ["e" * (rest + over)]
    last["content"]["event_contracts"] = in_order(last["content"]["event_contracts"])
    cards = [operation, first, second, sealed(last)]
    assert text_bytes([scenario, *cards]) == 2**23 + over

    if fits:
        assert validate_card(scenario, references=cards)["id"]
        return
    with pytest.raises(CardValidationError) as caught:
        validate_card(scenario, references=cards)
    assert facts(caught.value) == (
        "projection.text_total_too_long",
        "references/3#",
        "at most 8388608 bytes of text in a card and its references",
        "8388609",
    )


@pytest.mark.parametrize(("over", "fits"), [(0, True), (1, False)])
def test_a_card_and_its_references_share_100000_nodes(over: int, fits: bool) -> None:
    scenario, operation = sample("scenario"), sample("operation")
    spare = sample("operation")
    spare["id"] = "spare.core"
    spares: list[Any] = []
    left = 100_000 + over - sum_of_nodes([scenario, operation])
    while left:
        card = copy.deepcopy(spare)
        card["id"] = f"spare.core-{len(spares)}"
        names = card["content"]["transition_contract"]["reducer_ids"]
        own = sum_of_nodes([card])
        take = left - own if left - own <= 4_094 else min(4_094, left - 2 * own)
        names += [f"zz.{index:05}" for index in range(take)]
        left -= own + take
        spares.append(sealed(card))
    assert sum_of_nodes([scenario, operation, *spares]) == 100_000 + over

    if fits:
        assert validate_card(scenario, references=[operation, *spares])["id"]
        return
    with pytest.raises(CardValidationError) as caught:
        validate_card(scenario, references=[operation, *spares])
    assert facts(caught.value) == (
        "projection.too_many_nodes",
        f"references/{len(spares)}#",
        "at most 100000 nodes in a card and its references",
        "100001",
    )


def test_a_chain_is_read_in_any_order_and_each_card_once() -> None:
    sources = [sample_text(name) for name in ("variant", "operation", "scenario")]

    cards = load_card_chain(sources)

    assert [card["schema"].split(".")[1] for card in cards] == [
        "variant_card",
        "operation_card",
        "semantic_scenario_card",
    ]
    assert [card_to_json(card) for card in cards] == [sample(name) for name in ("variant", "operation", "scenario")]
    assert load_card_chain([]) == ()


@pytest.mark.parametrize(
    ("sources", "code", "path"),
    [
        ([b"{"], "parse.syntax", "cards/0# line 1 column 1"),
        ([OPERATION, b"[]"], "references.target_not_object", "cards/1#"),
        ([OPERATION, OPERATION], "references.ambiguous", "cards/1#/id"),
        ([sample_text("scenario")], "references.unresolved", "cards/0#/content/operation_core"),
        ([7], "parse.source", "cards/0#"),
    ],
)
def test_a_chain_names_the_card_that_is_refused(sources: Any, code: str, path: str) -> None:
    with pytest.raises(CardValidationError) as caught:
        load_card_chain(sources)

    assert (caught.value.code, caught.value.path) == (code, path)


def test_adding_unrelated_cards_moves_no_digest() -> None:
    start = chain()
    other = chain(
        operation=lambda card: card.update(id="other.core"),
        scenario=each_id("other.scenario"),
        variant=each_id("other.variant"),
    )

    for name in FILES:
        card = validate_card(start[name], references=[*start_upstream(start, name), *other.values()])
        assert card["content_digest_sha256"] == sample(name)["content_digest_sha256"]
    both = load_card_chain([json.dumps(card) for card in [*start.values(), *other.values()]])
    alone = load_card_chain([json.dumps(card) for card in start.values()])
    assert both[:3] == alone


def each_id(name: str) -> Any:
    return lambda card: card.update(id=name)


def start_upstream(cards: Chain, name: Any) -> list[Any]:
    return [cards[other] for other in FILES[: FILES.index(name)]]


@pytest.mark.parametrize(
    ("edit", "moved"),
    [
        ({"operation": put("/policy_contract/horizon_minutes", 9)}, ["operation", "scenario", "variant"]),
        ({"scenario": put("/construct_label", "other")}, ["scenario", "variant"]),
        ({"variant": put("/variant_label", "other")}, ["variant"]),
    ],
)
def test_a_change_moves_its_card_and_those_below_it_only(edit: Any, moved: list[str]) -> None:
    made = chain(**edit)

    found = [name for name in FILES if made[name]["content_digest_sha256"] != sample(name)["content_digest_sha256"]]
    assert found == moved
    for name in FILES:
        assert fault_or_none(name, made) is None


def fault_or_none(name: Any, made: Chain) -> Any:
    try:
        validate_card(made[name], references=start_upstream(made, name))
    except CardValidationError as fault:
        return fault
    return None


def test_a_stale_reference_is_refused_after_an_upstream_change() -> None:
    made = chain(operation=put("/policy_contract/horizon_minutes", 9))
    stale: Chain = {**made, "scenario": sample("scenario")}

    fault = fault_of("scenario", stale)

    place = "card#/content/operation_core/content_digest_sha256"
    assert (fault.code, fault.path, fault.expected) == ("references.unresolved", place, "the digest of references/0#")
