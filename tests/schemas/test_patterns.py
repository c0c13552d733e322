"""Every pattern of the schemas means the same in Python, in Rust and in ECMAScript with the `u` flag.

ECMAScript is not run here. Instead each pattern must be built from tokens that all three read alike: literals, groups,
repetition, classes of literals and of four-digit escapes outside the surrogates, one start anchor and the absolute-end
tail.
"""

import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings, strategies

TAIL = r"(?![\s\S])"
PORTABLE = re.compile(
    r"""(?: \(\?: | \) | [*+|] | \{[1-9][0-9]*\} | [a-z0-9/~]
      | \[ (?: \\u(?!D[89A-F])[0-9A-F]{4} | [a-z0-9._-] | [^\x00-\x7F\ud800-\udfff] )+ \] )+""",
    re.VERBOSE,
)
LAST_CODE_POINT = "\U0010ffff"
ALPHABET = [
    "a",
    "f",
    "g",
    "z",
    "A",
    "0",
    "9",
    "/",
    "~",
    "*",
    ".",
    "_",
    "-",
    "$",
    "|",
    ")",
    "+",
    "}",
    " ",
    "\x00",
    "\t",
    "\n",
    "\r",
    "\x7f",
    "\x85",
    "é",
    "\u2028",
    "\ud7ff",
    "\ue000",
    "\ufeff",
    "\uffff",
    "\U00010000",
    "\U0001f600",
    LAST_CODE_POINT,
    "~0",
    "~1",
]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff", "a\ud800", "\udc00b", "/\ud800", "\udc00\ud800"]

DIGESTS = (
    ["0" * 64, "0123456789abcdef" * 4],
    ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n", "\n" + "0" * 64],
)
NAMES = (
    ["a.b", "a_b", "a-b", "a1.2", "a.b_c-d", "a.1"],
    ["", "a", "root", ".a", "a.", "a..b", "1.b", "A.b", "a.B", "a.b\n", "\na.b", "a b", "a.é", "a/b"],
)
PATHS = (
    [
        "/a",
        "/a\n",
        "/ ",
        "/~0",
        "/~1",
        "/a~1b/~0x",
        "/a/b",
        "/$",
        "/é",
        "/\ufeff",
        "/" + LAST_CODE_POINT,
        "/\x00",
        "/-",
        "/0/00",
    ],
    ["", "/", "a", "/a/", "//a", "/a//b", "/a~", "/~", "/a~2b", "/a/*", "/a*b", "\n/a", "/\ud800", "/a/\udfff"],
)
TEXTS = (["", "\n", "a\n", "\x00", "\ud7ff", "\ue000", "\uffff", "\U00010000", LAST_CODE_POINT, "*/~$"], SURROGATES)


def patterns(value: Any) -> set[str]:
    """All patterns in a schema, wherever they stand."""
    if isinstance(value, list):
        return set().union(*map(patterns, value))
    if not isinstance(value, dict):
        return set()
    found = set().union(*map(patterns, value.values()))
    return found | {value["pattern"]} if isinstance(value.get("pattern"), str) else found


def in_python(pattern: str, text: str) -> bool:
    """Search as the `jsonschema` engine does."""
    return re.search(pattern, text) is not None


def in_rust(pattern: str, text: str) -> bool:
    """Ask the compiled engine."""
    try:
        return bool(jsonschema_rs.Draft202012Validator({"pattern": pattern}, offline=True).is_valid(text))
    except UnicodeEncodeError:
        return False


@pytest.fixture(scope="session")
def all_patterns(manifest_schema: Any, census_schema: Any) -> set[str]:
    """The different patterns of both schemas."""
    return patterns(manifest_schema) | patterns(census_schema)


@pytest.fixture(scope="session")
def compiled_patterns(all_patterns: set[str]) -> dict[str, Any]:
    """A validator of the compiled engine for each pattern."""
    return {text: jsonschema_rs.Draft202012Validator({"pattern": text}, offline=True) for text in all_patterns}


