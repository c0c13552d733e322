"""A matrix: the same files for any number of workers, finished trials kept, whole files whatever interrupts it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from operatebench.errors import DocumentError, EpisodeError
from operatebench.tracks.lifecycle import (
    AGENTS,
    Earlier,
    LifecycleRun,
    OperationSpec,
    Selection,
    all_selections,
    matrix,
    packaged_spec,
    read_episode,
    run_matrix,
    run_one,
)
from tests.tracks.lifecycle.episodes import document_of, sealed, text_of

SPEC = packaged_spec()
SELECTIONS = tuple(
    Selection(SPEC.operation_id, "V1", agent, trial)
    for agent in ("always_wait", "trust_actor_claim", "complete_early")
    for trial in (0, 1)
)


def run(folder: Path, jobs: int = 1) -> list[matrix.Finished]:
    return list(run_matrix(SPEC, SELECTIONS, folder, jobs=jobs))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the whole matrix."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return contents(folder)


@pytest.fixture
def folder(tmp_path: Path, whole: dict[str, bytes]) -> Path:
    """Return a folder with the whole matrix."""
    for name, text in whole.items():
        (tmp_path / name).write_bytes(text)
    return tmp_path


def test_one_file_for_each_trial_and_each_is_an_episode(whole: dict[str, bytes], folder: Path) -> None:
    assert set(whole) == {f"{each.variant_id}.{each.agent_id}.{each.trial}.json" for each in SELECTIONS}
    assert {read_episode(folder / name).selection for name in whole} == set(SELECTIONS)
    assert whole["V1.always_wait.0.json"] == text_of("V1", "always_wait")


def test_workers_change_nothing(tmp_path: Path, whole: dict[str, bytes]) -> None:
    results = run(tmp_path / "two", jobs=2)

    assert contents(tmp_path / "two") == whole
    assert tuple(each.selection for each in results) == SELECTIONS
    assert not any(each.kept for each in results)


def test_the_trial_changes_the_instance_and_not_what_happens(folder: Path) -> None:
    first, second = (read_episode(folder / f"V1.trust_actor_claim.{trial}.json") for trial in (0, 1))

    assert first.instance_id != second.instance_id
    assert first.outcome["final_state"] == second.outcome["final_state"]
    assert first.evaluation == second.evaluation


def test_all_selections_are_in_the_order_of_spec_and_registry() -> None:
    found = [(each.variant_id, each.agent_id, each.trial) for each in all_selections(SPEC, 2)]

    assert found == [(variant, agent, trial) for variant in SPEC.variants for agent in AGENTS for trial in (0, 1)]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"status":"', b'"status":"x', 1))


def take_from_other_trial(path: Path) -> None:
    path.write_bytes(path.with_name(path.name.replace("0", "1")).read_bytes())


def grade_with_other_evaluator(path: Path) -> None:
    document = document_of("V1", "always_wait")
    document["evaluator_source_digest_sha256"] = "0" * 64
    path.write_bytes(sealed(document))


@pytest.mark.parametrize(
    ("spoil", "earlier"),
    [
        (Path.unlink, Earlier.NOTHING),
        (cut, Earlier.DAMAGED),
        (flip, Earlier.DAMAGED),
        (take_from_other_trial, Earlier.OUTDATED),
        (grade_with_other_evaluator, Earlier.OUTDATED),
    ],
)
def test_what_is_not_finished_is_run_and_the_rest_is_kept(
    folder: Path,
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
    earlier: Earlier,
) -> None:
    spoiled = SELECTIONS[0]
    spoil(folder / "V1.always_wait.0.json")
    ran = []

    def run_and_note(spec: OperationSpec, variant_id: str, agent_id: str, trial: int) -> LifecycleRun:
        ran.append((variant_id, agent_id, trial))
        return run_one(spec, variant_id, agent_id, trial)

    monkeypatch.setattr(matrix, "run_one", run_and_note)

    results = run(folder)

    assert ran == [("V1", "always_wait", 0)]
    assert [(each.selection, each.earlier) for each in results if not each.kept] == [(spoiled, earlier)]
    assert contents(folder) == whole


def test_a_finished_matrix_runs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "run_one", None)

    kept = run(folder, jobs=2)

    assert all(each.kept for each in kept)
    assert [each.reliable for each in kept] == [False] * len(SELECTIONS)


def test_kept_and_run_trials_say_the_same(tmp_path: Path) -> None:
    ran, kept = run(tmp_path), run(tmp_path)

    assert [(each.file, each.outcome_class, each.failed_dimensions, each.finding_codes) for each in ran] == [
        (each.file, each.outcome_class, each.failed_dimensions, each.finding_codes) for each in kept
    ]


class Fault(BaseException):
    """Stands for Ctrl-C or the end of a process."""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("step", ["write", "fsync", "rename"])
def test_an_interrupted_run_leaves_whole_files_and_goes_on_later(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, step: str, jobs: int
) -> None:
    real, calls = getattr(os, step), []

    def fail_later(*arguments: object, **options: object) -> object:
        calls.append(arguments)
        if len(calls) > 2:
            raise Fault
        return real(*arguments, **options)

    with monkeypatch.context() as here:
        here.setattr(os, step, fail_later)
        with pytest.raises(Fault):
            run(tmp_path, jobs)

    left = contents(tmp_path)
    assert 0 < len(left) < len(whole)
    assert all(text == whole[name] for name, text in left.items())
    assert {Path(each.file).name for each in run(tmp_path) if each.kept} == set(left)
    assert contents(tmp_path) == whole


def test_a_full_disk_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(DocumentError) as caught:
        run(tmp_path)
    assert (caught.value.code, caught.value.actual) == ("file_unwritable", "No space left on device")
    assert contents(tmp_path) == {}


def test_a_worker_that_ends_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "run_one", lambda *_: os._exit(1))

    with pytest.raises(EpisodeError) as caught:
        run(tmp_path, jobs=2)
    assert caught.value.code == "worker_lost"


def test_a_folder_that_cannot_be_made_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    for folder in (tmp_path / "file", tmp_path / "not" / "there"):
        with pytest.raises(DocumentError) as caught:
            run(folder)
        assert (caught.value.code, caught.value.path) == ("file_unwritable", str(folder))


def test_a_link_in_place_of_a_file_is_not_followed(folder: Path) -> None:
    target = folder / "V1.always_wait.0.json"
    (folder / "elsewhere").write_text("mine")
    target.unlink()
    target.symlink_to(folder / "elsewhere")

    with pytest.raises(DocumentError) as caught:
        run(folder)
    assert (caught.value.code, (folder / "elsewhere").read_text()) == ("file_type", "mine")
