"""Instants: one form, to the second, in Coordinated Universal Time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from operatebench.authority import instant, instant_text

LEAP = datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2028-02-29T23:59:59Z", LEAP),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T00:00:00Z", datetime(9999, 12, 31, tzinfo=UTC)),
    ],
)
def test_text_and_instant(text: str, moment: datetime) -> None:
    assert instant(text) == moment
    assert instant_text(moment) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2027-02-29T00:00:00Z",
        "2028-2-9T0:0:0Z",
        "2028-02-29 23:59:59Z",
        "2028-02-29T23:59:59",
        "2028-02-29T23:59:59+00:00",
        "2028-02-29T23:59:60Z",
        "2028-02-29T24:00:00Z",
        "2028-02-29T23:59:59.0Z",
        "2028-02-29T23:59:59Z\n",
        "٢٠٢٨-02-29T23:59:59Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_what_names_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match=r"form|match|convert|range|remains|must be in"):
        instant(text)


def test_what_is_below_a_second_is_cut_off() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))

    assert instant_text(LEAP.replace(microsecond=999_999).astimezone(zone)) == "2028-02-29T23:59:59Z"
