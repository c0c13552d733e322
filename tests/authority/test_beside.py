"""The files beside an authorization, and what they let a refusal say: which files, owners and components moved."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import Build, Moved, SourceBoundAuthorizationV1, bound_run, files_of, read_beside
from operatebench.identity import parse_json
from operatebench.identity.comparison import MovedComponent
from operatebench.provenance import SourceChange
from tests.authority.builds import (
    BUILD,
    FILES,
    GOOD,
    MANIFEST,
    PAIR,
    PATHS,
    REQUEST,
    SECOND_PAIR,
    SOURCE,
    TABLE,
    authorization,
    judged,
    manifest,
    manifest_document,
    register,
    source,
)

ALL = ("source", "runtime_bundle", "experiment_bundle", "manifest", "settings")
BOTH = authorization(runs=(bound_run(SECOND_PAIR, MANIFEST), bound_run(PAIR, MANIFEST)))


def write(folder: Path, made: SourceBoundAuthorizationV1 = GOOD) -> str:
    """Write an authorization with what belongs beside it."""
    path = str(folder / "permit.json")
    documents = dict.fromkeys((PAIR, SECOND_PAIR), manifest_document())
    for name, content in files_of(path, made, SOURCE, documents).items():
        Path(name).write_bytes(content)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, BOTH)

    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "permit.json",
        "permit.manifest-1.json",
        "permit.manifest-2.json",
        "permit.source.json",
    ]
    assert SourceBoundAuthorizationV1.read(parse_json(Path(path).read_bytes()).value) == BOTH
    beside = read_beside(path, BOTH, TABLE)
    assert beside.source == SOURCE
    assert {pair: each.manifest_digest_sha256 for pair, each in beside.manifests.items()} == dict.fromkeys(
        (PAIR, SECOND_PAIR), MANIFEST.manifest_digest_sha256
    )


def test_one_byte_of_any_file_is_named_and_restoring_it_admits_again(tmp_path: Path) -> None:
    beside = read_beside(write(tmp_path), GOOD, TABLE)
    book = register(tmp_path)

    for path in PATHS:
        changed = Build(source({**FILES, path: FILES[path][:-1] + b"\0"}), BUILD.manifests)
        admission = judged(GOOD, book, build=changed, beside=beside)

        assert admission.reasons == ("source_identity_changed",)
        assert admission.moved is not None
        assert admission.moved.source is not None
        assert admission.moved.source.changes == (SourceChange(path, "changed", TABLE.owner_of(path)),)
        assert admission.moved.unchanged == ALL[1:]
    restored = judged(GOOD, book, build=Build(source(), BUILD.manifests), beside=beside)
    assert restored.admitted
    assert restored.moved is not None
    assert restored.moved.source is not None
    assert (restored.moved.source.changes, restored.moved.unchanged) == ((), ALL)


def test_components_that_moved_are_named_and_the_settings_are_not(tmp_path: Path) -> None:
    beside = read_beside(write(tmp_path), GOOD, TABLE)
    moved = Build(SOURCE, {PAIR: manifest(runtime_contract_content={"/fixture/runtime_contract_content": -1})})

    admission = judged(GOOD, register(tmp_path), build=moved, beside=beside)

    assert admission.reasons == ("runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed")
    assert admission.moved is not None
    comparison = admission.moved.runs[PAIR]
    assert comparison is not None
    assert comparison.other_contents == ("runtime_contract_content",)
    assert comparison.moved[0] == MovedComponent("runtime_contract_content", ("/fixture/runtime_contract_content",))
    assert comparison.bundles == ("runtime_bundle", "experiment_bundle")
    assert admission.moved.unchanged == ("source", "settings")
    wire = admission.moved.to_wire()
    assert wire["runs"] == [{"variant_id": "V1", "agent_id": "agent", "comparison": comparison.to_wire()}]
    assert (wire["source"], wire["unchanged"]) == ({"changes": [], "owners": {}}, ["source", "settings"])


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"size":', b'"size":1', 1).replace(b'"schema_version":1', b'"x":1', 1))


@pytest.mark.parametrize(
    "spoil",
    [
        Path.unlink,
        damage,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"[" * 100_000),
        lambda path: path.write_bytes(b'{"components": []}'),
        lambda path: path.write_bytes(b"\xff"),
        lambda path: path.write_bytes(b"null"),
        lambda path: (path.unlink(), path.mkdir()),
        make_pipe,
        lambda path: (path.unlink(), path.symlink_to(path.name)),
    ],
)
def test_what_is_missing_or_damaged_is_not_at_hand(tmp_path: Path, spoil: Callable[[Path], Any]) -> None:
    path = write(tmp_path)
    spoil(tmp_path / "permit.source.json")
    spoil(tmp_path / "permit.manifest-1.json")

    beside = read_beside(path, GOOD, TABLE)

    assert beside == Build(None, {})
    admission = judged(GOOD, register(tmp_path), build=Build(source({}), BUILD.manifests), beside=beside)
    assert admission.reasons == ("source_identity_changed",)
    assert admission.moved == Moved(None, {PAIR: None}, ALL[1:])
    assert admission.moved.to_wire() == {
        "source": None,
        "runs": [{"variant_id": "V1", "agent_id": "agent", "comparison": None}],
        "unchanged": list(ALL[1:]),
    }


def test_what_is_sound_but_not_bound_is_not_at_hand(tmp_path: Path) -> None:
    other = authorization(source_identity_digest_sha256="1" * 64, runs=(bound_run(PAIR, manifest(variant_content={})),))

    assert read_beside(write(tmp_path), other, TABLE) == Build(None, {})


def test_only_what_is_asked_for_and_bound_is_compared() -> None:
    moved = Moved.since(BOTH, Build(None, {}), BUILD, sorted(REQUEST.pairs))
    nothing = Moved.since(GOOD, Build(None, {}), BUILD, [SECOND_PAIR])

    assert (list(moved.runs), moved.unchanged) == ([PAIR], ALL)
    assert (nothing.runs, nothing.unchanged) == ({}, ("source",))
