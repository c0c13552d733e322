"""An authorization is bound to the source that is here: whatever file of it changes is named, and all is refused."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

import operatebench
from operatebench.authority import (
    RUN,
    SETTINGS,
    Admission,
    Build,
    Limits,
    Moved,
    Pair,
    Register,
    Request,
    SourceBoundAuthorizationV1,
    Trust,
    check,
    files_of,
    issue,
    judge,
)
from operatebench.errors import AuthorizationError
from operatebench.provenance import SourceIdentityV1, take_source_snapshot
from operatebench.replay.identity import RunIdentity
from operatebench.tracks.lifecycle import MaintenanceRuntime, authorized, bound, build_beside, live_build, subject
from operatebench.tracks.lifecycle.authorized import Subject
from operatebench.tracks.lifecycle.ownership import OWNER_TABLE, UNOWNED, live_source, owner_of
from tests.tracks.lifecycle.episodes import OPERATION, runtime

PAIRS = (Pair("V1", "reference"), Pair("V2", "always_wait"))
REQUEST = Request(RUN, OPERATION, frozenset(PAIRS), 2, 0)
NOW = datetime(2032, 4, 5, 8, 30, tzinfo=UTC)
ROOT = Path(operatebench.__file__).parent


def issued(what: Subject) -> SourceBoundAuthorizationV1:
    return issue(
        serial=1,
        operation_id=OPERATION,
        source_identity_digest_sha256=what.source.digest_sha256,
        runs=what.runs,
        settings=what.settings,
        limits=Limits(1, 2, 0),
        issued_at=NOW,
        not_before=NOW,
        expires_at=NOW + timedelta(days=1),
        issuer_name="desk",
        key=None,
    )


@pytest.fixture(scope="module")
def what() -> Subject:
    return subject(runtime(), PAIRS)


@pytest.fixture(scope="module")
def desk(what: Subject, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an authorization, what belongs beside it, and a register."""
    folder = tmp_path_factory.mktemp("desk")
    for path, text in files_of(str(folder / "permit.json"), issued(what), what.source, what.manifests).items():
        Path(path).write_bytes(text)
    Register.create(folder / "register.db", NOW)
    return folder


def beside(desk: Path) -> Build:
    authorization = SourceBoundAuthorizationV1.parse((desk / "permit.json").read_bytes())
    return build_beside(str(desk / "permit.json"), authorization)


def checked(desk: Path, build: Build, at_hand: Build | None = None) -> Admission:
    authorization = SourceBoundAuthorizationV1.parse((desk / "permit.json").read_bytes())
    return check(
        authorization.to_wire(),
        build,
        REQUEST,
        NOW,
        Register(desk / "register.db"),
        trust=Trust(None, allow_unsigned=True),
        beside=at_hand or beside(desk),
    )


def test_what_can_be_authorized_is_what_is_here(what: Subject) -> None:
    assert what.source == live_source().identity
    assert tuple(run.pair for run in what.runs) == PAIRS
    for run in what.runs:
        validated = runtime().identity(*run.pair).validated
        assert run.manifest_digest_sha256 == validated.manifest_digest_sha256
        assert run.runtime_bundle_digest_sha256 == validated.composites["runtime_bundle"].bundle_digest_sha256
        assert run.experiment_bundle_digest_sha256 == validated.composites["experiment_bundle"].bundle_digest_sha256
        assert what.manifests[run.pair]["manifest_digest_sha256"] == run.manifest_digest_sha256
        assert what.settings == runtime().identity(*run.pair).projections[SETTINGS]


@pytest.mark.parametrize("pair", [Pair("V9", "reference"), Pair("V1", "nobody")])
def test_what_is_not_here_cannot_be_authorized_and_is_not_live(pair: Pair) -> None:
    with pytest.raises(KeyError):
        subject(runtime(), [pair])
    assert list(live_build(runtime(), [pair, PAIRS[0]]).manifests) == [PAIRS[0]]


def test_runs_with_two_plans_cannot_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    identities = {pair: runtime().identity(*pair) for pair in PAIRS}
    first = identities[PAIRS[0]]
    identities[PAIRS[0]] = RunIdentity.of(first.cards, {**first.projections, SETTINGS: {"/provider/plan": "other"}})
    odd = MaintenanceRuntime()
    monkeypatch.setattr(odd, "identity", lambda *pair: identities[Pair(*pair)])

    with pytest.raises(AuthorizationError) as refused:
        subject(odd, PAIRS)

    assert (refused.value.code, refused.value.path) == ("plans_differ", "/settings")
    assert (refused.value.expected, refused.value.actual) == ("one plan", "2")
    assert subject(odd, PAIRS[:1]).settings == {"/provider/plan": "other"}


