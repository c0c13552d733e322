"""A forger's workshop: takes a run bundle apart, lets every part be changed, and seals all of it again coherently."""

import copy
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from operatebench.cards import recompute_card_digest
from operatebench.cards.projection import CARD_ROOTS, card_pointers
from operatebench.cli.surroundings import writer_of
from operatebench.errors import OperateBenchError
from operatebench.identity import build_identity_manifest, build_projection_census
from operatebench.identity.admission import admit
from operatebench.identity.labels import labelled_digest
from operatebench.replay.bundle import Artifact
from operatebench.replay.bundle.contract import CARD_ROLES, PLACES
from operatebench.replay.bundle.read import bundle_of
from operatebench.replay.evaluation import EVALUATION_PROFILE
from operatebench.replay.evidence.contract import EVIDENCE_PROFILE
from operatebench.replay.identity import card_ref, operation_instance_id
from operatebench.replay.ledger.requirements import REQUIRED_COMPONENTS
from operatebench.replay.verify import VerificationReport, Verifier
from operatebench.tracks.lifecycle import MaintenanceRuntime, Selection, keep_run
from tests.replay.ledger.ledgers import DIGEST, PREVIOUS, canonical, digest_of, root_of, sha256

PLACED = ("at", "index", "record_type")
Json = dict[str, Any]
Texts = dict[str, bytes]
"""Path -> content, for every file of a bundle."""


@cache
def runtime() -> MaintenanceRuntime:
    """Return the runtime that is here."""
    return MaintenanceRuntime()


@cache
def verifier() -> Verifier:
    """Return what verifies with the runtime that is here."""
    return Verifier(runtime())


def write_run(
    path: Path, variant_id: str = "V1", agent_id: str = "reference", bound: MaintenanceRuntime | None = None
) -> Path:
    """Write the bundle of a run and return its folder."""
    bound = bound or runtime()
    keep_run(bound, Selection(bound.spec.operation_id, variant_id, agent_id, 0), path, writer_of(bound))
    return path


