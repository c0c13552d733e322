"""``operatebench bundle``: shows a run bundle, and takes it to an OCI image layout and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import BundleError, DocumentError, EvaluationError, LedgerError, escape
from ..files import shown
from .inputs import file_label
from .options import JsonOption, RunArgument, ending, group_of, require_output
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the kernel
    from ..replay.bundle import Artifact, Bundle

group = group_of("Show run bundles, and take them to an OCI image layout and back.", "bundle show RUN")

_ROLE = "bundle"
_NO_BUNDLE = "no run bundle, or not as it was written"
_NOT_VERIFIED = "This is what the bundle says of itself. Its files are the listed ones; nothing else was verified."


@group.command(epilog=ending("bundle show RUN", yes="shown, which proves nothing", refused=_NO_BUNDLE))
def show(run: RunArgument, *, as_json: JsonOption = False) -> int:
    """Show what a run bundle says: the run, what it is bound to, its files, its ledger, its grade, what wrote it.

    Its files are held to the list in artifact.json, and that is all. Whether it says the truth is for verify, which
    runs it again.
    """

    def work(reply: Reply) -> Exit:
        from ..replay.bundle import read_bundle
        from ..replay.evaluation import parse_evaluation
        from ..replay.ledger import LedgerReader

        with _placed(run):
            bundle = read_bundle(run)
            header = LedgerReader(BytesIO(bundle.texts["ledger"])).header
            evaluation = parse_evaluation(bundle.texts["evaluation"])
        artifact = bundle.artifact
        facts = {"instance": header.operation_instance_id, **header.selection, **_bound(artifact)}
        reply.data(*_aligned(facts), "", "files", *_file_lines(bundle), "")
        reply.data("grade", *_grade_lines(evaluation), "", "written by", *_writer_lines(artifact))
        reply.verdict(f"not verified: {shown(run)}. {_NOT_VERIFIED}")
        return reply.end(
            Exit.YES,
            verified=False,
            operation_instance_id=header.operation_instance_id,
            selection=dict(header.selection),
            artifact=artifact.to_wire(),
            evaluation={name: evaluation[name] for name in ("vector", "outcome_class", "load")}
            | {"findings": len(evaluation["findings"])},
        )

    return Reply("bundle show", as_json, {_ROLE: run}).give(work)


@group.command(
    epilog=ending(
        "bundle export RUN --oci LAYOUT", yes="exported", refused=f"{_NO_BUNDLE}; or the layout could not be written"
    )
)
def export(
    run: RunArgument,
    *,
    oci: Annotated[str, typer.Option("--oci", metavar="DIR", help="Write an OCI image layout to this new folder.")],
    as_json: JsonOption = False,
) -> int:
    """Write a run bundle as an OCI image layout, each file one layer. The same bundle always gives the same bytes."""
    require_output("--oci", oci)

    def work(reply: Reply) -> Exit:
        from ..replay.bundle import export_oci

        with _placed(run):
            digest = export_oci(run, oci)
        reply.verdict(f"exported: {shown(oci)}, image sha256:{digest}")
        return reply.end(Exit.YES, layout=shown(oci), image_digest_sha256=digest)

    return Reply("bundle export", as_json, {_ROLE: run}).give(work)


@group.command(
    "import",
    epilog=ending(
        "bundle import LAYOUT RUN",
        yes="imported, which proves nothing",
        refused="the layout is not exactly that of one run bundle, or the bundle could not be written",
    ),
)
def import_(
    layout: Annotated[str, typer.Argument(metavar="DIR", help="The OCI image layout.")],
    run: Annotated[str, typer.Argument(metavar="RUN", help="The new folder of the run bundle.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Write the run bundle of an OCI image layout, byte for byte what was exported. Nothing is run again."""
    require_output("RUN", run)

    def work(reply: Reply) -> Exit:
        from ..replay.bundle import import_oci

        with _placed(layout):
            artifact = import_oci(layout, run)
        reply.verdict(f"imported, not verified: {file_label(run)}, artifact {artifact.artifact_digest_sha256}")
        return reply.end(Exit.YES, bundle=shown(run), artifact_digest_sha256=artifact.artifact_digest_sha256)

    return Reply("bundle import", as_json, {_ROLE: layout}).give(work)


@contextmanager
def _placed(folder: str) -> Iterator[None]:
    """Let places of refusals inside ``folder`` start with the role."""
    try:
        yield
    except (BundleError, DocumentError) as refusal:
        if refusal.code in ("file_exists", "file_unwritable", "file_unsynced"):
            raise
        raise refusal.moved_to(f"{_ROLE}#{'' if refusal.path == shown(folder) else refusal.path}") from None
    except LedgerError as refusal:
        raise refusal.moved_to(f"{_ROLE}#ledger.ndjson {refusal.path}") from None
    except EvaluationError as refusal:
        raise refusal.moved_to(f"{_ROLE}#evaluation.json{refusal.path.removeprefix('evaluation')}") from None


def _bound(artifact: Artifact) -> dict[str, Any]:
    return {
        "artifact": artifact.artifact_digest_sha256,
        "manifest": artifact.identity_manifest_digest_sha256,
        "evidence": artifact.runtime_evidence_digest_sha256,
        "evaluation": artifact.evaluation_digest_sha256,
        **{
            f"{role.rpartition('_')[2]} card": f"{card['id']} {card['content_digest_sha256']}"
            for role, card in artifact.card_refs.items()
        },
        "authorization": artifact.authorization_digest_sha256 or "none",
        "ledger": f"{artifact.ledger.lines} lines, {artifact.ledger.rows} rows",
        "ledger head": artifact.ledger.head_digest_sha256,
        "ledger root": artifact.ledger.merkle_root_sha256,
    }


def _file_lines(bundle: Bundle) -> list[str]:
    return [f"  {member.digest_sha256}  {member.size:>9}  {member.path}" for member in bundle.artifact.members]


def _grade_lines(evaluation: dict[str, Any]) -> list[str]:
    vector = [f"  {'holds' if each['ok'] else 'fails':<6} {escape(each['dimension'])}" for each in evaluation["vector"]]
    findings = f"{len(evaluation['findings'])} findings"
    return [*vector, f"  {findings}, {escape(evaluation['outcome_class'])}"]


def _writer_lines(artifact: Artifact) -> list[str]:
    writer = artifact.writer
    facts = {
        "distribution": f"{writer.distribution} {writer.version}",
        "python": writer.python,
        "platform": writer.platform,
        "source": writer.source_identity_digest_sha256,
        "spec": writer.spec_sha256 or "the packaged one",
        "lock": writer.lock_digest_sha256 or "none: installed from a wheel",
        "dependencies": ", ".join(f"{name} {version}" for name, version in sorted(writer.dependencies.items()))
        or "none named",
    }
    return [f"  {line}" for line in _aligned(facts)]


def _aligned(facts: dict[str, Any]) -> list[str]:
    return [f"{name:<16} {escape(str(fact), 1000)}" for name, fact in facts.items()]
