"""The schemas of the three cards (cards contract, sections 5, 6, 10 and 11)."""

from .definitions import OPERATION, SCENARIO, VARIANT
from .forms import Schema, about, boolean, constant, head, nullable, one_of, ordered, record, shared, unordered

OPERATION_FILE = "operation-card-v1.schema.json"
SCENARIO_FILE = "semantic-scenario-card-v1.schema.json"
VARIANT_FILE = "variant-card-v1.schema.json"

OPERATION_TYPE = "lettings.maintenance.synthetic"
_LEFT_TO_CODE = (
    " This schema checks shape; that sets are sorted, the digest is right, references and names resolve and days exist"
    " is checked in code."
)


def envelope(file: str, title: str, description: str, literal: str, content: Schema) -> Schema:
    """Return the schema document of one kind of card around the schema of its content."""
    members = {
        "schema": about("The kind of card.", constant(literal)),
        "schema_version": shared("schemaVersion"),
        "id": shared("cardId", "The card's own id."),
        "content": content,
        "content_digest_sha256": shared("digest", "SHA-256 over kind, version, id and content in canonical form."),
    }
    return head(file, title, description + _LEFT_TO_CODE) | record(members)


def operation() -> Schema:
    """Return the schema of operation cards."""
    fields = {
        "required": shared("fieldShapeMap", "Fields that must be present."),
        "optional": shared("fieldShapeMap", "Fields that may be present."),
    }
    state = {
        "schema_id": shared("name", "The name of the state's schema."),
        "initial_state_schema": shared("stateSchema", "What a hidden initial state must look like."),
        "canonical_state_projection": shared("somePointers", "The parts of the state that count."),
        "replay_final_pointer": shared("pointer", "Where a replay leaves its result."),
        "terminal_pointer": shared("pointer", "Where the state says that it is terminal."),
    }
    role = {
        "role_id": shared("name", "The role."),
        "authorities": shared("someNames", "What the role may do."),
    }
    authority = {
        "roles": about("The roles actors may have.", unordered(record(role), 1)),
        "event_authority": about(
            "The authority each event needs, one row for each event contract.",
            unordered(
                record(
                    {
                        "event_type": shared("name", "The event."),
                        "required_authority": shared("name", "The authority its actor needs."),
                    }
                ),
                1,
            ),
        ),
        "action_authority": about(
            "The authority each action needs, one row for each action contract.",
            unordered(
                record(
                    {
                        "action_type": shared("name", "The action."),
                        "required_authority": shared("name", "The authority its actor needs."),
                    }
                ),
                1,
            ),
        ),
    }
    event = {"event_type": shared("name", "The event."), **fields}
    evidence = about("Whether the action carries references to evidence.", one_of("required", "optional", "forbidden"))
    action = {"action_type": shared("name", "The action."), **fields, "evidence_refs": evidence}
    tool = {
        "tool_id": shared("name", "The retrieval tool."),
        "source": shared("name", "Where it reads."),
        "authority": shared("name", "The authority it reads under."),
        "schema_id": shared("name", "The name of the schema of its records."),
        "arguments": shared("fieldShapeMap", "The arguments it takes."),
    }
    requirement = {
        "outcome_type": shared("name", "The outcome that needs evidence."),
        "selector_id": shared("name", "How the evidence is selected."),
        "required_tools": shared("names", "The tools that must have been read."),
    }
    retrieval = {
        "catalogue": about("The retrieval tools.", unordered(record(tool), 1)),
        "record_identity_algorithm": shared("name", "How retrieved records get their identity."),
        "evidence_requirements": about("The evidence outcomes need.", unordered(record(requirement), 1)),
    }
    transition = {
        "reducer_ids": shared("someNames", "The reducers that compute state."),
        "obligation_types": shared("someNames", "The kinds of obligation that may arise."),
        "terminal_kinds": shared("someNames", "The ways an operation ends."),
        "common_predicate_inputs": shared("somePointers", "Pointers predicates may use beside the projection."),
        "declared_max_domain_generated_audit_events": shared("count", "Most audit events the domain adds by itself."),
    }
    content = {
        "operation_type": about("The kind of operation.", constant(OPERATION_TYPE)),
        "operation_version": shared("semanticVersion", "The operation's own version."),
        "state_contract": about("What state is and which part of it counts.", record(state)),
        "authority_contract": about("Who may do what.", record(authority)),
        "policy_contract": shared("policyContract"),
        "event_contracts": about("The events that may happen.", unordered(record(event), 1)),
        "action_contracts": about("The actions an agent may take.", unordered(record(action), 1)),
        "retrieval_contract": about("What can be looked up, and what evidence is needed.", record(retrieval)),
        "transition_contract": about("How state moves and ends.", record(transition)),
    }
    return envelope(
        OPERATION_FILE,
        "Operation card, version 1",
        "The rules of one kind of operation: state, authority, policy, events, actions, retrieval and transitions.",
        OPERATION,
        about("What the operation says.", record(content)),
    )


