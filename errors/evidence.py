"""Refusals of executed runtime evidence."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class EvidenceError(OperateBenchError, ValueError):
    """Executed runtime evidence, or a record of it, breaks the contract of evidence.

    Codes are the markers of the evidence contract, section 2, and stand in the order in which evidence meets them: its
    text and values, its generation, its form, its outcome, tape and execution record, what they say about one another,
    and its digest.
    """

    codes = MappingProxyType(
        {
            "evidence_json": ("The text is no JSON in UTF-8.", "Mend the JSON at the given line and column."),
            "duplicate_key": ("An object names a member twice.", "Give every member once."),
            "strict_json_type": (
                "A value is of no type that evidence may hold.",
                "Use null, booleans, integers, text, arrays and objects; floats are none of them.",
            ),
            "safe_integer": ("An integer is outside ±(2^53-1).", "Use a smaller one, or text."),
            "surrogate_code_point": ("Text holds a surrogate.", "Use whole Unicode characters."),
            "container_members": ("An array or object is too wide.", "Give at most 4,096 items."),
            "string_utf8_bytes": ("A text or name is too long.", "Give at most 1 MiB of UTF-8."),
            "bounded_json_profile": (
                "The value is nested too deep, or has too many nodes.",
                "Nest at most 64 containers; values and member names are at most 100,000.",
            ),
            "payload_bytes": ("The evidence is too long.", "Give at most 8 MiB of canonical bytes."),
            "outcome_evidence_generation_mismatch": (
                "Evidence of the next generation holds an outcome of this one.",
                "Generations never mix; make evidence from records of one generation.",
            ),
            "unsupported_evidence_schema_version": (
                "The evidence is of the next generation, which is not read here.",
                "Use a release that reads it.",
            ),
            "unsupported_outcome_schema_version": (
                "The outcome is of the next generation, which evidence v1 never holds.",
                "Generations never mix; make evidence from records of one generation.",
            ),
            "schema": (
                "A value is not of the form that its schema asks for.",
                "Compare the record with its packaged schema; every object is closed.",
            ),
            "terminal_status_coherence": (
                "The status is no halt, and no terminal was reached.",
                "State the terminal; only a halt may go without.",
            ),
            "terminal_identity": ("Status and terminal differ.", "Without a halt, the status is the terminal."),
            "replay_final": ("The episode ended, but not finally.", "Without a halt, an ended episode is final."),
            "calendar_instant": ("There is no such day.", "Give an instant of the Gregorian calendar."),
            "instant_ordering": ("The episode ends before it starts.", "Check both instants."),
            "elapsed_minutes": (
                "The minutes are not those from start to end.",
                "An episode lasts whole minutes; state how many.",
            ),
            "final_state_digest": ("The digest is not that of the final state.", "Nobody but the engine makes both."),
            "trajectory_digest": ("The digest is not that of the trajectory.", "Nobody but the engine makes both."),
            "decision_ordering": (
                "Decisions do not follow one another.",
                "Invocation and turn strictly increase, one after the other.",
            ),
            "decision_digest": ("The digest is not that of the decisions.", "Nobody but the engine makes both."),
            "model_nullability": (
                "A model decided, but model, protocol or ceiling is missing.",
                "State all three.",
            ),
            "non_model_nullability": (
                "No model decided, but model, protocol or ceiling is stated.",
                "Leave all three null.",
            ),
            "non_model_transport_calls": ("No model decided, but calls were made.", "State no calls."),
            "non_model_attempts": ("No model decided, but attempts are stated.", "State no attempts."),
            "excluded_execution": ("The run is excluded.", "An excluded run has no evidence."),
            "exclusion_coherence": (
                "The run is not excluded, but a reason is given.",
                "Leave the code null and the detail empty.",
            ),
            "failed_attempt": ("An attempt failed.", "A run with a failed attempt has no evidence."),
            "fault_coherence": ("An attempt did not fail, but states a fault.", "Leave the fault null."),
            "invocation_coverage": (
                "Fewer invocations are stated than were recorded.",
                "Compare the outcome with tape and attempts; they are of different runs.",
            ),
            "non_model_binding_forbidden": (
                "No model decided, but calls of a provider are bound.",
                "Leave the binding null.",
            ),
            "model_binding_required": ("A model decided, but no calls are bound.", "Bind the calls of the provider."),
            "model_mismatch": ("Binding and execution record name different models.", "Bind the run's own calls."),
            "model_cardinality": (
                "Calls, attempts and decisions are not equally many.",
                "A model's decision takes one attempt and one call.",
            ),
            "provider_cardinality": (
                "The binding counts other calls or attempts than the execution record.",
                "Bind the run's own calls.",
            ),
            "call_index": ("The call index does not count from 0 without gap.", "Give one call for each decision."),
            "attempt_binding": (
                "An attempt and its decision are of different turns.",
                "Attempts and decisions stand in one order.",
            ),
            "attempt_kind_pairing": (
                "An attempt and its decision disagree about whether there was one.",
                "An attempt is classified exactly when its decision is MALFORMED.",
            ),
            "runtime_evidence_digest": (
                "The digest is not that of the evidence.",
                "The evidence was changed after it was sealed; get it anew.",
            ),
        }
    )