@pytest.fixture(scope="session")
def by_meaning(manifest_schema: Any) -> dict[str, str]:
    """The pattern for each kind of text."""
    defs = manifest_schema["$defs"]
    component = defs["componentIdentity"]["properties"]
    text = next(branch for branch in defs["strictJsonValue"]["oneOf"] if branch["type"] == "string")
    return {
        "digest": component["content_digest_sha256"]["pattern"],
        "name": defs["namedPredicateRequirement"]["properties"]["predicate"]["pattern"],
        "path": component["owned_fields"]["items"]["pattern"],
        "text": text["pattern"],
    }


def test_the_schemas_use_four_patterns(all_patterns: set[str], by_meaning: dict[str, str]) -> None:
    assert all_patterns == set(by_meaning.values())
    assert len(all_patterns) == 4


def test_patterns_start_anchored_and_end_at_the_absolute_end(all_patterns: set[str]) -> None:
    for pattern in all_patterns:
        assert pattern.startswith("^")
        assert pattern.endswith(TAIL)
        assert pattern.count(TAIL) == 1
        assert "$" not in pattern


def test_patterns_hold_only_portable_tokens(all_patterns: set[str]) -> None:
    for pattern in all_patterns:
        assert PORTABLE.fullmatch(pattern.removeprefix("^").removesuffix(TAIL)), ascii(pattern)


@pytest.mark.parametrize(
    "foreign",
    [r"\d", r"\w", r"\s", ".", "$", "^", r"\U0010FFFF", r"\u{10FFFF}", r"[\uD800-\uDFFF]", r"[\d]", "(?i)", "(?=a)"],
)
def test_the_portable_subset_excludes_what_engines_read_differently(foreign: str) -> None:
    assert not PORTABLE.fullmatch("a" + foreign)


@pytest.mark.parametrize(
    ("meaning", "examples"), [("digest", DIGESTS), ("name", NAMES), ("path", PATHS), ("text", TEXTS)]
)
def test_patterns_decide_alike_in_both_engines(
    by_meaning: dict[str, str], meaning: str, examples: tuple[list[str], list[str]]
) -> None:
    matching, other = examples
    for text, expected in [(text, True) for text in matching] + [(text, False) for text in other]:
        assert in_python(by_meaning[meaning], text) is expected, ascii(text)
        assert in_rust(by_meaning[meaning], text) is expected, ascii(text)


@settings(max_examples=1000)
@given(
    text=strategies.one_of(
        strategies.lists(strategies.sampled_from(ALPHABET), max_size=8).map("".join),
        strategies.lists(strategies.sampled_from(ALPHABET), max_size=8).map(lambda parts: "/" + "".join(parts)),
        strategies.text(alphabet="ab1._-", min_size=1, max_size=8),
        strategies.text(alphabet="09afg", min_size=63, max_size=65),
        strategies.text(),
    )
)
def test_engines_agree_on_any_text(compiled_patterns: dict[str, Any], text: str) -> None:
    for pattern, compiled in compiled_patterns.items():
        assert compiled.is_valid(text) == in_python(pattern, text), ascii(pattern)


def test_every_code_point_except_surrogates_is_text(by_meaning: dict[str, str]) -> None:
    everything = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF)
    assert in_python(by_meaning["text"], everything)
    for start in range(0, len(everything), 100_000):
        assert in_rust(by_meaning["text"], everything[start : start + 100_000])
    for point in range(0xD800, 0xE000):
        assert not in_python(by_meaning["text"], chr(point))


def test_every_code_point_except_surrogates_star_and_tilde_is_a_path_token(by_meaning: dict[str, str]) -> None:
    for point in range(0x110000):
        expected = not 0xD800 <= point <= 0xDFFF and chr(point) not in "*~/"
        assert in_python(by_meaning["path"], f"/{chr(point)}") is expected, hex(point)
