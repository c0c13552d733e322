"""What a domain, an agent and an evaluator are to the engine: protocols, and the plain records they exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from .contract import ReadContract
from .observation import Observation
from .vocabulary import Authority, Ending, Provenance

Scalar = str | int | bool | None


@dataclass(frozen=True, slots=True)
class Trigger:
    """The cause a conditional event waits for.

    Attributes:
        kind: ``"action"`` for an accepted effect, ``"event"`` for an accepted or audited delivery.
        type_name: which action or event type.
        correlation: fields and the values they must have in the cause (its payload, bindings and ``cycle_id``).
    """

    kind: str
    type_name: str
    correlation: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """An authored semantic event, with the surface it is presented by.

    Attributes:
        event_id: used once in an episode.
        sequence: authored position; the second key of the total order.
        payload: the semantic fields, the only thing reducers, guards and evaluator can see.
        triggers_agent: whether an accepted delivery wakes the agent.
        surface_fixture_id: the fixture whose text accompanies the event; null for none.
        at: minutes from the start, or null when ``trigger`` says when.
        trigger: one-shot cause; the event follows ``delay_minutes`` after it.
    """

    event_id: str
    event_type: str
    actor_id: str
    sequence: int
    payload: Mapping[str, Any]
    triggers_agent: bool = True
    surface_fixture_id: str | None = None
    at: int | None = None
    trigger: Trigger | None = None
    delay_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """A semantic event on the queue or being delivered; ``at`` is in minutes from the start."""

    event_id: str
    event_type: str
    actor_id: str
    at: int
    sequence: int
    payload: Mapping[str, Any]
    triggers_agent: bool
    provenance: Provenance
    caused_by: str | None
    surface_fixture_id: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reducer made of a delivered event.

    Attributes:
        accepted: false for a refusal, which must have written nothing.
        code: stable upper-case word, ``ACCEPTED`` by default.
        detail: one sentence for people; empty when accepted.
        cycle_id: the cycle the event belongs to, or null.
        observational: the event was only noted: a claim that changes no fact.
        bindings: names -> ids that conditional events depending on this one must use.
    """

    accepted: bool
    code: str = "ACCEPTED"
    detail: str = ""
    cycle_id: str | None = None
    observational: bool = False
    bindings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Proposal:
    """One action, or the terminal action, as the agent proposed it; an admitted, detached copy."""

    proposal_id: str
    action_type: str
    payload: Mapping[str, Any]
    evidence_refs: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The authority decision on a proposal. Judging reads the state and changes nothing.

    Attributes:
        accepted: whether the proposal may be committed.
        code: refusal code, or ``GRANTED``.
        detail: one sentence for people; empty when granted.
        authority: the authority the action needed, as the domain declares it.
        basis: references of the records the grant rests on, sorted.
        opens_checkpoint: whether committing calls upon a human; the engine counts these against the budget first.
    """

    accepted: bool
    code: str = "GRANTED"
    detail: str = ""
    authority: str = ""
    basis: tuple[str, ...] = ()
    opens_checkpoint: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """What committing a granted proposal did: its code, the cycle it belongs to, and the ids it allocated."""

    code: str = "ACCEPTED"
    cycle_id: str | None = None
    bindings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often scheduled work is attempted, and how many minutes lie between two attempts."""

    max_attempts: int
    backoff_minutes: int


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Scheduled work: one message on one channel. ``work_id`` is its idempotency key.

    Attributes:
        recovery_of: ``work_id`` of the failed work this one makes good, or null.
    """

    work_id: str
    channel: str
    recipient_actor_id: str
    message_fixture_id: str
    correlation_id: str | None
    recovery_of: str | None


@dataclass(frozen=True, slots=True)
class Tool:
    """One row of the retrieval catalogue: where a read comes from, its authority, and the roots it returns."""

    source: str
    authority: Authority
    schema_id: str
    roots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Roles:
    """The names a domain gives to the parts that decisions and scheduled work go through."""

    communication_action: str
    exception_action: str
    terminal_action: str
    exception_resolved_event: str
    work_completed_event: str
    work_failed_event: str
    retry_event: str
    scheduler_actor_id: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Execution limits of an episode; minutes and counts."""

    horizon_minutes: int
    max_turns_per_invocation: int
    max_invocations: int
    max_retrieval_batches_per_invocation: int
    max_requests_per_batch: int
    human_checkpoint_budget: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything about one variant of an operation that does not change while it runs.

    Attributes:
        operation_id: the operation; no variant, scenario or expected terminal is named here or reachable from here.
        starts_at: canonical instant.
        events: authored events, absolute and conditional.
        actors: actor id -> role.
        authority_of_role: role -> authority class of the events its actors emit.
        policy: what the agent is told of the rules.
        message_fixture_ids: sorted; the messages an agent may send.
        surfaces: fixture id -> the text that accompanies an event. Only an observation of that event shows one.
        action_schemas: what is published about each action, the terminal one included.
        wake_event_types: sorted; every type an agent may wait for.
        catalogue: tool -> where it reads; tools take no arguments.
        record_suffix: every record id is ``<source>:<record_suffix>``.
        reads: required and optional reads and evidence for each action, as data.
        channels: channel -> retry policy.
        faults: (message fixture id, channel) -> how many first attempts fail.
        terminals: domain terminal -> the ending it is.
        row_types: the domain's own row types -> their exact payload fields, in order.
    """

    operation_id: str
    starts_at: str
    events: tuple[PlannedEvent, ...]
    actors: Mapping[str, str]
    authority_of_role: Mapping[str, Authority]
    policy: Mapping[str, Any]
    message_fixture_ids: tuple[str, ...]
    surfaces: Mapping[str, str]
    action_schemas: Mapping[str, Any]
    wake_event_types: tuple[str, ...]
    catalogue: Mapping[str, Tool]
    record_suffix: str
    reads: ReadContract
    channels: Mapping[str, RetryPolicy]
    faults: Mapping[tuple[str, str], int]
    terminals: Mapping[str, Ending]
    row_types: Mapping[str, tuple[str, ...]]
    roles: Roles
    limits: Limits


class Environment(Protocol):
    """What the engine lends a reducer or a commit: the clock, rows, timers, scheduled work, checkpoints."""

    @property
    def now(self) -> int:
        """Minutes from the start."""

    def instant(self, minutes: int) -> str:
        """Return the canonical instant ``minutes`` after the start."""

    def record(self, record_type: str, **payload: Any) -> None:
        """Append a row of a declared type."""

    def set_timer(self, event_id: str, event_type: str, after_minutes: int, payload: Mapping[str, Any]) -> None:
        """Let the scheduler emit ``event_type`` after so many minutes; it wakes the agent when accepted."""

    def cancel_timer(self, event_id: str) -> bool:
        """Cancel a pending timer; tell whether it was pending. Its id stays used."""

    def start_dispatch(self, dispatch: Dispatch) -> None:
        """Create scheduled work; its first attempt follows the commit, at the same instant."""

    def open_checkpoint(
        self,
        checkpoint_id: str,
        checkpoint_type: str,
        *,
        assignee_actor_id: str,
        cycle_id: str | None,
        deadline_after_minutes: int,
        evidence_refs: Iterable[str],
        exception_type: str | None = None,
    ) -> None:
        """Record that a human is called upon."""

    def resolve_checkpoint(self, checkpoint_id: str, checkpoint_type: str, resolution: str, resolved_by: str) -> None:
        """Record that a human, or a deadline, resolved a checkpoint."""

    def open_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, due_after_minutes: int) -> None:
        """Record a duty of the agent."""

    def close_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, how: str) -> None:
        """Record that a duty was ``discharged``, ``cancelled`` or ``breached``."""

    def accept_terminal(self, outcome: str, cycle_id: str | None, actor_id: str | None) -> None:
        """Record that the operation is replay-final with ``outcome``, one of the plan's terminals."""


