"""A matrix: the same bundles for any number of workers, finished trials kept, nothing lost that no run wrote."""

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import BundleError, DocumentError, EpisodeError, LedgerError
from operatebench.replay.bundle import Writer
from operatebench.replay.ledger import verify_ledger
from operatebench.tracks.lifecycle import (
    AGENTS,
    Earlier,
    EpisodeRecord,
    MaintenanceRuntime,
    Selection,
    all_selections,
    bound,
    keep_run,
    live_source_files,
    matrix,
    packaged_spec,
    read_episode,
    run_matrix,
)
from tests.tracks.lifecycle.episodes import bundle_of, files, rewrite, runtime, selection_of, writer

SPEC = packaged_spec()
SELECTIONS = tuple(
    selection_of("V1", agent, trial)
    for agent, trials in (("always_wait", 3), ("always_act", 2))
    for trial in range(trials)
)
FIRST = "V1.always_wait.0"
FEW = SELECTIONS[:2]


def name_of(selection: Selection) -> str:
    return f"{selection.variant_id}.{selection.agent_id}.{selection.trial}"


def run(folder: Path, jobs: int = 1, selections: tuple[Selection, ...] = SELECTIONS) -> list[matrix.Finished]:
    return list(run_matrix(runtime(), selections, folder, writer(), jobs=jobs))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the whole matrix."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return files(folder)


@pytest.fixture
def folder(tmp_path: Path, whole: dict[str, bytes]) -> Path:
    """Return a folder with the whole matrix."""
    folder = tmp_path / "matrix"
    for name, text in whole.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return folder


def test_one_bundle_for_each_trial_and_each_is_an_episode(
    whole: dict[str, bytes], folder: Path, tmp_path: Path
) -> None:
    assert {name.partition("/")[0] for name in whole} == set(map(name_of, SELECTIONS))
    assert [read_episode(folder / name_of(each)).selection for each in SELECTIONS] == list(SELECTIONS)
    alone = bundle_of(tmp_path / "alone", "V1", "always_wait")
    assert files(folder / FIRST) == files(alone)


def test_workers_change_nothing(tmp_path: Path, whole: dict[str, bytes]) -> None:
    results = run(tmp_path / "two", jobs=2)

    assert files(tmp_path / "two") == whole
    assert tuple(each.selection for each in results) == SELECTIONS
    assert {each.earlier for each in results} == {Earlier.NOTHING}
    assert not any(each.kept for each in results)


def test_the_trial_changes_the_instance_and_not_what_happens(folder: Path) -> None:
    first, second = (read_episode(folder / f"V1.always_act.{trial}") for trial in (0, 1))

    assert first.instance_id != second.instance_id
    assert first.outcome == second.outcome
    assert first.evaluation == second.evaluation


def test_all_selections_are_in_the_order_of_spec_and_registry() -> None:
    found = [(each.variant_id, each.agent_id, each.trial) for each in all_selections(SPEC, 2)]

    assert found == [(variant, agent, trial) for variant in SPEC.variants for agent in AGENTS for trial in (0, 1)]


def empty(path: Path) -> None:
    shutil.rmtree(path)
    path.mkdir()


def cut(path: Path) -> None:
    (path / "evidence.json").write_bytes((path / "evidence.json").read_bytes()[:-100])


def flip(path: Path) -> None:
    text = (path / "ledger.ndjson").read_bytes()
    (path / "ledger.ndjson").write_bytes(text.replace(b'"status":"', b'"status":"x', 1))


def lose_a_member(path: Path) -> None:
    (path / "cards" / "variant.json").unlink()


def interrupt(path: Path) -> None:
    """Leave what a run leaves that was killed before its bundle was published."""
    (path / "artifact.json").unlink()
    (path / "cards" / f".operatebench-{'0a' * 8}.tmp").touch()


def interrupt_early(path: Path) -> None:
    lines = (path / "ledger.ndjson").read_bytes().splitlines(keepends=True)
    empty(path)
    (path / "ledger.ndjson").write_bytes(b"".join(lines[:9]))


def of_no_form(path: Path) -> None:
    rewrite(path, lambda outcome, _: outcome["trajectory"][3].update(index=4))


