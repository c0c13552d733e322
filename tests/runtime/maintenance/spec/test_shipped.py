"""The operation that ships: its facts, its frozen form, its digests, and that nothing in it looks like a person's."""

import dataclasses
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from operatebench.errors import DocumentError, SpecError
from operatebench.runtime.core.contract import RegistryKey, RelatedRecord
from operatebench.runtime.core.protocol import RetryPolicy, Trigger
from operatebench.runtime.core.vocabulary import Authority, Ending
from operatebench.runtime.maintenance.spec import OperationSpec, load_spec, packaged_spec, vocabulary
from operatebench.runtime.maintenance.spec.load import PACKAGED, parse_spec
from operatebench.runtime.maintenance.spec.yaml import MAX_BYTES
from tests.runtime.maintenance.spec.edits import SHIPPED, shipped, values

PERSONAL = {
    "e-mail": re.compile(r"\S+@\S+"),
    "phone": re.compile(r"(?<![\w:-])\+?\d(?:[ ().-]?\d){6,}(?![\w:-])"),
    "bank account": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}|\b\d{2}-\d{2}-\d{2}\b"),
    "postcode": re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b\d{5}(?:-\d{4})?\b(?!\n)"),
    "address": re.compile(
        r"\b\d+\w? \w+ (?:street|st|road|rd|avenue|ave|lane|close|drive|way|court|square)\b", re.IGNORECASE
    ),
    "honorific": re.compile(r"\b(?:mr|mrs|ms|miss|dr|sir|madam)\b\.?", re.IGNORECASE),
    "link": re.compile(r"https?:|www\."),
}


@pytest.fixture
def spec() -> OperationSpec:
    return packaged_spec()


def test_the_packaged_spec_is_loaded_once_and_equals_its_file() -> None:
    assert packaged_spec() is packaged_spec()
    assert packaged_spec() == load_spec(str(files("operatebench.runtime.maintenance.spec").joinpath(PACKAGED)))
    assert packaged_spec().sha256 == hashlib.sha256(SHIPPED).hexdigest()


