"""The schemas of executed runtime evidence and of the four records in it (evidence contract, sections 2.2 and 2.3)."""

from typing import Any

from . import lexical
from .forms import Schema, about, boolean, chosen, constant, document, integer, nullable, one_of, ordered, record, text

EVIDENCE_FILE = "executed-runtime-evidence-v1.schema.json"
OUTCOME_FILE = "episode-outcome-v2.schema.json"
TAPE_FILE = "decision-tape-v1.schema.json"
EXECUTION_FILE = "execution-record-v1.schema.json"
BINDING_FILE = "provider-execution-binding-v1.schema.json"

SAFE_INTEGER = 2**53 - 1
SHORT_TEXT, LONG_TEXT = 256, 262_144
HALTS = ("operation_deadlock", "operational_horizon_exhausted")
MALFORMED_CODES = (
    "MODEL_MALFORMED_ARGUMENTS",
    "MODEL_MULTIPLE_TOOL_CALLS",
    "MODEL_NO_TOOL_CALL",
    "MODEL_OUTPUT_LIMIT_EXCEEDED",
    "MODEL_OUTPUT_TRUNCATED",
    "MODEL_OUTPUT_UNCLASSIFIED",
    "MODEL_UNKNOWN_TOOL",
)
APIS = {
    "openai": ("responses",),
    "anthropic": ("messages",),
    "xai": ("chat_completions", "responses"),
    "mistral": ("chat_completions",),
}

_ID: Schema = {"type": "string", "minLength": 1, "maxLength": SHORT_TEXT}
_LONG: Schema = {"type": "string", "maxLength": LONG_TEXT}
_OBJECT: Schema = {"type": "object"}
_DIGEST = text(lexical.DIGEST, 64, 64)
_INSTANT = text(lexical.INSTANT, 20, 20)
_TERMINAL = text(lexical.NAME, 1, 255)
_MONEY = text(lexical.MONEY, 1, SHORT_TEXT)
_COUNT = integer(0, SAFE_INTEGER)
_POSITIVE = integer(1, SAFE_INTEGER)
_TEXTS = ordered(_LONG, 0)


def outcome() -> Schema:
    """Return the schema of EpisodeOutcomeV2."""
    event = {
        "event_id": about("The event.", _ID),
        "event_type": about("Its type.", _ID),
        "actor_id": about("Who it comes from.", _ID),
        "at": about("When it was delivered.", _INSTANT),
        "sequence": about("Its place among events of one instant; nothing constrains it here.", _COUNT),
        "payload": about("What it says.", _OBJECT),
        "triggers_agent": boolean("Whether it wakes the agent."),
        "caused_by": about("What caused it; null for nothing.", nullable(_ID)),
        "disposition": about("What the engine did with it.", _ID),
        "verdict_code": about("Why.", _ID),
    }
    terminal = nullable(_TERMINAL) | {"not": {"enum": list(HALTS)}}
    members = {
        "status": about("How the episode ended: a terminal of the domain, or a halt of the engine.", _TERMINAL),
        "terminal_outcome": about("The terminal of the domain that was reached, if any; never a halt.", terminal),
        "replay_final": boolean("Whether the domain had come to an end that no event can reopen."),
        "started_at": about("When the episode began.", _INSTANT),
        "ended_at": about("When it ended, not earlier.", _INSTANT),
        "simulated_minutes": about("The whole minutes between.", _COUNT),
        "invocations": about("How often the agent was called.", _COUNT),
        "final_state": about("The state of the domain at the end.", _OBJECT),
        "final_state_digest_sha256": about("SHA-256 of the canonical final state.", _DIGEST),
        "trajectory": about("Everything that happened, row by row.", ordered({}, 0)),
        "trajectory_digest_sha256": about("SHA-256 of the canonical trajectory.", _DIGEST),
        "events": about("The events that were delivered.", ordered(record(event), 0)),
    }
    says = "How one episode went and how it ended."
    return document(OUTCOME_FILE, "Episode outcome", says, members)


def tape() -> Schema:
    """Return the schema of DecisionTapeV1."""
    references = about("The evidence it rests on, as the agent gave it.", _TEXTS)
    rationale = about("Why, in the agent's words.", _LONG)
    reason = about("Why, in the agent's words.", _LONG)
    wait = {
        "reason": reason,
        "wake_on": about("Types of event that end the wait.", _TEXTS),
        "fallback_after_minutes": about("Minutes after which it ends anyway; null for never.", nullable(_COUNT)),
    }
    request = {
        "tool": about("The tool to read with.", _ID),
        "arguments": about("Its arguments.", _OBJECT),
    }
    decisions: dict[str, dict[str, Schema]] = {
        "ACT": {
            "action_type": about("The action that is proposed.", _ID),
            "payload": about("Its fields.", _OBJECT),
            "evidence_refs": references,
            "rationale": rationale,
        },
        "WAIT": wait,
        "ASK": {
            "recipient_actor_id": about("Who is asked.", _ID),
            "message_fixture_id": about("With which message.", _ID),
            "correlation_id": about("What the message is about; null for nothing in particular.", nullable(_ID)),
            "wait": about("The wait for an answer.", record({"kind": constant("WAIT"), **wait})),
        },
        "ESCALATE": {
            "checkpoint_id": about("The checkpoint it is about.", _ID),
            "exception_type": about("The exception that is asked for.", _ID),
            "evidence_refs": references,
            "deadline_after_minutes": about("Minutes to wait for an answer.", _COUNT),
            "rationale": rationale,
        },
        "COMPLETE": {"reason": reason, "evidence_refs": references},
        "RETRIEVE": {"requests": about("What to read, in the agent's order.", ordered(record(request), 0))},
        "MALFORMED": {"code": about("Why it is no decision.", one_of(*MALFORMED_CODES))},
    }
    decision = {
        "invocation_index": about("The call of the agent, from 1.", _POSITIVE),
        "turn_index": about("The turn in this call, from 0.", _COUNT),
        "observation_digest_sha256": about("SHA-256 of the canonical observation the agent was shown.", _DIGEST),
        "outcome": about("What it decided.", chosen("kind", decisions)),
    }
    members = {
        "decisions": about("All decisions, by invocation and turn.", ordered(record(decision), 0)),
        "decisions_digest_sha256": about("SHA-256 of the canonical decisions.", _DIGEST),
    }
    says = "What the agent decided, turn by turn."
    return document(TAPE_FILE, "Decision tape", says, members)


