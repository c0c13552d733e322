"""Instants in Coordinated Universal Time, to the second, as authorizations write them."""

from __future__ import annotations

from datetime import UTC, datetime

_FORM = "%Y-%m-%dT%H:%M:%SZ"


def instant(text: str) -> datetime:
    """Return the instant that a text of the form ``YYYY-MM-DDTHH:MM:SSZ`` names.

    Raises:
        ValueError: it is of another form, or names none, such as a 30th of February.
    """
    moment = datetime.strptime(text, _FORM).replace(tzinfo=UTC)
    if instant_text(moment) != text:  # the parser takes single digits, and those of other scripts
        raise ValueError(f"not of the form YYYY-MM-DDTHH:MM:SSZ: {text!r}")
    return moment


def whole_second(moment: datetime) -> datetime:
    """Return an instant in Coordinated Universal Time, what is below a second cut off.

    Args:
        moment: with a time zone.
    """
    return moment.astimezone(UTC).replace(microsecond=0)


def instant_text(moment: datetime) -> str:
    """Return an instant as text, what is below a second cut off.

    Args:
        moment: with a time zone.
    """
    utc = whole_second(moment)
    return f"{utc.year:04}-{utc:%m-%dT%H:%M:%S}Z"  # the form has no year of four digits everywhere
