"""Who may do what, still: authorizations bound to a source, the register of their uses, and the keys that sign them.

What is named here is public; the modules are not (authority contract).
"""

from .admission import REASONS, Admission, Request, Trust, admit, admit_digests, check, judge
from .authorization import BoundRun, Limits, Pair, SerialKey, SourceBoundAuthorizationV1, issue
from .beside import files_of, read_beside
from .chain import Audit, Chain, Row, Standing
from .contract import AUTHORIZATION_SCHEMA, ISSUERS_SCHEMA, RUN, SETTINGS
from .instants import instant, instant_text
from .issuers import TrustedIssuers, issuers_document
from .keys import SigningKey, VerifyingKey, read_verifying_key
from .live import Build, Live, LiveRun, Moved, bound_run
from .register import Entries, Register, Use
from .used import UsedAuthorization

__all__ = [
    "AUTHORIZATION_SCHEMA",
    "ISSUERS_SCHEMA",
    "REASONS",
    "RUN",
    "SETTINGS",
    "Admission",
    "Audit",
    "BoundRun",
    "Build",
    "Chain",
    "Entries",
    "Limits",
    "Live",
    "LiveRun",
    "Moved",
    "Pair",
    "Register",
    "Request",
    "Row",
    "SerialKey",
    "SigningKey",
    "SourceBoundAuthorizationV1",
    "Standing",
    "Trust",
    "TrustedIssuers",
    "Use",
    "UsedAuthorization",
    "VerifyingKey",
    "admit",
    "admit_digests",
    "bound_run",
    "check",
    "files_of",
    "instant",
    "instant_text",
    "issue",
    "issuers_document",
    "judge",
    "read_beside",
    "read_verifying_key",
]
