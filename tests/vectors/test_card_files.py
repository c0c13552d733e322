"""The card vector files are the handed ones, complete, and use only what FORMAT.md describes."""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

FOLDER = files("operatebench.vectors").joinpath("cards")
HANDED = {
    "accepts.json": "958654c2735e658eae7c4fa76dd040adb17f114ccaf70c8b4e6b4c1b1d62f558",
    "digests.json": "51f11ce91dc09c8dd1608d899bad2423430919206d002bbc5133663484754863",
    "operation.json": "b18d350564b9a03f31a43c92ec5d56ab279c2ff4b1ee8ce182adef334ad08078",
    "refusals.json": "fc07a25fcf1d3d04278479af1856b0063bab6fdafeb5f8ae95b4d2440ba42366",
    "scenario.json": "76876ab016710f4bdc080af6f62bc6b3e04c95f7f7fbed8b033b441350af3081",
    "variant.json": "0f261e2f02290e577228bdaf8a4d6229b7e04624ef1892eced27cdc4d83d7847",
}
CASES = {name: json.loads(FOLDER.joinpath(name).read_bytes()) for name in ("accepts.json", "refusals.json")}


@pytest.fixture
def documented() -> set[str]:
    """Everything the page sets in code marks."""
    return set(re.findall(r"`([^`\n]+)`", FOLDER.joinpath("FORMAT.md").read_text("utf-8")))


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object below ``value``, itself included."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


@pytest.mark.parametrize("name", HANDED)
def test_handed_file_is_byte_for_byte_the_same(name: str) -> None:
    assert hashlib.sha256(FOLDER.joinpath(name).read_bytes()).hexdigest() == HANDED[name]


def test_the_folder_holds_the_handed_files_and_their_description() -> None:
    assert {entry.name for entry in FOLDER.iterdir()} == {*HANDED, "FORMAT.md"}


@pytest.mark.parametrize("name", CASES)
def test_every_member_op_generator_and_label_is_documented(name: str, documented: set[str]) -> None:
    generators = {word.split('"')[1] for word in documented if word.startswith('{"$')}
    assert generators == {"$repeat", "$fill", "$keys", "$chain"}
    for case in CASES[name]["cases"]:
        words = {*case, case["target"], case["expected"]} | {
            case[label] for label in ("stage", "reason") if label in case
        }
        ops = [op for ops in case.get("patch", {}).values() for op in ops]
        words |= {op["op"] for op in ops} | {member for op in ops for member in op}
        assert words <= documented, (case["name"], words - documented)
        found = {key for each in objects(case) for key in each if key.startswith("$")}
        assert found <= generators, case["name"]


@pytest.mark.parametrize(("name", "count"), [("accepts.json", 38), ("refusals.json", 491), ("digests.json", 9)])
def test_the_page_states_the_number_of_cases(name: str, count: int) -> None:
    page = FOLDER.joinpath("FORMAT.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))

    assert row.rstrip(" |").rsplit("|", 1)[1].strip() == str(count)
    document = json.loads(FOLDER.joinpath(name).read_bytes())
    assert (
        len(document.get("cases", [])) + len(document.get("cards", [])) + len(document.get("digest_only", [])) == count
    )
