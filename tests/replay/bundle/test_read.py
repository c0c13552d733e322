"""A bundle is exactly what it lists; anything else is refused, and refused before it is read where it is no file."""

import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.errors import BundleError, OperateBenchError
from operatebench.replay.bundle import Artifact, open_bundle, read_bundle
from operatebench.replay.bundle.artifact import require_generation
from operatebench.replay.bundle.contract import MAX_ARTIFACT_BYTES, MAX_LEDGER_BYTES
from operatebench.replay.bundle.read import bundle_of
from tests.replay.bundle.bundles import PATHS, WRITER, files, write_bundle
from tests.replay.permits import permit, used

SELF = "artifact_digest_sha256"
AUTHORIZED = "authorization_digest_sha256"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundles") / "run"
    write_bundle(path)
    return path


@pytest.fixture(scope="module")
def authorized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle with an authorization; what it says is for other checks."""
    path = tmp_path_factory.mktemp("bundles") / "run"
    write_bundle(path, authorization=used(permit()))
    return path


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    """Return a bundle that a test may damage."""
    shutil.copytree(original, tmp_path / "run")
    return tmp_path / "run"


def refusal(path: Path) -> tuple[str, str]:
    """Return code and place of the refusal of a bundle."""
    with pytest.raises(OperateBenchError) as refused:
        read_bundle(path)
    assert str(refused.value).isprintable()
    return refused.value.code, refused.value.path


def sealed(artifact: dict[str, Any]) -> bytes:
    """Return the file of an artifact with its digest made anew, a second way (replay contract, section 1)."""
    content = {name: value for name, value in artifact.items() if name != SELF}
    label = {"domain": "operatebench.digest.artifact.v9", "schema": "operatebench.artifact.v9", "content": content}
    artifact[SELF] = hashlib.sha256(encode_canonical_json(label)).hexdigest()
    return bytes(encode_canonical_json(artifact)) + b"\n"


def reseal(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change an artifact and seal it again, as a forger would."""
    artifact = json.loads((run / "artifact.json").read_bytes())
    change(artifact)
    (run / "artifact.json").write_bytes(sealed(artifact))


def test_a_bundle_is_read_as_it_was_written(original: Path) -> None:
    bundle = read_bundle(original)

    listed = json.loads((original / "artifact.json").read_bytes())
    assert sealed(listed.copy()) == (original / "artifact.json").read_bytes()
    assert bundle.artifact.to_wire() == listed
    assert bundle.artifact.to_bytes() == (original / "artifact.json").read_bytes()
    assert [member.path for member in bundle.artifact.members] == sorted(PATHS)
    assert bundle.artifact.writer == WRITER
    assert bundle.artifact.authorization_digest_sha256 is None
    for member in bundle.artifact.members:
        text = (original / member.path).read_bytes()
        assert bundle.texts[member.role] == text
        assert (member.size, member.digest_sha256) == (len(text), hashlib.sha256(text).hexdigest())
        assert member.role == "ledger" or bundle.documents[member.role] == json.loads(text)
    assert bundle.artifact.member("ledger").media_type == "application/x-ndjson"


