"""Reading: which batches are served, what a read returns, and the record of what the agent now holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .plain import Piece, canonical, frozen_copy
from .protocol import AuthoritativeSystem, Tool
from .run import Run
from .vocabulary import Authority

_VERSION_DIGITS = 16

EMPTY_BATCH = "EMPTY_RETRIEVAL_BATCH"
BATCH_TOO_LARGE = "RETRIEVAL_BATCH_TOO_LARGE"
CONFLICTING_ARGUMENTS = "CONFLICTING_RETRIEVAL_ARGUMENTS"
UNKNOWN_TOOL = "UNKNOWN_RETRIEVAL_TOOL"
MALFORMED_REQUEST = "MALFORMED_RETRIEVAL_REQUEST"
BUDGET_EXHAUSTED = "RETRIEVAL_BUDGET_EXHAUSTED"

REFUSED_BATCHES: Mapping[str, str] = MappingProxyType(
    {
        EMPTY_BATCH: "The batch holds no request.",
        BATCH_TOO_LARGE: "The batch holds more distinct requests than are served at once.",
        CONFLICTING_ARGUMENTS: "The batch asks one tool with two sets of arguments.",
        UNKNOWN_TOOL: "The batch names a tool that is not in the catalogue.",
        MALFORMED_REQUEST: "The batch gives arguments to a tool that takes none.",
        BUDGET_EXHAUSTED: "The invocation has used all its batches.",
    }
)
"""Code of a refused batch -> its fixed detail, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class CatalogueSystem:
    """One source of the catalogue, an :class:`.protocol.AuthoritativeSystem` over the state of the run."""

    source: str
    authority: Authority
    run: Run

    def read(self, tool: str) -> dict[str, Any]:
        """Return the roots of one of its tools, as they are now."""
        return self.run.operation.serve(self.run.state, tool)


@dataclass(frozen=True, slots=True)
class Body:
    """What a tool returned, the version of its bytes, and its read-only form."""

    records: Piece
    version: str
    view: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Served:
    """One result the agent holds.

    Attributes:
        tool: which tool it came from.
        body: what it returned.
        head: everything of the result but ``records``, plain.
        wire: the result, its records encoded already.
        view: the result, read-only.
    """

    tool: str
    body: Body
    head: dict[str, Any]
    wire: dict[str, Any]
    view: Mapping[str, Any]


class Catalogue:
    """The readable systems. A tool is asked again only when the state may have changed since."""

    __slots__ = ("_bodies", "_run", "_systems")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._systems: dict[str, AuthoritativeSystem] = {
            name: CatalogueSystem(tool.source, tool.authority, run) for name, tool in run.plan.catalogue.items()
        }
        self._bodies: dict[str, tuple[int, Body]] = {}

    def current(self, tool: str) -> Body:
        """Return what a tool returns now."""
        revision, body = self._bodies.get(tool, (-1, None))
        if body is not None and revision == self._run.revision:
            return body
        data = canonical(self._systems[tool].read(tool))
        if body is None or data != body.records.data:
            records = Piece.decode(data)
            body = Body(records, records.sha256()[:_VERSION_DIGITS], frozen_copy(records.value))
        self._bodies[tool] = self._run.revision, body
        return body

    def serve(self, tool: str) -> Served:
        """Read a tool for the agent, now."""
        plan = self._run.plan
        system = self._systems[tool]
        body = self.current(tool)
        head = {
            "source": system.source,
            "authority": system.authority.value,
            "schema_id": plan.catalogue[tool].schema_id,
            "record_id": f"{system.source}:{plan.record_suffix}",
            "record_version": body.version,
            "as_of": self._run.clock.text,
        }
        wire = {**head, "records": body.records.fragment}
        return Served(tool, body, head, wire, MappingProxyType({**head, "records": body.view}))


def refuse_batch(
    requests: Sequence[Mapping[str, Any]], catalogue: Mapping[str, Tool], max_requests: int, batches_left: int
) -> str | None:
    """Return the code a batch is refused with, or null when all of it is to be served.

    Args:
        requests: ``{tool, arguments}`` objects, admitted.
        catalogue: the tools there are; none takes arguments.
        max_requests: distinct requests in one batch.
        batches_left: batches the invocation may still use.
    """
    if not requests:
        return EMPTY_BATCH
    asked = [(request["tool"], request["arguments"]) for request in requests]
    distinct = {(tool, canonical(arguments) if arguments else b"") for tool, arguments in asked}
    known = [tool for tool, _ in distinct if tool in catalogue]
    if len(distinct) > max_requests:
        return BATCH_TOO_LARGE
    if len(set(known)) < len(known):
        return CONFLICTING_ARGUMENTS
    if len(known) < len(distinct):
        return UNKNOWN_TOOL
    if any(arguments for _, arguments in asked):
        return MALFORMED_REQUEST
    return BUDGET_EXHAUSTED if batches_left == 0 else None
