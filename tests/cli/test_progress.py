"""The progress line: written over again at a terminal, at most a hundred times, and nowhere else at all."""

import contextlib
import io
import sys

import pytest

from operatebench.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, total: int, *, wanted: bool = True) -> list[str]:
    """Return what was written to a stream for so many steps, write by write."""
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("things", wanted=wanted) as progress:
        for done in range(1, total + 1):
            progress.show(done, total)
    return stream.getvalue().split("\r\x1b[K")[1:]


def test_a_terminal_is_shown_every_step_and_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), 3) == ["1 of 3 things", "2 of 3 things", "3 of 3 things", ""]


def test_of_many_steps_a_hundred_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, Terminal(), 1_000)

    assert (len(lines), lines[0], lines[-2:]) == (101, "10 of 1000 things", ["1000 of 1000 things", ""])


@pytest.mark.parametrize(("stream", "wanted"), [(io.StringIO(), True), (Terminal(), False)])
def test_nobody_else_is_shown_anything(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, wanted: bool) -> None:
    assert shown(monkeypatch, stream, 3, wanted=wanted) == []


def test_an_interrupt_takes_the_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    stopped = Progress("things", wanted=True)
    with contextlib.suppress(KeyboardInterrupt), stopped:
        stopped.show(1, 2)
        raise KeyboardInterrupt
    assert terminal.getvalue() == "\r\x1b[K1 of 2 things\r\x1b[K"
