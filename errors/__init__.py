"""The one error tree: every refusal of this package, with its stable code, place, expected, actual and remedy.

Rules of the tree (architecture, "Records, errors, names"):

* a refusal is data about bad input; a wrong call by a programmer stays a plain ``TypeError``;
* ``code`` is stable and listed in the class that raises it, with cause and remedy; ``docs/errors.md`` is that list;
* ``path`` is a JSON Pointer into the refused document, or a position or name of a file;
* ``expected`` and ``actual`` are new, escaped texts of at most 200 characters, never objects of the caller.
"""

from .authority import AuthorizationError, SigningKeyError
from .base import OperateBenchError
from .bundle import BundleError, EvaluationError
from .cards import CardValidationError
from .documents import DocumentError
from .episodes import EpisodeError
from .evidence import EvidenceError
from .identity import IdentityValidationError
from .ledger import LedgerError
from .provenance import CleanTreeError, ProvenanceError, RepositoryError
from .runtime import SpecError
from .texts import describe, escape, pointer
from .verification import CapabilityError, VerificationError

__all__ = [
    "AuthorizationError",
    "BundleError",
    "CapabilityError",
    "CardValidationError",
    "CleanTreeError",
    "DocumentError",
    "EpisodeError",
    "EvaluationError",
    "EvidenceError",
    "IdentityValidationError",
    "LedgerError",
    "OperateBenchError",
    "ProvenanceError",
    "RepositoryError",
    "SigningKeyError",
    "SpecError",
    "VerificationError",
    "describe",
    "escape",
    "pointer",
]
