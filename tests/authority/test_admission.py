"""Admission: each reason alone, all that can hold at once, time to the second, and uses."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import (
    REASONS,
    SETTINGS,
    BoundRun,
    Build,
    Limits,
    Live,
    Pair,
    Register,
    Request,
    SourceBoundAuthorizationV1,
    Trust,
    bound_run,
    judge,
)
from tests.authority.builds import (
    BUILD,
    DAY,
    GOOD,
    KEY,
    MANIFEST,
    NOTHING,
    NOW,
    OTHER_KEY,
    PAIR,
    REQUEST,
    SECOND,
    SECOND_PAIR,
    SOURCE,
    THIRD_PAIR,
    TRUST,
    authorization,
    judged,
    register,
    sealed,
    wire,
)

RUN = bound_run(PAIR, MANIFEST)
RUNTIME, EXPERIMENT = (each.bundle_digest_sha256 for each in MANIFEST.composites.values())
PLAN_DIGEST = MANIFEST.components[SETTINGS].content_digest_sha256
ONE, TWO = "1" * 64, "2" * 64
UNSIGNED = authorization(key=None)
OTHER_PLAN = authorization(settings={"/a": 1})
FORGED = replace(GOOD, signature=OTHER_KEY.sign(GOOD.signed_bytes()))
NEWER = authorization(serial=6)
TWIN = authorization(limits=Limits(4, 4, 0))


def bound(**members: Any) -> SourceBoundAuthorizationV1:
    return authorization(runs=(replace(RUN, **members),))


def keep(_: Register) -> None:
    """Leave the register as it was made."""


def see_newer(book: Register) -> None:
    assert judged(NEWER, book).admitted


def see_twin(book: Register) -> None:
    assert judged(TWIN, book).admitted


def revoke(book: Register) -> None:
    with book.transaction() as entries:
        entries.revoke(GOOD.authorization_digest_sha256, NOW - SECOND)


def use_up(book: Register) -> None:
    for index in range(1, 4):
        use = judged(GOOD, book).use
        assert use is not None
        assert use.index == index


def turn_clock(book: Register) -> None:
    with book.transaction() as entries:
        entries.revoke(ONE, NOW + SECOND)


def lose(book: Register) -> None:
    Path(book._path).unlink()


Case = tuple[Any, dict[str, Any], Callable[[Register], None], str, str, str]

CASES: dict[str, list[Case]] = {
    "malformed": [(wire() | {"serial": 0}, {}, keep, "/serial", "at least 1", "0")],
    "digest_mismatch": [
        (
            wire() | {"serial": 6},
            {},
            keep,
            "/authorization_digest_sha256",
            sealed(wire() | {"serial": 6})["authorization_digest_sha256"],
            f'"{GOOD.authorization_digest_sha256}"',
        )
    ],
    "signature_invalid": [(FORGED, {}, keep, "/signature", f"a signature of {KEY.public.key_id}", "another one")],
    "signature_required": [
        (UNSIGNED, {}, keep, "/signature", "a signature", "null"),
        (replace(GOOD, signature=None), {}, keep, "/signature", f"of {KEY.public.key_id}", "null"),
    ],
    "issuer_unknown": [
        (
            authorization(issuer_name="other"),
            {},
            keep,
            "/issuer",
            "a trusted issuer",
            f'"other" with key "{KEY.public.key_id}"',
        )
    ],
    "not_yet_valid": [
        (
            authorization(not_before=NOW + SECOND),
            {},
            keep,
            "/not_before",
            "at or before 2026-01-01T12:00:00Z",
            "2026-01-01T12:00:01Z",
        )
    ],
    "expired": [
        (authorization(expires_at=NOW), {}, keep, "/expires_at", "after 2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z")
    ],
    "superseded": [
        (GOOD, {}, see_newer, "/serial", "at least 6, seen before", "5"),
        (
            GOOD,
            {},
            see_twin,
            "/serial",
            f"the authorization seen with this serial, {TWIN.authorization_digest_sha256}",
            GOOD.authorization_digest_sha256,
        ),
    ],
    "revoked": [
        (GOOD, {}, revoke, "/authorization_digest_sha256", "not revoked", "revoked at 2026-01-01T11:59:59Z"),
    ],
    "scope_mismatch": [
        (GOOD, {"request": replace(REQUEST, action="issue")}, keep, "/scope/action", '"issue"', '"run"'),
        (GOOD, {"request": replace(REQUEST, operation_id="x")}, keep, "/scope/operation_id", '"x"', '"repair"'),
        (
            GOOD,
            {"request": replace(REQUEST, pairs=frozenset({PAIR, SECOND_PAIR}))},
            keep,
            "/bound/runs",
            '"V1 other"',
            "not among them",
        ),
        (GOOD, {"request": replace(REQUEST, pairs=frozenset())}, keep, "/bound/runs", "a run", "not among them"),
    ],
    "source_identity_changed": [
        (
            authorization(source_identity_digest_sha256=ONE),
            {},
            keep,
            "/bound/source_identity_digest_sha256",
            ONE,
            SOURCE.digest_sha256,
        )
    ],
    "runtime_bundle_changed": [
        (
            bound(runtime_bundle_digest_sha256=ONE),
            {},
            keep,
            "/bound/runs/0/runtime_bundle_digest_sha256",
            ONE,
            RUNTIME,
        )
    ],
    "experiment_bundle_changed": [
        (
            bound(experiment_bundle_digest_sha256=ONE),
            {},
            keep,
            "/bound/runs/0/experiment_bundle_digest_sha256",
            ONE,
            EXPERIMENT,
        )
    ],
    "manifest_changed": [
        (
            bound(manifest_digest_sha256=ONE),
            {},
            keep,
            "/bound/runs/0/manifest_digest_sha256",
            ONE,
            MANIFEST.manifest_digest_sha256,
        )
    ],
    "settings_changed": [
        (OTHER_PLAN, {}, keep, "/bound/settings_digest_sha256", OTHER_PLAN.settings_digest_sha256, PLAN_DIGEST)
    ],
    "uses_exhausted": [(GOOD, {}, use_up, "/limits/max_uses", "more than the 3 uses recorded", "3")],
    "limit_exceeded": [
        (GOOD, {"request": replace(REQUEST, episodes=5)}, keep, "/limits/max_episodes", "5", "4"),
        (GOOD, {"request": replace(REQUEST, provider_calls=1)}, keep, "/limits/max_provider_calls", "1", "0"),
    ],
    "clock_rollback": [
        (
            GOOD,
            {},
            turn_clock,
            "",
            "2026-01-01T12:00:01Z or later, as the register has seen",
            "2026-01-01T12:00:00Z",
        )
    ],
    "register_unavailable": [
        (GOOD, {}, lose, "register", "a register, made with `operatebench authorize init`", "no file")
    ],
}


def test_every_reason_has_a_case() -> None:
    assert tuple(CASES) == REASONS
    assert len(REASONS) == 19


@pytest.mark.parametrize(
    ("reason", "index"), [(reason, index) for reason, row in CASES.items() for index in range(len(row))]
)
def test_every_reason_alone(tmp_path: Path, reason: str, index: int) -> None:
    document, given, prepare, path, expected, actual = CASES[reason][index]
    book = register(tmp_path)
    prepare(book)

    for recorded in (False, True):
        admission = judged(document, book, recorded=recorded, **given)

        assert (admission.reasons, admission.admitted, admission.use) == ((reason,), False, None)
        (refusal,) = admission.refusals
        assert refusal.path == (str(tmp_path / path) if reason == "register_unavailable" else path)
        assert (refusal.expected, refusal.actual) == (expected, actual)
        assert (admission.authorization is None) == (reason in REASONS[:2]) == (admission.moved is None)
        assert admission.admitted_at == NOW


def everything() -> tuple[SourceBoundAuthorizationV1, dict[str, Any]]:
    """Return an authorization that everything stands against, in several rows each, and how it is asked for."""
    pairs = (PAIR, SECOND_PAIR, THIRD_PAIR)
    made = authorization(
        source_identity_digest_sha256=ONE,
        runs=tuple(BoundRun(pair, ONE, ONE, ONE) for pair in pairs),
        settings={},
        limits=Limits(1, 1, 1),
        not_before=NOW + DAY,
        expires_at=NOW - DAY,
    )
    request = Request("issue", "x", frozenset({*pairs, Pair("V9", "nobody")}), episodes=2, provider_calls=2)
    return made, {"request": request}


SUPPRESSED = ("superseded", "revoked", "uses_exhausted", "clock_rollback")


@pytest.mark.parametrize("signature", ["signature_invalid", "signature_required", "issuer_unknown"])
def test_all_that_can_hold_at_once_in_their_order_and_once_each(tmp_path: Path, signature: str) -> None:
    made, given = everything()
    book = register(tmp_path)
    with book.transaction() as entries:
        entries.see(authorization(serial=6), NOW)
        entries.use(made, 1, NOW)
        entries.revoke(made.authorization_digest_sha256, NOW + DAY)
    if signature == "signature_invalid":
        made = replace(made, signature=bytes(64))
    elif signature == "signature_required":
        made = replace(made, signature=None)
    else:
        given["trust"] = Trust(allow_unsigned=True)
    others = [reason for reason in REASONS[5:] if reason != "register_unavailable"]

    for recorded in (False, True):
        assert judged(made, book, recorded=recorded, **given).reasons == (signature, *others)
    lose(book)
    for recorded in (False, True):
        assert judged(made, book, recorded=recorded, **given).reasons == (
            signature,
            *(reason for reason in others if reason not in SUPPRESSED),
            "register_unavailable",
        )
    live = BUILD.live()
    offline = tuple(refusal.code for refusal in judge(made, live, given["request"], NOW, None))
    stripped = (signature,) if signature == "signature_required" else ()  # a named key asks for a signature always
    assert offline == (*stripped, *(reason for reason in others if reason not in SUPPRESSED))


@pytest.mark.parametrize("reason", REASONS[:2])
def test_what_cannot_be_read_has_no_other_reason(tmp_path: Path, reason: str) -> None:
    made, given = everything()
    document = wire(made) | ({"serial": 0} if reason == "malformed" else {"serial": 4})

    assert judged(document, Register(tmp_path / "none"), **given).reasons == (reason,)


def test_the_first_row_that_is_another_one_is_named(tmp_path: Path) -> None:
    pairs = (PAIR, SECOND_PAIR, THIRD_PAIR)
    runs = [bound_run(pair, MANIFEST) for pair in pairs]
    runs[1] = replace(runs[1], manifest_digest_sha256=ONE)
    runs[2] = replace(runs[2], manifest_digest_sha256=TWO, runtime_bundle_digest_sha256=TWO)
    made = authorization(runs=tuple(runs))
    book = register(tmp_path)

    refusals = judged(made, book, request=replace(REQUEST, pairs=frozenset(pairs))).refusals
    assert [(refusal.code, refusal.path) for refusal in refusals] == [
        ("runtime_bundle_changed", "/bound/runs/2/runtime_bundle_digest_sha256"),
        ("manifest_changed", "/bound/runs/1/manifest_digest_sha256"),
    ]
    assert judged(made, book).admitted  # rows that nobody asks for are not judged


def test_what_is_bound_to_null_is_not_judged(tmp_path: Path) -> None:
    made = bound(experiment_bundle_digest_sha256=None, manifest_digest_sha256=None)

    assert judged(made, register(tmp_path)).admitted


def test_what_is_not_live_has_no_digest(tmp_path: Path) -> None:
    book = register(tmp_path)
    nobody = Build(SOURCE, {SECOND_PAIR: MANIFEST})

    for made, reasons in (
        (GOOD, REASONS[11:15]),
        (bound(experiment_bundle_digest_sha256=None, manifest_digest_sha256=None), (REASONS[11], REASONS[14])),
    ):
        admission = judged(made, book, build=nobody, recorded=False)
        assert admission.reasons == reasons
        assert {refusal.actual for refusal in admission.refusals} == {"none"}
        assert admission.moved is not None
        assert admission.moved.runs == {PAIR: None}
        assert "runtime_bundle" not in admission.moved.unchanged


@pytest.mark.parametrize("below", [timedelta(0), timedelta(microseconds=1), timedelta(microseconds=999_999)])
@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-11, minutes=-30))])
def test_every_bound_a_second_before_at_and_after_it(tmp_path: Path, below: timedelta, zone: timezone) -> None:
    start, end, latest = NOW, NOW + timedelta(seconds=10), NOW + timedelta(seconds=5)
    made = authorization(not_before=start, expires_at=end, limits=Limits(9, 4, 0))
    book = register(tmp_path, NOW - DAY)

    def reasons(moment: datetime) -> tuple[str, ...]:
        return judged(made, book, now=(moment + below).astimezone(zone), recorded=False).reasons

    assert [reasons(start + step * SECOND) for step in (-1, 0, 1)] == [("not_yet_valid",), (), ()]
    assert [reasons(end + step * SECOND) for step in (-1, 0, 1)] == [(), ("expired",), ("expired",)]
    admission = judged(made, book, now=(latest + below).astimezone(zone))
    assert (admission.admitted, admission.admitted_at) == (True, latest)
    assert [reasons(latest + step * SECOND) for step in (-1, 0, 1)] == [("clock_rollback",), (), ()]


def test_a_use_is_recorded_before_it_is_told(tmp_path: Path) -> None:
    book = register(tmp_path)

    uses = [judged(GOOD, book).use for _ in range(3)]

    assert [use and use.index for use in uses] == [1, 2, 3]
    assert [use and use.head for use in uses] == list(book.audit().digests[2:])
    assert judged(GOOD, book).reasons == ("uses_exhausted",)
    assert book.audit().kinds == {"genesis": 1, "seen": 1, "use": 3}


def test_what_is_live_needs_a_source() -> None:
    with pytest.raises(TypeError, match="what is live has a source"):
        NOTHING.live()


def test_without_issuers_signatures_are_left_alone() -> None:
    live = Live(SOURCE.digest_sha256, BUILD.live().runs)

    assert list(judge(FORGED, live, REQUEST, NOW, None)) == []
    assert [refusal.code for refusal in judge(FORGED, live, REQUEST, NOW, TRUST)] == ["signature_invalid"]
