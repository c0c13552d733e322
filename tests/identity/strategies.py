"""Hypothesis strategies of JSON values and near misses, with astral and surrogate text switched on."""

from typing import Any

from hypothesis import strategies as st

from tests.identity import oracle

LARGEST = 2**53 - 1

any_character = st.one_of(
    st.characters(),
    st.characters(categories=["Cs"]),
    st.sampled_from('\x00\x1f"\\/\x7f\x80\u2028\ufeff\ue000\uffff\U00010000\U0010ffff\ud800\udfff'),
)
"""Every code point, lone surrogates included."""

clean_character = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from('\x00\x1f"\\/\x7f\x80\u2028\ufeff\ue000\uffff\U00010000\U0010ffff'),
)

any_text = st.text(alphabet=any_character, max_size=8)
clean_text = st.text(alphabet=clean_character, max_size=8)

clean_scalar = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-LARGEST, LARGEST),
    st.integers(-LARGEST, LARGEST).map(float).filter(lambda number: abs(number) <= LARGEST),
    st.sampled_from([0, 1, -1, 0.0, -0.0, 1.0, 1e15, LARGEST, -LARGEST, float(LARGEST), 1e3]),
    clean_text,
)
any_scalar = st.one_of(
    clean_scalar,
    any_text,
    st.integers(),
    st.floats(),
    st.sampled_from([LARGEST + 1, -LARGEST - 1, 9007199254740992.0, 1e300, 1.5, float("nan"), float("inf"), 10**400]),
)


def _values(scalar: st.SearchStrategy[Any], name: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalar,
        lambda child: st.one_of(st.lists(child, max_size=4), st.dictionaries(name, child, max_size=4)),
        max_leaves=12,
    )


clean_value = _values(clean_scalar, clean_text)
"""Values inside the profile."""

any_value = _values(any_scalar, any_text)
"""Values of JSON's types, inside the profile or not."""

field_path = st.lists(
    st.text(alphabet=clean_character.filter(lambda one: one not in "/~*"), min_size=1, max_size=4).map(
        lambda token: token + "~1" if len(token) == 3 else token
    ),
    min_size=1,
    max_size=3,
).map(lambda tokens: "/" + "/".join(tokens))


@st.composite
def projection_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Return eleven valid projections that own every path once."""
    paths = draw(st.lists(field_path, unique=True, max_size=14))
    projections: dict[str, Any] = {name: {} for name in oracle.COMPONENTS}
    for path in paths:
        projections[draw(st.sampled_from(oracle.COMPONENTS))][path] = draw(clean_value)
    return projections


@st.composite
def requirement_plans(draw: st.DrawFn, projections: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return satisfied requirement rows for every component that has dependencies, exact digests and ranges mixed."""
    digests = {name: oracle.content_digest(name, oracle.normalize(value)) for name, value in projections.items()}

    def row(dependency: str) -> dict[str, Any]:
        if draw(st.booleans()):
            return oracle.exact(dependency, digests[dependency])
        return oracle.closed_range(dependency, 1, draw(st.sampled_from([1, 2, 1.0, LARGEST])))

    return {name: [row(dependency) for dependency in edges] for name, edges in oracle.EDGES.items() if edges}
