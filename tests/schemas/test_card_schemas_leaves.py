"""Every value of the sample cards, missing, null, repeated or of a foreign type, is judged as the contract says."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.schemas.card_support import Path, at, card_accepts, changed, quick_card_accepts, sample, without

KINDS = ["operation", "scenario", "variant"]

# Objects with free names: members may come and go, as far as a schema can tell.
MAPS = {"required", "optional", "arguments", "fields", "properties", "payload", "hidden_initial_values", "correlation"}
# Free JSON below these.
FREE = {"payload", "hidden_initial_values"}
NULLABLE = {"pattern", "enum"}


def is_map(path: Path, node: Any) -> bool:
    """Whether the object at `path` has free names."""
    if not isinstance(node, dict) or not path:
        return False
    inside_map = len(path) > 1 and path[-2] in MAPS and path[-1] in MAPS
    return path[-1] in MAPS and not inside_map


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value with its path, itself included, but nothing below free JSON."""
    yield path, value
    if path and path[-1] in FREE:
        return
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for step, item in items:
        yield from nodes(item, (*path, step))


def member_paths(card: Any) -> Iterator[tuple[Path, bool]]:
    """Yield the path of every object member, and whether its object has free names."""
    for path, node in nodes(card):
        if isinstance(node, dict):
            free = is_map(path, node) or bool(path and path[-1] in FREE)
            for name in node:
                yield (*path, name), free


@pytest.mark.parametrize(("kind", "records"), [("operation", 81), ("scenario", 48), ("variant", 21)])
def test_every_missing_or_extra_member_of_a_record_is_refused(kind: str, records: int) -> None:
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        if not isinstance(node, dict) or is_map(path, node):
            continue
        for name in node:
            assert not accepts(without(card, (*path, name))), (path, name)
        for name in ("zz_extra", "$comment", "", "Schema"):
            assert not accepts(changed(card, (*path, name), None)), (path, name)
        judged += 1
    assert judged == records


@pytest.mark.parametrize("kind", KINDS)
def test_every_member_of_a_map_may_be_missing(kind: str) -> None:
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, free in member_paths(card):
        if free:
            assert accepts(without(card, path)), path
            judged += 1
    assert judged == {"operation": 26, "scenario": 0, "variant": 22}[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_null_is_refused_except_where_the_contract_allows_it(kind: str) -> None:
    card, accepts = sample(kind), card_accepts(kind)
    for path, node in nodes(card):
        if not path:
            continue
        free = len(path) > 1 and path[-2] in {*FREE, "correlation"}
        text = at(card, path[:-1])
        nullable = path[-1] in NULLABLE and isinstance(text, dict) and "string" in (text.get("kind"), text.get("type"))
        literal = path[-1] == "value" and text.get("kind") == "literal"
        expected = node is None or free or nullable or literal
        assert accepts(changed(card, path, None)) is expected, path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [True, False, 7, "text", [], {}, 1.5], ids=repr)
def test_a_value_of_a_foreign_type_is_refused(kind: str, other: Any) -> None:
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        free = len(path) > 1 and path[-2] in {*FREE, "correlation"}
        literal = bool(path) and path[-1] == "value"
        open_type = path and path[-1] in NULLABLE | {"trigger", "at"}
        if free or literal or open_type or type(node) is type(other):
            continue
        edited = changed(card, path, other) if path else other
        assert not accepts(edited), (path, other)
        judged += 1
    assert judged > 50


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_written_with_a_fraction_of_zero_is_left_to_the_reader(kind: str) -> None:
    """JSON Schema counts 1.0 as an integer; the reader refuses every fraction before."""
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        if type(node) is int and node < 2**53:
            assert accepts(changed(card, path, float(node))), path
            judged += 1
    assert judged > 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_of_a_foreign_type_is_refused(kind: str) -> None:
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        if isinstance(node, list):
            others: list[Any] = [None, True, 7, [], {}, "Not a name\n"]
            for other in others:
                edited = copy.deepcopy(card)
                at(edited, path).append(other)
                accepted = other == "Not a name\n" and path[-1] == "enum"
                assert accepts(edited) is accepted, (path, other)
            judged += 1
    assert judged > 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_repeated_item_is_refused_in_sets_and_passes_in_lists(kind: str) -> None:
    lists = {"decision_points", "operands", "expected_event_rejections", "events"}
    card, accepts = sample(kind), card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        if isinstance(node, list) and node:
            edited = copy.deepcopy(card)
            at(edited, path).insert(0, copy.deepcopy(node[-1]))
            assert accepts(edited) is (path[-1] in lists), path
            judged += 1
    assert judged > 5


@pytest.mark.parametrize("kind", KINDS)
def test_the_fewest_items_of_every_array(kind: str) -> None:
    may_be_empty = {
        "required_tools",
        "required_prior_point_ids",
        "edges",
        "authored_hazards",
        "allowed_variant_dimensions",
        "required_checkpoint_types",
        "dispatch_failures",
        "expected_event_rejections",
        "required",
    }
    card, accepts = sample(kind), card_accepts(kind)
    for path, node in nodes(card):
        if isinstance(node, list):
            assert accepts(changed(card, path, [])) is (path[-1] in may_be_empty), path
            if path[-1] == "operands":
                assert not accepts(changed(card, path, node[:1])), path


@pytest.mark.parametrize("kind", KINDS)
def test_a_trailing_line_feed_is_refused_in_every_text_that_is_not_free(kind: str) -> None:
    card, accepts = sample(kind), quick_card_accepts(kind)
    judged = 0
    for path, node in nodes(card):
        if isinstance(node, str):
            free = path[-1] == "value" or "enum" in path or (len(path) > 1 and path[-2] == "correlation")
            # A pointer's token is any text without its two marks, a line feed included; the empty pointer has no token.
            pointer = node.startswith("/")
            assert accepts(changed(card, path, node + "\n")) is (free or pointer), path
            judged += 1
    assert judged > 50


def test_an_event_has_an_instant_or_a_trigger() -> None:
    card, accepts = sample("variant"), card_accepts("variant")
    for index, event in enumerate(card["content"]["events"]):
        trigger = {"kind": "event", "type_name": "a", "correlation": {}}
        for at_, trigger_ in (("2024-02-29T08:05:00.000000Z", trigger), (None, None)):
            both = changed(card, ("content", "events", index), event | {"at": at_, "trigger": trigger_})
            assert not accepts(both)
        for at_, trigger_ in (("2024-02-29T08:05:00.000000Z", None), (None, trigger)):
            one = changed(card, ("content", "events", index), event | {"at": at_, "trigger": trigger_})
            assert accepts(one)
