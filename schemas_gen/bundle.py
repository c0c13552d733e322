"""The schemas of a run bundle: artifact, evaluation and trajectory ledger, and of the regrade beside it."""

from . import lexical
from .forms import (
    Schema,
    about,
    boolean,
    chosen,
    constant,
    document,
    head,
    integer,
    mapping,
    nullable,
    one_of,
    ordered,
    record,
    text,
)

ARTIFACT_FILE = "artifact-v9.schema.json"
EVALUATION_FILE = "evaluation-v1.schema.json"
LEDGER_FILE = "trajectory-ledger-v1.schema.json"
REGRADE_FILE = "regrade-v1.schema.json"

SAFE_INTEGER = 2**53 - 1
SHORT_TEXT, LONG_TEXT = 256, 262_144
ROLES = (
    "authorization",
    "operation_card",
    "semantic_scenario_card",
    "variant_card",
    "census",
    "evaluation",
    "evidence",
    "ledger",
    "manifest",
)
PATHS = (
    "authorization.json",
    "cards/operation.json",
    "cards/semantic_scenario.json",
    "cards/variant.json",
    "census.json",
    "evaluation.json",
    "evidence.json",
    "ledger.ndjson",
    "manifest.json",
)
CARDS = ("operation", "semantic_scenario", "variant")
LARGEST_MEMBER = 16 * 1024 * 1024

_SHORT: Schema = {"type": "string", "minLength": 1, "maxLength": SHORT_TEXT}
_LONG: Schema = {"type": "string", "maxLength": LONG_TEXT}
_DIGEST = text(lexical.DIGEST, 64, 64)
_COUNT = integer(0, SAFE_INTEGER)
_ROWS = ordered(_COUNT, 0)
_MAYBE_DIGEST = nullable(_DIGEST)
_AT = about("The simulated instant; null for none.", nullable(_SHORT))
_CITED = about("Indexes of the rows it rests on.", _ROWS)


def _references() -> Schema:
    """Return the schema of the references to the three cards."""
    return record(
        {
            role: about(
                f"The {role.replace('_', ' ')} card.",
                record(
                    {
                        "schema": about("The kind of card.", constant(f"operatebench.{role}_card.v1")),
                        "id": about("Its id.", text(lexical.CARD_ID, 1, 255)),
                        "content_digest_sha256": about("The digest of its content.", _DIGEST),
                    }
                ),
            )
            for role in CARDS
        }
    )


def artifact() -> Schema:
    """Return the schema of artifact.json."""
    member = {
        "role": about("What the member is.", one_of(*ROLES)),
        "path": about("Where it is, below the folder of the bundle; it follows from the role.", one_of(*PATHS)),
        "media_type": about("It follows from the role.", one_of("application/json", "application/x-ndjson")),
        "size": about("Bytes of the file.", integer(1, LARGEST_MEMBER)),
        "digest_sha256": about("SHA-256 of the file, its last line feed included.", _DIGEST),
    }
    ledger = {
        "lines": about("Header, rows and terminal line.", _COUNT),
        "rows": about("Rows alone.", _COUNT),
        "head_digest_sha256": about("The digest of the last line.", _DIGEST),
        "merkle_root_sha256": about("The root over the digests of all rows.", _DIGEST),
    }
    writer = {
        "distribution": about("What wrote the bundle.", _SHORT),
        "version": about("Its version.", _SHORT),
        "python": about("The interpreter it ran in.", _SHORT),
        "platform": about("The platform it ran on.", _SHORT),
        "dependencies": about("Installed dependencies and their versions.", mapping(_SHORT, _SHORT)),
        "lock_digest_sha256": about("SHA-256 of the lock file; null for an installed wheel.", _MAYBE_DIGEST),
        "source_identity_digest_sha256": about("The digest of the source that ran.", _DIGEST),
        "spec_sha256": about("SHA-256 of the spec; null for the packaged one.", _MAYBE_DIGEST),
    }
    members = {
        "track": about("The track of the run.", _SHORT),
        "members": about("Every other file of the bundle, by path.", ordered(record(member), 1)),
        "identity_manifest_digest_sha256": about("The digest of the identity manifest.", _DIGEST),
        "card_refs": about("The cards of the run.", _references()),
        "ledger": about("What the trajectory ledger comes to.", record(ledger)),
        "runtime_evidence_digest_sha256": about("The digest of the executed runtime evidence.", _DIGEST),
        "evaluation_digest_sha256": about("The digest of the evaluation.", _DIGEST),
        "writer": about("What wrote the bundle. It is shown and never trusted.", record(writer)),
        "authorization_digest_sha256": about("The digest of the authorization; null for none.", _MAYBE_DIGEST),
        "artifact_digest_sha256": about("SHA-256 over all other members under their label.", _DIGEST),
    }
    return document(ARTIFACT_FILE, "Run bundle", "What a run bundle consists of and is bound to.", members)


