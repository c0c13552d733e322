"""Every file of the package, changed alone, moves exactly the component that owns it; others move nothing."""

from functools import cache
from pathlib import Path

import operatebench
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.tracks.lifecycle import packaged_spec
from operatebench.tracks.lifecycle.binding import Cards, Projections, SourceFiles, cards_of, project
from operatebench.tracks.lifecycle.ownership import UNOWNED, owner_of
from tests.tracks.lifecycle.binding.bound import AGENT, files, moved

AGENTS_FOLDER = "runtime/maintenance/agents/"
ANOTHER = (1, "f" * 64)


def agent_of(path: str) -> str:
    """Return an agent for which a file counts."""
    name = path.removeprefix(AGENTS_FOLDER).removesuffix(".py")
    return name if name in AGENTS else AGENT


def moved_by(changed: SourceFiles, agent_id: str = AGENT) -> dict[str, set[str]]:
    """Return what moves when some files are others."""
    return moved(unchanged(agent_id), projected_for(agent_id, changed))


@cache
def cards() -> Cards:
    """Return the cards, which no file changes."""
    return cards_of(packaged_spec(), "V1")


@cache
def unchanged(agent_id: str) -> Projections:
    """Return the projections for an agent."""
    return projected_for(agent_id, {})


def projected_for(agent_id: str, changed: SourceFiles) -> Projections:
    """Return the projections for an agent, some files of the package being others."""
    return project(packaged_spec(), cards(), "V1", agent_id, source_files={**files(), **changed})


def test_a_changed_file_moves_its_owner_and_is_named() -> None:
    owned = [path for path in files() if owner_of(path) != UNOWNED]
    for path in owned:
        schema = path.startswith("schemas/")
        named = path.replace("schemas/", "/contract_resources/") if schema else f"/source/{path}"
        assert moved_by({path: ANOTHER}, agent_of(path)) == {owner_of(path): {named}}
        # Not even a change of size alone, or of content alone, goes unnoticed.
        size, sha256 = files()[path]
        assert moved_by({path: (size + 1, sha256)}, agent_of(path)) == {owner_of(path): {named}}
    assert len(owned) > 100


def test_a_file_that_comes_or_goes_moves_its_owner() -> None:
    assert moved_by({"runtime/core/another.py": ANOTHER}) == {
        "runtime_contract_content": {"/source/runtime/core/another.py"}
    }


def test_the_other_files_move_nothing() -> None:
    assert moved_by({path: ANOTHER for path in files() if owner_of(path) == UNOWNED}) == {}


def test_the_file_of_another_agent_moves_nothing() -> None:
    others = [f"{AGENTS_FOLDER}{agent_id}.py" for agent_id in AGENTS if agent_id != AGENT]
    assert set(others) <= files().keys()
    assert moved_by(dict.fromkeys(others, ANOTHER)) == {}


def test_every_agent_has_a_file_of_its_own() -> None:
    assert {f"{AGENTS_FOLDER}{agent_id}.py" for agent_id in AGENTS} == {
        path for path in files() if path.startswith(AGENTS_FOLDER) and path.count("/") == 3
    } - {f"{AGENTS_FOLDER}__init__.py"}


def test_a_card_schema_and_the_pin_that_goes_with_it_move_the_card_schemas_alone() -> None:
    package = Path(operatebench.__file__).parent
    schemas = [path for path in files() if owner_of(path) == "card_schema_content"]
    for path in schemas:
        pin = files()[path][1]
        pinning = [each for each in files() if each.endswith(".py") and pin in (package / each).read_text("utf-8")]
        assert len(pinning) == 1, path
        assert moved_by({path: ANOTHER, pinning[0]: ANOTHER}).keys() == {"card_schema_content"}
    assert len(schemas) == 7
