"""The one error tree: every refusal of this package, with its stable code, place, expected, actual and remedy.

Rules of the tree (architecture, "Records, errors, names"):

* a refusal is data about bad input; a wrong call by a programmer stays a plain ``TypeError``;
* ``code`` is stable and listed in the class that raises it, with cause and remedy; ``docs/errors.md`` is that list;
* ``path`` is a JSON Pointer into the refused document, or a position or name of a file;
* ``expected`` and ``actual`` are new, escaped texts of at most 200 characters, never objects of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

__all__ = ["DocumentError", "IdentityValidationError", "OperateBenchError", "describe", "escape", "pointer"]

MAX_TEXT = 200
"""Longest ``expected`` or ``actual`` in characters."""

MAX_PATH = 512
"""Longest ``path`` in characters; a longer one is cut and ends in ``…``."""

_MAX_PRINTED_BITS = 256
# Reading the name through the descriptor of ``type`` runs no hook of a hostile metaclass.
_type_name = type.__dict__["__name__"].__get__


def escape(text: str, limit: int = MAX_TEXT) -> str:
    """Return a new printable text, cut at ``limit`` characters: controls, surrogates and bidi marks are escaped."""
    printable = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text[: limit + 1]
    )
    return _cut(printable, limit)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe(value: object) -> str:
    """Describe ``value`` in a new escaped text of at most 200 characters without running any hook of it.

    Scalars are shown as JSON would show them, bigger values by type and size, foreign objects by type name only.
    """
    # Exact types by identity: hashing or comparing a foreign class could run a hook of its metaclass.
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        quoted = _quote(value, MAX_TEXT)
        return quoted if len(quoted) <= MAX_TEXT else f"text of {len(value)} characters: {_quote(value, 120)}"
    if type(value) is int:
        bits = value.bit_length()
        return str(value) if bits <= _MAX_PRINTED_BITS else f"an integer of {bits} bits"
    if type(value) is float:
        return repr(value)
    if type(value) is dict:
        return f"an object with {len(value)} members"
    if type(value) is list:
        return f"an array of {len(value)} items"
    # The name may be of a class derived from str; this copies it without asking that class.
    return f"a Python object of type {escape(str.__getitem__(_type_name(type(value)), slice(100)), 100)}"


def _quote(text: str, limit: int) -> str:
    cut = text[: limit + 1]
    return '"' + escape(cut.replace("\\", "\\\\").replace('"', '\\"'), limit) + '"'


def pointer(*tokens: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of ``tokens``.

    It is exact for names of printable characters; others are written as escapes, and it is cut at 512 characters.
    """
    return escape("".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens), MAX_PATH)


