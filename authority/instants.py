"""Instants in Coordinated Universal Time, to the second, as authorizations write them."""

from __future__ import annotations

from datetime import UTC, datetime

_FORM = "%Y-%m-%dT%H:%M:%SZ"


def instant(text: str) -> datetime:
    """Return the instant that a text of the form ``YYYY-MM-DDTHH:MM:SSZ`` names.

    Raises:
        ValueError: it names none, such as a 30th of February.
    """
    return datetime.strptime(text, _FORM).replace(tzinfo=UTC)


def instant_text(moment: datetime) -> str:
    """Return an instant as text, what is below a second cut off.

    Args:
        moment: with a time zone.
    """
    utc = moment.astimezone(UTC)
    return f"{utc.year:04}-{utc:%m-%dT%H:%M:%S}Z"  # the form has no year of four digits everywhere
