"""Simulated time has one text form, counts whole minutes and never goes back."""

import pytest

from operatebench.runtime.core.clock import Clock


def test_counts_minutes_across_days_and_leap_years() -> None:
    clock = Clock("2040-02-28T23:59:30Z")
    clock.advance(1)
    assert (clock.now, clock.text) == (1, "2040-02-29T00:00:30Z")
    clock.advance(1)
    assert clock.instant(1 + 24 * 60) == "2040-03-01T00:00:30Z"


def test_never_goes_back() -> None:
    clock = Clock("2040-01-01T00:00:00Z")
    clock.advance(5)
    with pytest.raises(ValueError, match="stands at minute 5 and cannot go back to 4"):
        clock.advance(4)


@pytest.mark.parametrize(
    "text",
    [
        "2040-01-01T00:00:00",
        "2040-01-01 00:00:00Z",
        "2040-1-01T00:00:00Z",
        "2040-01-01T00:00:00.0Z",
        "2040-01-01T00:00:00+00:00",
        "2040-02-30T00:00:00Z",
        " 2040-01-01T00:00:00Z",
    ],
)
def test_knows_no_other_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not match|canonical|unconverted|out of range|must be"):
        Clock(text)


def test_knows_its_last_instant() -> None:
    clock = Clock("9999-12-31T23:00:30Z")
    assert clock.instant(clock.last) == "9999-12-31T23:58:30Z"
    assert Clock("9999-12-31T23:00:00Z").last == 59
