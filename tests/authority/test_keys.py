"""Keys: Ed25519 only, private ones for their owner alone, and nothing of these in anything that can be shown."""

import base64
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from operatebench.authority import SigningKey, VerifyingKey, files_of, read_verifying_key
from operatebench.errors import DocumentError, OperateBenchError, SigningKeyError
from tests.authority.builds import (
    GOOD,
    KEY,
    OTHER_KEY,
    PAIR,
    SEED,
    SOURCE,
    authorization,
    judged,
    manifest_document,
    register,
)
from tests.authority.hidden import BODY, PEM, PRIVATE, TRADITIONAL, assert_hidden, pem, public_pem

ENCRYPTED = pem(KEY._key, encryption=serialization.BestAvailableEncryption(b"secret"))
ENCRYPTED_EC = pem(PRIVATE["ECPrivateKey"], TRADITIONAL, serialization.BestAvailableEncryption(b"secret"))


def write(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def refused(call: Callable[..., Any], *arguments: Any) -> SigningKeyError:
    with pytest.raises(SigningKeyError) as caught:
        call(*arguments)
    return caught.value


def test_a_key_is_read_from_its_file_and_from_a_descriptor(tmp_path: Path) -> None:
    path = write(tmp_path / "key", PEM)
    reading, writing = os.pipe()
    os.write(writing, PEM)
    os.close(writing)

    for key in (SigningKey.read(path), SigningKey.read_descriptor(reading), SigningKey.from_pem(PEM, "")):
        assert key.public.key_id == KEY.public.key_id
        assert key.sign(b"x") == KEY.sign(b"x")
    os.close(reading)
    assert SigningKey.new().public.key_id != SigningKey.new().public.key_id


def test_a_key_id_is_the_digest_of_the_public_key_in_der() -> None:
    der = base64.b64decode("".join(KEY.public.to_pem().splitlines()[1:-1]))

    assert KEY.public.key_id == hashlib.sha256(der).hexdigest()
    assert VerifyingKey.from_pem(KEY.public.to_pem().encode(), "").key_id == KEY.public.key_id


def test_the_public_key_is_read_from_either_file(tmp_path: Path) -> None:
    private, public = write(tmp_path / "a", PEM), write(tmp_path / "b", KEY.public.to_pem().encode(), 0o644)

    assert read_verifying_key(private).key_id == read_verifying_key(public).key_id == KEY.public.key_id


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o610, 0o602, 0o777])
def test_a_private_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    both = KEY.public.to_pem().encode() + PEM
    for content, read in ((PEM, SigningKey.read), (PEM, read_verifying_key), (both, read_verifying_key)):
        path = write(tmp_path / "key", content, mode)
        refusal = refused(read, path)
        assert (refusal.code, refusal.path) == ("key_permissions", str(path))
        assert (refusal.expected, refusal.actual) == ("0600", f"{mode:04o}")


def test_a_file_of_a_key_is_no_link(tmp_path: Path) -> None:
    write(tmp_path / "key", PEM)
    (tmp_path / "link").symlink_to("key")

    with pytest.raises(DocumentError) as caught:
        SigningKey.read(tmp_path / "link")
    assert caught.value.code == "file_type"


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 100, PEM[:60], PEM.replace(b"MC4", b"MC5"), b"-" * 16_000])
def test_what_is_no_key(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "key", content)

    for read in (SigningKey.read, read_verifying_key):
        refusal = refused(read, path)
        assert (refusal.code, refusal.path, refusal.actual) == ("key_file", str(path), "none")


@pytest.mark.parametrize("name", PRIVATE)
def test_keys_of_other_types_are_refused(tmp_path: Path, name: str) -> None:
    key = PRIVATE[name]
    path = write(tmp_path / "key", pem(key))

    for read in (SigningKey.read, read_verifying_key):
        refusal = refused(read, path)
        assert (refusal.code, refusal.expected, refusal.actual) == ("key_type", "Ed25519", name)
    write(path, public_pem(key).encode())
    refusal = refused(read_verifying_key, path)
    assert (refusal.code, refusal.actual) == ("key_type", name.replace("Private", "Public"))


@pytest.mark.parametrize("content", [ENCRYPTED, ENCRYPTED_EC])
def test_an_encrypted_key_is_refused(tmp_path: Path, content: bytes) -> None:
    refusal = refused(SigningKey.read, write(tmp_path / "key", content))

    assert (refusal.code, refusal.expected, refusal.actual) == ("key_encrypted", "a key as it is", "an encrypted one")


def test_a_signature_is_that_of_one_key_over_one_content() -> None:
    signature = KEY.sign(b"content")

    assert KEY.public.signed(signature, b"content")
    assert not KEY.public.signed(signature, b"contents")
    assert not OTHER_KEY.public.signed(signature, b"content")
    assert not KEY.public.signed(signature[:-1], b"content")
    assert not KEY.public.signed(bytes(64), b"content")


def test_the_search_would_find_it() -> None:
    for shown in (PEM, SEED, SEED.hex(), BODY.decode(), base64.b64encode(b"12" + SEED)):
        with pytest.raises(AssertionError):
            assert_hidden(shown)


def test_a_private_key_is_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path / "key", PEM, 0o644)
    broken = write(tmp_path / "broken", PEM.replace(b"BEGIN PRIVATE", b"BEGIN  PRIVATE"))
    long = write(tmp_path / "long", PEM * 200)
    encrypted = write(tmp_path / "encrypted", PEM + ENCRYPTED)
    things: list[Any] = [
        KEY,
        str(KEY),
        KEY.public,
        vars(KEY),
        vars(KEY.public),
        KEY.public.to_pem(),
        GOOD,
        GOOD.to_wire(),
    ]
    for read in (SigningKey.read, read_verifying_key):
        for each in (path, broken, long):
            with pytest.raises(OperateBenchError) as caught:
                read(each)
            things.append(caught.value)
    with long.open("rb") as file, pytest.raises(OperateBenchError) as caught:
        SigningKey.read_descriptor(file.fileno())
    things.append(caught.value)
    for parse in (SigningKey.from_pem, VerifyingKey.from_pem):
        things.append(refused(parse, broken.read_bytes(), "x"))  # noqa: PERF401
    assert SigningKey.read(encrypted).public.key_id == KEY.public.key_id  # the first one counts
    with pytest.raises(OperateBenchError) as caught:
        authorization(serial=0)
    things.append(caught.value)
    book = register(tmp_path)
    admission = judged(GOOD, book)
    things += [admission, book, vars(book), (tmp_path / "register").read_bytes()]
    things += files_of("a.json", GOOD, SOURCE, {PAIR: manifest_document()}).values()

    assert_hidden(*things)


def test_a_private_key_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="Ed25519PrivateKey"):
        pickle.dumps(KEY)
