"""Grading takes steps in proportion to the rows, in sound records and in ones made to be slow."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.runtime.maintenance.evaluator.episodes import Forgery, Record, evaluator, record_of

PLACE = "/runtime/maintenance/evaluator/"


def _steps(record: Record) -> int:
    """Count the lines of the evaluator that run while a record is graded."""
    counted = 0

    def line(_frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
        nonlocal counted
        counted += event == "line"
        return line

    def call(frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any] | None:
        return line if PLACE in frame.f_code.co_filename.replace("\\", "/") else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        evaluator("V1").evaluate(record, None)
    finally:
        sys.settrace(before)
    return counted


def _repeated(times: int) -> Record:
    """Repeat all that happens, with the same ids: everything is found to be there too often."""
    forgery = Forgery(record_of("V1"))
    first, *middle, last = forgery.rows
    forgery.rows[:] = [first, *(dict(row) for _ in range(times) for row in middle), last]
    forgery.events[:] = [dict(event) for _ in range(times) for event in forgery.events]
    _state(forgery, times, "")
    return forgery.sealed()


def _renamed(times: int) -> Record:
    """Repeat all that happens, with new ids each time: nothing is found, and everything is indexed."""
    forgery = Forgery(record_of("V1"))
    first, *middle, last = forgery.rows
    forgery.rows[:] = [first, *(_named(row, f"_{time}") for time in range(times) for row in middle), last]
    forgery.events[:] = [_named(event, f"_{time}") for time in range(times) for event in forgery.events]
    _state(forgery, times, "_")
    return forgery.sealed()


def _state(forgery: Forgery, times: int, suffix: str) -> None:
    for root, value in forgery.state.items():
        if type(value) is list:
            forgery.state[root] = [
                _named(item, suffix and f"{suffix}{time}") for time in range(times) for item in value
            ]


def _named(value: Any, suffix: str) -> Any:
    """Give every id in a value a suffix."""
    if type(value) is dict:
        return {
            name: item + suffix if type(item) is str and name.endswith("_id") else _named(item, suffix)
            for name, item in value.items()
        }
    return [_named(item, suffix) for item in value] if type(value) is list else value


@pytest.mark.parametrize("grown", [_repeated, _renamed])
def test_steps_grow_with_the_rows(grown: Callable[[int], Record]) -> None:
    few, many = _steps(grown(2)), _steps(grown(8))
    assert many <= 4.4 * few
