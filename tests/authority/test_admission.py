"""Every reason against an authorization: alone, in order with others, and to the second."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from operatebench.authority import (
    REASONS,
    SETTINGS,
    Build,
    Limits,
    Register,
    SourceBoundAuthorizationV1,
    Trust,
    TrustedIssuers,
    bound_run,
    issuers_document,
    judge,
)
from operatebench.errors import AuthorizationError
from tests.authority.builds import (
    BUILD,
    DAY,
    FILES,
    GOOD,
    KEY,
    MANIFEST,
    NOW,
    OTHER_KEY,
    PAIR,
    PLAN,
    REQUEST,
    SECOND,
    SECOND_PAIR,
    SEED,
    SOURCE,
    THIRD_PAIR,
    TRUST,
    authorization,
    judged,
    manifest,
    manifest_document,
    register,
    sealed,
    signed_part,
    source,
    wire,
)

OTHER_SOURCE = Build(source({**FILES, "top.py": b"another\n"}), BUILD.manifests)


@pytest.fixture
def book(tmp_path: Path) -> Register:
    return register(tmp_path)


def resigned(document: Any, key: Any = KEY) -> Any:
    """Return a document with the digests and the signature that it would need."""
    document = sealed(document)
    document["signature"]["signature_base64"] = base64.b64encode(key.sign(signed_part(document))).decode()
    return document


def with_signature(text: str) -> Any:
    document = wire()
    document["signature"]["signature_base64"] = text
    return document


@dataclass(frozen=True)
class Case:
    """A reason, and what makes it the only one."""

    reason: str
    document: Any
    path: str
    expected: str
    actual: str
    changed: dict[str, Any]


def case(reason: str, document: Any, path: str, expected: str, actual: str, **changed: Any) -> Case:
    return Case(reason, document, path, expected, actual, changed)


def altered(**members: Any) -> Any:
    return {**wire(), **members}


RUNTIME = manifest(runtime_contract_content={"/a/b": 1})
ANALYSIS = manifest(analysis_contract_content={"/a/b": 1})
PLANNED = manifest(**{SETTINGS: {"/provider/plan": "another"}})


def live(other: Any, **changed: Any) -> dict[str, Any]:
    """Return a build with another manifest, and an authorization that binds everything of it that is not changed."""
    run = bound_run(PAIR, other)
    return {"build": Build(SOURCE, {PAIR: other}), "run": replace(run, **changed)}


def bound_to(other: Any, **changed: Any) -> tuple[SourceBoundAuthorizationV1, Build]:
    parts = live(other, **changed)
    return authorization(runs=(parts["run"],)), parts["build"]


OTHER_DIGEST = "d" * 64
BY_RUNTIME, RUNTIME_BUILD = bound_to(MANIFEST, runtime_bundle_digest_sha256=OTHER_DIGEST)
BY_EXPERIMENT, EXPERIMENT_BUILD = bound_to(MANIFEST, experiment_bundle_digest_sha256=OTHER_DIGEST)
BY_MANIFEST, MANIFEST_BUILD = bound_to(MANIFEST, manifest_digest_sha256=OTHER_DIGEST)
BY_SETTINGS = authorization(settings={"/provider/plan": "another"})
UNSIGNED = authorization(key=None)

ALONE = [
    case("malformed", altered(serial=0), "/serial", "at least 1", "0"),
    case(
        "digest_mismatch",
        altered(serial=6),
        "/authorization_digest_sha256",
        hashlib.sha256(signed_part(altered(serial=6))).hexdigest(),
        f'"{GOOD.authorization_digest_sha256}"',
    ),
    case(
        "digest_mismatch",
        altered(settings={}),
        "/bound/settings_digest_sha256",
        sealed(altered(settings={}))["bound"]["settings_digest_sha256"],
        f'"{GOOD.settings_digest_sha256}"',
    ),
    case(
        "signature_invalid",
        with_signature(base64.b64encode(OTHER_KEY.sign(GOOD.signed_bytes())).decode()),
        "/signature",
        f"a signature of {KEY.public.key_id}",
        "another one",
    ),
    case("signature_required", UNSIGNED, "/signature", "a signature", "null"),
    case(
        "issuer_unknown",
        GOOD,
        "/issuer",
        "a trusted issuer",
        f'"issuer" with key "{KEY.public.key_id}"',
        trust=Trust(TrustedIssuers.read(issuers_document("issuer", OTHER_KEY.public))),
    ),
    case(
        "not_yet_valid",
        authorization(not_before=NOW + SECOND),
        "/not_before",
        "at or before 2026-01-01T12:00:00Z",
        "2026-01-01T12:00:01Z",
    ),
    case("expired", authorization(expires_at=NOW), "/expires_at", "after 2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z"),
    case(
        "scope_mismatch",
        GOOD,
        "/scope/operation_id",
        '"another"',
        '"repair"',
        request=replace(REQUEST, operation_id="another"),
    ),
    case("scope_mismatch", GOOD, "/scope/action", '"read"', '"run"', request=replace(REQUEST, action="read")),
    case(
        "scope_mismatch",
        GOOD,
        "/bound/runs",
        '"V1 other"',
        "not among them",
        request=replace(REQUEST, pairs=frozenset({PAIR, SECOND_PAIR})),
    ),
    case("scope_mismatch", GOOD, "/bound/runs", "a run", "not among them", request=replace(REQUEST, pairs=frozenset())),
    case(
        "source_identity_changed",
        GOOD,
        "/bound/source_identity_digest_sha256",
        SOURCE.digest_sha256,
        OTHER_SOURCE.source.digest_sha256 if OTHER_SOURCE.source else "",
        build=OTHER_SOURCE,
    ),
    case(
        "runtime_bundle_changed",
        BY_RUNTIME,
        "/bound/runs/0/runtime_bundle_digest_sha256",
        OTHER_DIGEST,
        MANIFEST.composites["runtime_bundle"].bundle_digest_sha256,
        build=RUNTIME_BUILD,
    ),
    case(
        "experiment_bundle_changed",
        BY_EXPERIMENT,
        "/bound/runs/0/experiment_bundle_digest_sha256",
        OTHER_DIGEST,
        MANIFEST.composites["experiment_bundle"].bundle_digest_sha256,
        build=EXPERIMENT_BUILD,
    ),
    case(
        "manifest_changed",
        BY_MANIFEST,
        "/bound/runs/0/manifest_digest_sha256",
        OTHER_DIGEST,
        MANIFEST.manifest_digest_sha256,
        build=MANIFEST_BUILD,
    ),
    case(
        "settings_changed",
        BY_SETTINGS,
        "/bound/settings_digest_sha256",
        BY_SETTINGS.settings_digest_sha256,
        GOOD.settings_digest_sha256,
    ),
    case("limit_exceeded", GOOD, "/limits/max_episodes", "5", "4", request=replace(REQUEST, episodes=5)),
    case("limit_exceeded", GOOD, "/limits/max_provider_calls", "1", "0", request=replace(REQUEST, provider_calls=1)),
]


@pytest.mark.parametrize("each", ALONE, ids=lambda each: f"{each.reason}{each.path}")
@pytest.mark.parametrize("recorded", [True, False], ids=["admit", "check"])
def test_a_reason_alone(each: Case, recorded: bool, book: Register) -> None:
    admission = judged(each.document, book, recorded=recorded, **each.changed)

    assert admission.reasons == (each.reason,)
    refusal = admission.refusals[0]
    assert (refusal.path, refusal.expected, refusal.actual) == (each.path, each.expected, each.actual)
    assert (admission.admitted, admission.use) == (False, None)


def test_a_good_one_is_admitted_and_used(book: Register) -> None:
    uses = [judged(GOOD, book).use for _ in range(3)]

    assert [use and use.index for use in uses] == [1, 2, 3]
    assert uses[-1] is not None
    assert book.audit().head == uses[-1].head


def test_used_up(book: Register) -> None:
    for _ in range(3):
        assert judged(GOOD, book).admitted

    (refusal,) = judged(GOOD, book).refusals
    assert (refusal.code, refusal.path) == ("uses_exhausted", "/limits/max_uses")
    assert (refusal.expected, refusal.actual) == ("more than the 3 uses recorded", "3")


def test_revoked(book: Register) -> None:
    with book.transaction() as entries:
        entries.revoke(GOOD.authorization_digest_sha256, NOW)

    (refusal,) = judged(GOOD, book).refusals
    assert (refusal.code, refusal.actual) == ("revoked", "revoked at 2026-01-01T12:00:00Z")


def test_a_newer_one_supersedes_an_older_one_even_if_it_was_refused_itself(book: Register) -> None:
    assert judged(GOOD, book).admitted
    assert judged(authorization(serial=6, expires_at=NOW), book).reasons == ("expired",)

    (refusal,) = judged(GOOD, book).refusals
    assert (refusal.code, refusal.path) == ("superseded", "/serial")
    assert (refusal.expected, refusal.actual) == ("at least 6, seen before", "5")


def test_what_was_superseded_stays_so_when_the_newer_one_has_expired(book: Register) -> None:
    assert judged(authorization(serial=6, expires_at=NOW + SECOND), book).admitted

    assert judged(GOOD, book, now=NOW + DAY - SECOND).reasons == ("superseded",)


def test_a_second_one_under_one_serial_is_superseded(book: Register) -> None:
    assert judged(GOOD, book).admitted

    (refusal,) = judged(authorization(limits=Limits(9, 9, 0)), book).refusals
    assert (refusal.code, refusal.path) == ("superseded", "/serial")
    assert GOOD.authorization_digest_sha256 in refusal.expected
    assert judged(GOOD, book).admitted


@pytest.mark.parametrize(
    ("document", "trust"),
    [
        (authorization(serial=9, key=None), Trust(TRUST.issuers)),
        (with_signature(base64.b64encode(bytes(64)).decode()), TRUST),
        (authorization(serial=9, key=OTHER_KEY), TRUST),
    ],
    ids=["unsigned", "forged", "unknown"],
)
def test_what_is_not_genuine_is_not_seen(document: Any, trust: Trust, book: Register) -> None:
    assert not judged(document, book, trust=trust).admitted
    assert book.audit().rows == 1


@pytest.mark.parametrize("name", ["issuer", KEY.public.key_id, f"unsigned:{KEY.public.key_id}"])
def test_no_unsigned_file_supersedes_a_signed_one(name: str, book: Register) -> None:
    unsigned = authorization(serial=99, issuer_name=name, key=None)

    assert judged(unsigned, book, trust=replace(TRUST, allow_unsigned=True)).admitted
    assert judged(GOOD, book).admitted


def test_serials_of_other_operations_and_issuers_do_not_count(book: Register) -> None:
    other = authorization(serial=9, operation_id="another")
    assert judged(other, book, request=replace(REQUEST, operation_id="another")).admitted
    both = TrustedIssuers(
        {**dict(TRUST.issuers.keys if TRUST.issuers else {}), ("issuer", OTHER_KEY.public.key_id): OTHER_KEY.public}
    )
    assert judged(authorization(serial=9, key=OTHER_KEY), book, trust=Trust(both)).admitted

    assert judged(GOOD, book).admitted


def test_a_clock_that_went_back(book: Register) -> None:
    assert judged(GOOD, book).admitted

    for before, reasons in ((SECOND, ("clock_rollback",)), (timedelta(0), ()), (-SECOND, ())):
        admission = judged(GOOD, book, now=NOW - before, recorded=False)
        assert admission.reasons == reasons
    (refusal,) = judged(GOOD, book, now=NOW - SECOND).refusals
    assert refusal.expected == "2026-01-01T12:00:00Z or later, as the register has seen"
    assert refusal.actual == "2026-01-01T11:59:59Z"


@pytest.mark.parametrize(
    ("member", "before", "at", "after"),
    [
        ("not_before", ("not_yet_valid",), (), ()),
        ("expires_at", (), ("expired",), ("expired",)),
    ],
)
def test_the_second_before_at_and_after_a_bound(
    member: str, before: tuple[str, ...], at: tuple[str, ...], after: tuple[str, ...], book: Register
) -> None:
    made = authorization(**{member: NOW})
    almost = timedelta(microseconds=999_999)

    for now, reasons in (
        (NOW - SECOND, before),
        (NOW - SECOND + almost, before),
        (NOW, at),
        (NOW + almost, at),
        (NOW + SECOND, after),
    ):
        assert judged(made, book, now=now, recorded=False).reasons == reasons


def test_an_instant_of_another_zone_is_the_same_instant(book: Register) -> None:
    elsewhere = NOW.astimezone(datetime.fromisoformat("2026-01-01T00:00:00+05:30").tzinfo)

    assert judged(authorization(not_before=NOW), book, now=elsewhere).admitted


def test_all_that_can_hold_at_once_in_order(book: Register) -> None:
    with book.transaction() as entries:
        entries.see(authorization(serial=7), NOW + 2 * DAY)
    made = authorization(
        runs=(replace(bound_run(PAIR, RUNTIME), manifest_digest_sha256=OTHER_DIGEST),),
        settings={"/provider/plan": "another"},
        limits=Limits(1, 1, 0),
        not_before=NOW + DAY,
        expires_at=NOW,
    )
    document = wire(made)
    document["signature"]["signature_base64"] = base64.b64encode(bytes(64)).decode()
    with book.transaction() as entries:
        entries.use(made, 1, NOW)
        entries.revoke(made.authorization_digest_sha256, NOW)

    admission = judged(
        document, book, build=OTHER_SOURCE, request=replace(REQUEST, operation_id="another", provider_calls=1)
    )

    assert admission.reasons == (
        "signature_invalid",
        "not_yet_valid",
        "expired",
        "superseded",
        "revoked",
        "scope_mismatch",
        "source_identity_changed",
        "runtime_bundle_changed",
        "experiment_bundle_changed",
        "manifest_changed",
        "settings_changed",
        "uses_exhausted",
        "limit_exceeded",
        "clock_rollback",
    )


def test_without_a_register_the_rest_is_still_said(tmp_path: Path) -> None:
    made = authorization(expires_at=NOW, limits=Limits(1, 1, 0))

    admission = judged(made, Register(tmp_path / "none"), build=OTHER_SOURCE)

    assert admission.reasons == ("expired", "source_identity_changed", "limit_exceeded", "register_unavailable")
    assert admission.refusals[-1].path.endswith("none")


def test_the_reasons_are_those_of_the_contract() -> None:
    assert REASONS == (
        "malformed",
        "digest_mismatch",
        "signature_invalid",
        "signature_required",
        "issuer_unknown",
        "not_yet_valid",
        "expired",
        "superseded",
        "revoked",
        "scope_mismatch",
        "source_identity_changed",
        "runtime_bundle_changed",
        "experiment_bundle_changed",
        "manifest_changed",
        "settings_changed",
        "uses_exhausted",
        "limit_exceeded",
        "clock_rollback",
        "register_unavailable",
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (
            with_signature(base64.b64encode(KEY.sign(GOOD.authorization_digest_sha256.encode())).decode()),
            "signature_invalid",
        ),
        (
            with_signature(base64.b64encode(KEY.sign(bytes.fromhex(GOOD.authorization_digest_sha256))).decode()),
            "signature_invalid",
        ),
        (with_signature(base64.b64encode(KEY.sign(GOOD.signed_bytes() + b"\n")).decode()), "signature_invalid"),
        (with_signature(base64.b64encode((GOOD.signature or b"")[:-1]).decode()), "malformed"),
        (with_signature(base64.b64encode((GOOD.signature or b"") + b"\0").decode()), "malformed"),
        (with_signature(""), "malformed"),
        (with_signature(base64.b64encode(GOOD.signature or b"").decode().rstrip("=")), "malformed"),
        (with_signature(base64.b64encode(GOOD.signature or b"").decode() + "\n"), "malformed"),
        (with_signature(" " + base64.b64encode(GOOD.signature or b"").decode()), "malformed"),
        (with_signature(base64.urlsafe_b64encode(b"\xfb" * 64).decode()), "malformed"),
        (with_signature(base64.b64encode(b"\0" * 64).decode()[:-3] + "B=="), "malformed"),
        ({**wire(), "signature": {**wire()["signature"], "algorithm": "ed448"}}, "malformed"),
        ({**wire(), "signature": (GOOD.signature or b"").hex()}, "malformed"),
        ({**wire(), "signature": None}, "signature_required"),
    ],
    ids=[
        "over the hex text",
        "over the raw digest",
        "over other bytes",
        "truncated",
        "too long",
        "empty",
        "without padding",
        "with a line feed",
        "with a space",
        "of the other alphabet",
        "with bits behind its end",
        "of another algorithm",
        "in hexadecimal",
        "taken away",
    ],
)
def test_signatures(document: Any, reason: str, book: Register) -> None:
    assert judged(document, book, trust=replace(TRUST, allow_unsigned=True)).reasons == (reason,)


def test_an_issuer_is_a_name_with_its_key(book: Register) -> None:
    renamed = authorization(issuer_name="somebody")

    assert judged(renamed, book).reasons == ("issuer_unknown",)
    assert judged(GOOD, book, trust=Trust()).reasons == ("issuer_unknown",)
    assert judged(GOOD, book, trust=Trust(allow_unsigned=True)).reasons == ("issuer_unknown",)


def test_an_issuer_without_a_key_that_is_signed_all_the_same(book: Register) -> None:
    document = wire()
    document["issuer"]["key_id"] = None

    assert judged(resigned(document), book).reasons == ("issuer_unknown",)


def test_each_reason_once_however_many_runs_moved(book: Register) -> None:
    runs = tuple(bound_run(pair, MANIFEST) for pair in (PAIR, SECOND_PAIR, THIRD_PAIR))
    made = authorization(runs=runs)
    pairs = frozenset(run.pair for run in runs)

    admission = judged(
        made,
        book,
        build=Build(SOURCE, {PAIR: MANIFEST, SECOND_PAIR: RUNTIME, THIRD_PAIR: PLANNED}),
        request=replace(REQUEST, pairs=pairs),
    )

    assert admission.reasons == (
        "runtime_bundle_changed",
        "experiment_bundle_changed",
        "manifest_changed",
        "settings_changed",
    )
    assert admission.refusals[0].path == "/bound/runs/1/runtime_bundle_digest_sha256"


def test_only_the_requested_runs_are_judged(book: Register) -> None:
    made = authorization(runs=(bound_run(PAIR, MANIFEST), bound_run(SECOND_PAIR, MANIFEST)))

    assert judged(made, book, build=Build(SOURCE, {PAIR: MANIFEST, SECOND_PAIR: RUNTIME})).admitted


def test_a_digest_that_is_not_bound_is_not_judged(book: Register) -> None:
    loose = replace(bound_run(PAIR, MANIFEST), experiment_bundle_digest_sha256=None, manifest_digest_sha256=None)

    assert judged(authorization(runs=(loose,)), book, build=Build(SOURCE, {PAIR: ANALYSIS})).admitted
    tight = judged(authorization(serial=6), book, build=Build(SOURCE, {PAIR: ANALYSIS}))
    assert tight.reasons == ("experiment_bundle_changed", "manifest_changed")


def test_a_run_that_is_not_here_any_more(book: Register) -> None:
    admission = judged(GOOD, book, build=Build(SOURCE, {}))

    assert "runtime_bundle_changed" in admission.reasons
    assert admission.refusals[0].actual == "none"


def test_nothing_is_judged_of_signatures_without_trust() -> None:
    document = with_signature(base64.b64encode(bytes(64)).decode())

    assert list(judge(SourceBoundAuthorizationV1.read(document), BUILD.live(), REQUEST, NOW, None)) == []


def test_check_records_nothing(book: Register, tmp_path: Path) -> None:
    before = (tmp_path / "register").read_bytes()

    assert judged(GOOD, book, recorded=False).admitted
    assert (tmp_path / "register").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["register"]


LEAVES: list[Callable[[Any], Any]] = [
    lambda value: None,
    lambda value: True,
    lambda value: 1.0,
    lambda value: [],
    lambda value: {},
    lambda value: f"{value}x",
    lambda value: value + 1 if type(value) is int else -1,
]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [path, *(each for name, item in value.items() for each in leaves(item, (*path, name)))]
    if isinstance(value, list):
        return [path, *(each for index, item in enumerate(value) for each in leaves(item, (*path, index)))]
    return [path]


@pytest.mark.parametrize("path", leaves(wire())[1:], ids=lambda path: "/".join(map(str, path)))
def test_no_changed_leaf_is_admitted(path: tuple[Any, ...], book: Register) -> None:
    for seal in (lambda document: document, sealed):
        for change in LEAVES:
            document = wire()
            holder = document
            for step in path[:-1]:
                holder = holder[step]
            old = holder[path[-1]]
            holder[path[-1]] = change(old)
            document = seal(document)
            if json.dumps(document) == json.dumps(wire()):  # what was changed is what was sealed
                continue
            admission = judged(document, book, trust=replace(TRUST, allow_unsigned=True))
            assert not admission.admitted, (path, document)
    assert book.audit().rows == 1


@pytest.mark.parametrize(
    "holder", [(), ("scope",), ("bound",), ("bound", "runs", 0), ("limits",), ("issuer",), ("signature",)]
)
def test_a_member_too_many_or_too_few_is_malformed(holder: tuple[Any, ...], book: Register) -> None:
    changes: list[Callable[[Any], object]] = [
        lambda value: value.update(more=1),
        lambda value: value.pop(next(iter(value))),
    ]
    for change in changes:
        document = wire()
        value = document
        for step in holder:
            value = value[step]
        change(value)
        assert judged(document, book).reasons == ("malformed",)


@pytest.mark.parametrize("document", [None, 1, "x", [], {}, float("nan"), object(), {"schema": 1}])
def test_what_is_no_authorization_at_all(document: Any, book: Register) -> None:
    assert judged(document, book).reasons == ("malformed",)


def test_pairs_are_sorted_and_each_there_once(book: Register) -> None:
    runs = [bound_run(pair, MANIFEST).to_wire() for pair in (SECOND_PAIR, PAIR)]
    for listed in (runs, [runs[1], runs[1]]):
        document = wire()
        document["bound"]["runs"] = listed
        (refusal,) = judged(resigned(document), book).refusals
        assert (refusal.code, refusal.path) == ("malformed", "/bound/runs/1")


@pytest.mark.parametrize(
    "instant",
    [
        "2026-02-30T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-01T00:00:60Z",
        "2026-1-01T00:00:00Z",
        "2026-01-01T00:00:00+00:00",
    ],
)
@pytest.mark.parametrize("member", ["issued_at", "not_before", "expires_at"])
def test_instants_that_do_not_exist(instant: str, member: str, book: Register) -> None:
    document = wire()
    document[member] = instant

    (refusal,) = judged(resigned(document), book).refusals
    assert (refusal.code, refusal.path) == ("malformed", f"/{member}")


def test_no_private_key_in_anything_said_of_an_admission(book: Register) -> None:
    said = repr([judged(each.document, book, **each.changed) for each in ALONE])
    said += repr(KEY) + str(KEY.__dict__) + repr(GOOD)

    for form in (SEED.hex(), base64.b64encode(SEED).decode(), KEY.to_pem().decode().splitlines()[1]):
        assert form not in said
    assert re.search("PRIVATE", said) is None
    with pytest.raises(AuthorizationError):
        raise judged(UNSIGNED, book).refusals[0]


def test_moved_names_the_changed_file_its_owner_and_what_did_not_move(book: Register) -> None:
    beside = Build(SOURCE, {PAIR: MANIFEST})
    for path, content in FILES.items():
        changed = source({**FILES, path: content.swapcase()})

        admission = judged(GOOD, book, build=Build(changed, {PAIR: RUNTIME}), beside=beside, recorded=False)

        assert admission.reasons[0] == "source_identity_changed"
        assert admission.moved is not None
        assert admission.moved.source is not None
        owner = next(file.owner for file in SOURCE.files if file.path == path)
        assert [each.to_wire() for each in admission.moved.source.changes] == [
            {"path": path, "change": "changed", "owner": owner}
        ]
        assert admission.moved.unchanged == ("settings",)
        comparison = admission.moved.runs[PAIR]
        assert comparison is not None
        assert comparison.other_contents == ("runtime_contract_content",)
    assert judged(GOOD, book, beside=beside).admitted


def test_moved_says_when_the_lists_are_not_at_hand(book: Register) -> None:
    moved = judged(GOOD, book, build=OTHER_SOURCE).moved

    assert moved is not None
    assert (moved.source, dict(moved.runs)) == (None, {PAIR: None})
    assert moved.unchanged == ("runtime_bundle", "experiment_bundle", "manifest", "settings")
    assert moved.to_wire() == {
        "source": None,
        "runs": [{"variant_id": "V1", "agent_id": "agent", "comparison": None}],
        "unchanged": ["runtime_bundle", "experiment_bundle", "manifest", "settings"],
    }


def test_documents_made_here_are_what_the_package_makes() -> None:
    assert manifest_document()["manifest_digest_sha256"] == MANIFEST.manifest_digest_sha256
    assert wire()["settings"] == PLAN
    assert Ed25519PrivateKey.from_private_bytes(SEED).sign(b"") == KEY.sign(b"")
