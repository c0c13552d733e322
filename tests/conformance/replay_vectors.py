"""Makes `vectors/replay/bundles.json`: `python -m tests.conformance.replay_vectors`, from the root, writes it anew."""

import difflib
import hashlib
import json
import re
from typing import Any

from operatebench.conformance.replay import LANGUAGE
from tests.conformance.automata import RUNTIMES
from tests.conformance.replay_runs import (
    ARTIFACT,
    EVALUATION,
    EVIDENCE,
    LEDGER,
    Run,
    canonical,
    digest,
    dropped,
    edited,
    forged_row,
    put,
    recorded,
    relisted,
    root,
    sealed,
    with_evaluation,
    with_evidence,
    with_lines,
)
from tests.support import ROOT

FILE = ROOT / "vectors" / "replay" / "bundles.json"


def folders() -> dict[str, tuple[str | None, Run]]:
    """Return name -> (base, files), in an order in which every base comes before what is based on it."""
    careful, hasty, idle = (recorded("reference", agent) for agent in ("careful", "hasty", "idle"))
    lines = careful[LEDGER].splitlines(keepends=True)
    variant = json.loads(careful["cards/variant.json"])
    variant["content"]["variant_label"] += "_again"
    variant["content_digest_sha256"] = digest(
        {"domain": variant["schema"], "schema_version": 1, "id": variant["id"], "content": variant["content"]}
    )
    swapped = {"cards/variant.json": careful["cards/operation.json"]}
    plain: dict[str, Run] = {
        # Not bundles, or other files than listed.
        "empty": {"notes.txt": "nothing\n"},
        "interrupted": {LEDGER: "".join(lines[:3])},
        "artifact_8": {**careful, ARTIFACT: '{"artifact_version":8}\n'},
        "artifact_of_another_generation": edited(careful, ARTIFACT, put("schema", value="operatebench.artifact.v10")),
        "artifact_laid_out_anew": {**careful, ARTIFACT: careful[ARTIFACT].replace(",", ", ", 1)},
        "artifact_changed": {**careful, ARTIFACT: careful[ARTIFACT].replace('"rows":5', '"rows":4')},
        "artifact_without_a_member": relisted(careful, members=json.loads(careful[ARTIFACT])["members"][1:]),
        "authorization_beside": {**careful, "authorization.json": "{}\n"},
        "file_beside": {**careful, "notes.txt": "nothing\n"},
        "member_missing": dropped(careful, "census.json"),
        "member_changed": {**careful, EVIDENCE: careful[EVIDENCE].replace("tenant", "landlo", 1)},
        "member_longer": {**careful, EVALUATION: careful[EVALUATION] + "\n"},
        "member_laid_out_anew": relisted({**careful, "census.json": careful["census.json"].replace(",", ", ", 1)}),
        # Documents that are not sound in themselves.
        "card_changed": edited(careful, "cards/variant.json", put("content", "variant_label", value="other")),
        "card_of_another_kind": relisted({**careful, **swapped}),
        "census_with_another_owner": edited(
            careful, "census.json", put("entries", 0, "owner", value="variant_content")
        ),
        "manifest_changed": edited(
            careful,
            "manifest.json",
            put("components", "arm_protocol_content", "owned_projection", "/arm/name", value="x"),
        ),
        "manifest_requires_a_version": recorded("reference", "careful", weak=True),
        "evidence_changed": edited(careful, EVIDENCE, put("outcome", "final_state", "decisions", value=5)),
        "evaluation_changed": edited(careful, EVALUATION, put("load", "decisions", value=3)),
        "ledger_row_changed": relisted({**careful, LEDGER: careful[LEDGER].replace('"minutes":60', '"minutes":61')}),
        "ledger_row_dropped": relisted({**careful, LEDGER: "".join(lines[:2] + lines[3:])}),
        "ledger_rows_swapped": relisted({**careful, LEDGER: "".join([*lines[:2], lines[3], lines[2], *lines[4:]])}),
        "ledger_row_twice": relisted({**careful, LEDGER: "".join([*lines[:3], lines[2], *lines[3:]])}),
        "ledger_without_end": relisted({**careful, LEDGER: "".join(lines[:-1])}),
        "ledger_goes_on": relisted({**careful, LEDGER: careful[LEDGER] + lines[1]}),
        "ledger_torn": relisted({**careful, LEDGER: careful[LEDGER][:-1]}),
        "ledger_with_carriage_returns": relisted({**careful, LEDGER: careful[LEDGER].replace("\n", "\r\n")}),
        "ledger_with_a_mark": relisted({**careful, LEDGER: "\ufeff" + careful[LEDGER]}),
        "ledger_with_a_blank_line": relisted({**careful, LEDGER: careful[LEDGER].replace("\n", "\n\n", 1)}),
        "ledger_not_canonical": relisted({**careful, LEDGER: careful[LEDGER].replace('":"', '": "', 1)}),
        "ledger_without_header": relisted({**careful, LEDGER: "".join(lines[1:])}),
        # Sound documents that were not written for one another.
        "other_card": relisted({**careful, "cards/variant.json": canonical(variant) + "\n"}),
        "other_card_reference": relisted(
            careful,
            card_refs={
                **json.loads(careful[ARTIFACT])["card_refs"],
                "variant": {name: variant[name] for name in ("schema", "id", "content_digest_sha256")},
            },
        ),
        "other_root": relisted(
            careful, ledger={**json.loads(careful[ARTIFACT])["ledger"], "merkle_root_sha256": "0" * 64}
        ),
        "tail_cut_and_closed_anew": with_lines(careful, lambda rows: rows.pop(-2), counted=False),
        "tail_cut_closed_and_counted_anew": with_lines(careful, lambda rows: rows.pop(-2)),
        "requirements_left_out": with_lines(careful, lambda rows: rows[0]["requirements"].pop()),
        "no_requirements": with_lines(careful, put(0, "requirements", value=[])),
        "other_variant": with_lines(careful, put(0, "selection", "variant_id", value="EARLY-QUOTE")),
        "other_trial": with_lines(careful, put(0, "selection", "trial", value=1)),
        "other_track": relisted(careful, track="lifecycle"),
        "row_of_the_ledger_alone": with_lines(careful, put(2, "body", "minutes", value=61)),
        "other_status": with_lines(careful, put(-1, "status", value="closed")),
        "other_instance": with_evidence(careful, put("operation_instance_id", value=f"opinst_{'0' * 32}")),
        "finding_beyond_the_rows": with_evaluation(careful, put("human_touches", 0, "rows", value=[5])),
        "grade_of_another_evaluator": with_evaluation(careful, put("evaluator_content_digest_sha256", value="0" * 64)),
        "class_of_the_ledger_alone": with_lines(careful, put(-1, "outcome_class", value="failure")),
        "other_plan": with_lines(careful, put(0, "selection", "plan", value="recorded")),
        "other_arm": with_lines(careful, put(0, "selection", "arm", value="other")),
        "source_is_not_of_the_plan": recorded("says_recorded", "careful"),
        # Coherent lies.
        "row_forged_everywhere": forged_row(careful),
        "class_forged": with_lines(
            with_evaluation(careful, put("outcome_class", value="failure")), put(-1, "outcome_class", value="failure")
        ),
        "grade_forged": with_evaluation(hasty, put("load", "decisions", value=1)),
        "agent_passed_off": recorded("agent_changed_its_mind", "careful"),
        "engine_passed_off": recorded("engine_takes_longer", "careful"),
        "identity_passed_off": recorded("other_evaluator_of_the_same_source", "careful"),
    }
    bases = {"grade_forged": "hasty"}
    return {
        "careful": (None, careful),
        "hasty": ("careful", hasty),
        "idle": ("careful", idle),
        "second_trial": ("careful", recorded("reference", "careful", 1)),
        "recorded": ("careful", recorded("recorded", "careful")),
        **{name: (bases.get(name, "careful"), files_) for name, files_ in plain.items()},
    }


