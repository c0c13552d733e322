"""Callers' containers are read within the limits, whatever they claim, and nothing of them outlives a refusal."""

import enum
import gc
import traceback
import types
import weakref
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.cards import card_to_json, validate_card
from operatebench.cards.plain import plain
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, facts, sample


def refused(value: Any) -> CardValidationError:
    with pytest.raises(CardValidationError) as caught:
        validate_card(value)
    return caught.value


class Endless(Mapping[str, Any]):
    """A mapping that lies about its length and never ends, and counts how much of it was read."""

    def __init__(self) -> None:
        self.read = 0

    def __len__(self) -> int:
        raise AssertionError("no length is asked")

    def __getitem__(self, name: str) -> Any:
        raise AssertionError("items are read through items() only")

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("items are read through items() only")

    def items(self) -> Any:
        while True:
            self.read += 1
            yield f"k{self.read}", None


class EndlessRow(Sequence[Any]):
    def __init__(self) -> None:
        self.read = 0

    def __len__(self) -> int:
        raise AssertionError("no length is asked")

    def __getitem__(self, index: Any) -> Any:
        raise AssertionError("items are read by iterating only")

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.read += 1
            yield None


class Failing(Mapping[str, Any]):
    """A mapping whose reading raises an exception that must not be looked at."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __len__(self) -> int:
        return 1

    def __getitem__(self, name: str) -> Any:
        raise self.error

    def __iter__(self) -> Iterator[str]:
        raise self.error


class FailingRow(Sequence[Any]):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        raise self.error

    def __iter__(self) -> Iterator[Any]:
        yield 1
        raise self.error


class Silent(Exception):  # noqa: N818 - it stands for any class of a caller
    """An exception that fails when somebody formats or inspects it."""

    @property
    def args(self) -> Any:  # type: ignore[override]  # the point is that nobody asks
        raise AssertionError("args were read")

    def __str__(self) -> str:
        raise AssertionError("it was formatted")

    __repr__ = __str__


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, {"b": None}], "c": "x"},
        OrderedDict(a=(1, {"b": None}), c="x"),
        MappingProxyType({"a": [1, MappingProxyType({"b": None})], "c": "x"}),
        UserDict({"a": UserList([1, UserDict({"b": None})]), "c": "x"}),
        {"a": deque([1, {"b": None}]), "c": "x"},
    ],
)
def test_any_mapping_is_an_object_and_any_sequence_an_array(value: Any) -> None:
    made = plain(value, "card#")

    assert made == {"a": [1, {"b": None}], "c": "x"}
    assert (type(made), type(made["a"]), type(made["a"][1])) == (dict, list, dict)
    assert card_to_json(value) == made


def test_a_range_is_an_array_of_integers() -> None:
    assert card_to_json(range(3)) == [0, 1, 2]


def test_the_copy_shares_nothing_with_the_original() -> None:
    inner: list[Any] = [1]
    given = {"a": inner, "b": inner}

    made = plain(given, "card#")
    inner.append(2)

    assert made == {"a": [1], "b": [1]}
    assert made["a"] is not made["b"]


def test_an_endless_mapping_is_read_for_4097_items_at_most() -> None:
    endless = Endless()

    fault = refused({"content": endless})

    assert facts(fault)[:3] == ("projection.too_many_members", "card#/content", "at most 4096 direct items")
    assert endless.read <= 4_097


def test_an_endless_sequence_is_read_for_4097_items_at_most() -> None:
    endless = EndlessRow()

    fault = refused([endless])

    assert (fault.code, fault.path) == ("projection.too_many_members", "card#/0")
    assert endless.read <= 4_097


@pytest.mark.parametrize("make", [Failing, FailingRow])
@pytest.mark.parametrize(
    "error", [RuntimeError("secret"), Silent("secret"), StopIteration("secret"), ValueError("secret")]
)
def test_a_failing_container_is_refused_without_its_exception(make: Any, error: Exception) -> None:
    fault = refused({"content": make(error)})

    assert facts(fault)[:3] == ("projection.unreadable", "card#/content", "a mapping or sequence that can be read")
    assert fault.__cause__ is None
    assert fault.__context__ is None
    assert "secret" not in "".join(traceback.format_exception(fault))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_an_interrupt_passes_through_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        validate_card({"content": Failing(error)})

    assert caught.value is error


def test_nothing_of_the_caller_hangs_on_a_refusal() -> None:
    class Payload(list[Any]):
        """A list that can be watched."""

    given = Payload([object()])
    watch = weakref.ref(given)
    with pytest.raises(CardValidationError) as caught:
        validate_card({"content": given})

    del given
    gc.collect()

    assert caught.value.code == "projection.wrong_type"
    assert caught.value.__traceback__ is not None
    assert watch() is None


@pytest.mark.parametrize("items", [[("a", 1), ("a", 1)], [("a", 1), ("b", 2), ("a", 3)]])
def test_a_name_given_twice_is_refused(items: list[tuple[str, int]]) -> None:
    class Twice(UserDict[str, int]):
        def items(self) -> Any:
            return items

    assert facts(refused({"x": Twice()})) == ("parse.duplicate_key", "card#/x", "unique member names", '"a"')


class Text(str):
    """A text that is not exactly one; none of its hooks may run."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a hook ran")

    def __hash__(self) -> int:
        raise AssertionError("a hook ran")

    def __len__(self) -> int:
        raise AssertionError("a hook ran")

    def __str__(self) -> str:
        raise AssertionError("a hook ran")

    def encode(self, *_: Any) -> bytes:
        raise AssertionError("a hook ran")