def test_the_digest_is_that_of_the_canonical_content(spec: OperationSpec) -> None:
    text = json.dumps(shipped().value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert spec.digest_sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_layout_order_of_keys_and_comments_change_neither_digest_nor_records(spec: OperationSpec) -> None:
    document = shipped().value
    turned = yaml.safe_dump(_turned(document), sort_keys=False, default_flow_style=False, width=40)
    for text in (turned, json.dumps(document), SHIPPED.decode() + "# a last word\n"):
        other = parse_spec(text.encode(), "other.yaml")
        assert other.digest_sha256 == spec.digest_sha256
        assert other.sha256 != spec.sha256
        assert dataclasses.replace(other, sha256=spec.sha256) == spec
        assert repr(dataclasses.replace(other, sha256=spec.sha256)) == repr(spec)


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


def test_any_change_of_a_text_changes_the_digest(spec: OperationSpec) -> None:
    changed = parse_spec(SHIPPED.replace(b"Go ahead with the quote", b"Please do the quote"), "maintenance.yaml")
    assert changed.digest_sha256 != spec.digest_sha256
    assert dataclasses.replace(changed, surface_fixtures=spec.surface_fixtures) != spec
    assert changed.variants == spec.variants


def test_content_and_records_are_frozen(spec: OperationSpec) -> None:
    _require_frozen(spec.content)
    for variant in spec.variants.values():
        for event in variant.events:
            _require_frozen(event.payload)
        _require_frozen(variant.hidden_initial_values)
    with pytest.raises(TypeError, match="item assignment"):
        spec.content["policy"]["currency"] = "EUR"
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.policy.currency = "EUR"  # type: ignore[misc]  # the point of the test


def _require_frozen(value: Any) -> None:
    assert isinstance(value, MappingProxyType | tuple | str | int | bool | None)
    for item in value.values() if isinstance(value, MappingProxyType) else value if isinstance(value, tuple) else ():
        _require_frozen(item)


def test_what_the_code_knows_is_what_the_spec_declares(spec: OperationSpec) -> None:
    assert spec.topology == vocabulary.TOPOLOGY
    assert set(spec.events) == set(vocabulary.EVENTS)
    assert set(spec.actions) == set(vocabulary.ACTIONS)
    assert set(spec.tools) == set(vocabulary.TOOLS)
    assert spec.dimensions == vocabulary.DIMENSIONS
    assert sorted(root for tool in spec.tools.values() for root in tool.roots) == sorted(vocabulary.STATE_ROOTS)
    assert set(vocabulary.RECORD_FIELDS) == {root for root, start in vocabulary.STATE_ROOTS.items() if start == []}


def test_the_operation(spec: OperationSpec) -> None:
    assert spec.operation_type == "lettings.maintenance.synthetic"
    assert (spec.content["privacy"], bool(spec.content["provenance"])) == ("SYNTHETIC_ONLY", True)
    assert spec.actor_of_role("approver") == "landlord_1"
    assert spec.roles["authoritative_external_system"].authority_class is Authority.AUTHORITATIVE_VERIFICATION
    assert {role: row.authority_class for role, row in spec.roles.items() if role != "agent"} == {
        "approver": Authority.ACTOR_CLAIM,
        "authoritative_external_system": Authority.AUTHORITATIVE_VERIFICATION,
        "customer": Authority.ACTOR_CLAIM,
        "operator_human": Authority.ACTOR_CLAIM,
        "supplier": Authority.ACTOR_CLAIM,
        "system_scheduler": Authority.SYSTEM_EVENT,
    }
    assert list(spec.channels.items()) == [("primary", RetryPolicy(2, 30)), ("secondary", RetryPolicy(1, 0))]
    assert spec.terminals == {
        "cancelled_by_operator": Ending.AUTHORISED_CANCELLATION_OR_TRANSFER,
        "completed_successfully": Ending.SUCCESSFUL_COMPLETION,
        "transferred_to_human_ownership": Ending.AUTHORISED_CANCELLATION_OR_TRANSFER,
    }
    assert spec.tools["list_billing"].roots == ("invoices", "payments")


def test_the_quote_crosses_the_threshold_only_with_tax(spec: OperationSpec) -> None:
    quote = next(event for event in spec.variants["V1"].events if event.event_type == "supplier_quote_received")
    net = quote.payload["amount_minor"]
    gross = net + (net * spec.policy.vat_percent + 50) // 100
    assert quote.payload["plus_vat"] is True
    assert net <= spec.policy.approval_threshold_minor < gross == 29_520


def test_reads_and_evidence_of_a_payment(spec: OperationSpec) -> None:
    reads = spec.actions["request_payment"].reads
    assert reads.tools == {"get_case_record": True, "list_authoritative_records": True, "list_billing": True}
    invoice, evidence = reads.evidence
    assert invoice == RegistryKey("invoice", "invoice_id", "list_billing", "invoices", "invoice_id")
    assert isinstance(evidence, RelatedRecord)
    assert [(step.root, step.match, step.take) for step in evidence.steps] == [
        ("invoices", "invoice_id", "cycle_id"),
        ("cycles", "cycle_id", "work_evidence_id"),
        ("authoritative_records", "record_id", "record_id"),
    ]


def test_the_opening_is_shared_and_comes_first(spec: OperationSpec) -> None:
    v1, v2, v3 = (spec.variants[name].events for name in ("V1", "V2", "V3"))
    assert v1[:7] == v2[:7] == v3[:7]
    assert (len(v1), len(v2), len(v3)) == (18, 9, 9)
    for events in (v1, v2, v3):
        assert [event.sequence for event in events] == list(range(len(events)))
        assert [event.at for event in events if event.trigger is None] == [0]


@pytest.mark.parametrize(
    ("variant_id", "expected"),
    [
        ("V1", ("completed_successfully", 1, 1, [("ev_18", "AFTER_REPLAY_FINAL")], [])),
        ("V2", ("transferred_to_human_ownership", 2, 2, [], [("msg_handover_notice", "primary", 2)])),
        ("V3", ("transferred_to_human_ownership", 2, 2, [("ev_8", "CHECKPOINT_NOT_OPEN")], [])),
    ],
)
def test_what_a_variant_expects(spec: OperationSpec, variant_id: str, expected: tuple[object, ...]) -> None:
    variant = spec.variants[variant_id]
    assert variant.starts_at == "2032-04-05T08:30:00Z"
    assert expected == (
        variant.expected_terminal,
        variant.human_checkpoint_budget,
        len(variant.required_checkpoint_types),
        [(row.event_id, row.code) for row in variant.expected_event_rejections],
        [(row.message_fixture_id, row.channel, row.first_attempts) for row in variant.dispatch_faults],
    )


def test_a_trigger_keeps_its_correlation(spec: OperationSpec) -> None:
    event = next(event for event in spec.variants["V1"].events if event.event_id == "ev_17")
    assert event.trigger == Trigger("event", "work_evidence_verified", {"cycle_id": "work_cycle_3"})
    assert (event.at, event.delay_minutes) == (None, 180)


def test_nothing_looks_like_data_of_a_person() -> None:
    for steps, value in values(shipped().value):
        for text in (value, *steps[-1:]):
            if isinstance(text, str):
                found = {kind: match[0] for kind, shape in PERSONAL.items() if (match := shape.search(text))}
                assert not found, (steps, found)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("e-mail", "write to ann@example.org"),
        ("phone", "call +44 20 7946 0958"),
        ("phone", "call 02079460958 now"),
        ("bank account", "pay GB29 NWBK 6016 1331 9268 19"),
        ("bank account", "sort code 60-16-13"),
        ("postcode", "the flat in SW1A 1AA"),
        ("address", "come to 12 Acacia Avenue"),
        ("honorific", "ask for Mrs Smith"),
        ("link", "see https://example.org"),
    ],
)
def test_the_scan_knows_the_shapes_it_looks_for(kind: str, text: str) -> None:
    assert PERSONAL[kind].search(text)


def test_a_file_elsewhere_is_named_without_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(SHIPPED.replace(b"currency: GBP", b"currency: pounds", 1))
    with pytest.raises(SpecError) as refused:
        load_spec(path)
    line = SHIPPED[: SHIPPED.index(b"currency: GBP")].count(b"\n") + 1
    assert refused.value.path == f"mine.yaml:{line} /policy/currency"
    assert (refused.value.expected, refused.value.actual) == ("three capital letters", '"pounds"')
    assert str(refused.value).startswith(
        f"lexical at mine.yaml:{line} /policy/currency: expected three capital letters"
    )


def test_a_file_that_is_missing_or_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as refused:
        load_spec(tmp_path / "none.yaml")
    assert refused.value.code == "file_missing"
    (tmp_path / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(DocumentError) as refused:
        load_spec(tmp_path / "large.yaml")
    assert refused.value.code == "file_too_large"


def test_a_document_of_another_kind_is_refused_at_its_root() -> None:
    for text, actual in (("[1]", "an array of 1 items"), ("7", "7"), ("text", '"text"')):
        with pytest.raises(SpecError) as refused:
            parse_spec(text.encode(), "s.yaml")
        assert (refused.value.code, refused.value.path, refused.value.actual) == ("wrong_type", "s.yaml:1", actual)
