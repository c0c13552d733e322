"""One bundle of a real run for each test process, and copies of it to be damaged."""

import shutil
from pathlib import Path

import pytest

from tests.tracks.lifecycle.verification.forging import Forgery, write_run


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nobody changes: variant V1, the reference agent, trial 0."""
    return write_run(tmp_path_factory.mktemp("bundles") / "run")


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    """Return the folder of the same bundle, to be damaged."""
    return Path(shutil.copytree(original, tmp_path / "run"))


@pytest.fixture
def forgery(original: Path) -> Forgery:
    """Return the parts of the same bundle, to be changed."""
    return Forgery.of(original)
