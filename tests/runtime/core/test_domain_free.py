"""The core knows no word of any domain, and imports only what lies below it."""

import ast
import re
import tokenize
from pathlib import Path

import pytest

from operatebench.runtime import core
from operatebench.runtime.core.rows import ROW_TYPES

MODULES = sorted(Path(next(iter(core.__path__))).glob("*.py"))

WORDS = {
    "amount", "approval", "approve", "approver", "assertion", "attendance", "authorise", "billing", "contractor",
    "correction", "currency", "customer", "diagnostic", "handover", "invoice", "landlord", "leak", "licence",
    "maintenance", "money", "ownership", "payment", "plumber", "price", "provider", "quote", "quoting", "rent",
    "repair", "scope", "settlement", "supplier", "tenant", "threshold", "triage", "validation", "vat", "visit",
    "warranty",
}  # fmt: skip
"""Single words, as they stand between underscores, hyphens, spaces and capitals."""

ACTIONS = {
    "authorise_supplier_work", "request_approval", "request_exception_resolution", "request_invoice_validation",
    "request_payment", "request_supplier_correction", "request_supplier_visit", "send_message", "take_ownership",
    "message_delivered", "message_failed", "dispatch_retry_due", "obligation_due", "approval_deadline_due",
    "operator_exception_resolved", "customer_issue_reported", "customer_resolution_reported",
    "exception_deadline_due", "provisional_close",
}  # fmt: skip


def texts(path: Path) -> list[str]:
    """Return every identifier, string and comment of a module."""
    with path.open("rb") as stream:
        wanted = (tokenize.NAME, tokenize.STRING, tokenize.COMMENT)
        return [token.string for token in tokenize.tokenize(stream.readline) if token.type in wanted]


def words(text: str) -> set[str]:
    return set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()))


def plural(word: str) -> set[str]:
    return {word, word + "s", word + "ed", word + "ing"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_domain_word_stands_in_identifiers_strings_or_comments(path: Path) -> None:
    forbidden = set().union(*map(plural, WORDS))
    named_below = "IdentityValidationError"
    found = [(text, sorted(words(text) & forbidden)) for text in texts(path) if text != named_below]
    assert [pair for pair in found if pair[1]] == []
    lowered = path.read_text(encoding="utf-8").lower()
    assert [name for name in ACTIONS if name in lowered] == []


def test_the_scan_would_find_one() -> None:
    assert words("requestQuote, the Tenant's 'work-evidence'") >= {"quote", "tenant"}
    assert len(MODULES) > 20


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_the_core_imports_only_itself_errors_and_identity(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            top = (node.module or "").split(".")[0]
            assert node.level == 1 or (node.level == 3 and top in ("errors", "identity"))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            allowed = {"__future__", "collections", "dataclasses", "datetime", "enum", "hashlib", "heapq", "orjson"}
            assert {name.split(".")[0] for name in names} <= allowed | {"types", "typing"}


def test_nothing_reads_a_clock_the_environment_or_chance() -> None:
    for path in MODULES:
        for text in texts(path):
            assert text not in (
                "now_utc",
                "today",
                "utcnow",
                "time",
                "environ",
                "getenv",
                "random",
                "uuid",
                "secrets",
                "sleep",
            )


def test_row_types_are_words_of_their_own() -> None:
    assert len(ROW_TYPES) == len({name.lower() for name in ROW_TYPES})
    for fields in ROW_TYPES.values():
        assert len(set(fields)) == len(fields)
        assert not {"index", "at", "record_type"} & set(fields)
