"""The owner table: the longest entry counts, and what is no plain source path has no owner."""

import pytest

from operatebench.provenance.owners import is_source_path
from tests.provenance.sites import TABLE


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("py.typed", "root"),
        ("a/x.py", "whole"),
        ("a/deep/er/x.json", "whole"),
        ("a/b/two.py", "part"),
        ("a/b/one.py", "single"),
    ],
)
def test_the_longest_entry_says_whose_a_file_is(path: str, owner: str) -> None:
    assert TABLE.owner_of(path) == owner


@pytest.mark.parametrize("path", ["", "x.py", "a", "a/x.so", "a/x.pyc", "a/.x.py", "a/../x.py", "a//x.py", "/a/x.py"])
def test_what_no_entry_covers_has_no_owner(path: str) -> None:
    with pytest.raises(KeyError):
        TABLE.owner_of(path)


@pytest.mark.parametrize("path", ["", ".", "..", "a/..", "./a", "/a", "a/", "a//b", "a\\b", "a b", "ä", "a\n", "-a"])
def test_paths_are_relative_plain_and_ascii(path: str) -> None:
    assert not is_source_path(path)
    assert is_source_path("a/b-c/d_1.e.py")
