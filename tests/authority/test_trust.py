"""Whose word counts: signatures in every wrong form, keys and names, and the serials of each issuer."""

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import (
    Limits,
    SigningKey,
    SourceBoundAuthorizationV1,
    Trust,
    TrustedIssuers,
    issuers_document,
)
from tests.authority.builds import (
    GOOD,
    KEY,
    NOW,
    OTHER_KEY,
    REQUEST,
    SECOND,
    TRUST,
    authorization,
    judged,
    register,
    sealed,
    wire,
)

UNSIGNED = authorization(key=None)
NEWER = authorization(serial=6)
TWIN = authorization(limits=Limits(4, 4, 0))


def signed_by(document: Any, content: bytes, key: SigningKey = KEY) -> Any:
    document["signature"] = {
        "algorithm": "ed25519",
        "signature_base64": base64.b64encode(key.sign(content)).decode(),
    }
    return document


def spelled(change: Callable[[str], str]) -> Any:
    document = wire()
    document["signature"]["signature_base64"] = change(document["signature"]["signature_base64"])
    return document


def higher(text: str) -> str:
    """Return the signature with the order of the group added to its second half, which is as good to a lax check."""
    raw = base64.b64decode(text)
    order = 2**252 + 27742317777372353535851937790883648493
    half = int.from_bytes(raw[32:], "little") + order
    return base64.b64encode(raw[:32] + half.to_bytes(32, "little")).decode()


DIGEST = GOOD.authorization_digest_sha256


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (signed_by(wire(), GOOD.signed_bytes(), OTHER_KEY), "signature_invalid"),
        (signed_by(wire(), GOOD.signed_bytes() + b"\n"), "signature_invalid"),
        (signed_by(wire(), DIGEST.encode()), "signature_invalid"),
        (signed_by(wire(), bytes.fromhex(DIGEST)), "signature_invalid"),
        (signed_by(wire(), NEWER.signed_bytes()), "signature_invalid"),
        (spelled(higher), "signature_invalid"),
        (spelled(lambda text: "A" * 86 + "=="), "signature_invalid"),
        (spelled(lambda text: text[4:]), "malformed"),
        (spelled(lambda text: text[:-4]), "malformed"),
        (spelled(lambda text: text[:-2]), "malformed"),
        (spelled(lambda text: f"{text}\n"), "malformed"),
        (spelled(lambda text: f"{text[:40]}\n{text[40:]}"), "malformed"),
        (spelled(lambda text: f"{text[:-3]}{chr(ord(text[-3]) + 1)}=="), "malformed"),
        (spelled(lambda text: f"-{text[1:]}"), "malformed"),
        (spelled(lambda text: f"_{text[1:]}"), "malformed"),
        (spelled(lambda text: f"é{text[1:]}"), "malformed"),
        (spelled(lambda text: ""), "malformed"),
    ],
)
def test_signatures_that_are_none(tmp_path: Path, document: Any, reason: str) -> None:
    book = register(tmp_path)

    for trust in (TRUST, replace(TRUST, allow_unsigned=True)):
        assert judged(document, book, trust=trust).reasons == (reason,)
    assert book.audit().kinds == {"genesis": 1}  # nothing of it was seen


def named(key_id: str | None, signature: bytes | None = None) -> SourceBoundAuthorizationV1:
    """Return an authorization that names a key, as only somebody else can write it."""
    document = wire(UNSIGNED)
    document["issuer"]["key_id"] = key_id
    return replace(SourceBoundAuthorizationV1.read(sealed(document)), signature=signature)


@pytest.mark.parametrize(
    ("made", "trust", "reasons"),
    [
        (UNSIGNED, TRUST, ("signature_required",)),
        (UNSIGNED, Trust(), ("signature_required",)),
        (UNSIGNED, Trust(allow_unsigned=True), ()),
        (UNSIGNED, replace(TRUST, allow_unsigned=True), ()),
        (replace(GOOD, signature=None), replace(TRUST, allow_unsigned=True), ("signature_required",)),
        (named("unsigned:issuer"), replace(TRUST, allow_unsigned=True), ("signature_required",)),
        (named("unsigned:issuer", bytes(64)), replace(TRUST, allow_unsigned=True), ("issuer_unknown",)),
        (named(None, bytes(64)), replace(TRUST, allow_unsigned=True), ("issuer_unknown",)),
        (named(KEY.public.key_id.upper(), bytes(64)), TRUST, ("issuer_unknown",)),
        (authorization(key=OTHER_KEY), TRUST, ("issuer_unknown",)),
        (authorization(issuer_name="Issuer"), TRUST, ("issuer_unknown",)),
        (GOOD, Trust(), ("issuer_unknown",)),
        (GOOD, Trust(allow_unsigned=True), ("issuer_unknown",)),
        (GOOD, Trust(TrustedIssuers.read(issuers_document("issuer", OTHER_KEY.public))), ("issuer_unknown",)),
    ],
)
def test_whose_word_counts(
    tmp_path: Path, made: SourceBoundAuthorizationV1, trust: Trust, reasons: tuple[str, ...]
) -> None:
    book = register(tmp_path)

    assert judged(made, book, trust=trust).reasons == reasons
    assert ("seen" in book.audit().kinds) == (not reasons)


def test_a_higher_serial_supersedes_even_when_it_is_refused(tmp_path: Path) -> None:
    book = register(tmp_path)
    expired = authorization(serial=8, expires_at=NOW - SECOND)
    assert judged(GOOD, book).admitted

    assert judged(authorization(serial=7), book, recorded=False).admitted
    assert judged(GOOD, book).admitted  # a check records nothing
    assert judged(expired, book).reasons == ("expired",)
    for made in (GOOD, authorization(serial=7)):
        assert judged(made, book).reasons == ("superseded",)
    assert judged(authorization(serial=9), book).admitted
    assert judged(expired, book).reasons == ("expired", "superseded")


def test_serials_of_others_do_not_count(tmp_path: Path) -> None:
    two = TrustedIssuers.read(
        {
            **issuers_document("issuer", KEY.public),
            "issuers": [
                row
                for key, name in ((KEY, "issuer"), (OTHER_KEY, "issuer"))
                for row in issuers_document(name, key.public)["issuers"]
            ],
        }
    )
    trust = Trust(two, allow_unsigned=True)
    book = register(tmp_path)
    stripped = replace(authorization(serial=99), signature=None)
    forged = replace(authorization(serial=99), signature=bytes(64))

    for made, request in (
        (authorization(serial=9, key=OTHER_KEY), REQUEST),
        (authorization(serial=9, operation_id="x"), replace(REQUEST, operation_id="x")),
        (authorization(serial=9, key=None), REQUEST),
    ):
        assert judged(made, book, request=request, trust=trust).admitted
    for made in (stripped, forged, named(KEY.public.key_id)):
        assert not judged(made, book, trust=trust).admitted

    assert judged(GOOD, book, trust=trust).admitted
    assert judged(authorization(serial=8, key=None), book, trust=trust).reasons == ("superseded",)
    assert judged(authorization(serial=8, key=None, issuer_name="b"), book, trust=trust).admitted


def test_a_second_authorization_of_one_serial_never_counts(tmp_path: Path) -> None:
    book = register(tmp_path)
    assert judged(GOOD, book).admitted

    assert judged(TWIN, book).reasons == ("superseded",)
    assert judged(GOOD, book).admitted
    assert book.audit().kinds["seen"] == 1
