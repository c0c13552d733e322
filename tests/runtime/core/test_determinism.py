"""Same inputs, same bytes: in one process, and in others with another hash seed, locale or time zone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from operatebench.runtime.core.decisions import retrieve
from tests.runtime.core.licensing import Scripted, run
from tests.support import ROOT

SCRIPT = """
import json, sys
from operatebench.runtime.core.decisions import act, complete, retrieve, wait
from tests.runtime.core.licensing import CHECK, REVIEW, Scripted, audit_at, run

steps = (
    retrieve("read_post", "read_file"), retrieve("read_checks"), {"kind": "?"}, wait("x", ["moon"]),
    act("send_letter", {"recipient_actor_id": "ann", "message_fixture_id": "receipt", "channel": "courier"}),
    wait("on", ["review_decided", "claim_made", "document_checked"], 20),
    act("request_check", {"application_id": "app_1"}), act("request_review", {"deadline_after_minutes": 500}),
    retrieve("read_post", "nothing", "never"), wait("on", ["document_checked"]), complete("no"),
    wait("on", ["document_checked"]), complete("yes"),
)
class Talking(Scripted):
    def converse(self, observation, session):
        return self.decide(observation)
for agent in (Scripted(*steps), Talking(*steps)):
    episode = run(agent, CHECK, REVIEW, audit_at(3), faults={("receipt", "courier"): 1})
    sys.stdout.write(json.dumps([episode.outcome.to_wire(), episode.tape()]) + "\\n")
"""

VARIATIONS = [
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "PYTHONOPTIMIZE": "2"},
]


def output(environment: dict[str, str], cwd: Path) -> bytes:
    base = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG", "TZ"))}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r})\n{SCRIPT}"],
        env=base | environment,
        cwd=cwd,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return output({"PYTHONHASHSEED": "0"}, tmp_path_factory.mktemp("usual"))


@pytest.mark.parametrize("variation", range(len(VARIATIONS)))
def test_other_surroundings_give_the_same_bytes(variation: int, usual: bytes, tmp_path: Path) -> None:
    assert output(VARIATIONS[variation], tmp_path) == usual
    assert usual.count(b'"licence_issued"') > 2


def test_running_again_gives_an_equal_episode() -> None:
    assert run(Scripted(retrieve("read_file"))) == run(Scripted(retrieve("read_file")))
