"""The framing of clean trees: published digests, an oracle of its own, every refusal, its place, and their order."""

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.errors import CleanTreeError
from operatebench.provenance import CLEAN_TREE_ALGORITHM, CleanTree, Content, TreeFraming
from operatebench.provenance.clean_tree import frame_length

FILE = b"100644"
COMPOSED, DECOMPOSED = "café", "cafe\u0301"


def framed(*entries: tuple[bytes, bytes, bytes]) -> CleanTree:
    """Return what entries of mode, path and content come to."""
    framing = TreeFraming()
    for mode, path, content in entries:
        framing.add(mode, path, lambda *_, content=content: Content(len(content), (content,)))
    return framing.result()


def refusal_of(*entries: tuple[bytes, bytes]) -> tuple[str, str, str, str]:
    """Return code, path, expected and actual of the refusal of entries of mode and path."""
    with pytest.raises(CleanTreeError) as refused:
        framed(*((*entry, b"") for entry in entries))
    return refused.value.code, refused.value.path, refused.value.expected, refused.value.actual


def test_a_tree_without_entries_is_the_prefix() -> None:
    assert framed() == CleanTree("68f6186b2db6dc772dc66283dfa332d841dcdc93e80a200afe7e2ee725906f43", 0, 42)


def test_the_fixture_of_the_contract() -> None:
    tree = framed(
        (b"100644", b"README.md", b"# fixture\n"),
        (b"120000", b"link", b"README.md"),
        (b"100755", b"tools/run.sh", b"#!/bin/sh\nexit 0\n"),
    )

    assert tree == CleanTree("a4d1904dbef15f4c3ec14ea347d762afb47ff4a9be84f18f5a984199f671a465", 3, 193)


def oracle(entries: list[tuple[bytes, bytes, bytes]]) -> CleanTree:
    """Frame in one piece."""
    text = CLEAN_TREE_ALGORITHM.encode() + b"\x00"
    for entry in entries:
        for field in entry:
            text += bytes.fromhex(f"{len(field):016x}") + field
    return CleanTree(hashlib.sha256(text).hexdigest(), len(entries), len(text))


NAMES = st.text("ab.é~", min_size=1, max_size=3).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda names: "/".join(names).encode())
ENTRIES = st.dictionaries(PATHS, st.tuples(st.sampled_from([FILE, b"100755", b"120000"]), st.binary(max_size=9)))


@settings(max_examples=40)
@given(ENTRIES)
def test_any_tree_is_framed_like_the_oracle_does(tree: dict[bytes, tuple[bytes, bytes]]) -> None:
    entries = [(tree[path][0], path, tree[path][1]) for path in sorted(tree)]

    assert framed(*entries) == oracle(entries)


def test_content_in_pieces_is_the_same_content() -> None:
    framing = TreeFraming()
    framing.add(FILE, b"a", lambda *_: Content(5, iter([b"he", b"", b"llo"])))

    assert framing.result() == oracle([(FILE, b"a", b"hello")])


MODES = "100644, 100755, 120000"
NAMES_EXPECTED = "names that are not empty, '.', '..' or '.git'"
CONTROLS = "no control character and no backslash"


@pytest.mark.parametrize(
    ("mode", "path", "refusal"),
    [
        (b"160000", b"dep", ("submodule_entry", "dep", MODES, "160000")),
        (b"040000", b"dep", ("unsupported_mode", "dep", MODES, "040000")),
        (b"100664", b"a", ("unsupported_mode", "a", MODES, "100664")),
        (b"0100644", b"a", ("unsupported_mode", "a", MODES, "0100644")),
        (b"", b"a", ("unsupported_mode", "a", MODES, "")),
        (FILE, b"", ("unsafe_path", "", "1 to 4096 bytes", "0 bytes")),
        (FILE, 4097 * b"p", ("unsafe_path", 511 * "p" + "…", "1 to 4096 bytes", "4097 bytes")),
        (FILE, b"a\xed\xa0\x80", ("unsafe_path", "a\\udced\\udca0\\udc80", "UTF-8", "other bytes")),
        (FILE, b"a\xc0\xafb", ("unsafe_path", "a\\udcc0\\udcafb", "UTF-8", "other bytes")),
        (FILE, b"a\xf4\x90\x80\x80", ("unsafe_path", "a\\udcf4\\udc90\\udc80\\udc80", "UTF-8", "other bytes")),
        (
            FILE,
            DECOMPOSED.encode(),
            ("non_canonical_path", DECOMPOSED, "'caf\\xe9'", "'cafe\\u0301'"),
        ),
        (FILE, b"a\nb", ("unsafe_path", "a\\nb", CONTROLS, '"a\\nb"')),
        (FILE, b"a\x1fb", ("unsafe_path", "a\\x1fb", CONTROLS, '"a\\x1fb"')),
        (FILE, b"a\x7fb", ("unsafe_path", "a\\x7fb", CONTROLS, '"a\\x7fb"')),
        (FILE, b"a\\b", ("unsafe_path", "a\\b", CONTROLS, '"a\\\\b"')),
        (FILE, b"/a", ("unsafe_path", "/a", NAMES_EXPECTED, '""')),
        (FILE, b"/", ("unsafe_path", "/", NAMES_EXPECTED, '""')),
        (FILE, b"a/", ("unsafe_path", "a/", NAMES_EXPECTED, '""')),
        (FILE, b"a//b", ("unsafe_path", "a//b", NAMES_EXPECTED, '""')),
        (FILE, b".", ("unsafe_path", ".", NAMES_EXPECTED, '"."')),
        (FILE, b"a/./b", ("unsafe_path", "a/./b", NAMES_EXPECTED, '"."')),
        (FILE, b"..", ("unsafe_path", "..", NAMES_EXPECTED, '".."')),
        (FILE, b"a/..", ("unsafe_path", "a/..", NAMES_EXPECTED, '".."')),
        (FILE, b".git", ("unsafe_path", ".git", NAMES_EXPECTED, '".git"')),
        (FILE, b"a/.gIT/x", ("unsafe_path", "a/.gIT/x", NAMES_EXPECTED, '".git"')),
    ],
)
def test_what_may_not_be_in_a_tree(mode: bytes, path: bytes, refusal: tuple[str, ...]) -> None:
    assert refusal_of((mode, path)) == refusal