class Number(int):
    def __eq__(self, other: object) -> bool:
        raise AssertionError("a hook ran")

    def __hash__(self) -> int:
        raise AssertionError("a hook ran")

    def __index__(self) -> int:
        raise AssertionError("a hook ran")


class Level(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    ONE = "one"


class Liar:
    @property  # type: ignore[misc]  # it lies about its class
    def __class__(self) -> type:
        raise AssertionError("the class was asked of the value")


class HostileMeta(type):
    def __hash__(cls) -> int:
        raise RuntimeError("a metaclass failed")

    def __instancecheck__(cls, instance: object) -> bool:
        raise AssertionError("a hook ran")


class Hostile(dict[str, Any], metaclass=HostileMeta):
    pass


def generator() -> Iterator[int]:
    yield 1


FOREIGN = [
    (Text("x"), "Text"),
    (Number(1), "Number"),
    (type("Double", (float,), {})(1.0), "Double"),
    (Level.ONE, "Level"),
    (Word.ONE, "Word"),
    (b"x", "bytes"),
    (bytearray(b"x"), "bytearray"),
    (memoryview(b"x"), "memoryview"),
    ({1}, "set"),
    (frozenset(), "frozenset"),
    (generator(), "generator"),
    (iter([]), "list_iterator"),
    ({}.keys(), "dict_keys"),
    (object(), "object"),
    (Liar(), "Liar"),
    (Hostile(), "Hostile"),
    (1j, "complex"),
    (types.SimpleNamespace(), "SimpleNamespace"),
]


@pytest.mark.parametrize(("value", "name"), FOREIGN, ids=[name for _, name in FOREIGN])
def test_other_types_are_refused_before_any_hook_of_theirs_runs(value: Any, name: str) -> None:
    fault = refused({"x": [value]})

    expected = "exactly null, a boolean, integer, text, array or object"
    assert facts(fault) == ("projection.wrong_type", "card#/x/0", expected, f"a Python object of type {name}")


@pytest.mark.parametrize("name", [1, None, b"x", Text("x"), ("a",)], ids=["int", "None", "bytes", "subclass", "tuple"])
def test_member_names_are_exactly_text(name: Any) -> None:
    class Named(UserDict[Any, Any]):
        def items(self) -> Any:
            return [(name, 1)]

    fault = refused({"x": Named()})

    assert facts(fault)[:3] == ("projection.wrong_type", "card#/x", "a member name of exact text and its value")


@pytest.mark.parametrize("pair", [["a", 1], ("a",), ("a", 1, 2), "ab", None])
def test_items_are_pairs(pair: Any) -> None:
    class Odd(UserDict[Any, Any]):
        def items(self) -> Any:
            return [pair]

    assert refused(Odd()).code == "projection.wrong_type"


def test_a_container_in_itself_ends_at_the_nesting_limit() -> None:
    row: list[Any] = []
    row.append(row)
    record: dict[str, Any] = {}
    record["k"] = record

    assert (refused(row).code, refused(record).code) == ("projection.too_deep", "projection.too_deep")


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"k": inner}, lambda inner: (inner,)])
def test_64_nested_containers_are_admitted_and_65_are_not(wrap: Any) -> None:
    value: Any = None
    for _ in range(64):
        value = wrap(value)

    assert card_to_json(value) is not None
    with pytest.raises(CardValidationError) as caught:
        card_to_json(wrap(value))
    assert caught.value.code == "projection.too_deep"
    assert caught.value.expected == "at most 64 nested containers"


