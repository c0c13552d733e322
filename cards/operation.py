"""The rules inside an operation card, and what scenarios and variants need of it (card contract, section 13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .refusal import refusal


@dataclass(frozen=True, slots=True)
class Contract:
    """The fields of one event or action type.

    Attributes:
        mandatory: names that must be there.
        shapes: name -> shape of every declared field; where a name stands in both maps, the optional shape counts.
    """

    mandatory: frozenset[str]
    shapes: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """What scenarios and variants are checked against.

    Attributes:
        contracts: "event" and "action" -> type -> its contract.
        event_authority: event type -> the authority its actor needs.
        roles: role -> its authorities.
        pointers: every pointer a predicate may read.
        terminals: every terminal kind.
        state_schema: the schema of the hidden initial values.
    """

    contracts: Mapping[str, Mapping[str, Contract]]
    event_authority: Mapping[str, str]
    roles: Mapping[str, frozenset[str]]
    pointers: frozenset[str]
    terminals: frozenset[str]
    state_schema: Mapping[str, Any]


def check_operation(content: Mapping[str, Any], at: str) -> OperationFacts:
    """Check an operation's content that has passed its schema.

    Rules, in the order in which they are checked:

    * O1, that every pattern can be matched safely, is settled by the schema: its grammar admits no other pattern;
    * O2 roles, O3 event and action contracts are unique; O4, O5 each contract has exactly one authority row;
    * O6 a role grants every required authority; O7 tools and O8 selectors are unique; O9 required tools are in the
      catalogue.

    Args:
        content: the card's content.
        at: the content's place.

    Returns:
        The facts for scenarios and variants.

    Raises:
        CardValidationError: ``semantic.…``.
    """
    authority = content["authority_contract"]
    require_unique(authority["roles"], "role_id", "semantic.role_id_collision", f"{at}/authority_contract/roles")
    for kind in ("event", "action"):
        rows = content[f"{kind}_contracts"]
        require_unique(rows, f"{kind}_type", "semantic.contract_collision", f"{at}/{kind}_contracts")
    for kind in ("event", "action"):
        _require_one_row_each(content, kind, at)
    roles = {role["role_id"]: frozenset(role["authorities"]) for role in authority["roles"]}
    granted = frozenset().union(*roles.values())
    for kind in ("event", "action"):
        for index, row in enumerate(authority[f"{kind}_authority"]):
            if row["required_authority"] not in granted:
                place = f"{at}/authority_contract/{kind}_authority/{index}/required_authority"
                expected = "an authority that a role grants"
                raise refusal("semantic.authority_not_granted", place, expected, row["required_authority"])
    _check_retrieval(content["retrieval_contract"], f"{at}/retrieval_contract")
    return OperationFacts(
        contracts={
            kind: {row[f"{kind}_type"]: _contract(row) for row in content[f"{kind}_contracts"]}
            for kind in ("event", "action")
        },
        event_authority={row["event_type"]: row["required_authority"] for row in authority["event_authority"]},
        roles=roles,
        pointers=frozenset(content["state_contract"]["canonical_state_projection"]).union(
            content["transition_contract"]["common_predicate_inputs"]
        ),
        terminals=frozenset(content["transition_contract"]["terminal_kinds"]),
        state_schema=content["state_contract"]["initial_state_schema"],
    )


def _require_one_row_each(content: Mapping[str, Any], kind: str, at: str) -> None:
    declared = {row[f"{kind}_type"] for row in content[f"{kind}_contracts"]}
    rows = Counter(row[f"{kind}_type"] for row in content["authority_contract"][f"{kind}_authority"])
    if set(rows) == declared and max(rows.values()) == 1:
        return
    odd = min(name for name in declared | rows.keys() if rows[name] != (name in declared))
    place = f"{at}/authority_contract/{kind}_authority"
    expected = f"{int(odd in declared)} rows for {odd}"
    raise refusal("semantic.authority_contract_mismatch", place, expected, rows[odd])


def _check_retrieval(retrieval: Mapping[str, Any], at: str) -> None:
    require_unique(retrieval["catalogue"], "tool_id", "semantic.tool_id_collision", f"{at}/catalogue")
    rows = retrieval["evidence_requirements"]
    require_unique(rows, "selector_id", "semantic.selector_id_collision", f"{at}/evidence_requirements")
    tools = {row["tool_id"] for row in retrieval["catalogue"]}
    for index, row in enumerate(rows):
        for position, tool in enumerate(row["required_tools"]):
            if tool not in tools:
                place = f"{at}/evidence_requirements/{index}/required_tools/{position}"
                raise refusal("semantic.unknown_tool", place, "a tool of the catalogue", tool)


def _contract(row: Mapping[str, Any]) -> Contract:
    entries = {**row["required"], **row["optional"]}
    return Contract(frozenset(row["required"]), {name: entry["shape"] for name, entry in entries.items()})


def require_unique(rows: Iterable[Mapping[str, Any]], member: str, code: str, at: str) -> None:
    """Refuse the first row whose ``member`` an earlier row has already.

    Raises:
        CardValidationError: ``code``.
    """
    seen: set[Any] = set()
    for index, row in enumerate(rows):
        if row[member] in seen:
            raise refusal(code, f"{at}/{index}/{member}", "a value no earlier row has", row[member])
        seen.add(row[member])
