"""Writes the documentation pages that follow from the code; with ``--check`` it only says which are out of date."""

import ast
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import operatebench
from operatebench import errors
from operatebench.cards import CARD_SCHEMAS, load_schema
from operatebench.cards.resources import DEFINITIONS, load_resource
from operatebench.runtime.core import decisions, endings, guard, retrieval
from operatebench.runtime.core.rows import ROW_TYPES
from operatebench.runtime.maintenance import plan, refusals
from operatebench.runtime.maintenance.evaluator import FINDINGS
from operatebench.runtime.maintenance.forged import load_forgeries
from operatebench.runtime.maintenance.oracle import packaged_oracle
from operatebench.runtime.maintenance.spec import packaged_spec
from operatebench.tracks.lifecycle import binding
from operatebench.tracks.lifecycle.ownership import OWNERS

DOCS = Path(__file__).resolve().parent

_INTRODUCTION = """\
# Error codes

Every refusal of the package is an `OperateBenchError` with a stable `code`, the `path` it happened at, what was
`expected`, what the `actual` finding was, and a `hint`. Programs decide by the code; texts may change in any release
([versions](versions.md)). Refusals of input also are `ValueError`. A wrong call, such as a missing argument, stays a
`TypeError`.

This page is written from the package `errors` by `make docs`, and a test keeps both equal.
"""


def error_classes() -> list[type[errors.OperateBenchError]]:
    """Return the classes of the error tree that declare codes, in the order of the source."""
    found = [item for item in vars(errors).values() if isinstance(item, type)]
    return [item for item in found if issubclass(item, errors.OperateBenchError) and item.codes]


def cell(text: str) -> str:
    """Return ``text`` as the content of a table cell: marks of Markdown mean themselves outside of code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_~|<>\[\]])", r"\\\1", part) for part in parts)


def errors_page() -> str:
    """Return the text of ``errors.md``: one table for each class, one row for each code."""
    sections = [_INTRODUCTION]
    for kind in error_classes():
        summary = (kind.__doc__ or "").partition("\n")[0]
        rows = [f"| `{code}` | {cell(cause)} | {cell(remedy)} |" for code, (cause, remedy) in kind.codes.items()]
        table = "\n".join(["| code | cause | remedy |", "| --- | --- | --- |", *rows])
        sections.append(f"## `{kind.__name__}`\n\n{summary}\n\n{table}\n")
    return "\n".join(sections)


CARD_PAGES = dict(zip(("operation-card", "semantic-scenario-card", "variant-card"), CARD_SCHEMAS, strict=True))
"""Name of the reference page -> the card it is about."""

_CARD_INTRODUCTION = """\
# {title}

{about}

Every object is closed: all listed members are required, and no other is allowed. A *set* has no item twice and is
sorted by the canonical bytes of its items; a *list* keeps its author's order. No array or object has more than 4,096
direct items. What a schema cannot say (digests, references, names that must exist, the order of events) stands in the
card contract and is checked by `operatebench card validate`.

This page is written from `schemas/{file}` by `make docs`, and a test keeps both equal.

## Members

