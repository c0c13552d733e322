"""Every leaf, key and container of the shipped spec, changed one at a time, is refused where it stands."""

import re

import pytest

from operatebench.errors import SpecError, pointer
from operatebench.runtime.maintenance.spec.yaml import Document
from tests.runtime.maintenance.spec.edits import MISSING, Steps, edited, is_leaf, place, shipped, values

SECTIONS = list(shipped().value)
EVENT = r"(opening|variants/V\d/events)/\d+"

FREE_TEXT = re.compile(
    "|".join(
        (
            # Words for people, and names that only have to be names.
            r"/operation/(operation_id|semantic_scenario_id|disclaimer)",
            r"/provenance",
            r"/human_budget/guidance",
            r"/message_fixtures/\w+/text",
            r"/surface_fixtures/\w+",
            r"/retrieval/(record_suffix|catalogue/\w+/(source|schema_id))",
            r"/actions/\w+/(guidance/\w+|evidence/\d+/name)",
            r"/(checkpoints/\w+/rule|obligations/\w+/statement|terminals/\w+/condition|critical_failures/\w+)",
            r"/invariants/\d/(invariant_id|statement)",
            r"/variants/V\d/(label|expected_event_rejections/\d/reason)",
            # Nothing else names the second channel.
            r"/channels/1/channel",
            # Ids of the story: nothing but the story knows them. Two events are named as ones to be refused.
            rf"/(?!variants/(V1/events/10|V3/events/0)/){EVENT}/event_id",
            rf"/{EVENT}/payload/(\w+_id|assertion|scope)",
            rf"/{EVENT}/trigger/correlation/(cycle_id|invoice_id|quote_id)",
            # What a card leaves to its author; of sets, the member that may become the last.
            r"/semantic_scenario/(construct_label|common_estimand_id)",
            r"/semantic_scenario/causal_graph/nodes/\d+/semantic_type",
            r"/semantic_scenario/common_outcome_obligations/\d/predicate_id",
            r"/semantic_scenario/allowed_variant_dimensions/4/dimension_id",
            r"/semantic_scenario/authored_hazards/3/expected_common_finding_code",
            r"/semantic_scenario/.*/right/value",
        )
    )
)

REMOVABLE = re.compile(
    "|".join(
        (
            r"/actions/\w+/guidance/\w+",
            r"/actions/\w+/evidence/\d/when",
            r"/actions/\w+/reads/\w+",
            rf"/{EVENT}/trigger/correlation/\w+",
            # Two events show it.
            r"/variants/V[23]/events/1/surface_fixture_id",
        )
    )
)

READ_FOR_EVIDENCE = re.compile(
    r"/actions/((authorise_supplier_work|request_exception_resolution)/reads/list_checkpoints"
    r"|request_exception_resolution/reads/list_billing"
    r"|request_(invoice_validation|payment)/reads/\w+)"
)


@pytest.fixture(scope="module")
def document() -> Document:
    return shipped()


def of_section(document: Document, section: str) -> list[tuple[Steps, object]]:
    return [((section, *steps), value) for steps, value in values(document.value[section])]


def wrong_types(steps: Steps, value: object) -> tuple[object, ...]:
    if steps[0] == "semantic_scenario" and steps[-1] == "value":
        return ([],)  # a literal of a predicate is any scalar
    if steps[0] == "semantic_scenario" and not is_leaf(value):
        return ()  # the card's own tests do that
    if isinstance(value, str):
        return (7,)
    return ("x",)


def may_be_missing(document: Document, steps: Steps) -> bool:
    if steps[-2] == "payload":
        event = document.value
        for step in steps[:-2]:
            event = event[step]
        return steps[-1] in document.value["events"][event["event_type"]]["optional"]
    at = pointer(*steps)
    return bool(REMOVABLE.fullmatch(at)) and not READ_FOR_EVIDENCE.fullmatch(at)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_value_of_a_wrong_type_is_refused_where_it_stands(document: Document, section: str) -> None:
    for steps, value in of_section(document, section):
        for wrong in wrong_types(steps, value):
            refusal = edited(document, steps, wrong)
            assert refusal is not None, (pointer(*steps), wrong)
            assert refusal.path == place(document, *steps)
            assert refusal.expected
            assert refusal.actual


@pytest.mark.parametrize("section", SECTIONS)
def test_an_unknown_word_is_refused_unless_the_text_is_free(document: Document, section: str) -> None:
    for steps, value in of_section(document, section):
        if isinstance(value, str):
            unknown = "ZZ_UNKNOWN" if value.isupper() else "zz_unknown"
            refusal = edited(document, steps, unknown)
            assert (refusal is None) == bool(FREE_TEXT.fullmatch(pointer(*steps))), (pointer(*steps), refusal)
            if refusal:
                _require_place(document, refusal)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_key_more_is_refused_at_its_own_place(document: Document, section: str) -> None:
    for steps, value in of_section(document, section):
        if isinstance(value, dict):
            refusal = edited(document, (*steps, "zz_extra"), "x")
            assert refusal is not None, pointer(*steps)
            line = document.lines[pointer(*steps)]
            assert refusal.path == f"maintenance.yaml:{line} {pointer(*steps)}/zz_extra"


@pytest.mark.parametrize("section", SECTIONS)
def test_a_key_less_is_refused_where_it_is_missed(document: Document, section: str) -> None:
    for steps, value in of_section(document, section):
        if not isinstance(value, dict):
            continue
        for key in list(value):
            at = pointer(*steps, key)
            refusal = edited(document, (*steps, key), MISSING)
            removable = may_be_missing(document, (*steps, key))
            assert (refusal is None) == removable, (at, refusal)
            if refusal:
                _require_place(document, refusal)
            if refusal and refusal.code == "missing_key":
                assert refusal.path == f"maintenance.yaml:{document.lines[pointer(*steps)]} {at}"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_needed(document: Document, section: str) -> None:
    refusal = edited(document, (section,), MISSING)
    assert refusal is not None
    assert (refusal.code, refusal.path) == ("missing_key", f"maintenance.yaml:7 /{section}")


def test_another_section_is_refused(document: Document) -> None:
    refusal = edited(document, ("zz_extra",), "x")
    assert refusal is not None
    assert (refusal.code, refusal.path, refusal.actual) == ("unknown_key", "maintenance.yaml:7 /zz_extra", '"zz_extra"')


def test_the_shipped_spec_has_leaves_of_every_kind(document: Document) -> None:
    kinds = {type(value) for _, value in values(document.value) if is_leaf(value)}
    assert kinds == {str, int, bool, type(None), list, dict}


def _require_place(document: Document, refusal: SpecError) -> None:
    """Require that the line is that of the field, or of what should hold it."""
    file_and_line, _, at = refusal.path.partition(" ")
    lines = {document.lines.get(at), document.lines[at.rpartition("/")[0]]}
    assert file_and_line in {f"maintenance.yaml:{line}" for line in lines}
    assert refusal.expected
    assert refusal.actual
