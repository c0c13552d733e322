"""Reading and issuing: the digest made a second way, whatever is changed noticed, and no exception of another kind."""

import base64
import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.authority import (
    REASONS,
    SETTINGS,
    BoundRun,
    Limits,
    Pair,
    SerialKey,
    SourceBoundAuthorizationV1,
    bound_run,
)
from operatebench.errors import AuthorizationError
from tests.authority.builds import (
    GOOD,
    KEY,
    MANIFEST,
    NOW,
    PAIR,
    SECOND_PAIR,
    THIRD_PAIR,
    authorization,
    judged,
    register,
    sealed,
    signed_part,
    wire,
)
from tests.identity import oracle
from tests.identity.strategies import any_text, any_value, clean_text, clean_value, field_path

Place = tuple[str | int, ...]

FEW = settings(max_examples=40)
DIGEST = "/authorization_digest_sha256"


def refused(document: Any) -> AuthorizationError:
    with pytest.raises(AuthorizationError) as caught:
        SourceBoundAuthorizationV1.read(document)
    assert caught.value.code in REASONS[:2]
    return caught.value


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the code of its refusal."""
    try:
        return call()
    except AuthorizationError as refusal:
        return refusal.code


def at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def put(place: Place, value: Any, document: Any = None) -> Any:
    """Return the good document with another value at a place."""
    document = wire() if document is None else document
    if not place:
        return value
    at(document, place[:-1])[place[-1]] = value
    return document


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the places of all values in a document."""
    yield place
    steps: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield from places(value[step], (*place, step))


ALL = tuple(places(wire()))


def test_the_document_is_the_one_of_the_contract() -> None:
    document = wire()

    assert document["schema"] == "operatebench.source_bound_authorization.v1"
    assert document["schema_version"] == 1
    assert document["scope"] == {"action": "run", "operation_id": "repair"}
    assert document["bound"]["settings_digest_sha256"] == oracle.content_digest(SETTINGS, document["settings"])
    assert document["bound"]["settings_digest_sha256"] == MANIFEST.components[SETTINGS].content_digest_sha256
    assert document["limits"] == {"max_uses": 3, "max_episodes": 4, "max_provider_calls": 0}
    assert [document[name] for name in ("issued_at", "not_before", "expires_at")] == [
        "2025-12-31T12:00:00Z",
        "2025-12-31T12:00:00Z",
        "2026-01-02T12:00:00Z",
    ]
    assert document["issuer"] == {"name": "issuer", "key_id": KEY.public.key_id}
    assert document["authorization_id"].startswith("auth_")
    assert set(document) == {
        "schema",
        "schema_version",
        "authorization_id",
        "serial",
        "scope",
        "bound",
        "settings",
        "limits",
        "issued_at",
        "not_before",
        "expires_at",
        "issuer",
        "authorization_digest_sha256",
        "signature",
    }


def test_digest_and_signature_are_over_the_canonical_wrapper() -> None:
    document = wire()

    assert GOOD.signed_bytes() == signed_part(document)
    assert document["authorization_digest_sha256"] == hashlib.sha256(signed_part(document)).hexdigest()
    assert document["signature"]["algorithm"] == "ed25519"
    signature = base64.b64decode(document["signature"]["signature_base64"], validate=True)
    assert KEY.public.signed(signature, signed_part(document))
    assert SourceBoundAuthorizationV1.read(document) == GOOD
    assert SourceBoundAuthorizationV1.read(document).to_wire() == document


def test_an_id_follows_from_the_content() -> None:
    assert authorization().authorization_id == GOOD.authorization_id
    assert authorization(serial=6).authorization_id != GOOD.authorization_id


def test_serials_count_by_key_or_by_name_and_by_what_it_is_for() -> None:
    assert GOOD.serial_key == SerialKey(KEY.public.key_id, "run", "repair")
    assert authorization(key=None).serial_key == SerialKey("unsigned:issuer", "run", "repair")
    assert authorization(operation_id="x", issuer_name="y").serial_key == SerialKey(KEY.public.key_id, "run", "x")


