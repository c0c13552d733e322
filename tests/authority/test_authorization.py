"""The document: its digest straight from the contract, its form, and the way from text to record and back."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.authority import (
    Build,
    Limits,
    SourceBoundAuthorizationV1,
    UsedAuthorization,
    files_of,
    instant,
    instant_text,
    read_beside,
)
from operatebench.errors import AuthorizationError
from tests.authority.builds import (
    GOOD,
    KEY,
    MANIFEST,
    NOW,
    PAIR,
    SECOND_PAIR,
    SOURCE,
    TABLE,
    authorization,
    judged,
    manifest_document,
    register,
    signed_part,
    wire,
)

TEXTS = st.text(st.characters(codec=None, exclude_categories=()), min_size=1, max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def test_the_digest_and_the_signature_are_those_of_the_contract() -> None:
    document = wire()

    assert GOOD.signed_bytes() == signed_part(document)
    assert hashlib.sha256(signed_part(document)).hexdigest() == GOOD.authorization_digest_sha256
    assert KEY.public.signed(GOOD.signature or b"", signed_part(document))


def test_the_id_follows_from_the_content() -> None:
    assert authorization().authorization_id == GOOD.authorization_id
    assert authorization(serial=6).authorization_id != GOOD.authorization_id
    assert authorization(issuer_name="somebody").authorization_id != GOOD.authorization_id


@settings(max_examples=60)
@given(name=TEXTS, operation=TEXTS, serial=st.integers(-2, 2**64), uses=st.integers(0, 2**54))
def test_issued_documents_read_as_they_were_issued(name: str, operation: str, serial: int, uses: int) -> None:
    code = ""
    try:
        made = authorization(
            issuer_name=name, operation_id=operation, serial=serial, limits=Limits(uses, 1, 0), key=None
        )
    except AuthorizationError as refusal:
        code = refusal.code
    if code:
        assert code == "malformed"
        return
    text = json.dumps(made.to_wire(), indent=1).encode()
    assert SourceBoundAuthorizationV1.parse(text) == made
    assert hashlib.sha256(signed_part(json.loads(text))).hexdigest() == made.authorization_digest_sha256


@settings(max_examples=150)
@given(value=JSON, member=st.sampled_from([*wire(), "more"]))
def test_reading_is_total(value: Any, member: str) -> None:
    for document in (value, {**wire(), member: value}):
        found: SourceBoundAuthorizationV1 | str
        try:
            found = SourceBoundAuthorizationV1.read(document)
        except AuthorizationError as refusal:
            found = refusal.code
        assert found in (GOOD, "malformed", "digest_mismatch")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (b"", "line 1 column 0"),
        (b"{", "line 1 column 1"),
        (b'{"a":1,"a":2}', "line 1 column 12"),
        (b"\xff", "line 1 column 1"),
    ],
)
def test_text_that_is_no_strict_json(text: bytes, path: str) -> None:
    with pytest.raises(AuthorizationError) as refused:
        SourceBoundAuthorizationV1.parse(text)
    assert (refused.value.code, refused.value.path) == ("malformed", path)


def test_an_integral_float_is_no_integer() -> None:
    text = json.dumps(wire()).replace('"serial": 5', '"serial": 5.0').encode()

    with pytest.raises(AuthorizationError) as refused:
        SourceBoundAuthorizationV1.parse(text)
    assert (refused.value.code, refused.value.path) == ("malformed", "/serial")


def test_instants() -> None:
    for text in ("0001-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "9999-12-31T23:59:59Z"):
        assert instant_text(instant(text)) == text
    for text in (
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "\uff12\uff10\uff12\uff16-01-01T00:00:00Z",
        "",
        "2025-02-29T00:00:00Z",
    ):
        with pytest.raises(ValueError, match=r"."):
            instant(text)


def test_files_beside_and_back(tmp_path: Path) -> None:
    path = str(tmp_path / "permit.json")
    files = files_of(path, GOOD, SOURCE, {PAIR: manifest_document()})
    for name, content in files.items():
        Path(name).write_bytes(content)

    assert [Path(name).name for name in files] == ["permit.json", "permit.source.json", "permit.manifest-1.json"]
    assert SourceBoundAuthorizationV1.parse(files[path]) == GOOD
    beside = read_beside(path, GOOD, TABLE)
    assert beside.source == SOURCE
    assert beside.manifests[PAIR].manifest_digest_sha256 == MANIFEST.manifest_digest_sha256


@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"schema": "operatebench.source_identity.v1"}', b"x" * 100])
@pytest.mark.parametrize("name", ["permit.source.json", "permit.manifest-1.json"])
def test_what_is_damaged_beside_is_not_at_hand(name: str, content: bytes | None, tmp_path: Path) -> None:
    path = str(tmp_path / "permit.json")
    for place, text in files_of(path, GOOD, SOURCE, {PAIR: manifest_document()}).items():
        Path(place).write_bytes(text)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)

    beside = read_beside(path, GOOD, TABLE)

    assert (beside.source is None) == ("source" in name)
    assert (PAIR in beside.manifests) == ("source" in name)


def test_what_is_beside_but_not_bound_is_not_at_hand(tmp_path: Path) -> None:
    path = str(tmp_path / "permit.json")
    other = {"runtime_contract_content": {"/a/b": 1}}
    for place, text in files_of(path, GOOD, SOURCE, {PAIR: manifest_document(**other)}).items():
        Path(place).write_bytes(text)

    elsewhere = authorization(source_identity_digest_sha256="d" * 64)
    assert read_beside(path, GOOD, TABLE).manifests == {}
    assert read_beside(path, elsewhere, TABLE).source is None


def test_what_a_bundle_keeps(tmp_path: Path) -> None:
    admission = judged(GOOD, register(tmp_path))
    used = UsedAuthorization.of(admission)
    document = json.loads(json.dumps(used.to_wire()))

    assert document["admission"] == {
        "admitted_at": instant_text(NOW),
        "use_index": 1,
        "register_head": admission.use and admission.use.head,
        "unsigned": False,
    }
    assert UsedAuthorization.read(document, "authorization.json#") == used
    for change, code, path in (
        (lambda: document["admission"].update(unsigned=True), "malformed", "/admission/unsigned"),
        (lambda: document["admission"].update(unsigned=False, use_index=0), "malformed", "/admission/use_index"),
        (
            lambda: document["admission"].update(use_index=1, admitted_at="2026-02-30T00:00:00Z"),
            "malformed",
            "/admission/admitted_at",
        ),
        (
            lambda: document["admission"].update(admitted_at="2026-02-28T00:00:00Z", more=1),
            "malformed",
            "/admission/more",
        ),
        (
            lambda: (document["admission"].pop("more"), document["authorization"].update(serial=6)),
            "digest_mismatch",
            "/authorization/authorization_digest_sha256",
        ),
    ):
        change()
        with pytest.raises(AuthorizationError) as refused:
            UsedAuthorization.read(document, "authorization.json#")
        assert (refused.value.code, refused.value.path) == (code, f"authorization.json#{path}")


def test_an_admission_without_a_use_leaves_nothing_to_keep(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        UsedAuthorization.of(judged(GOOD, register(tmp_path), recorded=False))
    with pytest.raises(TypeError):
        Build(None, {}).live()
    assert SECOND_PAIR > PAIR
