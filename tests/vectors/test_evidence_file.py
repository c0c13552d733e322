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
    assert {entry.name for entry in FOLDER.iterdir()} == {"executed_evidence.json", "FORMAT.md"}


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
