"""Authored patterns match exactly as Python's ``re`` says, in time linear in the text, whatever the pattern."""

import random
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from operatebench.cards.regex import compile_pattern, matches
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, fault_of, put, validated

# What Python may mean by `--`, `&&`, `~~` and `||` in a class some day is no matter of ours.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

SEED = 20_240_229
LITERALS = [chr(code) for code in range(0x20, 0x7F) if chr(code) not in r"^$[]\(){}|.*+?"]
CLASS_ITEMS = [chr(code) for code in range(0x20, 0x7F) if chr(code) not in r"[]\-"]
ESCAPES = [*(f"\\{letter}" for letter in "dDsSwW"), *(f"\\{chr(c)}" for c in range(0x20, 0x7F) if not chr(c).isalnum())]
RANGES = ["0-9", "A-Z", "a-z", " -~"]
ALPHABET = [
    *LITERALS,
    *r"^$[]\(){}|.*+?",
    "\n",
    "\t",
    "\x0b",
    "\x1c",
    "\x7f",
    "\x85",
    "é",
    "ß",
    "٣",
    "²",
    "\u2028",
    "\uff21",
    "💧",
    "_",
]
PLAIN = ["a", "b", "0", "-", " "]


@cache
def characters_of(atom: str) -> list[str]:
    return [character for character in ALPHABET if re.fullmatch(atom, character)] or ["a"]


