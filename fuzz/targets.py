"""What is fuzzed: each target takes bytes and fails on anything that is neither an answer nor a refusal of ours."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from canonicaljson import encode_canonical_json

from fuzz.documents import ROLES, Choices, edited, golden
from operatebench.cli.app import run
from operatebench.errors import OperateBenchError
from operatebench.errors.texts import MAX_TEXT
from operatebench.identity import (
    build_identity_manifest,
    claimed_projections,
    identity_diff,
    recompute_manifest_digest,
    validate_identity_manifest,
)
from operatebench.identity.strictjson import parse_json

_STATUSES = {0, 1, 2, 64}


class FindingError(AssertionError):
    """A target saw something that must never happen."""


def parser(data: bytes) -> None:
    """Parse bytes; what is admitted has the oracle's bytes and parses back to itself.

    Raises:
        FindingError: it does not.
    """
    try:
        admitted = parse_json(data)
    except OperateBenchError as refusal:
        _require_well_formed(refusal)
        return
    canonical = bytes(admitted.canonical)
    if canonical != encode_canonical_json(admitted.value):
        raise FindingError("canonical bytes differ from canonicaljson's")
    if bytes(parse_json(canonical).canonical) != canonical:
        raise FindingError("canonical bytes do not parse back to themselves")


def validator(data: bytes) -> None:
    """Validate edited documents; what is accepted is equal in meaning to documents that are built from scratch.

    Raises:
        FindingError: something invalid was accepted.
    """
    documents = edited(Choices(data))
    for call in (recompute_manifest_digest, claimed_projections):
        with _refusals():
            call(documents["manifest"])
    with _refusals():
        build_identity_manifest(documents["projections"])
    with _refusals():
        valid = validate_identity_manifest(*(documents[role] for role in ROLES))
        if recompute_manifest_digest(documents["manifest"]) != valid.manifest_digest_sha256:
            raise FindingError("an accepted manifest has another digest")
        claimed = claimed_projections(documents["manifest"])
        rows = {name: component["requires"] for name, component in documents["manifest"]["components"].items()}
        again = build_identity_manifest(documents["projections"], rows)
        if again["manifest_digest_sha256"] != valid.manifest_digest_sha256:
            raise FindingError("an accepted manifest is not the one its projections give")
        if encode_canonical_json(claimed) != bytes(parse_json(_dump(documents["projections"])).canonical):
            raise FindingError("an accepted manifest claims other projections")
        identity_diff(valid, validate_identity_manifest(*golden().values()))


_COMMANDS = (
    "digest manifest",
    "digest manifest --explain",
    "digest manifest census projections --json",
    "manifest build projections",
    "manifest build projections --requirements census --json",
    "manifest show manifest",
    "manifest show manifest --json",
    "manifest validate manifest --census census --projections projections",
    "manifest validate manifest --census census --projections projections --json",
    "manifest diff manifest golden",
    "manifest diff golden manifest --json",
    "requirements check census --manifest manifest",
    "requirements check rows --manifest golden --json",
    "schema check manifest",
    "schema check census --second-opinion --json",
    "vectors verify vectors",
    "vectors verify manifest --json",
)


def command(data: bytes) -> None:
    """Run one command on files made of the bytes; it ends with one of its four exit statuses.

    Raises:
        FindingError: it ended otherwise.
    """
    choices = Choices(data)
    words = _COMMANDS[choices.below(len(_COMMANDS))].split()
    raw = choices.below(2) == 0
    documents: dict[str, bytes] = {"golden": _dump(golden()["manifest"])}
    if raw:
        documents |= dict.fromkeys((*ROLES, "rows", "vectors"), choices.rest())
    else:
        made = edited(choices)
        rows = made["manifest"].get("components") if isinstance(made["manifest"], dict) else None
        documents |= {role: _dump(made[role]) for role in ROLES}
        documents |= {"rows": _dump(_all_rows(rows)), "vectors": _dump({"cases": [made], "count": 1})}
    with tempfile.TemporaryDirectory() as folder, _captured() as (out, err):
        for name, content in documents.items():
            (Path(folder) / name).write_bytes(content)
        status = run(
            [str(Path(folder) / word) if word in documents and index > 0 else word for index, word in enumerate(words)]
        )
    if status not in _STATUSES:
        raise FindingError(f"exit status {status}")
    for stream in (out, err):
        stream.flush()
        text = stream.buffer.getvalue().decode("utf-8")  # what is printed is UTF-8, or this fails
        if "Traceback" in text:
            raise FindingError("a traceback was printed")
    if "--json" in words and status != 64:
        json.loads(out.buffer.getvalue())


TARGETS: dict[str, Callable[[bytes], None]] = {"parser": parser, "validator": validator, "command": command}


def seeds(target: str) -> Iterator[bytes]:
    """Yield the seed corpus of a target: documents and inputs of the packaged vectors, and choices of each kind."""
    if target in {"parser", "command"}:
        for document in golden().values():
            yield b"\0\0" * (target == "command") + _dump(document)
        folder = files("operatebench.vectors").joinpath("identity")
        for name in ("accept.json", "refuse.json", "requirements.json", "diff.json"):
            cases = json.loads(folder.joinpath(name).read_bytes())["cases"]
            for index, case in enumerate(cases):
                lead = bytes([index % len(_COMMANDS), 0]) if target == "command" else b""
                yield lead + _dump(case["input"])
        for text in (
            b"[1.0,-0,1e3]",
            b'{"a":1,"a":2}',
            b'"\\ud83d\\ude00"',
            b"[" * 65 + b"]" * 65,
            b'"\xff"',
            b"9" * 400,
        ):
            yield b"\0\0" * (target == "command") + text
    if target != "parser":
        for index in range(len(_COMMANDS)):
            lead = bytes([index, 1]) if target == "command" else b""
            for edit in range(6):
                yield lead + bytes([1, edit % 3, 7 * index + edit, 0, edit, 3 * index, edit])


def _all_rows(components: Any) -> Any:
    if not isinstance(components, dict):
        return components
    rows = [component.get("requires") for component in components.values() if isinstance(component, dict)]
    return [row for several in rows if isinstance(several, list) for row in several]


def _dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Let refusals of ours pass, and nothing else."""
    try:
        yield
    except OperateBenchError as refusal:
        _require_well_formed(refusal)


def _require_well_formed(refusal: OperateBenchError) -> None:
    texts = (refusal.path, refusal.expected, refusal.actual, str(refusal))
    if not all(text.isprintable() for text in texts) or max(len(refusal.expected), len(refusal.actual)) > MAX_TEXT:
        raise FindingError(f"a malformed refusal: {refusal.args}")


class _Memory(io.TextIOWrapper):
    """A text stream over bytes in memory."""

    buffer: io.BytesIO

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="\n")


@contextlib.contextmanager
def _captured() -> Iterator[tuple[_Memory, _Memory]]:
    out, err = _Memory(), _Memory()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err
