"""The picture of an episode: well-formed, without scripts, the same bytes for the same episode, whatever it holds."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from operatebench.tracks.lifecycle import picture, read_episode, timeline
from tests.tracks.lifecycle.episodes import bundle_of, canonical, record_of, rewrite

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>&\"'\x1b\u202e\x00\ufffe"


@pytest.mark.parametrize(("variant", "agent"), [("V1", "reference"), ("V2", "reference"), ("V1", "complete_early")])
def test_a_picture_is_well_formed_and_shows_every_moment(variant: str, agent: str) -> None:
    record = record_of(variant, agent)
    root = ET.fromstring(picture(record))  # noqa: S314  (our own bytes)

    boxes = root.findall(f"{SVG}g")
    assert root.tag == f"{SVG}svg"
    assert [box.findtext(f"{SVG}title", "").partition(" (")[0] for box in boxes] == [
        moment.text.partition(" (")[0] for moment in timeline(record)
    ]


def test_equal_episodes_give_equal_bytes() -> None:
    assert picture(record_of("V1", "reference")) == picture(record_of("V1", "reference"))


def test_boxes_stand_beside_one_another_and_never_on_one_another() -> None:
    root = ET.fromstring(picture(record_of("V1", "reference")))  # noqa: S314

    rects = [box.find(f"{SVG}rect") for box in root.findall(f"{SVG}g")]
    places = [(rect.get("x"), rect.get("y")) for rect in rects if rect is not None]
    assert len(set(places)) == len(places)
    assert len({y for _, y in places}) < len(places)


def test_what_a_finding_cites_has_a_red_frame() -> None:
    record = record_of("V1", "trust_actor_claim")
    cited = {index for finding in record.evaluation["findings"] for index in finding["rows"]}
    root = ET.fromstring(picture(record))  # noqa: S314

    struck = ["struck" in (box.find(f"{SVG}rect").get("class") or "").split() for box in root.findall(f"{SVG}g")]  # type: ignore[union-attr]  # every box has one
    assert any(struck)
    assert struck == [not cited.isdisjoint(moment.rows) for moment in timeline(record)]


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    run = bundle_of(tmp_path / "run", "V1", "trust_actor_claim")
    rewrite(run, spoil_both)
    record = read_episode(run)

    drawn = picture(record)

    root = ET.fromstring(drawn)  # noqa: S314
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "defs", "marker", "path", "rect", "g", "text")
    }
    assert b"<script" not in drawn
    assert "alert(1)" in "".join(root.itertext())


def spoil_both(*documents: dict[str, Any]) -> None:
    for document in documents:
        document.update(json.loads(canonical(document), object_hook=spoil))


def spoil(value: dict[str, object]) -> dict[str, object]:
    """Put hostile text wherever the form of an episode allows any text."""
    free = ("detail", "reason", "action_type", "event_type", "actor_id", "code", "tool", "checkpoint_type")
    return {name: HOSTILE if name in free else item for name, item in value.items()}
