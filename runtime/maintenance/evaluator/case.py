"""One pass over a record: every index the checks need, built once, from a record of which any part may be damaged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from ...core.protocol import Plan
from ..spec.records import OperationSpec, Variant
from .record import Checkpoint, Delivery, Duty, Proposed, Row, Timer, Wait, Work, finding, name
from .result import Finding
from .shapes import EVENT_FORM, OUTCOME_SHAPE, ROW_FORMS, STATE_SHAPE, epoch_seconds, payload_fits

DELIVERY_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "event_observed": "accepted",
        "event_audit_only": "audit",
        "event_rejected": "rejected",
        "event_after_terminal": "post_terminal",
    }
)
"""Record type of a delivery -> the disposition it stands for."""

REPRODUCED = ("final_state_digest_sha256", "trajectory_digest_sha256")
"""What a second execution is compared by."""

_EMPTY_STATE: Mapping[str, Any] = MappingProxyType(
    {root: [] for root in STATE_SHAPE if STATE_SHAPE[root]([])}
    | {"phase": "", "customer_resolution": "", "reopen_count": 0, "hidden": MappingProxyType({})}
)


_UNCOMMITTED = frozenset({*DELIVERY_KINDS, "agent_invoked", "agent_outcome", "action_proposed", "terminal_proposed"})
"""Record types that cannot stand between an authority decision and its accepted effect."""

_Built = TypeVar("_Built")
_Known = TypeVar("_Known", Checkpoint, Duty, Work, Timer)


class Case:
    """A record, read. What lacks its form is in ``damage`` and nowhere else.

    Attributes:
        outcome: the fields of the record that have their form.
        state: root -> value of the final state; an empty one where the record's lacks its form.
        damage: structural finding code -> findings.
        rows: rows that have their form, in order; ``of_kind`` groups them.
        deliveries: events that have their form; ``facts`` groups by type the ones that were accepted, bound to their
            row, of declared form and from an entitled actor: nothing else can establish a fact.
        proposals: all, in order; ``by_proposal_id`` has the first of each id; ``effects`` groups by action type the
            accepted ones whose payload is of declared form.
        reproduction: the digests of the second execution; empty unless exactly these were given.
        orphans: rows about a proposal, checkpoint, obligation, work or timer that the record had not introduced, or
            that introduce one a second time.
        invoked: the rows that opened the agent's invocations.
        started_at: the instant from which minutes are counted, in seconds.
    """

    def __init__(self, spec: OperationSpec, variant: Variant, plan: Plan, record: object, reproduction: object) -> None:
        self.spec = spec
        self.variant = variant
        self.plan = plan
        self.record = record if type(record) is dict else {}
        self.reproduction = _reproduction(reproduction)
        self.damage: dict[str, list[Finding]] = defaultdict(list)
        self.outcome = self._outcome()
        self.state = self._state()
        self.rows: list[Row] = []
        self.of_kind: dict[str, list[Row]] = defaultdict(list)
        self.at_position: dict[int, Row] = {}
        self.proposals: list[Proposed] = []
        self.by_proposal_id: dict[str, Proposed] = {}
        self.checkpoints: dict[str, Checkpoint] = {}
        self.duties: dict[str, Duty] = {}
        self.works: dict[str, Work] = {}
        self.timers: dict[str, Timer] = {}
        self.waits: list[Wait] = []
        self.orphans: dict[str, list[Row]] = defaultdict(list)
        self.invoked: list[Row] = []
        self.delivery_rows: dict[str, list[Row]] = defaultdict(list)
        self.first_read: dict[str, Row] = {}
        self.started_at = epoch_seconds(plan.starts_at) or 0
        _Pass(self).run()
        self.effects: dict[str, list[Proposed]] = defaultdict(list)
        for proposed in self.proposals:
            if proposed.effect is not None and proposed.usable:
                self.effects[proposed.action_type].append(proposed)
        self.deliveries: list[Delivery] = []
        self.by_event_id: dict[str, Delivery] = {}
        self.facts: dict[str, list[Delivery]] = defaultdict(list)
        self._read_events()
        self._built: dict[tuple[str, ...], Any] = {}

    def once(self, key: tuple[str, ...], build: Callable[[], _Built]) -> _Built:
        """Return what ``build`` gives, which is built once for each ``key``."""
        if key not in self._built:
            self._built[key] = build()
        built: _Built = self._built[key]
        return built

    def fact(self, event_type: str, field: str) -> Mapping[Any, list[Delivery]]:
        """Return payload value -> facts of one event type, in order of delivery."""

        def build() -> Mapping[Any, list[Delivery]]:
            index: dict[Any, list[Delivery]] = defaultdict(list)
            for delivery in self.facts.get(event_type, ()):
                index[delivery.payload.get(field)].append(delivery)
            return dict(index)

        return self.once((event_type, field), build)

    def entry(self, root: str, field: str) -> Mapping[Any, Mapping[str, Any]]:
        """Return field value -> the last record of a list root of the final state that has it."""
        return self.once((root, field), lambda: {item[field]: item for item in self.state[root]})

    def minute(self, instant: str) -> int:
        """Return minutes from the start of a canonical instant; part of a minute is cut off."""
        seconds = epoch_seconds(instant)
        assert seconds is not None
        return (seconds - self.started_at) // 60

    @property
    def ended_at(self) -> int:
        """Minutes from the start at which the record ends."""
        return self.rows[-1].at if self.rows else 0

    @property
    def is_final(self) -> bool:
        """Whether the operation came to a terminal of its domain."""
        return self.outcome.get("status") in self.plan.terminals

    def _outcome(self) -> dict[str, Any]:
        for missing in sorted(OUTCOME_SHAPE.keys() - self.record.keys()):
            self._damaged("RECORD_FIELDS_BROKEN", f"the record has no {missing}")
        if unknown := len(self.record.keys() - OUTCOME_SHAPE.keys()):
            self._damaged("RECORD_FIELDS_BROKEN", f"the record has {unknown} fields too many")
        fit = {}
        for field in OUTCOME_SHAPE.keys() & self.record.keys():
            if OUTCOME_SHAPE[field](self.record[field]):
                fit[field] = self.record[field]
            else:
                self._damaged("RECORD_FIELDS_BROKEN", f"{field} of the record has not its form")
        self.damage["RECORD_FIELDS_BROKEN"].sort(key=lambda item: item.detail)
        return fit

    def _state(self) -> dict[str, Any]:
        given = self.outcome.get("final_state", {})
        state = {}
        for root, kind in STATE_SHAPE.items():
            if root in given and kind(given[root]):
                state[root] = given[root]
            else:
                state[root] = _EMPTY_STATE.get(root)
                self._damaged("FINAL_STATE_FORM_BROKEN", f"{root} of the final state is missing or has not its form")
        if unknown := len(given.keys() - STATE_SHAPE.keys()):
            self._damaged("FINAL_STATE_FORM_BROKEN", f"the final state has {unknown} roots too many")
        return state

    def _damaged(self, code: str, detail: str, *positions: int) -> None:
        self.damage[code].append(finding(code, detail, positions=positions))

    def _read_events(self) -> None:
        for position, value in enumerate(self.outcome.get("events", ())):
            if not EVENT_FORM(value):
                self._damaged("EVENT_FORM_BROKEN", f"event {position} has not the form of an event")
                continue
            delivery = self._delivery(position, value)
            self.deliveries.append(delivery)
            first = self.by_event_id.setdefault(delivery.event_id, delivery)
            rows = self.delivery_rows.get(delivery.event_id, [])
            if first is delivery and len(rows) == 1 and agrees(delivery, rows[0]):
                delivery.row = rows[0]
                if delivery.usable and delivery.entitled and delivery.disposition in {"accepted", "audit"}:
                    self.facts[delivery.event_type].append(delivery)
        for facts in self.facts.values():
            facts.sort(key=lambda fact: fact.row.position if fact.row is not None else 0)

    def _delivery(self, position: int, value: Mapping[str, Any]) -> Delivery:
        declared = self.spec.events.get(value["event_type"])
        role = self.spec.roles.get(self.spec.actors.get(value["actor_id"], ""))
        return Delivery(
            position=position,
            **{**value, "at": self.minute(value["at"])},
            usable=declared is not None and payload_fits(value["payload"], declared.required, declared.optional),
            entitled=declared is not None and role is not None and declared.authority in role.authorities,
        )


def _reproduction(given: object) -> Mapping[str, str]:
    """Return the digests that were given. Only exact types are looked at: a stranger's would run their own code."""
    if type(given) is not dict or not all(type(key) is str for key in given) or given.keys() != set(REPRODUCED):
        return {}
    return {key: digest if type(digest) is str else "" for key, digest in given.items()}