def test_what_is_issued_is_cut_to_the_second_and_sorted() -> None:
    runs = tuple(bound_run(pair, MANIFEST) for pair in (THIRD_PAIR, SECOND_PAIR, PAIR))

    made = authorization(runs=runs, issued_at=NOW.replace(microsecond=999_999))

    assert made.issued_at == NOW
    assert [run.pair for run in made.runs] == [PAIR, SECOND_PAIR, THIRD_PAIR]


@pytest.mark.parametrize(
    ("changed", "path", "expected", "actual"),
    [
        ({"serial": 0}, "/serial", "at least 1", "0"),
        ({"serial": 2**53}, "/serial", "an integer from -9007199254740991 to 9007199254740991", str(2**53)),
        ({"serial": True}, "/serial", "integer", "true"),
        ({"operation_id": ""}, "/scope/operation_id", "at least 1 character", '""'),
        ({"runs": ()}, "/bound/runs", "at least 1 item", "an array of 0 items"),
        ({"runs": (bound_run(PAIR, MANIFEST),) * 2}, "/bound/runs/1", "pairs in code-point order", '"V1 agent"'),
        ({"settings": {"a": 1}}, "/settings/a", "'/'-led tokens", '"a"'),
        ({"settings": {"/a": 0.5}}, "/settings/~1a", "an integer", "0.5"),
        ({"limits": Limits(0, 1, 0)}, "/limits/max_uses", "at least 1", "0"),
        ({"limits": Limits(1, 0, 0)}, "/limits/max_episodes", "at least 1", "0"),
        ({"limits": Limits(1, 1, -1)}, "/limits/max_provider_calls", "at least 0", "-1"),
        ({"issuer_name": "x" * 257}, "/issuer/name", "at most 256", "text of 257 characters"),
        ({"issuer_name": "\ud800"}, "/issuer/name", "text without surrogates", '"\\ud800"'),
    ],
)
def test_nothing_is_issued_that_could_not_be_read(
    changed: dict[str, Any], path: str, expected: str, actual: str
) -> None:
    with pytest.raises(AuthorizationError) as caught:
        authorization(**changed)

    assert (caught.value.code, caught.value.path) == ("malformed", path)
    assert expected in caught.value.expected
    assert actual in caught.value.actual


@pytest.mark.parametrize(
    ("place", "value", "path", "expected", "actual"),
    [
        ((), [], "", "object", "an array of 0 items"),
        (("more",), 1, "/more", "no undeclared member", "1"),
        (("schema",), "operatebench.source_bound_authorization.v2", "/schema", "operatebench.source_bound", "v2"),
        (("schema_version",), 1.0, "/schema_version", "an integer", "1.0"),
        (("scope", "action"), "Run", "/scope/action", "run", '"Run"'),
        (("issued_at",), "2026-02-30T00:00:00Z", "/issued_at", "an instant that exists", '"2026-02-30T00:00:00Z"'),
        (("expires_at",), "0000-01-01T00:00:00Z", "/expires_at", "an instant that exists", '"0000-01-01T00:00:00Z"'),
        (("not_before",), "2026-01-01T00:00:60Z", "/not_before", "text matching", '"2026-01-01T00:00:60Z"'),
        (("authorization_id",), "auth_" + "F" * 32, "/authorization_id", "text matching", '"auth_FFFF'),
        (("signature", "algorithm"), "ed448", "/signature/algorithm", "ed25519", '"ed448"'),
    ],
)
def test_another_form_is_refused_before_the_digest(
    place: Place, value: Any, path: str, expected: str, actual: str
) -> None:
    refusal = refused(put(place, value))

    assert (refusal.code, refusal.path) == ("malformed", path)
    assert expected in refusal.expected
    assert actual in refusal.actual


def test_order_of_runs_is_that_of_code_points() -> None:
    names = ("\ue000", "\U00010000")
    runs = tuple(replace(bound_run(PAIR, MANIFEST), pair=Pair(name, "x")) for name in names)
    document = wire(authorization(runs=runs[::-1]))

    assert [run["variant_id"] for run in document["bound"]["runs"]] == list(names)
    document["bound"]["runs"].reverse()
    assert refused(sealed(document)).path == "/bound/runs/1"


