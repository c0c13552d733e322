"""Names, limits and schemas of authorizations, their register and their issuers (authority contract)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from ..errors import AuthorizationError, SigningKeyError
from ..identity.profile import IDENTITY_PROFILE, Rule
from ..identity.resources import PinnedResource

AUTHORIZATION_SCHEMA = "operatebench.source_bound_authorization.v1"
AUTHORIZATION_SCHEMA_VERSION = 1
AUTHORIZATION_RESOURCE = PinnedResource(
    "schemas",
    "source-bound-authorization-v1.schema.json",
    "dff5272e3076b7a109981ca9b2546ff978b32b32265e45da3eeff9db0ef9dbb2",
)
USED_AUTHORIZATION_RESOURCE = PinnedResource(
    "schemas", "used-authorization-v1.schema.json", "a3aa7f2c2f972b4180ea79b018c61f5b39774b150ee4a899f93c7d0382f4eec4"
)

ISSUERS_SCHEMA = "operatebench.trusted_issuers.v1"
ISSUERS_SCHEMA_VERSION = 1
ISSUERS_RESOURCE = PinnedResource(
    "schemas", "trusted-issuers-v1.schema.json", "2f6e7b049d2afb171e9c8ebc787947f804384f38dfb593154950a096eeed7b96"
)

RUN = "run"
"""The one action there is."""
SETTINGS = "provider_run_plan_content"
"""The component whose projection is the settings."""

SELF_DIGEST = "authorization_digest_sha256"
"""The digest that an authorization carries of itself, over all other members but the signature."""

AUTHORIZATION_PROFILE = replace(
    IDENTITY_PROFILE,
    integral_floats=False,
    error=AuthorizationError,
    codes=MappingProxyType(dict.fromkeys(Rule, "malformed")),
)
"""The rules of an authorization's JSON."""
ISSUERS_PROFILE = replace(
    AUTHORIZATION_PROFILE, error=SigningKeyError, codes=MappingProxyType(dict.fromkeys(Rule, "issuers_shape"))
)
"""The rules of the JSON of trusted issuers."""
