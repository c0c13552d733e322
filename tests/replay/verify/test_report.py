"""What a report says is safe to print, whatever the bundle said."""

import pytest

from operatebench.replay.verify.report import CheckResult, State
from operatebench.replay.verify.reproduction import Divergence

HOSTILE = "\x1b[2J\u202e\n" + "x" * 10_000


@pytest.mark.parametrize(
    "wire",
    [
        CheckResult("2", "cards", State.PASSED, HOSTILE).to_wire(),
        Divergence("row", 1, f"/{HOSTILE}", HOSTILE, HOSTILE).to_wire(),
        {"place": Divergence("row", 1, f"/{HOSTILE}", "", "").place},
    ],
)
def test_texts_of_a_bundle_are_escaped_and_cut(wire: dict[str, object]) -> None:
    texts = [text for text in wire.values() if isinstance(text, str)]

    assert all(text.isprintable() and len(text) < 1_000 for text in texts)
