"""Holds the figures' arithmetic, registration and printed forms to what docs/performance.md says; nothing is timed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import __main__ as command
from benchmarks import figures, hostile, measure, report
from benchmarks.catalogue import FIGURES
from benchmarks.figures import Figure, Measurement, at_least, at_most, figure
from benchmarks.manifests import largest_rise
from benchmarks.samples import Sample
from operatebench.identity import recompute_component

SAMPLE = Sample("two zeros", b"[0,0]", 3, 0.0)


def measurement(*ratios: float) -> Measurement:
    ours = tuple(ratio * 2.0 for ratio in ratios)
    return Measurement("doing nothing", ratios, ours, (2.0,) * len(ratios), samples=(SAMPLE,), details={"extra": 1.5})


def fake(name: str, *ratios: float, bound: float = 2.0) -> Figure:
    return Figure(name, f"What {name} is.", at_most(bound), len(ratios), lambda _: measurement(*ratios))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the table by two figures whose times are known, the first of them met and the second short."""
    made = {"fast": fake("fast", 1.0, 9.0, 1.5), "slow-one": fake("slow-one", 3.0, 2.5, 0.1)}
    monkeypatch.setattr(command, "FIGURES", made)


def test_the_ratio_is_the_median_of_the_rounds_and_not_the_quotient_of_the_medians() -> None:
    seen = Measurement("r", ratios=(1.0, 2.0, 10.0), ours=(1.0, 8.0, 10.0), theirs=(1.0, 4.0, 1.0))
    assert seen.ratio == 2.0


def test_the_spread_is_the_distance_of_the_quartiles_by_the_ratio() -> None:
    assert measurement(1.0, 2.0, 3.0, 4.0, 5.0).spread == pytest.approx(2 / 3)
    assert measurement(1.0).spread == 0.0


@pytest.mark.parametrize(
    ("target", "ratio", "met", "text"),
    [
        (at_most(2.3), 2.3, True, "<= 2.3"),
        (at_most(2.3), 2.31, False, "<= 2.3"),
        (at_least(25), 25.0, True, ">= 25"),
        (at_least(25), 24.9, False, ">= 25"),
    ],
)
def test_targets_are_inclusive(target: figures.Target, ratio: float, met: bool, text: str) -> None:
    assert target.met_by(ratio) is met
    assert str(target) == text


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    empty: dict[str, Figure] = {}
    monkeypatch.setattr(figures, "FIGURES", empty)
    return empty


def test_decorating_a_function_registers_a_figure(registry: dict[str, Figure]) -> None:
    def measure_named(rounds: int) -> Measurement:
        return measurement(*[1.0] * rounds)

    measure_named.__doc__ = "Say what\n    it is.\n\n    More."
    named = figure("named", at_most(3), rounds=7)(measure_named)

    assert registry == {"named": named}
    assert (named.about, named.target, named.rounds) == ("Say what it is.", at_most(3), 7)
    assert len(named.measure(4).ratios) == 4


def test_a_name_is_given_once_and_a_figure_says_what_it_is(registry: dict[str, Figure]) -> None:
    def silent(_: int) -> Measurement:
        return measurement(1.0)

    with pytest.raises(ValueError, match="has no docstring"):
        figure("silent", at_most(1), rounds=1)(silent)
    silent.__doc__ = "Said."
    figure("silent", at_most(1), rounds=1)(silent)
    with pytest.raises(ValueError, match="two figures are named silent"):
        figure("silent", at_most(1), rounds=1)(silent)
    assert list(registry) == ["silent"]


def test_the_table_has_every_figure_of_the_foundation_with_its_target() -> None:
    targets = {name: str(entry.target) for name, entry in FIGURES.items() if not name.startswith("hostile-")}
    assert targets == {
        "admission": "<= 3",
        "card-check-2000": "<= 1.3",
        "cards-chain-vs-json": "<= 6",
        "cards-chain-vs-jsonschema": ">= 30",
        "episode-graded": "<= 12",
        "episode-growth": "<= 1.3",
        "episode-run": "<= 8",
        "evaluation-growth": "<= 1.3",
        "ledger-append": "<= 2",
        "ledger-memory": "<= 40",
        "ledger-verify-1m": "<= 2",
        "manifest-linear": "<= 2",
        "manifest-memory": "<= 10",
        "manifest-near-limit": "<= 4",
        "manifest-text-300k": ">= 25",
        "matrix-two-workers": ">= 1.8",
        "parse-300k-episodes": "<= 2.3",
        "parse-300k-indented": "<= 2.3",
        "parse-300k-integers": "<= 2.3",
        "parse-300k-manifest": "<= 2.3",
        "parse-4m-episodes": "<= 2.3",
        "parse-4m-indented": "<= 2.3",
        "parse-4m-manifest": "<= 2.3",
        "clean-tree": "<= 2",
        "source-identity": "<= 1.5",
        "verify": "<= 2",
        "verify-memory": "<= 1.1",
        "verify-two-workers": ">= 1.8",
        "start": "<= 1.25",
    }
    hostile_targets = {str(entry.target) for name, entry in FIGURES.items() if name.startswith("hostile-")}
    assert hostile_targets == {"<= 2"}
    assert list(FIGURES) == sorted(FIGURES)
    assert FIGURES["start"].rounds >= 15


