"""Makes JSON documents as an attacker would: well formed, nearly so or not at all, the same for the same seed."""

import json
import random
from collections.abc import Callable

_CHARACTERS = (
    *'ab/~*"\\\x00\x1f\x7f',
    *"é€\u2028\ufeff\ud7ff\ue000\ufffd\uffff\U00010000\U0001f600\U0010ffff",
    *"\ud800\udbff\udc00\udfff",
)
_NUMBERS = (
    *[
        "0",
        "1",
        "-1",
        "-0",
        "7",
        "-0.0",
        "0.0",
        "1.0",
        "1e3",
        "1E+3",
        "1e-3",
        "100e-2",
        "1.5",
        "1e400",
        "-1e400",
        "1e-400",
        "0e0",
        "0e999",
        "-0e-5",
    ],
    *["9007199254740991", "-9007199254740991", "9007199254740992", "9007199254740991.0", "9007199254740992.0"],
    *[
        "9007199254740990.9999",
        "9007199254740993.0",
        "18446744073709551616",
        "1.00000000000000000000001",
        "4.35",
        "0.1e1",
    ],
    "9" * 400,
    "1" + "0" * 15 + ".0",
)
_NO_NUMBERS = [
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "1.e3",
    "1e",
    "1e+",
    "-",
    "--",
    "0x10",
    "1_0",
    "NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "inf",
    "1.0.0",
    "\u0661",
    "1e1.5",
    "00",
    "-a",
]
_BROKEN = [
    "'a'",
    '"a',
    '"\\x"',
    '"\\u12"',
    '"\\u',
    '123"',
    '"\t"',
    '"\x00"',
    "tru",
    "nul",
    "True",
    "None",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "[1",
    "2]",
    '{"a"}',
    "{1:2}",
    "//",
    "#",
    "[",
    "]",
    "{",
    "}",
    ",",
]
_SPACES = ("", "", "", "", " ", "\n", "\t", "\r\n", " \n ")
_ODD_SPACES = ("\x0b", "\x0c", "\u00a0", "\ufeff", "\u2028", "/**/", "\x00")


class HostileText:
    """A stream of documents.

    Attributes:
        random: where every choice comes from.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def document(self) -> bytes:
        """Return the next document."""
        make: Callable[[], str] = self.random.choices(
            (self._value_document, self._deep, self._wide, self._spaced), weights=(90, 4, 1, 5)
        )[0]
        data = make().encode("utf-8", "surrogatepass" if self.random.random() < 0.5 else "replace")
        if self.random.random() < 0.15:
            data = self._damage(data)
        return data

    def _value_document(self) -> str:
        # How hostile one document is differs, so that many are valid as a whole.
        self.evil = self.random.choice((0.0, 0.0, 0.01, 0.05, 0.3))
        return self._space() + self._value(0) + self._space()

    def _space(self) -> str:
        return self.random.choice(_SPACES)

    def _value(self, depth: int) -> str:
        if self.random.random() < self.evil * 0.3:
            return self.random.choice(_BROKEN + _NO_NUMBERS)
        kind = self.random.randrange(8 if depth < 5 else 5)
        if kind == 0:
            return self.random.choice(("null", "true", "false"))
        if kind == 1:
            return self._number()
        if kind in {2, 3, 4}:
            return self._text()
        items = range(self.random.choice((0, 1, 2, 3, 5)))
        if kind == 5:
            return "[" + ",".join(self._space() + self._value(depth + 1) + self._space() for _ in items) + "]"
        members = {self._text(): self._value(depth + 1) for _ in items}
        pairs = list(members.items())
        if pairs and self.random.random() < self.evil:
            pairs.append(self.random.choice(pairs))
        return "{" + ",".join(f"{self._space()}{name}{self._space()}:{value}" for name, value in pairs) + "}"

    def _number(self) -> str:
        if self.random.random() < self.evil:
            return self.random.choice(_NUMBERS)
        number = self.random.randrange(-(2**53) + 1, 2**53) >> self.random.randrange(53)
        return self.random.choice((str(number), f"{number}.0", f"{number}e0" if self.evil else str(number)))

    def _text(self) -> str:
        characters = _CHARACTERS if self.random.random() < self.evil else _CHARACTERS[:-4]
        text = "".join(self.random.choice(characters) for _ in range(self.random.choice((0, 1, 1, 2, 3, 6))))
        raw = json.dumps(text, ensure_ascii=self.random.random() < 0.3)
        if self.random.random() < self.evil:
            return raw.replace("\\u00", "\\U00") if "\\u00" in raw else f'"{text}"'
        return raw.replace("a", "\\u0061").replace("/", "\\/") if self.random.random() < 0.2 else raw

    def _deep(self) -> str:
        levels = self.random.choice((1, 5, 62, 63, 64, 65, 66, 100, 199, 200, 201, 300))
        leaf = self.random.choice(("", "1", "[]", "{}", "1.5", '"[[["'))
        if leaf and self.random.random() < 0.5:
            return '{"k":' * levels + leaf + "}" * levels
        return "[" * levels + leaf + "]" * self.random.choice((levels, levels, levels - 1, levels + 1))

    def _wide(self) -> str:
        count = self.random.choice((4095, 4096, 4097))
        if self.random.random() < 0.5:
            return "[" + ",".join(["0"] * count) + "]"
        return "{" + ",".join(f'"{index}":{index}' for index in range(count)) + "}"

    def _spaced(self) -> str:
        self.evil = 0.0
        return self.random.choice(_ODD_SPACES) + self._value(3) + self.random.choice((*_ODD_SPACES, "", "x", "1"))

    def _damage(self, data: bytes) -> bytes:
        position = self.random.randrange(len(data) + 1)
        kind = self.random.randrange(5)
        if kind == 0:
            return data[:position]
        if kind == 1:
            return data[:position] + bytes([self.random.randrange(256)]) + data[position:]
        if kind == 2:
            return data[:position] + bytes([self.random.randrange(256)]) + data[position + 1 :]
        if kind == 3:
            piece = self.random.choice(
                (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xe2\x28\xa1")
            )
            return data[:position] + piece + data[position:]
        end = min(len(data), position + self.random.randrange(6))
        return data[:end] + data[position:end] + data[end:]
