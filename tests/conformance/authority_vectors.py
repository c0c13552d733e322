"""Authorizations and rows of a register for the authority vectors, digested and signed with code of their own.

What is expected of each stands beside it, as the contract has it.
"""

import base64
import hashlib
import json
from copy import deepcopy
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEEDS = {
    "first": "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "second": "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "stranger": "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
}
"""The secret keys of tests 1 to 3 in RFC 8032, section 7.1: public, so good for nothing but tests."""
KEYS = {name: Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed)) for name, seed in SEEDS.items()}
_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo

OPENS, NOON, CLOSES = "2032-02-29T00:00:00Z", "2032-02-29T12:00:00Z", "2032-03-01T00:00:00Z"
MADE = "2032-02-01T00:00:00Z"
OPERATION = "operation_of_vectors"
DIGEST = "authorization_digest_sha256"

Document = dict[str, Any]


def canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fake(what: str) -> str:
    return sha256(what.encode())


def key_id(key: str) -> str:
    return sha256(KEYS[key].public_key().public_bytes(serialization.Encoding.DER, _SPKI))


def settings_digest(settings: Any) -> str:
    domain = "operatebench.digest.component.provider_run_plan_content.v1"
    return sha256(canonical({"domain": domain, "schema": "operatebench.component_identity.v1", "content": settings}))


def signed_bytes(document: Document) -> bytes:
    content = {name: value for name, value in document.items() if name not in (DIGEST, "signature")}
    domain, schema = "operatebench.digest.source_bound_authorization.v1", "operatebench.source_bound_authorization.v1"
    return canonical({"domain": domain, "schema": schema, "content": content})


def bound_run(variant: str, agent: str = "agent") -> Document:
    return {
        "variant_id": variant,
        "agent_id": agent,
        **{f"{name}_digest_sha256": fake(f"{name} {variant}") for name in ("runtime_bundle", "experiment_bundle")},
        "manifest_digest_sha256": fake(f"manifest {variant}"),
    }


SETTINGS = {"/plan/kind": "none", "/plan/note": "naïve, 検査済み", "/plan/tries": [1, None, True]}


def changed(document: Document, changes: Document) -> Document:
    """Return a copy with other values at `a/b` paths; ... takes the member away."""
    made = deepcopy(document)
    for path, value in changes.items():
        *parents, last = (int(step) if step.isdigit() else step for step in path.split("/"))
        holder: Any = made
        for step in parents:
            holder = holder[step]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return made


def sealed(key: str | None = "first", /, **changes: Any) -> Document:
    """Return an authorization with changes, `__` for a step, digested and signed as they are."""
    document = {
        "schema": "operatebench.source_bound_authorization.v1",
        "schema_version": 1,
        "authorization_id": f"auth_{0:032x}",
        "serial": 5,
        "scope": {"action": "run", "operation_id": OPERATION},
        "bound": {
            "source_identity_digest_sha256": fake("source"),
            "runs": [bound_run("V1"), bound_run("V2")],
            "settings_digest_sha256": settings_digest(SETTINGS),
        },
        "settings": SETTINGS,
        "limits": {"max_uses": 2, "max_episodes": 3, "max_provider_calls": 4},
        "issued_at": MADE,
        "not_before": OPENS,
        "expires_at": CLOSES,
        "issuer": {"name": "operator", "key_id": key and key_id(key)},
        "signature": None,
    }
    document = changed(document, {path.replace("__", "/"): value for path, value in changes.items()})
    document[DIGEST] = sha256(signed_bytes(document))
    if key is not None:
        document["signature"] = signature(KEYS[key].sign(signed_bytes(document)))
    return document


def signature(data: bytes) -> Document:
    return {"algorithm": "ed25519", "signature_base64": base64.b64encode(data).decode()}


GOOD = sealed()
NULLED = [{**bound_run("V1"), "experiment_bundle_digest_sha256": None, "manifest_digest_sha256": None}]
_TEXT = GOOD["signature"]["signature_base64"]
_SIGNED = base64.b64decode(_TEXT)


