"""The patterns of the card schemas: authorable ones against a second reading of the grammar, and the lexical ones."""

import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given, settings, strategies

from tests.schemas.card_grammar import authorable
from tests.schemas.card_support import (
    DEFINITIONS_FILE,
    SCHEMA_FILES,
    TAIL,
    engines_for,
    part_accepts,
    read,
    subschemas,
)

LAST = "\U0010ffff"
# Literals, groups, repetitions with constant bounds, alternatives, and classes of literals and four-digit escapes.
PORTABLE = re.compile(
    r"""(?: \(\?: | \) | [*+?|] | \{[0-9]+(?:,[0-9]+)?\} | \\u00[0-7][0-9A-F] | [A-Za-z0-9/~:,@-]
      | \[ (?: \\u(?!D[89A-F])[0-9A-F]{4} | [A-Za-z0-9._+-] | \U0010ffff )+ \] )+""",
    re.VERBOSE,
)


def patterns_of(name: str) -> dict[str, str]:
    """Every pattern of a schema with one place where it stands."""
    return {sub["pattern"]: place for place, sub in subschemas(read(name)) if "pattern" in sub}


ALL_PATTERNS = {pattern: place for name in SCHEMA_FILES for pattern, place in patterns_of(name).items()}
AUTHORED = read(DEFINITIONS_FILE)["$defs"]["authoredPattern"]["pattern"]


ENGINES = engines_for(AUTHORED)
"""The grammar's pattern in the three engines."""


def disagreements(texts: Iterable[str], engines: list[Callable[[str], bool]]) -> Iterator[str]:
    """Yield the texts up to 256 characters on which an engine and the second reading differ."""
    for text in texts:
        expected = authorable(text)
        if any(engine(text) is not expected for engine in engines):
            yield text


def test_patterns_are_anchored_and_hold_only_portable_tokens() -> None:
    assert len(ALL_PATTERNS) == 12
    for pattern, place in ALL_PATTERNS.items():
        assert pattern.startswith("^"), place
        assert pattern.endswith(TAIL), place
        assert pattern.count(TAIL) == 1, place
        assert PORTABLE.fullmatch(pattern.removeprefix("^").removesuffix(TAIL)), place


@pytest.mark.parametrize(
    "foreign",
    [
        r"\d",
        r"\w",
        r"\s",
        r"\.",
        ".",
        "$",
        "^",
        r"\U0010FFFF",
        r"\u{10FFFF}",
        r"[\uD800-\uDFFF]",
        "[^a]",
        "(?i)",
        "(?=a)",
    ],
)
def test_the_portable_subset_excludes_what_engines_read_differently(foreign: str) -> None:
    assert not PORTABLE.fullmatch("a" + foreign)


def test_no_text_is_caught_in_the_middle() -> None:
    for pattern in ALL_PATTERNS:
        engines = engines_for(pattern)
        for text in ("\n", "a\n", "\na", "a b\n", "1.0.0\n", "EUR\n", "0" * 64 + "\n", "src/a\n"):
            assert len({engine(text) for engine in engines}) == 1, (pattern, text)


def test_every_short_text_over_the_tricky_characters_is_judged_alike() -> None:
    tricky = ["a", "Z", "0", "9", "^", "$", "[", "]", "\\", "-", "{", "}", ",", "*", ".", "d", " ", "~", "\n", "é"]
    texts = ("".join(parts) for length in range(5) for parts in itertools.product(tricky, repeat=length))
    assert list(disagreements(texts, ENGINES)) == []


def test_every_short_sequence_of_tricky_pieces_is_judged_alike() -> None:
    pieces = ["a", "[0-9]", "[^", "[", "-", "]", "^", "{2}", "{1,9}", "+", "\\d"]
    texts = ("".join(parts) for length in range(6) for parts in itertools.product(pieces, repeat=length))
    accepted = 0

    def counted() -> Iterator[str]:
        nonlocal accepted
        for text in texts:
            accepted += authorable(text)
            yield text

    assert list(disagreements(counted(), ENGINES)) == []
    assert accepted > 2_000


def test_every_sequence_of_units_is_judged_alike() -> None:
    units = ["a", "a{2}", "a+", "[-a]{0,4096}"]
    texts = ("".join(parts) for length in range(9) for parts in itertools.product(units, repeat=length))
    assert list(disagreements(texts, ENGINES)) == []


