"""The evidence vector file is the handed one, complete, and uses only what FORMAT.md describes."""

import hashlib
import json
import re
from importlib.resources import files

FOLDER = files("operatebench.vectors").joinpath("evidence")
DATA = FOLDER.joinpath("executed_evidence.json").read_bytes()
FILE = json.loads(DATA)
PAGE = FOLDER.joinpath("FORMAT.md").read_text("utf-8")


def test_the_file_is_byte_for_byte_the_handed_one() -> None:
    assert hashlib.sha256(DATA).hexdigest() == "aebf440af7ea3cd05b9e082c262e92d73bf29bd669ee65c73655dbe5836503cc"


OTHERS = {
    "build_provenance.json": (15, "f436ba3f110a29481a4551bf6a1c8975d2fca9e14edcd8264e739b302a17eb19"),
    "clean_tree.json": (30, "c354eb91ace5bc10f4aee32a98698d67b3c8077afd7442a59db911f2cc629274"),
    "clean_tree_golden.json": (5, "cd94b9fd0ca11fff54853d911617257a06c5d2c24c8c28768a96e46a9d31beaf"),
}
"""Files of other formats: how many cases, and SHA-256."""


def test_the_folder_holds_the_pinned_files_and_their_description() -> None:
    assert {entry.name for entry in FOLDER.iterdir()} == {"executed_evidence.json", *OTHERS, "FORMAT.md"}
    for name, (cases, digest) in OTHERS.items():
        data = FOLDER.joinpath(name).read_bytes()
        document = json.loads(data)
        assert (document["count"], len(document["cases"])) == (cases, cases)
        assert hashlib.sha256(data).hexdigest() == digest
        assert re.search(rf"^\| `{name}` \| .* \| {cases} \| 0 \|$", PAGE, re.MULTILINE)
        members = {*document} | {member for case in document["cases"] for member in case}
        members |= {member for case in document["cases"] for entry in case.get("entries", ()) for member in entry}
        members |= {
            member for case in document["cases"] if name != "build_provenance.json" for member in case["expect"]
        }
        assert members <= set(re.findall(r"`([^`\n]+)`", PAGE))


def test_the_page_states_the_number_of_cases_and_sweeps() -> None:
    assert "| `executed_evidence.json` | evidence that is accepted or refused | 97 | 4 |" in PAGE
    assert (FILE["count"], len(FILE["cases"]), len(FILE["sweeps"])) == (97, 97, 4)


def test_every_member_verdict_and_recipe_is_documented() -> None:
    documented = set(re.findall(r"`([^`\n]+)`", PAGE))
    words = {*FILE}
    for case in FILE["cases"]:
        words |= {*case, *case["expect"], case["expect"]["verdict"]} | {*case.get("generate", {})}
        words |= {case["generate"]["kind"]} if "generate" in case else set()
    for sweep in FILE["sweeps"]:
        words |= {*sweep, sweep["how"], sweep["expect"]}
    assert words <= documented, words - documented


def test_literal_numbers_are_integers_and_the_file_is_ascii() -> None:
    floats: list[str] = []
    json.loads(DATA, parse_float=floats.append, parse_constant=floats.append)

    assert DATA.isascii()
    assert floats == []
