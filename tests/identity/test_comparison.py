"""What moved between two manifests, for people: what is another one, what follows, and what changed its owner."""

from typing import Any

from operatebench.identity import ValidatedIdentityManifest, validate_identity_manifest
from operatebench.identity.comparison import ManifestComparison
from tests.identity import documents
from tests.identity.oracle import ANALYSIS, ARM, EVALUATOR, PLAN, SCENARIO, VARIANT

BOTH = ("runtime_bundle", "experiment_bundle")


def manifest(**changed: dict[str, Any]) -> ValidatedIdentityManifest:
    made = documents.triple({**documents.plain_projections(), **changed})
    return validate_identity_manifest(made.manifest, made.census, made.projections)


PLAIN = manifest()


def compared(**changed: dict[str, Any]) -> ManifestComparison:
    return ManifestComparison.between(PLAIN, manifest(**changed))


def test_equal_manifests() -> None:
    comparison = compared()

    assert comparison == ManifestComparison((), (), ())
    assert comparison.other_contents == ()
    assert comparison.to_wire() == {"equal": True, "moved": [], "bundles": [], "reassigned": []}


def test_what_is_another_one_names_its_paths_and_what_follows_none() -> None:
    comparison = compared(**{SCENARIO: {"/fixture/semantic_scenario_content": 0, "/new": 1}})

    assert comparison.other_contents == (SCENARIO,)
    assert comparison.to_wire() == {
        "equal": False,
        "moved": [
            {"component": SCENARIO, "paths": ["/fixture/semantic_scenario_content", "/new"]},
            {"component": VARIANT, "paths": []},
            {"component": ARM, "paths": []},
        ],
        "bundles": list(BOTH),
        "reassigned": [],
    }


def test_an_evaluator_moves_the_experiment_alone() -> None:
    comparison = compared(**{EVALUATOR: {}})

    assert [row.component for row in comparison.moved] == [EVALUATOR, ANALYSIS]
    assert comparison.bundles == ("experiment_bundle",)


def test_a_path_of_another_owner() -> None:
    path = "/fixture/variant_content"
    comparison = compared(**{VARIANT: {}, PLAN: {"/fixture/provider_run_plan_content": 9, path: 4}})

    assert comparison.other_contents == (VARIANT, PLAN)
    assert comparison.to_wire() == {
        "equal": False,
        "moved": [{"component": VARIANT, "paths": []}, {"component": PLAN, "paths": []}],
        "bundles": list(BOTH),
        "reassigned": [{"path": path, "old_owner": VARIANT, "new_owner": PLAN}],
    }
