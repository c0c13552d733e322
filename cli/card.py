"""``operatebench card``: new cards, digests, sealing, validation, explanations, and folders of cards."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import CardValidationError, DocumentError, describe, escape
from ..files import shown, write_files
from .card_files import card_files, read_card, roles_of, status_of, texts_of
from .inputs import file_label, refusal_json, require_standard_input_once
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, write_out
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load the kernel
    from ..cards.authoring.folder import Checked
    from ..cards.authoring.seal import Sealed

group = group_of("Write, seal, explain and check operation, scenario and variant cards.", "card check cards")

_UNREAD = "a file is no card: unreadable, not strict JSON, over a limit, or of an unknown kind"

_CardArgument = Annotated[str, typer.Argument(metavar="FILE", help="The card; - is standard input.")]
_RefersToOption = Annotated[
    list[str] | None,
    typer.Option("--refers-to", metavar="FILE", help="A card that it, or a card it refers to, refers to; repeatable."),
]
_OutOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the card here, to a new file, instead of to standard output.")
]


class CardKind(StrEnum):
    """What people call the three cards."""

    OPERATION = "operation"
    SCENARIO = "scenario"
    VARIANT = "variant"


_NEEDED = {
    CardKind.SCENARIO: "a scenario refers to an operation: give its card with --refers-to operation.json",
    CardKind.VARIANT: "a variant refers to a scenario, and that to an operation: give both cards with "
    "--refers-to scenario.json --refers-to operation.json",
}


@group.command(
    epilog=ending(
        "card new operation --id boiler.core --out operation.json",
        "card new scenario --refers-to operation.json --out scenario.json",
        "card new variant --refers-to scenario.json --refers-to operation.json --out variant.json",
        yes="written",
        refused="a card it refers to was refused, or the file could not be written",
        no="no small value was found that keeps the types of the operation",
    )
)
def new(
    kind: Annotated[CardKind, typer.Argument(metavar="KIND", help="operation, scenario or variant.")],
    *,
    card_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The id of the card; without it, new-KIND.")
    ] = None,
    refers_to: _RefersToOption = None,
    out: _OutOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write a minimal valid card to start from.

    A scenario or variant takes its reference and all names it must use from the cards it refers to. Change what you
    like, then write the digest anew with 'card seal'.
    """
    upstream = refers_to or []
    require_standard_input_once(upstream)
    _require_output(out)
    if kind is CardKind.OPERATION and upstream:
        raise typer.BadParameter("an operation refers to no card: leave --refers-to out")
    if kind is not CardKind.OPERATION and not upstream:
        raise typer.BadParameter(_NEEDED[kind])
    name = f"new-{kind.value}" if card_id is None else card_id
    files = roles_of("card", [], upstream)

    def work(reply: Reply) -> Exit:
        from ..cards.authoring.new import is_card_id, new_card
        from ..cards.authoring.upstream import LITERALS

        if not is_card_id(name):
            raise typer.BadParameter(
                "--id takes lowercase words of letters and digits joined by . _ or -, and perhaps a version, such as "
                "boiler.core@1.0.0"
            )
        given = [read_card(role, file) for role, file in files.items()]
        try:
            card = new_card(LITERALS[kind.value], name, given)
        except CardValidationError as refusal:
            return reply.refuse(refusal, Exit.NO if refusal.code in _NO_EXAMPLE else Exit.REFUSED)
        return _give_card(reply, card, out, f"new: {kind.value} {name} {card[_DIGEST]}")

    return Reply("card new", as_json, files).give(work)


_DIGEST = "content_digest_sha256"
_NO_EXAMPLE = frozenset({"semantic.hidden_state_mismatch", "semantic.payload_value"})
"""No operation or scenario is refused with these; they say that an operation's types have no small value."""


def _give_card(reply: Reply, card: dict[str, Any], out: str | None, verdict: str) -> Exit:
    """Write a card where it was asked for, and finish."""
    from ..cards.authoring.seal import card_text

    if out is not None:
        write_files({out: card_text(card)})
    elif not reply.as_json:
        write_out(card_text(card))
    reply.verdict(verdict)
    return reply.end(
        Exit.YES,
        content_digest_sha256=card[_DIGEST],
        file=None if out is None else shown(out),
        card=card if out is None else None,
    )


def _require_output(out: str | None) -> None:
    if out == "-":
        raise typer.BadParameter("'-' names no output file; without --out the card goes to standard output")
    if out is not None:
        require_output("--out", out)


