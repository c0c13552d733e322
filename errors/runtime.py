"""Refusals of the runtime's authored documents: the operation spec."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class SpecError(OperateBenchError, ValueError):
    """An operation spec breaks a rule; the path is file, line and field, as ``spec.yaml:12 /policy/currency``.

    The codes stand in the order in which a spec meets them: its text, its shape, its names, what refers to what; the
    last one when it is bound.
    """

    codes = MappingProxyType(
        {
            "yaml_encoding": ("The file is not strict UTF-8.", "Save it as UTF-8, without a byte order mark."),
            "yaml_character": (
                "The file holds a character that a spec may not.",
                "Use printable characters, spaces and line feeds.",
            ),
            "yaml_syntax": ("The text is no YAML.", "Mend the YAML at the given line; mind colons and indents."),
            "yaml_documents": (
                "The file does not hold exactly one document.",
                "Keep one document, without directives.",
            ),
            "yaml_depth": ("Mappings and lists are nested too deep.", "Nest less; no spec needs so many levels."),
            "yaml_alias": ("Anchors and aliases are not read.", "Write the value out where it is needed."),
            "yaml_tag": ("Tags are not read.", "Remove the tag; quote a text that looks like something else."),
            "yaml_key": ("A key is no text.", "Use a plain name, or quote it."),
            "yaml_duplicate_key": ("A mapping names a key twice.", "Give every key once."),
            "yaml_number": ("An integer is out of range.", "Stay within ±(2^53-1), or quote it to make it text."),
            "yaml_empty": ("A key or item has no value.", "Write the value; write null where nothing is meant."),
            "missing_key": ("A required key is missing.", "Add it; every mapping of a spec is closed."),
            "unknown_key": ("A key is not one of the declared ones.", "Remove it; every mapping of a spec is closed."),
            "wrong_type": ("A value is of another type than its field.", "Give the type the field asks for."),
            "empty_text": ("A text is empty.", "Say something, or remove what needs saying."),
            "lexical": ("A text is not of its field's form.", "Compare it with the form that is expected."),
            "closed_value": ("A value is none of the listed ones.", "Use a listed value, spelled exactly."),
            "out_of_bounds": ("A number is out of bounds.", "Keep it within the bounds."),
            "too_few": ("A mapping or list has too few items.", "Add what it needs."),
            "duplicate": ("Something that must be unique is given twice.", "Keep one of them, or rename one."),
            "privacy": (
                "The spec does not say that all of it is synthetic.",
                "Invent everything; specs of real people or properties are not run.",
            ),
            "name_collision": (
                "Two names become one when they are written in lower case, as cards do.",
                "Rename one of them.",
            ),
            "vocabulary": (
                "The spec and the code that carries it out do not know the same names.",
                "Use exactly the names the code knows, or teach it the new one first.",
            ),
            "unknown_reference": (
                "A name refers to nothing that is declared.",
                "Declare it, or name what is declared.",
            ),
            "actor_count": ("A role has a wrong number of actors.", "Give exactly one actor to each such role."),
            "authority_missing": (
                "The role of an actor does not hold the authority that is needed.",
                "Grant the authority to the role, or name another actor.",
            ),
            "authority_unused": ("A role holds an authority that nothing needs.", "Remove it."),
            "inconsistent": ("Two parts of the spec contradict each other.", "Change one of them."),
            "event_time": (
                "An event does not say exactly one of a time and a trigger with its delay.",
                "Give at, or give trigger and delay_minutes.",
            ),
            "instant": (
                "An instant is no whole number of minutes from the start of its variant.",
                "Write YYYY-MM-DDTHH:MM:SSZ, at or after starts_at, with the same seconds.",
            ),
            "order": ("Events with a time do not stand in the order of their times.", "Move the event."),
            "audit_budget": (
                "A variant has more events that wake nobody than the operation declares.",
                "Raise the declared number, or let fewer events wake nobody.",
            ),
            "scenario": (
                "The semantic scenario breaks a rule of scenario cards.",
                "Compare the section with the card contract, section 10; sets stand in canonical order.",
            ),
            "component_too_large": (
                "What an identity component would hold of the spec and its code is more than it can.",
                "Shorten texts or tables, or split the operation; the path names the component.",
            ),
        }
    )