CASES: list[tuple[str, str, str, str | None, str]] = [
    ("careful", "reference", "verified", None, ""),
    ("hasty", "reference", "verified", None, ""),
    ("idle", "reference", "verified", None, ""),
    ("second_trial", "reference", "verified", None, ""),
    ("careful", "other_evaluator", "replayed", None, ""),
    ("careful", "other_analysis", "replayed", None, ""),
    ("recorded", "recorded", "replayed", None, ""),
    ("careful", "other_engine", "consistent_only", "7", "runtime_differs"),
    ("careful", "other_spec", "consistent_only", "7", "runtime_differs"),
    ("careful", "reassigned", "consistent_only", "7", "runtime_differs"),
    ("careful", "without_the_agent", "consistent_only", "4b", "selection_unknown"),
    ("careful", "without_the_agent_of_the_same_source", "refused", "12", "impossible_for_this_source"),
    ("careful", "other_evaluator_of_the_same_source", "refused", "12", "impossible_for_this_source"),
    ("careful", "agent_changed_its_mind", "diverged", "10", "agent_differs"),
    ("careful", "engine_writes_another_row", "diverged", "10", "engine_differs"),
    ("careful", "engine_takes_longer", "diverged", "10", "engine_differs"),
    ("careful", "engine_delivers_another_event", "diverged", "10", "engine_differs"),
    ("careful", "class_has_another_name", "diverged", "10", "outcome_class_differs"),
    ("careful", "grade_is_stricter", "diverged", "11", "grade_differs"),
    ("empty", "reference", "refused", "1", "not_a_bundle"),
    ("interrupted", "reference", "refused", "1", "bundle_incomplete"),
    ("artifact_8", "reference", "refused", "1", "artifact_generation"),
    ("artifact_of_another_generation", "reference", "refused", "1", "artifact_generation"),
    ("artifact_laid_out_anew", "reference", "refused", "1", "artifact_canonical"),
    ("artifact_changed", "reference", "refused", "1", "artifact_digest"),
    ("artifact_without_a_member", "reference", "refused", "1", "artifact_members"),
    ("authorization_beside", "reference", "refused", "1", "member_unlisted"),
    ("file_beside", "reference", "refused", "1", "member_unlisted"),
    ("member_missing", "reference", "refused", "1", "file_missing"),
    ("member_changed", "reference", "refused", "1", "member_digest"),
    ("member_longer", "reference", "refused", "1", "member_size"),
    ("member_laid_out_anew", "reference", "refused", "1", "member_canonical"),
    ("card_changed", "reference", "refused", "2", "digest.stale_or_forged"),
    ("card_of_another_kind", "reference", "refused", "2", "card_not_of_role"),
    ("census_with_another_owner", "reference", "refused", "3", "census_not_derived"),
    ("manifest_changed", "reference", "refused", "4a", "component_identity"),
    ("manifest_requires_a_version", "reference", "refused", "4a", "requirement_not_exact"),
    ("evidence_changed", "reference", "refused", "9", "final_state_digest"),
    ("evaluation_changed", "reference", "refused", "6", "evaluation_digest"),
    ("ledger_row_changed", "reference", "refused", "5", "ledger_digest"),
    ("ledger_without_end", "reference", "refused", "5", "ledger_incomplete"),
    ("other_card", "reference", "refused", "6", "card_not_of_manifest"),
    ("other_card_reference", "reference", "refused", "6", "card_refs_differ"),
    ("other_root", "reference", "refused", "6", "repeated_value_differs"),
    ("tail_cut_and_closed_anew", "reference", "refused", "6", "repeated_value_differs"),
    ("tail_cut_closed_and_counted_anew", "reference", "refused", "6", "row_not_of_evidence"),
    ("requirements_left_out", "reference", "refused", "6", "requirements_not_derived"),
    ("no_requirements", "reference", "refused", "6", "requirements_not_derived"),
    ("other_variant", "reference", "refused", "6", "selection_not_of_cards"),
    ("other_trial", "reference", "refused", "6", "instance_not_derived"),
    ("other_track", "reference", "refused", "6", "repeated_value_differs"),
    ("row_of_the_ledger_alone", "reference", "refused", "6", "row_not_of_evidence"),
    ("other_status", "reference", "refused", "6", "terminal_not_of_outcome"),
    ("other_instance", "reference", "refused", "6", "instance_not_derived"),
    ("finding_beyond_the_rows", "reference", "refused", "6", "repeated_value_differs"),
    ("grade_of_another_evaluator", "reference", "refused", "6", "repeated_value_differs"),
    ("class_of_the_ledger_alone", "reference", "refused", "6", "repeated_value_differs"),
    ("other_plan", "reference", "refused", "6", "repeated_value_differs"),
    ("other_arm", "reference", "refused", "6", "repeated_value_differs"),
    ("source_is_not_of_the_plan", "reference", "refused", "6", "outcome_source_not_of_plan"),
    ("row_forged_everywhere", "reference", "diverged", "10", "engine_differs"),
    ("class_forged", "reference", "diverged", "10", "outcome_class_differs"),
    ("grade_forged", "reference", "diverged", "11", "grade_differs"),
    ("agent_passed_off", "reference", "diverged", "10", "agent_differs"),
    ("engine_passed_off", "reference", "diverged", "10", "engine_differs"),
    ("identity_passed_off", "reference", "refused", "12", "impossible_for_this_source"),
]
"""Folder, runtime, verdict, the check it rests on, and the code of its refusal."""

