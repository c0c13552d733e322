"""A flipped bit anywhere is refused: by the list of members, or, if that is sealed again, by the member's own check."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest

from operatebench.errors import BundleError, OperateBenchError
from operatebench.replay.bundle import Artifact, read_bundle
from operatebench.replay.bundle.contract import PLACES
from operatebench.replay.evaluation import parse_evaluation
from operatebench.replay.verify import State, Verdict
from operatebench.replay.verify.recording import RecordedLedger
from operatebench.replay.verify.soundness import require_derived_census, sound_cards, sound_evidence, sound_manifest
from tests.tracks.lifecycle.verification.forging import listed_anew, read_alone, texts_of, verifier, write_texts

FLIPS, RESEALED, VERIFIED = 2_000, 300, 16
UNREADABLE = {"artifact_json", "artifact_limits", "artifact_generation"}
"""Codes of what cannot be read as a bundle at all."""

ROLES = {place.path: role for role, place in PLACES.items() if role != "authorization"}
CHECKS = {
    **dict.fromkeys(("operation_card", "semantic_scenario_card", "variant_card"), "2"),
    "census": "3",
    "evaluation": "6",
    "evidence": "9",
    "ledger": "5",
    "manifest": "4a",
}
"""Role -> the check that refuses it when the list of members was made anew; the first, if it is no canonical JSON."""


def flipped(text: bytes, position: int) -> bytes:
    return text[:position] + bytes([text[position] ^ 1 << position % 8]) + text[position + 1 :]


def test_a_flipped_bit_is_refused_by_the_first_check(run: Path) -> None:
    texts, artifact = texts_of(run), read_bundle(run).artifact
    places = [(name, position) for name, text in texts.items() for position in range(len(text))]
    chance = random.Random(20320405)
    # The artifact is small: half of the flips are in it.
    own = [place for place in places if place[0] == "artifact.json"]
    for name, position in chance.sample(own, FLIPS // 2) + chance.sample(places, FLIPS // 2):
        changed = flipped(texts[name], position)
        read = Artifact.parse if name == "artifact.json" else partial(read_alone, artifact, name)
        with pytest.raises(BundleError) as refused:
            read(changed)
        assert name == "artifact.json" or (refused.value.code, refused.value.path) == ("member_digest", name)
    for name, position in chance.sample(own, VERIFIED // 2) + chance.sample(places, VERIFIED // 2):
        report = verifier().verify(write_texts(run, {**texts, name: flipped(texts[name], position)}))
        assert (report.verdict, report.check("1").state) == (Verdict.REFUSED, State.FAILED)
        assert report.check("1").refusal is report.refusal is not None
        assert report.exit_status == (1 if report.refusal.code in UNREADABLE else 2)


def test_a_flipped_bit_in_a_listed_member_is_refused_by_its_own_check(run: Path) -> None:
    texts, bundle = texts_of(run), read_bundle(run)
    manifest = sound_manifest(bundle)
    chance = random.Random(1)
    refusing = {"1": 0, **dict.fromkeys(CHECKS.values(), 0)}
    for number in range(RESEALED):
        name, role = chance.choice(list(ROLES.items()))
        changed = flipped(texts[name], chance.randrange(len(texts[name])))
        anew = listed_anew({**texts, name: changed})
        wanted = CHECKS[role]
        try:
            value = read_alone(Artifact.parse(anew["artifact.json"]), name, changed)
        except BundleError:
            wanted = "1"
        else:
            documents = MappingProxyType({**bundle.documents, role: value})
            damaged = replace(bundle, texts=MappingProxyType({**bundle.texts, role: changed}), documents=documents)
            sound: dict[str, Callable[[], object]] = {
                "2": partial(sound_cards, damaged),
                "3": partial(require_derived_census, damaged, manifest),
                "4a": partial(sound_manifest, damaged),
                "5": partial(RecordedLedger.read, changed),
                "6": partial(parse_evaluation, changed),
                "9": partial(sound_evidence, damaged),
            }
            with pytest.raises(OperateBenchError):
                sound[wanted]()
        refusing[wanted] += 1
        if number < VERIFIED:
            report = verifier().verify(write_texts(run, {**texts, **anew}))
            assert report.verdict is Verdict.REFUSED
            assert report.refusal is report.check(wanted).refusal is not None
    assert min(refusing.values()) > 0