def test_the_folder_may_be_named_by_a_link(original: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(original)

    assert read_bundle(tmp_path / "link").artifact == read_bundle(original).artifact


def test_opening_looks_at_the_artifact_alone(run: Path) -> None:
    (run / "evidence.json").unlink()

    with open_bundle(run) as opened:
        assert isinstance(opened.artifact, Artifact)


def flipped(text: bytes, position: int) -> bytes:
    """Return a text with one bit of it changed."""
    return text[:position] + bytes([text[position] ^ 1 << position % 8]) + text[position + 1 :]


def test_a_flipped_bit_at_any_position_is_refused(original: Path) -> None:
    listed = (original / "artifact.json").read_bytes()
    for position in range(len(listed)):
        with pytest.raises(BundleError):
            Artifact.parse(flipped(listed, position))

    bundle = read_bundle(original)
    for member in bundle.artifact.members:
        text = bundle.texts[member.role]
        for position in range(0, len(text), 7):  # tests/replay/verify/test_members.py tries every byte of another one
            changed = {**bundle.texts, member.role: flipped(text, position)}
            with pytest.raises(BundleError) as refused:
                bundle_of(bundle.artifact, lambda each, changed=changed: changed[each.role])  # type: ignore[misc]  # bound early
            assert (refused.value.code, refused.value.path) == ("member_digest", member.path)


def test_a_flipped_bit_on_disk_is_refused(run: Path) -> None:
    for name, text in files(run).items():
        for position in range(0, len(text), 97):
            (run / name).write_bytes(flipped(text, position))
            code, path = refusal(run)
            assert (code, path) == ("member_digest", name) or path.startswith("artifact.json#")
        (run / name).write_bytes(text)


@pytest.mark.parametrize("name", PATHS)
def test_a_member_that_is_missing_longer_or_shorter_is_refused(run: Path, name: str) -> None:
    text = (run / name).read_bytes()
    for other in (text + b"\n", text[:-1], b""):
        (run / name).write_bytes(other)
        assert refusal(run) == ("member_size", name)
    (run / name).unlink()
    assert refusal(run) == ("file_missing", name)


@pytest.mark.parametrize("place", ["more.json", "cards/more.json", ".hidden", "ledger.ndjson~"])
def test_what_is_not_listed_is_refused(run: Path, place: str) -> None:
    (run / place).write_bytes(b"{}\n")

    assert refusal(run) == ("member_unlisted", place)


def test_an_unlisted_folder_is_refused(run: Path) -> None:
    (run / "more").mkdir()

    assert refusal(run) == ("member_unlisted", "more")


@pytest.mark.parametrize("name", [*PATHS, "artifact.json"])
@pytest.mark.parametrize("kind", ["link", "pipe", "socket", "folder"])
def test_what_is_no_regular_file_is_refused_and_nothing_waits(
    run: Path, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = run / name
    real = place.rename(run.parent / "elsewhere")
    if kind == "link":
        place.symlink_to(real)
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        monkeypatch.chdir(place.parent)  # names of sockets are short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(place.name)

    assert refusal(run) == ("file_type", name)


def test_a_linked_folder_of_cards_is_refused(run: Path) -> None:
    (run / "cards").rename(run.parent / "elsewhere")
    (run / "cards").symlink_to(run.parent / "elsewhere")

    assert refusal(run) == ("file_type", "cards")


def test_a_device_is_no_bundle() -> None:
    assert refusal(Path("/dev/zero"))[0] == "file_type"


@pytest.mark.parametrize("name", [*PATHS, "artifact.json"])
def test_a_huge_file_is_refused_without_reading_it(run: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    os.truncate(run / name, 2**40)
    read: list[int] = []
    real = os.read

    def counting(descriptor: int, size: int) -> bytes:
        text = real(descriptor, size)
        read.append(len(text))
        return text

    monkeypatch.setattr(os, "read", counting)

    code, path = refusal(run)
    assert (code, path) == (("file_too_large" if name == "artifact.json" else "member_size"), name)
    assert sum(read) < 100_000


def test_huge_sizes_cannot_be_listed(run: Path) -> None:
    def claim(artifact: dict[str, Any]) -> None:
        artifact["members"][6]["size"] = MAX_LEDGER_BYTES + 1

    reseal(run, claim)
    assert refusal(run) == ("artifact_shape", "artifact.json#/members/6/size")

    def claim_less(artifact: dict[str, Any]) -> None:
        artifact["members"][6]["size"] = 1
        artifact["members"][7]["size"] = MAX_LEDGER_BYTES

    reseal(run, claim_less)
    assert refusal(run) == ("artifact_members", "artifact.json#/members/7/size")


@pytest.mark.parametrize(
    "path",
    ["../evidence.json", "/etc/passwd", "cards/../evidence.json", "./evidence.json", "evidence.json/", "", "a\0"],
)
def test_names_that_lead_elsewhere_cannot_be_listed(run: Path, path: str) -> None:
    reseal(run, lambda artifact: artifact["members"][5].update(path=path))

    assert refusal(run) == ("artifact_shape", "artifact.json#/members/5/path")


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (lambda listed: listed["members"].pop(), "artifact_members", "/members"),
        (lambda listed: listed["members"].append(listed["members"][0]), "artifact_members", "/members"),
        (lambda listed: listed["members"].reverse(), "artifact_members", "/members/0/role"),
        (lambda listed: listed["members"][0].update(role="variant_card"), "artifact_members", "/members/0/role"),
        (lambda listed: listed["members"][3].update(path="manifest.json"), "artifact_members", "/members/3/path"),
        (
            lambda listed: listed["members"][3].update(media_type="application/x-ndjson"),
            "artifact_members",
            "/members/3/media_type",
        ),
        (lambda listed: listed["members"][0].update(role="authorization"), "artifact_members", "/members/0/role"),
        (lambda listed: listed.update(authorization_digest_sha256="d" * 64), "artifact_members", "/members"),
        (lambda listed: listed.update(more=1), "artifact_shape", "/more"),
        (lambda listed: listed.pop("writer"), "artifact_shape", ""),
        (lambda listed: listed["writer"].update(version=None), "artifact_shape", "/writer/version"),
        (lambda listed: listed["ledger"].update(rows=-1), "artifact_shape", "/ledger/rows"),
        (lambda listed: listed["card_refs"].pop("variant"), "artifact_shape", "/card_refs"),
        (lambda listed: listed.update(schema="operatebench.artifact.v8"), "artifact_generation", "/schema"),
        (lambda listed: listed.update(schema_version=10), "artifact_generation", "/schema"),
        (lambda listed: listed.update(artifact_version=8), "artifact_generation", "/artifact_version"),
        (lambda listed: listed.update(artifact_version=8, cap=30.5), "artifact_generation", "/artifact_version"),
    ],
)
def test_a_resealed_artifact_that_breaks_a_rule_is_refused(
    run: Path, change: Callable[[dict[str, Any]], None], code: str, place: str
) -> None:
    reseal(run, change)

    assert refusal(run) == (code, f"artifact.json#{place}")


def test_an_authorization_beside_a_list_that_does_not_name_it_is_refused(run: Path) -> None:
    (run / "authorization.json").write_bytes(b"{}\n")

    assert refusal(run) == ("member_unlisted", "authorization.json")


def test_an_authorization_is_one_of_the_members(authorized: Path) -> None:
    bundle = read_bundle(authorized)

    assert [member.path for member in bundle.artifact.members] == sorted([*PATHS, "authorization.json"])
    assert bundle.artifact.authorization_digest_sha256 == permit().authorization_digest_sha256
    assert bundle.documents["authorization"] == used(permit()).to_wire()


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (lambda listed: listed.update(authorization_digest_sha256=None), "artifact_members", "/members"),
        (lambda listed: listed["members"].pop(0), "artifact_members", "/members"),
        (lambda listed: listed["members"].append(listed["members"].pop(0)), "artifact_members", "/members/0/role"),
        (lambda listed: listed["members"].insert(1, listed["members"].pop(0)), "artifact_members", "/members/0/role"),
        (lambda listed: listed["members"][0].update(path="manifest.json"), "artifact_members", "/members/0/path"),
        (lambda listed: listed.update(authorization_digest_sha256="A" * 64), "artifact_shape", f"/{AUTHORIZED}"),
    ],
    ids=["not named", "not listed", "at the end", "second", "another file", "no digest"],
)
def test_an_authorization_is_named_and_listed_in_its_place_or_not_at_all(
    authorized: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], code: str, place: str
) -> None:
    run = Path(shutil.copytree(authorized, tmp_path / "run"))
    reseal(run, change)

    assert refusal(run) == (code, f"artifact.json#{place}")


