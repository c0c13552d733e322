"""``operatebench check-maintenance``: whether the evaluator tells the reference from everything that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from .options import JsonOption, ending
from .output import Exit, Reply
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle.gate import Check


def check_maintenance(*, as_json: JsonOption = False) -> int:
    """Run the gate of the Maintenance operation.

    The reference agent, and whoever decides like it, must be reliable in every variant. Every control, and every forged
    record, must be rejected for exactly the dimensions and findings that its author wrote down, and for nothing else.
    Each dimension must be failed by one of them, and no two for the same reasons.
    """

    def work(reply: Reply) -> Exit:
        from ..cards.authoring.words import listed, table
        from ..tracks.lifecycle import check_gate

        with Progress("cases", wanted=not as_json) as progress:
            report = check_gate(progress.show)
        reply.data(
            *table(
                (
                    (
                        "FAIL" if check.deviations else "OK",
                        check.case.name,
                        "reliable"
                        if check.evaluation.reliable
                        else f"fails {listed(check.evaluation.failed_dimensions)}",
                    )
                    for check in report.checks
                ),
                "",
            )
        )
        reply.verdict(*(f"DEVIATION: {each}" for each in report.deviations))
        if not report.deviations:
            reply.verdict(f"OK: {len(report.checks)} cases, each graded as it must be")
        return reply.end(
            Exit.NO if report.deviations else Exit.YES,
            deviations=list(report.deviations),
            checks=[_json(check) for check in report.checks],
        )

    return Reply("check-maintenance", as_json).give(work)


def _json(check: Check) -> dict[str, Any]:
    case, evaluation = check.case, check.evaluation
    return {
        "case": case.name,
        "variant_id": case.variant_id,
        "expected": {
            "failed_dimensions": list(case.failed_dimensions),
            "finding_codes": list(case.finding_codes),
        },
        "reliable": evaluation.reliable,
        "outcome_class": evaluation.outcome_class,
        "failed_dimensions": list(evaluation.failed_dimensions),
        "finding_codes": list(evaluation.finding_codes),
        "deviations": list(check.deviations),
    }


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "check-maintenance",
        epilog=ending(
            "check-maintenance",
            yes="the gate is passed",
            no="it is not; one line for each deviation",
            refused="a packaged document was refused: reinstall the package",
        ),
    )(check_maintenance)
