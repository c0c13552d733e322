"""The vector language `operatebench.conformance.authority.v1`: authorizations, their register, and admission."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from ..authority import (
    ISSUERS_SCHEMA,
    Admission,
    Chain,
    Live,
    LiveRun,
    Pair,
    Register,
    Request,
    Row,
    SourceBoundAuthorizationV1,
    Trust,
    TrustedIssuers,
    VerifyingKey,
    admit_digests,
    instant,
)
from ..errors import AuthorizationError, DocumentError, OperateBenchError, describe, pointer
from .judging import Outcome, judge
from .model import Case, Expectation, Strict, read_model
from .patching import PatchOp, patched

LANGUAGE = "operatebench.conformance.authority.v1"


class Value(Strict):
    """Plain JSON: as it is, or an earlier one of its table with a patch."""

    value: Any = None
    base: str | None = None
    patch: list[PatchOp] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_source(self) -> Value:
        if ("value" in self.model_fields_set) == (self.base is not None):
            raise ValueError("exactly one of value and base")
        return self


class Key(Strict):
    """A key for tests, known to everybody."""

    seed_hex: str
    key_id: str
    public_key_pem: str


class Issuer(Strict):
    """An issuer who is trusted, with a key of the file."""

    name: str
    key: str


class Trusting(Strict):
    """Whose word counts."""

    issuers: list[Issuer] | None = None
    allow_unsigned: bool = False


class Runs(Strict):
    """What is live of a run."""

    variant_id: str
    agent_id: str
    runtime_bundle_digest_sha256: str
    experiment_bundle_digest_sha256: str
    manifest_digest_sha256: str
    settings_digest_sha256: str


class Lives(Strict):
    """What is live."""

    source_identity_digest_sha256: str
    runs: list[Runs]

    def live(self) -> Live:
        """Return it as an authorization is held to it."""
        runs = {Pair(run.variant_id, run.agent_id): list(run.model_dump().values())[2:] for run in self.runs}
        return Live(self.source_identity_digest_sha256, {pair: LiveRun(*digests) for pair, digests in runs.items()})


class Asked(Strict):
    """What is asked for; a run is a variant and an agent."""

    action: str
    operation_id: str
    runs: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    episodes: int
    provider_calls: int

    def request(self) -> Request:
        """Return it as a request."""
        pairs = frozenset(Pair(*run) for run in self.runs)
        return Request(self.action, self.operation_id, pairs, self.episodes, self.provider_calls)


class Step(Strict):
    """An admission or a revocation of an earlier instant, on which nothing is expected."""

    do: Literal["admit", "revoke"]
    document: str
    now: str
    live: str = "here"
    request: str = "usual"
    trust: str = "issuer"


class DigestCase(Strict):
    """An authorization is read, and its signature checked with a key."""

    kind: Literal["digest"]
    name: str
    note: str = ""
    document: str
    key: str | None = None
    expect: dict[str, Any]


class ReadCase(Strict):
    """An authorization is read, or refused."""

    kind: Literal["read"]
    name: str
    note: str = ""
    document: str
    expect: dict[str, Any]


class RowCase(Strict):
    """The digest of a row."""

    kind: Literal["register_row"]
    name: str
    note: str = ""
    row: dict[str, Any]
    expect: dict[str, Any]


class ChainCase(Strict):
    """All rows of a register are checked."""

    kind: Literal["register_chain"]
    name: str
    note: str = ""
    chain: str
    expect: dict[str, Any]


class AdmitCase(Strict):
    """An admission, after what the register has seen; ``register`` is null for one that is missing."""

    kind: Literal["admit"]
    name: str
    note: str = ""
    document: str
    live: str = "here"
    request: str = "usual"
    trust: str = "issuer"
    now: str
    register_: list[Step] | None = Field(alias="register")
    expect: dict[str, Any]


_Cases = DigestCase | ReadCase | RowCase | ChainCase | AdmitCase


class AuthorityVectorFile(Strict):
    """A whole file. Values have a base that stands before them in their table."""

    vectors: str
    about: str
    register_made_at: str
    keys: dict[str, Key]
    trusts: dict[str, Trusting]
    lives: dict[str, Value]
    requests: dict[str, Value]
    chains: dict[str, Value]
    documents: dict[str, Value]
    count: int
    cases: list[Annotated[_Cases, Field(discriminator="kind")]]


def run(document: object) -> list[Outcome]:
    """Run every case of a parsed file of this language, in order.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, two cases share a name, a case
            names what is not there, or a value cannot be made. No case of such a file is run.
    """
    file = read_model(AuthorityVectorFile, document, "vector_file")
    if file.count != len(file.cases):
        raise _misfit("/count", str(len(file.cases)), file.count)
    tables = _tables(file)
    seen: set[str] = set()
    for index, case in enumerate(file.cases):
        at = pointer("cases", index)
        if case.name in seen:
            raise _misfit(f"{at}/name", "a name no other case has", case.name)
        seen.add(case.name)
        _require_names(tables, case, at)
        if isinstance(case, AdmitCase):
            for number, step in enumerate(case.register_ or ()):
                _require_names(tables, step, f"{at}/register/{number}")
    with tempfile.TemporaryDirectory(prefix="operatebench-vectors-") as folder:
        bench = _Bench(tables, Path(folder))
        Register.create(bench.empty, _moment(file.register_made_at, "/register_made_at"))
        return [_judge(case, bench) for case in file.cases]


class _Bench(NamedTuple):
    """What the cases name, and a folder with an empty register."""

    tables: dict[str, dict[str, Any]]
    folder: Path

    @property
    def empty(self) -> Path:
        """The empty register, of which each case has a copy."""
        return self.folder / "empty"


def _tables(file: AuthorityVectorFile) -> dict[str, dict[str, Any]]:
    """Return what cases and steps name, by the member with which they do."""
    lives, requests = _values(file.lives, "lives"), _values(file.requests, "requests")
    keys = {
        name: VerifyingKey.from_pem(key.public_key_pem.encode(), pointer("keys", name))
        for name, key in file.keys.items()
    }
    trusts = {name: _trust(trust, file.keys, pointer("trusts", name)) for name, trust in file.trusts.items()}
    return {
        "document": _values(file.documents, "documents"),
        "key": keys,
        "live": {name: _within(Lives, value, pointer("lives", name)).live() for name, value in lives.items()},
        "request": {
            name: _within(Asked, value, pointer("requests", name)).request() for name, value in requests.items()
        },
        "trust": trusts,
        "chain": _values(file.chains, "chains"),
    }


def _values(table: Mapping[str, Value], member: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in table.items():
        at = pointer(member, name)
        if value.base is not None and value.base not in made:
            raise _misfit(f"{at}/base", "a name that stands before this one", value.base)
        try:
            made[name] = value.value if value.base is None else patched(made[value.base], value.patch)
        except DocumentError as refusal:
            raise _misfit(f"{at}/patch", refusal.expected, refusal.actual) from None
    return made


def _within(model: type[Lives | Asked], value: Any, at: str) -> Any:
    try:
        return read_model(model, value, "vector_file")
    except DocumentError as refusal:
        texts = {"expected": refusal.expected, "actual": refusal.actual}
        raise DocumentError("vector_file", path=at + refusal.path, **texts) from None


def _trust(trust: Trusting, keys: Mapping[str, Key], at: str) -> Trust:
    if trust.issuers is None:
        return Trust(None, trust.allow_unsigned)
    for index, issuer in enumerate(trust.issuers):
        if issuer.key not in keys:
            raise _misfit(f"{at}/issuers/{index}/key", "a key of the file", issuer.key)
    rows = [{"name": each.name, **keys[each.key].model_dump(exclude={"seed_hex"})} for each in trust.issuers]
    document = {"schema": ISSUERS_SCHEMA, "schema_version": 1, "issuers": rows}
    return Trust(TrustedIssuers.read(document), trust.allow_unsigned)


def _require_names(tables: Mapping[str, Mapping[str, Any]], value: Strict, at: str) -> None:
    for member, table in tables.items():
        name = getattr(value, member, None)
        if name is not None and name not in table:
            raise _misfit(f"{at}/{member}", f"a {member} of the file", name)
    if (now := getattr(value, "now", None)) is not None:
        _moment(now, f"{at}/now")


def _moment(text: str, at: str) -> datetime:
    try:
        return instant(text)
    except ValueError:
        raise _misfit(at, "an instant that exists", text) from None


def _misfit(path: str, expected: str, found: object) -> DocumentError:
    return DocumentError("vector_file", path=path, expected=expected, actual=describe(found))


def _judge(case: _Cases, bench: _Bench) -> Outcome:
    def decide(_: dict[str, Any]) -> dict[str, Any]:
        return _answer(case, bench)

    plain = Case(id=case.name, note="", kind=case.kind, input={}, expect=Expectation(ok=case.expect))
    return judge(plain, decide, OperateBenchError)


def _answer(case: _Cases, bench: _Bench) -> dict[str, Any]:
    match case:
        case DigestCase():
            authorization = SourceBoundAuthorizationV1.read(bench.tables["document"][case.document])
            content, signature = authorization.signed_bytes(), authorization.signature
            key = None if case.key is None else bench.tables["key"][case.key]
            verified = None if key is None or signature is None else key.signed(signature, content)
            digest = authorization.authorization_digest_sha256
            return {"digest": digest, "signed_bytes_hex": content.hex(), "verified": verified}
        case ReadCase():
            try:
                SourceBoundAuthorizationV1.read(bench.tables["document"][case.document])
            except AuthorizationError as refusal:
                return {"verdict": "refused", "code": refusal.code, "path": refusal.path}
            return {"verdict": "accepted"}
        case RowCase():
            return {"digest": Row(**case.row, row_digest_sha256="").digest()}
        case ChainCase():
            return _walk(bench.tables["chain"][case.chain])
        case AdmitCase():
            return _admit(case, bench)


def _walk(rows: Any) -> dict[str, Any]:
    try:
        return {"verdict": "sound", "head": Chain((Row(**row) for row in rows), "").audit().head}
    except AuthorizationError as refusal:
        return {"verdict": "refused", "row": int(refusal.path.split()[1])}


def _admit(case: AdmitCase, bench: _Bench) -> dict[str, Any]:
    path = bench.folder / case.name
    if case.register_ is not None:
        shutil.copy(bench.empty, path)
    register = Register(path, durable=False)
    for step in case.register_ or ():
        if step.do == "admit":
            _admission(step, register, bench.tables)
            continue
        digest = bench.tables["document"][step.document]["authorization_digest_sha256"]
        with register.transaction() as entries:
            entries.revoke(digest, instant(step.now))
    admission = _admission(case, register, bench.tables)
    use_index = None if admission.use is None else admission.use.index
    return {"reasons": list(admission.reasons), "use_index": use_index}


def _admission(asked: AdmitCase | Step, register: Register, tables: Mapping[str, Mapping[str, Any]]) -> Admission:
    return admit_digests(
        tables["document"][asked.document],
        tables["live"][asked.live],
        tables["request"][asked.request],
        instant(asked.now),
        register,
        trust=tables["trust"][asked.trust],
    )
