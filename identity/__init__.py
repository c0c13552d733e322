"""What a thing is: strict JSON, canonical bytes, component and bundle identities, the manifest, its validator and diff.

This is the public surface of the identity contract; everything else in the package is private.
"""

from ..errors import IdentityValidationError
from .admission import Admitted
from .bundle import recompute_bundle
from .census import build_projection_census
from .component import recompute_component
from .diff import identity_diff
from .document import recompute_manifest_digest
from .evaluate import evaluate_component_requirements
from .manifest import build_identity_manifest, claimed_projections
from .records import (
    ComponentIdentityV1,
    CompositeIdentityV1,
    OwnedMutation,
    RequirementEvaluationV1,
    RequirementV1,
    ValidatedIdentityManifest,
)
from .registry import (
    COMPATIBILITY_CONTRACT_SCHEMA,
    COMPONENT_IDENTITY_SCHEMA,
    COMPOSITE_IDENTITY_SCHEMA,
    IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA,
    IDENTITY_MANIFEST_SCHEMA,
    IDENTITY_SCHEMA_VERSION,
    MANIFEST_DIGEST_DOMAIN,
    OWNED_MUTATION_CONTRACT_VERSION,
)
from .resources import (
    load_compatibility_registry,
    load_component_registry,
    load_identity_golden_vectors,
    load_identity_manifest_projection_census_schema,
    load_identity_schema,
)
from .strictjson import parse_json
from .validate import validate_identity_manifest
from .wire import identity_to_json

__all__ = [
    "COMPATIBILITY_CONTRACT_SCHEMA",
    "COMPONENT_IDENTITY_SCHEMA",
    "COMPOSITE_IDENTITY_SCHEMA",
    "IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA",
    "IDENTITY_MANIFEST_SCHEMA",
    "IDENTITY_SCHEMA_VERSION",
    "MANIFEST_DIGEST_DOMAIN",
    "OWNED_MUTATION_CONTRACT_VERSION",
    "Admitted",
    "ComponentIdentityV1",
    "CompositeIdentityV1",
    "IdentityValidationError",
    "OwnedMutation",
    "RequirementEvaluationV1",
    "RequirementV1",
    "ValidatedIdentityManifest",
    "build_identity_manifest",
    "build_projection_census",
    "claimed_projections",
    "evaluate_component_requirements",
    "identity_diff",
    "identity_to_json",
    "load_compatibility_registry",
    "load_component_registry",
    "load_identity_golden_vectors",
    "load_identity_manifest_projection_census_schema",
    "load_identity_schema",
    "parse_json",
    "recompute_bundle",
    "recompute_component",
    "recompute_manifest_digest",
    "validate_identity_manifest",
]
