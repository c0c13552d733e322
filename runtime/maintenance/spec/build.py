"""Makes the frozen records of a spec from its checked content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from ...core.contract import ActionReads, Condition, RegistryKey, RelatedRecord, Selector, Step, VersionedKey
from ...core.protocol import PlannedEvent, RetryPolicy, Tool, Trigger
from ...core.vocabulary import Authority, Ending
from .records import (
    ActionType,
    CheckpointType,
    DispatchFault,
    EventType,
    ExpectedRejection,
    Invariant,
    MessageFixture,
    ObligationKind,
    OperationSpec,
    Policy,
    Role,
    Variant,
)
from .timeline import minutes_between

_Content = Mapping[str, Any]
_Record = TypeVar("_Record")


def spec_of(content: _Content, sha256: str, digest_sha256: str) -> OperationSpec:
    """Return the records of a spec.

    Args:
        content: its content, checked and frozen; every mapping sorted by key.
        sha256: of the file.
        digest_sha256: of the content.
    """
    operation = content["operation"]
    return OperationSpec(
        sha256=sha256,
        digest_sha256=digest_sha256,
        content=content,
        operation_id=operation["operation_id"],
        operation_type=operation["operation_type"],
        operation_version=operation["operation_version"],
        semantic_scenario_id=operation["semantic_scenario_id"],
        topology=content["topology"],
        roles=_each(content["roles"], lambda row: Role(Authority(row["authority_class"]), row["authorities"])),
        actors=content["actors"],
        policy=Policy(**content["policy"]),
        human_checkpoint_guidance=content["human_budget"]["guidance"],
        channels=MappingProxyType(
            {row["channel"]: RetryPolicy(row["max_attempts"], row["backoff_minutes"]) for row in content["channels"]}
        ),
        message_fixtures=_each(content["message_fixtures"], lambda row: MessageFixture(**row)),
        surface_fixtures=content["surface_fixtures"],
        record_suffix=content["retrieval"]["record_suffix"],
        tools=_tools(content),
        events=_each(content["events"], lambda row: EventType(**row)),
        actions=_each(content["actions"], _action),
        checkpoints=_each(content["checkpoints"], lambda row: CheckpointType(**row)),
        obligations=_each(content["obligations"], lambda row: ObligationKind(**row)),
        invariants=tuple(Invariant(**row) for row in content["invariants"]),
        terminals=_each(content["terminals"], lambda row: Ending(row["ending"])),
        dimensions=content["evaluator"]["dimensions"],
        variants=MappingProxyType(
            {
                variant_id: _variant(variant_id, row, content["opening"])
                for variant_id, row in content["variants"].items()
            }
        ),
    )


def _each(table: _Content, make: Callable[[_Content], _Record]) -> Mapping[str, _Record]:
    return MappingProxyType({key: make(row) for key, row in table.items()})


def _tools(content: _Content) -> Mapping[str, Tool]:
    roots: dict[str, list[str]] = {}
    for root, row in content["state"]["roots"].items():
        roots.setdefault(row["tool"], []).append(root)
    return MappingProxyType(
        {
            tool: Tool(row["source"], Authority(row["authority"]), row["schema_id"], tuple(roots[tool]))
            for tool, row in content["retrieval"]["catalogue"].items()
        }
    )


def _action(row: _Content) -> ActionType:
    return ActionType(
        stage=row["stage"],
        authority=row["authority"],
        required=row["required"],
        optional=row["optional"],
        reads=ActionReads(
            tools=MappingProxyType({tool: need == "required" for tool, need in row["reads"].items()}),
            evidence=tuple(_selector(selector) for selector in row["evidence"]),
        ),
        guidance=row["guidance"],
    )


def _selector(row: _Content) -> Selector:
    when = Condition(row["when"]["field"], row["when"]["values"]) if "when" in row else None
    name, field = row["name"], row["field"]
    if row["select"] == "related_record":
        return RelatedRecord(name, field, tuple(Step(**step) for step in row["steps"]), when)
    look_up = (name, field, row["tool"], row["root"], row["key"])
    if row["select"] == "registry_key":
        return RegistryKey(*look_up, when)
    return VersionedKey(*look_up, row["id_field"], row["version_field"], when)


def _variant(variant_id: str, row: _Content, opening: Sequence[_Content]) -> Variant:
    events = (*opening, *row["events"])
    return Variant(
        variant_id=variant_id,
        label=row["label"],
        starts_at=row["starts_at"],
        expected_terminal=row["expected_terminal"],
        human_checkpoint_budget=row["human_checkpoint_budget"],
        required_checkpoint_types=row["required_checkpoint_types"],
        dispatch_faults=tuple(DispatchFault(**fault) for fault in row["dispatch_faults"]),
        expected_event_rejections=tuple(ExpectedRejection(**each) for each in row["expected_event_rejections"]),
        hidden_initial_values=row["hidden_initial_values"],
        events=tuple(_event(event, sequence, row["starts_at"]) for sequence, event in enumerate(events)),
    )


def _event(row: _Content, sequence: int, starts_at: str) -> PlannedEvent:
    return PlannedEvent(
        event_id=row["event_id"],
        event_type=row["event_type"],
        actor_id=row["actor_id"],
        sequence=sequence,
        payload=row["payload"],
        triggers_agent=row["triggers_agent"],
        surface_fixture_id=row.get("surface_fixture_id"),
        at=minutes_between(starts_at, row["at"]) if "at" in row else None,
        trigger=Trigger(**row["trigger"]) if "trigger" in row else None,
        delay_minutes=row.get("delay_minutes", 0),
    )
