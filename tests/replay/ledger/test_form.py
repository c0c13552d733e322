"""Values in header and terminal line have the form of the contract, or are refused with their place."""

import json
from typing import Any

import pytest

from operatebench.errors import LedgerError
from operatebench.replay.ledger import LedgerReader
from tests.replay.ledger.ledgers import HEADER, stream, text_of, whole


def refusal(data: bytes) -> LedgerError:
    with pytest.raises(LedgerError) as refused:
        list(LedgerReader(stream(data)))
    return refused.value


VALUES: dict[str, tuple[str, Any]] = {
    "version": ("/schema_version", 2),
    "version as truth": ("/schema_version", True),
    "instance": ("/operation_instance_id", f"opinst_{'0A' * 16}"),
    "instance with line end": ("/operation_instance_id", f"opinst_{'0a' * 16}\n"),
    "manifest": ("/identity_manifest_digest_sha256", "0" * 63),
    "runtime": ("/runtime_bundle_digest_sha256", None),
    "experiment": ("/experiment_bundle_digest_sha256", 5),
    "selection": ("/selection", []),
    "selection member": ("/selection", {**HEADER["selection"], "more": ""}),
    "selection without track": ("/selection", {k: v for k, v in HEADER["selection"].items() if k != "track"}),
    "empty id": ("/selection/agent_id", ""),
    "long id": ("/selection/operation_id", "x" * 257),
    "trial": ("/selection/trial", -1),
    "trial as truth": ("/selection/trial", False),
    "cards": ("/card_refs", {}),
    "card literal": ("/card_refs/variant/schema", "operatebench.operation_card.v1"),
    "card id": ("/card_refs/operation/id", "EM"),
    "card id with line end": ("/card_refs/operation/id", "em\n"),
    "card digest": ("/card_refs/semantic_scenario/content_digest_sha256", "x" * 64),
    "card as text": ("/card_refs/operation", "em"),
    "requirements": ("/requirements", {}),
    "requirement": ("/requirements/0", "card_schema_content"),
    "requirement kind": ("/requirements/0/compatible/kind", "named_predicate"),
    "requirement digest": ("/requirements/0/compatible/content_digest_sha256", ""),
    "requirement component": ("/requirements/0/component", "card"),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_header_of_another_form_is_refused(case: str) -> None:
    pointer, value = VALUES[case]
    header: Any = json.loads(json.dumps(HEADER))
    holder = header
    *steps, name = pointer[1:].split("/")
    for step in steps:
        holder = holder[int(step) if type(holder) is list else step]
    holder[int(name) if type(holder) is list else name] = value

    found = refusal(text_of(whole(header=header)))
    assert (found.code, found.path) == ("ledger_value", f"line 1 byte 0 {pointer}")


ENDS: dict[str, tuple[str, Any, str]] = {
    "fewer rows": ("row_count", 2, "ledger_row_count"),
    "more rows": ("row_count", 4, "ledger_row_count"),
    "rows as text": ("row_count", "3", "ledger_value"),
    "other root": ("merkle_root_sha256", "0" * 64, "ledger_merkle_root"),
    "root of other form": ("merkle_root_sha256", None, "ledger_value"),
    "empty status": ("status", "", "ledger_value"),
    "no outcome class": ("outcome_class", None, "ledger_value"),
    "state": ("final_state_digest_sha256", "0", "ledger_value"),
    "trajectory": ("trajectory_digest_sha256", [], "ledger_value"),
}


@pytest.mark.parametrize("case", ENDS)
def test_a_terminal_line_that_is_wrong_is_refused(case: str) -> None:
    name, value, code = ENDS[case]
    found = refusal(text_of(whole(**{name: value})))
    assert (found.code, found.path) == (code, f"line 5 byte {len(text_of(whole()[:-1]))} /{name}")