class Grammar:
    """Draws patterns of the published grammar, and texts near those they match."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def atom(self) -> str:
        kind = self.draw.random()
        if kind < 0.45:
            return self.draw.choice(PLAIN if self.draw.random() < 0.7 else LITERALS)
        return self.draw.choice(ESCAPES) if kind < 0.65 else self.klass()

    def klass(self) -> str:
        negated = self.draw.random() < 0.3
        if self.draw.random() < 0.1:
            return f"[{'^' * negated}{self.draw.choice(['-', '--'])}]"
        start = "-" if self.draw.random() < 0.15 else ""
        items = [self.item() for _ in range(self.draw.randint(1, 4))]
        while not negated and not start and items[0] == "^":
            items[0] = self.item()
        return f"[{'^' * negated}{start}{''.join(items)}{'-' if self.draw.random() < 0.15 else ''}]"

    def item(self) -> str:
        kind = self.draw.random()
        if kind < 0.3:
            return self.draw.choice(RANGES)
        return self.draw.choice(ESCAPES) if kind < 0.45 else self.draw.choice(CLASS_ITEMS)

    def fixed(self) -> str:
        return f"{{{self.draw.choice([0, 1, 2, 3, 7, 4096])}}}" if self.draw.random() < 0.95 else "{4096,}"

    def variable(self) -> str:
        low = self.draw.randint(0, 3)
        return self.draw.choice(
            ["?", "*", "+", f"{{{low},}}", f"{{{low},{self.draw.randint(low + 1, 9)}}}", "{0,12}", "{5,4096}", "{9,10}"]
        )

    def pattern(self) -> str:
        units: list[str] = []
        variable_at = self.draw.randint(0, 5)
        quantified = False
        for index in range(self.draw.randint(0, 6)):
            unit = self.atom()
            if not quantified and (index == variable_at or self.draw.random() < 0.15):
                unit += self.variable() if index == variable_at else self.fixed()
                quantified = True
            else:
                quantified = False
            units.append(unit)
        return f"{'^' * (self.draw.random() < 0.4)}{''.join(units)}{'$' * (self.draw.random() < 0.4)}"

    def texts(self, pattern: str) -> Iterator[str]:
        """Yield texts of which many match: units spelled out from the pattern, then changed a little."""
        for _ in range(6):
            text = self.near(pattern)
            yield text
            yield text + self.draw.choice(["\n", "a", " "])
            if text:
                place = self.draw.randrange(len(text))
                yield text[:place] + self.draw.choice(ALPHABET) + text[place + 1 :]
        yield "".join(self.draw.choices(ALPHABET, k=self.draw.randint(0, 4)))
        yield self.draw.choice(ALPHABET) * self.draw.randint(0, 12)

    def near(self, pattern: str) -> str:
        body = pattern.removeprefix("^")
        text = ""
        for atom, quantifier in re.findall(r"(\\.|\[\^?(?:\\.|[^\]])+\]|[^\\\[])([?*+]|\{[0-9,]+\})?", body):
            if (atom, quantifier) == ("$", ""):
                continue
            times = self.times(quantifier)
            text += "".join(self.draw.choices(characters_of(atom), k=times))
        return text

    def times(self, quantifier: str) -> int:
        if not quantifier:
            return 1
        if not quantifier.startswith("{"):
            return self.draw.randint(0, 4)
        numbers = [int(number) for number in re.findall("[0-9]+", quantifier)]
        return (
            numbers[0] if len(numbers) == 1 and "," not in quantifier else self.draw.randint(numbers[0], numbers[0] + 4)
        )


def pairs(count: int) -> Iterator[tuple[str, str]]:
    grammar = Grammar(SEED)
    made = 0
    while made < count:
        pattern = grammar.pattern()
        for text in grammar.texts(pattern):
            yield pattern, text
            made += 1


def test_it_decides_as_python_does_on_120000_pairs_from_the_grammar() -> None:
    matching = 0
    compiled: tuple[str, re.Pattern[str]] = ("", re.compile(""))
    for pattern, text in pairs(120_000):
        if compiled[0] != pattern:
            compiled = (pattern, re.compile(pattern))
        expected = len(text) <= 4_096 and compiled[1].fullmatch(text) is not None
        if len(text) <= 4_096:
            assert matches(pattern, text, "v") is expected, (pattern, text)
        matching += expected
    assert 20_000 < matching < 100_000  # both answers are common


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "",
            "^",
            "$",
            "^$",
            "a{0}",
            "[-]",
            "[--]",
            "[^-]",
            "[^--]",
            "[-a]",
            "[a-]",
            "[-^]",
            "[^^]",
            "[ -~-]",
            "[-0-9-]",
        ),
        *(
            r"\^",
            r"\$",
            r"\-",
            r"[\]]",
            r"[\\]",
            r"[\^a]",
            r"[a\-z]",
            r"[\d-]",
            r"[-\w]",
            r"\ ",
            "[^ ]",
            "[a^]",
            "[$.*+?(){}|]",
        ),
        # Outside the published grammar, yet safe to match.
        *("a{01}", "a{2,2}", "a{10,20}", "[b-y]", r"[\.-/]", "[a-b-c]", "[A-z]", "a{2}b{3}", "é"),
    ],
)
def test_edges_of_the_grammar_match_as_in_python(pattern: str) -> None:
    for text in [
        "",
        *ALPHABET,
        *(first + second for first in PLAIN for second in PLAIN),
        "aa",
        "a" * 15,
        "aabbb",
        "\\\\",
    ]:
        assert matches(pattern, text, "v") is (re.fullmatch(pattern, text) is not None), text


@pytest.mark.parametrize("character", ["٣", "é", "ß", "²", "\u2028", "\x1c", "\x85", "\uff21", "_", "5", " ", "💧"])
@pytest.mark.parametrize("category", [r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"[\d]", r"[^\w]"])
def test_categories_are_those_of_unicode_as_in_python(category: str, character: str) -> None:
    assert matches(category, character, "v") is (re.fullmatch(category, character) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(a)",
            "a|b",
            ".",
            "a**",
            "a*?",
            "a*+",
            "a+*",
            "*",
            "+a",
            "?",
            "{2}",
            "a{",
            "a}",
            "a{,3}",
            "a{3,2}",
            "a{4097}",
        ),
        *(
            "a{0,4097}",
            "a{99999}",
            "a*b*",
            "a?b{1,2}",
            "[",
            "]",
            "[]",
            "[^]",
            "[a",
            "[[:alpha:]]",
            "[z-a]",
            "a^",
            "$a",
            "^^a",
        ),
        *("\\", "\\é", "(?i)a", "(?=a)", "(?#x)", "(?P<n>a)", "[a", "a$$", "[é]", "a" * 257),
    ],
)
def test_what_cannot_be_matched_safely_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="not an authored pattern"):
        compile_pattern(pattern)
    with pytest.raises(CardValidationError) as refused:
        matches(pattern, "a", "v")

    assert (refused.value.code, refused.value.path) == ("semantic.pattern_unsafe", "v")
    assert refused.value.expected == "a pattern of the safe-regex grammar"


@pytest.mark.parametrize(("length", "fits"), [(256, True), (257, False)])
def test_a_pattern_has_at_most_256_characters(length: int, fits: bool) -> None:
    pattern = "a" * length
    edit = put("/event_contracts/0/required/room/shape", shape_with(pattern, 300))
    made = chain(operation=edit, variant=put("/events/0/payload/room", pattern))

    if fits:
        made["variant"]["content"]["events"][2]["payload"]["room"] = pattern
        cards = chain(operation=edit, variant=lambda card: card.update(content=made["variant"]["content"]))
        assert validated("variant", cards)["id"]
        assert compile_pattern(pattern).matches(pattern)
    else:
        fault = fault_of("operation", made)
        assert fault.code == "shape.pattern_not_authorable"
        assert fault.path == "card#/content/event_contracts/0/required/room/shape/pattern"


def shape_with(pattern: str, high: int) -> dict[str, object]:
    return {"kind": "string", "min_length": 0, "max_length": high, "pattern": pattern, "enum": None}


@pytest.mark.parametrize("character", ["a", "é", "💧"])
def test_a_text_under_a_pattern_has_at_most_4096_characters(character: str) -> None:
    assert matches("[^b]*", character * 4_096, "v")
    with pytest.raises(CardValidationError) as refused:
        matches("[^b]*", character * 4_097, "v")

    assert (refused.value.code, refused.value.path) == ("semantic.pattern_subject_too_long", "v")
    assert refused.value.actual == "4097 characters"


DENIAL = [
    ("a*" + "a" * 200 + "b", "a"),
    ("[ -~]{0,4096}" + "x" * 100 + "y", "x"),
    (r"\w+" + r"\w" * 120 + "!", "a"),
    ("^" + "a" * 100 + "a*" + "a" * 100 + "c$", "a"),
    (r"[^b]*[^b]{2048}".replace("*[", "*c["), "a"),
    ("a{4096}b" * 20, "a"),
    ("[a-z]?" + "a" * 200, "a"),
    (r"(a+)+$".replace("(a+)+", r"\(a\+\)+"), "(a+)"),
]
"""Patterns on which a backtracking matcher works hard, and what the text against them is made of."""


@pytest.mark.parametrize(("pattern", "filling"), DENIAL)
def test_every_character_is_looked_at_by_one_part_of_the_pattern_only(pattern: str, filling: str) -> None:
    spans: list[tuple[int, int]] = []

    class Recorder:
        def fullmatch(self, text: str, start: int, end: int | None = None) -> bool:
            spans.append((start, len(text) if end is None else end))
            return True

    made = compile_pattern(pattern)
    text = (filling * 4_096)[:4_096]
    yes: Any = Recorder()
    watched = replace(made, before=yes, unit=yes, after=yes)

    if watched.matches(text):
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(text)
        assert len(spans) == 3
    else:
        assert spans == []  # the length alone decides


def test_the_whole_text_is_matched_with_and_without_anchors() -> None:
    for pattern in ("ab", "^ab", "ab$", "^ab$"):
        assert [matches(pattern, text, "v") for text in ("ab", "xab", "abx", "ab\n", "\nab")] == [True] + [False] * 4


def test_a_pattern_is_compiled_once() -> None:
    assert compile_pattern("^once[a-z]*$") is compile_pattern("^once[a-z]*$")


def test_no_class_is_compiled_to_one_that_python_may_read_otherwise_some_day() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = compile_pattern("^[--][a&&b~~c||d][ -~-][-:]*$")

    assert [made.matches(text) for text in ("-&x", "-|x::", "-~-", "-e-")] == [True, True, True, False]
