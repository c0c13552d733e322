"""Censuses of fields: which identity component owns each leaf of the card contract, and who reads a run bundle.

This is the public surface; everything else in the package is private. The B1 census covers cards and their contract
files only (card contract, section 18). It is not the manifest-projection census of :mod:`operatebench.identity`, which
refuses it. The census of run bundles covers every field of every member (replay contract, section 3).
"""

from ..errors import BundleError, CardValidationError
from .b1 import validate_field_census
from .leaves import OWNERS
from .ownership import FieldOwnership, owner_of
from .resources import load_field_census, load_field_census_schema
from .run_bundle import load_run_bundle_census, validate_run_bundle_census

__all__ = [
    "OWNERS",
    "BundleError",
    "CardValidationError",
    "FieldOwnership",
    "load_field_census",
    "load_field_census_schema",
    "load_run_bundle_census",
    "owner_of",
    "validate_field_census",
    "validate_run_bundle_census",
]
