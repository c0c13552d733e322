"""Trusted issuers: Ed25519 keys under their own ids, each once, and no text of the file in a refusal."""

from typing import Any

import pytest

from operatebench.authority import TrustedIssuers, issuers_document
from operatebench.errors import SigningKeyError
from tests.authority.builds import KEY, OTHER_KEY, SEED
from tests.authority.hidden import PEM, PRIVATE, assert_hidden, public_pem


def refused(document: Any) -> SigningKeyError:
    with pytest.raises(SigningKeyError) as caught:
        TrustedIssuers.read(document)
    return caught.value


def issuers(**members: Any) -> Any:
    document = issuers_document("issuer", KEY.public)
    document["issuers"][0].update(members)
    return document


@pytest.mark.parametrize(
    ("members", "code", "path", "expected", "actual"),
    [
        (
            {"private_key": PEM.decode()},
            "issuers_shape",
            "/issuers/0/private_key",
            "no undeclared",
            "of 119 characters",
        ),
        ({"key_id": PEM.decode()}, "issuers_shape", "/issuers/0/key_id", "", "a text of 119 characters"),
        ({"name": PEM.decode() * 3}, "issuers_shape", "/issuers/0/name", "at most 256", "a text of 357 characters"),
        ({"public_key_pem": PEM.decode()}, "issuer_key", "/issuers/0/public_key_pem", "an Ed25519 key", "none"),
        ({"key_id": SEED.hex()}, "issuer_key", "/issuers/0/key_id", KEY.public.key_id, "another one"),
        ({"name": 1}, "issuers_shape", "/issuers/0/name", "string", "1"),
        (
            {"public_key_pem": public_pem(PRIVATE["RSAPrivateKey"])},
            "issuer_key",
            "/issuers/0/public_key_pem",
            "an Ed25519 key",
            "RSAPublicKey",
        ),
        (
            {"public_key_pem": public_pem(PRIVATE["X25519PrivateKey"])},
            "issuer_key",
            "/issuers/0/public_key_pem",
            "an Ed25519 key",
            "X25519PublicKey",
        ),
    ],
)
def test_a_file_of_issuers_is_refused_and_not_shown(
    members: dict[str, Any], code: str, path: str, expected: str, actual: str
) -> None:
    refusal = refused(issuers(**members))

    assert (refusal.code, refusal.path) == (code, path)
    assert expected in refusal.expected
    assert actual in refusal.actual
    assert_hidden(refusal)


def test_each_key_has_one_name_and_a_name_any_number_of_keys() -> None:
    document = issuers()
    document["issuers"] += issuers_document("issuer", OTHER_KEY.public)["issuers"]
    assert set(TrustedIssuers.read(document).keys) == {
        ("issuer", KEY.public.key_id),
        ("issuer", OTHER_KEY.public.key_id),
    }

    document["issuers"] += issuers_document("other", KEY.public)["issuers"]
    refusal = refused(document)
    assert (refusal.code, refusal.path) == ("issuers_shape", "/issuers/2/key_id")
    assert (refusal.expected, refusal.actual) == ("each key id once", KEY.public.key_id)
