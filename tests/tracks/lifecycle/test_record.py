"""The episode file: what is written is read back; whatever else is refused, with the place and the reason."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import DocumentError, EpisodeError, OperateBenchError
from operatebench.tracks.lifecycle import parse_episode, read_episode, write_episode
from tests.tracks.lifecycle.episodes import canonical, document_of, record_of, sealed, text_of

AGENT = "always_wait"
"""Its episodes are the smallest."""


def refusal(text: bytes) -> OperateBenchError:
    with pytest.raises(OperateBenchError) as caught:
        parse_episode(text)
    return caught.value


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    record = record_of("V1", "reference")
    write_episode(tmp_path / "e.json", record)

    assert read_episode(tmp_path / "e.json") == record
    assert (tmp_path / "e.json").read_bytes() == record.to_bytes() == text_of("V1", "reference")


def test_the_file_is_canonical_and_sealed_as_the_contract_says() -> None:
    document = document_of("V1", AGENT)

    assert text_of("V1", AGENT) == canonical(document) + b"\n" == sealed(document)
    assert list(document) == sorted(document)


def test_an_existing_file_is_replaced_only_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text("mine")
    with pytest.raises(DocumentError) as caught:
        write_episode(path, record_of("V1", AGENT))
    assert (caught.value.code, path.read_text()) == ("file_exists", "mine")

    write_episode(path, record_of("V1", AGENT), replace=True)
    assert path.read_bytes() == text_of("V1", AGENT)


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if type(value) in (dict, list) and value:
        items = value.items() if type(value) is dict else enumerate(value)
        return [leaf for token, child in items for leaf in leaves(child, (*place, token))]
    return [place]


def changed(document: Any, place: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    copy = json.loads(json.dumps(document))
    holder = copy
    for token in place[:-1]:
        holder = holder[token]
    holder[place[-1]] = change(holder[place[-1]])
    return copy


def other(value: Any) -> Any:
    """Return another value of the same type where there is one."""
    if type(value) is bool:
        return not value
    if type(value) is int:
        return value + 1
    if type(value) is str:
        return value[:-1] + ("0" if not value.endswith("0") else "1")
    return "x"


def test_no_leaf_can_be_changed_unnoticed() -> None:
    document = document_of("V1", AGENT)
    places = leaves(document)
    assert len(places) > 150
    for place in places:
        error = refusal(canonical(changed(document, place, other)) + b"\n")
        assert error.code in {"episode_shape", "episode_instance", "episode_digest", "document_kind"}, place


@pytest.mark.parametrize(
    ("place", "value", "code", "path", "expected"),
    [
        (("schema",), "operatebench.artifact.v8", "document_kind", "/schema", "operatebench.episode.v1"),
        (("schema_version",), 2, "episode_shape", "/schema_version", "1"),
        (("schema_version",), True, "episode_shape", "/schema_version", "1"),
        (("selection", "plan"), "live", "episode_shape", "/selection/plan", "none"),
        (("selection", "trial"), -1, "episode_shape", "/selection/trial", "an integer from 0"),
        (("spec", "sha256"), "A" * 64, "episode_shape", "/spec/sha256", "64 lowercase hexadecimal digits"),
        (("outcome", "ended_at"), "2032-13-01T00:00:00Z", "episode_shape", "/outcome/ended_at", "an instant"),
        (("outcome", "trajectory", 1, "index"), 2, "episode_shape", "/outcome/trajectory/1/index", "1"),
        (("outcome", "trajectory", 1, "at"), "x", "episode_shape", "/outcome/trajectory/1/at", "an instant"),
        (
            ("outcome", "trajectory", 1, "record_type"),
            None,
            "episode_shape",
            "/outcome/trajectory/1/record_type",
            "text",
        ),
        (("outcome", "trajectory", 0, "more"), 1, "episode_shape", "/outcome/trajectory/0", "the fields of episode_st"),
        (("outcome", "events", 0, "sequence"), "1", "episode_shape", "/outcome/events/0/sequence", "an integer from 0"),
        (("outcome", "more"), 1, "episode_shape", "/outcome/more", "only schema, "),
        (("evaluation", "reliable"), 1, "episode_shape", "/evaluation/reliable", "true or false"),
        (("evaluation", "load", "decisions"), None, "episode_shape", "/evaluation/load/decisions", "an integer from 0"),
        (("evaluation", "findings", 0, "rows"), [10**6], "episode_shape", "/evaluation/findings/0/rows", "rows below "),
        (("decision_tape", "decisions", 0, "invocation_index"), 0, "episode_shape", "/decision_tape/decisions/0", ""),
    ],
)
def test_a_wrong_member_is_refused_even_under_right_digests(
    place: tuple[Any, ...], value: Any, code: str, path: str, expected: str
) -> None:
    document = document_of("V1", AGENT)
    holder = document
    for token in place[:-1]:
        holder = holder[token]
    holder[place[-1]] = value

    error = refusal(sealed(document))

    assert (error.code, error.path[: len(path)]) == (code, path)
    assert error.expected.startswith(expected)


def test_a_missing_member_is_named() -> None:
    document = document_of("V1", AGENT)
    del document["outcome"]["status"]

    error = refusal(sealed(document))

    assert (error.code, error.path, error.actual) == ("episode_shape", "/outcome/status", "nothing")


def test_an_instance_of_another_selection_is_refused() -> None:
    document = document_of("V1", AGENT)
    document["selection"]["agent_id"] = "reference"

    error = refusal(sealed(document))

    assert (error.code, error.path) == ("episode_instance", "/operation_instance_id")
    assert error.actual == document["operation_instance_id"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "episode_json"),
        (b"{", "episode_json"),
        (b'{"schema": 1.5}', "episode_json"),
        (b'{"a": 1, "a": 1}', "episode_json"),
        (b"[" * 100 + b"]" * 100, "episode_too_large"),
        (b"[]", "document_kind"),
        (b"{}", "document_kind"),
    ],
)
def test_other_texts_are_refused(text: bytes, code: str) -> None:
    assert refusal(text).code == code


@pytest.mark.parametrize("spoil", [lambda text: text[:-1], lambda text: text + b"\n", lambda text: b" " + text])
def test_a_text_laid_out_anew_is_refused(spoil: Callable[[bytes], bytes]) -> None:
    assert refusal(spoil(text_of("V1", AGENT))).code == "episode_text"


def test_a_cut_file_is_refused() -> None:
    text = text_of("V1", AGENT)
    for end in range(0, len(text) - 1, 997):
        assert isinstance(refusal(text[:end]), EpisodeError)
