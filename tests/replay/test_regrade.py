"""A regrade needs an exact replay in the same process, uses it up, and leaves the bundle as it is."""

import copy
import dataclasses
import json
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import CapabilityError, OperateBenchError
from operatebench.replay.bound import Execution
from operatebench.replay.capability import ReplayCapability
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.regrade import regrade, regrade_bytes
from operatebench.replay.verify import Verifier
from tests.conformance.automata import automaton
from tests.conformance.replay_runs import recorded
from tests.replay.bundle.bundles import files


def runtime(name: str) -> AutomatonRuntime:
    return AutomatonRuntime(Automaton.model_validate(automaton(name)))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundle of one run."""
    folder = tmp_path_factory.mktemp("bundles") / "run"
    for name, text in recorded("reference", "careful").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return folder


@pytest.fixture
def capability(bundle: Path) -> ReplayCapability:
    """Return the capability of a new exact replay."""
    return Verifier(runtime("reference")).replay_exactly(bundle)


def test_another_evaluator_grades_the_run_again_and_the_bundle_stays_as_it_is(bundle: Path) -> None:
    before, other = files(bundle), runtime("other_evaluator")

    document = regrade(Verifier(other).replay_exactly(bundle), other)

    assert files(bundle) == before
    recorded_grade = json.loads(before["evaluation.json"])
    assert document["artifact_digest_sha256"] == json.loads(before["artifact.json"])["artifact_digest_sha256"]
    old, new = (document[f"{which}_evaluator_content_digest_sha256"] for which in ("old", "new"))
    assert old == recorded_grade["evaluator_content_digest_sha256"] != new
    assert document["evaluation"]["evaluator_content_digest_sha256"] == new
    failed = [row["dimension"] for row in document["evaluation"]["vector"] if not row["ok"]]
    assert failed == ["approval"]
    assert json.loads(regrade_bytes(document)) == document


def test_the_same_evaluator_gives_the_recorded_grade(bundle: Path, capability: ReplayCapability) -> None:
    evaluation = json.loads((bundle / "evaluation.json").read_bytes())

    assert regrade(capability, runtime("reference"))["evaluation"] == evaluation


def test_a_capability_is_good_for_once_whichever_thread_comes_first(capability: ReplayCapability) -> None:
    def attempt(_: int) -> str:
        try:
            capability.consume()
        except CapabilityError as refusal:
            return refusal.code
        return "given"

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(attempt, range(32)))

    assert sorted(said) == ["capability_used"] * 31 + ["given"]


@pytest.mark.parametrize(
    "attempt",
    [copy.copy, copy.deepcopy, pickle.dumps, dataclasses.replace, lambda capability: type(capability)()],
    ids=["copy", "deepcopy", "pickle", "replace", "construct"],
)
def test_a_capability_cannot_be_had_in_another_way(
    capability: ReplayCapability, attempt: Callable[[Any], object]
) -> None:
    with pytest.raises(TypeError):
        attempt(capability)

    capability.consume()  # and none of that used it up


def test_there_is_no_other_kind_of_capability() -> None:
    with pytest.raises(TypeError):
        type("Forged", (ReplayCapability,), {})


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_cannot_use_it_and_the_parent_still_can(capability: ReplayCapability) -> None:
    # Held on purpose: the child must not wait for a lock that nobody there will ever release.
    with capability._lock:
        child = os.fork()
        if child == 0:
            try:
                capability.consume()
            except CapabilityError as refusal:
                os._exit(17 if refusal.code == "capability_foreign" else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17

    capability.consume()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("other_engine", "runtime_differs"),
        ("engine_takes_longer", "engine_differs"),
        ("agent_changed_its_mind", "agent_differs"),
        ("other_evaluator_of_the_same_source", "impossible_for_this_source"),
    ],
)
def test_no_exact_replay_no_capability(bundle: Path, name: str, code: str) -> None:
    with pytest.raises(OperateBenchError) as refused:
        Verifier(runtime(name)).replay_exactly(bundle)

    assert refused.value.code == code


def test_a_recorded_run_can_be_regraded_from_its_tape(tmp_path: Path) -> None:
    for name, text in recorded("recorded", "careful").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())

    document = regrade(Verifier(runtime("recorded")).replay_exactly(tmp_path), runtime("recorded"))

    assert document["evaluation"]["outcome_class"] == "success"


class Curious(AutomatonRuntime):
    """A runtime whose grade wants something from outside."""

    def __init__(self, want: Callable[[], object]) -> None:
        super().__init__(Automaton.model_validate(automaton("reference")))
        self.want = want

    def evaluate(self, selection: Any, record: Execution, reproduction: Execution | None) -> dict[str, Any]:
        self.want()
        return super().evaluate(selection, record, reproduction)


def test_a_regrade_opens_no_socket_and_reads_no_credential(
    capability: ReplayCapability, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    found: list[str | None] = []

    regrade(capability, Curious(lambda: found.append(os.environ.get("SOME_API_KEY"))))

    assert found == [None]
    assert os.environ["SOME_API_KEY"] == "secret"


def test_verification_and_regrade_refuse_a_grade_that_opens_a_socket(bundle: Path) -> None:
    import socket  # noqa: PLC0415  (used inside only)

    curious = Curious(lambda: socket.socket().close())
    refusal = Verifier(curious).verify(bundle).check("11").refusal

    assert refusal is not None
    assert refusal.code == "socket_opened"
    assert sys.modules["socket"].socket().close() is None  # outside of it there is no block
