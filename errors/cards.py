"""Refusals of the Card v1 contract and of its field census."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class CardValidationError(OperateBenchError, ValueError):
    """A card, or a card it refers to, breaks the Card v1 contract.

    A code is the stage and the reason, joined by a dot. The stages are those of the card contract, sections 3 and 12,
    in the order in which a card meets them; then those of the field census, section 18.
    """

    codes = MappingProxyType(
        {
            "resource.unavailable": ("A packaged resource is missing or not the pinned one.", "Reinstall the package."),
            "resource.unknown": ("No packaged schema has this name.", "Name one of the three card schemas."),
            "parse.source": ("The source is no bytes, text or path.", "Pass bytes, text of JSON, or a pathlib.Path."),
            "parse.unreadable": ("The path cannot be read.", "Check the path and its permissions."),
            "parse.not_utf8": ("The text is not strict UTF-8.", "Save the card as UTF-8, without lone surrogates."),
            "parse.syntax": (
                "The text is no JSON.",
                "Mend the JSON at the given place; comments and commas at the end are none.",
            ),
            "parse.duplicate_key": ("An object names a member twice.", "Give every member once."),
            "parse.float": ("A number has a fraction or exponent.", "Use integers; write a fraction as text."),
            "parse.too_deep": ("Arrays and objects are nested too deep.", "Nest at most 64 containers."),
            "projection.wrong_type": (
                "A value is of no type of JSON.",
                "Use null, booleans, integers, text, arrays, objects.",
            ),
            "projection.unreadable": ("A mapping or sequence failed while it was read.", "Pass plain dicts and lists."),
            "projection.too_deep": ("Arrays and objects are nested too deep.", "Nest at most 64 containers."),
            "projection.too_many_members": ("An array or object is too wide.", "Give at most 4,096 items."),
            "projection.too_many_nodes": (
                "The card and its references are too big.",
                "Give at most 100,000 nodes in all.",
            ),
            "projection.string_too_long": ("A text or name is too long.", "Give at most 1 MiB of UTF-8."),
            "projection.text_total_too_long": ("All text together is too long.", "Give at most 8 MiB in one call."),
            "projection.card_too_long": ("The card is too long.", "Give at most 8 MiB of canonical bytes."),
            "projection.lone_surrogate": ("Text holds a lone surrogate.", "Use whole Unicode characters."),
            "projection.float": ("A number has a fraction or exponent.", "Use integers; write a fraction as text."),
            "projection.integer_range": ("An integer is outside 64 bits.", "Use -2^63 to 2^63-1."),
            "projection.too_many_references": ("Too many reference cards.", "Give at most 4,096."),
            "generation.unsupported_pair": (
                "Schema and version name no card that is read here.",
                "Use one of the three v1 cards.",
            ),
            "shape.root_not_object": ("The card is no object.", "Give one JSON object."),
            "shape.missing_key": (
                "A required member is missing.",
                "Add it; `card explain` and the reference pages list them.",
            ),
            "shape.unknown_key": ("An object has a member that is not declared.", "Remove it; every object is closed."),
            "shape.unknown_tag": ("A union names none of its kinds.", "Use one of the listed kinds."),
            "shape.wrong_type": ("A value has another type than its field.", "Give the type the field asks for."),
            "shape.closed_value": ("A value is none of the listed ones.", "Use a listed value, spelled exactly."),
            "shape.lexical": (
                "A text is not of its field's grammar.",
                "Compare it with the lexical grammars of the contract.",
            ),
            "shape.pattern_not_authorable": (
                "A pattern is outside the safe-regex grammar.",
                "At most one variable quantifier, none adjacent.",
            ),
            "shape.string_length": ("A text is too short or too long.", "Keep its length within the bounds."),
            "shape.number_bounds": ("A number is out of bounds.", "Keep it within the bounds."),
            "shape.too_few_items": ("An array has too few items.", "Add the items it needs."),
            "shape.at_xor_trigger": (
                "An event has both or none of time and trigger.",
                "Give exactly one of at and trigger.",
            ),
            "shape.set_duplicate": ("A set holds an item twice.", "Give every item once."),
            "shape.set_order": (
                "A set is not in canonical order.",
                "Sort its items by canonical bytes; `card seal --sort-sets` can.",
            ),
            "digest.stale_or_forged": (
                "The digest is not the digest of the content.",
                "Seal the card again after an edit.",
            ),
            "references.target_not_object": ("A reference card is no object.", "Pass whole cards."),
            "references.target_without_identity": ("A reference card has no schema or id text.", "Pass whole cards."),
            "references.ambiguous": ("Two reference cards have one schema and id.", "Pass each card once."),
            "references.target_invalid": ("A reference card is itself refused.", "Mend that card first."),
            "references.unresolved": (
                "A reference names no card given, or another digest.",
                "Pass the card, or refresh the reference.",
            ),
            "semantic.pattern_unsafe": ("A pattern cannot be matched safely.", "Use the safe-regex grammar."),
            "semantic.role_id_collision": ("Two roles share an id.", "Rename one."),
            "semantic.contract_collision": ("Two event or two action contracts share a type.", "Merge or rename them."),
            "semantic.authority_contract_mismatch": (
                "Authority rows and contracts do not match one to one.",
                "Give one row per contract.",
            ),
            "semantic.authority_not_granted": ("No role grants a required authority.", "Grant it to a role."),
            "semantic.tool_id_collision": ("Two catalogue rows share a tool id.", "Rename one."),
            "semantic.selector_id_collision": ("Two evidence requirements share a selector id.", "Rename one."),
            "semantic.unknown_tool": ("A required tool is not in the catalogue.", "Add it to the catalogue."),
            "semantic.point_id_or_order_collision": ("Two decision points share an id or order.", "Make both unique."),
            "semantic.hazard_point_collision": ("A hazard has the id of a decision point.", "Rename one."),
            "semantic.obligation_collision": ("Two obligations share an id.", "Rename one."),
            "semantic.hazard_collision": ("Two hazards share an id.", "Rename one."),
            "semantic.dimension_collision": ("Two dimensions share an id.", "Rename one."),
            "semantic.obligation_unresolved": (
                "A decision point names an unknown obligation.",
                "Declare the obligation.",
            ),
            "semantic.prior_point_not_earlier": (
                "A required prior point is not an earlier one.",
                "Name points above it in the list.",
            ),
            "semantic.pointer_not_declared": (
                "A predicate reads a pointer the operation does not declare.",
                "Declare it in the operation.",
            ),
            "semantic.binding_unresolved": (
                "A predicate uses a binding that no quantifier around it introduces.",
                "Bind it first.",
            ),
            "semantic.binding_redeclared": (
                "A quantifier re-uses the binding of one around it.",
                "Rename the inner binding.",
            ),
            "semantic.node_collision": ("Two causal nodes share an id.", "Rename one."),
            "semantic.nodes_not_points_plus_hazards": (
                "The causal nodes are not exactly points and hazards.",
                "Give one node to each.",
            ),
            "semantic.edge_unresolved": ("An edge ends at no node.", "Name nodes of the graph."),
            "semantic.causal_cycle": ("The causal graph has a cycle.", "Remove an edge of it."),
            "semantic.not_a_calendar_instant": (
                "A time is no real instant.",
                "Use a date that exists, year 0001 or later.",
            ),
            "semantic.fixture_collision": ("Two fixtures share an id.", "Rename one."),
            "semantic.fixture_unresolved": ("A dispatch failure names no fixture.", "Declare the fixture."),
            "semantic.actor_collision": ("Two actors share an id.", "Rename one."),
            "semantic.event_id_or_sequence_collision": ("Two events share an id or sequence.", "Make both unique."),
            "semantic.actor_unresolved": ("An event names an unknown actor.", "Declare the actor."),
            "semantic.absolute_event_order": ("Timed events are not in order.", "Sort by time, sequence, id."),
            "semantic.conditional_event_order": ("Events of one trigger are not in order.", "Sort by sequence, id."),
            "semantic.rejection_unresolved": ("An expected rejection names no event.", "Name an event of the card."),
            "semantic.rejection_duplicate": ("An event is rejected twice.", "Name it once."),
            "semantic.hidden_state_mismatch": (
                "The hidden state breaks the operation's state schema.",
                "Mend the value at the given place.",
            ),
            "semantic.terminal_not_declared": (
                "The expected terminal is unknown to the operation.",
                "Use one of its terminal kinds.",
            ),
            "semantic.role_not_declared": ("An actor has a role the operation lacks.", "Use one of its roles."),
            "semantic.event_type_not_declared": ("An event's type has no contract.", "Declare it in the operation."),
            "semantic.actor_lacks_authority": (
                "The actor's role may not cause this event.",
                "Use another actor, or grant the authority.",
            ),
            "semantic.payload_fields": (
                "A payload lacks a required field or has an undeclared one.",
                "Follow the event contract.",
            ),
            "semantic.payload_value": (
                "A payload value breaks its declared shape.",
                "Mend the value at the given place.",
            ),
            "semantic.pattern_subject_too_long": (
                "A text under a pattern is too long to match.",
                "Give at most 4,096 characters.",
            ),
            "semantic.trigger_type_not_declared": (
                "A trigger names no declared event or action.",
                "Declare it in the operation.",
            ),
            "semantic.correlation_field": (
                "A trigger correlates a field that is not declared.",
                "Use fields of the contract.",
            ),
            "semantic.correlation_value": (
                "A correlation value breaks its declared shape.",
                "Mend the value at the given place.",
            ),
            "census.argument": (
                "An argument beside the census has a wrong type.",
                "Pass text, or a pathlib.Path for a folder.",
            ),
            "census.zero_owner": ("An entry names no owner.", "Name the one component that owns the leaf."),
            "census.unknown_owner": (
                "An entry names an owner that owns no card fields.",
                "Use one of the four owners.",
            ),
            "census.missing_consumer": (
                "An entry lacks a consumer of its owner.",
                "Give the owner's consumers, in order.",
            ),
            "census.unexpanded_pattern": (
                "A path holds a wildcard.",
                "Write one entry for each leaf; no path stands for several.",
            ),
            "census.field_path": (
                "A path breaks the grammar.",
                "Start with '/', leave no token empty, write '~' as '~0', '/' as '~1'.",
            ),
            "census.source_unsafe": (
                "A source path could leave the source tree.",
                "Give a plain path below src, docs, tests or tools.",
            ),
            "census.duplicate_row": ("Two entries are equal.", "Remove one."),
            "census.scope": (
                "The census covers the card contract only; an artifact needs a census of all its leaves.",
                "Do not use this census for an artifact.",
            ),
            "census.two_owners": ("A path has two entries.", "Keep the entry of the one owner."),
            "census.wrong_consumers": (
                "Consumers are not exactly those of the owner.",
                "Give the owner's consumers, in order.",
            ),
            "census.source_root": (
                "The source root is no folder that can be resolved.",
                "Name the root of the source tree.",
            ),
            "census.source_stale": ("A source does not exist.", "Name the file in which the leaf is declared now."),
            "census.source_escapes": (
                "A source resolves outside the source root.",
                "Name a file inside; links may not lead out.",
            ),
            "census.missing_owner": ("One of the four owners owns nothing.", "Add the entries of its leaves."),
            "census.missing_leaf": ("A leaf of the card contract has no entry.", "Add an entry for it."),
            "census.fabricated_leaf": ("An entry names no leaf of the card contract.", "Remove it, or name the leaf."),
            "census.wrong_owner": (
                "A leaf is given to another owner than its own.",
                "Name the component of the card it stands in.",
            ),
            "census.surface": (
                "The card schemas hold something of which no leaves can be derived.",
                "Use closed records, maps and scalars.",
            ),
            "census.array_class": (
                "The registry does not say whether an array of records is a set or ordered.",
                "Classify it in the card registry, once.",
            ),
            "census.pointer_syntax": (
                "The text is no JSON Pointer.",
                "Start with '/'; write '~' as '~0' and '/' as '~1'.",
            ),
            "census.pointer_unowned": (
                "No one component owns this place.",
                "Point into a card or at a contract resource.",
            ),
        }
    )