def agrees(delivery: Delivery, row: Row) -> bool:
    """Tell whether a delivery and its row say the same."""
    return (
        DELIVERY_KINDS[row.kind] == delivery.disposition
        and row.at == delivery.at
        and row["event_type"] == delivery.event_type
        and row["actor_id"] == delivery.actor_id
        and row["caused_by"] == delivery.caused_by
        and row["code"] == delivery.verdict_code
    )


class _Pass:
    """The pass over the trajectory, and what is open while it runs."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._invoked: Row | None = None
        self._committing: Proposed | None = None
        self._wait: Wait | None = None
        self._served: dict[str, Row] = {}
        self._versions: dict[str, tuple[Row, Row]] = {}

    def run(self) -> None:
        case = self._case
        rows, of_kind, at_position = case.rows, case.of_kind, case.at_position
        for position, value in enumerate(case.outcome.get("trajectory", ())):
            row = self._admit(position, value)
            if row is None:
                continue
            if rows and row.at < rows[-1].at:
                self._damaged(
                    "TRAJECTORY_TIMESTAMPS_NOT_MONOTONIC", "a row is earlier than the one before it", position
                )
            rows.append(row)
            of_kind[row.kind].append(row)
            at_position[position] = row
            if row.kind in _UNCOMMITTED:
                self._committing = None
            elif self._committing is not None:
                self._committing.brought.append(row)
            if (handler := self._HANDLERS.get(row.kind)) is not None:
                handler(self, row)

    def _admit(self, position: int, value: object) -> Row | None:
        if type(value) is not dict:
            self._damaged("TRAJECTORY_ROW_NOT_A_RECORD", "a row is not an object", position)
            return None
        index = value.get("index")
        if type(index) is not int or index != position:
            self._damaged("TRAJECTORY_INDICES_NOT_CONTIGUOUS", "a row does not state its own position", position)
        kind = value.get("record_type")
        form = ROW_FORMS.get(kind) if type(kind) is str else None
        if form is None:
            self._damaged("TRAJECTORY_UNKNOWN_RECORD_TYPE", f"unknown record type {name(kind)}", position)
            return None
        seconds, started_at = epoch_seconds(value.get("at")), self._case.started_at
        if seconds is None or (seconds - started_at) % 60:
            self._damaged("TRAJECTORY_TIMESTAMP_NOT_CANONICAL", "a row states no canonical instant", position)
            return None
        if not form(value):
            self._damaged("TRAJECTORY_ROW_FORM_BROKEN", f"the {kind} row has not its declared form", position)
            return None
        invocation = len(self._case.invoked) if self._invoked is not None else 0
        return Row(position, (seconds - started_at) // 60, str(kind), invocation, value)

    def _damaged(self, code: str, detail: str, position: int) -> None:
        self._case.damage[code].append(finding(code, detail, positions=(position,)))

    def _delivered(self, row: Row) -> None:
        self._case.delivery_rows[row["event_id"]].append(row)
        self._invoked = None

    def _agent_invoked(self, row: Row) -> None:
        self._wait_ended(row)
        self._case.invoked.append(row)
        self._invoked = row
        self._forget()

    def _forget(self) -> None:
        self._served, self._versions = {}, {}

    def _wait_declared(self, row: Row) -> None:
        self._wait = Wait(row)
        self._case.waits.append(self._wait)

    def _wait_ended(self, row: Row) -> None:
        if self._wait is not None:
            self._wait.end = row
            self._wait = None
        if row.kind == "wait_fallback_fired":
            self._invoked = None

    def _ended(self, _row: Row) -> None:
        self._invoked = None

    def _read(self, row: Row) -> None:
        tool = row["tool"]
        self._case.first_read.setdefault(tool, row)
        entry = self._case.plan.catalogue.get(tool)
        if entry is None or entry.authority != row["authority"] or self._invoked is None:
            return
        before = self._served.get(tool)
        if before is not None and before["record_version"] != row["record_version"]:
            self._versions = {**self._versions, tool: (before, row)}
        # A new dict each time: proposals keep the window they saw. It has at most as many entries as there are tools.
        self._served = {**self._served, tool: row}

    def _proposed(self, row: Row) -> None:
        terminal = row.kind == "terminal_proposed"
        action_type = self._case.plan.roles.terminal_action if terminal else row["action_type"]
        payload = {} if terminal else row["payload"]
        declared = self._case.spec.actions.get(action_type)
        proposed = Proposed(
            row=row,
            proposal_id=row["proposal_id"],
            action_type=action_type,
            payload=payload,
            evidence=frozenset(row["evidence_refs"]),
            usable=declared is not None and payload_fits(payload, declared.required, declared.optional),
            served=self._served,
            versions=self._versions,
            invoked=self._invoked,
        )
        self._case.proposals.append(proposed)
        if self._case.by_proposal_id.setdefault(proposed.proposal_id, proposed) is not proposed:
            self._case.orphans["proposal"].append(row)

    def _answered(self, row: Row) -> None:
        proposed = self._case.by_proposal_id.get(row["proposal_id"])
        if proposed is None:
            self._case.orphans["proposal"].append(row)
            return
        if row.kind == "authority_decided":
            proposed.decisions.append(row)
            self._committing = proposed
            return
        self._committing = None
        if row.kind == "effect_accepted":
            proposed.effects.append(row)
            if proposed.row.kind == "action_proposed":
                self._forget()
        else:
            proposed.rejections.append(row)

    def _checkpoint(self, row: Row) -> None:
        self._introduce("checkpoint", self._case.checkpoints, row["checkpoint_id"], Checkpoint(row, self._committing))

    def _duty(self, row: Row) -> None:
        self._introduce("obligation", self._case.duties, row["obligation_id"], Duty(row, self._committing))

    def _work(self, row: Row) -> None:
        self._introduce("work", self._case.works, row["work_id"], Work(row, self._committing))

    def _timer(self, row: Row) -> None:
        self._introduce("timer", self._case.timers, row["event_id"], Timer(row))

    def _introduce(self, family: str, known: dict[str, _Known], key: str, new: _Known) -> None:
        if known.setdefault(key, new) is not new:
            self._case.orphans[family].append(new.row)

    def _resolved(self, row: Row) -> None:
        checkpoint = self._case.checkpoints.get(row["checkpoint_id"])
        (self._case.orphans["checkpoint"] if checkpoint is None else checkpoint.resolutions).append(row)

    def _duty_closed(self, row: Row) -> None:
        duty = self._case.duties.get(row["obligation_id"])
        (self._case.orphans["obligation"] if duty is None else duty.closings).append(row)

    def _attempt(self, row: Row) -> None:
        work = self._case.works.get(row["work_id"])
        (self._case.orphans["work"] if work is None else work.attempts).append(row)

    def _work_ended(self, row: Row) -> None:
        work = self._case.works.get(row["work_id"])
        (self._case.orphans["work"] if work is None else work.ends).append(row)

    def _timer_cancelled(self, row: Row) -> None:
        timer = self._case.timers.get(row["event_id"])
        (self._case.orphans["timer"] if timer is None else timer.cancellations).append(row)

    _HANDLERS: ClassVar[Mapping[str, Callable[[_Pass, Row], None]]] = MappingProxyType(
        {
            **dict.fromkeys(DELIVERY_KINDS, _delivered),
            "agent_invoked": _agent_invoked,
            "wait_declared": _wait_declared,
            "wait_fallback_fired": _wait_ended,
            "wait_unresolved_at_horizon": _wait_ended,
            "retrieval_served": _read,
            "action_proposed": _proposed,
            "terminal_proposed": _proposed,
            "action_rejected": _answered,
            "terminal_rejected": _answered,
            "authority_decided": _answered,
            "effect_accepted": _answered,
            "checkpoint_opened": _checkpoint,
            "checkpoint_resolved": _resolved,
            "obligation_created": _duty,
            **dict.fromkeys(("obligation_discharged", "obligation_cancelled", "obligation_breached"), _duty_closed),
            "work_created": _work,
            **dict.fromkeys(("side_effect", "side_effect_failed"), _attempt),
            **dict.fromkeys(("work_completed", "work_failed", "work_cancelled"), _work_ended),
            "timer_scheduled": _timer,
            "timer_cancelled": _timer_cancelled,
            "episode_ended": _ended,
        }
    )
    """Record type -> what reads such a row."""
