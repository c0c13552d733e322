"""What agents may know: the engine's protocol, what they share, and no id of any operation."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path

import pytest

import operatebench.runtime.maintenance.agents as package
from operatebench.errors import SpecError
from operatebench.runtime.maintenance.agents import AGENTS, create
from operatebench.runtime.maintenance.spec import packaged_spec

ROOT = Path(str(files(package)))
AGENT_FILES = sorted(path for path in ROOT.glob("*.py") if path.stem != "__init__")
SHARED_FILES = sorted(ROOT.glob("_shared/*.py"))


def imported_from(path: Path) -> set[str]:
    """Return the modules of this package a file imports from, as written, without the names."""
    tree = ast.parse(path.read_text("utf-8"))
    relative = {
        "." * node.level + (node.module or "")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    }
    absolute = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }
    assert absolute <= {"__future__", "abc", "collections.abc", "types", "typing"}, path.name
    return relative


def texts_in(path: Path) -> set[str]:
    """Return every text constant of a file but its docstrings' words."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("path", AGENT_FILES, ids=lambda path: path.stem)
def test_an_agent_imports_the_protocol_and_what_agents_share(path: Path) -> None:
    assert imported_from(path) <= {"...core", "...core.decisions", "...core.observation", "._shared"}


@pytest.mark.parametrize("path", SHARED_FILES, ids=lambda path: path.stem)
def test_what_agents_share_imports_the_protocol_and_itself(path: Path) -> None:
    own = {f".{other.stem}" for other in SHARED_FILES}
    assert imported_from(path) <= {"....core", "....core.decisions", "....core.observation", *own}


@pytest.mark.parametrize("path", [*AGENT_FILES, *SHARED_FILES], ids=lambda path: path.stem)
def test_no_id_of_the_operation_is_known(path: Path) -> None:
    spec = packaged_spec()
    payload_ids = {
        value
        for variant in spec.variants.values()
        for authored in variant.events
        for name, value in authored.payload.items()
        if name.endswith("_id")
    }
    # An actor may be called as its role is, and a channel as anything.
    ids = {*spec.actors, *spec.message_fixtures, *spec.surface_fixtures, *spec.variants, *payload_ids}
    ids -= {*spec.roles, "scheduler"}
    assert not texts_in(path) & ids


def test_each_agent_has_a_file_and_each_file_an_agent() -> None:
    assert list(AGENTS) == [path.stem for path in AGENT_FILES]
    for agent_id, make in AGENTS.items():
        agent = create(agent_id)
        assert type(agent) is type(make())
        assert agent is not create(agent_id)


def test_an_unknown_agent_is_refused() -> None:
    with pytest.raises(SpecError) as refusal:
        create("no_such_agent")
    assert (refusal.value.code, refusal.value.path) == ("closed_value", "agent_id")
    assert refusal.value.actual == '"no_such_agent"'