class Operation(Protocol):
    """A domain. The engine owns time, order and the record; the domain owns state and rules.

    Rules:
        * ``judge`` reads; only ``reduce_event``, ``commit``, ``attempt_failed`` and ``dispatch_ended`` change it.
        * A refusing ``reduce_event`` has changed nothing and recorded nothing.
        * Once ``is_replay_final`` holds, the engine calls none of them any more.
    """

    @property
    def plan(self) -> Plan:
        """The constant part."""

    def initial_state(self) -> Any:
        """Return a fresh state."""

    def canonical_state(self, state: Any) -> dict[str, Any]:
        """Return the whole state as fresh plain JSON."""

    def phase(self, state: Any) -> str:
        """Return the one coarse word an observation shows."""

    def is_replay_final(self, state: Any) -> bool:
        """Tell whether nothing can change any more."""

    def serve(self, state: Any, tool: str) -> dict[str, Any]:
        """Return the roots of one tool as plain JSON, by root."""

    def reduce_event(self, state: Any, event: Event, environment: Environment) -> Verdict:
        """Check a delivered event and apply it."""

    def judge(self, state: Any, proposal: Proposal) -> Judgement:
        """Decide on a proposal. Reads and evidence have been checked against the read contract before."""

    def commit(self, state: Any, proposal: Proposal, environment: Environment) -> Effect:
        """Carry a granted proposal out."""

    def attempt_failed(self, state: Any, dispatch: Dispatch, attempt: int) -> None:
        """Note that an attempt failed and another will follow."""

    def dispatch_ended(self, state: Any, dispatch: Dispatch, *, delivered: bool, environment: Environment) -> None:
        """Apply what a delivery, or its final failure, means for the state."""

    def monitor(self, state: Any) -> str | None:
        """Return the code of a critical invariant that the state breaks, ``INVARIANT_…``, or null."""


