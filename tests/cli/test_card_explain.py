"""``card explain``: what a card says in words, as lines, as JSON, and as a picture."""

from pathlib import Path

import pytest

from operatebench.cards.authoring.explain import explain
from operatebench.cards.authoring.picture import picture
from tests.cli.cards import DIGESTS, NAMES, change, read, write_chain
from tests.cli.conftest import Answer
from tests.support import RunCli

BOTH = ("--refers-to", "scenario.json", "--refers-to", "operation.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_chain(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_words_and_picture(run_here: RunCli, folder: Path, name: str) -> None:
    done = run_here("card", "explain", f"{name}.json", "--svg", "card.svg", cwd=folder)

    card = read(folder / f"{name}.json")
    assert done.returncode == 0
    assert done.stdout.splitlines() == explain(card)
    assert (folder / "card.svg").read_bytes() == picture(card)


def test_it_says_whether_references_were_looked_at(run_cli: RunCli, folder: Path) -> None:
    alone = run_cli("card", "explain", "variant.json", cwd=folder)
    fully = run_cli("card", "explain", "variant.json", *BOTH, cwd=folder)
    operation = run_cli("card", "explain", "operation.json", cwd=folder)

    assert alone.stderr == "variant.json: sound by itself; not compared with the cards it refers to\n"
    assert (fully.stderr, operation.stderr) == ("variant.json: valid\n", "operation.json: valid\n")
    assert fully.stdout == alone.stdout


def test_json(run_here: RunCli, answer: Answer, folder: Path) -> None:
    program = answer(run_here("card", "explain", "scenario.json", "--svg", "s.svg", "--json", cwd=folder))

    assert program.pop("lines") == explain(read(folder / "scenario.json"))
    assert program == {
        "command": "card explain",
        "exit": 0,
        "schema": "operatebench.semantic_scenario_card.v1",
        "id": "heating.approval-before-booking",
        "content_digest_sha256": DIGESTS["scenario"],
        "validated": False,
        "svg_file": "s.svg",
    }


def test_a_card_that_is_not_sound_is_neither_explained_nor_drawn(run_here: RunCli, folder: Path) -> None:
    change(folder / "operation.json", '"max_turns_per_invocation": 12', '"max_turns_per_invocation": 13')

    done = run_here("card", "explain", "operation.json", "--svg", "o.svg", cwd=folder)

    assert (done.returncode, done.stdout, (folder / "o.svg").exists()) == (2, "", False)
    assert done.stderr.startswith("refused   digest.stale_or_forged: ")


def test_with_references_every_rule_counts(run_here: RunCli, folder: Path) -> None:
    change(folder / "variant.json", '"expected_terminal": "closed.repaired"', '"expected_terminal": "nowhere"')
    run_here("card", "seal", "variant.json", "--in-place", cwd=folder)

    assert run_here("card", "explain", "variant.json", cwd=folder).returncode == 0
    done = run_here("card", "explain", "variant.json", *BOTH, cwd=folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[1] == "where     variant.json#/content/expected_terminal"


def test_an_existing_picture_is_not_replaced(run_here: RunCli, folder: Path) -> None:
    (folder / "o.svg").write_text("mine")
    done = run_here("card", "explain", "operation.json", "--svg", "o.svg", cwd=folder)
    assert (done.returncode, done.stdout, (folder / "o.svg").read_text()) == (1, "", "mine")
    assert done.stderr.startswith("refused   file_exists: ")


def test_wrong_usage(run_here: RunCli, folder: Path) -> None:
    assert run_here("card", "explain", "operation.json", "--svg", "-", cwd=folder).returncode == 64
    assert run_here("card", "explain", "-", "--refers-to", "-", cwd=folder).returncode == 64
