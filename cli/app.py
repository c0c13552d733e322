"""The Typer application: puts the command groups together, runs one command, and explains wrong usage."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from ..errors import escape
from . import (
    authorize,
    build,
    bundle,
    card,
    census,
    digest,
    episode,
    identity,
    keys,
    ledger,
    maintenance,
    manifest,
    operation,
    regrade,
    requirements,
    run_episodes,
    sample,
    schema,
    source,
    tree,
    vectors,
    verify,
)
from .options import ending
from .output import Exit, write_err, write_out

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What every wrong usage raises. Typer exports one member of the family; the others move with its versions."""

_MAX_MESSAGE = 1000


def _print_version(asked: bool) -> None:
    if asked:
        write_out(f"operatebench {__version__}\n".encode())
        raise typer.Exit


def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run AI agents through a simulated business operation and grade what they did; check what produced a result.

    Runs and their grades, cards that say what is simulated, identities and manifests that bind it. All of it offline.
    """


def _application() -> typer.Typer:
    settings = {"help_option_names": ["--help", "-h"], "terminal_width": 100}
    end = ending(
        "run maintenance --variant V1 --agent reference --out run",
        "verify run",
        "sample projections > projections.json",
        "manifest build projections.json",
        yes="yes",
        no="the answer is no",
    )
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=settings,
        callback=_main,
        epilog=end,
    )
    digest.add_to(app)
    maintenance.add_to(app)
    verify.add_to(app)
    regrade.add_to(app)
    for name, group in {
        "run": run_episodes.group,
        "authorize": authorize.group,
        "keys": keys.group,
        "identity": identity.group,
        "episode": episode.group,
        "bundle": bundle.group,
        "ledger": ledger.group,
        "operation": operation.group,
        "card": card.group,
        "manifest": manifest.group,
        "requirements": requirements.group,
        "schema": schema.group,
        "source": source.group,
        "tree": tree.group,
        "build": build.group,
        "census": census.group,
        "vectors": vectors.group,
        "sample": sample.group,
    }.items():
        app.add_typer(group, name=name)
    return app


def run(arguments: list[str]) -> int:
    """Run one command.

    Args:
        arguments: the words after ``operatebench``.

    Returns:
        The exit status.

    Raises:
        KeyboardInterrupt: the user stopped it.
        OSError: the answer could not be written.
    """
    command = typer.main.get_command(_application())
    try:
        with command.make_context("operatebench", arguments) as context:
            status: int = command.invoke(context)
            return status
    except typer.Exit as done:  # after a help page or the version
        return done.exit_code
    except UsageError as wrong:
        return _explain_usage(wrong)


def _explain_usage(wrong: Exception) -> int:
    """Print the help page of the command that was used wrongly, then what was wrong."""
    context = getattr(wrong, "ctx", None)
    page = f"{context.get_help()}\n\n" if context is not None else ""
    message = wrong.format_message() if hasattr(wrong, "format_message") else str(wrong)
    write_err(f"{page}wrong usage: {escape(message, _MAX_MESSAGE)}\n")
    return Exit.USAGE
