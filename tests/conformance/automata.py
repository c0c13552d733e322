"""The automata of the replay vectors: one in full, the others as what is different in them."""

import json
from copy import deepcopy
from importlib.resources import files
from typing import Any

from operatebench.conformance.patching import patched
from operatebench.conformance.replay import Runtime


def card(name: str) -> Any:
    return json.loads(files("operatebench.samples").joinpath("cards", f"{name}.json").read_bytes())


def act(name: str) -> dict[str, Any]:
    return {"kind": "ACT", "action_type": name, "payload": {}, "evidence_refs": [], "rationale": "The table says so."}


WAIT = {"kind": "WAIT", "reason": "Nothing to do.", "wake_on": [], "fallback_after_minutes": 60}
COMPLETE = {"kind": "COMPLETE", "reason": "Done.", "evidence_refs": []}
ASK, BOOK = act("ask_approval"), act("book_visit")
AUTOMATON: dict[str, Any] = {
    "automaton": "operatebench.conformance_automaton.v1",
    "source_identity_digest_sha256": "a" * 64,
    "spec_sha256": None,
    "selection": {
        "track": "conformance",
        "pack": "automaton",
        "operation_id": "HEATING.REPAIR",
        "variant_id": "LATE-QUOTE",
        "arm": "full_lifecycle",
        "plan": "none",
    },
    "cards": {
        name: card(file)
        for name, file in (("operation", "operation"), ("semantic_scenario", "scenario"), ("variant", "variant"))
    },
    "projections": {
        "card_schema_content": {"/contract_resources/cards": {"size": 1, "sha256": "1" * 64}},
        "build_provenance_content": {"/build/distribution": "automaton"},
        "operation_core_content": {"/source/operation": {"size": 2, "sha256": "2" * 64}},
        "semantic_scenario_content": {},
        "variant_content": {},
        "runtime_contract_content": {"/runtime/max_steps": 6, "/source/engine": {"size": 3, "sha256": "3" * 64}},
        "arm_protocol_content": {"/arm/name": "full_lifecycle"},
        "provider_run_plan_content": {"/provider/plan": "none"},
        "evaluator_bundle_content": {"/source/evaluator": {"size": 4, "sha256": "4" * 64}},
        "analysis_contract_content": {"/analysis/estimand": "share of runs in which every dimension holds"},
    },
    "agents": {
        "careful": {
            "projection": {"/agent/id": "careful"},
            "decisions": {"opened": ASK, "asked": WAIT, "approved": BOOK, "booked": COMPLETE},
        },
        "hasty": {
            "projection": {"/agent/id": "hasty"},
            "decisions": {"opened": BOOK, "asked": BOOK, "approved": BOOK, "booked": COMPLETE},
        },
        "idle": {
            "projection": {"/agent/id": "idle"},
            "decisions": {"opened": WAIT, "asked": WAIT, "approved": WAIT, "booked": WAIT},
        },
    },
    "outcome_source": "deterministic",
    "starts_at": "2032-02-28T22:00:00Z",
    "start": "opened",
    "max_steps": 6,
    "states": {
        "opened": {
            "choices": [
                {
                    "decision": ASK,
                    "then": {
                        "next": "asked",
                        "minutes": 5,
                        "rows": [
                            {"record_type": "approval_asked", "body": {"checkpoint": "approval", "text": "Grüße ☎"}},
                            {"record_type": "timer_set", "body": {"minutes": 60}},
                        ],
                    },
                },
                {
                    "decision": BOOK,
                    "then": {
                        "next": "booked",
                        "minutes": 5,
                        "rows": [{"record_type": "visit_booked", "body": {"approved": False}}],
                    },
                },
            ],
            "otherwise": {"next": "opened", "minutes": 60, "rows": [{"record_type": "nothing_done", "body": {}}]},
        },
        "asked": {
            "choices": [
                {
                    "decision": WAIT,
                    "then": {
                        "next": "approved",
                        "minutes": 1440,
                        "rows": [{"record_type": "approval_given", "body": {"by": "tenant", "limit": 250}}],
                        "events": [{"event_type": "approval", "actor_id": "tenant", "payload": {"limit": 250}}],
                    },
                }
            ],
            "otherwise": {"next": "asked"},
        },
        "approved": {
            "choices": [
                {
                    "decision": BOOK,
                    "then": {
                        "next": "booked",
                        "minutes": 10,
                        "rows": [{"record_type": "visit_booked", "body": {"approved": True}}],
                    },
                }
            ],
            "otherwise": {"next": "approved"},
        },
        "booked": {
            "choices": [
                {"decision": COMPLETE, "then": {"next": "done", "rows": [{"record_type": "completed", "body": {}}]}}
            ],
            "otherwise": {"next": "booked"},
        },
        "done": {"terminal": "completed_successfully"},
    },
    "outcome_classes": {"completed_successfully": "success", "operational_horizon_exhausted": "abandoned"},
    "rules": [
        {
            "dimension": "completion",
            "code": "NOT_COMPLETED",
            "detail": "The work was not completed.",
            "record_type": "completed",
            "at_least": 1,
        },
        {
            "dimension": "approval",
            "code": "NOT_APPROVED",
            "detail": "Nobody approved.",
            "record_type": "approval_given",
            "at_least": 1,
        },
        {
            "dimension": "effort",
            "code": "IDLE",
            "detail": "Time passed and nothing was done.",
            "record_type": "nothing_done",
            "at_most": 1,
        },
    ],
    "touches": {"approval_asked": "required"},
}
OTHER_SOURCE = {"op": "replace", "path": "/source_identity_digest_sha256", "value": "b" * 64}