class OperateBenchError(Exception):
    """A refusal. Subclasses say which part refused and declare their codes.

    Attributes:
        code: stable snake_case name of the rule that refused; one of :attr:`codes`.
        path: where: a JSON Pointer, or a file name or position; empty for the whole input.
        expected: what the rule asks for, as text.
        actual: what was found instead, as text.
        hint: what to do next.
    """

    codes: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType({})
    """code -> (cause, remedy)."""

    def __init__(self, code: str, *, path: str = "", expected: str = "", actual: str = "", hint: str = "") -> None:
        if code not in self.codes:
            raise TypeError(f"{type(self).__name__} declares no code {code!r}")
        super().__init__(code)
        self.code = code
        self.path = _cut(path, MAX_PATH)
        self.expected = _cut(expected, MAX_TEXT)
        self.actual = _cut(actual, MAX_TEXT)
        self.hint = hint or self.codes[code][1]

    @property
    def cause(self) -> str:
        """The one-sentence cause that belongs to the code."""
        return self.codes[self.code][0]

    def detached(self) -> OperateBenchError:
        """Return an equal error with no traceback, cause or context, so that nothing of a caller hangs on it."""
        return type(self)(self.code, path=self.path, expected=self.expected, actual=self.actual, hint=self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how to copy and pickle a refusal; the default way knows no keyword arguments."""
        texts = {"path": self.path, "expected": self.expected, "actual": self.actual, "hint": self.hint}
        return partial(type(self), **texts), (self.code,)

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        found = f": expected {self.expected}, got {self.actual}" if self.expected else f": {self.cause}"
        return f"{self.code}{place}{found}"

    def diagnostics(self) -> str:
        """Return the refusal for people: one fact a line, aligned, without a trailing newline."""
        facts = {
            "refused": f"{self.code}: {self.cause}",
            "where": self.path or "the whole input",
            "expected": self.expected,
            "actual": self.actual,
            "remedy": self.hint,
        }
        return "\n".join(f"{name:<9} {fact}" for name, fact in facts.items() if fact)

    def to_json(self) -> dict[str, Any]:
        """Return the refusal as a fresh plain object: code, cause, path, expected, actual, hint."""
        return {
            "code": self.code,
            "cause": self.cause,
            "path": self.path,
            "expected": self.expected,
            "actual": self.actual,
            "hint": self.hint,
        }


class DocumentError(OperateBenchError, ValueError):
    """A file could not be read, or not be written, as the document it should be."""

    codes = MappingProxyType(
        {
            "file_missing": ("No file has this name.", "Check the path."),
            "file_type": (
                "The path names no regular file.",
                "Name a regular file; links below the given folder are not followed.",
            ),
            "file_unreadable": (
                "The operating system refused to read the file.",
                "Check the permissions of the file and its folder.",
            ),
            "file_too_large": (
                "The file is larger than any document of this kind may be.",
                "Name the right file, or make the document smaller.",
            ),
            "file_exists": (
                "A file of this name exists already and nothing was written.",
                "Name a new file, or remove the old one first.",
            ),
            "file_unwritable": (
                "The operating system refused to write the file; nothing was published.",
                "Check the folder, its permissions and free space.",
            ),
            "file_unsynced": (
                "The file was published, but its folder could not be synced to disk.",
                "The new file is in place; check the disk before relying on it.",
            ),
            "document_kind": (
                "The document is of no kind this command knows.",
                "Give a document whose schema field names a supported kind.",
            ),
            "vector_file": (
                "The file does not keep the rules of the vector language it names.",
                "Compare the file with the language's FORMAT.md.",
            ),
            "vector_case": (
                "The input of a vector case cannot be built.",
                "Use only the recipes, ops and members the language's FORMAT.md names.",
            ),
        }
    )


class IdentityValidationError(OperateBenchError, ValueError):
    """A value, record or document breaks the Identity Manifest v1 contract.

    The codes are the stage labels of the identity contract, section 20, in the order in which a manifest meets them,
    then those of the other functions.
    """

    codes = MappingProxyType(
        {
            "root_type": ("A root is not an exact plain object.", "Pass a plain JSON object."),
            "root_cardinality": (
                "A root has the wrong number of members.",
                "Compare the member names with the contract's record.",
            ),
            "strict_json": (
                "The value lies outside the strict JSON profile.",
                "Use null, booleans, integers within ±(2^53-1), clean Unicode text, arrays, objects with unique names.",
            ),
            "resource_limits": (
                "The input is over a fixed limit.",
                "Split or shorten the input; the limits are in docs/IDENTITY_REPLAY_RFC.md.",
            ),
            "map_cardinality": (
                "A map has the wrong number of entries.",
                "Give exactly the eleven components and two bundles.",
            ),
            "projection_shape": (
                "A projection is not a plain object with text names and at most 4,096 fields.",
                "Give a flat object of field path to value.",
            ),
            "census_b1_scope": (
                "A B1 card census was given; its scope is insufficient for a manifest.",
                "Give the manifest-projection census, for example the one `operatebench manifest build` writes.",
            ),
            "census_keys": (
                "The census does not have exactly its five members.",
                "Rebuild the census from the projections.",
            ),
            "census_header": (
                "The census names another schema, version or manifest schema.",
                "Rebuild the census with this version of the toolkit.",
            ),
            "census_owners": (
                "The census does not list all eleven owners in registry order.",
                "List the eleven component names in registry order.",
            ),
            "census_entries": ("The census entries are not an array.", "Give an array of rows."),
            "census_entry": (
                "A census row is not exactly {field_path, owner}.",
                "Give each row exactly these two members.",
            ),
            "census_owner_unknown": (
                "A census row names an owner that is no component.",
                "Name one of the eleven components; bundles own nothing.",
            ),
            "field_path": (
                "A field path breaks the grammar.",
                "Start with '/', leave no token empty, write '~' as '~0', '/' as '~1', and use no '*'.",
            ),
            "census_duplicate": ("A field path is owned twice.", "Give every path exactly one owner."),
            "census_order": (
                "The census rows are not sorted by owner, then path.",
                "Sort rows by registry order of the owner, then by code point of the path.",
            ),
            "manifest_keys": (
                "The manifest does not have exactly its six members.",
                "Compare the member names with the contract's record.",
            ),
            "manifest_header": (
                "The manifest names another schema or version.",
                "Use a toolkit of the matching version, or rebuild the manifest.",
            ),
            "map_type": ("Components or composites are not an object.", "Give an object of name to record."),
            "map_names": (
                "A map does not hold exactly the registered names.",
                "Give exactly the eleven components and two bundles.",
            ),
            "compatibility_contract": (
                "The compatibility contract differs from the frozen one.",
                "Copy the contract of the packaged registry.",
            ),
            "ownership_join": (
                "Census, independent projection and serialized component disagree.",
                "If the source moved on purpose, rebuild manifest and census; else find out who changed the manifest.",
            ),
            "component_keys": (
                "A serialized component does not have exactly its eight members.",
                "Compare the member names with the contract's record.",
            ),
            "requirement_shape": (
                "A requirement row is malformed or not the registered one.",
                "Give the registered dependencies in registry order, each of one known kind.",
            ),
            "component_identity": (
                "A component record differs from the one recomputed from its fields.",
                "Rebuild the manifest from its sources.",
            ),
            "requirement_digest": (
                "A component requires a digest that its dependency no longer has.",
                "Rebuild the manifest, or review why the dependency moved.",
            ),
            "requirement_range": (
                "A component requires a schema version its dependency does not have.",
                "Widen the range, or use a matching dependency.",
            ),
            "requirement_named": (
                "A named predicate is required, and version 1 knows none.",
                "Use an exact digest or a version range.",
            ),
            "composite_identity": (
                "A bundle record differs from the one recomputed from its members.",
                "Rebuild the manifest from its sources.",
            ),
            "manifest_digest": (
                "The manifest's own digest is not the digest of its content.",
                "Rebuild the manifest; never edit one by hand.",
            ),
            "name": ("The name is not a registered component or bundle.", "Use a name of the component registry."),
            "leaf_closure": (
                "The members given are not exactly the bundle's leaves.",
                "Give every leaf of the bundle once, and nothing else.",
            ),
            "leaf_identity": (
                "A member record is not a valid component identity.",
                "Recompute the component; do not edit records.",
            ),
            "record_type": (
                "The value is no identity record that has a JSON form.",
                "Pass a component or composite record of this package.",
            ),
            "requirements_type": ("The requirements are not an array.", "Pass an array of requirement rows."),
            "resolved_type": (
                "The resolved components are not a plain object.",
                "Pass a dict of component name to record.",
            ),
            "resolved_names": (
                "A resolved name is not a registered component.",
                "Use component names only, at most eleven.",
            ),
            "resolved_record": (
                "A resolved record is not the valid identity of its name.",
                "Recompute the component; do not edit records.",
            ),
            "requirement_component": (
                "A requirement names something that is no registered component.",
                "Name one of the eleven components; bundles cannot be required.",
            ),
            "diff_input": ("The diff takes exactly two validated manifests.", "Validate both manifests first."),
            "diff_envelope": (
                "A validated manifest's own schema, version or digest field was changed.",
                "Validate the manifest again.",
            ),
            "diff_registry_order": (
                "A validated manifest's maps are not in registry order.",
                "Validate the manifest again.",
            ),
            "diff_component": (
                "A validated manifest holds a component that does not recompute.",
                "Validate the manifest again.",
            ),
            "diff_duplicate_owner": (
                "A field path has two owners inside one manifest.",
                "Validate the manifest again.",
            ),
            "diff_composite": (
                "A validated manifest holds a bundle that does not recompute.",
                "Validate the manifest again.",
            ),
            "diff_reassignment": (
                "A field path moved to another owner, which no mutation row can express.",
                "Treat the two manifests as different designs; give the path a new name.",
            ),
            "resource_unavailable": ("A packaged resource could not be read whole.", "Reinstall the package."),
            "resource_pin": (
                "A packaged resource is not the pinned one.",
                "Reinstall the package; do not edit its files.",
            ),
            "resource_content": (
                "A packaged resource is not the frozen registry it should be.",
                "Reinstall the package.",
            ),
        }
    )
