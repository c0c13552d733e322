"""An evaluation is sealed in one form, and read back only in it; it says nothing of any domain."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.errors import EvaluationError
from operatebench.replay.evaluation import evaluation_bytes, parse_evaluation, seal_evaluation
from tests.replay.bundle.bundles import GRADE, evaluation

SELF = "evaluation_digest_sha256"


def sealed(content: dict[str, Any]) -> bytes:
    """Return the file of an evaluation, its digest made a second way (replay contract, section 1)."""
    content = {name: value for name, value in content.items() if name != SELF}
    label = {"domain": "operatebench.digest.evaluation.v1", "schema": "operatebench.evaluation.v1", "content": content}
    digest = hashlib.sha256(encode_canonical_json(label)).hexdigest()
    return bytes(encode_canonical_json({**content, SELF: digest})) + b"\n"


def code_of(text: bytes) -> str:
    with pytest.raises(EvaluationError) as refused:
        parse_evaluation(text)
    return refused.value.code


def test_a_grade_is_sealed_and_read_back() -> None:
    made = evaluation()

    assert made == {
        "schema": "operatebench.evaluation.v1",
        "schema_version": 1,
        "evaluator_content_digest_sha256": "b" * 64,
        "analysis_content_digest_sha256": "c" * 64,
        **GRADE,
        SELF: made[SELF],
    }
    assert evaluation_bytes(made) == sealed(made)
    assert parse_evaluation(sealed(made)) == made
    made["findings"][0]["rows"].append(3)
    assert GRADE["findings"][0]["rows"] == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda grade: grade.pop("load"),
        lambda grade: grade.update(reliable=True),
        lambda grade: grade.update(vector=[]),
        lambda grade: grade["vector"].append({"dimension": "d", "ok": 1}),
        lambda grade: grade["findings"][0].update(rows=[-1]),
        lambda grade: grade["findings"][0].pop("at"),
        lambda grade: grade["load"].update(decisions=None),
        lambda grade: grade.update(outcome_class=""),
    ],
)
def test_a_grade_of_another_form_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    grade = json.loads(json.dumps(GRADE))
    change(grade)

    with pytest.raises(EvaluationError) as refused:
        seal_evaluation(grade, evaluator_digest="b" * 64, analysis_digest="c" * 64)
    assert refused.value.code == "evaluation_shape"
    assert code_of(sealed({**evaluation(), **grade, "load": grade.get("load")})) == "evaluation_shape"


def test_a_grade_cannot_say_what_graded_it() -> None:
    grade = {**GRADE, "evaluator_content_digest_sha256": "d" * 64}

    made = seal_evaluation(grade, evaluator_digest="b" * 64, analysis_digest="c" * 64)

    assert made["evaluator_content_digest_sha256"] == "b" * 64


def test_what_is_no_sealed_evaluation_is_refused() -> None:
    text = sealed(evaluation())

    assert code_of(text[:-1]) == "evaluation_canonical"
    assert code_of(b" " + text) == "evaluation_canonical"
    assert code_of(text.replace(b"too late", b"too soon")) == "evaluation_digest"
    assert code_of(b"{}\n") == "evaluation_shape"
    assert code_of(b'{"a":1,"a":1}') == "evaluation_json"
    assert code_of(b'{"a":1.5}') == "evaluation_json"
    assert code_of(b"[" * 100_000) == "evaluation_limits"
    with pytest.raises(EvaluationError) as refused:
        evaluation(load={"x": 1.5})
    assert refused.value.code == "evaluation_json"
