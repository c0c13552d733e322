"""Every fuzz target holds on its seeds and on random input, without the fuzzer."""

import random

import pytest

from fuzz.targets import TARGETS, FindingError, seeds
from tests.identity.hostile_text import HostileText


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_holds_on_its_seed_corpus(target: str) -> None:
    corpus = list(seeds(target))
    assert len(corpus) > 80
    assert len(set(corpus)) > 80
    chosen = corpus if target != "command" else random.Random(5).sample(corpus, 60)
    for seed in chosen:
        TARGETS[target](seed)


@pytest.mark.parametrize(("target", "count"), [("parser", 500), ("validator", 200), ("command", 60)])
def test_a_target_holds_on_random_bytes(target: str, count: int) -> None:
    generator = random.Random(11)
    for _ in range(count):
        TARGETS[target](generator.randbytes(generator.randrange(40)))


def test_the_parser_target_holds_on_hostile_text() -> None:
    stream = HostileText(3)
    for _ in range(500):
        TARGETS["parser"](stream.document())


def test_a_target_reports_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.targets.encode_canonical_json", lambda value: b"wrong")
    with pytest.raises(FindingError, match="canonical bytes differ"):
        TARGETS["parser"](b"[1]")


def test_a_target_lets_a_foreign_exception_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> object:
        raise RuntimeError("not a refusal")

    monkeypatch.setattr("fuzz.targets.claimed_projections", broken)
    with pytest.raises(RuntimeError, match="not a refusal"):
        TARGETS["validator"](b"")
