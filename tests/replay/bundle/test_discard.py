"""A run can be taken away; whatever a run does not write keeps all of it in place."""

import errno
import itertools
import os
from pathlib import Path

import pytest

from operatebench.errors import BundleError, DocumentError
from operatebench.replay.bundle import discard_run
from tests.replay.bundle.bundles import files, write_bundle
from tests.replay.permits import permit, used

TEMPORARY = f".operatebench-{'0a' * 8}.tmp"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("missing", [(), ("artifact.json",), ("artifact.json", "cards/variant.json", "evidence.json")])
def test_a_bundle_and_what_an_interrupted_run_left_are_removed(
    tmp_path: Path, run: Path, missing: tuple[str, ...]
) -> None:
    for name in missing:
        (run / name).unlink()
    (run / TEMPORARY).touch()
    (run / "cards" / TEMPORARY).touch()

    discard_run(run)

    assert list(tmp_path.iterdir()) == []


def test_a_bundle_with_an_authorization_is_removed(tmp_path: Path) -> None:
    write_bundle(tmp_path / "run", authorization=used(permit()))

    discard_run(tmp_path / "run")

    assert list(tmp_path.iterdir()) == []


def test_what_was_barely_begun_is_removed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "ledger.ndjson").write_bytes(b"torn")

    discard_run(tmp_path / "empty")
    discard_run(str(tmp_path / "begun"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("notes.txt", "notes.txt"),
        ("cards/notes.txt", "cards/notes.txt"),
        ("cards/evidence.json", "cards/evidence.json"),
        ("variant.json", "variant.json"),
        ("Manifest.json", "Manifest.json"),
        (".operatebench-x.tmp", ".operatebench-x.tmp"),
        (f"{TEMPORARY}2", f"{TEMPORARY}2"),
        ("more/artifact.json", "more"),
        ("cards/cards/operation.json", "cards/cards"),
    ],
)
def test_nothing_is_removed_beside_what_no_run_writes(run: Path, name: str, entry: str) -> None:
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).write_bytes(b"mine")
    before = files(run)

    with pytest.raises(BundleError) as refused:
        discard_run(run)

    assert (refused.value.code, refused.value.path) == ("member_unlisted", f"{run}/{entry}")
    assert files(run) == before


def test_a_folder_in_the_place_of_a_member_is_left_alone(run: Path) -> None:
    (run / "evidence.json").unlink()
    (run / "evidence.json").mkdir()
    before = files(run)

    with pytest.raises(BundleError) as refused:
        discard_run(run)

    assert (refused.value.code, refused.value.path) == ("member_unlisted", f"{run}/evidence.json")
    assert files(run) == before


@pytest.mark.parametrize("kind", ["file", "link", "nothing"])
def test_what_is_no_folder_is_left_alone(tmp_path: Path, run: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("run")

    with pytest.raises(DocumentError) as refused:
        discard_run(tmp_path / kind)

    assert (refused.value.code, refused.value.path) == ("file_type", str(tmp_path / kind))
    assert len(files(run)) == 9


def test_a_link_in_the_place_of_a_member_is_removed_and_not_followed(tmp_path: Path, run: Path) -> None:
    (run / "evidence.json").rename(tmp_path / "evidence")
    (run / "evidence.json").symlink_to(tmp_path / "evidence")
    (run / "manifest.json").unlink()
    (run / "manifest.json").symlink_to("nowhere")

    discard_run(run)

    assert [path.name for path in tmp_path.iterdir()] == ["evidence"]


def test_a_link_in_the_place_of_the_cards_is_not_followed(tmp_path: Path, run: Path) -> None:
    (run / "cards").rename(tmp_path / "cards")
    (run / "cards").symlink_to(tmp_path / "cards")
    before = files(tmp_path)

    with pytest.raises(BundleError) as refused:
        discard_run(run)

    assert (refused.value.code, refused.value.path) == ("member_unlisted", f"{run}/cards")
    assert files(tmp_path) == before


@pytest.mark.parametrize("step", ["unlink", "rmdir"])
def test_whatever_stops_it_leaves_no_bundle_and_it_can_be_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    real = getattr(os, step)
    for failing in range(9 if step == "unlink" else 2):
        run, calls = tmp_path / str(failing), itertools.count()
        write_bundle(run)

        def remove(path: str, calls: "itertools.count[int]" = calls, failing: int = failing) -> None:
            if next(calls) == failing:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real(path)

        with monkeypatch.context() as here:
            here.setattr(os, step, remove)
            with pytest.raises(DocumentError) as refused:
                discard_run(run)

        assert (refused.value.code, refused.value.path) == ("file_unwritable", str(run))
        assert refused.value.actual == os.strerror(errno.EIO)
        left = files(run)
        assert len(left) == (9 - failing if step == "unlink" else 0)
        assert ("artifact.json" in left) == (step == "unlink" and failing == 0)
        discard_run(run)
        assert not run.exists()
