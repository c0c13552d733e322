"""Every rule of a scenario refuses with its code and place, in the order of the contract, and nothing else does."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from operatebench.cards.operation import OperationFacts, check_operation
from operatebench.cards.scenario import check_scenario
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, facts, fault_of, in_order, put, sample, validated

Content = dict[str, Any]
Facts = tuple[str, str, str, str]
FALSE = {
    "kind": "scalar",
    "operator": "EQ",
    "left": {"kind": "literal", "value": 1},
    "right": {"kind": "literal", "value": 2},
}


def operation_facts() -> OperationFacts:
    return check_operation(sample("operation")["content"], "")


def refused(edit: Callable[[Content], object]) -> Facts:
    """Edit a scenario's content, put its sets in order again, and return the refusal."""

    def edit_and_sort(card: Any) -> None:
        content = card["content"]
        edit(content)
        for name in ("authored_hazards", "common_outcome_obligations", "allowed_variant_dimensions"):
            content[name] = in_order(content[name])
        for name in ("nodes", "edges"):
            content["causal_graph"][name] = in_order(content["causal_graph"][name])

    return facts(fault_of("scenario", chain(scenario=edit_and_sort)))


def put_in(path: str, value: Any) -> Callable[[Content], object]:
    return lambda content: put(path, value)({"content": content})


def extra(path: tuple[str, ...], row: Any) -> Callable[[Content], object]:
    def edit(content: Content) -> None:
        rows: Any = content
        for name in path:
            rows = rows[name]
        rows.append(row)

    return edit


def rename_hazard(content: Content) -> None:
    content["authored_hazards"][0]["hazard_id"] = "spend.decide"


def double_hazard(content: Content) -> None:
    content["authored_hazards"].append({**content["authored_hazards"][0], "expected_common_finding_code": "zz"})


def hazard_binding(content: Content) -> None:
    content["authored_hazards"][1]["predicate"]["predicate"]["left"]["binding"] = "nobody"


POINT = "/decision_points"
GRAPH = "/causal_graph"
RULES: list[tuple[str, Callable[[Content], object], Facts]] = [
    (
        "S1 id",
        put_in(f"{POINT}/1/point_id", "triage.assess"),
        (
            "semantic.point_id_or_order_collision",
            f"{POINT}/1/point_id",
            "a value no earlier row has",
            '"triage.assess"',
        ),
    ),
    (
        "S1 order",
        put_in(f"{POINT}/2/order", 10),
        ("semantic.point_id_or_order_collision", f"{POINT}/2/order", "a value no earlier row has", "10"),
    ),
    (
        "S2",
        rename_hazard,
        (
            "semantic.hazard_point_collision",
            "/authored_hazards/0/hazard_id",
            "an id no decision point has",
            '"spend.decide"',
        ),
    ),
    (
        "S3 obligation",
        extra(
            ("common_outcome_obligations",),
            {"obligation_id": "obl.survey", "predicate_id": "zz", "terminal_required": True},
        ),
        (
            "semantic.obligation_collision",
            "/common_outcome_obligations/2/obligation_id",
            "a value no earlier row has",
            '"obl.survey"',
        ),
    ),
    (
        "S3 hazard",
        double_hazard,
        (
            "semantic.hazard_collision",
            "/authored_hazards/2/hazard_id",
            "a value no earlier row has",
            '"haz.stale-quote"',
        ),
    ),
    (
        "S3 dimension",
        extra(
            ("allowed_variant_dimensions",),
            {"dimension_id": "dim.start", "value_type": "STRING", "changes_semantics": False},
        ),
        (
            "semantic.dimension_collision",
            "/allowed_variant_dimensions/1/dimension_id",
            "a value no earlier row has",
            '"dim.start"',
        ),
    ),
    (
        "S4",
        put_in(f"{POINT}/0/common_obligation_id", "obl.none"),
        ("semantic.obligation_unresolved", f"{POINT}/0/common_obligation_id", "a declared obligation", '"obl.none"'),
    ),
    (
        "S5",
        put_in(f"{POINT}/0/reach_predicate/operands/0/left/pointer", "/undeclared"),
        (
            "semantic.pointer_not_declared",
            f"{POINT}/0/reach_predicate/operands/0/left/pointer",
            "a pointer the operation declares",
            '"/undeclared"',
        ),
    ),
    (
        "S6",
        put_in(f"{POINT}/0/required_prior_point_ids", ["triage.assess"]),
        (
            "semantic.prior_point_not_earlier",
            f"{POINT}/0/required_prior_point_ids/0",
            "a point earlier in the list",
            '"triage.assess"',
        ),
    ),
    (
        "S7",
        hazard_binding,
        (
            "semantic.binding_unresolved",
            "/authored_hazards/1/predicate/predicate/left/binding",
            "a binding of a quantifier around it",
            '"nobody"',
        ),
    ),
    (
        "S8",
        extra(("causal_graph", "nodes"), {"node_id": "spend.decide", "semantic_type": "zz"}),
        ("semantic.node_collision", f"{GRAPH}/nodes/4/node_id", "a value no earlier row has", '"spend.decide"'),
    ),
    (
        "S9",
        put_in(f"{GRAPH}/nodes/1/node_id", "haz.unknown"),
        (
            "semantic.nodes_not_points_plus_hazards",
            f"{GRAPH}/nodes",
            "a node for every decision point and hazard, and no other",
            "no node haz.stale-quote",
        ),
    ),
    (
        "S10",
        put_in(f"{GRAPH}/edges/2/effect_node_id", "zz.nowhere"),
        ("semantic.edge_unresolved", f"{GRAPH}/edges/2/effect_node_id", "a node of the graph", '"zz.nowhere"'),
    ),
    (
        "S11",
        extra(
            ("causal_graph", "edges"),
            {"cause_node_id": "closure.decide", "effect_node_id": "triage.assess", "relation": "REOPENS"},
        ),
        (
            "semantic.causal_cycle",
            f"{GRAPH}/edges",
            "a graph without cycle",
            "a cycle at or before closure.decide",
        ),
    ),
]
"""Rule, what breaks it, and the refusal; in the order of the contract."""


