"""Makes a forged copy of a run bundle, as somebody would who wants to be believed; the demonstration verifies them.

Usage: python forge.py KIND RUN COPY, where KIND is row, tail, policy or decision.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from operatebench.cli.surroundings import writer_of
from operatebench.replay.ledger import LedgerWriter, open_ledger
from operatebench.tracks.lifecycle import (
    AGENTS,
    MaintenanceRuntime,
    TapeAgent,
    keep_run,
    load_spec,
    packaged_spec_text,
    read_episode,
)

AMOUNT, LOWER = "approval_threshold_minor: 25000", "approval_threshold_minor: 15000"
TAIL = 40


def change_row(run: Path, copy: Path) -> None:
    """Change one word in one row of the ledger. Nothing is sealed anew."""
    shutil.copytree(run, copy)
    ledger = copy / "ledger.ndjson"
    ledger.write_bytes(ledger.read_bytes().replace(b'"agent_invoked"', b'"agent_invoker"', 1))


def cut_tail(run: Path, copy: Path) -> None:
    """Leave out the last rows, and end the ledger anew: its chain, its root and its terminal line are sound."""
    shutil.copytree(run, copy)
    ledger = copy / "ledger.ndjson"
    with open_ledger(ledger) as reader:
        header, rows = reader.header, list(reader)
        terminal = reader.summary().require_complete()
    ledger.unlink()
    with LedgerWriter(ledger, header) as writer:
        for row in rows[:-TAIL]:
            writer.append(row.at, row.record_type, row.body)
        writer.finish(
            status=terminal.status,
            outcome_class=terminal.outcome_class,
            final_state_digest_sha256=terminal.final_state_digest_sha256,
            trajectory_digest_sha256=terminal.trajectory_digest_sha256,
        )


def change_policy(run: Path, copy: Path) -> None:
    """Run it under another policy, cards and all, and say that it was the packaged one. Everything is coherent."""
    text = packaged_spec_text().decode()
    if text.count(AMOUNT) != 1:
        raise SystemExit("the packaged policy has another amount")
    changed = copy.with_suffix(".yaml")
    changed.write_text(text.replace(AMOUNT, LOWER), "utf-8")
    keep_run(MaintenanceRuntime(load_spec(changed)), read_episode(run).selection, copy, writer_of(MaintenanceRuntime()))


def swap_decision(run: Path, copy: Path) -> None:
    """Exchange two decisions of the agent, carry them out honestly, and seal what comes of it."""
    episode = read_episode(run)
    decisions = list(episode.decision_tape["decisions"])
    decisions[4], decisions[5] = decisions[5], decisions[4]
    agents = {**AGENTS, episode.selection.agent_id: lambda: TapeAgent(decisions)}
    keep_run(MaintenanceRuntime(agents=agents), episode.selection, copy, writer_of(MaintenanceRuntime()))


KINDS = {"row": change_row, "tail": cut_tail, "policy": change_policy, "decision": swap_decision}

if __name__ == "__main__":
    kind, source, target = sys.argv[1:]
    KINDS[kind](Path(source), Path(target))
