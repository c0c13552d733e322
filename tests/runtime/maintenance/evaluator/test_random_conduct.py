"""Whatever an agent does, engine and environment are not blamed for it: no integrity check fires on a real record."""

import random
from typing import Any

import pytest

from operatebench.runtime.core import decisions
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.runtime.maintenance.evaluator.episodes import grade, predicate_of

BLAMELESS = ("critical_invariants", "deterministic_replay", "environment_integrity")
MODULES = ("integrity", "proposals", "carried_out")
FUNCTIONS = (
    "authority.decisions_name_the_authority",
    "authority.emitters_are_entitled",
    "checkpoints.openings_are_founded",
    "checkpoints.resolutions_are_founded",
    "obligations.closings_are_founded",
    "obligations.lifecycles_hold",
    "obligations.messages_are_established",
    "obligations.openings_are_founded",
    "temporal.decisions_in_time",
    "temporal.fallbacks_are_proven",
    "temporal.interrupts_are_proven",
    "temporal.invocations_have_causes",
    "terminal.one_terminal",
)
QUOTED = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope", "cycle_id")


class Erratic:
    """The reference, which now and then does something at random instead."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._reference = AGENTS["reference"]()
        self._share = self._random.choice([0.02, 0.1, 0.3])

    def decide(self, observation: Observation) -> object:
        if self._random.random() > self._share:
            return self._reference.decide(observation)
        return self._random.choice(self._menu(observation))

    def _menu(self, observation: Observation) -> list[object]:
        pick, served = self._random, observation.retrieval["served"]
        found = {root: records for read in served.values() for root, records in read["records"].items()}

        def one(root: str, field: str, otherwise: str) -> Any:
            return pick.choice(found[root])[field] if found.get(root) else otherwise

        cycle, quote = one("cycles", "cycle_id", "work_cycle_1"), pick.choice(found.get("quotes") or [None])
        refs = [one("authoritative_records", "record_id", "none"), one("quotes", "quote_key", cycle)][
            : pick.randrange(3)
        ]
        invoice, approval = one("invoices", "invoice_id", "none"), one("approvals", "checkpoint_id", "none")
        person, message = pick.choice(list(observation.actors)), pick.choice(list(observation.message_fixture_ids))
        wake_on = pick.sample(list(observation.wake_event_types), pick.randrange(4))
        visit = {"visit_type": "DIAGNOSTIC", "cycle_id": cycle, "supplier_actor_id": "plumber_1"}
        sent = {
            "recipient_actor_id": person,
            "message_fixture_id": message,
            "correlation_id": pick.choice([cycle, approval]),
        }
        again = {**sent, "channel": "secondary", "recovery_of": "message_1"}
        menu: list[object] = [
            None,
            {"kind": "ACT"},
            decisions.retrieve(*pick.sample(sorted(observation.retrieval["catalogue"]), pick.randrange(1, 9))),
            decisions.wait("x", wake_on, pick.choice([None, 0, 60, 3_000, 50_000])),
            decisions.complete("x", refs),
            decisions.act("fly", {}),
            decisions.act("request_supplier_visit", visit, refs),
            decisions.act("request_invoice_validation", {"invoice_id": invoice}, refs),
            decisions.act("request_payment", {"invoice_id": invoice, "amount_minor": 29_520, "currency": "GBP"}, refs),
            decisions.act("send_message", pick.choice([sent, again]), refs),
            decisions.escalate(approval, "APPROVAL_REJECTED", refs, pick.choice([1_440, 5, 0])),
            decisions.ask("tenant_1", message, decisions.wait("x", wake_on, 30), pick.choice([None, cycle])),
        ]
        if quote is not None:
            terms = {term: quote[term] for term in QUOTED}
            menu.append(decisions.act("request_approval", {**terms, "deadline_after_minutes": 4_320}, refs))
            named = {term: quote[term] for term in ("quote_id", "quote_version", "cycle_id")}
            menu.append(decisions.act("authorise_supplier_work", {**named, "approval_checkpoint_id": approval}, refs))
        return menu


@pytest.mark.parametrize("variant_id", ["V1", "V2", "V3"])
def test_random_conduct_is_never_the_environments_fault(variant_id: str) -> None:
    for seed in range(20):
        operation = MaintenanceOperation(packaged_spec(), variant_id)
        record = run_episode(operation, Erratic(seed), instance_id="opinst_" + "0" * 32).outcome.to_wire()
        for finding in grade(record, variant_id).findings:
            predicate = predicate_of(finding.code).predicate_id
            assert finding.dimension not in BLAMELESS, (seed, finding)
            assert predicate not in FUNCTIONS, (seed, finding)
            assert predicate.partition(".")[0] not in MODULES, (seed, finding)
