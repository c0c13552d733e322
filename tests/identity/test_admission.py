"""The walker admits exactly the strict JSON profile, keeps every limit at both sides, and says where a fault is."""

import collections
import copy
import decimal
from types import MappingProxyType
from typing import Any

import pytest
from canonicaljson import encode_canonical_json
from hypothesis import given, settings

from operatebench.errors import IdentityValidationError
from operatebench.errors.texts import MAX_PATH
from operatebench.identity.admission import admit
from tests.identity import oracle
from tests.identity.documents import nested
from tests.identity.refusals import assert_refused, assert_well_formed, refusal
from tests.identity.strategies import any_value

RANGE = "an integer from -9007199254740991 to 9007199254740991"
MEBIBYTE = 1_048_576


@pytest.mark.parametrize("value", [1.5, float("nan"), float("inf"), float("-inf"), 1e300, 9007199254740992.0, 5e-324])
def test_refuses_a_float_that_is_no_interoperable_integer(value: float) -> None:
    assert_refused("strict_json", "/a/1", RANGE, repr(value), admit, {"a": [0, value]})


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**63, 2**64, 10**30])
def test_refuses_an_integer_outside_the_interoperable_range(value: int) -> None:
    assert_refused("strict_json", "/a/1", RANGE, str(value), admit, {"a": [0, value]})


def test_a_huge_integer_is_described_by_its_size() -> None:
    assert_refused("strict_json", "", RANGE, "an integer of 16610 bits", admit, 10**5000)


@pytest.mark.parametrize("value", [1.0, -1.0, -0.0, 1e3, 9007199254740991.0, -9007199254740991.0])
def test_an_integral_float_becomes_the_integer_everywhere(value: float) -> None:
    given_value = {"a": [value, {"b": value}], "c": value}
    admitted = admit(given_value)
    assert admitted.value == {"a": [int(value), {"b": int(value)}], "c": int(value)}
    assert {type(admitted.value["c"]), type(admitted.value["a"][0]), type(admitted.value["a"][1]["b"])} == {int}
    assert type(given_value["c"]) is float, "the caller's object stays as it was"


@pytest.mark.parametrize("text", ["\ud800", "b\udfff", "a\udc00b", "\ud83d\ude00", "é\ud800"])
def test_refuses_a_surrogate_in_a_value_and_in_a_name(text: str) -> None:
    assert_refused("strict_json", "/0/k", "text without surrogates", "\\ud", admit, [{"k": text}])
    assert_refused("strict_json", "/0", "a member name without surrogates", "\\ud", admit, [{text: 1}])


@pytest.mark.parametrize("text", ["", "\x00", "\U0010ffff", "\ufffe", "\ufdd0", "\ud7ff\ue000", "e\u0301"])
def test_admits_every_other_character_unchanged(text: str) -> None:
    assert admit([text, {text: text}]).value == [text, {text: text}]


class _Dict(dict[str, Any]):
    pass


class _List(list[Any]):
    pass


class _Text(str):
    __slots__ = ()


class _Int(int):
    pass


class _Float(float):
    pass


FOREIGN = [
    (),
    (1, 2),
    set(),
    frozenset(),
    b"",
    bytearray(),
    decimal.Decimal(1),
    1j,
    object(),
    object,
    _Dict(),
    _List(),
    _Text("a"),
    _Int(1),
    _Float(1.0),
    MappingProxyType({}),
    collections.OrderedDict(),
    collections.UserDict(),
    collections.ChainMap(),
    range(3),
    iter([]),
    {}.keys(),
]


@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
def test_refuses_every_type_that_is_not_exactly_one_of_json(value: object) -> None:
    expected = "exactly null, a boolean, integer, text, array or object"
    actual = f"a Python object of type {type(value).__name__}"
    assert_refused("strict_json", "", expected, actual, admit, value)
    assert_refused("strict_json", "/1/k", expected, actual, admit, [0, {"k": value}])


