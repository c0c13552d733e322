"""``on_rows``: the rows of each step are handed on when the step is done, and what takes them can stop the episode."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from operatebench.runtime.core.decisions import act, retrieve, wait
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.record import RecordBudget
from tests.runtime.core.licensing import INSTANCE, Licensing, Scripted


def handed_on(*decisions: dict[str, Any], budget: RecordBudget | None = None) -> tuple[list[int], list[Any], list[Any]]:
    """Return the sizes of the groups, all that was handed on, and the trajectory."""
    groups: list[Sequence[Mapping[str, Any]]] = []
    episode = run_episode(Licensing(), Scripted(*decisions), instance_id=INSTANCE, budget=budget, on_rows=groups.append)
    rows = [row for group in groups for row in group]
    return list(map(len, groups)), rows, list(episode.outcome.trajectory)


def test_all_rows_are_handed_on_once_in_order_a_step_at_a_time() -> None:
    sizes, rows, trajectory = handed_on(retrieve("read_file"), act("file_note", {"text": "a"}), wait("on", ["moon"]))

    assert rows == trajectory
    assert len(sizes) > 1
    assert min(sizes) > 0


def test_a_halted_episode_hands_on_its_closing_rows_too() -> None:
    _, rows, trajectory = handed_on(retrieve("read_file"), budget=RecordBudget(rows=66))

    assert rows == trajectory
    assert [row["record_type"] for row in rows[-2:]] == ["critical_violation", "episode_ended"]


def test_whatever_takes_the_rows_can_end_the_episode() -> None:
    def full(_: object) -> None:
        raise OSError(28, "no space left")

    with pytest.raises(OSError, match="no space left"):
        run_episode(Licensing(), Scripted(retrieve("read_file")), instance_id=INSTANCE, on_rows=full)