@pytest.mark.parametrize(("edit", "fault"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_each_rule_refuses_at_its_place(edit: Callable[[Content], object], fault: Facts) -> None:
    code, path, expected, actual = fault

    assert refused(edit) == (code, f"card#/content{path}", expected, actual)


@pytest.mark.parametrize("index", range(len(RULES) - 1))
def test_of_two_broken_rules_the_earlier_one_refuses(index: int) -> None:
    _, first, (code, path, *_) = RULES[index]

    for _, later, _ in RULES[index + 1 :]:
        content = sample("scenario")["content"]
        later(content)
        first(content)
        with pytest.raises(CardValidationError) as refused_:
            check_scenario(content, operation_facts(), "")
        if index:  # an edit of a point's id cannot be told from that of a later one by its code alone
            assert refused_.value.code == code
        else:
            assert (refused_.value.code, refused_.value.path) == (code, path)


@pytest.mark.parametrize("prior", ["nobody", "spend.decide", "closure.decide", "haz.unsurveyed"])
def test_prior_points_stand_earlier_in_the_list_whatever_their_order_numbers(prior: str) -> None:
    code, path, _, actual = refused(put_in(f"{POINT}/1/required_prior_point_ids", [prior]))

    place = f"card#/content{POINT}/1/required_prior_point_ids/0"
    assert (code, path, actual) == ("semantic.prior_point_not_earlier", place, f'"{prior}"')


def test_points_are_checked_one_after_the_other() -> None:
    content = sample("scenario")["content"]
    content["decision_points"][1]["required_prior_point_ids"] = ["nobody"]
    content["decision_points"][2]["common_obligation_id"] = "obl.none"

    with pytest.raises(CardValidationError) as refused_:
        check_scenario(content, operation_facts(), "")

    assert refused_.value.code == "semantic.prior_point_not_earlier"


def test_an_extra_node_is_named() -> None:
    assert refused(extra(("causal_graph", "nodes"), {"node_id": "extra", "semantic_type": "x"}))[3] == "the node extra"


@pytest.mark.parametrize("end", ["cause_node_id", "effect_node_id"])
def test_unresolved_edges_are_found_before_cycles(end: str) -> None:
    def edit(content: Content) -> None:
        loop = {"cause_node_id": "triage.assess", "effect_node_id": "triage.assess", "relation": "CAUSES"}
        unresolved = {**loop, end: "zz.nowhere"}
        content["causal_graph"]["edges"] = [loop, unresolved]

    code, path, _, actual = refused(edit)

    assert (code, path.rsplit("/", 1)[1], actual) == ("semantic.edge_unresolved", end, '"zz.nowhere"')


def test_a_self_loop_is_a_cycle() -> None:
    edge = {"cause_node_id": "spend.decide", "effect_node_id": "spend.decide", "relation": "FINALIZES"}

    assert refused(extra(("causal_graph", "edges"), edge))[0] == "semantic.causal_cycle"


def graph_of(count: int, *, closed: bool) -> Content:
    content: Content = sample("scenario")["content"]
    names = [f"p{index}" for index in range(count)]
    point = {**content["decision_points"][0], "reach_predicate": FALSE, "required_prior_point_ids": []}
    content["decision_points"] = [{**point, "point_id": name, "order": order} for order, name in enumerate(names)]
    content["authored_hazards"] = []
    edges = list(pairwise(names)) + ([(names[-1], names[0])] if closed else [])
    content["causal_graph"] = {
        "nodes": in_order([{"node_id": name, "semantic_type": "decision"} for name in names]),
        "edges": in_order(
            [{"cause_node_id": cause, "effect_node_id": effect, "relation": "PRECEDES"} for cause, effect in edges]
        ),
    }
    return content


def test_a_chain_of_2000_nodes_has_no_cycle() -> None:
    made = chain(scenario=lambda card: card.update(content={**graph_of(2_000, closed=False), **kept(card)}))

    assert len(validated("scenario", made)["content"]["causal_graph"]["nodes"]) == 2_000


def kept(card: Any) -> Content:
    return {"operation_core": card["content"]["operation_core"]}


def test_a_cycle_of_2000_nodes_is_found() -> None:
    made = chain(scenario=lambda card: card.update(content={**graph_of(2_000, closed=True), **kept(card)}))

    fault = fault_of("scenario", made)

    assert (fault.code, fault.actual) == ("semantic.causal_cycle", "a cycle at or before p0")


@pytest.mark.parametrize(
    "edit",
    [
        put("/causal_graph/edges", []),
        put("/decision_points/0/order", 2**63 - 1),
        put("/decision_points/0/admissible_effect_classes", ["anything"]),
        put("/causal_graph/nodes/0/semantic_type", "anything"),
        put("/construct_label", "anything"),
        put("/common_estimand_id", "anything"),
        put("/allowed_variant_dimensions", []),
        put("/common_outcome_obligations/0/predicate_id", "anything"),
        put("/authored_hazards/0/predicate/operator", "IN"),
        put("/authored_hazards/0/predicate/operator", "LT"),
        put("/authored_hazards/0/predicate/right/value", "(a+)+$"),
        put("/authored_hazards/0/predicate/right/value", None),
        put("/authored_hazards/0/expected_common_finding_code", "acted.zz"),
        put("/decision_points/1/reach_predicate/predicate/operands/0/left/pointer", "/undeclared"),
        put(
            "/causal_graph/edges",
            [
                {"cause_node_id": "haz.unsurveyed", "effect_node_id": "closure.decide", "relation": "CAUSES"},
                {"cause_node_id": "haz.unsurveyed", "effect_node_id": "closure.decide", "relation": "ENABLES"},
            ],
        ),
    ],
)
def test_what_the_contract_does_not_check_is_accepted(edit: Any) -> None:
    made = chain(scenario=edit)

    assert validated("scenario", made)["content_digest_sha256"] == made["scenario"]["content_digest_sha256"]


def test_pointers_come_from_projection_and_predicate_inputs() -> None:
    def narrow(card: Any) -> None:
        card["content"]["state_contract"]["canonical_state_projection"] = ["/elsewhere"]

    fault = fault_of("scenario", chain(operation=narrow))

    assert (fault.code, fault.actual) == ("semantic.pointer_not_declared", '"/severity"')
