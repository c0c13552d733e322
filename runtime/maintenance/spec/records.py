"""What an operation spec says, as frozen records; one class for each part, in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.contract import ActionReads
from ...core.protocol import PlannedEvent, RetryPolicy, Tool
from ...core.vocabulary import Authority, Ending

FieldKind = str | tuple[str, ...]
"""Kind of a payload field: ``"text"``, ``"integer"``, ``"boolean"``, or the words it may be."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role: what the word of its actors is worth, and what they may emit or do."""

    authority_class: Authority
    authorities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """The numbers and words the operation is run by. Minutes, minor currency units, counts."""

    currency: str
    issue_classification: str
    approval_threshold_minor: int
    approval_reminder_after_minutes: int
    approval_deadline_after_minutes: int
    approval_validity_minutes: int
    provisional_close_minutes: int
    visit_followup_after_minutes: int
    completion_notice_within_minutes: int
    max_turns_per_invocation: int
    horizon_minutes: int
    max_retrieval_batches_per_invocation: int
    # What Card v1 cannot hold.
    vat_percent: int
    reminder_within_minutes: int
    handover_notice_within_minutes: int
    exception_deadline_after_minutes: int
    max_invocations: int
    max_requests_per_batch: int


@dataclass(frozen=True, slots=True)
class MessageFixture:
    """A message that can be sent: what it is for, which role receives it, and its text, which has no effect."""

    purpose: str
    recipient_role: str
    text: str


@dataclass(frozen=True, slots=True)
class EventType:
    """An event: stage of the topology, authority its actor needs, payload."""

    stage: str
    authority: str
    required: Mapping[str, FieldKind]
    optional: Mapping[str, FieldKind]


@dataclass(frozen=True, slots=True)
class ActionType:
    """An action: stage, authority, payload, reads and evidence, and guidance for its fields."""

    stage: str
    authority: str
    required: Mapping[str, FieldKind]
    optional: Mapping[str, FieldKind]
    reads: ActionReads
    guidance: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CheckpointType:
    """A place where a human must decide: who, through which action it opens and through which event it resolves."""

    assignee_role: str
    opened_by: str
    resolved_by: str
    rule: str


@dataclass(frozen=True, slots=True)
class ObligationKind:
    """A duty of the agent: the policy field that says when it is due, and what it says to people."""

    due_policy_field: str
    statement: str


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that must never be broken, the code it is reported by, and whether it is watched while running."""

    invariant_id: str
    statement: str
    code: str


@dataclass(frozen=True, slots=True)
class ExpectedRejection:
    """An authored event that the environment must refuse, with the code and why."""

    event_id: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class DispatchFault:
    """The first attempts to send a fixture on a channel fail."""

    message_fixture_id: str
    channel: str
    first_attempts: int


@dataclass(frozen=True, slots=True)
class Variant:
    """One course of the scenario. ``events`` holds the shared opening, then its own."""

    variant_id: str
    label: str
    starts_at: str
    expected_terminal: str
    human_checkpoint_budget: int
    required_checkpoint_types: tuple[str, ...]
    dispatch_faults: tuple[DispatchFault, ...]
    expected_event_rejections: tuple[ExpectedRejection, ...]
    hidden_initial_values: Mapping[str, Any]
    events: tuple[PlannedEvent, ...]


@dataclass(frozen=True, slots=True)
class OperationSpec:
    """One operation, as authored.

    Attributes:
        sha256: of the file's bytes.
        digest_sha256: of the canonical JSON of the parsed content; layout and comments do not change it.
        content: the parsed content itself, read-only plain JSON: what the records below were made from.
        topology: stages, in order.
        human_checkpoint_guidance: what an agent is told of the human budget.
        channels: in order; the first carries primary sends.
        surface_fixtures: texts that accompany incoming events, by id.
        record_suffix: every record id is ``<source>:<record_suffix>``.
        terminals: domain terminal -> the ending it is.
    """

    sha256: str
    digest_sha256: str
    content: Mapping[str, Any]
    operation_id: str
    operation_type: str
    operation_version: str
    semantic_scenario_id: str
    topology: tuple[str, ...]
    roles: Mapping[str, Role]
    actors: Mapping[str, str]
    policy: Policy
    human_checkpoint_guidance: str
    channels: Mapping[str, RetryPolicy]
    message_fixtures: Mapping[str, MessageFixture]
    surface_fixtures: Mapping[str, str]
    record_suffix: str
    tools: Mapping[str, Tool]
    events: Mapping[str, EventType]
    actions: Mapping[str, ActionType]
    checkpoints: Mapping[str, CheckpointType]
    obligations: Mapping[str, ObligationKind]
    invariants: tuple[Invariant, ...]
    terminals: Mapping[str, Ending]
    dimensions: tuple[str, ...]
    variants: Mapping[str, Variant]

    def __hash__(self) -> int:
        return hash(self.digest_sha256)  # the mappings have none

    def actor_of_role(self, role: str) -> str:
        """Return the one actor of a role; the loader has made sure of it where the operation needs just one."""
        return next(actor_id for actor_id, held in self.actors.items() if held == role)