def test_4096_items_are_admitted_and_4097_are_not() -> None:
    assert len(card_to_json([None] * 4_096)) == len(card_to_json({f"k{i}": i for i in range(4_096)})) == 4_096
    for value in ([None] * 4_097, {f"k{i}": i for i in range(4_097)}):
        with pytest.raises(CardValidationError) as caught:
            card_to_json(value)
        assert (caught.value.code, caught.value.path) == ("projection.too_many_members", "card#")


def test_every_value_and_every_name_is_a_node() -> None:
    # The root, 25 arrays, 24 times 4,096 nulls and 1,670 more: 1 + 25 + 98,304 + 1,670 = 100,000.
    full = [[None] * 4_096] * 24 + [[None] * 1_670]
    # A member is two nodes, so 12 objects of 4,096 members and one of 841 are 1 + 12 * 8,193 + 1,683 = 100,000.
    named = [{f"k{i}": None for i in range(4_096)}] * 12 + [{f"k{i}": None for i in range(841)}]

    assert len(card_to_json(full)) == 25
    assert len(card_to_json(named)) == 13
    for over in ([*full, None], [*named, None]):
        with pytest.raises(CardValidationError) as caught:
            card_to_json(over)
        assert (caught.value.code, caught.value.expected) == ("projection.too_many_nodes", "at most 100000 nodes")


def test_a_value_that_repeats_itself_is_bounded_by_what_it_unfolds_to() -> None:
    row: Any = [None] * 4
    for _ in range(50):
        row = [row] * 4

    with pytest.raises(CardValidationError) as caught:
        card_to_json(row)

    assert caught.value.code == "projection.too_many_nodes"


@pytest.mark.parametrize("value", [1.0, -0.0, 1e300, float("nan"), float("inf")])
def test_floats_are_refused_even_integral_ones(value: float) -> None:
    fault = refused({"x": value})

    assert (fault.code, fault.path) == ("projection.float", "card#/x")


@pytest.mark.parametrize("value", [{"x": "a\ud800"}, {"x": {"\udfff": 1}}])
def test_lone_surrogates_are_refused_in_texts_and_names(value: Any) -> None:
    fault = refused(value)

    assert (fault.code, fault.path) == ("projection.lone_surrogate", "card#/x")


def test_text_has_at_most_a_mebibyte_of_utf8() -> None:
    for text in ("a" * 2**20, "é" * 2**19, "💧" * 2**18):
        assert card_to_json({"x": text, text: 1})["x"] == text
        for over in ({"x": text + "a"}, {text + "a": 1}):
            with pytest.raises(CardValidationError) as caught:
                card_to_json(over)
            assert caught.value.code == "projection.string_too_long"


def test_a_card_has_at_most_8_mebibytes_of_canonical_bytes() -> None:
    text = "a" * (2**20 - 3)
    full = [text] * 7 + ["a" * (2**20 - 3 - 1)]

    assert len(card_to_json(full)) == 8  # one bracket, and each text with two quotes and a comma or bracket
    with pytest.raises(CardValidationError) as caught:
        card_to_json([*full[:-1], text])
    assert (caught.value.code, caught.value.actual) == ("projection.card_too_long", "8388609 canonical bytes")


def test_a_whole_chain_of_foreign_containers_is_validated() -> None:
    made = chain()
    foreign: dict[str, Any] = {name: UserDict(card) for name, card in made.items()}

    card = validate_card(foreign["variant"], references=(foreign["scenario"], MappingProxyType(made["operation"])))

    assert card_to_json(card) == sample("variant")
