"""Episodes that tests look at: each is run once in a test process."""

import hashlib
import json
from functools import cache
from typing import Any

from operatebench.tracks.lifecycle import EpisodeRecord, packaged_spec, parse_episode, run_one
from operatebench.tracks.lifecycle.form import SELF_DIGEST


@cache
def text_of(variant_id: str, agent_id: str, trial: int = 0) -> bytes:
    """Return the file of an episode."""
    spec = packaged_spec()
    return EpisodeRecord.of(spec, run_one(spec, variant_id, agent_id, trial)).to_bytes()


def document_of(variant_id: str, agent_id: str) -> Any:
    """Return the document in the file of an episode, for tests to change."""
    return json.loads(text_of(variant_id, agent_id))


def record_of(variant_id: str, agent_id: str) -> EpisodeRecord:
    """Return an episode as it is read."""
    return parse_episode(text_of(variant_id, agent_id))


def canonical(value: Any) -> bytes:
    """Return canonical JSON by other means than those of the package."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def sha256(value: Any) -> str:
    """Return the digest of a value by other means than those of the package."""
    return hashlib.sha256(canonical(value)).hexdigest()


def sealed(document: Any) -> bytes:
    """Return the file of a changed document with every digest in it made right again."""
    outcome, tape = document["outcome"], document["decision_tape"]
    for holder, name in ((outcome, "final_state"), (outcome, "trajectory"), (tape, "decisions")):
        holder[f"{name}_digest_sha256"] = sha256(holder[name])
    rest = {name: value for name, value in document.items() if name != SELF_DIGEST}
    wrapper = {"domain": "operatebench.digest.episode.v1", "schema": "operatebench.episode.v1", "content": rest}
    return canonical({**rest, SELF_DIGEST: sha256(wrapper)}) + b"\n"
