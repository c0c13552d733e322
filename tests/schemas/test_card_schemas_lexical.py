"""The lexical languages of the card schemas, decided alike by all engines."""

import itertools
import random
import re
from typing import Any

import pytest

from tests.schemas.card_support import DEFINITIONS_FILE, engines_for, part_accepts, read

LAST = "\U0010ffff"
LANGUAGES: dict[str, tuple[list[str], list[str]]] = {
    "name": (
        ["a", "a1", "a.b", "a_b", "a-b", "a.1", "a.b_c-d", "z9.9-9", "a" * 255],
        [
            "",
            "A",
            "1a",
            ".a",
            "a.",
            "a..b",
            "a._b",
            "a b",
            "a\n",
            "\na",
            "é",
            "a.B",
            "a@1.0.0",
            "a/b",
            "a" * 256,
            "\u0131",
        ],
    ),
    "cardId": (
        ["a", "a.b@1.2.3", "a@00.00.00", "a@10.200.3000", "a" * 249 + "@1.2.3"],
        [
            "",
            "a@",
            "a@1",
            "a@1.2",
            "a@1.2.3.4",
            "a@1.2.3-rc",
            "a@@1.2.3",
            "a@1.2.3\n",
            "A@1.2.3",
            "@1.2.3",
            "a@1.2.\u0663",
            "a" * 250 + "@1.2.3",
        ],
    ),
    "digest": (
        ["0" * 64, "0123456789abcdef" * 4],
        ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n", "0" * 63 + "\n", "\n" + "0" * 63, "\u0660" * 64],
    ),
    "pointer": (
        [
            "",
            "/",
            "/a",
            "/a~1b",
            "/~0~1",
            "/a b",
            "/\n",
            "/é\U0001f600" + LAST,
            "/\x00",
            "/~01",
            "/*",
            "/" + "a" * 1023,
        ],
        ["a", "\n", "//", "/a/", "/a/b", "/~", "/~2", "/a~", "/" + "a" * 1024, "#/a", "/\ud800", "/\udfff"],
    ),
    "timestamp": (
        [
            "2024-02-29T08:00:00.000000Z",
            "0000-01-01T00:00:00.000000Z",
            "9999-12-31T23:59:59.999999Z",
            "2023-02-31T00:00:00.000000Z",
        ],
        [
            "",
            "2024-02-29T08:00:00.000000Z\n",
            "2024-02-29T08:00:00.000000z",
            "2024-02-29t08:00:00.000000Z",
            "2024-02-29 08:00:00.000000Z",
            "2024-02-29T08:00:00.00000Z",
            "2024-02-29T08:00:00,000000Z",
            "2024-02-29T08:00:60.000000Z",
            "2024-02-29T24:00:00.000000Z",
            "2024-00-29T08:00:00.000000Z",
            "2024-02-32T08:00:00.000000Z",
            "2024-02-29T08:00:00.000000+00:00",
            "+024-02-29T08:00:00.000000Z",
            "\u0662024-02-29T08:00:00.000000Z",
        ],
    ),
    "currency": (["EUR", "ZZZ"], ["", "eur", "EU", "EURO", "EUR\n", "EU\n", "ÉUR", "E R"]),
    "semanticVersion": (
        [
            "0.0.0",
            "1.4.0-rc.2+build.77",
            "1.0.0-0",
            "1.0.0-a.b.c",
            "1.0.0--",
            "1.0.0-0a",
            "1.0.0-01a",
            "1.0.0-1-",
            "1.0.0+0",
            "1.0.0+01.-",
            "1.0.0-x-y-z.--",
            "99999999999999999999.0.0",
            "1.2.3" + "-" + "a" * 10_000,
        ],
        [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "01.0.0",
            "1.00.0",
            "1.0.0-",
            "1.0.0+",
            "1.0.0-01",
            "1.0.0-00",
            "1.0.0-a..b",
            "1.0.0-.a",
            "1.0.0-a.",
            "1.0.0+a+b",
            "1.0.0+a..b",
            "1.0.0-é",
            "v1.0.0",
            "1.0.0\n",
            "1.0.0-a\n",
            "-1.0.0",
            "1.0.0-" + "1" * 10_000 + "!",
            "1.0.0-" + "a." * 10_000,
        ],
    ),
    "text": (
        ["", "\n", "a\n", "\x00", "\ud7ff", "\ue000", "\uffff", LAST, "a" * 63, "a" * 64, "é" * 65],
        ["\ud800", "\udfff", "a\ud800", "\udc00\ud800", "a" * 64 + "\ud800"],
    ),
    "key": (
        ["", "\r", "a b", "/~*", "\x00", "\u2028", LAST, "a" * 64],
        ["\n", "a\n", "\na", "\ud800", "a" * 64 + "\n"],
    ),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_lexical_languages(name: str) -> None:
    accepts = part_accepts(name)
    for expected, texts in zip((True, False), LANGUAGES[name], strict=True):
        for text in texts:
            assert accepts(text) is expected, ascii(text)[:80]
    others: list[Any] = [None, True, 0, [], {}]
    for other in others:
        assert not accepts(other)


@pytest.mark.parametrize("name", LANGUAGES)
def test_random_texts_of_the_lexical_languages_are_judged_alike_by_the_engines(name: str) -> None:
    draw = random.Random(name)
    engines = engines_for(read(DEFINITIONS_FILE)["$defs"][name]["pattern"])
    characters = [*"aAz09._-+@/~01:TZ \n\r*é\u0663\ue000\U0001f600", LAST]
    for _ in range(20_000):
        text = list(draw.choice(LANGUAGES[name][0])[:80])
        for _ in range(draw.randrange(1, 4)):
            place = draw.randrange(len(text) + 1)
            text[place : place + draw.randrange(2)] = draw.choices(characters, k=draw.randrange(2))
        joined = "".join(text)
        if joined.isascii() or not any("\ud800" <= character <= "\udfff" for character in joined):
            assert len({engine(joined) for engine in engines}) == 1, ascii(joined)


def is_semver(text: str) -> bool:
    """The grammar of Semantic Versioning, as the contract writes it out."""
    number, identifier = "(?:0|[1-9][0-9]*)", "(?:0|[1-9][0-9]*|[0-9A-Za-z-]*[A-Za-z-][0-9A-Za-z-]*)"
    build = "[0-9A-Za-z-]+"
    pattern = rf"{number}\.{number}\.{number}(?:-{identifier}(?:\.{identifier})*)?(?:\+{build}(?:\.{build})*)?"
    return re.fullmatch(pattern, text) is not None


def test_versions_are_those_of_the_contract_although_written_for_linear_time() -> None:
    accepts = re.compile(read(DEFINITIONS_FILE)["$defs"]["semanticVersion"]["pattern"])
    for length in range(7):
        for parts in itertools.product("0a1.-+", repeat=length):
            text = "1.0.0" + "".join(parts)
            assert (accepts.search(text) is not None) is is_semver(text), text


def test_long_texts_pass_in_every_engine() -> None:
    for name, limit in (("text", 1_048_576), ("key", 1_048_576), ("semanticVersion", 900_000)):
        text = "1.0.0-".ljust(limit, "a")
        assert part_accepts(name)(text), name
        assert not part_accepts(name)(text + ("\ud800" if name != "semanticVersion" else "!")), name
    assert not part_accepts("text")("a" * 1_048_577)
