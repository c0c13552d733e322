"""The source identity document: its digest made a second way, and every tampering refused at its place."""

import hashlib
import json
from typing import Any

import pytest

from operatebench.errors import ProvenanceError
from operatebench.provenance import SourceFile, SourceIdentityV1, read_source_identity
from tests.provenance.sites import FILES, TABLE

FILE_ROWS: list[dict[str, Any]] = [
    {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    for path, content in sorted(FILES.items())
]
IDENTITY = SourceIdentityV1.of(
    SourceFile(row["path"], row["size"], row["sha256"], TABLE.owner_of(row["path"])) for row in reversed(FILE_ROWS)
)


def digest_of(rows: list[dict[str, Any]]) -> str:
    name = "source_identity.v1"
    wrapper = {
        "content": {"files": rows},
        "domain": f"operatebench.digest.{name}",
        "schema": f"operatebench.{name}",
    }
    return hashlib.sha256(json.dumps(wrapper, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


def test_the_digest_is_that_of_the_ordered_list_under_its_label() -> None:
    assert IDENTITY.to_wire() == {
        "schema": "operatebench.source_identity.v1",
        "schema_version": 1,
        "files": FILE_ROWS,
        "source_identity_digest_sha256": digest_of(FILE_ROWS),
    }


def test_owners_are_no_part_of_it_and_each_has_an_identity_of_its_own() -> None:
    moved = SourceIdentityV1.of(SourceFile(file.path, file.size, file.sha256, "other") for file in IDENTITY.files)

    assert moved == IDENTITY
    assert [file.path for file in IDENTITY.of_owner("part").files] == ["a/b/two.json"]
    assert IDENTITY.of_owner("part").digest_sha256 == digest_of([FILE_ROWS[2]])
    assert FILE_ROWS[2]["path"] == "a/b/two.json"


def test_a_saved_document_is_read_back_and_owners_looked_up_again() -> None:
    document = json.loads(json.dumps(IDENTITY.to_wire()))
    document["files"].append({"path": "z/old.py", "size": 0, "sha256": hashlib.sha256(b"").hexdigest()})
    document["source_identity_digest_sha256"] = digest_of(document["files"])

    read = read_source_identity(document, TABLE)

    assert read_source_identity(IDENTITY.to_wire(), TABLE) == IDENTITY
    assert [file.owner for file in read.files] == ["root", "single", "part", "whole", "root", "unlisted"]


@pytest.mark.parametrize(
    ("place", "value", "code", "path"),
    [
        ((), [], "source_shape", ""),
        (("more",), 1, "source_shape", ""),
        (("schema",), "operatebench.source_identity.v2", "source_shape", "/schema"),
        (("schema_version",), 2, "source_shape", "/schema_version"),
        (("schema_version",), True, "source_shape", "/schema_version"),
        (("files",), [], "source_shape", "/files"),
        (("files",), {}, "source_shape", "/files"),
        (("files", 1), [], "source_shape", "/files/1"),
        (("files", 1, "owner"), "part", "source_shape", "/files/1"),
        (("files", 0, "path"), "../x.py", "source_shape", "/files/0/path"),
        (("files", 0, "path"), ["__init__.py"], "source_shape", "/files/0/path"),
        (("files", 1, "path"), "__init__.py", "source_shape", "/files/1/path"),
        (("files", 1, "path"), "A.py", "source_shape", "/files/1/path"),
        (("files", 1, "size"), -1, "source_shape", "/files/1/size"),
        (("files", 1, "size"), True, "source_shape", "/files/1/size"),
        (("files", 1, "sha256"), "0" * 63, "source_shape", "/files/1/sha256"),
        (("files", 1, "size"), 7, "source_digest", "/source_identity_digest_sha256"),
        (("files", 1, "sha256"), "0" * 64, "source_digest", "/source_identity_digest_sha256"),
        (("source_identity_digest_sha256",), "0" * 64, "source_digest", "/source_identity_digest_sha256"),
        (("source_identity_digest_sha256",), None, "source_digest", "/source_identity_digest_sha256"),
    ],
)
def test_a_tampered_document_is_refused(place: tuple[Any, ...], value: Any, code: str, path: str) -> None:
    document: Any = {"": IDENTITY.to_wire()}
    holder, last = document, ""
    for step in place:
        holder, last = holder[last], step
    holder[last] = value

    with pytest.raises(ProvenanceError) as refused:
        read_source_identity(document[""], TABLE)

    assert (refused.value.code, refused.value.path) == (code, path)
