"""The census of run bundles: every field of every member with its one owner and those who read it.

It is written by hand. What the schemas have and it lacks, or it has and they lack, is refused by its validator.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from .authority import AUTHORIZATION_FILE, USED_AUTHORIZATION_FILE
from .bundle import ARTIFACT_FILE, EVALUATION_FILE, LEDGER_FILE
from .census import CENSUS_FILE
from .evidence import BINDING_FILE, EVIDENCE_FILE, EXECUTION_FILE, OUTCOME_FILE, TAPE_FILE

RUN_BUNDLE_CENSUS_FILE = "run-bundle-census-v1.registry.json"

MANIFEST_FILE = "identity-manifest-v1.schema.json"
PROJECTION_CENSUS_FILE = "identity-manifest-projection-census-v1.schema.json"
ROOTS = {
    "artifact": ARTIFACT_FILE,
    "authorization": USED_AUTHORIZATION_FILE,
    "census": PROJECTION_CENSUS_FILE,
    "evaluation": EVALUATION_FILE,
    "evidence": EVIDENCE_FILE,
    "ledger": LEDGER_FILE,
    "manifest": MANIFEST_FILE,
}
"""Member of a bundle -> its schema. The cards have a census of their own."""

OWNERS = {
    "bundle_format": "says what kind of record something is",
    "bundle_writer": "what wrote the bundle, and what it wrote",
    "run_selection": "which run was asked for",
    "authorization_issuer": "what whoever issued the authorization permits",
    "authorization_register": "how the register recorded the use of the authorization",
    "identity_manifest": "follows from the identity manifest and the cards",
    "runtime_execution": "what engine and agent did",
    "provider_execution": "what the provider of a model did",
    "evaluator_execution": "what the evaluator found",
}
"""Who determines a field, beside the eleven components."""

COMPONENTS = (
    "card_schema_content",
    "build_provenance_content",
    "operation_core_content",
    "semantic_scenario_content",
    "variant_content",
    "runtime_contract_content",
    "scaffold_content",
    "arm_protocol_content",
    "provider_run_plan_content",
    "evaluator_bundle_content",
    "analysis_contract_content",
)
_CARDS = ("operation", "semantic_scenario", "variant")
_REFERENCE = " ".join(
    f"card_refs/{card}/{name}" for card in _CARDS for name in ("schema", "id", "content_digest_sha256")
)
_REQUIREMENT = " ".join(
    f"requires/{name}"
    for name in (
        "component",
        "compatible/kind",
        "compatible/content_digest_sha256",
        "compatible/minimum_schema_version",
        "compatible/maximum_schema_version",
        "compatible/predicate",
        "compatible/predicate_version",
    )
)

_FIELDS: tuple[tuple[str, str, str, str], ...] = (
    # where, owner, consumers, fields
    ("artifact", "bundle_format", "members", "schema schema_version"),
    ("artifact", "run_selection", "binding show", "track"),
    (
        "artifact/members",
        "bundle_writer",
        "members show",
        "role path media_type size digest_sha256",
    ),
    ("artifact", "identity_manifest", "binding show", f"identity_manifest_digest_sha256 {_REFERENCE}"),
    ("artifact/ledger", "runtime_execution", "binding show", "lines rows head_digest_sha256 merkle_root_sha256"),
    ("artifact", "runtime_execution", "binding show", "runtime_evidence_digest_sha256"),
    ("artifact", "evaluator_execution", "binding show", "evaluation_digest_sha256"),
    (
        "artifact/writer",
        "bundle_writer",
        "show",
        "distribution version python platform dependencies lock_digest_sha256",
    ),
    ("artifact/writer", "bundle_writer", "verdict show", "source_identity_digest_sha256 spec_sha256"),
    ("artifact", "run_selection", "authorization show", "authorization_digest_sha256"),
    ("artifact", "bundle_writer", "members expected regrade show", "artifact_digest_sha256"),
    ("authorization/authorization", "bundle_format", "authorization", "schema schema_version signature/algorithm"),
    (
        "authorization/authorization",
        "authorization_issuer",
        "authorization show",
        """authorization_id scope/action scope/operation_id bound/source_identity_digest_sha256 bound/runs/variant_id
        bound/runs/agent_id bound/runs/runtime_bundle_digest_sha256 bound/runs/experiment_bundle_digest_sha256
        bound/runs/manifest_digest_sha256 bound/settings_digest_sha256 settings limits/max_uses limits/max_episodes
        not_before expires_at issuer/name issuer/key_id authorization_digest_sha256 signature/signature_base64""",
    ),
    (
        "authorization/authorization",
        "authorization_issuer",
        "authorization",
        "serial limits/max_provider_calls issued_at",
    ),
    (
        "authorization/admission",
        "authorization_register",
        "authorization show",
        "admitted_at use_index register_head unsigned",
    ),
    ("census", "bundle_format", "census manifest_self", "schema schema_version manifest_schema"),
    ("census", "identity_manifest", "census manifest_self", "owners entries/field_path entries/owner"),
    ("evaluation", "bundle_format", "evaluation", "schema schema_version"),
    (
        "evaluation",
        "identity_manifest",
        "binding verdict regrade",
        "evaluator_content_digest_sha256 analysis_content_digest_sha256",
    ),
    (
        "evaluation",
        "evaluator_execution",
        "evaluation regrade show",
        """vector/dimension vector/ok findings/dimension findings/code findings/detail findings/at findings/rows
        human_touches/kind human_touches/checkpoint_type human_touches/checkpoint_id human_touches/at
        human_touches/rows opportunities/opportunity_id opportunities/kind opportunities/opened_at
        opportunities/due_at opportunities/verdict opportunities/rows load outcome_class""",
    ),
    ("evaluation", "evaluator_execution", "binding evaluation", "evaluation_digest_sha256"),
    ("ledger/header", "bundle_format", "ledger", "record schema schema_version"),
    ("ledger/header", "run_selection", "binding replay show", "operation_instance_id"),
    (
        "ledger/header/selection",
        "run_selection",
        "manifest_live binding replay evaluation show",
        "track pack operation_id variant_id agent_id arm plan trial",
    ),
    (
        "ledger/header",
        "identity_manifest",
        "binding",
        f"""identity_manifest_digest_sha256 runtime_bundle_digest_sha256 experiment_bundle_digest_sha256
        requirements/component requirements/compatible/kind requirements/compatible/content_digest_sha256
        {_REFERENCE}""",
    ),
    ("ledger/header", "bundle_writer", "ledger", "previous_digest_sha256 row_digest_sha256"),
    ("ledger/row", "bundle_format", "ledger", "record"),
    ("ledger/row", "runtime_execution", "ledger binding replay", "index at record_type body"),
    ("ledger/row", "bundle_writer", "ledger", "previous_digest_sha256 row_digest_sha256"),
    ("ledger/terminal", "bundle_format", "ledger", "record"),
    (
        "ledger/terminal",
        "runtime_execution",
        "ledger binding replay",
        "row_count status outcome_class final_state_digest_sha256 trajectory_digest_sha256 merkle_root_sha256",
    ),
    ("ledger/terminal", "bundle_writer", "ledger binding", "previous_digest_sha256 row_digest_sha256"),
    (
        "evidence",
        "bundle_format",
        "evidence",
        """schema schema_version outcome/schema outcome/schema_version decision_tape/schema decision_tape/schema_version
        execution_record/schema execution_record/schema_version provider_binding/schema
        provider_binding/schema_version""",
    ),
    ("evidence", "identity_manifest", "binding replay", "identity_manifest_digest_sha256"),
    ("evidence", "run_selection", "binding replay", "operation_instance_id"),
    (
        "evidence/outcome",
        "runtime_execution",
        "evidence binding replay evaluation regrade",
        """status terminal_outcome replay_final started_at ended_at simulated_minutes invocations final_state
        final_state_digest_sha256 trajectory trajectory_digest_sha256 events/event_id events/event_type
        events/actor_id events/at events/sequence events/payload events/triggers_agent events/caused_by
        events/disposition events/verdict_code""",
    ),
    (
        "evidence/decision_tape",
        "runtime_execution",
        "evidence replay regrade",
        "decisions/invocation_index decisions/turn_index decisions/observation_digest_sha256 decisions_digest_sha256",
    ),
    (
        "evidence/decision_tape/decisions/outcome",
        "runtime_execution",
        "evidence replay regrade",
        """ACT/kind ACT/action_type ACT/payload ACT/evidence_refs ACT/rationale
        WAIT/kind WAIT/reason WAIT/wake_on WAIT/fallback_after_minutes
        ASK/kind ASK/recipient_actor_id ASK/message_fixture_id ASK/correlation_id
        ASK/wait/kind ASK/wait/reason ASK/wait/wake_on ASK/wait/fallback_after_minutes
        ESCALATE/kind ESCALATE/checkpoint_id ESCALATE/exception_type ESCALATE/evidence_refs
        ESCALATE/deadline_after_minutes ESCALATE/rationale
        COMPLETE/kind COMPLETE/reason COMPLETE/evidence_refs
        RETRIEVE/kind RETRIEVE/requests/tool RETRIEVE/requests/arguments
        MALFORMED/kind MALFORMED/code""",
    ),
    (
        "evidence/execution_record",
        "runtime_execution",
        "evidence binding replay verdict",
        "outcome_source",
    ),
    (
        "evidence/execution_record",
        "runtime_execution",
        "evidence replay",
        """model protocol_version max_output_tokens transport_calls retry_count attempts/invocation_index
        attempts/turn_index attempts/request_digest_sha256 attempts/outcome attempts/fault excluded exclusion_code
        exclusion_detail""",
    ),
    (
        "evidence/provider_binding",
        "provider_execution",
        "evidence",
        """execution_run_id execution_ledger_version execution_ledger_digest_sha256 provider api model
        settings_digest_sha256 pricing_digest_sha256 provider_calls attempts measured_cost_usd
        forfeited_reservation_usd input_tokens output_tokens decision_call_index""",
    ),
    ("evidence", "runtime_execution", "evidence binding expected", "runtime_evidence_digest_sha256"),
    ("manifest", "bundle_format", "manifest_self", "schema schema_version"),
    *(
        row
        for component in COMPONENTS
        for row in (
            (
                f"manifest/components/{component}",
                "bundle_format",
                "manifest_self",
                "schema schema_version domain excludes",
            ),
            (
                f"manifest/components/{component}",
                component,
                "manifest_self manifest_live requirements",
                "content_digest_sha256",
            ),
            (
                f"manifest/components/{component}",
                component,
                "census manifest_self manifest_live binding",
                "owned_fields owned_projection",
            ),
            (f"manifest/components/{component}", "identity_manifest", "manifest_self manifest_live", _REQUIREMENT),
        )
    ),
    *(
        row
        for bundle in ("runtime_bundle", "experiment_bundle")
        for row in (
            (f"manifest/composites/{bundle}", "bundle_format", "manifest_self", "schema schema_version domain members"),
            (
                f"manifest/composites/{bundle}",
                "identity_manifest",
                "manifest_self manifest_live binding",
                "bundle_digest_sha256",
            ),
        )
    ),
    (
        "manifest/compatibility_contract",
        "bundle_format",
        "manifest_self",
        """schema schema_version requirement_kinds/exact_digest requirement_kinds/closed_schema_version_range
        requirement_kinds/named_predicate decision_predicates/can_runtime_replay
        decision_predicates/can_evaluator_regrade decision_predicates/can_analysis_recompute
        decision_predicates/can_compare decision_predicates/can_pool named_requirement_predicates""",
    ),
    ("manifest", "identity_manifest", "manifest_self binding expected", "manifest_digest_sha256"),
)


def run_bundle_census(rendered: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the census.

    Args:
        rendered: name -> bytes of the documents it names.
    """
    entries = [
        {"field": f"/{where}/{field}", "owner": owner, "consumers": consumers.split()}
        for where, owner, consumers, fields in _FIELDS
        for field in fields.split()
    ]
    named = (*ROOTS.values(), AUTHORIZATION_FILE, OUTCOME_FILE, TAPE_FILE, EXECUTION_FILE, BINDING_FILE)
    return {
        "schema": "operatebench.run_bundle_census.v1",
        "schema_version": 1,
        "artifact_schema": "operatebench.artifact.v9",
        "roots": ROOTS,
        "card_census": CENSUS_FILE,
        "documents": {name: hashlib.sha256(rendered[name]).hexdigest() for name in sorted(named)},
        "owners": OWNERS,
        "entries": sorted(entries, key=lambda entry: str(entry["field"])),
    }
