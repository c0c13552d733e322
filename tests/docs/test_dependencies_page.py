"""The page of dependencies justifies exactly what the package requires."""

import re
import tomllib

from tests.support import ROOT


def test_every_dependency_has_one_full_row_and_nothing_else_has() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| `[a-z0-9-]+` \|", line)]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert sorted(row[0].strip("`") for row in rows) == sorted(re.split("[<>=]", row)[0] for row in declared)
    assert [row[0] for row in rows if len(row) != 5 or not all(row)] == []


def test_every_development_requirement_is_named() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    texts = [(ROOT / "requirements" / f"{name}.in").read_text(encoding="utf-8") for name in ("dev", "fuzz", "lock")]
    asked = {re.split("[<>=;]", line)[0] for line in "\n".join(texts).splitlines() if line and line[0] != "#"}
    assert asked
    assert {name for name in asked if f"`{name}`" not in page} == set()