"""

_LONGEST_PATTERN = 160
_END = "(?![\\s\\S])"
_DEFINITION = re.compile(r"(?:card-defs-v1\.schema\.json)?#/\$defs/(\w+)")


class CardPage:
    """Writes the reference page of one card from its schema and the shared definitions."""

    def __init__(self, name: str) -> None:
        self._schema = load_schema(CARD_PAGES[name])
        self._definitions = load_resource(DEFINITIONS)["$defs"]
        self._file = f"{name}-v1.schema.json"
        self._wanted: dict[str, None] = {}
        """Definitions that were linked to, in the order in which they were first met."""

    def text(self) -> str:
        """Return the text of the page: the card's members, then every definition they use."""
        title, about = self._schema["title"], _wrapped(self._schema["description"])
        rows = list(self._members(self._schema, ""))
        parts = [_CARD_INTRODUCTION.format(title=title, about=about, file=self._file) + _table(rows)]
        done: set[str] = set()
        while self._wanted.keys() - done:
            for name in [name for name in self._wanted if name not in done]:
                done.add(name)
                parts.append(self._section(name))
        return "\n".join([*parts[:1], "## Types\n", *parts[1:]])

    def _section(self, name: str) -> str:
        definition = self._definitions[name]
        parts = [f"### {name}", _wrapped(definition["description"])]
        if "oneOf" in definition:
            for branch in definition["oneOf"]:
                tag = next(iter(branch["properties"]))
                parts += [f"`{tag}` {_rule(branch['properties'][tag])}: {branch['description']}"]
                rows = [row for row in self._members(branch, "") if row[0] != f"`{tag}`"]
                parts += [_table(rows).rstrip()] if rows else []
        elif "properties" in definition:
            parts.append(_table(list(self._members(definition, ""))).rstrip())
        else:
            kind, rule = self._kind(definition), _rule(definition)
            parts.append(_wrapped(f"{kind[0].upper()}{kind[1:]}{f', {rule}' if rule else ''}."))
            pattern = definition.get("pattern", "").replace(_END, "$")
            if 0 < len(pattern) <= _LONGEST_PATTERN and pattern.isascii():  # others are for machines
                parts.append(f"```text\n{pattern}\n```")
        return "\n\n".join(parts) + "\n"

    def _members(self, schema: dict[str, Any], place: str) -> Iterator[tuple[str, str, str, str]]:
        for name, member in schema["properties"].items():
            here, about = f"{place}{name}", member.get("description", "")
            found = member
            reference = _DEFINITION.fullmatch(member.get("$ref", ""))
            if reference is not None:
                found = self._definitions[reference[1]]
                about = about or found["description"]
            inline = reference is None or (found.get("additionalProperties") is False and "oneOf" not in found)
            kind = self._kind(found) if inline or reference is None else self._link(reference[1])
            yield f"`{here}`", kind, _rule(found) if inline else "", about
            if inline:
                yield from self._inside(found, here)

    def _inside(self, schema: dict[str, Any], here: str) -> Iterator[tuple[str, str, str, str]]:
        items = schema.get("items", {})
        if "properties" in schema:
            yield from self._members(schema, f"{here}/")
        elif "properties" in items:
            yield from self._members(items, f"{here}[]/")

    def _kind(self, schema: dict[str, Any]) -> str:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = []
        for kind in kinds:
            if kind == "array":
                plural = "set" if schema.get("uniqueItems") else "list"
                reference = _DEFINITION.fullmatch(schema["items"].get("$ref", ""))
                words.append(f"{plural} of {'objects' if reference is None else self._link(reference[1])}")
            elif kind == "object" and "properties" not in schema:
                names, values = (
                    self._link(schema[part]["$ref"].rpartition("/")[2])
                    for part in ("propertyNames", "additionalProperties")
                )
                words.append(f"object from {names} to {values}")
            else:
                words.append("text" if kind == "string" else kind)
        return " or ".join(words)

    def _link(self, name: str) -> str:
        self._wanted.setdefault(name)
        return f"[{name}](#{name.lower()})"


def _rule(schema: dict[str, Any]) -> str:
    """Return the bounds and closed values of a schema in words."""
    if "const" in schema:
        return f"exactly `{_json(schema['const'])}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{_json(value)}`" for value in schema["enum"])
    words = []
    if "minLength" in schema or "maxLength" in schema:
        low, high = schema.get("minLength", 0), schema["maxLength"]
        words.append(f"{high:,} characters" if low == high else f"{low:,} to {high:,} characters")
    if "minimum" in schema:
        words.append(f"{_number(schema['minimum'])} to {_number(schema['maximum'])}")
    if schema.get("minItems"):
        words.append(f"at least {schema['minItems']}")
    return "; ".join(words)


def _number(number: int) -> str:
    return {2**63 - 1: "2^63-1", -(2**63): "-2^63"}.get(number, str(number))