LEDGERS: list[tuple[str, int | None, str]] = [
    ("careful", None, ""),
    ("idle", None, ""),
    ("interrupted", None, ""),
    ("ledger_without_end", None, ""),
    ("ledger_row_changed", 3, "ledger_digest"),
    ("ledger_row_dropped", 3, "ledger_index"),
    ("ledger_rows_swapped", 3, "ledger_index"),
    ("ledger_row_twice", 4, "ledger_index"),
    ("ledger_goes_on", 8, "ledger_after_terminal"),
    ("ledger_torn", 7, "ledger_torn_line"),
    ("ledger_with_carriage_returns", 1, "ledger_carriage_return"),
    ("ledger_with_a_mark", 1, "ledger_byte_order_mark"),
    ("ledger_with_a_blank_line", 2, "ledger_blank_line"),
    ("ledger_not_canonical", 1, "ledger_canonical"),
    ("ledger_without_header", 1, "document_kind"),
]
"""Folder, and line and code with which its ledger is refused; None if it is whole, or a whole beginning."""

REGRADES: list[tuple[str, str, str]] = [
    ("careful", "reference", ""),
    ("careful", "other_evaluator", ""),
    ("grade_forged", "reference", ""),
    ("careful", "other_engine", "runtime_differs"),
    ("careful", "engine_writes_another_row", "engine_differs"),
    ("row_forged_everywhere", "reference", "engine_differs"),
    ("identity_passed_off", "reference", "impossible_for_this_source"),
    ("member_changed", "reference", "member_digest"),
]
"""Folder, runtime, and the code with which it may not grade the run again; none if it may."""


