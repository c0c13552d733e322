"""The lexical languages of the documents as patterns that every engine reads alike and matches in linear time.

A pattern is written with literals, groups, repetition and classes of literals and four-digit escapes only, and ends in
an absolute-end assertion. With ``$`` in its place it runs in linear-time engines where that means the absolute end too.
"""

TAIL = r"(?![\s\S])"

# Everything but a few ASCII characters and the surrogates. The last code point stands raw: no escape of it is portable.
_LAST = "\U0010ffff"
_TEXT = rf"[\u0000-\uD7FF\uE000-{_LAST}]"
_KEY = rf"[\u0000-\u0009\u000B-\uD7FF\uE000-{_LAST}]"
_TOKEN = rf"[\u0000-\u002E\u0030-\u007D\u007F-\uD7FF\uE000-{_LAST}]"
_TOKEN_WITHOUT_STAR = rf"[\u0000-\u0029\u002B-\u002E\u0030-\u007D\u007F-\uD7FF\uE000-{_LAST}]"
_SEGMENT = rf"[\u0020-\u002E\u0030-\u005B\u005D-\u007E\u0080-\uD7FF\uE000-{_LAST}]"
_SEGMENT_WITHOUT_DOT = rf"[\u0020-\u002D\u0030-\u005B\u005D-\u007E\u0080-\uD7FF\uE000-{_LAST}]"


def whole(body: str) -> str:
    """Return the pattern that matches a text from start to end."""
    return f"^{body}{TAIL}"


_WORDS = "[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*"
NAME = whole(_WORDS)
CARD_ID = whole(f"{_WORDS}(?:@[0-9]+[.][0-9]+[.][0-9]+)?")
DIGEST = whole("[0-9a-f]{64}")
POINTER = whole(f"(?:/(?:{_TOKEN}|~0|~1)*)?")
_SECOND = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
TIMESTAMP = whole(f"{_SECOND}[.][0-9]{{6}}Z")
INSTANT = whole(f"{_SECOND}Z")
INSTANCE = whole("opinst_[0-9a-f]{32}")
RUN = whole("exec_[0-9a-f]{32}")
AUTHORIZATION = whole("auth_[0-9a-f]{32}")
# Base64 of 64 bytes: the last character holds two bits, and its others are zero.
SIGNATURE = whole("[A-Za-z0-9+/]{85}[AQgw]==")
MONEY = whole("(?:0|[1-9][0-9]*)(?:[.][0-9]*[1-9])?")
CURRENCY = whole("[A-Z]{3}")
# In pieces: a backtracking engine remembers every step of a repetition, and a long text has more than it allows.
TEXT = whole(f"(?:{_TEXT}{{64}})*{_TEXT}{{0,63}}")
KEY = whole(f"(?:{_KEY}{{64}})*{_KEY}{{0,63}}")

_NUMBER = "(?:0|[1-9][0-9]*)"
# The contract writes `[0-9A-Za-z-]*[A-Za-z-][0-9A-Za-z-]*`, in quadratic time; fixing the first letter makes it linear.
_PRERELEASE = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = "[0-9A-Za-z-]+"
SEMVER = whole(
    f"{_NUMBER}[.]{_NUMBER}[.]{_NUMBER}(?:-{_PRERELEASE}(?:[.]{_PRERELEASE})*)?(?:[+]{_BUILD}(?:[.]{_BUILD})*)?"
)

_STEP = f"(?:{_TOKEN_WITHOUT_STAR}|~0|~1)+"
CENSUS_PATH = whole(f"/{_STEP}(?:/{_STEP})*")

# One segment of a path, neither empty nor `.` nor `..`.
_NAMED = f"(?:{_SEGMENT_WITHOUT_DOT}{_SEGMENT}*|[.](?:{_SEGMENT_WITHOUT_DOT}{_SEGMENT}*|[.]{_SEGMENT}+))"
SOURCE_PATH = whole(f"(?:(?:src|docs|tests|tools)/{_NAMED}(?:/{_NAMED})*|pyproject[.]toml|uv[.]lock)")