def scenario() -> Schema:
    """Return the schema of semantic scenario cards."""
    point = {
        "point_id": shared("name", "The decision point."),
        "order": shared("count", "Its place among the points; only its uniqueness is checked."),
        "reach_predicate": shared("predicate", "When the point is reached."),
        "required_prior_point_ids": shared("names", "Points that must come before, all earlier in the list."),
        "common_obligation_id": shared("name", "The obligation the point is about."),
        "admissible_effect_classes": shared("someNames", "The classes of effect that are acceptable here."),
    }
    node = {
        "node_id": shared("name", "A decision point or hazard."),
        "semantic_type": shared("name", "What the node means."),
    }
    relations = one_of("CAUSES", "ENABLES", "PRECEDES", "REOPENS", "FINALIZES")
    edge = {
        "cause_node_id": shared("name", "The node the edge leaves."),
        "effect_node_id": shared("name", "The node the edge reaches."),
        "relation": about("How the one leads to the other.", relations),
    }
    graph = {
        "nodes": about("Every decision point and hazard, nothing else.", unordered(record(node), 1)),
        "edges": about("How they lead to each other, without a cycle.", unordered(record(edge), 0)),
    }
    hazard = {
        "hazard_id": shared("name", "The hazard."),
        "predicate": shared("predicate", "When it has come true."),
        "expected_common_finding_code": shared("name", "The finding it must lead to."),
    }
    obligation = {
        "obligation_id": shared("name", "The obligation."),
        "predicate_id": shared("name", "What fulfils it."),
        "terminal_required": boolean("Whether it must be fulfilled at the end."),
    }
    kinds = one_of("STRING", "INTEGER", "BOOLEAN", "TIMESTAMP", "FIXTURE_DIGEST", "EVENT_SEQUENCE")
    dimension = {
        "dimension_id": shared("name", "The dimension."),
        "value_type": about("What varies.", kinds),
        "changes_semantics": about("A variant never changes what the scenario means.", constant(False)),
    }
    content = {
        "operation_core": shared("operationRef", "The operation the scenario belongs to."),
        "construct_label": shared("name", "What the scenario is meant to measure."),
        "common_estimand_id": shared("name", "The quantity all its variants estimate."),
        "decision_points": about("Where the agent must decide, in reading order.", ordered(record(point), 1)),
        "causal_graph": about("How points and hazards hang together.", record(graph)),
        "authored_hazards": about("What can go wrong.", unordered(record(hazard), 0)),
        "common_outcome_obligations": about("What every variant owes at the end.", unordered(record(obligation), 1)),
        "allowed_variant_dimensions": about("In what variants may differ.", unordered(record(dimension), 0)),
    }
    return envelope(
        SCENARIO_FILE,
        "Semantic scenario card, version 1",
        "What one scenario of an operation means: decision points, causes, hazards and obligations.",
        SCENARIO,
        about("What the scenario says.", record(content)),
    )


def variant() -> Schema:
    """Return the schema of variant cards."""
    rejection = {
        "event_id": shared("name", "The event that will be rejected."),
        "code": shared("name", "The code of the rejection."),
    }
    actor = {
        "actor_id": shared("name", "The actor."),
        "role_id": shared("name", "The actor's role in the operation."),
    }
    fixture = {
        "fixture_id": shared("name", "The message fixture."),
        "surface_content_digest_sha256": shared("digest", "The digest of its wording."),
    }
    trigger = {
        "kind": about("Whether an action or an event fires it.", one_of("action", "event")),
        "type_name": shared("name", "The type of that action or event."),
        "correlation": shared("correlation", "Values that action or event must carry."),
    }
    event = {
        "event_id": shared("name", "The event."),
        "event_type": shared("name", "Its type, an event contract of the operation."),
        "actor_id": shared("name", "The actor it comes from."),
        "authored_sequence": shared("count", "Its number among all events."),
        "at": shared("instant", "When it happens; null when a trigger fires it."),
        "trigger": about("What fires it; null when it happens at an instant.", nullable(record(trigger))),
        "delay_minutes": shared("count", "Minutes between the trigger and the event."),
        "triggers_agent": boolean("Whether the event wakes the agent."),
        "payload": shared("jsonObject", "The event's fields."),
    }
    either = {
        "if": {"properties": {"at": {"type": "null"}}},
        "then": {"properties": {"trigger": {"type": "object"}}},
        "else": {"properties": {"trigger": {"type": "null"}}},
    }
    content = {
        "semantic_scenario": shared("scenarioRef", "The scenario the variant belongs to."),
        "variant_label": shared("name", "What tells the variant from its siblings."),
        "starts_at": shared("timestamp", "When the variant starts."),
        "expected_terminal": shared("name", "How it is expected to end, a terminal kind of the operation."),
        "human_checkpoint_budget": shared("count", "How many checkpoints a person may answer."),
        "required_checkpoint_types": shared("names", "The checkpoints that must be asked."),
        "dispatch_failures": shared("names", "The message fixtures whose sending fails."),
        "expected_event_rejections": about("The events that will be rejected.", ordered(record(rejection), 0)),
        "actors": about("Who takes part.", unordered(record(actor), 1)),
        "hidden_initial_values": shared("jsonObject", "The state at the start, hidden from the agent."),
        "message_fixtures": about("The messages the variant brings.", unordered(record(fixture), 1)),
        "events": about(
            "What happens, in order: each at an instant or by a trigger, never both and never neither.",
            ordered(record(event) | either, 1),
        ),
    }
    return envelope(
        VARIANT_FILE,
        "Variant card, version 1",
        "One concrete course of a scenario: actors, hidden state, messages and events.",
        VARIANT,
        about("What the variant says.", record(content)),
    )
