"""Runs of a small automaton, and forgers of their bundles: everything a forger left alone is sealed again."""

import copy
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import orjson

from operatebench import samples
from operatebench.cards.contract import CARD_PROFILE
from operatebench.cards.projection import CARD_ROOTS, card_pointers
from operatebench.conformance.linking import repin
from operatebench.identity.canonical import encode
from operatebench.identity.registry import COMPONENTS
from operatebench.replay.bundle import Artifact, Bundle, LedgerFacts, Member, Writer, read_bundle
from operatebench.replay.bundle.contract import CARD_ROLES, PLACES
from operatebench.replay.bundle.write import publish_artifact, write_members
from operatebench.replay.evaluation import evaluation_digest
from operatebench.replay.evidence import content_digest, recompute_evidence_digest
from operatebench.replay.identity import RunIdentity, card_ref
from operatebench.replay.ledger import LedgerHeader, LedgerReader, LedgerWriter, exact_requirements
from operatebench.replay.record import record_run
from tests.replay.verify.automaton import Automaton

SOURCE, OTHER_SOURCE = "a" * 64, "b" * 64
WRITER = Writer("operatebench", "0.1.0", "3.11.7", "linux", {"orjson": "3.10.15"}, None, SOURCE, None)
INSPECT = {"kind": "ACT", "action_type": "inspect", "payload": {"n": 1}, "evidence_refs": [], "rationale": "look"}
WAIT = {"kind": "WAIT", "reason": "later", "wake_on": ["call"], "fallback_after_minutes": 60}
COMPLETE = {"kind": "COMPLETE", "reason": "done", "evidence_refs": ["e-1"]}
PLACED = ("at", "index", "record_type")


def document() -> dict[str, Any]:
    """Return an automaton with two agents, of which one asks a human in vain."""
    projections: dict[str, Any] = {
        name: {f"/{name}/version": 1, f"/{name}/rules": ["a", {"é": None}]}
        for name in COMPONENTS
        if name != "scaffold_content"
    }
    reported = [
        {
            "decision": INSPECT,
            "minutes": 30,
            "rows": [
                {"record_type": "action_accepted", "action": "inspect", "cost": 1},
                {"record_type": "seen", "é": [1, True, None], "text": "wet"},
            ],
            "events": [{"event_type": "report", "actor_id": "tenant", "payload": {"wet": True}}],
            "next": "inspected",
        },
        {
            "decision": WAIT,
            "minutes": 60,
            "rows": [{"record_type": "waited", "minutes": 60}],
            "events": [],
            "next": "inspected",
        },
        {"decision": {}, "minutes": 0, "rows": [{"record_type": "rejected"}], "events": [], "next": "reported"},
    ]
    inspected = [
        {
            "decision": COMPLETE,
            "minutes": 10,
            "rows": [{"record_type": "closed", "by": "agent"}],
            "events": [],
            "next": "closed",
        },
        {"decision": {}, "minutes": 0, "rows": [{"record_type": "rejected"}], "events": [], "next": "inspected"},
    ]
    return {
        "source_identity_digest_sha256": SOURCE,
        "selection": {
            "track": "lifecycle",
            "pack": "maintenance",
            "operation_id": "HEATING.repair",
            "variant_id": "LATE-QUOTE",
            "arm": "full_lifecycle",
            "plan": "none",
        },
        "cards": {
            "operation": _sample("operation"),
            "semantic_scenario": _sample("scenario"),
            "variant": _sample("variant"),
        },
        "projections": {**projections, "provider_run_plan_content": {"/provider/plan": "none"}},
        "agents": {
            "careful": {
                "projection": {"/agent/id": "careful"},
                "decisions": {"reported": INSPECT, "inspected": COMPLETE},
            },
            "waiting": {"projection": {"/agent/id": "waiting"}, "decisions": {"reported": WAIT, "inspected": COMPLETE}},
        },
        "outcome_source": "deterministic",
        "states": {"reported": reported, "inspected": inspected},
    }


