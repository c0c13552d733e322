"""What a run bundle keeps of the authorization that its run used; nothing in it is private."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from ..cards.form import require_form
from ..errors import AuthorizationError
from .admission import Admission
from .authorization import SourceBoundAuthorizationV1
from .contract import AUTHORIZATION_RESOURCE, USED_AUTHORIZATION_RESOURCE
from .instants import instant, instant_text


@dataclass(frozen=True, slots=True)
class UsedAuthorization:
    """An authorization and the admission that used it.

    Attributes:
        admitted_at: when the use was recorded.
        use_index: which use it was, from 1.
        register_head: the digest of the row of the register that recorded it.
        unsigned: whether nobody had signed it.
    """

    authorization: SourceBoundAuthorizationV1
    admitted_at: datetime
    use_index: int
    register_head: str
    unsigned: bool

    @property
    def digest_sha256(self) -> str:
        """The digest of the authorization."""
        return self.authorization.authorization_digest_sha256

    @classmethod
    def of(cls, admission: Admission) -> UsedAuthorization:
        """Return what is kept of an admission that recorded a use."""
        authorization, use = admission.authorization, admission.use
        if authorization is None or use is None:
            raise TypeError("an admission that recorded a use")
        unsigned = authorization.signature is None
        return cls(authorization, admission.admitted_at, use.index, use.head, unsigned)

    @classmethod
    def read(cls, document: Any, at: str) -> UsedAuthorization:
        """Read the member of a bundle.

        Args:
            document: plain JSON that was admitted.
            at: what the path of a refusal starts with.

        Raises:
            AuthorizationError: ``malformed`` or ``digest_mismatch``.
        """
        refuse = partial(AuthorizationError.found, "malformed")
        require_form(document, at, refuse, USED_AUTHORIZATION_RESOURCE, AUTHORIZATION_RESOURCE)
        try:
            authorization = SourceBoundAuthorizationV1.read(document["authorization"])
        except AuthorizationError as refusal:
            raise refusal.moved_to(f"{at}/authorization{refusal.path}") from None
        admission = document["admission"]
        try:
            admitted_at = instant(admission["admitted_at"])
        except ValueError:
            path = f"{at}/admission/admitted_at"
            raise refuse(path, "an instant that exists", admission["admitted_at"]) from None
        if admission["unsigned"] != (authorization.signature is None):
            expected = "true, as there is no signature" if authorization.signature is None else "false"
            raise refuse(f"{at}/admission/unsigned", expected, admission["unsigned"])
        return cls(
            authorization, admitted_at, admission["use_index"], admission["register_head"], admission["unsigned"]
        )

    def to_wire(self) -> dict[str, Any]:
        """Return the member: a fresh plain object, but for the settings."""
        return {
            "authorization": self.authorization.to_wire(),
            "admission": {
                "admitted_at": instant_text(self.admitted_at),
                "use_index": self.use_index,
                "register_head": self.register_head,
                "unsigned": self.unsigned,
            },
        }
