"""``bundle``: shows what a bundle says and that this proves nothing; exports and imports; refuses everything else."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Answer
from tests.replay.bundle.bundles import PATHS, files, write_bundle
from tests.support import RunCli


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    write_bundle(folder / "RUN")
    return folder


def test_shown_for_people(run_here: RunCli, original: Path) -> None:
    done = run_here("bundle", "show", "RUN", cwd=original)

    assert done.returncode == 0
    assert done.stderr == (
        "not verified: RUN. This is what the bundle says of itself."
        " Its files are the listed ones; nothing else was verified.\n"
    )
    lines = done.stdout.splitlines()
    artifact = json.loads((original / "RUN" / "artifact.json").read_bytes())
    assert lines[0] == f"instance         opinst_{'0a' * 16}"
    assert f"artifact         {artifact['artifact_digest_sha256']}" in lines
    assert "authorization    none" in lines
    assert "ledger           5 lines, 3 rows" in lines
    for member in artifact["members"]:
        assert f"  {member['digest_sha256']}  {member['size']:>9}  {member['path']}" in lines
    grade = lines.index("grade") + 1
    assert lines[grade : grade + 3] == [
        "  holds  terminal_outcome",
        "  fails  recovery",
        "  1 findings, successful_completion",
    ]
    assert "  distribution     operatebench 0.1.0" in lines
    assert "  dependencies     orjson 3.10.15" in lines


def test_shown_for_programs(run_here: RunCli, answer: Answer, original: Path) -> None:
    program = answer(run_here("bundle", "show", "RUN", "--json", cwd=original))

    assert program["artifact"] == json.loads((original / "RUN" / "artifact.json").read_bytes())
    assert (program["verified"], program["selection"]["variant_id"]) == (False, "V1")
    assert program["evaluation"]["findings"] == 1


def test_there_and_back(run_here: RunCli, answer: Answer, original: Path, tmp_path: Path) -> None:
    exported = answer(run_here("bundle", "export", original / "RUN", "--oci", "layout", "--json", cwd=tmp_path))
    imported = run_here("bundle", "import", "layout", "RUN", cwd=tmp_path)

    assert (imported.returncode, imported.stdout) == (0, "")
    assert imported.stderr.startswith("imported, not verified: RUN, artifact ")
    assert files(tmp_path / "RUN") == files(original / "RUN")
    assert len(exported["image_digest_sha256"]) == 64

    again = run_here("bundle", "export", original / "RUN", "--oci", "layout", cwd=tmp_path)
    assert again.returncode == 1
    assert "file_exists" in again.stderr


@pytest.mark.parametrize("name", PATHS)
def test_a_changed_member_is_named(run_here: RunCli, original: Path, tmp_path: Path, name: str) -> None:
    for path, text in files(original / "RUN").items():
        (tmp_path / "RUN" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "RUN" / path).write_bytes(text.replace(b'"', b"'", 1) if path == name else text)

    done = run_here("bundle", "show", "RUN", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:2] == [
        "refused   member_digest: A member does not have the digest that is listed.",
        f"where     RUN {name}",
    ]


def test_an_earlier_generation_is_named(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"artifact_version": 8}')
    for command in (["show", "old.json"], ["export", "old.json", "--oci", "x"]):
        done = run_here("bundle", *command, "--json", cwd=tmp_path)
        refusal = answer(done)["refusal"]
        assert (done.returncode, refusal["code"], refusal["file"]) == (1, "artifact_generation", "old.json")


def test_what_is_no_layout_is_refused(run_here: RunCli, original: Path, tmp_path: Path) -> None:
    done = run_here("bundle", "import", original / "RUN", "new", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.splitlines()[1] == f"where     {original / 'RUN'} oci-layout"
    assert not (tmp_path / "new").exists()
