"""``operatebench.evaluation.v1``: a grade in a form that knows no domain, sealed (replay contract, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson

from ..cards.form import require_form
from ..errors import EvaluationError
from ..identity.admission import admit
from ..identity.boundary import public
from ..identity.canonical import Canonical
from ..identity.labels import labelled_digest
from ..identity.resources import PinnedResource
from ..identity.strictjson import parse_json
from .evidence.contract import EVIDENCE_PROFILE
from .profile import coded

EVALUATION_SCHEMA = "operatebench.evaluation.v1"
EVALUATION_SCHEMA_VERSION = 1
SELF_DIGEST = "evaluation_digest_sha256"
"""The digest that an evaluation carries of itself, over all other members."""

EVALUATION_RESOURCE = PinnedResource(
    "schemas", "evaluation-v1.schema.json", "309ba814a632f2e261faca6d0ae5723c350bedf18449aa922d6f44d8028e8048"
)

EVALUATION_PROFILE = coded(EVIDENCE_PROFILE, EvaluationError, "evaluation")
"""The rules of evidence, with codes of its own."""

_AT = "evaluation#"
_refusal = partial(EvaluationError.found, "evaluation_shape")


@public
def seal_evaluation(grade: Mapping[str, Any], *, evaluator_digest: str, analysis_digest: str) -> dict[str, Any]:
    """Return a grade as an evaluation, made of objects that nobody else holds.

    Args:
        grade: ``vector``, ``findings``, ``human_touches``, ``opportunities``, ``load`` and ``outcome_class``, and
            nothing else.
        evaluator_digest: content digest of the evaluator component.
        analysis_digest: content digest of the analysis component.

    Raises:
        EvaluationError: ``evaluation_json``, ``evaluation_limits`` or ``evaluation_shape``.
    """
    parts = {
        **grade,
        "schema": EVALUATION_SCHEMA,
        "schema_version": EVALUATION_SCHEMA_VERSION,
        "evaluator_content_digest_sha256": evaluator_digest,
        "analysis_content_digest_sha256": analysis_digest,
        SELF_DIGEST: "0" * 64,
    }
    evaluation = orjson.loads(bytes(admit(parts, EVALUATION_PROFILE, at=_AT).canonical))
    require_form(evaluation, _AT, _refusal, EVALUATION_RESOURCE)
    evaluation[SELF_DIGEST] = evaluation_digest(evaluation)
    return dict(evaluation)


@public
def parse_evaluation(text: bytes) -> dict[str, Any]:
    """Read an evaluation from the bytes of its file: canonical JSON and one line feed.

    Raises:
        EvaluationError: the first rule it breaks: strict JSON, form, canonical form, digest.
    """
    admitted = parse_json(text, EVALUATION_PROFILE, at=_AT)
    require_form(admitted.value, _AT, _refusal, EVALUATION_RESOURCE)
    if bytes(admitted.canonical) + b"\n" != text:
        expected = "canonical JSON and one line feed"
        raise EvaluationError("evaluation_canonical", path=_AT, expected=expected, actual="other bytes")
    evaluation: dict[str, Any] = admitted.value
    digest = evaluation_digest(evaluation)
    if evaluation[SELF_DIGEST] != digest:
        raise EvaluationError.found("evaluation_digest", f"{_AT}/{SELF_DIGEST}", digest, evaluation[SELF_DIGEST])
    return evaluation


def canonical_evaluation(value: Mapping[str, Any]) -> Canonical:
    """Return an evaluation, or what holds one, in canonical form.

    Raises:
        EvaluationError: ``evaluation_json`` or ``evaluation_limits``.
    """
    return admit(value, EVALUATION_PROFILE, at=_AT).canonical


def evaluation_bytes(evaluation: Mapping[str, Any]) -> bytes:
    """Return the file of an evaluation: canonical JSON and one line feed."""
    return bytes(canonical_evaluation(evaluation)) + b"\n"


def evaluation_digest(evaluation: Mapping[str, Any]) -> str:
    """Return the digest that an evaluation should carry (replay contract, section 1)."""
    content = {name: value for name, value in evaluation.items() if name != SELF_DIGEST}
    return labelled_digest("evaluation.v1", canonical_evaluation(content))
