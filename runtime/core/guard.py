"""The read guard: a proposal must rest on reads that were made, are fresh, and are cited. It writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

from .contract import ActionReads, RegistryKey, RelatedRecord, Selector, VersionedKey
from .plain import ARRAYS, OBJECTS
from .protocol import Proposal, Tool
from .vocabulary import Authority

ACTION_WITHOUT_RETRIEVAL = "ACTION_WITHOUT_RETRIEVAL"
STALE_RECORD = "STALE_RETRIEVED_RECORD"
ACTED_ON_CLAIM = "ACTED_ON_CLAIM_WITHOUT_RECORD"
SELECTOR_UNRESOLVED = "REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED"
REF_NOT_CITED = "REQUIRED_EVIDENCE_REF_NOT_CITED"

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        ACTION_WITHOUT_RETRIEVAL: "A required read was not made.",
        STALE_RECORD: "A required read is out of date: read again.",
        ACTED_ON_CLAIM: "The proposal cites a claim, and the authoritative record was not read.",
        SELECTOR_UNRESOLVED: "What was read holds no record for a required evidence reference.",
        REF_NOT_CITED: "A required evidence reference is not cited.",
    }
)
"""Code of a refused proposal -> its fixed detail."""


def refuse_reads(
    required: Collection[str],
    proposal: Proposal,
    *,
    served: Mapping[str, str],
    current: Callable[[str], str],
    seen: AbstractSet[str],
    claim: AbstractSet[str],
    catalogue: Mapping[str, Tool],
) -> str | None:
    """Return the code for reads that are missing or stale, or null.

    Args:
        required: tools whose reads the action needs.
        proposal: what is proposed.
        served: tool -> version of what the agent holds.
        current: gives the version a tool has now.
        seen: tools read at any time in the episode.
        claim: the values of the waking event, if its word is no fact; else empty.
        catalogue: says what the word of each tool is worth.
    """
    missing = [tool for tool in required if tool not in served]
    if missing:
        needs_authority = any(catalogue[tool].authority == Authority.AUTHORITATIVE_VERIFICATION for tool in missing)
        if needs_authority and not claim.isdisjoint(proposal.evidence_refs):
            return ACTED_ON_CLAIM
        return ACTION_WITHOUT_RETRIEVAL if seen.isdisjoint(missing) else STALE_RECORD
    return STALE_RECORD if any(current(tool) != served[tool] for tool in required) else None


def refuse_evidence(contract: ActionReads, proposal: Proposal, records: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the code for required evidence that is not to be found, or not cited, or null.

    Args:
        contract: what the action needs.
        proposal: what is proposed.
        records: tool -> root -> records, as served.
    """
    for selector in contract.evidence:
        if not applies(selector, proposal.payload):
            continue
        wanted = resolve(selector, proposal.payload, records)
        if wanted is None:
            return SELECTOR_UNRESOLVED
        if wanted not in proposal.evidence_refs:
            return REF_NOT_CITED
    return None


def applies(selector: Selector, payload: Mapping[str, Any]) -> bool:
    """Tell whether a selector concerns a payload: it has the field, and ``when`` holds."""
    when = selector.when
    return selector.payload_field in payload and (
        when is None or any(_same(payload.get(when.payload_field), value) for value in when.values)
    )


def resolve(selector: Selector, payload: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the reference a selector asks for, or null when the records that were read hold none.

    Args:
        selector: one that :func:`applies`.
        payload: of the proposal.
        records: tool -> root -> records; damaged ones resolve to null.
    """
    value: Any = payload[selector.payload_field]
    match selector:
        case RegistryKey():
            value = value if _find(records, selector.tool, selector.root, selector.key, value) else None
        case RelatedRecord():
            for step in selector.steps:
                value = _find(records, step.tool, step.root, step.match, value).get(step.take)
        case VersionedKey():
            found = _find(records, selector.tool, selector.root, selector.key, value)
            identifier, version = found.get(selector.id_field), found.get(selector.version_field)
            value = None if identifier is None or version is None else f"{identifier}:v{version}"
    return value if type(value) is str else None


def _find(records: Mapping[str, Mapping[str, Any]], tool: str, root: str, key: str, value: Any) -> Mapping[str, Any]:
    """Return the first record of a root whose ``key`` is ``value``, or an empty one."""
    rows: Any = records.get(tool, {}).get(root)
    if type(rows) in ARRAYS and value is not None:
        for row in rows:
            if type(row) in OBJECTS and _same(row.get(key), value):
                found: Mapping[str, Any] = row
                return found
    return {}


def _same(found: Any, wanted: Any) -> bool:
    """Compare as JSON does: true is not 1."""
    return type(found) is type(wanted) and bool(found == wanted)