def replaced(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


ROW = "/states/opened/choices/0/then/rows/1/body/minutes"
OTHER_EVALUATOR = replaced("/projections/evaluator_bundle_content/~1source~1evaluator/size", 5)
STRICTER = replaced("/rules/2/at_most", 0)
RUNTIMES: dict[str, Any] = {
    "reference": {"automaton": AUTOMATON},
    "other_evaluator": {
        "base": "reference",
        "patch": [OTHER_SOURCE, OTHER_EVALUATOR, replaced("/rules/1/at_least", 2)],
    },
    "other_evaluator_of_the_same_source": {"base": "reference", "patch": [OTHER_EVALUATOR]},
    "other_analysis": {
        "base": "reference",
        "patch": [OTHER_SOURCE, replaced("/projections/analysis_contract_content/~1analysis~1estimand", "another one")],
    },
    "other_engine": {
        "base": "reference",
        "patch": [OTHER_SOURCE, replaced("/projections/runtime_contract_content/~1source~1engine/size", 9)],
    },
    "other_spec": {
        "base": "reference",
        "patch": [
            replaced("/spec_sha256", "c" * 64),
            replaced("/projections/operation_core_content/~1source~1operation/size", 9),
        ],
    },
    "reassigned": {
        "base": "reference",
        "patch": [
            OTHER_SOURCE,
            {"op": "remove", "path": "/projections/operation_core_content/~1source~1operation"},
            {
                "op": "add",
                "path": "/projections/variant_content/~1source~1operation",
                "value": {"size": 2, "sha256": "2" * 64},
            },
        ],
    },
    "without_the_agent": {"base": "reference", "patch": [OTHER_SOURCE, {"op": "remove", "path": "/agents/careful"}]},
    "without_the_agent_of_the_same_source": {
        "base": "reference",
        "patch": [{"op": "remove", "path": "/agents/careful"}],
    },
    "agent_changed_its_mind": {"base": "reference", "patch": [replaced("/agents/careful/decisions/asked", ASK)]},
    "engine_writes_another_row": {"base": "reference", "patch": [replaced(ROW, 90)]},
    "engine_takes_longer": {"base": "reference", "patch": [replaced("/states/approved/choices/0/then/minutes", 11)]},
    "engine_delivers_another_event": {
        "base": "reference",
        "patch": [replaced("/states/asked/choices/0/then/events/0/payload/limit", 251)],
    },
    "class_has_another_name": {
        "base": "reference",
        "patch": [replaced("/outcome_classes/completed_successfully", "failure")],
    },
    "grade_is_stricter": {"base": "reference", "patch": [replaced("/rules/1/at_least", 2)]},
    "recorded": {
        "base": "reference",
        "patch": [
            replaced("/outcome_source", "recorded"),
            replaced("/selection/plan", "recorded"),
            replaced("/projections/provider_run_plan_content/~1provider~1plan", "recorded"),
        ],
    },
    "says_recorded": {"base": "reference", "patch": [replaced("/outcome_source", "recorded")]},
}


def automaton(name: str) -> Any:
    runtime = RUNTIMES[name]
    if "automaton" in runtime:
        return deepcopy(runtime["automaton"])
    return patched(automaton(runtime["base"]), Runtime.model_validate(runtime).patch)
