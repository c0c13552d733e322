"""Predicates, values and tables in words."""

from typing import Any

import pytest

from operatebench.cards.authoring.words import leaves, listed, predicate_lines, table


def pointer(place: str) -> dict[str, Any]:
    return {"kind": "pointer", "pointer": place}


def literal(value: Any) -> dict[str, Any]:
    return {"kind": "literal", "value": value}


def scalar(operator: str, left: Any, right: Any) -> dict[str, Any]:
    return {"kind": "scalar", "operator": operator, "left": left, "right": right}


def some(quantifier: str, predicate: Any) -> dict[str, Any]:
    return {
        "kind": "quantified",
        "quantifier": quantifier,
        "collection": "/rows",
        "binding": "row",
        "predicate": predicate,
    }


OPEN = scalar("EQ", pointer("/phase"), literal("open"))
COLD = scalar("LT", pointer("/celsius"), literal(14))
BOUND = scalar("NE", {"kind": "binding", "binding": "row", "pointer": "/state"}, literal(None))


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        (OPEN, '/phase is "open"'),
        (COLD, "/celsius is less than 14"),
        (BOUND, "row/state is not null"),
        (scalar("LTE", pointer(""), literal(True)), "the whole state is at most true"),
        (scalar("GT", pointer("/a"), literal(1)), "/a is more than 1"),
        (scalar("GTE", pointer("/a"), literal(1)), "/a is at least 1"),
        (scalar("IN", pointer("/a"), pointer("/b~1c")), "/a is in /b~1c"),
        (scalar("NOT_IN", pointer("/a"), pointer("/b")), "/a is not in /b"),
        (scalar("MATCHES", pointer("/a"), literal("^x$")), '/a matches "^x$"'),
        ({"kind": "not", "operand": OPEN}, 'not /phase is "open"'),
        ({"kind": "all", "operands": [OPEN, COLD]}, '/phase is "open" and /celsius is less than 14'),
        (
            {"kind": "any", "operands": [OPEN, {"kind": "not", "operand": COLD}]},
            '/phase is "open" or (not /celsius is less than 14)',
        ),
        (some("ANY", BOUND), "for some row in /rows: row/state is not null"),
        (some("ALL", BOUND), "for every row in /rows: row/state is not null"),
        (some("NONE", {"kind": "not", "operand": BOUND}), "for no row in /rows: (not row/state is not null)"),
    ],
)
def test_predicates_in_words(predicate: dict[str, Any], words: str) -> None:
    assert predicate_lines(predicate, "  ") == [f"  {words}"]


def test_a_long_predicate_is_an_outline() -> None:
    deep = {"kind": "not", "operand": some("ANY", {"kind": "any", "operands": [BOUND, OPEN, COLD]})}
    assert predicate_lines({"kind": "all", "operands": [OPEN, COLD, deep]}) == [
        "all of:",
        '  /phase is "open"',
        "  /celsius is less than 14",
        "  not:",
        "    for some row in /rows:",
        '      row/state is not null or /phase is "open" or /celsius is less than 14',
    ]


def test_texts_of_the_card_are_escaped_and_cut() -> None:
    (words,) = predicate_lines(scalar("EQ", pointer("/a\x1b\u202e"), literal("\x1b[31m" + "x" * 500)))
    assert words.isprintable()
    assert len(words) < 400


def test_leaves_are_scalars_and_empty_containers() -> None:
    value = {"a": {"b/c": [1, "two"], "d": []}, "e": None, "f": {}}
    assert list(leaves(value)) == [
        ("/a/b~1c/0", "1"),
        ("/a/b~1c/1", '"two"'),
        ("/a/d", "an array of 0 items"),
        ("/e", "null"),
        ("/f", "an object with 0 members"),
    ]


def test_tables_align_and_one_long_cell_widens_nothing() -> None:
    assert table([("a", "bb", "c"), ("dd", "e", ""), ("f" * 60, "g", "h")], " ") == [
        " a   bb  c",
        " dd  e",
        f" {'f' * 60}  g   h",
    ]
    assert table([]) == []


def test_lists() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert (listed([]), listed([], "-")) == ("none", "-")


def test_a_deep_and_wide_predicate_is_told_in_time_that_grows_with_its_size() -> None:
    predicate: dict[str, Any] = {"kind": "any", "operands": [OPEN] * 4_000}
    for _ in range(25):
        predicate = {"kind": "all", "operands": [{"kind": "not", "operand": predicate}, COLD]}

    lines = predicate_lines(predicate)

    assert len(lines) == 4_000 + 1 + 25 * 3
    assert lines[:3] == ["all of:", "  not:", "    all of:"]
