"""Keys: only Ed25519, only private to their owner, shown nowhere; issuers: each key is the one its id names."""

import base64
import hashlib
import os
import pickle
import traceback
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519

from operatebench.authority import SigningKey, TrustedIssuers, VerifyingKey, issuers_document, read_verifying_key
from operatebench.errors import DocumentError, OperateBenchError, SigningKeyError
from tests.authority.builds import KEY, OTHER_KEY, SEED

PRIVATE = KEY.to_pem()
PUBLIC = KEY.public.to_pem().encode()
SECRETS = (SEED.hex(), base64.b64encode(SEED).decode(), PRIVATE.decode().splitlines()[1])


def pem(key: Any, password: bytes | None = None) -> bytes:
    encryption: Any = serialization.NoEncryption()
    if password is not None:
        encryption = serialization.BestAvailableEncryption(password)
    data: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return data


def public_pem(key: Any) -> str:
    public: bytes = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return public.decode()


OTHERS = {
    "rsa": rsa.generate_private_key(public_exponent=65_537, key_size=2_048),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "x25519": x25519.X25519PrivateKey.generate(),
    "ed448": ed448.Ed448PrivateKey.generate(),
}


def written(folder: Path, text: bytes, mode: int = 0o600) -> Path:
    path = folder / "key.pem"
    path.write_bytes(text)
    path.chmod(mode)
    return path


def test_a_key_signs_and_its_public_part_checks(tmp_path: Path) -> None:
    key = SigningKey.read(written(tmp_path, PRIVATE))

    signature = key.sign(b"content")
    assert key.public.signed(signature, b"content")
    assert not key.public.signed(signature, b"contents")
    assert not OTHER_KEY.public.signed(signature, b"content")
    assert key.public.key_id == KEY.public.key_id


def test_the_key_id_is_that_of_the_public_key_in_der() -> None:
    der = base64.b64decode("".join(PUBLIC.decode().splitlines()[1:-1]))

    assert hashlib.sha256(der).hexdigest() == KEY.public.key_id
    assert len(der) == 44


def test_a_key_from_a_pipe() -> None:
    reading, writing = os.pipe()
    os.write(writing, PRIVATE)
    os.close(writing)
    try:
        assert SigningKey.read_descriptor(reading).public.key_id == KEY.public.key_id
    finally:
        os.close(reading)
    with pytest.raises(DocumentError) as closed:
        SigningKey.read_descriptor(reading)
    assert closed.value.code == "file_unreadable"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "key_file"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "key_file"),
        (PUBLIC, "key_file"),
        (PRIVATE[:-40], "key_file"),
        *((pem(key), "key_type") for key in OTHERS.values()),
        (pem(OTHERS["ed448"], b"secret"), "key_encrypted"),
    ],
)
def test_what_is_no_private_key(text: bytes, code: str, tmp_path: Path) -> None:
    with pytest.raises(SigningKeyError) as refused:
        SigningKey.read(written(tmp_path, text))
    assert refused.value.code == code
    assert refused.value.path.endswith("key.pem")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o666])
def test_a_private_key_that_others_could_use(mode: int, tmp_path: Path) -> None:
    path = written(tmp_path, PRIVATE, mode)

    for read in (SigningKey.read, read_verifying_key):
        with pytest.raises(SigningKeyError) as refused:
            read(path)
        assert (refused.value.code, refused.value.expected, refused.value.actual) == (
            "key_permissions",
            "0600",
            f"{mode:04o}",
        )


def test_a_public_key_may_be_read_by_all(tmp_path: Path) -> None:
    path = written(tmp_path, PUBLIC, 0o644)

    assert read_verifying_key(path).key_id == KEY.public.key_id


def test_a_link_to_a_key_and_a_large_file(tmp_path: Path) -> None:
    written(tmp_path, PRIVATE)
    (tmp_path / "link").symlink_to("key.pem")
    with pytest.raises(DocumentError) as linked:
        SigningKey.read(tmp_path / "link")
    assert linked.value.code == "file_type"
    with pytest.raises(DocumentError) as large:
        SigningKey.read(written(tmp_path, PRIVATE + b"\n" * 20_000))
    assert large.value.code == "file_too_large"