def texts_of(folder: Path) -> Texts:
    """Return the content of every file of a bundle."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def write_texts(folder: Path, texts: Mapping[str, bytes]) -> Path:
    """Write the files of a bundle, those that are there being replaced, and return its folder."""
    (folder / "cards").mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        (folder / path).write_bytes(text)
    return folder


def listed_anew(texts: Mapping[str, bytes], **changes: Any) -> Texts:
    """Return the files with an artifact that lists them as they are; ``changes`` are members of it."""
    artifact = {**json.loads(texts["artifact.json"]), **changes}
    for member in artifact["members"]:
        text = texts.get(member["path"], b"")
        member.update(size=len(text), digest_sha256=sha256(text))
    return {**texts, "artifact.json": sealed(artifact, "artifact.v9")}


def read_alone(artifact: Artifact, name: str, text: bytes) -> Any:
    """Read one member as a bundle with this list is read, the others aside, and return its value, if it has one."""
    member = next(each for each in artifact.members if each.path == name)
    return bundle_of(replace(artifact, members=(member,)), lambda _: text).documents.get(member.role)


def sealed(record: Json, label: str) -> bytes:
    """Return the file of a record with the digest of its own made anew (replay contract, section 1)."""
    own = next(name for name in record if name == f"{label.partition('.')[0]}_digest_sha256")
    content = {name: value for name, value in record.items() if name != own}
    wrapper = {"domain": f"operatebench.digest.{label}", "schema": f"operatebench.{label}", "content": content}
    record[own] = sha256(canonical(wrapper))
    return canonical(record) + b"\n"


class Forgery:
    """The parts of a bundle, to be changed at will; each ``bind_`` makes what repeats a part say what the part says."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        documents = {
            role: json.loads(texts[place.path])
            for role, place in PLACES.items()
            if role not in ("authorization", "ledger")
        }
        self.artifact: Json = json.loads(texts["artifact.json"])
        self.cards: dict[str, Json] = {name: documents[role] for name, role in CARD_ROLES.items()}
        self.manifest: Json = documents["manifest"]
        self.census: Json = documents["census"]
        self.evidence: Json = documents["evidence"]
        self.evaluation: Json = documents["evaluation"]
        lines = [json.loads(line) for line in texts["ledger.ndjson"].splitlines()]
        self.header: Json = lines[0]
        self.rows: list[Json] = lines[1:-1]
        self.terminal: Json = lines[-1]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Take the bundle in a folder apart."""
        return cls(texts_of(folder))

    @property
    def projections(self) -> dict[str, Json]:
        """What the manifest says that its components project."""
        return {name: part["owned_projection"] for name, part in self.manifest["components"].items()}

    def bind(self) -> Self:
        """Make everything say what cards, projections, outcome, decisions and grade say now."""
        return self.bind_cards().bind_manifest(self.projections_with_cards()).bind_run()

    def bind_what_can_be(self) -> Self:
        """Do as much of :meth:`bind` as can be done: not every change can be sealed."""
        for step in (
            self.bind_cards,
            lambda: self.bind_manifest(self.projections_with_cards()),
            self.bind_header,
            self.bind_evidence,
            self.bind_rows,
            self.bind_evaluation,
        ):
            with suppress(OperateBenchError, AttributeError, KeyError, TypeError):
                step()
        return self

    def bind_run(self) -> Self:
        """Make ledger, evidence and evaluation those of the manifest, and the rows those of the outcome."""
        return self.bind_header().bind_evidence().bind_rows().bind_evaluation()

    def bind_cards(self) -> Self:
        """Seal the cards, each referring to the one before."""
        for name, target, member in (
            ("operation", "", ""),
            ("semantic_scenario", "operation", "operation_core"),
            ("variant", "semantic_scenario", "semantic_scenario"),
        ):
            card = self.cards[name]
            if target:
                card["content"][member] = card_ref(self.cards[target])
            card["content_digest_sha256"] = recompute_card_digest(card)
        return self

    def projections_with_cards(self) -> dict[str, Json]:
        """Return the projections of the manifest with the pointers of the cards as they are now."""
        projections = copy.deepcopy(self.projections)
        for card in self.cards.values():
            component, root = CARD_ROOTS[card["schema"]]
            others = {path: value for path, value in projections[component].items() if not path.startswith(f"{root}/")}
            projections[component] = {**others, **card_pointers(card)}
        return projections

    def bind_manifest(self, projections: dict[str, Json], requirements: Any = None) -> Self:
        """Make manifest and census those of the projections."""
        self.manifest = build_identity_manifest(projections, requirements)
        self.census = build_projection_census(projections)
        return self

    def bind_header(self) -> Self:
        """Make the header that of cards and manifest."""
        components, bundles = self.manifest["components"], self.manifest["composites"]
        self.header.update(
            card_refs={name: card_ref(card) for name, card in self.cards.items()},
            identity_manifest_digest_sha256=self.manifest["manifest_digest_sha256"],
            runtime_bundle_digest_sha256=bundles["runtime_bundle"]["bundle_digest_sha256"],
            experiment_bundle_digest_sha256=bundles["experiment_bundle"]["bundle_digest_sha256"],
            requirements=[
                {
                    "component": name,
                    "compatible": {
                        "kind": "exact_digest",
                        "content_digest_sha256": components[name]["content_digest_sha256"],
                    },
                }
                for name in REQUIRED_COMPONENTS
            ],
        )
        self.header["operation_instance_id"] = self.instance_id()
        return self

    def instance_id(self) -> str:
        """Return the instance id that follows from the header."""
        return operation_instance_id(self.header["runtime_bundle_digest_sha256"], self.header["selection"]["trial"])

    def bind_evidence(self) -> Self:
        """Seal the evidence, as that of the header."""
        outcome, tape = self.evidence["outcome"], self.evidence["decision_tape"]
        for holder, name in ((outcome, "final_state"), (outcome, "trajectory"), (tape, "decisions")):
            holder[f"{name}_digest_sha256"] = admit(holder[name], EVIDENCE_PROFILE).canonical.sha256()
        self.evidence["operation_instance_id"] = self.header["operation_instance_id"]
        self.evidence["identity_manifest_digest_sha256"] = self.manifest["manifest_digest_sha256"]
        return self.seal("evidence")

    def seal(self, part: str) -> Self:
        """Make the digest anew that evidence or evaluation carries of itself."""
        record, own, domain, profile = {
            "evidence": (
                self.evidence,
                "runtime_evidence_digest_sha256",
                "executed_runtime_evidence.v1",
                EVIDENCE_PROFILE,
            ),
            "evaluation": (self.evaluation, "evaluation_digest_sha256", "evaluation.v1", EVALUATION_PROFILE),
        }[part]
        content = {name: value for name, value in record.items() if name != own}
        record[own] = labelled_digest(domain, admit(content, profile).canonical)
        return self

    def bind_rows(self) -> Self:
        """Make rows and terminal line those of the outcome."""
        outcome = self.evidence["outcome"]
        self.rows = [
            {
                "record": "row",
                "index": index,
                "at": row.get("at"),
                "record_type": row.get("record_type"),
                "body": {name: value for name, value in row.items() if name not in PLACED},
            }
            for index, row in enumerate(outcome["trajectory"])
        ]
        for name in ("status", "final_state_digest_sha256", "trajectory_digest_sha256"):
            self.terminal[name] = outcome[name]
        return self

    def bind_evaluation(self) -> Self:
        """Seal the evaluation, as that of the manifest's evaluator and analysis."""
        for name, component in (("evaluator", "evaluator_bundle_content"), ("analysis", "analysis_contract_content")):
            digest = self.manifest["components"][component]["content_digest_sha256"]
            self.evaluation[f"{name}_content_digest_sha256"] = digest
        return self.seal("evaluation")

    def ledger(self) -> tuple[bytes, Json]:
        """Return the ledger with its chain made anew, and what it comes to."""
        head = "0" * 64
        leaves: list[bytes] = []
        lines: list[bytes] = []
        for record in (self.header, *self.rows, self.terminal):
            content = {name: value for name, value in record.items() if name != DIGEST} | {PREVIOUS: head}
            if record is self.terminal:
                content.update(row_count=len(self.rows), merkle_root_sha256=root_of(leaves).hex())
            head = digest_of(content)
            if record["record"] == "row":
                leaves.append(bytes.fromhex(head))
            lines.append(canonical({**content, DIGEST: head}) + b"\n")
        facts = {
            "lines": len(lines),
            "rows": len(self.rows),
            "head_digest_sha256": head,
            "merkle_root_sha256": root_of(leaves).hex(),
        }
        return b"".join(lines), facts

    def texts(self, **changes: Any) -> Texts:
        """Return the files, with every digest and count made anew that is outside of the documents.

        Args:
            **changes: members of the artifact that are to be others.
        """
        ledger, facts = self.ledger()
        documents: dict[str, Any] = {
            "manifest": self.manifest,
            "census": self.census,
            **{role: self.cards[name] for name, role in CARD_ROLES.items()},
            "evidence": self.evidence,
            "evaluation": self.evaluation,
        }
        texts = {PLACES[role].path: canonical(document) + b"\n" for role, document in documents.items()}
        repeated = {
            "track": self.header["selection"]["track"],
            "identity_manifest_digest_sha256": self.manifest["manifest_digest_sha256"],
            "card_refs": self.header["card_refs"],
            "ledger": facts,
            "runtime_evidence_digest_sha256": self.evidence["runtime_evidence_digest_sha256"],
            "evaluation_digest_sha256": self.evaluation["evaluation_digest_sha256"],
        }
        own = canonical(self.artifact)
        return listed_anew({**texts, "ledger.ndjson": ledger, "artifact.json": own}, **{**repeated, **changes})

    def verified(self, folder: Path, **changes: Any) -> VerificationReport:
        """Write the bundle and return what a verification finds; for ``changes`` see :meth:`texts`."""
        return verifier().verify(write_texts(folder, self.texts(**changes)))
