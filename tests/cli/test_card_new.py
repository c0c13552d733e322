"""``card new``: a valid card on standard output or in a new file; what it refers to is asked for."""

import json
from pathlib import Path

import pytest

from operatebench.cards import load_card_chain
from tests.cli.cards import DIGESTS, change, read, write_chain
from tests.cli.conftest import Answer
from tests.support import RunCli

BOTH = ("--refers-to", "scenario.json", "--refers-to", "operation.json")


def test_a_chain_from_nothing(run_cli: RunCli, run_here: RunCli, tmp_path: Path) -> None:
    done = run_cli("card", "new", "operation", "--id", "a.core@1.0.0", "--out", "operation.json", cwd=tmp_path)
    digest = read(tmp_path / "operation.json")["content_digest_sha256"]
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"new: operation a.core@1.0.0 {digest}\n")

    scenario = run_here("card", "new", "scenario", *BOTH[2:], "--out", "scenario.json", cwd=tmp_path)
    assert scenario.returncode == 0
    variant = run_here("card", "new", "variant", *BOTH, cwd=tmp_path)

    chain = [(tmp_path / f"{name}.json").read_bytes() for name in ("operation", "scenario")]
    assert [card["id"] for card in load_card_chain([*chain, variant.stdout.encode()])] == [
        "a.core@1.0.0",
        "new-scenario",
        "new-variant",
    ]
    assert variant.stdout == json.dumps(json.loads(variant.stdout), indent=2, ensure_ascii=False) + "\n"


def test_json_holds_the_card_or_names_the_file(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    printed = answer(run_here("card", "new", "operation", "--json", cwd=tmp_path))
    written = answer(run_here("card", "new", "operation", "--json", "--out", "o.json", cwd=tmp_path))

    assert list(printed) == ["command", "exit", "content_digest_sha256", "file", "card"]
    assert (printed["file"], written["file"], written["card"]) == (None, "o.json", None)
    assert printed["card"] == read(tmp_path / "o.json")
    assert printed["content_digest_sha256"] == printed["card"]["content_digest_sha256"]


def test_an_existing_file_is_not_replaced(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "o.json").write_text("mine")
    done = run_here("card", "new", "operation", "--out", "o.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   file_exists: ")
    assert (tmp_path / "o.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("variant",), "give both cards with --refers-to scenario.json --refers-to operation.json"),
        (("scenario",), "give its card with --refers-to operation.json"),
        (("operation", "--refers-to", "x.json"), "an operation refers to no card: leave --refers-to out"),
        (("operation", "--out", "-"), "'-' names no output file; without --out the card goes to standard output"),
        (("operation", "--id", "Not An Id"), "such as boiler.core@1.0.0"),
        (("scenario", "--refers-to", "-", "--refers-to", "-"), "standard input, '-', can be given for one file only"),
        (("episode",), "'episode' is not one of"),
    ],
)
def test_wrong_usage_says_what_to_do(run_here: RunCli, words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = run_here("card", "new", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (64, "")
    assert message in done.stderr.splitlines()[-1]
    assert done.stderr.startswith("Usage: operatebench card new ")


def test_a_refused_upstream_card_is_named_by_its_file(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    change(write_chain(tmp_path) / "operation.json", '"currency": "GBP"', '"currency": "gbp"')

    people = run_here("card", "new", "variant", *BOTH, cwd=tmp_path)
    program = answer(run_here("card", "new", "variant", *BOTH, "--json", cwd=tmp_path))

    assert people.returncode == 1
    assert "where     operation.json#/content/policy_contract/currency" in people.stderr.splitlines()
    refusal = program["refusal"]
    assert (refusal["code"], refusal["document"]) == ("references.target_invalid", "references/1")
    assert (refusal["file"], refusal["path"]) == ("operation.json", "/content/policy_contract/currency")


def test_the_scenario_alone_is_not_enough_for_a_variant(run_here: RunCli, tmp_path: Path) -> None:
    done = run_here("card", "new", "variant", *BOTH[:2], cwd=write_chain(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("refused   references.unresolved: ")


def test_types_without_a_small_value_are_the_answer_no(run_here: RunCli, tmp_path: Path) -> None:
    run_here("card", "new", "operation", "--out", "operation.json", cwd=tmp_path)
    change(tmp_path / "operation.json", '"minLength": 1', '"minLength": 99')
    run_here("card", "seal", "operation.json", "--in-place", cwd=tmp_path)
    run_here("card", "new", "scenario", *BOTH[2:], "--out", "scenario.json", cwd=tmp_path)

    done = run_here("card", "new", "variant", *BOTH, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "where     operation.json#/content/state_contract/initial_state_schema" in done.stderr.splitlines()


def test_the_upstream_card_can_come_from_standard_input(run_here: RunCli, tmp_path: Path) -> None:
    text = (write_chain(tmp_path) / "operation.json").read_bytes()
    done = run_here("card", "new", "scenario", "--refers-to", "-", cwd=tmp_path, stdin=text)
    assert done.returncode == 0
    assert json.loads(done.stdout)["content"]["operation_core"]["content_digest_sha256"] == DIGESTS["operation"]
