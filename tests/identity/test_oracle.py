"""The oracle reproduces every digest the contract publishes, so that it may judge the kernel."""

from tests.identity import documents, oracle

COMPONENT_DIGESTS = {
    oracle.CARD: "6ea65e919b821f70bcd52825e58b398d1ff532143fef21122ded8434a499a99b",
    oracle.BUILD: "3bd17b1465a01f24831230441bcd32993d7b7adcc6963d9641bdbba3a9bb45c7",
    oracle.CORE: "fb1f8e065c89c00aab83ebf201dc22e78d168617ff51c12d54a95d08b404fac0",
    oracle.SCENARIO: "1b689ec623535ecdbd16ca5d9ee1f51f0aa6759ae217eb3bcb986eb2ca6e9bf8",
    oracle.VARIANT: "0add47d249cd6e8a55dfb79d29356dd0f6ece3a4e372236d98fb3a9b48146781",
    oracle.RUNTIME: "4e4cf36e4eb708e52185dd61ac2988ac0f83c73c9cbfd545d65b34d972e1e2d0",
    oracle.SCAFFOLD: "d383710341102d6549c236803329acd202e31ad4f646ccef43098f35c4451060",
    oracle.ARM: "21cf80a871163365202943612dfe8c3be0f752e8d0da1bae3a383eb9c47c3826",
    oracle.PLAN: "9bcc863d148afe1a81d558ad0cec1a22b8ec2bc17efacade5ec3abc6ce092b4d",
    oracle.EVALUATOR: "e197fea41f20c7780d0592f8ddde5cbae0a823b1ead09603fc6608752af2402d",
    oracle.ANALYSIS: "506519362dc50e3dbd506e311e2bf33062f95d1e474a6b002a4b9dc94715ff90",
}
BUNDLE_DIGESTS = {
    "runtime_bundle": "251e36a96f2c4cf474d06cef7d3ff3d39aab75211b4b9d191f1c4c4647b9a1bc",
    "experiment_bundle": "dea1f4bed6860d3a5e78ee2e2e7386d6aa67b84878a6eb8be8d7d9beb6efe80e",
}
MANIFEST_DIGEST = "44a47e0c8229e14ed96b176223d6e798885ed5289e4375aa3d9e6b1cda4d444c"
RANGED_DIGESTS = (
    "2d0ac0dba2346230241cda9cdc56c6a6255cc2502d4db896410a468c7bf5d01e",
    "c1ae8c9883923fafbd4bb90c685643991590d3a9a87f0b3758e250264d7d78e9",
    "9058e697f60174d4dc9db412634a85b27f65bb5a66bdf9b1203b240b30b230ea",
)
EMPTY_MANIFEST_DIGEST = "fb0996212a35d6afa4b36d2e94c926fc484899321963db7de600ca6f56e1d932"


def test_the_golden_digests() -> None:
    manifest = oracle.build(documents.golden_projections())
    found = {name: record["content_digest_sha256"] for name, record in manifest["components"].items()}
    assert found == COMPONENT_DIGESTS
    found = {name: record["bundle_digest_sha256"] for name, record in manifest["composites"].items()}
    assert found == BUNDLE_DIGESTS
    assert manifest["manifest_digest_sha256"] == MANIFEST_DIGEST


def test_the_digests_with_ranges_and_of_nothing() -> None:
    manifest = oracle.build(documents.golden_projections(), oracle.ranges())
    bundles = [record["bundle_digest_sha256"] for record in manifest["composites"].values()]
    assert (*bundles, manifest["manifest_digest_sha256"]) == RANGED_DIGESTS
    assert oracle.build(documents.empty_projections())["manifest_digest_sha256"] == EMPTY_MANIFEST_DIGEST