@pytest.mark.parametrize("name", [1, None, True, 1.0, b"a", ("a",), _Text("a")], ids=lambda name: type(name).__name__)
def test_refuses_a_member_name_that_is_no_exact_text(name: object) -> None:
    assert_refused("strict_json", "/x", "a member name of exact text", "", admit, {"x": {"ok": 1, name: 2}})


def test_nesting_of_64_containers_is_the_most() -> None:
    for kind in (list, dict):
        assert admit(nested(64, kind=kind)).canonical.depth == 64
        step = "/0" if kind is list else "/k"
        assert_refused("resource_limits", step * 64, "at most 64 nested containers", "an", admit, nested(65, kind=kind))
    assert admit(nested(63, leaf=[])).canonical.depth == 64
    assert_refused("resource_limits", "/0" * 64, "at most 64 nested containers", "0 items", admit, nested(64, leaf=[]))


def test_a_cycle_is_refused_by_its_depth() -> None:
    ring: list[Any] = []
    ring.append(ring)
    assert_refused("resource_limits", "/0" * 64, "at most 64 nested containers", "1 items", admit, ring)
    members: dict[str, Any] = {}
    members["k"] = [members]
    assert_refused("resource_limits", "/k/0" * 32, "at most 64 nested containers", "1 members", admit, members)


def test_a_cycle_that_also_grows_is_refused_by_its_nodes() -> None:
    ring: list[Any] = []
    ring.extend([ring, ring])
    assert refusal(admit, ring).code == "resource_limits"


def test_4096_direct_items_are_the_most() -> None:
    assert admit([[None] * 4096]).canonical.nodes == 4098
    assert admit({"a": {str(index): 0 for index in range(4096)}}).canonical.nodes == 4098
    expected = "at most 4096 direct items"
    assert_refused("resource_limits", "/0", expected, "an array of 4097 items", admit, [[None] * 4097])
    wide = {str(index): 0 for index in range(4097)}
    assert_refused("resource_limits", "/a", expected, "an object with 4097 members", admit, {"a": wide})
    assert_refused("resource_limits", "", expected, "an array of 4097 items", admit, [None] * 4097)


def test_65536_nodes_are_the_most_and_names_are_none() -> None:
    rows: list[Any] = [[0] * 4095 for _ in range(15)]  # 1 + 15 * 4096
    assert admit([*rows, [0] * 4094]).canonical.nodes == 65_536
    assert_refused("resource_limits", "", "at most 65536 nodes", "65537 nodes", admit, [*rows, [0] * 4095])
    members = [{str(index): 0 for index in range(4095)} for _ in range(15)]
    assert admit([*members, {str(index): 0 for index in range(4094)}]).canonical.nodes == 65_536
    wider = {str(index): 0 for index in range(4095)}
    assert_refused("resource_limits", "", "at most 65536 nodes", "65537 nodes", admit, [*members, wider])