def link_a_member(path: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    (path / "evidence.json").rename(elsewhere)
    (path / "evidence.json").symlink_to(elsewhere)


def take_from_other_trial(path: Path) -> None:
    shutil.rmtree(path)
    shutil.copytree(path.with_name(path.name.replace("0", "1")), path)


def grade_with_other_evaluator(path: Path) -> None:
    rewrite(path, lambda _, evaluation: evaluation.update(evaluator_content_digest_sha256="0" * 64))


def grade_by_other_analysis(path: Path) -> None:
    rewrite(path, lambda _, evaluation: evaluation.update(analysis_content_digest_sha256="0" * 64))


def grade_too_well(path: Path) -> None:
    def praise(_: object, evaluation: dict[str, Any]) -> None:
        evaluation.update(vector=[{**row, "ok": True} for row in evaluation["vector"]], findings=[])

    rewrite(path, praise)


def run_by_other_build(path: Path, file: str = "runtime/core/engine.py") -> None:
    shutil.rmtree(path)
    other = {**live_source_files(), file: (1, "f" * 64)}
    with pytest.MonkeyPatch.context() as here:
        here.setattr(bound, "live_source_files", lambda: other)
        keep_run(MaintenanceRuntime(), SELECTIONS[0], path, replace(writer(), source_identity_digest_sha256="f" * 64))


def graded_by_other_build(path: Path) -> None:
    run_by_other_build(path, "runtime/maintenance/evaluator/recovery.py")
    assert read_episode(path).instance_id == runtime().identity("V1", "always_wait").instance_id(0)


@pytest.mark.parametrize(
    ("spoil", "earlier"),
    [
        (shutil.rmtree, Earlier.NOTHING),
        (empty, Earlier.DAMAGED),
        (cut, Earlier.DAMAGED),
        (flip, Earlier.DAMAGED),
        (lose_a_member, Earlier.DAMAGED),
        (interrupt, Earlier.DAMAGED),
        (interrupt_early, Earlier.DAMAGED),
        (of_no_form, Earlier.DAMAGED),
        (link_a_member, Earlier.DAMAGED),
        (take_from_other_trial, Earlier.OUTDATED),
        (grade_with_other_evaluator, Earlier.DAMAGED),
        (grade_by_other_analysis, Earlier.DAMAGED),
        (grade_too_well, Earlier.DAMAGED),
        (run_by_other_build, Earlier.OUTDATED),
        (graded_by_other_build, Earlier.OUTDATED),
    ],
)
def test_what_is_not_finished_is_run_and_the_rest_is_kept(
    folder: Path,
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
    earlier: Earlier,
) -> None:
    spoil(folder / FIRST)
    ran = []

    def keep_and_note(
        runs: MaintenanceRuntime, selection: Selection, path: Path, by: Writer, **more: Any
    ) -> EpisodeRecord:
        ran.append(selection)
        return keep_run(runs, selection, path, by, **more)

    monkeypatch.setattr(matrix, "keep_run", keep_and_note)

    results = run(folder, selections=FEW)

    assert ran == [SELECTIONS[0]]
    assert [(each.selection, each.earlier) for each in results] == [
        (FEW[0], earlier),
        (FEW[1], Earlier.CURRENT),
    ]
    assert files(folder) == whole
    assert [path.read_bytes() for path in folder.parent.glob("elsewhere")] in ([], [whole[f"{FIRST}/evidence.json"]])


@pytest.mark.parametrize("step", ["keep_run", "discard_run", "Path.rename"])
def test_an_interrupted_replacement_leaves_the_old_run_or_the_new_one(
    folder: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    grade_too_well(folder / FIRST)
    old = files(folder / FIRST)

    def fault(*_: object, **__: object) -> None:
        raise Fault

    with monkeypatch.context() as here:
        here.setattr(f"{matrix.__name__}.{step}", fault)
        with pytest.raises(Fault):
            run(folder, selections=FEW)

    left = files(folder / (f"{FIRST}.new" if step == "Path.rename" else FIRST))
    assert left == ({name: whole[f"{FIRST}/{name}"] for name in old} if step == "Path.rename" else old)
    run(folder, selections=FEW)
    assert files(folder) == whole


def test_a_finished_matrix_runs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "keep_run", None)
    monkeypatch.setattr(matrix, "discard_run", None)

    kept = run(folder, jobs=2)

    assert all(each.kept for each in kept)
    assert [each.reliable for each in kept] == [False] * len(SELECTIONS)


def test_kept_and_run_trials_say_the_same(tmp_path: Path) -> None:
    few = SELECTIONS[2:4]
    ran, kept = run(tmp_path, selections=few), run(tmp_path, selections=few)

    assert [each.bundle for each in ran] == [str(tmp_path / name_of(each)) for each in few]
    assert [(each.bundle, each.outcome_class, each.failed_dimensions, each.finding_codes) for each in ran] == [
        (each.bundle, each.outcome_class, each.failed_dimensions, each.finding_codes) for each in kept
    ]


@pytest.mark.parametrize(
    ("name", "damaged", "jobs"),
    [("notes.txt", False, 1), ("notes.txt", True, 2), ("cards/notes.txt", True, 1), ("more/notes.txt", False, 1)],
)
def test_a_file_that_no_run_writes_is_never_lost(folder: Path, name: str, damaged: bool, jobs: int) -> None:
    if damaged:
        interrupt(folder / FIRST)
    (folder / FIRST / name).parent.mkdir(exist_ok=True)
    (folder / FIRST / name).write_text("mine")
    before = files(folder)

    with pytest.raises(BundleError) as refused:
        run(folder, jobs, FEW)

    entry = name if name.startswith("cards/") else name.partition("/")[0]
    assert (refused.value.code, refused.value.path) == ("member_unlisted", str(folder / FIRST / entry))
    assert files(folder) == before


@pytest.mark.parametrize("what", ["a file", "a link to a file", "a link to nothing", "a link to the same run"])
def test_a_file_or_link_in_place_of_a_bundle_is_refused_and_stays(folder: Path, what: str) -> None:
    place, elsewhere = folder / FIRST, folder / "elsewhere"
    place.rename(elsewhere)
    if what == "a file":
        place.write_text("mine")
    elif what == "a link to a file":
        (folder / "mine").write_text("mine")
        place.symlink_to("mine")
    else:
        place.symlink_to("elsewhere" if what.endswith("run") else "nowhere")
    before, link = files(folder), place.is_symlink()

    with pytest.raises(DocumentError) as refused:
        run(folder, selections=FEW)

    assert (refused.value.code, refused.value.path) == ("file_type", str(place))
    assert (files(folder), place.is_symlink()) == (before, link)


class Fault(BaseException):
    """Stands for Ctrl-C or the end of a process."""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("step", ["mkdir", "write", "fsync", "link"])
def test_an_interrupted_run_leaves_whole_bundles_and_goes_on_later(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, step: str, jobs: int
) -> None:
    real, begun = getattr(os, step), []

    def keep_and_count(*arguments: Any, **more: Any) -> object:
        begun.append(0)
        return keep_run(*arguments, **more)

    def fail_later(*arguments: object, **options: object) -> object:
        if begun:
            begun[-1] += 1
        if len(begun) == 2 and begun[-1] == (1 if step == "mkdir" else 5):  # in the second bundle of each worker
            raise Fault
        return real(*arguments, **options)

    with monkeypatch.context() as here:
        here.setattr(matrix, "keep_run", keep_and_count)
        here.setattr(os, step, fail_later)
        with pytest.raises(Fault):
            run(tmp_path, jobs)

    left = {path.name for path in tmp_path.iterdir()}
    complete = {name for name in left if (tmp_path / name / "artifact.json").exists()}
    assert 1 <= len(complete) < len(SELECTIONS)
    for name in left:
        expected = {each.removeprefix(f"{name}/"): text for each, text in whole.items() if each.startswith(f"{name}/")}
        if name in complete:
            assert files(tmp_path / name) == expected
        else:
            assert verify_ledger(tmp_path / name / "ledger.ndjson").lines > 0
    again = run(tmp_path)
    assert {Path(each.bundle).name for each in again if each.kept} == complete
    assert {Path(each.bundle).name for each in again if each.earlier is Earlier.DAMAGED} == left - complete
    assert files(tmp_path) == whole


def test_a_full_disk_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(LedgerError) as caught:
        run(tmp_path, selections=FEW)
    assert (caught.value.code, caught.value.actual) == ("ledger_unwritable", "No space left on device")
    assert caught.value.path == str(tmp_path / FIRST / "ledger.ndjson")
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_ends_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "keep_run", lambda *_, **more: os._exit(1))

    with pytest.raises(EpisodeError) as caught:
        run(tmp_path, jobs=2)
    assert caught.value.code == "worker_lost"


def test_a_folder_that_cannot_be_made_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    for folder in (tmp_path / "file", tmp_path / "not" / "there"):
        with pytest.raises(DocumentError) as caught:
            run(folder)
        assert (caught.value.code, caught.value.path) == ("file_unwritable", str(folder))
