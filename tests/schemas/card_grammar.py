"""A second reading of the grammar of authorable patterns, character by character (cards contract, section 9)."""

from dataclasses import dataclass
from itertools import pairwise

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
SPECIAL = "^$[]\\()|.*+?{}"
RANGES = ("0-9", "A-Z", "a-z", " -~")


class NotAuthorableError(Exception):
    """The text is outside the grammar."""


@dataclass
class Reader:
    """Reads one text from left to right."""

    text: str
    position: int = 0

    def peek(self, count: int = 1) -> str:
        """The next characters, fewer at the end."""
        return self.text[self.position : self.position + count]

    def take(self, count: int = 1) -> str:
        """Read on and return what was read."""
        taken = self.peek(count)
        if len(taken) < count:
            raise NotAuthorableError
        self.position += count
        return taken

    def need(self, expected: str) -> None:
        """Read exactly `expected`."""
        if self.take(len(expected)) != expected:
            raise NotAuthorableError


def printable(character: str) -> bool:
    """Whether the character is one from space to tilde."""
    return len(character) == 1 and 0x20 <= ord(character) <= 0x7E


def read_escape(reader: Reader) -> None:
    """Read a backslash and what it may stand before."""
    reader.need("\\")
    escaped = reader.take()
    if escaped in LETTERS + DIGITS:
        if escaped not in "dDsSwW":
            raise NotAuthorableError
    elif not printable(escaped):
        raise NotAuthorableError


def read_item(reader: Reader, *, caret: bool) -> None:
    """Read one member of a class that is no hyphen at its edge."""
    if reader.peek() == "\\":
        read_escape(reader)
        return
    if reader.peek(3) in RANGES:
        reader.take(3)
        return
    character = reader.take()
    if not printable(character) or character in "[]-" or (character == "^" and not caret):
        raise NotAuthorableError


def read_class(reader: Reader) -> None:
    """Read a class with its brackets."""
    reader.need("[")
    negated = reader.peek() == "^"
    if negated:
        reader.take()
    members = 0
    if reader.peek() == "-":
        reader.take()
        members += 1
    while reader.peek() not in ("]", "-", ""):
        read_item(reader, caret=negated or members > 0)
        members += 1
    if reader.peek() == "-":
        reader.take()
        members += 1
    if members == 0:
        raise NotAuthorableError
    reader.need("]")


def read_number(reader: Reader) -> int:
    """Read a decimal number without leading zeros."""
    digits = ""
    while reader.peek() and reader.peek() in DIGITS:
        digits += reader.take()
    if digits != "0" and (not digits or digits[0] == "0"):
        raise NotAuthorableError
    return int(digits)


def read_braces(reader: Reader) -> str:
    """Read a quantifier in braces and say whether it is fixed or variable."""
    reader.need("{")
    low = read_number(reader)
    if low > 4096:
        raise NotAuthorableError
    if reader.peek() == "}":
        reader.take()
        return "fixed"
    reader.need(",")
    if reader.peek() == "}":
        reader.take()
        return "fixed" if low == 4096 else "variable"
    high = read_number(reader)
    reader.need("}")
    written = low == 0 or high == 4096 or len(str(low)) < len(str(high)) or (len(str(low)) == 1 and len(str(high)) == 1)
    if not low < high <= 4096 or not written:
        raise NotAuthorableError
    return "variable"


def read_unit(reader: Reader) -> str:
    """Read an atom with its quantifier and say what kind of unit it is."""
    start = reader.peek()
    if start == "[":
        read_class(reader)
    elif start == "\\":
        read_escape(reader)
    elif printable(start) and start not in SPECIAL:
        reader.take()
    else:
        raise NotAuthorableError
    if reader.peek() and reader.peek() in "?*+":
        reader.take()
        return "variable"
    return read_braces(reader) if reader.peek() == "{" else "plain"


def authorable(text: str) -> bool:
    """Whether the grammar has the text, its length included."""
    if len(text) > 256:
        return False
    reader = Reader(text)
    if reader.peek() == "^":
        reader.take()
    kinds = []
    try:
        while reader.peek() and (reader.peek() != "$" or reader.position < len(text) - 1):
            kinds.append(read_unit(reader))
    except NotAuthorableError:
        return False
    side_by_side = any("plain" not in pair for pair in pairwise(kinds))
    return not side_by_side and kinds.count("variable") <= 1
