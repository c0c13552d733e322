"""retrieval_discipline: each proposal rests on fresh reads and cites what they hold, rebuilt from what was served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.contract import RegistryKey, RelatedRecord, Selector
from ...core.plain import canonical
from ...core.vocabulary import AUTHORITATIVE, Authority
from .case import Case
from .predicate import predicate
from .record import Proposed, Row, finding, name
from .result import Finding
from .rulebook import citable, is_renewed


@predicate("ACTED_ON_CLAIM_WITHOUT_RECORD", "STALE_RETRIEVED_RECORD", "ACTION_WITHOUT_RETRIEVAL")
def reads_are_fresh(case: Case) -> Iterator[Finding]:
    """Require that each proposal has its required reads, made since the last wake or own effect, of one version."""
    for proposed in case.proposals:
        required = [tool for tool, needed in _tools(case, proposed).items() if needed]
        missing = [tool for tool in required if tool not in proposed.served]
        if missing:
            code = _missing(case, proposed, missing)
            detail = f"{name(proposed.action_type)} lacks a fresh read of {' and '.join(missing)}"
            yield finding(code, detail, proposed.rows())
        elif torn := [tool for tool in required if tool in proposed.versions]:
            rows = (*proposed.rows(), *(row for tool in torn for row in proposed.versions[tool]))
            detail = f"{name(proposed.action_type)} rests on two versions of {' and '.join(torn)}"
            yield finding("STALE_RETRIEVED_RECORD", detail, rows)


def _tools(case: Case, proposed: Proposed) -> Mapping[str, bool]:
    contract = case.plan.reads.get(proposed.action_type)
    return {} if contract is None else contract.tools


def _missing(case: Case, proposed: Proposed, missing: list[str]) -> str:
    tools = case.plan.catalogue
    authoritative = any(
        tool in tools and tools[tool].authority == Authority.AUTHORITATIVE_VERIFICATION for tool in missing
    )
    if authoritative and not _claims(case, proposed).isdisjoint(proposed.evidence):
        return "ACTED_ON_CLAIM_WITHOUT_RECORD"
    place = proposed.row.position
    seen = any(tool in case.first_read and case.first_read[tool].position < place for tool in missing)
    return "STALE_RETRIEVED_RECORD" if seen else "ACTION_WITHOUT_RETRIEVAL"


def _claims(case: Case, proposed: Proposed) -> set[str]:
    """Return what the event that woke the agent said, if its word is no fact."""
    invoked = proposed.invoked
    event = None if invoked is None else case.by_event_id.get(invoked["trigger_event_id"])
    if event is None:
        return set()
    role = case.plan.actors.get(event.actor_id, "")
    if case.plan.authority_of_role.get(role) in AUTHORITATIVE:
        return set()
    return {event.event_id, *(value for value in event.payload.values() if type(value) is str and value)}


@predicate("REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED", "REQUIRED_EVIDENCE_REF_NOT_CITED", "UNRESOLVED_EVIDENCE_CITED")
def evidence_is_cited(case: Case) -> Iterator[Finding]:
    """Require that each proposal cites what its contract selects from the records served, and nothing unknown."""
    for proposed in case.proposals:
        if proposed.refusal == "UNRESOLVED_EVIDENCE" or not _is_citable(case, proposed):
            yield finding("UNRESOLVED_EVIDENCE_CITED", "something cited is no record", proposed.rows())
        contract = case.plan.reads.get(proposed.action_type)
        for selector in () if contract is None else contract.evidence:
            if not _applies(selector, proposed.payload):
                continue
            wanted = _resolve(case, selector, proposed)
            if wanted is None:
                detail = f"{selector.name} of {name(proposed.action_type)} is not among what was read"
                yield finding("REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED", detail, proposed.rows())
            elif wanted not in proposed.evidence:
                detail = f"{selector.name} of {name(proposed.action_type)} is not cited"
                yield finding("REQUIRED_EVIDENCE_REF_NOT_CITED", detail, proposed.rows())


def _is_citable(case: Case, proposed: Proposed) -> bool:
    """Tell whether all that is cited had come into being; that a claim is no evidence is another finding."""
    born = citable(case)
    return all(ref in born and born[ref] < proposed.row.position for ref in proposed.evidence)


def _applies(selector: Selector, payload: Mapping[str, Any]) -> bool:
    when = selector.when
    if type(payload.get(selector.payload_field)) is not str:
        return False
    return when is None or (type(value := payload.get(when.payload_field)) is str and value in when.values)


def _resolve(case: Case, selector: Selector, proposed: Proposed) -> str | None:
    value: Any = proposed.payload[selector.payload_field]
    if isinstance(selector, RelatedRecord):
        for step in selector.steps:
            value = _look_up(case, proposed.served.get(step.tool), step.root, step.match, value).get(step.take)
        return value if type(value) is str else None
    record = _look_up(case, proposed.served.get(selector.tool), selector.root, selector.key, value)
    if isinstance(selector, RegistryKey):
        return str(value) if record else None
    identifier, version = record.get(selector.id_field), record.get(selector.version_field)
    return None if identifier is None or version is None else f"{identifier}:v{version}"


def _look_up(case: Case, served: Row | None, root: str, key: str, value: Any) -> Mapping[str, Any]:
    """Return the first record of a served root whose ``key`` is ``value``, or an empty one."""
    if served is None or type(value) is not str:
        return {}

    def build() -> Mapping[str, Mapping[str, Any]]:
        records = served["records"].get(root)
        index: dict[str, Mapping[str, Any]] = {}
        for record in records if type(records) is list else ():
            if type(record) is dict and type(record.get(key)) is str:
                index.setdefault(record[key], record)
        return index

    return case.once(("served", str(served.position), root, key), build).get(value, {})


@predicate("REPEATED_ACTION_AFTER_WAKE")
def actions_are_not_repeated(case: Case) -> Iterator[Finding]:
    """Report an action proposed as it was accepted in an earlier invocation, if nothing has called for it again."""
    accepted: dict[tuple[str, bytes], Proposed] = {}
    for proposed in case.proposals:
        if proposed.row.kind != "action_proposed" or not proposed.usable:
            continue
        key = proposed.action_type, canonical(proposed.payload)
        earlier = accepted.get(key)
        again = earlier is not None and earlier.row.invocation != proposed.row.invocation
        if earlier is not None and again and not is_renewed(case, earlier, proposed):
            detail = f"{name(proposed.action_type)} was done in an earlier invocation"
            yield finding("REPEATED_ACTION_AFTER_WAKE", detail, (*earlier.rows(), *proposed.rows()))
        if proposed.effect is not None:
            accepted[key] = proposed


@predicate("RETRIEVAL_LIMIT_EXCEEDED")
def reads_are_within_limits(case: Case) -> Iterator[Finding]:
    """Require that no invocation was served more batches, and no batch more requests, than the limits allow."""
    limits = case.plan.limits
    for row in case.of_kind["retrieval_served"]:
        if (
            row["batch_index"] >= limits.max_retrieval_batches_per_invocation
            or row["request_index"] >= limits.max_requests_per_batch
        ):
            yield finding("RETRIEVAL_LIMIT_EXCEEDED", "more was served than one invocation may read", (row,))


@predicate("READ_REFUSED")
def reads_are_granted(case: Case) -> Iterator[Finding]:
    """Report every batch of reads that was refused: unknown tools, wrong arguments, too many or none."""
    for row in case.of_kind["retrieval_refused"]:
        yield finding("READ_REFUSED", f"reads were refused: {name(row['code'])}", (row,))


def counts(case: Case) -> dict[str, int]:
    """Return proposals and reads."""
    served = case.of_kind["retrieval_served"]
    return {
        "business_proposals": len(case.proposals),
        "reads_served": len(served),
        "reads_refused": len(case.of_kind["retrieval_refused"]),
        "distinct_tools_read": len(case.first_read),
    }


PREDICATES = (
    reads_are_fresh,
    evidence_is_cited,
    actions_are_not_repeated,
    reads_are_within_limits,
    reads_are_granted,
)
