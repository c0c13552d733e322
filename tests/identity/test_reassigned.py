"""Paths that went from one owner to another, told apart from paths that came, went or stayed."""

from operatebench.identity.reassigned import Reassigned, reassigned


def test_nothing_is_reassigned_where_owners_stay() -> None:
    assert reassigned({"a": ["/x", "/y"]}, {"a": ["/x", "/z"], "b": []}) == ()


def test_reassigned_paths_come_sorted_with_both_owners() -> None:
    old = {"a": ["/y", "/x"], "b": ["/z"]}
    new = {"a": ["/z"], "b": ["/x", "/y"]}
    assert reassigned(old, new) == (
        Reassigned("/x", "a", "b"),
        Reassigned("/y", "a", "b"),
        Reassigned("/z", "b", "a"),
    )