@pytest.mark.parametrize("character", ["a", "\x7f", "é", "€", "\U0001f600"])
def test_one_mebibyte_of_utf8_is_the_longest_text_and_name(character: str) -> None:
    width = len(character.encode())
    longest = character * (MEBIBYTE // width) + "a" * (MEBIBYTE % width)
    over = longest + "a"
    assert admit([longest]).canonical.size == MEBIBYTE + 4
    assert admit({longest: 0}).canonical.size == MEBIBYTE + 6
    expected = f"text of at most {MEBIBYTE} UTF-8 bytes"
    assert_refused("resource_limits", "/1", expected, f"text of {len(over)} characters", admit, [0, over])
    assert_refused("resource_limits", "/x", expected, f"text of {len(over)} characters", admit, {"x": {over: 0}})


def test_the_length_of_text_is_that_of_its_utf8_and_not_of_its_escapes() -> None:
    assert admit("\x00" * (4 * MEBIBYTE // 6 - 1)).canonical.size < 4 * MEBIBYTE
    assert admit('"' * MEBIBYTE).canonical.size == 2 * MEBIBYTE + 2


@pytest.mark.parametrize("character", ["a", "é", "€", "\U0001f600", '"', "\x01"])
def test_4_mebibytes_of_canonical_bytes_are_the_most(character: str) -> None:
    width = len(encode_canonical_json(character)) - 2
    count = 100_000
    items: list[str] = []
    room = 4 * MEBIBYTE - 2
    while room > count * width + 3:
        items.append(character * count)
        room -= count * width + 3
    items.append("a" * (room - 2))
    assert admit(items).canonical.size == 4 * MEBIBYTE
    items[-1] += "a"
    expected = f"at most {4 * MEBIBYTE} canonical bytes"
    assert_refused("resource_limits", "", expected, f"{4 * MEBIBYTE + 1} canonical bytes", admit, items)


def test_a_shared_container_counts_wherever_it_stands() -> None:
    shared = [0] * 3000
    assert admit([shared] * 20).canonical.nodes == 60_021
    assert_refused("resource_limits", "", "at most 65536 nodes", "66023 nodes", admit, [shared] * 22)


def test_sixteen_levels_of_sharing_are_refused_without_being_unfolded() -> None:
    value: Any = 0
    for _ in range(60):
        value = [value] * 4096
    assert refusal(admit, value).code == "resource_limits"


@pytest.mark.parametrize("kind", [list, dict])
def test_a_root_100000_wide_is_refused_by_its_width(kind: type) -> None:
    root: Any = [object()] * 100_000 if kind is list else {index: object() for index in range(100_000)}
    error = refusal(admit, root)
    assert (error.code, error.path, error.expected) == ("resource_limits", "", "at most 4096 direct items")


def test_a_path_escapes_and_starts_where_it_is_told() -> None:
    with pytest.raises(IdentityValidationError) as caught:
        admit({"a/b": {"~": [0, {"\n\u202e": 1.5}]}}, at="here#")
    assert caught.value.path == "here#/a~1b/~0/1/\\n\\u202e"


def test_the_path_of_a_fault_counts_objects_and_arrays_apart() -> None:
    value = [[0, 1], {"a": 2, "b": [3, {"c": 1.5}]}, [4], {"d": 5}]
    assert refusal(admit, value).path == "/1/b/1/c"
    assert refusal(admit, [{"d": [5, 1.5]}, [[1]], {"e": 0}]).path == "/0/d/1"
    assert refusal(admit, [{"d": [5]}, [[1, 1.5]], {"e": 0}]).path == "/1/0/1"


def test_a_very_long_path_is_cut() -> None:
    value: Any = 1.5
    for _ in range(60):
        value = {"k" * 100: value}
    error = refusal(lambda: admit(value, at="projections#/provider_run_plan_content"))
    assert error.path.startswith("projections#/provider_run_plan_content/kkk")
    assert error.path.endswith("…")
    assert len(error.path) == MAX_PATH


def test_a_value_without_floats_is_the_callers_own() -> None:
    value = {"a": [1]}
    assert admit(value).value is value


@settings(max_examples=700)
@given(any_value)
def test_admits_exactly_what_the_oracle_admits(value: Any) -> None:
    before = copy.deepcopy(value)
    try:
        expected = oracle.normalize(value)
    except oracle.Refused:
        with pytest.raises(IdentityValidationError) as caught:
            admit(value)
        assert caught.value.code in {"strict_json", "resource_limits"}
        assert_well_formed(caught.value)
    else:
        admitted = admit(value)
        assert bytes(admitted.canonical) == encode_canonical_json(expected)
        assert encode_canonical_json(admitted.value) == encode_canonical_json(expected)
    assert repr(value) == repr(before), "the caller's value stays as it was"


def test_text_over_the_document_limit_is_refused_before_it_is_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(*_: Any) -> bytes:
        raise AssertionError("nothing is encoded that is over the limits")

    monkeypatch.setattr("operatebench.identity.admission.encode", encode)
    error = refusal(admit, ["x" * MEBIBYTE] * 4_096)
    assert (error.code, error.expected) == ("resource_limits", "at most 4194304 canonical bytes")
    assert error.actual == f"at least {4_096 * MEBIBYTE} canonical bytes"