def test_an_authorization_with_any_bit_changed_or_none_at_all_is_refused(authorized: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(authorized, tmp_path / "run"))
    text = (run / "authorization.json").read_bytes()
    bundle = read_bundle(run)
    for position in range(len(text)):
        changed = {**bundle.texts, "authorization": flipped(text, position)}
        with pytest.raises(BundleError) as refused:
            bundle_of(bundle.artifact, lambda each, changed=changed: changed[each.role])  # type: ignore[misc]  # bound early
        assert (refused.value.code, refused.value.path) == ("member_digest", "authorization.json")
    (run / "authorization.json").write_bytes(flipped(text, 99))
    assert refusal(run) == ("member_digest", "authorization.json")
    (run / "authorization.json").unlink()
    assert refusal(run) == ("file_missing", "authorization.json")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "artifact_json"),
        (b"{", "artifact_json"),
        (b'{"a":1,"a":2}\n', "artifact_json"),
        (b'{"a":1.5}\n', "artifact_json"),
        (b"[" * 100_000, "artifact_limits"),
        (b"[" * 65 + b"]" * 65, "artifact_limits"),
        (b"{}\n", "artifact_shape"),
        (b"[]\n", "artifact_shape"),
    ],
)
def test_what_is_no_artifact_is_refused(run: Path, text: bytes, code: str) -> None:
    (run / "artifact.json").write_bytes(text)

    assert refusal(run)[0] == code


