"""The text of the operation spec that comes with the package, for people to edit."""

from importlib.resources import files

from ...runtime.maintenance import spec
from ...runtime.maintenance.spec.load import PACKAGED


def packaged_spec_text() -> bytes:
    """Return the packaged spec as it is written, comments included; ``packaged_spec`` returns what it says."""
    return files(spec).joinpath(PACKAGED).read_bytes()
