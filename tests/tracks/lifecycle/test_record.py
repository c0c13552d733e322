"""An episode in a run bundle: what was kept is read back; whatever else is refused, with the place and the reason."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import (
    BundleError,
    DocumentError,
    EpisodeError,
    EvaluationError,
    EvidenceError,
    LedgerError,
    OperateBenchError,
)
from operatebench.tracks.lifecycle import read_episode
from operatebench.tracks.lifecycle.form import require_form
from tests.tracks.lifecycle.episodes import bundle_of, canonical, files, record_of, relist, rewrite

AGENT = "always_wait"
"""Its episodes are the smallest."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return bundle_of(tmp_path / "run", "V1", AGENT)


def refusal(path: Path) -> OperateBenchError:
    with pytest.raises(OperateBenchError) as caught:
        read_episode(path)
    return caught.value


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    ran, read = record_of("V1", "reference"), read_episode(bundle_of(tmp_path / "run", "V1", "reference"))

    assert (read.selection, read.instance_id) == (ran.selection, ran.instance_id)
    assert (read.outcome, read.decision_tape) == (ran.outcome, ran.decision_tape)
    assert {name: read.evaluation[name] for name in ran.evaluation} == ran.evaluation
    assert (read.reliable, read.failed_dimensions, read.finding_codes) == (True, (), ())
    assert read.evaluation == json.loads((tmp_path / "run" / "evaluation.json").read_bytes())


def test_a_bundle_may_be_named_by_a_link_or_a_text(run: Path) -> None:
    (run.parent / "link").symlink_to(run)

    assert read_episode(str(run)) == read_episode(run.parent / "link") == read_episode(run)