class Agent(Protocol):
    """What is measured. It sees observations, and returns decisions (:mod:`.decisions`)."""

    def decide(self, observation: Observation) -> object:
        """Return a decision; whatever else is returned or raised is recorded as malformed."""


class ConversationalAgent(Protocol):
    """An agent that also gets the session so far, which the engine keeps and rebuilds; it is derived context only."""

    def converse(self, observation: Observation, session: Sequence[Mapping[str, Any]]) -> object:
        """Return a decision, as :meth:`Agent.decide`."""


class ExternalActor(Protocol):
    """Somebody outside: reacts to causes with events."""

    @property
    def actor_id(self) -> str:
        """Who it is."""

    def react(self, kind: str, type_name: str, facts: Mapping[str, Scalar]) -> Sequence[PlannedEvent]:
        """Return the events this cause brings about, each once in an episode."""


class AuthoritativeSystem(Protocol):
    """A source that can be read, and what its word is worth."""

    @property
    def source(self) -> str:
        """Its name."""

    @property
    def authority(self) -> Authority:
        """What its word is worth."""

    def read(self, tool: str) -> dict[str, Any]:
        """Return the roots of one of its tools, as they are now."""


class HumanCheckpoint(Protocol):
    """A place where a human must decide before the agent may go on."""

    @property
    def checkpoint_id(self) -> str:
        """Its id, used once."""

    @property
    def checkpoint_type(self) -> str:
        """What is to be decided."""

    @property
    def assignee_actor_id(self) -> str:
        """Who is to decide."""


class Evaluator(Protocol):
    """Grades a record; never raises on one."""

    def evaluate(self, record: Mapping[str, Any], reproduction: Mapping[str, str] | None) -> Any:
        """Return the evaluation of an episode's record, given the digests of its second execution or null."""
