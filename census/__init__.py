"""The B1 field census: which identity component owns each leaf of the card contract (card contract, section 18).

This is the public surface; everything else in the package is private. The census covers cards and their contract files
only. It is neither the manifest-projection census of :mod:`operatebench.identity` nor a census of run bundles, and both
places refuse it.
"""

from ..errors import CardValidationError
from .b1 import validate_field_census
from .leaves import OWNERS
from .ownership import FieldOwnership, owner_of
from .resources import load_field_census, load_field_census_schema

__all__ = [
    "OWNERS",
    "CardValidationError",
    "FieldOwnership",
    "load_field_census",
    "load_field_census_schema",
    "owner_of",
    "validate_field_census",
]
