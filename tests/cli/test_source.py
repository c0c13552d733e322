"""``source show`` and ``source diff``: what runs here, whether it is what was installed, and what changed."""

import json
from pathlib import Path

import pytest

from operatebench.tracks.lifecycle.ownership import live_source
from tests.cli.conftest import Answer
from tests.provenance.sites import INSTALLED, copy_site
from tests.support import ROOT, RunCli


@pytest.fixture(scope="module")
def saved(run_cli: RunCli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the answer of ``source show --json`` for the installed package, in a file."""
    done = run_cli("source", "show", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    file = tmp_path_factory.mktemp("saved") / "source.json"
    file.write_text(done.stdout, encoding="utf-8")
    return file


def test_programs_are_told_everything(saved: Path) -> None:
    identity = live_source().identity

    assert json.loads(saved.read_bytes()) == {
        "command": "source show",
        "exit": 0,
        "root": str(INSTALLED.resolve()),
        "source_identity": identity.to_wire(),
        "owners": {file.path: file.owner for file in identity.files},
        "record": {"verdict": "equal", "reason": "", "changes": []},
    }


def test_people_see_the_digest_and_a_line_for_each_owner(run_here: RunCli) -> None:
    identity = live_source().identity
    evaluator = identity.of_owner("evaluator_bundle_content")

    short, full = run_here("source", "show"), run_here("source", "show", "--files", "--root", ROOT)

    lines = short.stdout.splitlines()
    assert (short.returncode, short.stderr) == (0, "RECORD: equal\n")
    assert lines[0] == f"source {identity.digest_sha256}"
    (line,) = [line.split() for line in lines if line.split()[0] == "evaluator_bundle_content"]
    assert line[1:4] == [evaluator.digest_sha256[:12], str(len(evaluator.files)), "files"]
    assert (full.returncode, full.stderr) == (
        0,
        "RECORD: not applicable: the installed distribution does not hold this folder\n",
    )
    listed = [line for line in full.stdout.splitlines() if line.startswith("    ")]
    assert {line.split()[-1] for line in listed} == {file.path for file in identity.files}
    assert [line for line in full.stdout.splitlines() if line not in listed] == lines


def test_a_changed_installation_is_no_and_the_difference_names_the_owner(
    run_here: RunCli, answer: Answer, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_site(tmp_path, monkeypatch)
    with (root / "runtime/core/engine.py").open("ab") as file:
        file.write(b"#")
    (root / "cli/digest.py").unlink()
    rows = [
        {"path": "cli/digest.py", "change": "removed", "owner": "unowned"},
        {"path": "runtime/core/engine.py", "change": "changed", "owner": "runtime_contract_content"},
    ]
    lines = "runtime_contract_content\n  changed  runtime/core/engine.py\nunowned\n  removed  cli/digest.py\n"

    shown = run_here("source", "show", "--root", root)
    told = answer(run_here("source", "show", "--root", root, "--json"))
    compared = run_here("source", "diff", saved, root)
    program = answer(run_here("source", "diff", saved, root, "--json"))

    assert (shown.returncode, shown.stderr) == (2, "RECORD: differs\n")
    assert shown.stdout.endswith(lines)
    assert (told["exit"], told["record"]) == (2, {"verdict": "differs", "reason": "", "changes": rows})
    before = live_source().identity.digest_sha256
    after = told["source_identity"]["source_identity_digest_sha256"]
    assert (compared.returncode, compared.stdout) == (2, f"{lines}source {before} -> {after}\n")
    assert program == {
        "command": "source diff",
        "exit": 2,
        "identical": False,
        "old_source_identity_digest_sha256": before,
        "new_source_identity_digest_sha256": after,
        "changes": rows,
        "owners": {"runtime_contract_content": 1, "unowned": 1},
    }


def test_a_folder_an_answer_and_a_bare_identity_are_compared_alike(run_here: RunCli, saved: Path) -> None:
    identity = live_source().identity
    bare = json.dumps(identity.to_wire())

    for old, new, stdin in ((INSTALLED, saved, None), (saved, "-", bare), ("-", ROOT, saved.read_bytes())):
        done = run_here("source", "diff", old, new, stdin=stdin)
        assert (done.returncode, done.stdout) == (0, f"identical: source {identity.digest_sha256}\n")
    assert run_here("source", "diff", "-", "-").returncode == 64


def test_refusals_name_the_input_and_the_place_in_it(
    run_here: RunCli, answer: Answer, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root = copy_site(tmp_path, monkeypatch)
    (root / "cli/evil.py").symlink_to("app.py")
    document = json.loads(saved.read_bytes())
    document["source_identity"]["files"][0]["size"] += 1
    (tmp_path / "forged.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "empty").mkdir()

    def refusal(*words: str | Path) -> tuple[str, ...]:
        told = answer(run_here("source", *words, "--json"))
        assert told["exit"] == 1
        return tuple(told["refusal"][name] for name in ("code", "document", "file", "path"))

    digest = "/source_identity/source_identity_digest_sha256"
    assert refusal("show", "--root", "operatebench") == ("file_type", "root", "operatebench", "cli/evil.py")
    assert refusal("show", "--root", "nowhere") == ("source_root", "root", "nowhere", "")
    assert refusal("diff", saved, "operatebench") == ("file_type", "new", "operatebench", "cli/evil.py")
    assert refusal("diff", "empty", saved) == ("source_root", "old", "empty", "")
    assert refusal("diff", saved, "forged.json") == ("source_digest", "new", "forged.json", digest)
    assert refusal("diff", saved, "nowhere") == ("file_missing", "new", "nowhere", "")
    people = run_here("source", "diff", saved, "forged.json")
    assert (people.returncode, people.stdout) == (1, "")
    assert f"where     forged.json#{digest}\n" in people.stderr
