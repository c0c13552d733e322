"""The right to regrade a run that was replayed exactly: for this process, and for once."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import CapabilityError
from ..identity import ValidatedIdentityManifest
from .bound import Execution
from .bundle import Artifact


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run that was replayed exactly.

    Attributes:
        artifact: of its bundle.
        selection: which run it is.
        requirements: what it bound itself to.
        live: the manifest of what replayed it.
        evaluation: its recorded grade.
        execution: what came out, which is what was recorded.
    """

    artifact: Artifact
    selection: Mapping[str, Any]
    requirements: Sequence[Mapping[str, Any]]
    live: ValidatedIdentityManifest
    evaluation: Mapping[str, Any]
    execution: Execution


class ReplayCapability:
    """Stands for one exact replay in this process (replay contract, section 6).

    * Only :meth:`mint` makes one, and only an exact replay calls it.
    * :meth:`consume` gives out what was replayed, once, whichever thread comes first, and in this process alone.
    * It cannot be copied or pickled.
    """

    __slots__ = ("_lock", "_pid", "_replayed")

    _lock: threading.Lock
    _pid: int
    _replayed: Replayed | None

    def __init__(self) -> None:
        """Refuse: a capability cannot be asked for.

        Raises:
            TypeError: always.
        """
        raise TypeError("an exact replay mints a capability")

    def __init_subclass__(cls) -> NoReturn:
        """Refuse kinds that keep other rules."""
        raise TypeError("there is one kind of capability")

    @classmethod
    def mint(cls, replayed: Replayed) -> ReplayCapability:
        """Return the capability of an exact replay, which the caller has just made."""
        capability = object.__new__(cls)
        capability._lock = threading.Lock()
        capability._pid = os.getpid()
        capability._replayed = replayed
        return capability

    def consume(self) -> Replayed:
        """Return what was replayed, and be used up.

        Raises:
            CapabilityError: ``capability_foreign`` in another process, ``capability_used`` the second time.
        """
        if os.getpid() != self._pid:
            expected = f"process {self._pid}"
            raise CapabilityError("capability_foreign", expected=expected, actual=f"process {os.getpid()}")
        with self._lock:
            replayed, self._replayed = self._replayed, None
        if replayed is None:
            raise CapabilityError("capability_used", expected="a capability that was not used", actual="a used one")
        return replayed

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("a capability cannot be copied or pickled")
