"""What a run bundle keeps of the authorization that its run used: read back equal, and refused at its place."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import Trust, UsedAuthorization
from operatebench.errors import AuthorizationError
from tests.authority.builds import GOOD, NOW, TRUST, authorization, judged, register


def used(folder: Path, *, key: bool = True) -> UsedAuthorization:
    made = GOOD if key else authorization(key=None)
    trust = TRUST if key else Trust(allow_unsigned=True)
    return UsedAuthorization.of(judged(made, register(folder), now=NOW + timedelta(microseconds=1), trust=trust))


@pytest.mark.parametrize("key", [True, False])
def test_it_is_read_back_equal(tmp_path: Path, key: bool) -> None:
    kept = used(tmp_path, key=key)
    document = json.loads(json.dumps(kept.to_wire()))

    assert UsedAuthorization.read(document, "") == kept
    assert document["admission"] == {
        "admitted_at": "2026-01-01T12:00:00Z",
        "use_index": 1,
        "register_head": kept.register_head,
        "unsigned": not key,
    }


def test_what_recorded_no_use_is_not_kept(tmp_path: Path) -> None:
    book = register(tmp_path)

    for admission in (judged(GOOD, book, recorded=False), judged(GOOD, book, now=NOW - timedelta(9)), judged(1, book)):
        with pytest.raises(TypeError, match="an admission that recorded a use"):
            UsedAuthorization.of(admission)


@pytest.mark.parametrize(
    ("place", "value", "refusal"),
    [
        (("more",), 1, ("malformed", "at#/more", "no undeclared member", "1")),
        (("admission", "use_index"), 0, ("malformed", "at#/admission/use_index", "at least 1", "0")),
        (("admission", "register_head"), "x", ("malformed", "at#/admission/register_head", "", '"x"')),
        (("admission", "unsigned"), True, ("malformed", "at#/admission/unsigned", "false", "true")),
        (("admission", "unsigned"), 0, ("malformed", "at#/admission/unsigned", "boolean", "0")),
        (
            ("admission", "admitted_at"),
            "2026-02-30T00:00:00Z",
            ("malformed", "at#/admission/admitted_at", "an instant that exists", '"2026-02-30T00:00:00Z"'),
        ),
        (("authorization", "serial"), 0, ("malformed", "at#/authorization/serial", "at least 1", "0")),
        (
            ("authorization", "serial"),
            6,
            (
                "digest_mismatch",
                "at#/authorization/authorization_digest_sha256",
                "",
                f'"{GOOD.authorization_digest_sha256}"',
            ),
        ),
    ],
)
def test_every_fault_is_named(
    tmp_path: Path, place: tuple[str, ...], value: Any, refusal: tuple[str, str, str, str]
) -> None:
    document = json.loads(json.dumps(used(tmp_path).to_wire()))
    holder = document
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value

    with pytest.raises(AuthorizationError) as caught:
        UsedAuthorization.read(document, "at#")

    code, path, expected, actual = refusal
    assert (caught.value.code, caught.value.path, caught.value.actual) == (code, path, actual)
    assert expected in caught.value.expected
