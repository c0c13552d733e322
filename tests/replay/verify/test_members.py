"""Whatever is changed in the folder of a bundle is found, be it one bit; listed again, it is found by what it says."""

import io
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import BundleError
from operatebench.replay.bundle import Artifact, read_bundle
from operatebench.replay.bundle.contract import AUTHORIZATION, PLACES
from operatebench.replay.bundle.read import bundle_of
from operatebench.replay.ledger import LedgerReader
from operatebench.replay.verify import State, Verdict, VerificationReport, Verifier
from tests.replay.verify.automaton import Automaton
from tests.replay.verify.runs import record, relist, text

PATHS = {role: place.path for role, place in PLACES.items() if role != AUTHORIZATION}


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run, tmp_path / "copy")


def failing(report: VerificationReport) -> tuple[str, str]:
    """Return the first failed check and its code, of a bundle that is refused."""
    assert report.verdict is Verdict.REFUSED
    failed = next(check for check in report.checks if check.state is State.FAILED)
    assert failed.refusal is not None
    return failed.number, failed.refusal.code


def flipped(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def test_every_flipped_byte_is_refused(run: Path, record_property: Callable[[str, object], None]) -> None:
    bundle = read_bundle(run)
    tried: Counter[str] = Counter()
    for member in bundle.artifact.members:
        alone = replace(bundle.artifact, members=(member,))
        for data in flipped(bundle.texts[member.role]):
            with pytest.raises(BundleError) as caught:
                bundle_of(alone, {member: data}.__getitem__)
            assert (caught.value.code, caught.value.path) == ("member_digest", member.path)
            tried[member.role] += 1
    for data in flipped((run / "artifact.json").read_bytes()):
        with pytest.raises(BundleError) as caught:
            Artifact.parse(data)
        assert caught.value.code.startswith("artifact_")
        tried["artifact"] += 1
    assert set(tried) == {*PATHS, "artifact"}
    record_property("flipped bytes", tried.total())
    print(f"{tried.total()} bytes flipped: {dict(tried)}")  # noqa: T201  (how much was tried)


@pytest.mark.parametrize("path", [*PATHS.values(), "artifact.json"])
def test_flipped_byte_on_disk(path: str, copy: Path, verifier: Verifier) -> None:
    data = bytearray((copy / path).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / path).write_bytes(data)
    number, code = failing(verifier.verify(copy))
    assert number == "1"
    assert code == "member_digest" if path != "artifact.json" else code.startswith("artifact_")


@pytest.mark.parametrize("role", PATHS)
def test_flipped_byte_that_is_listed(role: str, run: Path, copy: Path, verifier: Verifier) -> None:
    """With the list sealed again, no byte of a member can be another one, and nothing but a refusal comes of it."""
    bundle = read_bundle(run)
    data = bundle.texts[role]
    for at in range(7, len(data), max(1, len(data) // 12)):
        relist(copy, bundle, **{role: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]})
        report = verifier.verify(copy)
        assert report.verdict is Verdict.REFUSED, at
        assert failing(report)[0] in {"1", "2", "3", "4a", "5", "6", "9"}


@pytest.mark.parametrize("role", PATHS)
def test_removed(role: str, copy: Path, verifier: Verifier) -> None:
    (copy / PATHS[role]).unlink()
    assert failing(verifier.verify(copy)) == ("1", "file_missing")


@pytest.mark.parametrize("role", PATHS)
def test_renamed(role: str, copy: Path, verifier: Verifier) -> None:
    (copy / PATHS[role]).rename(copy / f"{PATHS[role]}.old")
    assert failing(verifier.verify(copy)) == ("1", "member_unlisted")


@pytest.mark.parametrize("role", PATHS)
def test_linked(role: str, run: Path, copy: Path, verifier: Verifier) -> None:
    (copy / PATHS[role]).unlink()
    (copy / PATHS[role]).symlink_to(run / PATHS[role])
    assert failing(verifier.verify(copy)) == ("1", "file_type")


@pytest.mark.parametrize("added", ["notes.txt", "cards/other.json", "manifest.json~", "more/"])
def test_added(added: str, copy: Path, verifier: Verifier) -> None:
    if added.endswith("/"):
        (copy / added).mkdir()
    else:
        (copy / added).touch()
    assert failing(verifier.verify(copy)) == ("1", "member_unlisted")


def test_authorization(copy: Path, verifier: Verifier) -> None:
    (copy / "authorization.json").write_text("{}\n")
    assert failing(verifier.verify(copy)) == ("1", "member_unlisted")


def test_swapped(copy: Path, verifier: Verifier) -> None:
    evidence, evaluation = copy / PATHS["evidence"], copy / PATHS["evaluation"]
    evidence.rename(copy / "x")
    evaluation.rename(evidence)
    (copy / "x").rename(evaluation)
    number, code = failing(verifier.verify(copy))
    assert (number, code) == ("1", "member_size")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (lambda path: (path / "artifact.json").unlink(), 1, "bundle_incomplete"),
        (shutil.rmtree, 1, "file_missing"),
        (lambda path: (path / "artifact.json").write_text("{"), 1, "artifact_json"),
        (lambda path: (path / "artifact.json").write_text('{"artifact_version": 8}'), 1, "artifact_generation"),
        (lambda path: (path / "artifact.json").write_text("{}\n"), 2, "artifact_shape"),
    ],
    ids=["incomplete", "nothing", "no JSON", "earlier generation", "another object"],
)
def test_no_bundle(change: Callable[[Path], object], status: int, code: str, copy: Path, verifier: Verifier) -> None:
    change(copy)
    report = verifier.verify(copy)
    assert failing(report) == ("1", code)
    assert report.exit_status == status
    assert {check.state for check in report.checks if check.number not in {"1", "8", "12"}} == {State.NOT_REACHED}