def test_nothing_of_a_private_key_is_ever_shown(tmp_path: Path) -> None:
    said = [repr(KEY), str(KEY), repr(KEY.public), repr(vars(KEY.public)), KEY.public.to_pem()]
    texts = (PRIVATE[:-20], PRIVATE.replace(b"PRIVATE KEY", b"PUBLIC KEY"), pem(OTHERS["ec"]), PRIVATE + PRIVATE[:50])
    for index, text in enumerate(texts):
        for read in (SigningKey.read, read_verifying_key):
            try:
                read(written(tmp_path, text))
            except OperateBenchError as refusal:
                said += [str(refusal), repr(refusal), refusal.diagnostics(), repr(refusal.to_json())]
                ours = refusal.__traceback__ and refusal.__traceback__.tb_next  # this frame holds the key
                said += traceback.StackSummary.extract(traceback.walk_tb(ours), capture_locals=True).format()
                said.append(repr(pickle.dumps(refusal)))
            else:
                assert index == 3
    with pytest.raises(TypeError):
        pickle.dumps(KEY)
    for secret in (*SECRETS, pem(OTHERS["ec"]).decode().splitlines()[1]):
        assert all(secret not in each for each in said)


def document(**changed: Any) -> dict[str, Any]:
    made = issuers_document("desk", KEY.public)
    made["issuers"][0].update(changed)
    return made


def test_the_list_of_one_issuer() -> None:
    issuers = TrustedIssuers.read(document())

    assert list(issuers.keys) == [("desk", KEY.public.key_id)]


def test_a_name_may_have_several_keys_but_a_key_one_entry() -> None:
    both = document()
    both["issuers"] += issuers_document("desk", OTHER_KEY.public)["issuers"]
    assert len(TrustedIssuers.read(both).keys) == 2

    both["issuers"] += issuers_document("other", KEY.public)["issuers"]
    with pytest.raises(SigningKeyError) as refused:
        TrustedIssuers.read(both)
    assert (refused.value.code, refused.value.path) == ("issuers_shape", "/issuers/2/key_id")


@pytest.mark.parametrize(
    ("made", "code", "path"),
    [
        *(
            (document(public_key_pem=public_pem(key)), "issuer_key", "/issuers/0/public_key_pem")
            for key in OTHERS.values()
        ),
        (document(public_key_pem=PRIVATE.decode()), "issuer_key", "/issuers/0/public_key_pem"),
        (document(public_key_pem="x"), "issuer_key", "/issuers/0/public_key_pem"),
        (document(public_key_pem="\ud800"), "issuers_shape", "/issuers/0/public_key_pem"),
        (document(key_id="a" * 64), "issuer_key", "/issuers/0/key_id"),
        (document(key_id=KEY.public.key_id.upper()), "issuers_shape", "/issuers/0/key_id"),
        (document(name=""), "issuers_shape", "/issuers/0/name"),
        (document(more=1), "issuers_shape", "/issuers/0/more"),
        ({**document(), "issuers": []}, "issuers_shape", "/issuers"),
        ({**document(), "schema_version": True}, "issuers_shape", "/schema_version"),
        ([], "issuers_shape", ""),
        (None, "issuers_shape", ""),
    ],
)
def test_a_list_that_is_refused(made: Any, code: str, path: str) -> None:
    with pytest.raises(SigningKeyError) as refused:
        TrustedIssuers.read(made)
    assert (refused.value.code, refused.value.path) == (code, path)
    assert all(secret not in str(refused.value) + refused.value.diagnostics() for secret in SECRETS)


def test_the_text_of_a_list_is_strict_json() -> None:
    with pytest.raises(SigningKeyError) as refused:
        TrustedIssuers.parse(b'{"a": 1, "a": 2}')
    assert refused.value.code == "issuers_shape"


def test_keys_are_new_each_time() -> None:
    assert SigningKey.new().public.key_id != SigningKey.new().public.key_id
    assert isinstance(VerifyingKey.from_pem(PUBLIC, "key"), VerifyingKey)