def _sample(name: str) -> Any:
    return orjson.loads(files(samples).joinpath("cards", f"{name}.json").read_bytes())


def runtime(**changes: Any) -> Automaton:
    """Return the automaton's runtime, some of its document's members others."""
    return Automaton({**document(), **changes})


def identity(bound: Automaton, agent_id: str = "careful") -> RunIdentity:
    projections = bound.live(bound.selection(agent_id, 0))
    assert projections is not None
    return RunIdentity.of(bound.cards, projections)


def record(path: Path, bound: Automaton, agent_id: str = "careful", trial: int = 0) -> Artifact:
    writer = replace(
        WRITER,
        source_identity_digest_sha256=bound.source_identity_digest_sha256,
        spec_sha256=bound.spec_sha256,
    )
    return record_run(bound, identity(bound, agent_id), bound.selection(agent_id, trial), path, writer)


@dataclass
class Forged:
    """The parts of a bundle, to be changed one by one and put together again.

    Attributes:
        manifest: the manifest.
        census: the census.
        cards: by ``operation``, ``semantic_scenario`` and ``variant``.
        evidence: the evidence.
        evaluation: the evaluation.
        header: of the ledger, without its chain.
        rows: of the ledger: instant, type and body.
        terminal: what the ledger is finished with.
        artifact: members of the artifact that shall not be those that follow.
        ledger: likewise, of what the artifact says of the ledger.
        writer: what says that it wrote the bundle.
    """

    manifest: dict[str, Any]
    census: dict[str, Any]
    cards: dict[str, dict[str, Any]]
    evidence: dict[str, Any]
    evaluation: dict[str, Any]
    header: dict[str, Any]
    rows: list[tuple[str, str, dict[str, Any]]]
    terminal: dict[str, Any]
    artifact: dict[str, Any]
    ledger: dict[str, Any]
    writer: Writer

    @classmethod
    def of(cls, path: Path) -> Self:
        bundle = read_bundle(path)
        reader = LedgerReader(io.BytesIO(bundle.texts["ledger"]))
        rows = [(row.at, row.record_type, row.body) for row in reader]
        terminal = reader.summary().require_complete().to_wire()
        for name in ("record", "row_count", "merkle_root_sha256"):
            terminal.pop(name)
        documents = {role: copy.deepcopy(value) for role, value in bundle.documents.items()}
        return cls(
            documents["manifest"],
            documents["census"],
            {name: documents[role] for name, role in CARD_ROLES.items()},
            documents["evidence"],
            documents["evaluation"],
            reader.header.to_wire(),
            rows,
            terminal,
            {},
            {},
            bundle.artifact.writer,
        )

    @property
    def outcome(self) -> dict[str, Any]:
        outcome: dict[str, Any] = self.evidence["outcome"]
        return outcome

    def seal_cards(self) -> None:
        """Give the cards their digests, link them, and refer to them."""
        operation, scenario, variant = self.cards.values()
        for card, member, upstream in (
            (operation, "", operation),
            (scenario, "operation_core", operation),
            (variant, "semantic_scenario", scenario),
        ):
            if member:
                card["content"][member] = card_ref(upstream)
            repin(card)
        self.header["card_refs"] = {name: card_ref(card) for name, card in self.cards.items()}

    def bind(self, edit: Callable[[dict[str, Any]], object] = lambda _: None) -> None:
        """Make the manifest of today's cards and edited projections, and bind everything to it."""
        projections = {
            name: {
                path: value
                for path, value in component["owned_projection"].items()
                if not path.startswith(tuple(root for _, root in CARD_ROOTS.values()))
            }
            for name, component in self.manifest["components"].items()
        }
        for card in self.cards.values():
            projections[CARD_ROOTS[card["schema"]][0]].update(card_pointers(card))
        edit(projections)
        self.bind_to(RunIdentity.of(self.cards, projections))

    def bind_to(self, made: RunIdentity) -> None:
        self.manifest, self.census = dict(made.manifest), dict(made.census)
        instance = made.instance_id(self.header["selection"]["trial"])
        self.header["requirements"] = exact_requirements(made.validated)
        for name, bundle in made.validated.composites.items():
            self.header[f"{name}_digest_sha256"] = bundle.bundle_digest_sha256
        for holder in (self.header, self.evidence):
            holder["identity_manifest_digest_sha256"] = made.validated.manifest_digest_sha256
            holder["operation_instance_id"] = instance
        for part in ("evaluator", "analysis"):
            name = {"evaluator": "evaluator_bundle_content", "analysis": "analysis_contract_content"}[part]
            self.evaluation[f"{part}_content_digest_sha256"] = made.content_digest(name)

    def follow(self) -> None:
        """Let the ledger follow from the evidence, whose inner digests are made anew."""
        outcome, tape = self.outcome, self.evidence["decision_tape"]
        for name in ("final_state", "trajectory"):
            outcome[f"{name}_digest_sha256"] = content_digest(outcome[name])
            self.terminal[f"{name}_digest_sha256"] = outcome[f"{name}_digest_sha256"]
        tape["decisions_digest_sha256"] = content_digest(tape["decisions"])
        self.terminal["status"] = outcome["status"]
        self.rows = [
            (row["at"], row["record_type"], {name: value for name, value in row.items() if name not in PLACED})
            for row in outcome["trajectory"]
        ]

    def write(self, path: Path) -> None:
        """Write the parts as they are, with digests of their own that are right."""
        self.evidence["runtime_evidence_digest_sha256"] = recompute_evidence_digest(self.evidence)
        self.evaluation["evaluation_digest_sha256"] = evaluation_digest(self.evaluation)
        path.mkdir()
        texts = {
            role: text(value)
            for role, value in {
                "manifest": self.manifest,
                "census": self.census,
                **{role: self.cards[name] for name, role in CARD_ROLES.items()},
                "evidence": self.evidence,
                "evaluation": self.evaluation,
            }.items()
        }
        with LedgerWriter(path / "ledger.ndjson", LedgerHeader.from_wire(self.header)) as ledger:
            for row in self.rows:
                ledger.append(*row)
            summary = ledger.finish(**self.terminal)
        write_members(str(path), texts)
        texts["ledger"] = (path / "ledger.ndjson").read_bytes()
        facts = LedgerFacts(summary.lines, summary.rows, summary.head_digest_sha256, summary.merkle_root_sha256)
        said = {
            "track": "lifecycle",
            "identity_manifest_digest_sha256": self.manifest["manifest_digest_sha256"],
            "card_refs": self.header["card_refs"],
            "ledger": replace(facts, **self.ledger),
            "runtime_evidence_digest_sha256": self.evidence["runtime_evidence_digest_sha256"],
            "evaluation_digest_sha256": self.evaluation["evaluation_digest_sha256"],
            "writer": self.writer,
        }
        publish_artifact(str(path), Artifact.seal(members=listed(texts), **{**said, **self.artifact}))


def listed(texts: Mapping[str, bytes]) -> tuple[Member, ...]:
    """Return the list of members with these bytes."""
    return tuple(
        Member(role, place.path, place.media_type, len(texts[role]), sha256(texts[role]).hexdigest())
        for role, place in PLACES.items()
        if role in texts
    )


def relist(path: Path, bundle: Bundle, **texts: bytes) -> None:
    """Replace members, by role, and list them: a forger who seals the list and nothing else."""
    for role, data in texts.items():
        (path / PLACES[role].path).write_bytes(data)
    wire = replace(bundle.artifact, members=listed({**bundle.texts, **texts}))
    (path / "artifact.json").unlink()
    fields = {name: getattr(wire, name) for name in wire.__dataclass_fields__}
    fields.pop("artifact_digest_sha256")
    publish_artifact(str(path), Artifact.seal(**fields))


def text(value: Any) -> bytes:
    """Return the file of a document."""
    return encode(value, CARD_PROFILE) + b"\n"