def resigned(text: Any) -> Document:
    return changed(GOOD, {"signature/signature_base64": text})


SOUND: dict[str, Document] = {
    "good": GOOD,
    "unsigned": sealed(None),
    "unsigned_serial_9": sealed(None, serial=9),
    "unsigned_named_like_the_key": sealed(None, serial=9, issuer__name=key_id("first")),
    "signature_taken_away": changed(GOOD, {"signature": None}),
    "signed_without_key_id": sealed("first", issuer__key_id=None),
    "signed_by_another": changed(GOOD, {"signature": signature(KEYS["second"].sign(signed_bytes(GOOD)))}),
    "signature_over_hex": changed(GOOD, {"signature": signature(KEYS["first"].sign(GOOD[DIGEST].encode()))}),
    "signature_one_bit_off": changed(GOOD, {"signature": signature(bytes([_SIGNED[0] ^ 1]) + _SIGNED[1:])}),
    "of_second_key": sealed("second"),
    "of_second_key_serial_9": sealed("second", serial=9),
    "of_stranger": sealed("stranger"),
    "of_stranger_serial_9": sealed("stranger", serial=9),
    "of_other_name": sealed("first", issuer__name="somebody"),
    "serial_4": sealed(serial=4),
    "serial_9": sealed(serial=9),
    "serial_9_expired": sealed(serial=9, not_before=MADE, expires_at="2032-02-02T00:00:00Z"),
    "serial_9_signed_by_another": changed(sealed(serial=9), {"signature": GOOD["signature"]}),
    "serial_9_of_other_operation": sealed(serial=9, scope__operation_id="another_operation"),
    "twin_of_the_serial": sealed(authorization_id=f"auth_{1:032x}"),
    "largest_serial": sealed(serial=2**53 - 1),
    "null_digests": sealed(bound__runs=NULLED),
    "null_manifest": sealed(bound__runs__0__manifest_digest_sha256=None),
    "one_use": sealed(limits__max_uses=1),
    "no_provider_calls": sealed(limits__max_provider_calls=0),
    "empty_settings": sealed(settings={}, bound__settings_digest_sha256=settings_digest({})),
    "window_upside_down": sealed(not_before=CLOSES, expires_at=OPENS),
    "window_of_no_length": sealed(not_before=NOON, expires_at=NOON),
    "runs_by_code_point": sealed(
        bound__runs=[bound_run("V10"), bound_run("V2"), bound_run("a"), bound_run("\U00010000")]
    ),
    "runs_of_one_variant": sealed(bound__runs=[bound_run("V1", "a"), bound_run("V1", "b")]),
}  # fmt: skip
"""Authorizations that are read."""