@pytest.mark.parametrize("change", [lambda text: b" " + text, lambda text: text[:-1], lambda text: text + b"\n"])
def test_another_layout_of_the_artifact_is_refused(run: Path, change: Callable[[bytes], bytes]) -> None:
    (run / "artifact.json").write_bytes(change((run / "artifact.json").read_bytes()))

    assert refusal(run) == ("artifact_canonical", "artifact.json#")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b'{"c": 1}\n', "member_canonical"),
        (b'{"c":1}', "member_canonical"),
        (b'{"c":1}\n\n', "member_canonical"),
        (b'{"c":1.5}\n', "member_json"),
        (b'{"c":\n', "member_json"),
        (b"[" * 65 + b"]" * 65 + b"\n", "member_limits"),
        (b"[" * 50_000, "member_limits"),
    ],
)
@pytest.mark.parametrize("index", [0, 3, 4, 5, 7])
def test_a_resealed_member_must_be_canonical_json(run: Path, text: bytes, code: str, index: int) -> None:
    (run / sorted(PATHS)[index]).write_bytes(text)
    digest = hashlib.sha256(text).hexdigest()
    reseal(run, lambda listed: listed["members"][index].update(size=len(text), digest_sha256=digest))

    found, path = refusal(run)
    assert (found, path.partition("#")[0]) == (code, sorted(PATHS)[index])


def test_what_has_a_ledger_alone_is_incomplete(run: Path, tmp_path: Path) -> None:
    (run / "artifact.json").unlink()
    assert refusal(run) == ("bundle_incomplete", str(run))

    (run / "ledger.ndjson").unlink()
    assert refusal(run) == ("not_a_bundle", str(run))
    assert refusal(tmp_path / "nothing") == ("file_missing", str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b'{"artifact_version": 8, "engine_version": "x", "cap": 30.0}', "artifact_generation"),
        (b'{"schema": "operatebench.artifact.v12"}', "artifact_generation"),
        (b'{"schema": "operatebench.episode.v1"}', "not_a_bundle"),
        (b"[]", "not_a_bundle"),
        (b"[" * 100_000, "not_a_bundle"),
        (b"\xff", "not_a_bundle"),
    ],
)
def test_a_file_is_no_bundle_and_an_earlier_generation_is_named(tmp_path: Path, text: bytes, code: str) -> None:
    (tmp_path / "artifact.json").write_bytes(text)

    assert refusal(tmp_path / "artifact.json")[0] == code


def test_a_huge_file_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.truncate(tmp_path / "file", MAX_ARTIFACT_BYTES + 1)

    assert refusal(tmp_path / "file")[0] == "file_too_large"
    require_generation(b'{"artifact_version": 8}'.ljust(MAX_ARTIFACT_BYTES + 1), "")  # passes: it is not parsed


def test_refusals_of_bundles_are_value_errors() -> None:
    assert issubclass(BundleError, ValueError)