@group.command(
    epilog=ending(
        "card digest operation.json scenario.json",
        yes="every card was hashed, whether its own digest is right or not",
        refused="a file was refused; the others were hashed",
    )
)
def digest(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="The cards; - is standard input.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Compute the digest of each card's content anew, and say where the card itself has another one.

    Only kind, id and content are needed; whether the card is valid is not looked at.
    """
    require_standard_input_once(files)

    def work(reply: Reply) -> Exit:
        rows: list[dict[str, Any]] = []
        status = Exit.YES
        for file in files:
            try:
                rows.append(_digest(reply, file))
            except (CardValidationError, DocumentError) as refusal:
                rows.append({"file": shown(file), "refusal": reply.say(refusal, {"card": file})})
                status = Exit.REFUSED
        return reply.end(status, files=rows)

    return Reply("card digest", as_json).give(work)


def _digest(reply: Reply, file: str) -> dict[str, Any]:
    from ..cards import recompute_card_digest

    card = read_card("card", file)
    found = recompute_card_digest(card)
    reply.data(f"{found}  {shown(file)}")
    claimed = card.get(_DIGEST)
    if claimed is None:
        reply.verdict(f"{file_label(file)}: the card has no digest yet")
    elif claimed != found:
        reply.verdict(f"{file_label(file)}: the card says {describe(claimed)}")
    return {"file": shown(file), "content_digest_sha256": found, "same_in_card": claimed == found}


@group.command(
    epilog=ending(
        "card seal variant.json --in-place",
        "card seal scenario.json --refers-to operation.json --sort-sets --in-place",
        yes="sealed",
        no="the card is not sound by itself, or refers to another card than those given; nothing was written",
        refused="a file was refused, a card it refers to is not sound, or the file could not be written",
    )
)
def seal(
    file: _CardArgument,
    *,
    refers_to: _RefersToOption = None,
    sort_sets: Annotated[
        bool, typer.Option("--sort-sets", help="Sort sets that are out of order, and say which, instead of refusing.")
    ] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Replace the file, in one step.")] = False,
    out: _OutOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write the digest into an edited card; with --refers-to, refresh the digest in its own reference first.

    The card is checked by itself: kind, shape, sets. Whether it fits the cards it refers to is for 'card validate'.
    Members stay in their order, indented by two spaces.
    """
    upstream = refers_to or []
    require_standard_input_once([file, *upstream])
    _require_output(out)
    if in_place and (out is not None or file == "-"):
        raise typer.BadParameter("--in-place replaces FILE: give a file, and no --out")
    files = roles_of("card", [file], upstream)

    def work(reply: Reply) -> Exit:
        from ..cards.authoring.seal import seal as sealed_card

        card, *others = [read_card(role, each) for role, each in files.items()]
        try:
            sealed = sealed_card(card, others, sort_sets=sort_sets)
        except CardValidationError as refusal:
            own = refusal.path.startswith("card#")
            return reply.refuse(refusal, status_of(refusal) if own else Exit.REFUSED)
        if in_place:
            write_files({file: sealed.text()}, replace=True)
        elif out is not None:
            write_files({out: sealed.text()})
        elif not as_json:
            write_out(sealed.text())
        reply.verdict(*_seal_lines(file_label(file), sealed))
        target = file if in_place else out
        return reply.end(
            Exit.YES,
            content_digest_sha256=sealed.digest.new,
            previous_digest_sha256=sealed.digest.old,
            reference_moved=sealed.reference is not None and sealed.reference.moved,
            sorted_sets=list(sealed.sorted_sets),
            file=None if target is None else shown(target),
            card=sealed.card if target is None else None,
        )

    return Reply("card seal", as_json, files).give(work)


def _seal_lines(name: str, sealed: Sealed) -> list[str]:
    """Say what sealing has changed."""
    lines = [f"sorted: {name}#{place}" for place in sealed.sorted_sets]
    for what, change in {"reference": sealed.reference, "sealed": sealed.digest}.items():
        if change is None:
            continue
        before = "unchanged" if not change.moved else "new" if change.old is None else f"was {escape(change.old, 64)}"
        lines.append(f"{what}: {name} {change.new} ({before})")
    return lines


@group.command(
    epilog=ending(
        "card validate operation.json",
        "card validate variant.json --refers-to scenario.json --refers-to operation.json",
        yes="the card is valid",
        no="the card, or one it needs, is not valid; the reason says where, and what was expected",
        refused=_UNREAD,
    )
)
def validate(file: _CardArgument, *, refers_to: _RefersToOption = None, as_json: JsonOption = False) -> int:
    """Validate one card with the cards it refers to: shape, digest, references, every rule of the contract."""
    others = refers_to or []
    require_standard_input_once([file, *others])
    files = roles_of("card", [file], others)

    def work(reply: Reply) -> Exit:
        from ..cards import validate_card

        card, *given = [read_card(role, each) for role, each in files.items()]
        try:
            valid = validate_card(card, references=given)
        except CardValidationError as refusal:
            return reply.refuse(refusal, status_of(refusal))
        reply.verdict(f"OK: {file_label(file)} {valid[_DIGEST]}")
        return reply.end(Exit.YES, schema=valid["schema"], id=valid["id"], content_digest_sha256=valid[_DIGEST])

    return Reply("card validate", as_json, files).give(work)


@group.command(
    epilog=ending(
        "card explain variant.json",
        "card explain scenario.json --refers-to operation.json --svg scenario.svg",
        yes="explained",
        no="the card is not valid, or not sound by itself; nothing is explained",
        refused="a file is no card, or the picture could not be written",
    )
)
def explain(
    file: _CardArgument,
    *,
    refers_to: _RefersToOption = None,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the card into this new SVG file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Say in words and tables what a card says; with --svg, draw it too.

    An operation is validated. A scenario or variant is validated with --refers-to, and else only checked by itself.
    """
    others = refers_to or []
    require_standard_input_once([file, *others])
    if svg is not None:
        require_output("--svg", svg)
    files = roles_of("card", [file], others)

    def work(reply: Reply) -> Exit:
        from ..cards.authoring.explain import explain as in_words
        from ..cards.authoring.judge import judge

        card, *given = [read_card(role, each) for role, each in files.items()]
        try:
            valid = judge(card, given)
        except CardValidationError as refusal:
            return reply.refuse(refusal, status_of(refusal))
        if svg is not None:
            from ..cards.authoring.picture import picture

            write_files({svg: picture(card)})
        lines = in_words(card)
        reply.data(*lines)
        if valid:
            reply.verdict(f"{file_label(file)}: valid")
        else:
            reply.verdict(f"{file_label(file)}: sound by itself; not compared with the cards it refers to")
        return reply.end(
            Exit.YES,
            schema=card["schema"],
            id=card["id"],
            content_digest_sha256=card[_DIGEST],
            validated=valid,
            svg_file=None if svg is None else shown(svg),
            lines=lines,
        )

    return Reply("card explain", as_json, files).give(work)


@group.command(
    epilog=ending(
        "card check cards",
        yes="every card is valid, and can be bound in an identity manifest",
        no="a card is not valid, or has an integer no manifest can bind",
        refused="a file is no card, or the folder cannot be read; the others were checked",
    )
)
def check(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder; its files *.json are read.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Validate a folder of cards that refer to one another, one line each, and show which refers to which.

    Each card is validated once, however many refer to it. Links and what lies deeper are not followed. An integer
    beyond 2^53-1 is valid in a card, but no identity manifest can bind it: it is reported as not_bindable.
    """

    def work(reply: Reply) -> Exit:
        from ..cards.authoring.folder import check_cards, reference_tree

        names = card_files(folder)
        cards = []
        with Progress("cards", wanted=not as_json) as progress:
            for card in check_cards(texts_of(folder, names)):
                cards.append(card)
                progress.show(len(cards), len(names))
        reply.data(*(line for card in cards for line in card.lines()))
        tree = reference_tree(cards)
        if tree:
            reply.data("", *tree)
        good = sum(card.sound for card in cards)
        reply.verdict(f"{shown(folder)}: {len(cards)} files, {good} in order")
        return reply.end(_check_status(cards), folder=shown(folder), cards=[_check_json(card) for card in cards])

    return Reply("card check", as_json).give(work)


def _check_status(cards: list[Checked]) -> Exit:
    statuses = {status_of(card.refusal) if card.refusal else Exit.YES if card.sound else Exit.NO for card in cards}
    return next((each for each in (Exit.REFUSED, Exit.NO) if each in statuses), Exit.YES)


def _check_json(card: Checked) -> dict[str, Any]:
    names = ("schema", "id")
    return {
        "file": card.name,
        "valid": card.refusal is None,
        **(dict(zip(names, card.key, strict=True)) if card.key else dict.fromkeys(names)),
        "content_digest_sha256": card.digest,
        "refers_to": None if card.refers_to is None else dict(zip(names, card.refers_to, strict=True)),
        "not_bindable": {
            "count": card.big_integers,
            "first": [{"path": place, "value": str(value)} for place, value in card.first_big_integers],
        },
        "refusal": card.refusal and refusal_json(card.refusal, {card.name: card.name}),
    }
