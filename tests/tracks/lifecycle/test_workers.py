"""Workers: results in order, what is raised comes through, and one that is lost is noticed."""

import os
import signal

import pytest

from operatebench.errors import EpisodeError
from operatebench.tracks.lifecycle.workers import in_workers


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_every_item_is_done_once_and_in_order(count: int, jobs: int) -> None:
    offset = 10  # a worker has what is here without being sent it
    assert list(in_workers(lambda item: item + offset, range(count), jobs)) == [each + 10 for each in range(count)]


def test_a_worker_is_another_process_and_leaves_interrupts_to_this_one() -> None:
    found = list(in_workers(lambda _: (os.getpid(), signal.getsignal(signal.SIGINT)), range(4), 2))

    assert os.getpid() not in {process for process, _ in found}
    assert {handler for _, handler in found} == {signal.SIG_IGN}


def test_what_is_raised_is_raised_here_in_its_turn() -> None:
    def work(item: int) -> int:
        if item == 1:
            raise KeyError(item)
        return item

    results = in_workers(work, range(4), 2)

    assert next(results) == 0
    with pytest.raises(KeyError):
        next(results)


def test_whoever_stops_listening_leaves_no_process() -> None:
    results = in_workers(lambda _: os.getpid(), range(100), 2)
    process = next(results)
    results.close()  # type: ignore[attr-defined]  # it is a generator

    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("lost", [0, 3])
def test_a_worker_that_ends_is_a_refusal(lost: int) -> None:
    with pytest.raises(EpisodeError) as caught:
        list(in_workers(lambda item: os._exit(1) if item == lost else item, range(4), 2))
    assert (caught.value.code, caught.value.actual) == ("worker_lost", "one that ended")
