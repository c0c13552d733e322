"""The strict reader: what is typed, which line a value has, what is refused, alike for both parsers of PyYAML."""

import json
from typing import Any

import pytest
import yaml

from operatebench.errors import SpecError
from operatebench.runtime.maintenance.spec.yaml import MAX_DEPTH, PARSERS, read_yaml
from tests.runtime.maintenance.spec.bad_yaml import BAD_YAML, Bad
from tests.runtime.maintenance.spec.edits import SHIPPED, shipped

both = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.__name__)


def test_the_c_parser_is_there_to_be_compared() -> None:
    assert [parser.__name__ for parser in PARSERS] == ["SafeLoader", "CSafeLoader"]


@both
@pytest.mark.parametrize("bad", BAD_YAML, ids=lambda bad: bad.name)
def test_a_bad_document_is_refused(bad: Bad, parser: Any) -> None:
    with pytest.raises(SpecError) as refused:
        read_yaml(bad.data, "s", parser)
    found = refused.value
    assert (found.code, found.path, found.expected, found.actual) == bad[2:]


@both
@pytest.mark.parametrize(
    "text", ['a: "\\ud800"\n', "a: " + "[" * 100_000, "? " * 5_000], ids=["surrogate", "flow", "block"]
)
def test_what_the_parsers_refuse_for_reasons_of_their_own_is_refused(text: str, parser: Any) -> None:
    with pytest.raises(SpecError) as refused:
        read_yaml(text.encode(), "s", parser)
    assert refused.value.path.startswith("s:1")


@both
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("25000", 25000),
        ("-7", -7),
        ("9007199254740991", 2**53 - 1),
        ("-9007199254740991", 1 - 2**53),
        *((text, text) for text in ("yes", "on", "No", "~", "Null", "TRUE", "1.0", "1e3", "0x10", "0o7", "007", "+1")),
        *((text, text) for text in ("-0", "1_000", "12:30", ".inf", ".nan", "2032-04-05", "2032-04-05T08:30:00Z", "=")),
        *(("'" + text + "'", text) for text in ("null", "true", "1", "")),
        ('"1"', "1"),
        ("|\n  1\n", "1\n"),
        (">-\n  one\n  two\n", "one two"),
        ("[]", []),
        ("{}", {}),
    ],
)
def test_only_null_booleans_and_decimal_integers_are_typed(text: str, value: object, parser: Any) -> None:
    found = read_yaml(f"a: {text}".encode(), "s", parser).value["a"]
    assert (type(found), found) == (type(value), value)


@both
def test_every_value_has_the_line_of_its_key_or_of_its_start(parser: Any) -> None:
    text = b"""\
# a comment
one: 1
two:
  - x
  -
    y
  - {a: 1,
     "b/~": [p, q]}
three: >-
  folded
  text
four: last
"""
    assert read_yaml(text, "s", parser).lines == {
        "": 2,
        "/one": 2,
        "/two": 3,
        "/two/0": 4,
        "/two/1": 6,
        "/two/2": 7,
        "/two/2/a": 7,
        "/two/2/b~1~0": 8,
        "/two/2/b~1~0/0": 8,
        "/two/2/b~1~0/1": 8,
        "/three": 9,
        "/four": 12,
    }


@both
def test_an_explicit_document_is_read(parser: Any) -> None:
    assert read_yaml(b"---\na: 1\n...\n", "s", parser).value == {"a": 1}


@both
def test_the_deepest_document_is_read(parser: Any) -> None:
    assert read_yaml(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "s", parser).value


def test_both_parsers_read_the_shipped_spec_alike() -> None:
    assert read_yaml(SHIPPED, "maintenance.yaml", PARSERS[0]) == shipped()


def test_the_reader_differs_from_pyyaml_only_in_what_is_typed() -> None:
    assert _as_text(yaml.BaseLoader(SHIPPED).get_single_data()) == _as_text(shipped().value)


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)
