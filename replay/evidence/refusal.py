"""The refusal of this package for a value found at a place."""

from ...errors import EvidenceError

refusal = EvidenceError.found