def test_digests_are_made_again() -> None:
    document = put(("settings", "/fixture/provider_run_plan_content"), -1)
    stated = wire()["bound"]["settings_digest_sha256"]
    refusal = refused(document)
    assert (refusal.code, refusal.path, refusal.actual) == (
        "digest_mismatch",
        "/bound/settings_digest_sha256",
        f'"{stated}"',
    )
    assert refusal.expected == oracle.content_digest(SETTINGS, document["settings"])

    document = put(("serial",), 6)
    refusal = refused(document)
    expected = hashlib.sha256(signed_part(document)).hexdigest()
    assert (refusal.code, refusal.path) == ("digest_mismatch", DIGEST)
    assert (refusal.expected, refusal.actual) == (expected, f'"{GOOD.authorization_digest_sha256}"')


ODD: tuple[Any, ...] = (True, False, 0, 1, 1.0, -0.0, "1", "", None, [], {}, "\ud800", 2**53, float("nan"), "0" * 64)


SEALED = ("settings_digest_sha256",)


def test_every_value_that_is_changed_is_noticed(tmp_path: Path) -> None:
    """Other values and types everywhere, with the digests as they were and made anew, are never admitted."""
    book = register(tmp_path)

    def try_out(document: Any) -> None:
        admission = judged(document, book, recorded=False)
        assert admission.refusals
        assert set(admission.reasons) <= set(REASONS)

    assert judged(GOOD, book, recorded=False).admitted
    for place in ALL:
        original = at(wire(), place)
        for value in ODD:
            if type(value) is type(original) and value == original:
                continue
            document = put(place, copy.copy(value))
            try_out(document)
            encodable = type(value) is not float and value not in ("\ud800", 2**53)
            if place and encodable and place[0] not in ("signature", DIGEST[1:]) and place[1:] != SEALED:
                try_out(sealed(document))
        if place:
            document = wire()
            del at(document, place[:-1])[place[-1]]
            try_out(document)
        if isinstance(original, dict):
            try_out(put((*place, "extra"), 1))
        if isinstance(original, list):
            document = wire()
            at(document, place).append(copy.deepcopy(original[0]))
            try_out(document)


@FEW
@given(st.sampled_from(ALL), any_value)
def test_reading_is_total(place: Place, value: Any) -> None:
    document = put(place, value)
    read = outcome(lambda: SourceBoundAuthorizationV1.read(document))

    assert read in REASONS[:2] or read.to_wire() == document


@FEW
@given(
    st.lists(st.tuples(any_text, any_text), max_size=3),
    st.one_of(clean_text, any_text),
    st.dictionaries(field_path, clean_value, max_size=3),
    st.integers(-1, 2**53),
    st.booleans(),
)
def test_what_is_issued_reads_back_equal(
    pairs: list[tuple[str, str]], name: str, plan: dict[str, Any], serial: int, signed: bool
) -> None:
    runs = tuple(BoundRun(Pair(*pair), "1" * 64, None, "2" * 64) for pair in pairs)
    changed = {"runs": runs, "issuer_name": name, "operation_id": name, "settings": plan, "serial": serial}
    made = outcome(lambda: authorization(**changed, key=KEY if signed else None))
    if made == "malformed":
        return

    document = wire(made)
    assert SourceBoundAuthorizationV1.read(document) == made
    assert made.authorization_digest_sha256 == hashlib.sha256(signed_part(document)).hexdigest()
    assert made.settings_digest_sha256 == oracle.content_digest(SETTINGS, plan)
    assert (made.signature is not None) == signed


def test_objects_that_are_no_json_are_refused_and_never_asked() -> None:
    class Text(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = str.__hash__

    for value in (Text("run"), object(), b"run", ("run",)):
        refusal = refused(put(("scope", "action"), value))
        assert (refusal.code, refusal.path) == ("malformed", "/scope/action")
    circle: dict[str, Any] = {}
    circle["/circle"] = circle
    assert refused(put(("settings",), circle)).code == "malformed"


def test_a_refusal_holds_nothing_of_the_document() -> None:
    refusal = refused(put(("serial",), 6))

    assert refusal.__context__ is None
    trace = refusal.__traceback__
    while trace is not None:
        inside = trace.tb_frame.f_code.co_filename != __file__
        assert not (inside and "serial" in json.dumps(trace.tb_frame.f_locals, default=str))
        trace = trace.tb_next
