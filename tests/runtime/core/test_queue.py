"""The queue has one total order, and an event id is used once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.runtime.core.protocol import Event
from operatebench.runtime.core.queue import EventQueue
from operatebench.runtime.core.vocabulary import Provenance


def event(event_id: str, at: int = 0, sequence: int = 0) -> Event:
    return Event(event_id, "any", "ann", at, sequence, {}, True, Provenance.AUTHORED, None)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.text(st.sampled_from("abAB_1"), min_size=1), st.booleans()),
        unique_by=lambda item: item[2],
    )
)
def test_gives_what_was_not_cancelled_in_the_order_of_instant_sequence_and_id(
    items: list[tuple[int, int, str, bool]],
) -> None:
    queue = EventQueue()
    for at, sequence, event_id, _ in items:
        queue.schedule(event(event_id, at, sequence))
    for _, _, event_id, cancelled in items:
        if cancelled:
            assert queue.cancel(event_id)
    expected = sorted(item[:3] for item in items if not item[3])
    given_out = []
    while (next_at := queue.next_at()) is not None:
        popped = queue.pop()
        assert popped.at == next_at
        given_out.append((popped.at, popped.sequence, popped.event_id))
    assert given_out == expected


@pytest.mark.parametrize("how", ["pending", "delivered", "cancelled"])
def test_an_id_is_used_once(how: str) -> None:
    queue = EventQueue()
    queue.schedule(event("e"))
    if how == "delivered":
        queue.pop()
    if how == "cancelled":
        queue.cancel("e")
    with pytest.raises(ValueError, match="event id 'e' is used twice"):
        queue.schedule(event("e", 7))


def test_cancelling_tells_whether_it_was_pending() -> None:
    queue = EventQueue()
    queue.schedule(event("e"))
    assert [queue.cancel("e"), queue.cancel("e"), queue.cancel("never")] == [True, False, False]
    assert queue.next_at() is None


def test_timers_are_numbered_after_authored_events_in_the_order_they_are_armed() -> None:
    queue = EventQueue()
    assert [queue.next_sequence(), queue.next_sequence()] == [1_000_001, 1_000_002]