def test_no_byte_can_be_changed_unnoticed(run: Path) -> None:
    for name, text in files(run).items():
        for at in range(7, len(text), len(text) // 6):
            (run / name).write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
            error = refusal(run)
            if name == "artifact.json":
                assert error.code.startswith(("artifact_", "member_", "file_")), (name, at)
            else:
                assert (error.code, error.path) == ("member_digest", name), at
        (run / name).write_bytes(text)
    assert read_episode(run).selection.agent_id == AGENT


def test_no_file_can_be_cut_lost_or_added_unnoticed(run: Path) -> None:
    for name, text in files(run).items():
        (run / name).write_bytes(text[:-1])
        cut = refusal(run)
        (run / name).unlink()
        lost = refusal(run)
        (run / name).write_bytes(text)
        if name != "artifact.json":
            assert (cut.code, cut.path) == ("member_size", name)
            assert (lost.code, lost.path) == ("file_missing", name)
        else:
            assert (cut.code, cut.path) == ("artifact_canonical", "artifact.json#")
            assert (lost.code, lost.path) == ("bundle_incomplete", str(run))
    (run / "more").touch()
    assert (refusal(run).code, refusal(run).path) == ("member_unlisted", "more")


Change = Callable[[dict[str, Any], dict[str, Any]], object]

OTHER_FORMS: list[tuple[Change, str, str]] = [
    (lambda outcome, _: outcome["trajectory"][1].update(index=2), "/outcome/trajectory/1/index", "1"),
    (lambda outcome, _: outcome["trajectory"][1].update(index=True), "/outcome/trajectory/1/index", "1"),
    (lambda outcome, _: outcome["trajectory"][1].update(at="x"), "/outcome/trajectory/1/at", "an instant"),
    (
        lambda outcome, _: outcome["trajectory"][1].update(at="2032-13-01T00:00:00Z"),
        "/outcome/trajectory/1/at",
        "an instant",
    ),
    (lambda outcome, _: outcome["trajectory"][1].pop("at"), "/outcome/trajectory/1/at", "an instant"),
    (lambda outcome, _: outcome["trajectory"][1].update(record_type=None), "/outcome/trajectory/1/record_type", "text"),
    (lambda outcome, _: outcome["trajectory"][0].update(more=1), "/outcome/trajectory/0", "the fields of episode_st"),
    (lambda outcome, _: outcome["trajectory"][0].pop("starts_at"), "/outcome/trajectory/0", "the fields of episode_st"),
    (lambda _, grade: grade["load"].pop("decisions"), "/evaluation/load/decisions", "an integer from 0"),
    (lambda _, grade: grade["load"].update(decisions_with_human=-1), "/evaluation/load/decisions_with_human", "an int"),
    (lambda _, grade: grade["findings"][0].update(rows=[10**6]), "/evaluation/findings/0/rows", "rows below "),
    (
        lambda _, grade: grade["opportunities"][1].update(rows=[0, 10**6]),
        "/evaluation/opportunities/1/rows",
        "rows bel",
    ),
    (
        lambda _, grade: grade["human_touches"].append({"rows": [10**6]}),
        "/evaluation/human_touches/0/rows",
        "rows below ",
    ),
]
"""A change, and the place and the expectation of its refusal."""


@pytest.mark.parametrize(("change", "path", "expected"), OTHER_FORMS)
def test_what_cannot_be_told_is_refused(change: Change, path: str, expected: str) -> None:
    record = record_of("V1", AGENT)
    outcome, evaluation = (json.loads(canonical(each)) for each in (record.outcome, record.evaluation))
    require_form(outcome, evaluation)
    change(outcome, evaluation)

    with pytest.raises(EpisodeError) as refused:
        require_form(outcome, evaluation)

    assert (refused.value.code, refused.value.path) == ("episode_shape", path)
    assert refused.value.expected.startswith(expected)


def test_a_row_that_the_domain_declares_may_have_any_fields() -> None:
    record = record_of("V1", AGENT)
    outcome = json.loads(canonical(record.outcome))
    outcome["trajectory"][1] = {"index": 1, "at": "2032-04-05T08:30:00Z", "record_type": "of_the_domain", "x": [{}]}

    require_form(outcome, record.evaluation)


@pytest.mark.parametrize("change", [OTHER_FORMS[0][0], OTHER_FORMS[6][0], OTHER_FORMS[10][0]])
def test_it_is_refused_in_a_bundle_too_even_under_right_digests(run: Path, change: Change) -> None:
    rewrite(run, change)

    error = refusal(run)

    assert isinstance(error, EpisodeError)
    assert error.code == "episode_shape"


UNSOUND: list[tuple[str, bytes, bytes, type[OperateBenchError], str]] = [
    ("evidence.json", b'"invocations":', b'"invocations":1', EvidenceError, "runtime_evidence_digest"),
    ("evidence.json", b'"outcome_source":"deterministic"', b'"outcome_source":"guessed"', EvidenceError, "schema"),
    ("evaluation.json", b'"ok":false', b'"ok":true', EvaluationError, "evaluation_digest"),
    ("evaluation.json", b'"ok":false', b'"ok":0', EvaluationError, "evaluation_shape"),
    ("ledger.ndjson", b'"trial":0', b'"trial":1', LedgerError, "ledger_digest"),
    ("ledger.ndjson", b'"record":"header"', b'"record":"letter"', DocumentError, "document_kind"),
]
"""Member, a text in it, another for it, and the refusal."""


def test_each_document_must_be_sound_in_itself(run: Path) -> None:
    for name, old, new, kind, code in UNSOUND:
        text = (run / name).read_bytes()
        assert old in text
        (run / name).write_bytes(text.replace(old, new, 1))
        relist(run)
        error = refusal(run)
        assert isinstance(error, kind), error
        assert error.code == code
        (run / name).write_bytes(text)
        relist(run)
    assert read_episode(run).selection.agent_id == AGENT


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        (b"", BundleError, "not_a_bundle"),
        (b'{"schema": "operatebench.episode.v1"}', BundleError, "not_a_bundle"),
        (b'{"artifact_version": 8}', BundleError, "artifact_generation"),
        (None, DocumentError, "file_missing"),
    ],
)
def test_what_is_no_folder_is_refused(
    tmp_path: Path, text: bytes | None, kind: type[OperateBenchError], code: str
) -> None:
    if text is not None:
        (tmp_path / "run").write_bytes(text)

    error = refusal(tmp_path / "run")

    assert isinstance(error, kind)
    assert error.code == code
