"""Both published goldens, and that nothing in them can be taken away or replaced."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.replay.evidence import (
    EvidenceError,
    ExecutedRuntimeEvidenceV1,
    content_digest,
    parse_evidence,
    recompute_evidence_digest,
    validate_evidence,
)
from operatebench.replay.evidence.digest import wrapper
from tests.replay.evidence.documents import (
    EMPTY_ARRAY,
    EMPTY_OBJECT,
    NON_NULL_DIGEST,
    NULL_DIGEST,
    SELF,
    Evidence,
    paths,
    provider_non_null,
    provider_null,
)

GOLDENS = [(provider_null, 1_379, NULL_DIGEST), (provider_non_null, 2_415, NON_NULL_DIGEST)]


def read_text(evidence: Evidence) -> ExecutedRuntimeEvidenceV1:
    """Read evidence as canonical text."""
    return parse_evidence(encode_canonical_json(evidence))


@pytest.mark.parametrize("read", [validate_evidence, read_text])
@pytest.mark.parametrize(("golden", "size", "digest"), GOLDENS)
def test_golden_has_its_published_bytes_and_digest(
    golden: Callable[[], Evidence], size: int, digest: str, read: Callable[[Evidence], ExecutedRuntimeEvidenceV1]
) -> None:
    evidence = read(golden())

    assert evidence.runtime_evidence_digest_sha256 == digest
    data = wrapper(evidence.to_wire())
    assert (len(data), hashlib.sha256(data).hexdigest()) == (size, digest)
    assert recompute_evidence_digest(golden()) == digest
    assert evidence.to_wire() == golden()
    assert evidence.to_bytes() == encode_canonical_json(golden())


def test_anchors() -> None:
    assert (content_digest({}), content_digest([])) == (EMPTY_OBJECT, EMPTY_ARRAY)


def other(value: Any) -> Any:
    """Another value of the same type, or 0 for null."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "z"
    return type(value)() if value else [None] if isinstance(value, list) else {"unowned": 1}


def deleted(holder: Any, token: Any) -> None:
    """Take a member or item away."""
    del holder[token]


def substituted(holder: Any, token: Any) -> None:
    """Put another value in its place."""
    holder[token] = other(holder[token])


@pytest.mark.parametrize("change", [deleted, substituted])
@pytest.mark.parametrize(("golden", "count"), [(provider_null, 39), (provider_non_null, 71)])
def test_every_change_is_refused_and_all_but_one_move_the_bytes(
    golden: Callable[[], Evidence], count: int, change: Callable[[Any, Any], None]
) -> None:
    original, bytes_before = golden(), wrapper(golden())
    unmoved = []
    for path in paths(original):
        *parents, last = path
        changed = copy.deepcopy(original)
        holder: Any = changed
        for token in parents:
            holder = holder[token]
        change(holder, last)
        for read in (validate_evidence, read_text):
            with pytest.raises(EvidenceError):
                read(changed)
        if wrapper(changed) == bytes_before:
            unmoved.append(path)

    assert unmoved == [(SELF,)]
    assert len(list(paths(original))) == count