def cases(made: dict[str, tuple[str | None, Run]]) -> list[dict[str, Any]]:
    """Return all cases."""
    artifact = json.loads(made["careful"][1][ARTIFACT])
    digests = {
        "artifact": artifact["artifact_digest_sha256"],
        "manifest": artifact["identity_manifest_digest_sha256"],
        "evidence": artifact["runtime_evidence_digest_sha256"],
    }
    plain = {"kind": "bundle", "folder": "careful", "runtime": "reference"}
    return [
        *(
            {
                "kind": "bundle",
                "name": f"{folder} by {runtime}",
                "folder": folder,
                "runtime": runtime,
                "expect": expected,
            }
            for folder, runtime, verdict, check, code in CASES
            for expected in [{"verdict": verdict, "check": check, "code": code}]
        ),
        *(
            {
                **plain,
                "name": f"careful, {name} expected",
                "expected_digest": digest_,
                "expect": {"verdict": "verified"},
            }
            for name, digest_ in digests.items()
        ),
        {
            **plain,
            "name": "careful, another digest expected",
            "expected_digest": "0" * 64,
            "expect": {"verdict": "refused", "check": "0", "code": "expected_digest_differs"},
        },
        *(
            {
                "kind": "ledger",
                "name": f"ledger of {folder}",
                "folder": folder,
                "expect": ledger(made[folder][1], line, code),
            }
            for folder, line, code in LEDGERS
        ),
        *(
            {
                "kind": "regrade",
                "name": f"regrade of {folder} by {runtime}",
                "folder": folder,
                "runtime": runtime,
                "expect": regraded(made[folder][1], runtime) if not code else {"verdict": "refused", "code": code},
            }
            for folder, runtime, code in REGRADES
        ),
    ]


