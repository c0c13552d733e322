"""The admissions of the authority vectors: what is asked for, what the register has seen, and the reasons to expect."""

from copy import deepcopy
from typing import Any

from tests.conformance.authority_vectors import (
    CLOSES,
    MADE,
    NOON,
    OPENS,
    OPERATION,
    SETTINGS,
    bound_run,
    changed,
    fake,
    settings_digest,
)

Document = dict[str, Any]

LIVE: Document = {
    "source_identity_digest_sha256": fake("source"),
    "runs": [{**bound_run(name), "settings_digest_sha256": settings_digest(SETTINGS)} for name in ("V1", "V2")],
}
MOVED = {
    "runs/0/runtime_bundle_digest_sha256": fake("moved"),
    "runs/0/experiment_bundle_digest_sha256": fake("moved"),
    "runs/0/manifest_digest_sha256": fake("moved"),
}
LIVES: dict[str, Document] = {
    "here": {},
    "other_source": {"source_identity_digest_sha256": fake("moved")},
    "other_runtime_bundle": MOVED,
    "other_experiment_bundle": dict(list(MOVED.items())[1:]),
    "other_manifest": dict(list(MOVED.items())[2:]),
    "other_settings": {f"runs/{index}/settings_digest_sha256": fake("moved") for index in (0, 1)},
    "second_run_moved": {path.replace("/0/", "/1/"): value for path, value in MOVED.items()},
    "both_runs_moved": {**MOVED, **{path.replace("/0/", "/1/"): value for path, value in MOVED.items()}},
    "all_moved": {
        "source_identity_digest_sha256": fake("moved"),
        **MOVED,
        "runs/0/settings_digest_sha256": fake("moved"),
    },
}
REQUEST: Document = {
    "action": "run", "operation_id": OPERATION, "runs": [["V1", "agent"]], "episodes": 3, "provider_calls": 4
}  # fmt: skip
REQUESTS: dict[str, Document] = {
    "usual": {},
    "both_runs": {"runs": [["V1", "agent"], ["V2", "agent"]]},
    "nothing_much": {"episodes": 1, "provider_calls": 0},
    "other_action": {"action": "regrade"},
    "other_operation": {"operation_id": "another_operation"},
    "other_variant": {"runs": [["V3", "agent"]]},
    "other_agent": {"runs": [["V1", "another"]]},
    "one_run_outside": {"runs": [["V1", "agent"], ["V3", "agent"]]},
    "episode_too_many": {"episodes": 4},
    "call_too_many": {"provider_calls": 5},
    "too_many_of_both": {"episodes": 4, "provider_calls": 5},
    "all_wrong": {"operation_id": "another_operation", "episodes": 4},
}
TRUSTS: dict[str, Document] = {
    "issuer": {"issuers": [{"name": "operator", "key": "first"}, {"name": "operator", "key": "second"}]},
    "issuer_or_unsigned": {"issuers": [{"name": "operator", "key": "first"}], "allow_unsigned": True},
    "nobody": {},
    "unsigned_alone": {"allow_unsigned": True},
}


def table(base: Document, changes: dict[str, Document]) -> dict[str, Document]:
    return {name: changed(deepcopy(base), change) for name, change in changes.items()}


def admit(document: str, now: str = OPENS, **members: str) -> Document:
    return {"do": "admit", "document": document, "now": now, **members}


def revoke(document: str, now: str = OPENS) -> Document:
    return {"do": "revoke", "document": document, "now": now}


USED = [admit("good"), admit("good")]
BEFORE_MADE = "2032-01-31T23:59:59Z"
FORGED = "signed_by_another"