REFUSED: dict[str, tuple[Document, str, str]] = {
    **{f"serial_{name}": (sealed(serial=value), "malformed", "/serial") for name, value in {
        "zero": 0, "negative": -1, "true": True, "text": "5", "null": None, "list": [5], "too_large": 2**53,
    }.items()},
    **{f"signature_{name}": (resigned(text), "malformed", "/signature/signature_base64") for name, text in {
        "without_padding": _TEXT[:-2], "with_one_pad": _TEXT[:-1], "with_a_space": _TEXT[:40] + " " + _TEXT[41:],
        "with_a_line_feed": _TEXT + "\n", "of_63_bytes": base64.b64encode(_SIGNED[:63]).decode(),
        "of_65_bytes": base64.b64encode(_SIGNED + b"\0").decode(), "in_hex": _SIGNED.hex(), "empty": "",
        "with_bits_behind_its_end": _TEXT[:85] + {"A": "B", "Q": "R", "g": "h", "w": "x"}[_TEXT[85]] + "==",
        "in_the_url_alphabet": "-_" + _TEXT[2:], "null": None,
    }.items()},
    **{f"instant_{name}": (sealed(not_before=text), "malformed", "/not_before") for name, text in {
        "29_february_of_a_common_year": "2031-02-29T00:00:00Z", "30_february": "2032-02-30T00:00:00Z",
        "29_february_2100": "2100-02-29T00:00:00Z", "31_april": "2032-04-31T00:00:00Z",
        "leap_second": "2016-12-31T23:59:60Z", "hour_24": "2032-02-29T24:00:00Z",
        "with_fraction": "2032-02-29T00:00:00.0Z",
        "with_offset": "2032-02-29T00:00:00+00:00", "lowercase": "2032-02-29t00:00:00z",
        "without_zone": "2032-02-29T00:00:00",
        "date": "2032-02-29", "number": 1_961_625_600, "month_13": "2032-13-01T00:00:00Z", "line_feed": OPENS + "\n",
    }.items()},
    "runs_empty": (sealed(bound__runs=[]), "malformed", "/bound/runs"),
    "runs_unsorted": (sealed(bound__runs=[bound_run("V2"), bound_run("V1")]), "malformed", "/bound/runs/1"),
    "runs_twice": (sealed(bound__runs=[bound_run("V1"), bound_run("V1")]), "malformed", "/bound/runs/1"),
    "runs_agents_unsorted": (sealed(bound__runs=[bound_run("V1", "b"), bound_run("V1", "a")]), "malformed",
                             "/bound/runs/1"),
    "runs_sorted_as_numbers": (sealed(bound__runs=[bound_run("V2"), bound_run("V10")]), "malformed", "/bound/runs/1"),
    "runtime_bundle_null": (sealed(bound__runs__0__runtime_bundle_digest_sha256=None), "malformed",
                            "/bound/runs/0/runtime_bundle_digest_sha256"),
    "digest_in_capitals": (sealed(bound__source_identity_digest_sha256=fake("source").upper()), "malformed",
                           "/bound/source_identity_digest_sha256"),
    "id_too_short": (sealed(authorization_id="auth_0"), "malformed", "/authorization_id"),
    "action_unknown": (sealed(scope__action="verify"), "malformed", "/scope/action"),
    "uses_zero": (sealed(limits__max_uses=0), "malformed", "/limits/max_uses"),
    "episodes_zero": (sealed(limits__max_episodes=0), "malformed", "/limits/max_episodes"),
    "calls_negative": (sealed(limits__max_provider_calls=-1), "malformed", "/limits/max_provider_calls"),
    "schema_version_true": (sealed(schema_version=True), "malformed", "/schema_version"),
    "schema_other": (sealed(schema="operatebench.source_bound_authorization.v2"), "malformed", "/schema"),
    "member_beside": (sealed(extra=None), "malformed", "/extra"),
    "member_beside_in_issuer": (sealed(issuer__email=""), "malformed", "/issuer/email"),
    "member_missing": (sealed(serial=...), "malformed", ""),
    "signature_missing": (changed(GOOD, {"signature": ...}), "malformed", ""),
    "algorithm_other": (changed(GOOD, {"signature/algorithm": "ed448"}), "malformed", "/signature/algorithm"),
    "settings_list": (sealed(settings=[]), "malformed", "/settings"),
    "digest_of_another": (changed(GOOD, {DIGEST: fake("another")}), "digest_mismatch", f"/{DIGEST}"),
    "changed_afterwards": (changed(GOOD, {"limits/max_uses": 3}), "digest_mismatch", f"/{DIGEST}"),
    "settings_changed_afterwards": (sealed(settings={"/plan/kind": "live"}), "digest_mismatch",
                                    "/bound/settings_digest_sha256"),
    "settings_digest_without_label": (sealed(bound__settings_digest_sha256=sha256(canonical(SETTINGS))),
                                      "digest_mismatch",
                                      "/bound/settings_digest_sha256"),
}  # fmt: skip
"""Name -> an authorization with one fault, digested and signed as it is; the code; where."""


