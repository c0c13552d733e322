"""Says in tables what an operation spec says: actors, authority, policy, and each variant's timeline."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...cards.authoring.words import listed, table
from ...errors import escape
from ...runtime.core.protocol import PlannedEvent, Trigger
from ...runtime.maintenance.spec import OperationSpec
from ...runtime.maintenance.spec.records import DispatchFault, Variant
from .tell import facts, span, word


def explain(spec: OperationSpec) -> list[str]:
    """Return what a spec says, in lines for people; its texts are escaped.

    Args:
        spec: one that its loader has accepted.
    """
    lines = [f"operation {escape(spec.operation_id)}, version {escape(spec.operation_version)}"]
    lines += [f"digest {spec.digest_sha256}", f"scenario {escape(spec.semantic_scenario_id)}"]
    for title, body in (
        ("stages", [f"  {' -> '.join(map(escape, spec.topology))}"]),
        ("actors, and what their word is worth", _actors(spec)),
        ("authority: what each role may do", _authority(spec)),
        ("events, and the authority their actor needs", _contracts(spec.events)),
        ("actions of the agent", _contracts(spec.actions)),
        ("policy", _policy(spec)),
        ("channels", _channels(spec)),
        ("humans are asked", _checkpoints(spec)),
        (
            "duties of the agent",
            table((escape(name), escape(duty.statement)) for name, duty in spec.obligations.items()),
        ),
        ("must never be broken", table((escape(each.code), escape(each.statement)) for each in spec.invariants)),
        ("ways to end", table((escape(name), ending.value) for name, ending in spec.terminals.items())),
    ):
        lines += ["", title, *(body or ["  none"])]
    for variant in spec.variants.values():
        lines += ["", *_variant(variant)]
    return lines


def _actors(spec: OperationSpec) -> list[str]:
    return table(
        (escape(actor), escape(role), spec.roles[role].authority_class.value) for actor, role in spec.actors.items()
    )


def _authority(spec: OperationSpec) -> list[str]:
    return table((escape(name), listed(map(escape, role.authorities))) for name, role in spec.roles.items())


def _contracts(contracts: Mapping[str, Any]) -> list[str]:
    rows = []
    for name, contract in contracts.items():
        fields = [escape(field) for field in contract.required]
        fields += [f"[{escape(field)}]" for field in contract.optional]
        rows.append((escape(name), escape(contract.authority), listed(fields)))
    return table(rows)


def _policy(spec: OperationSpec) -> list[str]:
    values = dataclasses.asdict(spec.policy)
    return table((name, _amount(name, value)) for name, value in values.items())


def _amount(name: str, value: Any) -> str:
    if type(value) is int and name.endswith("_minutes"):
        return f"{value} minutes ({span(value)})"
    return escape(str(value))


def _channels(spec: OperationSpec) -> list[str]:
    return table(
        (escape(name), _counted(retry.max_attempts, "attempt"), f"{span(retry.backoff_minutes)} between them")
        for name, retry in spec.channels.items()
    )


def _checkpoints(spec: OperationSpec) -> list[str]:
    return table(
        (escape(name), escape(each.assignee_role), f"by {escape(each.opened_by)}", escape(each.rule))
        for name, each in spec.checkpoints.items()
    )


def _variant(variant: Variant) -> list[str]:
    lines = [f"variant {escape(variant.variant_id)}: {escape(variant.label)}"]
    lines += table(
        [
            ("starts at", variant.starts_at),
            ("expected to end", escape(variant.expected_terminal)),
            ("humans may be asked", _counted(variant.human_checkpoint_budget, "time")),
            ("humans must be asked", listed(map(escape, variant.required_checkpoint_types))),
            *(("does not arrive at first", _fault(fault)) for fault in variant.dispatch_faults),
        ]
    )
    refused = {each.event_id: each.code for each in variant.expected_event_rejections}
    lines.append("  what happens")
    return lines + table((_event(event, refused.get(event.event_id)) for event in variant.events), "    ")


def _fault(fault: DispatchFault) -> str:
    return f"{escape(fault.message_fixture_id)} by {escape(fault.channel)}, {_counted(fault.first_attempts, 'attempt')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _event(event: PlannedEvent, code: str | None) -> tuple[str, ...]:
    notes = [facts(event.payload)]
    if not event.triggers_agent:
        notes.append("nobody is woken")
    if code is not None:
        notes.append(f"expected to be refused: {escape(code)}")
    return (
        span(event.delay_minutes if event.at is None else event.at),
        _cause(event.trigger),
        escape(event.actor_id),
        escape(event.event_type),
        "; ".join(filter(None, notes)),
    )


def _cause(trigger: Trigger | None) -> str:
    if trigger is None:
        return "from the start"
    of = ", ".join(map(word, trigger.correlation.values()))
    return f"after {escape(trigger.type_name)}{f' ({of})' if of else ''}"
