"""Makes observations: what never changes is frozen and encoded once for each episode, the rest once for each call."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from .observation import Observation
from .plain import canonical, frozen_copy, thaw
from .protocol import Event
from .retrieval import Served
from .run import Run


@dataclass(frozen=True, slots=True)
class Wake:
    """Why the agent is called: the waking event as an observation shows it, or nothing after a fallback.

    Attributes:
        event: the waking event, or null.
        view: what is shown of it, read-only, or null.
        fragment: the canonical bytes of that.
        claim_values: its id and the texts of its payload, sorted; what a proposal may cite of it.
        authority: what its word is worth, or null.
        is_authoritative: whether that makes it a fact.
    """

    event: Event | None
    view: Mapping[str, Any] | None
    fragment: orjson.Fragment
    claim_values: tuple[str, ...]
    authority: str | None
    is_authoritative: bool


NO_EVENT = Wake(None, None, orjson.Fragment(b"null"), (), None, is_authoritative=False)
"""The wake by a fallback."""


def wake_by(run: Run, event: Event) -> Wake:
    """Return the wake by a delivered event, with its surface, if it has one."""
    authority = run.authority_of(event.actor_id).value
    is_authoritative = run.is_authoritative(event.actor_id)
    fixture_id = event.surface_fixture_id
    shown = {
        "event_id": event.event_id,
        "event_type": event.event_type,
        "actor_id": event.actor_id,
        "payload": thaw(event.payload),
        "authority": authority,
        "is_authoritative": is_authoritative,
        "surface": None if fixture_id is None else {"fixture_id": fixture_id, "text": run.plan.surfaces[fixture_id]},
    }
    texts = {value for value in event.payload.values() if type(value) is str and value}
    claims = tuple(sorted({event.event_id, *texts}))
    return Wake(event, frozen_copy(shown), orjson.Fragment(canonical(shown)), claims, authority, is_authoritative)


class Observer:
    """Makes the observations of one episode."""

    __slots__ = ("_catalogue", "_fragments", "_opening", "_run", "_views")

    def __init__(self, run: Run, instance_id: str) -> None:
        plan = run.plan
        constant = {
            "operation_instance_id": instance_id,
            "operation_id": plan.operation_id,
            "policy": plan.policy,
            "actors": plan.actors,
            "message_fixture_ids": plan.message_fixture_ids,
            "action_schemas": plan.action_schemas,
            "wake_event_types": plan.wake_event_types,
        }
        catalogue = {
            name: {
                "source": tool.source,
                "authority": tool.authority.value,
                "schema_id": tool.schema_id,
                "roots": list(tool.roots),
            }
            for name, tool in plan.catalogue.items()
        }
        self._run = run
        self._views = {name: frozen_copy(value) for name, value in constant.items()}
        fragments = {name: orjson.Fragment(canonical(thaw(value))) for name, value in constant.items()}
        self._catalogue = frozen_copy(catalogue), orjson.Fragment(canonical(catalogue))
        # The names that sort before every changing one open each observation with the same bytes, which are most of it.
        opening = canonical({name: part for name, part in fragments.items() if name < "event"})
        self._opening = hashlib.sha256(opening[:-1] + b",")
        self._fragments = {name: part for name, part in fragments.items() if name > "event"}

    def observe(
        self,
        wake: Wake,
        served: Mapping[str, Served],
        *,
        invocation_index: int,
        turn_index: int,
        phase: str,
        last_rejection: Mapping[str, str] | None,
        batches_left: int,
    ) -> tuple[Observation, str]:
        """Return what the agent sees, and the SHA-256 of its canonical wire form.

        Args:
            wake: why the agent was called.
            served: tool -> what the agent holds.
            invocation_index: from 1.
            turn_index: calls of the invocation before this one.
            phase: the domain's coarse word.
            last_rejection: the last refusal of the invocation, or null.
            batches_left: batches the invocation may still use.
        """
        reading = {
            "batch_budget_remaining": batches_left,
            "max_requests_per_batch": self._run.plan.limits.max_requests_per_batch,
        }
        own: dict[str, Any] = {
            "now": self._run.clock.text,
            "invocation_index": invocation_index,
            "turn_index": turn_index,
            "phase": phase,
        }
        catalogue_view, catalogue_fragment = self._catalogue
        wires = {tool: result.wire for tool, result in served.items()}
        data = canonical(
            {
                **self._fragments,
                **own,
                "last_rejection": last_rejection,
                "event": wake.fragment,
                "retrieval": {**reading, "catalogue": catalogue_fragment, "served": wires},
            }
        )
        views = MappingProxyType({tool: result.view for tool, result in served.items()})
        observation = Observation(
            **self._views,
            **own,
            last_rejection=None if last_rejection is None else MappingProxyType(dict(last_rejection)),
            event=wake.view,
            retrieval=MappingProxyType({**reading, "catalogue": catalogue_view, "served": views}),
        )
        digest = self._opening.copy()
        digest.update(memoryview(data)[1:])
        return observation, digest.hexdigest()
