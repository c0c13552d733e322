"""Keeps what runs again to itself: no socket is opened and no credential can be read while a run is replayed or graded.

A replay shows that a run follows from what it was bound to, so nothing from outside may have a say in it.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..errors import VerificationError

_CREDENTIAL = re.compile(
    r"(?:^|_)(?:API_?KEY|AUTH|AUTHORIZATION|COOKIE|CREDENTIALS?|KEY|PASS|PASSPHRASE|PASSWD|PASSWORD|PAT|SECRETS?|TOKENS?)"
    r"(?:_|$)|^(?:AWS|AZURE|GCP|GOOGLE)_|^NETRC$"
)


def credential_variables(names: Iterable[str]) -> list[str]:
    """Return those names of environment variables that look as if they held credentials."""
    return [name for name in names if _CREDENTIAL.search(name.upper())]


@contextmanager
def isolated() -> Iterator[None]:
    """Take sockets and credential variables from the whole process, all its threads included, while the block runs.

    Blocks may nest and overlap; the variables come back when the last one ends. A process that is started inside gets
    none of them, and can open sockets.

    Raises:
        VerificationError: ``socket_opened``, where the block opens a socket, connects one or looks up a name.
    """
    _ISOLATION.enter()
    try:
        yield
    finally:
        _ISOLATION.leave()


class _Isolation:
    """The state of this process: how many blocks run, and what was taken from its environment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._taken: dict[str, str] = {}
        self._hooked = False

    def enter(self) -> None:
        with self._lock:
            if not self._hooked:  # a hook cannot be removed, so it is there only once somebody needs it
                sys.addaudithook(self._refuse_sockets)
                self._hooked = True
            self._blocks += 1
            for name in credential_variables(list(os.environ)):
                self._taken[name] = os.environ.pop(name)

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                for name, value in self._taken.items():
                    os.environ.setdefault(name, value)
                self._taken.clear()

    def _refuse_sockets(self, event: str, _: tuple[object, ...]) -> None:
        if self._blocks and event.startswith("socket."):
            raise VerificationError("socket_opened", expected="a run that needs no network", actual=event)


_ISOLATION = _Isolation()