def execution() -> Schema:
    """Return the schema of ExecutionRecordV1."""
    faults = ("provider_transport", "provider_protocol", "provider_deadline", "provider_budget")
    fault: dict[str, Any] = {"type": ["string", "null"], "enum": [*faults, None]}
    attempt = {
        "invocation_index": about("The call of the agent, from 1.", _POSITIVE),
        "turn_index": about("The turn in this call, from 0.", _COUNT),
        "request_digest_sha256": about("SHA-256 of the canonical request.", _DIGEST),
        "outcome": about("What became of it.", one_of("decided", "classified", "failed")),
        "fault": about("What failed; null for nothing.", fault),
    }
    members = {
        "outcome_source": about("Where the decisions came from.", one_of("deterministic", "model", "recorded")),
        "model": about("The model; null unless one decided.", nullable(_ID)),
        "protocol_version": about("How it was spoken to; null unless a model decided.", nullable(_ID)),
        "max_output_tokens": about("Its ceiling; null unless a model decided.", nullable(_POSITIVE)),
        "transport_calls": about("Calls that were made.", _COUNT),
        "retry_count": about("No call is ever retried.", constant(0)),
        "attempts": about("Every attempt to get a decision.", ordered(record(attempt), 0)),
        "excluded": boolean("Whether the run does not count; such a run has no evidence."),
        "exclusion_code": about("Why it does not count.", nullable(_ID)),
        "exclusion_detail": about("Why, in words.", _LONG),
    }
    says = "How the decisions of a run came about."
    return document(EXECUTION_FILE, "Execution record", says, members)


def binding() -> Schema:
    """Return the schema of ProviderExecutionBindingV1."""
    version = {"type": "integer", "enum": [2, 3]}
    members = {
        "execution_run_id": about("The run in the ledger.", text(lexical.RUN, 37, 37)),
        "execution_ledger_version": about("The version of the ledger.", version),
        "execution_ledger_digest_sha256": about("SHA-256 of the ledger.", _DIGEST),
        "provider": about("Who was called.", one_of(*APIS)),
        "api": about("By which interface.", one_of("chat_completions", "messages", "responses")),
        "model": about("The model.", _ID),
        "settings_digest_sha256": about("SHA-256 of the settings.", _DIGEST),
        "pricing_digest_sha256": about("SHA-256 of the prices.", _DIGEST),
        "provider_calls": about("Calls in the ledger.", _POSITIVE),
        "attempts": about("Attempts in the ledger.", _POSITIVE),
        "measured_cost_usd": about("What the calls cost.", _MONEY),
        "forfeited_reservation_usd": about("What was reserved and not returned.", _MONEY),
        "input_tokens": about("Tokens sent.", _COUNT),
        "output_tokens": about("Tokens received.", _COUNT),
        "decision_call_index": about("The call of each decision.", ordered(_COUNT, 1)),
    }
    says = "Which calls of a provider, recorded in an execution ledger, the decisions of a run came from."
    schema = document(BINDING_FILE, "Provider execution binding", says, members)
    interfaces = [
        {
            "if": {"required": ["provider"], "properties": {"provider": {"const": provider}}},
            "then": {"properties": {"api": {"enum": list(apis)}}},
        }
        for provider, apis in APIS.items()
    ]
    return schema | {"allOf": interfaces}


def evidence() -> Schema:
    """Return the schema of ExecutedRuntimeEvidenceV1."""
    bound = {"type": ["object", "null"], "if": {"type": "object"}, "then": {"$ref": BINDING_FILE}}
    members = {
        "identity_manifest_digest_sha256": about("The identity manifest the run is bound to.", _DIGEST),
        "operation_instance_id": about("The operation instance.", text(lexical.INSTANCE, 39, 39)),
        "outcome": about("How the episode went.", {"$ref": OUTCOME_FILE}),
        "decision_tape": about("What the agent decided.", {"$ref": TAPE_FILE}),
        "execution_record": about("How the decisions came about.", {"$ref": EXECUTION_FILE}),
        "provider_binding": about("The calls of a model's provider; null unless a model decided.", bound),
        "runtime_evidence_digest_sha256": about("SHA-256 over all other members in canonical form.", _DIGEST),
    }
    says = "What one run did and how it came about."
    return document(EVIDENCE_FILE, "Executed runtime evidence", says, members)
