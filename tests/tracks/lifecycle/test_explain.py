"""What a spec says in tables: everything it declares is named, and texts are escaped."""

import dataclasses

from operatebench.tracks.lifecycle import explain, packaged_spec

SPEC = packaged_spec()
LINES = explain(SPEC)


def test_everything_declared_is_named() -> None:
    text = "\n".join(LINES)
    for names in (
        SPEC.actors,
        SPEC.roles,
        SPEC.events,
        SPEC.actions,
        SPEC.checkpoints,
        SPEC.obligations,
        SPEC.variants,
    ):
        assert all(name in text for name in names)
    assert all(field.name in text for field in dataclasses.fields(SPEC.policy))
    assert all(authority in text for role in SPEC.roles.values() for authority in role.authorities)


def test_each_variant_has_its_own_timeline() -> None:
    starts = [index for index, line in enumerate(LINES) if line.startswith("variant ")]
    assert [LINES[index].split()[1] for index in starts] == [f"{name}:" for name in SPEC.variants]
    for start, end, variant in zip(starts, [*starts[1:], len(LINES)], SPEC.variants.values(), strict=True):
        events = LINES[LINES.index("  what happens", start) + 1 : end]
        assert len([line for line in events if line]) == len(variant.events)
        for line, event in zip(events, variant.events, strict=False):
            assert event.actor_id in line
            assert event.event_type in line
        for rejected in variant.expected_event_rejections:
            assert any(f"expected to be refused: {rejected.code}" in line for line in events)


def test_times_are_told_in_days_and_hours() -> None:
    assert any("2880 minutes (2 d)" in line for line in LINES)
    words = [line.split() for line in LINES]
    assert ["0", "min", "from", "the", "start", "tenant_1", "customer_issue_reported"] in [line[:7] for line in words]
    assert ["1", "h", "30", "min", "after", "request_supplier_visit", "(work_cycle_1)"] in [line[:7] for line in words]


def test_texts_are_escaped() -> None:
    variant = next(iter(SPEC.variants.values()))
    hostile = dataclasses.replace(SPEC, variants={"V1": dataclasses.replace(variant, label="\x1b[31m\u202e")})

    assert any(line.endswith("\\x1b[31m\\u202e") for line in explain(hostile))
    assert all(line.isprintable() for line in explain(hostile))
