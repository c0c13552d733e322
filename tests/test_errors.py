"""Errors carry a declared code, a place and short printable texts of their own, for people and for programs."""

import inspect
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench import errors
from operatebench.errors import (
    DocumentError,
    IdentityValidationError,
    OperateBenchError,
    describe,
    escape,
    pointer,
    texts,
)

SUBCLASSES = [IdentityValidationError, DocumentError]
SAMPLE = {"path": "a#/b", "expected": "one", "actual": "two", "hint": "do this"}


@pytest.mark.parametrize("kind", SUBCLASSES)
def test_every_code_has_a_cause_and_a_remedy(kind: type[OperateBenchError]) -> None:
    for code, (cause, remedy) in kind.codes.items():
        assert code == code.lower()
        assert code.replace("_", "").isalnum()
        assert cause.endswith(".")
        assert remedy.endswith(".")
        error = kind(code)
        assert (error.code, error.cause, error.hint) == (code, cause, remedy)
        assert str(error) == f"{code}: {cause}"


def test_no_code_belongs_to_two_classes() -> None:
    every = [code for kind in SUBCLASSES for code in kind.codes]
    assert len(every) == len(set(every))


def test_the_tree_has_one_root_and_refusals_are_value_errors() -> None:
    kinds = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, BaseException)]
    assert all(issubclass(kind, OperateBenchError) for kind in kinds)
    assert all(issubclass(kind, ValueError) for kind in SUBCLASSES)
    assert not issubclass(OperateBenchError, ValueError)


def test_the_codes_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        IdentityValidationError.codes["x"] = ("", "")  # type: ignore[index]  # the refusal is the point


@pytest.mark.parametrize("kind", [*SUBCLASSES, OperateBenchError])
def test_an_undeclared_code_is_a_wrong_call(kind: type[OperateBenchError]) -> None:
    with pytest.raises(TypeError, match="declares no code 'nonsense'"):
        kind("nonsense")


def test_an_error_shows_its_facts() -> None:
    error = IdentityValidationError("name", **SAMPLE)
    assert str(error) == "name at a#/b: expected one, got two"
    assert error.diagnostics() == (
        "refused   name: The name is not a registered component or bundle.\n"
        "where     a#/b\n"
        "expected  one\n"
        "actual    two\n"
        "remedy    do this"
    )
    assert error.to_json() == {"code": "name", "cause": error.cause, **SAMPLE}


def test_an_error_without_facts_shows_its_cause_and_the_whole_input() -> None:
    error = DocumentError("file_missing")
    assert str(error) == f"file_missing: {error.cause}"
    assert "where     the whole input" in error.diagnostics()
    assert "expected" not in error.diagnostics()
    assert error.to_json()["path"] == ""


def test_long_texts_are_cut() -> None:
    error = IdentityValidationError("name", path="p" * 10_000, expected="e" * 10_000, actual="a" * 10_000)
    assert (len(error.expected), len(error.actual)) == (texts.MAX_TEXT, texts.MAX_TEXT)
    assert len(error.path) <= texts.MAX_PATH
    assert all(len(argument) <= 512 for argument in error.args), "what is cut is not kept in the arguments"


def test_a_detached_error_is_equal_and_bare() -> None:
    def fail() -> None:
        raise IdentityValidationError("name", **SAMPLE) from KeyError("inner")

    with pytest.raises(IdentityValidationError) as caught:
        fail()
    detached = caught.value.detached()
    assert type(detached) is IdentityValidationError
    assert detached.to_json() == IdentityValidationError("name", **SAMPLE).to_json()
    assert (detached.__cause__, detached.__context__, detached.__traceback__) == (None, None, None)


class _Sized(list[int]):
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-5, "-5"),
        (2**255, str(2**255)),
        (2**256, "an integer of 257 bits"),
        (-(10**5000), "an integer of 16610 bits"),
        (1.5, "1.5"),
        (float("nan"), "nan"),
        ("", '""'),
        ("é\n\u202e\ud800", '"é\\n\\u202e\\ud800"'),
        ({}, "an object with 0 members"),
        ({1: 2}, "an object with 1 members"),
        ([1, 2], "an array of 2 items"),
        ((), "a Python object of type tuple"),
        (_Sized(), "a Python object of type _Sized"),
        (object, "a Python object of type type"),
        ("x" * 198, '"' + "x" * 198 + '"'),
        ("x" * 199, 'text of 199 characters: "' + "x" * 119 + '…"'),
    ],
    ids=range(20),
)
def test_describes_any_value_shortly(value: Any, text: str) -> None:
    assert describe(value) == text


def test_the_name_of_a_class_is_described_escaped_and_short() -> None:
    odd = type("a\n\u202e" + "b" * 300, (), {})
    text = describe(odd())
    assert text.startswith("a Python object of type a\\n\\u202ebbb")
    assert len(text) <= texts.MAX_TEXT


characters = st.one_of(st.characters(), st.characters(categories=["Cs", "Cc", "Cf"]))


@settings(max_examples=300)
@given(st.text(alphabet=characters, max_size=300), st.integers(1, 250))
def test_escaped_text_is_printable_and_within_its_limit(text: str, limit: int) -> None:
    escaped = escape(text, limit)
    assert escaped.isprintable()
    assert len(escaped) <= limit
    assert describe(text).isprintable()
    assert len(describe(text)) <= texts.MAX_TEXT


@settings(max_examples=200)
@given(st.lists(st.text(alphabet=characters, max_size=200) | st.integers(), max_size=8))
def test_a_pointer_is_printable_and_within_its_limit(tokens: list[str | int]) -> None:
    found = pointer(*tokens)
    assert found.isprintable()
    assert len(found) <= texts.MAX_PATH


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ((), ""),
        (("a", 0), "/a/0"),
        (("",), "/"),
        (("a/b", "~", "~1"), "/a~1b/~0/~01"),
        (("\n",), "/\\n"),
        (("é",), "/é"),
    ],
)
def test_a_pointer_is_that_of_rfc_6901(tokens: tuple[str | int, ...], text: str) -> None:
    assert pointer(*tokens) == text


def test_errors_can_be_copied_between_processes() -> None:
    error = IdentityValidationError("name", **SAMPLE)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert again.to_json() == error.to_json()
