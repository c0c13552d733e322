"""What runs here, as run bundles say it: distribution, interpreter, platform, packages."""

from __future__ import annotations

import platform
import re
from importlib.metadata import requires, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..replay.bound import BoundRuntime
    from ..replay.bundle import Writer

_DISTRIBUTION = "operatebench"


def writer_of(runtime: BoundRuntime) -> Writer:
    """Return what a bundle says of its writer. It is shown to people, and decides no digest of what was run.

    The lock file is not packaged, so that an installed package knows no digest of it.
    """
    from ..replay.bundle import Writer

    names = sorted(re.split(r"[^A-Za-z0-9._-]", row, maxsplit=1)[0] for row in requires(_DISTRIBUTION) or ())
    return Writer(
        distribution=_DISTRIBUTION,
        version=version(_DISTRIBUTION),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        dependencies={name: version(name) for name in names},
        lock_digest_sha256=None,
        source_identity_digest_sha256=runtime.source_identity_digest_sha256,
        spec_sha256=runtime.spec_sha256,
    )