def _json(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _table(rows: list[tuple[str, str, str, str]]) -> str:
    lines = ["| member | type | rule | description |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {kind} | {rule} | {cell(about)} |" for name, kind, rule, about in rows]
    return "\n".join(lines) + "\n"


def card_page(name: str) -> str:
    """Return the text of the reference page of one card, a name of :data:`CARD_PAGES`."""
    return CardPage(name).text()


_FINDINGS_INTRODUCTION = """\
# Findings

What the evaluator looks for in the record of a Maintenance run: eleven dimensions in their order, and every finding
code with its meaning. A dimension fails when one of its findings is made. Each finding names the instant and the rows
it rests on; `operatebench episode show` prints them.

The last column names the controls and forged records of which the gate demands exactly this finding. A code without one
is found in damaged records, or in what no shipped control does.

This page is written from the evaluator, the oracle and the forged records by `make docs`, and a test keeps them equal.
"""


def findings_page() -> str:
    """Return the text of ``reference/findings.md``: one table for each dimension, one row for each finding code."""
    shown_by: dict[str, list[str]] = defaultdict(list)
    controls = [(each.agent_id, each.required_finding_codes) for each in packaged_oracle().controls.values()]
    forgeries = [(each.forgery_id, each.required_finding_codes) for each in load_forgeries()]
    for name, found in (*controls, *forgeries):
        for code in found:
            shown_by[code].append(f"`{name}`")
    sections = [_FINDINGS_INTRODUCTION]
    for dimension, codes in FINDINGS.items():
        rows = [[f"`{code}`", cell(meaning), ", ".join(shown_by[code])] for code, meaning in codes.items()]
        sections.append(f"## {dimension}\n\n{_columns(('code', 'meaning', 'demanded of'), rows)}")
    return "\n".join(sections)


_REFUSALS_INTRODUCTION = """\
# Refusals while an operation runs

What the engine and the Maintenance operation say no to, each with the one fixed sentence that the record holds. No
sentence ever repeats what an agent or an author wrote. These are codes in the rows of a run; [errors](../errors.md) are
what the package itself refuses.

This page is written from the code by `make docs`, and a test keeps both equal.
"""

_REFUSALS: dict[str, tuple[str, Mapping[str, str]]] = {
    "Answers that are no decision": (
        "The row is `outcome_rejected` with the code `MALFORMED_AGENT_OUTCOME`; the decision tape holds one of these.",
        decisions.MALFORMED_DETAILS,
    ),
    "Decisions refused as they stand": ("Rows `outcome_rejected` and `wait_rejected`.", decisions.REFUSED_SHAPES),
    "Batches that are not read": ("Row `retrieval_refused`.", retrieval.REFUSED_BATCHES),
    "Proposals without their reads or evidence": ("Row `action_rejected` or `terminal_rejected`.", guard.REFUSALS),
    "Events and proposals that the operation refuses": (
        "Rows `event_rejected`, `action_rejected` and `terminal_rejected`.",
        refusals.REFUSALS,
    ),
    "Halts": (
        "Row `critical_violation`; the run ends. A code `INVARIANT_…` comes from the monitor of the operation.",
        endings.VIOLATION_DETAILS,
    ),
}


def refusals_page() -> str:
    """Return the text of ``reference/refusals.md``: one table for each place where something is refused."""
    sections = [_REFUSALS_INTRODUCTION]
    for title, (where, codes) in _REFUSALS.items():
        rows = [[f"`{code}`", cell(detail)] for code, detail in codes.items()]
        sections.append(f"## {title}\n\n{where}\n\n{_columns(('code', 'sentence'), rows)}")
    return "\n".join(sections)


_ROWS_INTRODUCTION = """\
# Rows of a trajectory

The trajectory of a run is a list of rows that is only ever appended to. Every row has `index` (its place, from 0), `at`
(the simulated instant) and `record_type`, and exactly the payload fields of its type. Rows that a domain event or
commit causes stand before the row of the event itself.

This page is written from `runtime/core/rows.py` and `runtime/maintenance/plan.py` by `make docs`, and a test keeps them
equal.
"""

_ROW_MEANINGS = {
    "episode_started": "The first row: when time begins, and when it is up.",
    "episode_ended": "The last row: how it ended.",
    "critical_violation": "The run must stop now; the code names the cause.",
    "event_observed": "An event was accepted, and wakes the agent.",
    "event_audit_only": "An event was accepted, and wakes nobody.",
    "event_rejected": "An event was refused; it changed nothing.",
    "event_after_terminal": "An event came when the operation was final; it changed nothing.",
    "agent_invoked": "The agent was woken, by what, and what that word is worth.",
    "agent_outcome": "The agent decided; `outcome` is the kind of the decision.",
    "outcome_rejected": "An answer was no decision, or one that cannot stand.",
    "agent_session": "What the session of a conversational agent held in this invocation, as a digest.",
    "wait_declared": "The agent waits: for these events, until then at the latest.",
    "wait_rejected": "A wait was refused.",
    "wait_fallback_fired": "A wait ran out, and the agent is woken without an event.",
    "wait_interrupted": "The agent was woken by an event its wait does not name.",
    "wait_unresolved_at_horizon": "The time was up, and the agent still waited.",
    "retrieval_served": "One read: where from, worth what, as of when, in which version, and what it returned.",
    "retrieval_refused": "A batch of reads was refused as a whole.",
    "derived_context_invalidated": "What was read before counts no more: the agent was woken, or acted.",
    "action_proposed": "A consequential action, as the agent proposed it.",
    "action_rejected": "It was refused; nothing changed.",
    "terminal_proposed": "The agent proposed that the operation is complete.",
    "terminal_rejected": "It was refused; nothing changed.",
    "authority_decided": "A proposal was granted: under which authority, resting on which records.",
    "effect_accepted": "What was granted took place, and these ids came of it.",
    "side_effect": "An attempt of a message went through.",
    "side_effect_failed": "An attempt of a message failed; what was decided stays decided.",
    "work_created": "Scheduled work exists from here on, under this retry policy.",
    "work_cancelled": "Scheduled work is no longer called for.",
    "work_completed": "Scheduled work is done, after so many attempts.",
    "work_failed": "Scheduled work was given up, after so many attempts.",
    "timer_scheduled": "The scheduler will emit this event then.",
    "timer_cancelled": "It will not.",
    "checkpoint_opened": "A human is called upon: who, about what, until when, and what they were shown.",
    "checkpoint_resolved": "A human decided, or the deadline passed.",
    "obligation_created": "The agent owes something, until then.",
    "obligation_discharged": "It was done.",
    "obligation_cancelled": "It is no longer owed.",
    "obligation_breached": "It was not done in time.",
    "terminal_accepted": "The operation is at its end.",
    "provisional_close_entered": "The case is closed unless the customer comes back by then.",
    "operation_reopened": "The customer came back: another work cycle, under warranty.",
}


def rows_page() -> str:
    """Return the text of ``reference/rows.md``: the engine's row types, then those of the operation."""
    sections = [_ROWS_INTRODUCTION]
    for title, types in (("The engine", ROW_TYPES), ("The Maintenance operation", plan.ROW_TYPES)):
        rows = [
            [f"`{name}`", _ROW_MEANINGS[name], ", ".join(f"`{field}`" for field in fields)]
            for name, fields in types.items()
        ]
        sections.append(f"## {title}\n\n{_columns(('record type', 'meaning', 'payload'), rows)}")
    return "\n".join(sections)


_MODULES_INTRODUCTION = """\
# Modules of runtime and tracks

What each module is for: the first line of its text. [Architecture](../architecture.md) says how they hang together.

This page is written from the modules by `make docs`, and a test keeps both equal.
"""


def modules_page() -> str:
    """Return the text of ``reference/modules.md``: a table for each folder below ``runtime`` and ``tracks``."""
    package = Path(operatebench.__path__[0])
    folders = sorted({path.parent for name in ("runtime", "tracks") for path in (package / name).rglob("*.py")})
    sections = [_MODULES_INTRODUCTION]
    for folder in folders:
        about, *modules = [(path.name, _first_line(path)) for path in sorted(folder.glob("*.py"))]
        place = folder.relative_to(package).as_posix()
        table = _columns(("module", "in one line"), [[f"`{place}/{name}`", cell(line)] for name, line in modules])
        sections.append(f"## {place}/\n\n{about[1]}\n" + (f"\n{table}" if modules else ""))
    return "\n".join(sections)


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


_BINDING_INTRODUCTION = """\
# What binds a run

An episode is bound to eleven identity components. What each of them projects is taken from the installed code and the
spec, never from a record of the run. Pointers are flat: `/source/<file>` and `/contract_resources/<file>` hold size and
SHA-256 of a file, `/spec/…` a part of the spec as it was parsed, and the others what the table says. A `*` stands for
any one name; an entry below another takes its part out of it. Files that no component names are bound by the source
identity alone.

[From spec to cards](spec-to-cards.md) says which part of a card comes from where. This page is written from
`tracks/lifecycle/binding/` and `tracks/lifecycle/ownership.py` by `make docs`, and a test keeps both equal.
"""

_BINDING_MANY = ("/engine/row_types/", "/evaluator/findings/")
"""Where there is a pointer for each member of a table."""


def live_binding_page() -> str:
    """Return the text of ``reference/live-binding.md``: what each component projects."""
    spec = packaged_spec()
    cards = binding.cards_of(spec, "V1")
    projections = binding.project(spec, cards, "V1", "reference", source_files={})
    sections = [_BINDING_INTRODUCTION]
    for component, pointers in projections.items():
        named = [pointer for pointer in pointers if not pointer.startswith("/spec/")]
        many = [(many, f"{many}*") for many in _BINDING_MANY if any(each.startswith(many) for each in named)]
        rows = [
            *((f"`{pointer}`", "the code") for pointer in named if not pointer.startswith(_BINDING_MANY)),
            *((f"`{shown}`", "the code") for _, shown in many),
            *((f"`/spec{entry}`", "the spec") for entry in _of(component, binding.SECTIONS, binding.WHOLE_ON_A_CARD)),
            *(_file_row(entry) for entry in _of(component, OWNERS)),
        ]
        rows = [(row[0], "a card") if "_card/" in row[0] else row for row in rows]
        sections.append(f"## {component}\n\n{_columns(('pointer', 'from'), rows)}")
    return "\n".join(sections)


def _of(component: str, owners: Mapping[str, str], but: Collection[str] = ()) -> list[str]:
    return [entry for entry, owner in owners.items() if owner == component and entry not in but]


def _file_row(entry: str) -> tuple[str, str]:
    if entry.startswith("schemas/"):
        return f"`{entry.replace('schemas/', '/contract_resources/')}`", "the file"
    if not entry.endswith("/"):
        return f"`/source/{entry}`", "the file"
    below = [other for other in OWNERS if other != entry and other.startswith(entry)]
    left_out = [other for other in below if not any(other != each and other.startswith(each) for each in below)]
    but = f" but for {', '.join(f'`{each.removeprefix(entry)}`' for each in left_out)}" if left_out else ""
    if entry == "runtime/maintenance/agents/":
        return f"`/source/{entry}*`", "the agent's own file, and those in `_shared/`"
    return f"`/source/{entry}*`", f"each file in it{but}"


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors_page,
    "reference/findings.md": findings_page,
    "reference/live-binding.md": live_binding_page,
    "reference/modules.md": modules_page,
    "reference/refusals.md": refusals_page,
    "reference/rows.md": rows_page,
    **{f"reference/{name}.md": partial(card_page, name) for name in CARD_PAGES},
}
"""Every generated page, by its path below ``docs/``."""


def main(arguments: list[str]) -> int:
    """Write, or with ``--check`` compare, the generated pages.

    Args:
        arguments: the words after the script's name: nothing or ``--check``.

    Returns:
        The exit status: 0 done or equal, 1 out of date, 64 for unknown arguments.
    """
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 64
    stale = False
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if not arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"docs/{name}")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is out of date: run `make docs`", file=sys.stderr)
            stale = True
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