def test_every_single_bound_and_every_pair_near_a_limit_is_judged_alike() -> None:
    spelled = [str(number) for number in range(4200)] + ["00", "01", "007", "04096", "9999", "10000", "40960", ""]
    edges = [0, 1, 2, 5, 8, 9, 10, 11, 50, 98, 99, 100, 101, 500, 998, 999, 1000, 1001, 1999, 3999, 4000, 4089, 4090]
    edges += [4094, 4095, 4096, 4097, 4099, 4100, 5000, 9999, 10000]
    pairs = itertools.product([*map(str, edges), "00", "01", "", "-1", " 1"], repeat=2)
    texts = [f"a{{{number}}}" for number in spelled] + [f"a{{{number},}}" for number in spelled]
    texts += [f"[a]{{{low},{high}}}" for low, high in pairs]
    assert list(disagreements(texts, ENGINES)) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_texts_are_judged_alike(seed: int) -> None:
    draw = random.Random(seed)
    printable = [chr(code) for code in range(0x20, 0x7F)]
    pieces = [
        *printable,
        *"[]^$\\-{}",
        "[",
        "]",
        "a-z",
        "0-9",
        " -~",
        "A-Z",
        "{2}",
        "{0,7}",
        "{10,100}",
        "é",
        "\x7f",
        "\t",
    ]
    letters = ["a", "b", "[0-9]", "[^a-z-]", "\\.", "x", "-", " "]
    quantified = [f"{letter}{end}" for letter in letters for end in ("{3}", "?", "{1,5}", "{20,}")]

    def texts() -> Iterator[str]:
        for _ in range(60_000):
            source = draw.choice((pieces, pieces, letters, letters + quantified[:2], letters * 6 + quantified))
            body = "".join(draw.choices(source, k=draw.randrange(1, 12)))
            yield draw.choice(("", "", "^")) + body + draw.choice(("", "", "$"))

    drawn = list(texts())
    assert sum(map(authorable, drawn)) > 15_000
    assert list(disagreements(drawn, ENGINES)) == []


@settings(max_examples=500)
@given(text=strategies.text(max_size=12))
def test_any_text_is_judged_alike(text: str) -> None:
    assert list(disagreements([text], ENGINES)) == []


@pytest.mark.parametrize(
    "text",
    ["a{01}", "a{2,2}", "a{10,20}", "[b-y]", r"[\.-/]", "[a-b-c]", "[A-z]", "a{2}b{3}", "a+b+", "(a)", "a|b", "."],
)
def test_forms_beyond_the_published_grammar_are_refused(text: str) -> None:
    assert not part_accepts("authoredPattern")(text)


def test_length_boundary_of_authored_patterns() -> None:
    accepts = part_accepts("authoredPattern")
    assert accepts("a" * 256)
    assert accepts("^" + "[^-]" * 63 + "+$")
    assert not accepts("a" * 257)
    assert accepts(None)
    assert not accepts(False)


HOSTILE = [
    "a" * 255 + "(",
    "a{2}b" * 51 + ".",
    "[" * 256,
    "[a-z" * 64,
    "[0-9]" * 51 + "(",
    "[-^-a]" * 42 + "|",
    "[" + "a" * 254,
    "[^" + "^" * 254,
    "\\" * 255,
    "\\[" * 127 + "]",
    "a{4096}" * 36,
    "a{1,9}" + "b" * 249 + "(",
    "a+" + "bc{2}" * 50 + ")",
    "a+" + "b{2}c" * 50 + ")",
    "aa{2}" * 51 + "?",
    "0-9" * 84 + "-]",
    "[" + "0-" * 127,
    "[" + " -~" * 84 + "(",
    "^" * 256,
    "$" * 256,
    "{" * 256,
]


def test_hostile_texts_are_judged() -> None:
    """Exponential time would never end; how long it takes is measured elsewhere."""
    for text in HOSTILE:
        assert len(text) <= 256
        assert not authorable(text)
        for engine in ENGINES:
            verdicts = {engine(text) for _ in range(20)}
            assert verdicts == {False}, text


def test_long_texts_beyond_the_length_limit_are_judged_too() -> None:
    """Quadratic time would not end at this length."""
    expression = re.compile(AUTHORED)
    for head, part, tail in (
        ("", "a", "("),
        ("", "a{2}b", "."),
        ("a+", "bc{2}", ")"),
        ("", "[^-a-z0-9-]", "|"),
        ("[", "0-9", "("),
    ):
        assert not expression.search(head + part * 200_000 + tail), part
