"""What is here beside what a run was bound to: moved, following, reassigned, unknown; live manifests are made once."""

import json
from pathlib import Path

import pytest

from operatebench.errors import VerificationError
from operatebench.identity.comparison import ManifestComparison
from operatebench.replay.bound import Projections, Selection
from operatebench.replay.bundle import read_bundle
from operatebench.replay.ledger import LedgerHeader
from operatebench.replay.verify import IdentityManifest, Verdict, recorded_identity
from operatebench.replay.verify.live import LiveManifests
from operatebench.replay.verify.soundness import sound_manifest
from operatebench.tracks.lifecycle import MaintenanceRuntime
from tests.tracks.lifecycle.verification.forging import Forgery, runtime, verifier, write_texts


def compared(forgery: Forgery, folder: Path) -> ManifestComparison:
    """Compare the manifest of a forgery with the live one."""
    recorded, live = recorded_identity(write_texts(folder, forgery.texts()), runtime())
    return ManifestComparison.between(recorded.validated, live.validated)


def test_equal_manifests(forgery: Forgery, tmp_path: Path) -> None:
    comparison = compared(forgery, tmp_path)

    assert (comparison.moved, comparison.bundles, comparison.reassigned) == ((), (), ())
    assert comparison.other_contents == ()


def test_what_moved_and_what_follows(forgery: Forgery, tmp_path: Path) -> None:
    projections = forgery.projections
    projections["semantic_scenario_content"]["/semantic_scenario_card/content/zz"] = 1

    comparison = compared(forgery.bind_manifest(projections), tmp_path)

    assert comparison.other_contents == ("semantic_scenario_content",)
    assert {row.component: row.paths for row in comparison.moved} == {
        "semantic_scenario_content": ("/semantic_scenario_card/content/zz",),
        "variant_content": (),
        "arm_protocol_content": (),
    }
    assert comparison.bundles == ("runtime_bundle", "experiment_bundle")


def test_another_evaluator_moves_no_runtime(forgery: Forgery, tmp_path: Path) -> None:
    projections = forgery.projections
    projections["evaluator_bundle_content"]["/zz"] = None

    comparison = compared(forgery.bind_manifest(projections), tmp_path)

    assert [(row.component, row.paths) for row in comparison.moved] == [
        ("evaluator_bundle_content", ("/zz",)),
        ("analysis_contract_content", ()),
    ]
    assert comparison.bundles == ("experiment_bundle",)


def test_a_path_of_another_owner(forgery: Forgery, tmp_path: Path) -> None:
    projections = forgery.projections
    path = "/source/runtime/core/engine.py"
    projections["scaffold_content"][path] = projections["runtime_contract_content"].pop(path)
    forgery.bind_manifest(projections).bind_run()

    comparison = compared(forgery, tmp_path)

    assert [row._asdict() for row in comparison.reassigned] == [
        {"path": path, "old_owner": "scaffold_content", "new_owner": "runtime_contract_content"}
    ]
    assert set(comparison.other_contents) == {"scaffold_content", "runtime_contract_content"}
    report = verifier().verify(tmp_path)
    assert (report.verdict, report.check("4b").detail) == (
        Verdict.REFUSED,
        "differs: runtime_contract_content, scaffold_content",
    )
    assert report.refusal is not None
    assert report.refusal.code == "impossible_for_this_source"
    assert report.refusal.actual == "another value in runtime_contract_content, scaffold_content"
    forgery.artifact["writer"]["source_identity_digest_sha256"] = "e" * 64
    assert forgery.verified(tmp_path).verdict is Verdict.CONSISTENT_ONLY


def header_of(forgery: Forgery, **selection: str) -> LedgerHeader:
    chain = ("previous_digest_sha256", "row_digest_sha256")
    wire = {name: value for name, value in forgery.header.items() if name not in chain}
    return LedgerHeader.from_wire({**wire, "selection": {**forgery.header["selection"], **selection}})


@pytest.mark.parametrize("name", ["track", "pack", "operation_id", "variant_id", "agent_id", "arm", "plan"])
@pytest.mark.parametrize("change", [str.swapcase, lambda text: f"{text} ", lambda _: "\x1b[31m\u202e"])
def test_nothing_here_has_a_selection_that_is_nearly_right(forgery: Forgery, name: str, change: object) -> None:
    assert callable(change)
    header = header_of(forgery, **{name: change(forgery.header["selection"][name])})

    with pytest.raises(VerificationError) as refused:
        LiveManifests(runtime()).of(header)

    assert (refused.value.code, refused.value.path) == ("selection_unknown", "ledger.ndjson line 1 /selection")
    assert str(refused.value).isprintable()


def test_the_manifest_of_what_is_here_is_made_once(forgery: Forgery) -> None:
    class Counting(MaintenanceRuntime):
        asked = 0

        def live(self, selection: Selection) -> Projections | None:
            self.asked += 1
            return super().live(selection)

    bound = Counting()
    manifests = LiveManifests(bound)
    first = manifests.of(header_of(forgery))

    assert manifests.of(header_of(forgery)) is first
    assert manifests.of(header_of(forgery, agent_id="always_wait")) is not first
    assert bound.asked == 3


def test_the_live_manifest_is_the_recorded_one(original: Path) -> None:
    recorded, live = recorded_identity(original, runtime())

    assert type(live) is IdentityManifest
    assert sound_manifest(read_bundle(original)).census == live.census
    assert recorded.validated.manifest_digest_sha256 == live.validated.manifest_digest_sha256
    assert json.loads((original / "census.json").read_bytes()) == live.census
