"""What tests share beside fixtures: places, the shape of the command line runner, names of credentials."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

_CREDENTIAL = re.compile(
    r"(^|_)(API_?KEY|AUTH|COOKIE|CREDENTIALS?|KEY|PASS|PASSPHRASE|PASSWD|PASSWORD|PAT|SECRETS?|TOKENS?)(_|$)|^(AWS|AZURE|GCP|GOOGLE)_|^NETRC$"
)


class RunCli(Protocol):
    """Runs the installed console script in a process of its own."""

    def __call__(
        self,
        *arguments: str | Path,
        stdin: str | bytes | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``operatebench`` with ``arguments``.

        Args:
            *arguments: the words after the command's name.
            stdin: what it reads; nothing when None.
            cwd: the folder it runs in; the test's own when None.
            env: variables set above those of the test run.

        Returns:
            The finished process; output decoded as UTF-8, undecodable bytes kept as surrogates, line ends as written.
        """
        ...


def credential_names(names: Iterable[str]) -> list[str]:
    """Return those of ``names`` that look like environment variables holding credentials."""
    return [name for name in names if _CREDENTIAL.search(name.upper())]
