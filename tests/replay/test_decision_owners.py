"""Who may define what: decisions have one owner, and capabilities are minted in one place (replay contract, 6)."""

import ast
from importlib.resources import files
from pathlib import Path

import pytest

PACKAGE = Path(str(files("operatebench")))


def modules_that_bind(name: str) -> set[str]:
    """Return the modules in which a name is defined, assigned or made an attribute; an import alone is a use."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if name not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            defined = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
            assigned = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
            attribute = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
            renamed = isinstance(node, ast.alias) and node.asname == name and node.name != name
            if defined or assigned or attribute or renamed:
                found.add(path.relative_to(PACKAGE).as_posix())
    return found


def modules_that_call(name: str) -> set[str]:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if name not in text:
            continue
        calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
        if any(isinstance(call, ast.Attribute) and call.attr == name for call in calls):
            found.add(path.relative_to(PACKAGE).as_posix())
    return found


@pytest.mark.parametrize("name", ["can_runtime_replay", "can_evaluator_regrade"])
def test_a_decision_is_defined_by_its_owner_alone(name: str) -> None:
    assert modules_that_bind(name) == {"replay/decisions.py"}


@pytest.mark.parametrize("name", ["can_analysis_recompute", "can_compare", "can_pool"])
def test_decisions_without_an_owner_are_made_nowhere(name: str) -> None:
    assert modules_that_bind(name) == set()


def test_capabilities_are_minted_by_the_verifier_alone() -> None:
    assert modules_that_call("mint") == {"replay/verify/verifier.py"}