def evaluation() -> Schema:
    """Return the schema of an evaluation."""
    dimension = {
        "dimension": about("Its name.", _SHORT),
        "ok": boolean("Whether it holds."),
    }
    finding = {
        "dimension": about("The dimension it counts against.", _SHORT),
        "code": about("What is wrong.", _SHORT),
        "detail": about("The same in a sentence, about this run.", _LONG),
        "at": _AT,
        "rows": _CITED,
    }
    touch = {
        "kind": about("How a human was, or was not, called upon.", _SHORT),
        "checkpoint_type": about("The type of checkpoint; null for none.", nullable(_SHORT)),
        "checkpoint_id": about("The checkpoint; null for one that was not opened.", nullable(_SHORT)),
        "at": _AT,
        "rows": _CITED,
    }
    opportunity = {
        "opportunity_id": about("Which one.", _SHORT),
        "kind": about("What was called for.", _SHORT),
        "opened_at": _AT,
        "due_at": _AT,
        "verdict": about("What became of it.", _SHORT),
        "rows": _CITED,
    }
    members = {
        "evaluator_content_digest_sha256": about("The content of the evaluator component.", _DIGEST),
        "analysis_content_digest_sha256": about("The content of the analysis component.", _DIGEST),
        "vector": about("All dimensions, in the order of the evaluator.", ordered(record(dimension), 1)),
        "findings": about("Everything that is wrong.", ordered(record(finding), 0)),
        "human_touches": about("Where humans were called upon, or should have been.", ordered(record(touch), 0)),
        "opportunities": about("What the run called for.", ordered(record(opportunity), 0)),
        "load": about("What was asked of agent and humans, as counts.", mapping(_SHORT, _COUNT)),
        "outcome_class": about("What kind of ending the run had.", _SHORT),
        "evaluation_digest_sha256": about("SHA-256 over all other members under their label.", _DIGEST),
    }
    return document(EVALUATION_FILE, "Evaluation", "How one run was graded.", members)


def regrade() -> Schema:
    """Return the schema of a regrade, which stands beside a bundle and never in one."""
    members = {
        "artifact_digest_sha256": about("The bundle that was graded anew.", _DIGEST),
        "old_evaluator_content_digest_sha256": about("The evaluator recorded in the bundle.", _DIGEST),
        "new_evaluator_content_digest_sha256": about("The evaluator that graded it now.", _DIGEST),
        "evaluation": about("The grade of the new evaluator.", {"$ref": EVALUATION_FILE}),
        "regrade_digest_sha256": about("SHA-256 over all other members under their label.", _DIGEST),
    }
    return document(REGRADE_FILE, "Regrade", "The grade that another evaluator gives a recorded run.", members)


def ledger() -> Schema:
    """Return the schema of one line of a trajectory ledger."""
    chain = {
        "previous_digest_sha256": about("The digest of the line before; 64 zeros in the first line.", _DIGEST),
        "row_digest_sha256": about("SHA-256 over all other members under their label.", _DIGEST),
    }
    name = LEDGER_FILE.removesuffix(".schema.json").replace("-v1", ".v1").replace("-", "_")
    selection = {
        member: about(f"The {member.removesuffix('_id')} of the run.", _SHORT)
        for member in ("track", "pack", "operation_id", "variant_id", "agent_id", "arm", "plan")
    }
    requirement = {
        "component": about("The component that is required.", text(lexical.NAME, 1, 255)),
        "compatible": about(
            "Its exact content.", record({"kind": constant("exact_digest"), "content_digest_sha256": _DIGEST})
        ),
    }
    lines = {
        "header": {
            "schema": about("The kind of ledger.", constant(f"operatebench.{name}")),
            "schema_version": about("The version of its contract.", constant(1)),
            "operation_instance_id": about("The operation instance.", text(lexical.INSTANCE, 39, 39)),
            "selection": about("Which run it is.", record({**selection, "trial": about("The trial.", _COUNT)})),
            "identity_manifest_digest_sha256": about("The identity manifest.", _DIGEST),
            "runtime_bundle_digest_sha256": about("The runtime bundle in it.", _DIGEST),
            "experiment_bundle_digest_sha256": about("The experiment bundle in it.", _DIGEST),
            "card_refs": about("The cards of the run.", _references()),
            "requirements": about("What a replay must have exactly.", ordered(record(requirement), 0)),
            **chain,
        },
        "row": {
            "index": about("Its place in the trajectory, from 0.", _COUNT),
            "at": about("The simulated instant.", {"type": "string"}),
            "record_type": about("What happened.", {"type": "string"}),
            "body": about("The fields of its own.", {"type": "object"}),
            **chain,
        },
        "terminal": {
            "row_count": about("Rows alone.", _COUNT),
            "status": about("How the run ended.", _SHORT),
            "outcome_class": about("What kind of ending that is.", _SHORT),
            "final_state_digest_sha256": about("SHA-256 of the canonical final state.", _DIGEST),
            "trajectory_digest_sha256": about("SHA-256 of the canonical trajectory.", _DIGEST),
            "merkle_root_sha256": about("The root over the digests of all rows.", _DIGEST),
            **chain,
        },
    }
    says = "One line of a ledger. The first is the header, the last the terminal line, and rows stand between."
    return head(LEDGER_FILE, "Trajectory ledger, version 1", says) | chosen("record", lines)
