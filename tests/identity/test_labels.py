"""A labelled digest is the SHA-256 of the three-member wrapper, made a second way."""

import hashlib
import json

import pytest

from operatebench.identity.admission import admit
from operatebench.identity.labels import labelled, labelled_digest


@pytest.mark.parametrize("content", [{}, [], "ä", None, {"b": [1, True], "a": {}}, ["x" * 20_000]])
@pytest.mark.parametrize(("schema", "named"), [(None, "line.v1"), ("ledger.v1", "ledger.v1")])
def test_digest(content: object, schema: str | None, named: str) -> None:
    piece = admit(content).canonical
    wrapper = {"content": content, "domain": "operatebench.digest.line.v1", "schema": f"operatebench.{named}"}
    text = json.dumps(wrapper, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()

    assert bytes(labelled("line.v1", piece, schema)) == text
    assert labelled_digest("line.v1", piece, schema) == hashlib.sha256(text).hexdigest()
