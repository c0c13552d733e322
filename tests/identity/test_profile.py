"""The limits have the names and numbers of the identity contract, sections 1 and 5."""

from operatebench.errors import IdentityValidationError
from operatebench.identity import census, component, evaluate, grammar, profile, resources
from operatebench.identity.profile import Rule


def test_limits_are_those_of_the_contract() -> None:
    assert profile.MAX_INTEROPERABLE_INTEGER == 9_007_199_254_740_991
    assert profile.MAX_STRICT_JSON_NODES == 65_536
    assert profile.MAX_CANONICAL_UTF8_PAYLOAD_BYTES == 4_194_304
    assert profile.MAX_STRICT_JSON_CONTAINER_ITEMS == 4_096
    assert profile.MAX_IDENTITY_STRING_BYTES == 1_048_576
    assert profile.MAX_NESTING == 64
    assert component.MAX_COMPONENT_IDENTITY_NODES == 5_600
    assert component.MAX_COMPONENT_IDENTITY_BYTES == 344_064
    assert component.MAX_OWNED_PROJECTION_FIELDS == 4_096
    assert grammar.MAX_FIELD_PATH_LENGTH == 1_024
    assert census.MAX_CENSUS_ENTRIES == 4_096
    assert evaluate.MAX_EVALUATED_REQUIREMENTS == 4_096
    assert resources.MAX_IDENTITY_RESOURCE_BYTES == 4_194_304
    assert resources.MAX_IDENTITY_RESOURCE_READ_CALLS == 128


def test_the_identity_profile_holds_these_limits() -> None:
    assert (
        profile.Profile(
            min_integer=-9_007_199_254_740_991,
            max_integer=9_007_199_254_740_991,
            integral_floats=True,
            nodes_count_keys=False,
            max_nodes=65_536,
            max_bytes=4_194_304,
            max_items=4_096,
            max_string_bytes=1_048_576,
            max_depth=64,
            max_text_bytes=33_554_432,
            error=IdentityValidationError,
            codes=profile.IDENTITY_PROFILE.codes,
        )
        == profile.IDENTITY_PROFILE
    )


def test_every_rule_of_strict_json_has_a_code() -> None:
    limits = {Rule.DEPTH, Rule.WIDTH, Rule.NODES, Rule.STRING, Rule.SIZE}
    wanted = {rule: "resource_limits" if rule in limits else "strict_json" for rule in Rule}
    assert dict(profile.IDENTITY_PROFILE.codes) == wanted
