"""The rules of a semantic scenario card against its operation (card contract, section 13)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from ..errors import CardValidationError
from .operation import OperationFacts, require_unique
from .predicates import check_predicate
from .refusal import refusal


def check_scenario(content: Mapping[str, Any], operation: OperationFacts, at: str) -> None:
    """Check a scenario's content that has passed its schema.

    Rules, in the order in which they are checked: S1 points have unique ids and orders; S2 no hazard has a point's id;
    S3 obligations, hazards and dimensions are unique; per point S4 its obligation is declared, S5 its predicate keeps
    the rules of predicates, S6 its prior points stand earlier in the list; S7 so do hazard predicates; S8 to S11 the
    causal graph.

    Raises:
        CardValidationError: ``semantic.…``.
    """
    points, hazards = content["decision_points"], content["authored_hazards"]
    for member in ("point_id", "order"):
        require_unique(points, member, "semantic.point_id_or_order_collision", f"{at}/decision_points")
    point_ids = {point["point_id"] for point in points}
    for index, hazard in enumerate(hazards):
        if hazard["hazard_id"] in point_ids:
            place = f"{at}/authored_hazards/{index}/hazard_id"
            raise refusal("semantic.hazard_point_collision", place, "an id no decision point has", hazard["hazard_id"])
    obligations = content["common_outcome_obligations"]
    require_unique(obligations, "obligation_id", "semantic.obligation_collision", f"{at}/common_outcome_obligations")
    require_unique(hazards, "hazard_id", "semantic.hazard_collision", f"{at}/authored_hazards")
    dimensions = content["allowed_variant_dimensions"]
    require_unique(dimensions, "dimension_id", "semantic.dimension_collision", f"{at}/allowed_variant_dimensions")
    _check_points(points, {row["obligation_id"] for row in obligations}, operation, f"{at}/decision_points")
    for index, hazard in enumerate(hazards):
        check_predicate(hazard["predicate"], operation.pointers, f"{at}/authored_hazards/{index}/predicate")
    named = point_ids | {hazard["hazard_id"] for hazard in hazards}
    _check_graph(content["causal_graph"], named, f"{at}/causal_graph")


def _check_points(points: list[Mapping[str, Any]], obligations: set[str], operation: OperationFacts, at: str) -> None:
    earlier: set[str] = set()
    for index, point in enumerate(points):
        obligation = point["common_obligation_id"]
        if obligation not in obligations:
            place = f"{at}/{index}/common_obligation_id"
            raise refusal("semantic.obligation_unresolved", place, "a declared obligation", obligation)
        check_predicate(point["reach_predicate"], operation.pointers, f"{at}/{index}/reach_predicate")
        for position, prior in enumerate(point["required_prior_point_ids"]):
            if prior not in earlier:
                place = f"{at}/{index}/required_prior_point_ids/{position}"
                raise refusal("semantic.prior_point_not_earlier", place, "a point earlier in the list", prior)
        earlier.add(point["point_id"])


def _check_graph(graph: Mapping[str, Any], named: set[str], at: str) -> None:
    """S8 node ids are unique, S9 exactly those of points and hazards; S10 edges end at nodes, S11 without a cycle."""
    nodes, edges = graph["nodes"], graph["edges"]
    require_unique(nodes, "node_id", "semantic.node_collision", f"{at}/nodes")
    ids = {node["node_id"] for node in nodes}
    if ids != named:
        odd = min(ids ^ named)
        expected = "a node for every decision point and hazard, and no other"
        actual = f"no node {odd}" if odd in named else f"the node {odd}"
        code = "semantic.nodes_not_points_plus_hazards"
        raise CardValidationError(code, path=f"{at}/nodes", expected=expected, actual=actual)
    for index, edge in enumerate(edges):
        for end in ("cause_node_id", "effect_node_id"):
            if edge[end] not in ids:
                raise refusal("semantic.edge_unresolved", f"{at}/edges/{index}/{end}", "a node of the graph", edge[end])
    _require_acyclic(ids, edges, f"{at}/edges")


def _require_acyclic(ids: set[str], edges: list[Mapping[str, Any]], at: str) -> None:
    """Take away nodes without a cause left until none remains; whatever remains is on or behind a cycle."""
    effects: dict[str, list[str]] = {name: [] for name in ids}
    causes = dict.fromkeys(ids, 0)
    for edge in edges:
        effects[edge["cause_node_id"]].append(edge["effect_node_id"])
        causes[edge["effect_node_id"]] += 1
    free = deque(name for name, count in causes.items() if not count)
    while free:
        name = free.popleft()
        del causes[name]
        for effect in effects[name]:
            causes[effect] -= 1
            if not causes[effect]:
                free.append(effect)
    if causes:
        actual = f"a cycle at or before {min(causes)}"
        raise CardValidationError("semantic.causal_cycle", path=at, expected="a graph without cycle", actual=actual)
