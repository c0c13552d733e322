"""Check 8: an authorization in a bundle permitted exactly this run; nothing that did not is verified."""

import base64
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import (
    SETTINGS,
    BoundRun,
    Limits,
    Pair,
    SigningKey,
    TrustedIssuers,
    UsedAuthorization,
    bound_run,
    issue,
    issuers_document,
)
from operatebench.errors import AuthorizationError
from operatebench.replay.bundle import Artifact, discard_run, export_oci, import_oci, read_bundle
from operatebench.replay.bundle.write import publish_artifact
from operatebench.replay.record import record_run
from operatebench.replay.verify import State, Verdict, Verifier
from tests.replay.bundle.bundles import files
from tests.replay.verify.runs import SOURCE, WRITER, document, identity, listed, record, runtime, text

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
KEY = SigningKey.new()
ISSUERS = TrustedIssuers.read(issuers_document("desk", KEY.public))
BOUND = runtime()
IDENTITY = identity(BOUND)
PAIR = Pair("LATE-QUOTE", "careful")
RUN = bound_run(PAIR, IDENTITY.validated)
OTHER = "d" * 64


def used(admission: dict[str, Any] | None = None, **changed: Any) -> UsedAuthorization:
    """Return a use that permits the run, but for what is changed."""
    members: dict[str, Any] = {
        "serial": 1,
        "operation_id": "HEATING.repair",
        "source_identity_digest_sha256": SOURCE,
        "runs": (RUN,),
        "settings": dict(IDENTITY.projections[SETTINGS]),
        "limits": Limits(2, 1, 0),
        "issued_at": NOW,
        "not_before": NOW,
        "expires_at": NOW + DAY,
        "issuer_name": "desk",
        "key": KEY,
    }
    authorization = issue(**{**members, **changed})
    said = {"admitted_at": NOW, "use_index": 2, "register_head": OTHER, "unsigned": authorization.signature is None}
    return UsedAuthorization(authorization, **{**said, **(admission or {})})


def of_run(**changed: Any) -> tuple[BoundRun, ...]:
    return (replace(RUN, **changed),)


