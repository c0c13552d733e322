"""The identity vector files are the handed ones, complete, and use only what FORMAT.md describes."""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

FOLDER = files("operatebench.vectors").joinpath("identity")

HANDED = {
    "accept.json": (55, "901b01829a4ef98a88e5c4d8a9be4a8b52d5eea4f3a6a5de1d67b7812bb93b02"),
    "refuse.json": (133, "98204cda1d8d6acac84151aa896a4455267ba658711947e76a1716167de0b934"),
    "requirements.json": (49, "d355efd391ab5859e10060873d7340004a31a811197b400ee00da4da3f300a9d"),
    "diff.json": (50, "3d13879b9283d38123f5fa94ce47b1b35f09ede89c602cfde80a51fae2ae8cba"),
}
GOLDEN_FILE = "identity-manifest-digest-v1.golden.json"
LANGUAGE = "operatebench.conformance.identity.v1"
KINDS_OF_FILE = {
    "accept.json": {"canonical", "accept_manifest", "validate", "component", "bundle", "manifest_digest"},
    "refuse.json": {"validate", "component", "bundle", "manifest_digest"},
    "requirements.json": {"requirements"},
    "diff.json": {"diff"},
}


def read(name: str) -> Any:
    """Parse one vector file."""
    return json.loads(FOLDER.joinpath(name).read_bytes())


@pytest.fixture
def format_page() -> str:
    """The description of the vector language."""
    return FOLDER.joinpath("FORMAT.md").read_text("utf-8")


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object below `value`, itself included."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


def code_words(text: str) -> set[str]:
    """Everything the page sets in code marks."""
    return set(re.findall(r"`([^`]+)`", text))


@pytest.mark.parametrize("name", HANDED)
def test_handed_file_is_byte_for_byte_the_same(name: str) -> None:
    assert hashlib.sha256(FOLDER.joinpath(name).read_bytes()).hexdigest() == HANDED[name][1]


def test_the_folder_holds_the_handed_files_the_golden_file_and_their_description() -> None:
    assert {entry.name for entry in FOLDER.iterdir()} == {*HANDED, GOLDEN_FILE, "FORMAT.md"}


@pytest.mark.parametrize("name", HANDED)
def test_count_is_the_number_of_cases(name: str) -> None:
    document = read(name)
    assert list(document) == ["vectors", "about", "conventions", "count", "cases"]
    assert document["vectors"] == LANGUAGE
    assert document["count"] == len(document["cases"]) == HANDED[name][0]


def test_ids_are_unique_over_all_files() -> None:
    ids = [case["id"] for name in HANDED for case in read(name)["cases"]]
    assert len(ids) == len(set(ids)) == 287


@pytest.mark.parametrize("name", HANDED)
def test_cases_have_the_documented_members(name: str) -> None:
    for case in read(name)["cases"]:
        assert set(case) - {"host"} == {"id", "note", "kind", "input", "expect"}, case["id"]
        assert case.get("host", "python") == "python", case["id"]
        assert set(case["expect"]) in ({"ok"}, {"refused"}), case["id"]


@pytest.mark.parametrize("name", HANDED)
def test_every_kind_is_documented(name: str, format_page: str) -> None:
    kinds = {case["kind"] for case in read(name)["cases"]}
    assert kinds == KINDS_OF_FILE[name]
    assert kinds <= set(re.findall(r"^### `([a-z_]+)`$", format_page, re.MULTILINE))


@pytest.mark.parametrize("name", HANDED)
def test_every_recipe_op_level_member_and_label_is_documented(name: str, format_page: str) -> None:
    documented = code_words(format_page)
    for case in read(name)["cases"]:
        words = {*case["input"], case["expect"].get("refused", "refused")}
        for found in objects(case["input"]):
            if "$gen" in found:
                words |= {found["$gen"], *found} - {"$gen"}
                words |= {found["kind"]} if found["$gen"] == "py" else set()
            if "op" in found:
                words |= {found["op"], *found}
                words |= {found["level"]} if found["op"] == "reseal" else {found["root"]}
        assert words <= documented, (case["id"], words - documented)


@pytest.mark.parametrize("name", HANDED)
def test_only_python_cases_hold_python_objects(name: str) -> None:
    for case in read(name)["cases"]:
        needs_python = any(found.get("$gen") == "py" for found in objects(case["input"]))
        assert needs_python is ("host" in case), case["id"]


@pytest.mark.parametrize("name", HANDED)
def test_literal_numbers_are_integers_and_files_are_ascii(name: str) -> None:
    data = FOLDER.joinpath(name).read_bytes()
    assert data.isascii()
    floats: list[str] = []
    json.loads(data, parse_float=floats.append, parse_constant=floats.append)
    assert floats == []


@pytest.mark.parametrize("name", HANDED)
def test_the_page_states_the_number_of_cases(name: str, format_page: str) -> None:
    row = next(line for line in format_page.splitlines() if line.startswith(f"| `{name}` |"))
    assert row.rstrip(" |").rsplit("|", 1)[1].strip() == str(HANDED[name][0])


def test_canonical_hex_is_given_up_to_1024_bytes_and_hashes_to_the_digest() -> None:
    results = [case["expect"]["ok"] for case in read("accept.json")["cases"] if case["kind"] == "canonical"]
    assert len(results) == 18
    for result in results:
        assert ("canonical_utf8_hex" in result) is (result["bytes"] <= 1024)
        if "canonical_utf8_hex" in result:
            data = bytes.fromhex(result["canonical_utf8_hex"])
            assert len(data) == result["bytes"]
            assert hashlib.sha256(data).hexdigest() == result["sha256"]