@pytest.mark.usefixtures("table")
def test_one_aligned_line_a_figure_and_2_when_one_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == "fast         1.50     <= 2  ok\nslow-one     2.50     <= 2  short\n"
    assert printed.err == ""  # no terminal, no progress


@pytest.mark.usefixtures("table")
def test_only_the_named_or_matching_figures_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "fast"]) == 0
    assert capsys.readouterr().out == "fast     1.50     <= 2  ok\n"
    assert command.main(["--only", "slow-*", "--only", "f*"]) == 2
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["fast", "slow-one"]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("words", [["--only", "none"], ["--rounds", "0"], ["--rounds", "x"], ["--unknown"]])
def test_wrong_usage_is_64(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(words)
    assert stop.value.code == 64
    assert capsys.readouterr().out == ""


def test_rounds_replace_every_figures_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def measured(rounds: int) -> Measurement:
        asked.append(rounds)
        return measurement(1.0)

    monkeypatch.setattr(command, "FIGURES", {"one": replace(fake("one", 1.0), measure=measured, rounds=9)})
    command.main([])
    command.main(["--rounds", "3"])
    assert asked == [9, 3]


@pytest.mark.usefixtures("table")
def test_the_list_says_what_every_figure_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out == "fast  <= 2  What fast is.\nslow-one  <= 2  What slow-one is.\n"


@pytest.mark.usefixtures("table")
def test_json_has_everything_that_was_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--json"]) == 2
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(printed) == {"machine", "figures"}
    assert printed["figures"][0] == {
        "name": "fast",
        "about": "What fast is.",
        "ratio": 1.5,
        "bound": "at most",
        "target": 2.0,
        "ok": True,
        "reference": "doing nothing",
        "rounds": 3,
        "unit": "ms",
        "ours_median": 3.0,
        "reference_median": 2.0,
        "spread": 2.6667,
        "ratios": [1.0, 9.0, 1.5],
        "details": {"extra": 1.5},
        "samples": [{"shape": "two zeros", "bytes": 5, "nodes": 3, "non_ascii_text": 0.0}],
    }
    assert printed["figures"][1]["ok"] is False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make our side take 60 ms and the other side 30 ms, and list who was timed."""
    calls: list[str] = []

    def time_ms(side: Any, repeats: int = 1) -> float:
        calls.append(f"{side()} {repeats}")
        return {"ours": 60.0, "theirs": 30.0}[side()]

    monkeypatch.setattr(measure, "time_ms", time_ms)
    return calls


def compared(**options: Any) -> Measurement:
    return measure.compare(lambda: "ours", lambda: "theirs", reference="r", rounds=2, samples=(SAMPLE,), **options)


def test_rounds_are_interleaved_and_the_first_side_changes(clock: list[str]) -> None:
    seen = compared()
    assert (seen.ratios, seen.ours, seen.theirs) == ((2.0, 2.0), (60.0, 60.0), (30.0, 30.0))
    assert clock == ["ours 1", "theirs 1", "ours 1", "theirs 1", "theirs 1", "ours 1"]  # warm-up, then two rounds


@pytest.mark.usefixtures("clock")
def test_the_floor_stands_in_for_a_quick_reference_and_inverting_counts_times_faster() -> None:
    assert compared(floor_ms=120.0).ratio == 0.5
    assert compared(floor_ms=1.0).ratio == 2.0
    assert compared(inverted=True).ratio == 0.5


def test_the_rise_is_from_any_size_to_any_larger_one() -> None:
    assert largest_rise([30.0, 20.0, 16.0, 24.0, 18.0]) == (1.5, 16.0, 24.0)
    assert largest_rise([30.0, 20.0, 10.0]) == (20.0 / 30.0, 30.0, 20.0)
    assert largest_rise([1.0, 10.0, 100.0]) == (100.0, 1.0, 100.0)


def test_a_hostile_input_must_be_refused_with_its_code() -> None:
    hostile.refuses(lambda: recompute_component("unknown", {}, []), "name")()
    with pytest.raises(AssertionError, match="refused with name, not strict_json"):
        hostile.refuses(lambda: recompute_component("unknown", {}, []), "strict_json")
    with pytest.raises(AssertionError, match="not refused"):
        hostile.refuses(lambda: recompute_component("card_schema_content", {}, []), "name")


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    command._progress("1/2 fast")
    assert capsys.readouterr().err == "\r\x1b[K1/2 fast"


def test_report_lines_align_across_kinds_of_target() -> None:
    lines = [
        report.line(fake("a", 1.0, bound=2.3), measurement(1.0), 8),
        report.line(replace(fake("longer-b", 1.0), target=at_least(25)), measurement(30.123), 8),
    ]
    assert lines == ["a            1.00   <= 2.3  ok", "longer-b    30.12    >= 25  ok"]