# name, document, members of the case, steps before (None: there is no register), the use index or the reasons
Row = tuple[str, str, Document, list[Document] | None, int | list[str]]
CASES: list[Row] = [
    # Admitted.
    ("first_use", "good", {}, [], 1),
    ("second_use", "good", {}, [admit("good")], 2),
    ("a_check_of_nothing_costs_no_use", "good", {}, [admit("good", request="episode_too_many")], 1),
    ("less_than_the_limits", "good", {"request": "nothing_much"}, [], 1),
    ("both_runs", "good", {"request": "both_runs"}, [], 1),
    ("unsigned_where_allowed", "unsigned", {"trust": "issuer_or_unsigned"}, [], 1),
    ("unsigned_where_nobody_is_trusted", "unsigned", {"trust": "unsigned_alone"}, [], 1),
    ("second_key_of_the_issuer", "of_second_key", {}, [], 1),
    ("null_digests_bind_nothing", "null_digests", {"live": "other_experiment_bundle"}, [], 1),
    ("what_is_not_asked_for_may_move", "good", {"live": "second_run_moved"}, [], 1),
    ("no_provider_calls", "no_provider_calls", {"request": "nothing_much"}, [], 1),
    # Time.
    ("a_second_before_it_opens", "good", {"now": "2032-02-28T23:59:59Z"}, [], ["not_yet_valid"]),
    ("as_it_opens", "good", {"now": OPENS}, [], 1),
    ("a_second_after_it_opens", "good", {"now": "2032-02-29T00:00:01Z"}, [], 1),
    ("a_second_before_it_closes", "good", {"now": "2032-02-29T23:59:59Z"}, [], 1),
    ("as_it_closes", "good", {"now": CLOSES}, [], ["expired"]),
    ("a_second_after_it_closes", "good", {"now": "2032-03-01T00:00:01Z"}, [], ["expired"]),
    ("window_of_no_length", "window_of_no_length", {}, [], ["expired"]),
    ("window_upside_down", "window_upside_down", {}, [], ["not_yet_valid", "expired"]),
    ("clock_as_before", "good", {"now": NOON}, [admit("good", NOON)], 2),
    ("clock_a_second_back", "good", {"now": "2032-02-29T11:59:59Z"}, [admit("good", NOON)], ["clock_rollback"]),
    ("clock_before_the_register", "good", {"now": BEFORE_MADE}, [], ["not_yet_valid", "clock_rollback"]),
    ("clock_before_a_refused_one", "good", {"now": OPENS}, [admit("serial_4", NOON, request="other_action")],
     ["clock_rollback"]),
    ("clock_before_a_forged_one", "good", {"now": OPENS}, [admit(FORGED, NOON)], 1),
    ("clock_before_a_revocation", "good", {"now": OPENS}, [revoke("unsigned", NOON)], ["clock_rollback"]),
    # Signatures.
    ("signed_by_another", FORGED, {}, [], ["signature_invalid"]),
    ("signature_one_bit_off", "signature_one_bit_off", {}, [], ["signature_invalid"]),
    ("signature_over_the_hex_of_the_digest", "signature_over_hex", {}, [], ["signature_invalid"]),
    ("forged_though_unsigned_ones_may_pass", FORGED, {"trust": "issuer_or_unsigned"}, [], ["signature_invalid"]),
    ("unsigned", "unsigned", {}, [], ["signature_required"]),
    ("signature_taken_away", "signature_taken_away", {}, [], ["signature_required"]),
    ("signature_taken_away_where_unsigned_may_pass", "signature_taken_away", {"trust": "issuer_or_unsigned"}, [],
     ["signature_required"]),
    ("stranger", "of_stranger", {}, [], ["issuer_unknown"]),
    ("trusted_key_of_another_name", "of_other_name", {}, [], ["issuer_unknown"]),
    ("signed_without_key_id", "signed_without_key_id", {}, [], ["issuer_unknown"]),
    ("nobody_is_trusted", "good", {"trust": "nobody"}, [], ["issuer_unknown"]),
    ("nobody_but_unsigned_ones", "good", {"trust": "unsigned_alone"}, [], ["issuer_unknown"]),
    ("forged_by_an_unknown_key", FORGED, {"trust": "nobody"}, [], ["issuer_unknown"]),
    # Serials.
    ("higher_serial_seen", "good", {}, [admit("serial_9")], ["superseded"]),
    ("lower_serial_seen", "good", {}, [admit("serial_4")], 1),
    ("largest_serial_seen", "serial_9", {}, [admit("largest_serial")], ["superseded"]),
    ("twin_seen", "good", {}, [admit("twin_of_the_serial")], ["superseded"]),
    ("twin_seen_later", "good", {}, [admit("good"), admit("twin_of_the_serial")], 2),
    ("higher_serial_expired_when_seen", "good", {}, [admit("serial_9_expired")], ["superseded"]),
    ("higher_serial_refused_when_seen", "good", {}, [admit("serial_9", live="all_moved")], ["superseded"]),
    ("higher_serial_forged", "good", {}, [admit("serial_9_signed_by_another")], 1),
    ("higher_serial_of_an_unknown_issuer", "good", {}, [admit("serial_9", trust="nobody")], 1),
    ("higher_serial_of_another_key", "good", {}, [admit("of_second_key_serial_9")], 1),
    ("higher_serial_of_a_stranger", "good", {}, [admit("of_stranger_serial_9")], 1),
    ("higher_serial_of_another_operation", "good", {}, [admit("serial_9_of_other_operation")], 1),
    ("higher_serial_unsigned", "good", {}, [admit("unsigned_serial_9", trust="issuer_or_unsigned")], 1),
    ("higher_serial_of_a_name_like_the_key", "good", {},
     [admit("unsigned_named_like_the_key", trust="issuer_or_unsigned")], 1),
    ("unsigned_supersedes_unsigned", "unsigned", {"trust": "unsigned_alone"},
     [admit("unsigned_serial_9", trust="unsigned_alone")], ["superseded"]),
    ("unsigned_not_allowed_supersedes_nothing", "unsigned", {"trust": "unsigned_alone"},
     [admit("unsigned_serial_9")], 1),
    ("superseded_after_a_use", "good", {}, [admit("good"), admit("serial_9")], ["superseded"]),
    # Revocations.
    ("revoked", "good", {}, [revoke("good")], ["revoked"]),
    ("revoked_after_a_use", "good", {}, [admit("good"), revoke("good")], ["revoked"]),
    ("another_is_revoked", "good", {}, [revoke("twin_of_the_serial")], 1),
    # Scope.
    ("other_action", "good", {"request": "other_action"}, [], ["scope_mismatch"]),
    ("other_operation", "good", {"request": "other_operation"}, [], ["scope_mismatch"]),
    ("other_variant", "good", {"request": "other_variant"}, [], ["scope_mismatch"]),
    ("other_agent", "good", {"request": "other_agent"}, [], ["scope_mismatch"]),
    ("one_run_outside", "good", {"request": "one_run_outside"}, [], ["scope_mismatch"]),
    # What moved.
    ("source_moved", "good", {"live": "other_source"}, [], ["source_identity_changed"]),
    ("runtime_bundle_moved", "good", {"live": "other_runtime_bundle"}, [],
     ["runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed"]),
    ("experiment_bundle_moved", "good", {"live": "other_experiment_bundle"}, [],
     ["experiment_bundle_changed", "manifest_changed"]),
    ("experiment_bundle_binds_alone", "null_manifest", {"live": "other_experiment_bundle"}, [],
     ["experiment_bundle_changed"]),
    ("manifest_moved", "good", {"live": "other_manifest"}, [], ["manifest_changed"]),
    ("runtime_bundle_binds_always", "null_digests", {"live": "other_runtime_bundle"}, [], ["runtime_bundle_changed"]),
    ("settings_moved", "good", {"live": "other_settings"}, [], ["settings_changed"]),
    ("settings_are_others", "empty_settings", {}, [], ["settings_changed"]),
    ("second_run_moved", "good", {"live": "second_run_moved", "request": "both_runs"}, [],
     ["runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed"]),
    ("both_runs_moved", "good", {"live": "both_runs_moved", "request": "both_runs"}, [],
     ["runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed"]),
    # Limits.
    ("uses_exhausted", "good", {}, USED, ["uses_exhausted"]),
    ("one_use_is_one", "one_use", {}, [admit("one_use")], ["uses_exhausted"]),
    ("uses_of_another_do_not_count", "serial_9", {}, USED, 1),
    ("episode_too_many", "good", {"request": "episode_too_many"}, [], ["limit_exceeded"]),
    ("call_too_many", "good", {"request": "call_too_many"}, [], ["limit_exceeded"]),
    ("too_many_of_both", "good", {"request": "too_many_of_both"}, [], ["limit_exceeded"]),
    ("no_provider_calls_is_none", "no_provider_calls", {}, [], ["limit_exceeded"]),
    # The register.
    ("register_missing", "good", {}, None, ["register_unavailable"]),
    ("register_missing_and_more", "good", {"now": CLOSES, "request": "all_wrong", "live": "all_moved"}, None,
     ["expired", "scope_mismatch", "source_identity_changed", "runtime_bundle_changed", "experiment_bundle_changed",
      "manifest_changed", "settings_changed", "limit_exceeded", "register_unavailable"]),
    # What stands alone, and everything at once.
    ("malformed_stands_alone", "serial_zero", {"live": "all_moved", "request": "all_wrong"}, None, ["malformed"]),
    ("digest_mismatch_stands_alone", "changed_afterwards", {"live": "all_moved", "request": "all_wrong"}, None,
     ["digest_mismatch"]),
    ("all_before_it_opens", FORGED, {"now": MADE, "live": "all_moved", "request": "all_wrong"},
     [*USED, admit("serial_9"), revoke("good")],
     ["signature_invalid", "not_yet_valid", "superseded", "revoked", "scope_mismatch", "source_identity_changed",
      "runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed", "settings_changed", "uses_exhausted",
      "limit_exceeded", "clock_rollback"]),
    ("all_after_it_closed", "signature_taken_away", {"now": CLOSES, "live": "all_moved", "request": "all_wrong"},
     [*USED, admit("serial_9"), revoke("good", "2033-01-01T00:00:00Z")],
     ["signature_required", "expired", "superseded", "revoked", "scope_mismatch", "source_identity_changed",
      "runtime_bundle_changed", "experiment_bundle_changed", "manifest_changed", "settings_changed", "uses_exhausted",
      "limit_exceeded", "clock_rollback"]),
]  # fmt: skip


def admissions() -> list[Document]:
    """Return the cases."""
    return [
        {
            "kind": "admit",
            "name": f"admit {name}",
            "document": document,
            "now": NOON,
            **members,
            "register": steps,
            "expect": {
                "reasons": result if isinstance(result, list) else [],
                "use_index": result if isinstance(result, int) else None,
            },
        }
        for name, document, members, steps, result in CASES
    ]
