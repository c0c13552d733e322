"""One recorded run for all tests of the verifier."""

from pathlib import Path

import pytest

from operatebench.replay.verify import Verifier
from tests.replay.verify.automaton import Automaton
from tests.replay.verify.runs import record, runtime


@pytest.fixture(scope="session")
def bound() -> Automaton:
    return runtime()


@pytest.fixture(scope="session")
def verifier(bound: Automaton) -> Verifier:
    return Verifier(bound)


@pytest.fixture(scope="session")
def run(bound: Automaton, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recorded run that nobody may change."""
    path = tmp_path_factory.mktemp("runs") / "run"
    record(path, bound)
    return path