def chain_row(rows: list[Document], kind: str, **members: Any) -> Document:
    """Return a row, digested as it is, behind others."""
    absent = dict.fromkeys((DIGEST, "issuer", "action", "operation_id", "serial", "use_index"))
    row = {
        "position": len(rows),
        "kind": kind,
        "at": NOON,
        **absent,
        "previous_digest_sha256": rows[-1]["row_digest_sha256"] if rows else "0" * 64,
        **members,
    }
    return {**row, "row_digest_sha256": row_digest(row)}


def row_digest(row: Document) -> str:
    domain, schema = "operatebench.digest.authorization_register.row.v1", "operatebench.authorization_register.v1"
    content = {name: value for name, value in row.items() if name != "row_digest_sha256"}
    return sha256(canonical({"domain": domain, "schema": schema, "content": content}))


def chain(*rows: tuple[str, Document]) -> list[Document]:
    made: list[Document] = []
    for kind, members in rows:
        made.append(chain_row(made, kind, **members))
    return made


def seen(what: str, serial: int, issuer: str = "") -> tuple[str, Document]:
    members = {"issuer": issuer or key_id("first"), "action": "run", "operation_id": OPERATION, "serial": serial}
    return "seen", {DIGEST: fake(what), **members}


def use(what: str, index: Any) -> tuple[str, Document]:
    return "use", {DIGEST: fake(what), "use_index": index}


GENESIS: tuple[str, Document] = ("genesis", {"at": MADE})
REVOKE: tuple[str, Document] = ("revoke", {DIGEST: fake("a")})
ALL = chain(GENESIS, seen("a", 1), use("a", 1), seen("b", 2), use("a", 2), use("b", 1), REVOKE)
CHAINS: dict[str, tuple[list[Document], int | None]] = {
    "all_kinds": (ALL, None),
    "genesis_alone": (ALL[:1], None),
    "instants_go_back": (chain(GENESIS, ("revoke", {DIGEST: fake("a"), "at": "2031-01-01T00:00:00Z"})), None),
    "one_serial_of_two_issuers": (chain(GENESIS, seen("a", 1), seen("b", 1, "unsigned:operator")), None),
    "revoked_unseen": (chain(GENESIS, REVOKE), None),
    "empty": ([], 0),
    "no_genesis": (chain(seen("a", 1)), 0),
    "second_genesis": (chain(GENESIS, GENESIS), 1),
    "unknown_kind": (chain(GENESIS, ("note", {})), 1),
    "row_changed": (changed({"r": ALL}, {"r/2/at": MADE})["r"], 2),
    "row_changed_and_digested_anew": ([*ALL[:2], chain_row(ALL[:2], "use", at=MADE, **use("a", 1)[1]), *ALL[3:]], 3),
    "row_left_out": ([*ALL[:3], *ALL[4:]], 3),
    "rows_swapped": ([*ALL[:3], ALL[4], ALL[3], *ALL[5:]], 3),
    "digest_changed": (changed({"r": ALL}, {"r/6/row_digest_sha256": "0" * 64})["r"], 6),
    "first_previous_not_zeros": (chain(("genesis", {"previous_digest_sha256": fake("x")})), 0),
    "position_from_one": (chain(("genesis", {"position": 1})), 0),
    "use_from_zero": (chain(GENESIS, seen("a", 1), use("a", 0)), 2),
    "use_left_out": (chain(GENESIS, seen("a", 1), use("a", 1), use("a", 3)), 3),
    "use_twice": (chain(GENESIS, seen("a", 1), use("a", 1), use("a", 1)), 3),
    "use_without_index": (chain(GENESIS, seen("a", 1), use("a", None)), 2),
    "seen_twice": (chain(GENESIS, seen("a", 1), seen("a", 2)), 2),
    "serial_twice": (chain(GENESIS, seen("a", 1), seen("b", 1)), 2),
    "revoked_twice": (chain(GENESIS, REVOKE, REVOKE), 2),
}
"""Name -> rows, and the first wrong one; None for none."""