def ledger(run_: Run, line: int | None, code: str) -> dict[str, Any]:
    """Return what reading a ledger must come to, computed here."""
    if line is not None:
        return {"verdict": "refused", "line": line, "code": code}
    lines = [json.loads(text) for text in run_[LEDGER].splitlines()]
    rows = [each["row_digest_sha256"] for each in lines if each["record"] == "row"]
    return {
        "verdict": "complete" if lines[-1]["record"] == "terminal" else "incomplete",
        "rows": len(rows),
        "head_digest_sha256": lines[-1]["row_digest_sha256"],
        "merkle_root_sha256": root([hashlib.sha256(b"\0" + bytes.fromhex(row)).digest() for row in rows]),
    }


def regraded(run_: Run, runtime: str) -> dict[str, Any]:
    """Return the regrade of a run of the careful agent or the hasty one: what that runtime itself would have graded."""
    agent = json.loads(run_[LEDGER].splitlines()[0])["selection"]["agent_id"]
    evaluation = json.loads(recorded(runtime, agent)[EVALUATION])
    regrade = {
        "schema": "operatebench.regrade.v1",
        "schema_version": 1,
        "artifact_digest_sha256": json.loads(run_[ARTIFACT])["artifact_digest_sha256"],
        "old_evaluator_content_digest_sha256": json.loads(run_[EVALUATION])["evaluator_content_digest_sha256"],
        "new_evaluator_content_digest_sha256": evaluation["evaluator_content_digest_sha256"],
        "evaluation": evaluation,
    }
    digest_ = sealed("regrade.v1", "regrade_digest_sha256", regrade)["regrade_digest_sha256"]
    return {"verdict": "regraded", "regrade_digest_sha256": digest_}


def changes(base: Run, run_: Run) -> dict[str, Any]:
    """Return a folder as what is different from its base: short places where they are few, else whole files."""
    splices = {path: spliced(base[path], text) for path, text in run_.items() if path in base and base[path] != text}
    long = {path for path, parts in splices.items() if sum(len(part["text"]) + 40 for part in parts) > len(run_[path])}
    whole = {path: text for path, text in run_.items() if path not in base or path in long}
    gone = dict.fromkeys(base.keys() - run_.keys())
    return {
        "splices": {path: parts for path, parts in sorted(splices.items()) if path not in long},
        "files": dict(sorted({**whole, **gone}.items())),
    }


def spliced(old: str, new: str) -> list[dict[str, Any]]:
    before, after = (re.findall(r"[^,]+|,", text) for text in (old, new))
    places = [0]
    for token in before:
        places.append(places[-1] + len(token))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        {"start": places[i1], "end": places[i2], "text": "".join(after[j1:j2])}
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def document() -> dict[str, Any]:
    """Return the whole file."""
    made = folders()
    rows = cases(made)
    return {
        "vectors": LANGUAGE,
        "about": "Run bundles and ledgers of small automata, and what must be said of them.",
        "runtimes": RUNTIMES,
        "folders": {
            name: {"files": run_} if base is None else {"base": base, **changes(made[base][1], run_)}
            for name, (base, run_) in made.items()
        },
        "count": len(rows),
        "cases": rows,
    }


def render(value: Any) -> bytes:
    """Return the bytes of the file: one line for each runtime, folder and case."""
    parts = {name: json.dumps(part, ensure_ascii=False) for name, part in value.items()}
    for name in ("runtimes", "folders"):
        inner = (f"    {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}" for key, part in value[name].items())
        parts[name] = "{\n" + ",\n".join(inner) + "\n  }"
    parts["cases"] = "[\n" + ",\n".join(f"    {json.dumps(case)}" for case in value["cases"]) + "\n  ]"
    return ("{\n" + ",\n".join(f'  "{name}": {text}' for name, text in parts.items()) + "\n}\n").encode()


if __name__ == "__main__":
    FILE.write_bytes(render(document()))
