"""Names and pinned schemas of the contract, and the reasons in its order."""

import pytest

from operatebench.authority import AUTHORIZATION_SCHEMA, ISSUERS_SCHEMA, REASONS, RUN, SETTINGS, contract
from operatebench.identity.profile import Rule
from operatebench.identity.resources import PinnedResource, load_pinned


def test_names() -> None:
    assert AUTHORIZATION_SCHEMA == "operatebench.source_bound_authorization.v1"
    assert ISSUERS_SCHEMA == "operatebench.trusted_issuers.v1"
    assert (RUN, SETTINGS) == ("run", "provider_run_plan_content")


def test_reasons_stand_in_the_order_of_the_contract() -> None:
    text = (
        "malformed digest_mismatch signature_invalid signature_required issuer_unknown not_yet_valid expired superseded"
        " revoked scope_mismatch source_identity_changed runtime_bundle_changed experiment_bundle_changed"
        " manifest_changed settings_changed uses_exhausted limit_exceeded clock_rollback register_unavailable"
    )
    assert " ".join(REASONS) == text


@pytest.mark.parametrize(
    "resource", [contract.AUTHORIZATION_RESOURCE, contract.USED_AUTHORIZATION_RESOURCE, contract.ISSUERS_RESOURCE]
)
def test_the_installed_schemas_are_the_pinned_ones(resource: PinnedResource) -> None:
    assert load_pinned(resource)["additionalProperties"] is False


def test_every_rule_of_json_has_one_code() -> None:
    assert dict(contract.AUTHORIZATION_PROFILE.codes) == dict.fromkeys(Rule, "malformed")
    assert dict(contract.ISSUERS_PROFILE.codes) == dict.fromkeys(Rule, "issuers_shape")