def test_without_a_change_nothing_moved(desk: Path) -> None:
    admission = checked(desk, live_build(runtime(), PAIRS))

    assert (admission.admitted, admission.use) == (True, None)
    assert admission.moved is not None
    assert admission.moved.source is not None
    assert admission.moved.source.changes == ()
    assert admission.moved.unchanged == ("source", "runtime_bundle", "experiment_bundle", "manifest", "settings")


def test_a_changed_byte_in_any_file_of_the_source_is_refused_and_named_and_good_again_without_it(
    desk: Path, tmp_path: Path
) -> None:
    """Every twelfth source is read from a real copy; for the others it is as if. Manifests stay: nothing is run."""
    permit = SourceBoundAuthorizationV1.parse((desk / "permit.json").read_bytes())
    at_hand, manifests = beside(desk), live_build(runtime(), PAIRS).manifests
    copied = Path(shutil.copytree(ROOT, tmp_path / ROOT.name, ignore=shutil.ignore_patterns("__pycache__")))
    files = live_source().identity.files
    for number, file in enumerate(files):
        if number % 12:
            rest = (*files[:number], *files[number + 1 :])
            source = SourceIdentityV1.of((*rest, replace(file, sha256="f" * 64)))
        else:
            text = (copied / file.path).read_bytes()
            (copied / file.path).write_bytes(text[:-1] + bytes([text[-1] ^ 1]) if text else b"\n")
            source = take_source_snapshot(copied, OWNER_TABLE).identity
            (copied / file.path).write_bytes(text)

        build = Build(source, manifests)
        refusals = judge(permit, build.live(), REQUEST, NOW, Trust(None, allow_unsigned=True))
        moved = Moved.since(permit, at_hand, build, PAIRS)

        assert [refusal.code for refusal in refusals] == ["source_identity_changed"], file.path
        assert moved.source is not None
        assert moved.source.to_wire()["changes"] == [
            {"path": file.path, "change": "changed", "owner": owner_of(file.path)}
        ]
        assert moved.unchanged == ("runtime_bundle", "experiment_bundle", "manifest", "settings")
    assert checked(desk, Build(take_source_snapshot(copied, OWNER_TABLE).identity, manifests), at_hand).admitted


@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_file_that_is_more_or_less(desk: Path, tmp_path: Path, change: str) -> None:
    copied = Path(shutil.copytree(ROOT, tmp_path / ROOT.name, ignore=shutil.ignore_patterns("__pycache__")))
    if change == "added":
        (copied / "cli/evil.py").touch()
    else:
        (copied / "cli/keys.py").unlink()

    admission = checked(
        desk, Build(take_source_snapshot(copied, OWNER_TABLE).identity, live_build(runtime(), PAIRS).manifests)
    )

    assert admission.reasons == ("source_identity_changed",)
    assert admission.moved is not None
    assert admission.moved.source is not None
    path = "cli/evil.py" if change == "added" else "cli/keys.py"
    assert [each.to_wire() for each in admission.moved.source.changes] == [
        {"path": path, "change": change, "owner": UNOWNED}
    ]


ALL_THREE = ("runtime_bundle", "experiment_bundle", "manifest")


@pytest.mark.parametrize(
    ("path", "moved"),
    [
        ("runtime/core/engine.py", ALL_THREE),
        ("runtime/maintenance/operation.py", ALL_THREE),
        ("runtime/maintenance/agents/reference.py", ALL_THREE),
        ("identity/canonical.py", ALL_THREE),
        ("runtime/maintenance/evaluator/recovery.py", ("experiment_bundle", "manifest")),
        ("runtime/maintenance/agents/complete_early.py", ()),
        ("authority/admission.py", ()),
    ],
)
def test_what_follows_from_a_change_of_an_owned_file_is_named_too(
    desk: Path, monkeypatch: pytest.MonkeyPatch, path: str, moved: tuple[str, ...]
) -> None:
    changed = SourceIdentityV1.of(
        replace(file, sha256="f" * 64) if file.path == path else file for file in live_source().identity.files
    )
    rows = {file.path: (file.size, file.sha256) for file in changed.files}
    monkeypatch.setattr(authorized, "live_source", lambda: SimpleNamespace(identity=changed))
    monkeypatch.setattr(bound, "live_source_files", lambda: rows)

    admission = checked(desk, live_build(MaintenanceRuntime(), PAIRS))

    assert admission.reasons == ("source_identity_changed", *(f"{name}_changed" for name in moved))
    assert admission.moved is not None
    assert set(admission.moved.unchanged) == {*ALL_THREE, "settings"} - set(moved)
    comparison = admission.moved.runs[PAIRS[0]]
    assert comparison is not None
    owners = [row.component for row in comparison.moved if row.paths]
    assert owners == ([owner_of(path)] if moved else [])