@pytest.fixture(scope="module")
def permitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle of a run with an authorization; to be copied."""
    path = tmp_path_factory.mktemp("permitted") / "run"
    writer = replace(WRITER, source_identity_digest_sha256=SOURCE, spec_sha256=BOUND.spec_sha256)
    record_run(BOUND, IDENTITY, BOUND.selection("careful", 0), path, writer, authorization=used())
    return path


@pytest.fixture
def copy(permitted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(permitted, tmp_path / "copy"))


def put(path: Path, member: dict[str, Any], digest: str | None = None) -> None:
    """Put another authorization into a bundle, and list it as if it had always been there."""
    bundle = read_bundle(path)
    data = text(member)
    (path / "authorization.json").write_bytes(data)
    (path / "artifact.json").unlink()
    fields = {name: getattr(bundle.artifact, name) for name in Artifact.__dataclass_fields__}
    fields.pop("artifact_digest_sha256")
    fields["members"] = listed({**bundle.texts, "authorization": data})
    fields["authorization_digest_sha256"] = digest or member["authorization"]["authorization_digest_sha256"]
    publish_artifact(str(path), Artifact.seal(**fields))


def eighth(path: Path, issuers: TrustedIssuers | None = None) -> tuple[str, str]:
    """Return code and place of the failed check 8 of a bundle that is refused for it."""
    report = Verifier(BOUND, issuers).verify(path)
    check = report.check("8")
    assert (report.verdict, check.state) == (Verdict.REFUSED, State.FAILED)
    assert check.refusal is not None
    assert report.refusal is not None
    assert report.refusal.code == check.refusal.code
    return check.refusal.code, check.refusal.path


def test_a_permitted_run(permitted: Path) -> None:
    for issuers, said in (
        (None, "its signature was not checked: no --issuers"),
        (ISSUERS, f"signed by key {KEY.public.key_id}"),
    ):
        report = Verifier(BOUND, issuers).verify(permitted)
        assert (report.verdict, report.check("8").state) == (Verdict.VERIFIED, State.PASSED)
        assert report.check("8").detail == f"{used().authorization.authorization_id}, use 2; {said}"


def test_without_an_authorization_there_is_nothing_to_check(tmp_path: Path) -> None:
    record(tmp_path / "run", BOUND)

    report = Verifier(BOUND, ISSUERS).verify(tmp_path / "run")
    assert (report.verdict, report.check("8").state) == (Verdict.VERIFIED, State.NOT_PRESENT)


def test_unsigned_passes_where_no_issuers_count(copy: Path) -> None:
    put(copy, used(key=None).to_wire())

    assert Verifier(BOUND).verify(copy).check("8").detail.endswith("; unsigned: nobody vouches for it")
    assert eighth(copy, ISSUERS) == ("signature_required", "authorization.json#/authorization/signature")


BOUND_PLACE = "/authorization/bound"
RUN_PLACE = f"{BOUND_PLACE}/runs/0"


@pytest.mark.parametrize(
    ("made", "code", "place"),
    [
        (used({"admitted_at": NOW - SECOND}), "not_yet_valid", "/authorization/not_before"),
        (used({"admitted_at": NOW + DAY}), "expired", "/authorization/expires_at"),
        (used({"admitted_at": NOW + DAY + SECOND}), "expired", "/authorization/expires_at"),
        (used(operation_id="another"), "scope_mismatch", "/authorization/scope/operation_id"),
        (used(runs=of_run(pair=Pair("LATE-QUOTE", "waiting"))), "scope_mismatch", f"{BOUND_PLACE}/runs"),
        (
            used(source_identity_digest_sha256=OTHER),
            "source_identity_changed",
            f"{BOUND_PLACE}/source_identity_digest_sha256",
        ),
        (
            used(runs=of_run(runtime_bundle_digest_sha256=OTHER)),
            "runtime_bundle_changed",
            f"{RUN_PLACE}/runtime_bundle_digest_sha256",
        ),
        (
            used(runs=of_run(experiment_bundle_digest_sha256=OTHER)),
            "experiment_bundle_changed",
            f"{RUN_PLACE}/experiment_bundle_digest_sha256",
        ),
        (
            used(runs=of_run(manifest_digest_sha256=OTHER)),
            "manifest_changed",
            f"{RUN_PLACE}/manifest_digest_sha256",
        ),
        (
            used(settings={"/provider/plan": "another"}),
            "settings_changed",
            f"{BOUND_PLACE}/settings_digest_sha256",
        ),
        (used({"use_index": 3}), "uses_exhausted", "/admission/use_index"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_did_not_permit_this_run(made: UsedAuthorization, code: str, place: str, copy: Path) -> None:
    put(copy, made.to_wire())

    assert eighth(copy) == eighth(copy, ISSUERS) == (code, f"authorization.json#{place}")


def test_the_last_second_counts(copy: Path) -> None:
    put(copy, used({"admitted_at": NOW + DAY - SECOND}).to_wire())

    assert Verifier(BOUND, ISSUERS).verify(copy).verdict is Verdict.VERIFIED


def member(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    made = used().to_wire()
    change(made)
    return made


FORGED = base64.b64encode(SigningKey.new().sign(used().authorization.signed_bytes())).decode()


@pytest.mark.parametrize(
    ("made", "code", "place"),
    [
        (member(lambda made: made["admission"].update(unsigned=True)), "malformed", "/admission/unsigned"),
        (member(lambda made: made["admission"].update(use_index=0)), "malformed", "/admission/use_index"),
        (member(lambda made: made["admission"].update(use_index=True)), "malformed", "/admission/use_index"),
        (member(lambda made: made["admission"].update(register_head="x")), "malformed", "/admission/register_head"),
        (member(lambda made: made["admission"].update(admitted_at=1)), "malformed", "/admission/admitted_at"),
        (member(lambda made: made["admission"].update(key="x")), "malformed", "/admission/key"),
        (member(lambda made: made.update(more=1)), "malformed", "/more"),
        (member(lambda made: made["authorization"].update(serial=0)), "malformed", "/authorization/serial"),
        (
            member(lambda made: made["authorization"].update(serial=7)),
            "digest_mismatch",
            "/authorization/authorization_digest_sha256",
        ),
        (
            member(lambda made: made["authorization"]["signature"].update(signature_base64="A" * 87 + "=")),
            "malformed",
            "/authorization/signature/signature_base64",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_used_authorization(made: dict[str, Any], code: str, place: str, copy: Path) -> None:
    put(copy, made)

    assert eighth(copy) == (code, f"authorization.json#{place}")


def test_signatures_count_where_issuers_are_given(copy: Path) -> None:
    put(copy, member(lambda made: made["authorization"]["signature"].update(signature_base64=FORGED)))
    assert eighth(copy, ISSUERS) == ("signature_invalid", "authorization.json#/authorization/signature")
    assert Verifier(BOUND).verify(copy).verdict is Verdict.VERIFIED

    put(copy, used(issuer_name="somebody").to_wire())
    assert eighth(copy, ISSUERS) == ("issuer_unknown", "authorization.json#/authorization/issuer")
    stripped = used()
    put(copy, replace(stripped, authorization=replace(stripped.authorization, signature=None), unsigned=True).to_wire())
    for issuers in (ISSUERS, None):
        assert eighth(copy, issuers) == ("signature_required", "authorization.json#/authorization/signature")


def test_another_digest_in_the_list(copy: Path) -> None:
    put(copy, used().to_wire(), digest=OTHER)

    assert eighth(copy) == ("repeated_value_differs", "artifact.json#/authorization_digest_sha256")


def test_it_is_not_reached_when_the_documents_do_not_belong_together(copy: Path) -> None:
    (copy / "ledger.ndjson").write_bytes(b"")

    assert Verifier(BOUND).verify(copy).check("8").state is State.NOT_REACHED


def test_every_flipped_byte_of_it_is_refused(copy: Path) -> None:
    good = (copy / "authorization.json").read_bytes()
    for position in range(0, len(good), 41):
        (copy / "authorization.json").write_bytes(
            good[:position] + bytes([good[position] ^ 1 << position % 8]) + good[position + 1 :]
        )
        report = Verifier(BOUND).verify(copy)
        assert (report.verdict, report.refusal and report.refusal.code) == (Verdict.REFUSED, "member_digest")


def test_it_is_taken_along_and_taken_away(copy: Path, tmp_path: Path) -> None:
    export_oci(copy, tmp_path / "image")
    import_oci(tmp_path / "image", tmp_path / "again")

    assert files(tmp_path / "again") == files(copy)
    discard_run(copy)
    assert not copy.exists()


def test_a_run_that_would_ask_a_provider_needs_one(tmp_path: Path) -> None:
    plan = {"/provider/plan": "some-provider"}
    bound = runtime(projections={**document()["projections"], SETTINGS: plan})
    with pytest.raises(AuthorizationError) as refused:
        record(tmp_path / "run", bound)
    assert (refused.value.code, refused.value.path) == ("authorization_required", f"projections#/{SETTINGS}")
    assert list(tmp_path.iterdir()) == []