ROWS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "dropped row": (lambda lines: [*lines[:2], *lines[3:]], "ledger_index"),
    "row twice": (lambda lines: [*lines[:2], lines[1], *lines[2:]], "ledger_index"),
    "rows in another order": (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "ledger_index"),
    "cut tail": (lambda lines: lines[:-1], "ledger_incomplete"),
    "line after the end": (lambda lines: [*lines, lines[1]], "ledger_after_terminal"),
    "other bytes of a row": (
        lambda lines: [lines[0], lines[1].replace(b'"cost":1', b'"cost":2'), *lines[2:]],
        "ledger_digest",
    ),
    "header twice": (lambda lines: [lines[0], *lines], "ledger_record"),
}


@pytest.mark.parametrize("name", ROWS)
def test_ledger_lines(name: str, copy: Path, verifier: Verifier) -> None:
    edit, code = ROWS[name]
    relist(
        copy, read_bundle(copy), ledger=b"".join(edit((copy / PATHS["ledger"]).read_bytes().splitlines(keepends=True)))
    )
    assert failing(verifier.verify(copy)) == ("5", code)


WRONG: dict[str, Any] = {"null": None, "number": 1, "text": "x", "array": [], "object": {}, "array of objects": [{}]}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("role", PATHS)
def test_member_of_another_form(role: str, wrong: str, copy: Path, verifier: Verifier) -> None:
    relist(copy, read_bundle(copy), **{role: text(WRONG[wrong])})
    number, _ = failing(verifier.verify(copy))
    assert number == {"manifest": "4a", "census": "3", "evidence": "9", "evaluation": "6", "ledger": "5"}.get(role, "2")


def test_ledger_of_another_run(bound: Automaton, verifier: Verifier, copy: Path, tmp_path: Path) -> None:
    record(tmp_path / "other", bound, trial=1)
    relist(copy, read_bundle(copy), ledger=(tmp_path / "other" / PATHS["ledger"]).read_bytes())
    reader = LedgerReader(io.BytesIO((copy / PATHS["ledger"]).read_bytes()))
    assert reader.header.selection["trial"] == 1
    assert failing(verifier.verify(copy)) == ("6", "repeated_value_differs")