@pytest.mark.parametrize(
    "path",
    [
        *(b"...", b".github/x", b".gitignore", b"a/.git~", b"git", b" ", b"a b*?\"'", b"..a", COMPOSED.encode()),
        *(b"a\xc2\x85b", "\u00e5".encode(), "a/\U0001f600".encode(), 4096 * b"p", 2047 * b"a/" + b"ab"),
    ],
)
def test_what_may(path: bytes) -> None:
    assert framed((FILE, path, b"")) == oracle([(FILE, path, b"")])


@pytest.mark.parametrize(
    ("paths", "refusal"),
    [
        ([b"a", b"a"], ("duplicate_path", "a", "a path after a", "a")),
        ([b"b", b"a"], ("out_of_order", "a", "a path after b", "a")),
        ([b"a", b"b", b"a"], ("out_of_order", "a", "a path after b", "a")),
        ([b"a/b", b"a.b"], ("out_of_order", "a.b", "a path after a/b", "a.b")),
        ([b"ab", b"a"], ("out_of_order", "a", "a path after ab", "a")),
        (
            [b"READ", b"other", b"read"],
            ("portable_path_collision", "read", "a path that is not READ in other case", "read"),
        ),
        (
            [b"Dir/a", b"dir/A"],
            ("portable_path_collision", "dir/A", "a path that is not Dir/a in other case", "dir/A"),
        ),
    ],
)
def test_an_entry_has_its_place_behind_the_earlier_ones(paths: list[bytes], refusal: tuple[str, ...]) -> None:
    assert refusal_of(*((FILE, path) for path in paths)) == refusal


def test_other_case_beyond_ascii_and_of_folders_alone_is_no_collision() -> None:
    entries = [(FILE, path.encode(), b"") for path in ("Dir/x", "dir/y", "É", "é", "\u0131")]

    assert framed(*entries) == oracle(entries)


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([(b"160000", b"..\xff")], "submodule_entry"),
        ([(b"100600", b"..\xff")], "unsupported_mode"),
        ([(FILE, f"{DECOMPOSED}\n".encode())], "non_canonical_path"),
        ([(FILE, 4096 * b"p" + b"\xff")], "unsafe_path"),
        ([(FILE, b"b"), (FILE, b"a\n")], "unsafe_path"),
        ([(FILE, b"b"), (b"160000", b"b")], "submodule_entry"),
    ],
)
def test_mode_comes_before_path_and_both_before_the_place(entries: list[tuple[bytes, bytes]], code: str) -> None:
    assert refusal_of(*entries)[0] == code


def unreadable(mode: bytes, path: bytes) -> Content:
    raise CleanTreeError("unreadable_bytes", path=path.decode(), expected=mode.decode())


def test_content_is_asked_for_after_the_path_and_before_the_place() -> None:
    framing = TreeFraming()
    framing.add(FILE, b"b", lambda *_: Content(0, ()))
    with pytest.raises(CleanTreeError) as unsafe:
        framing.add(FILE, b"../b", unreadable)
    with pytest.raises(CleanTreeError) as refused:
        framing.add(FILE, b"a", unreadable)

    assert (unsafe.value.code, refused.value.code, refused.value.path) == ("unsafe_path", "unreadable_bytes", "a")
    assert refused.value.expected == "100644"


@pytest.mark.parametrize(("size", "found"), [(2, "3 or more"), (4, "3")])
def test_content_of_another_length_than_promised_is_refused(size: int, found: str) -> None:
    with pytest.raises(CleanTreeError) as refused:
        TreeFraming().add(FILE, b"a", lambda *_: Content(size, (b"abc",)))

    refusal = refused.value
    assert (refusal.code, refusal.path, refusal.expected, refusal.actual) == (
        "unreadable_bytes",
        "a",
        f"{size} bytes",
        found,
    )


@pytest.mark.parametrize("length", [-1, 2**64])
def test_a_length_has_64_bits(length: int) -> None:
    with pytest.raises(CleanTreeError) as refused:
        frame_length(length)

    refusal = refused.value
    limits = "0 to 18446744073709551615"
    assert (refusal.code, refusal.path, refusal.expected, refusal.actual) == (
        "frame_length_overflow",
        "",
        limits,
        str(length),
    )
    assert (frame_length(0), frame_length(2**64 - 1)) == (bytes(8), b"\xff" * 8)


def test_the_vocabulary_is_the_closed_one() -> None:
    codes: Any = CleanTreeError.codes

    assert list(codes) == [
        "dirty_tracked_content",
        "duplicate_path",
        "frame_length_overflow",
        "mode_observation_unavailable",
        "non_canonical_path",
        "out_of_order",
        "portable_path_collision",
        "staged_index_drift",
        "submodule_entry",
        "unreadable_bytes",
        "unsafe_path",
        "unsupported_mode",
    ]
