"""The command `daybook`. Commands are loaded when they are called, so that `daybook --help` is quick."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Final, TypeVar

import click

from gateway.interruption import interruptible
from gateway.terminal import Terminal

if TYPE_CHECKING:
    from shared.contract.errors import DaybookError

OK, FAILED, WRONG_INPUT, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "demo": ("gateway.commands.demo", "Feed a long conversation through real workers, ask it, show what is believed."),
    "up": ("gateway.commands.serving", "Start servers and workers; return when they are ready."),
    "down": ("gateway.commands.serving", "End workers and embedded servers. Nothing is lost."),
    "migrate": ("gateway.commands.serving", "Bring the database to this version's schema."),
    "observe": ("gateway.commands.memory", "Take in runs that have ended, from a file or stdin."),
    "import": ("gateway.commands.importing", "Take in conversations from other products."),
    "recall": ("gateway.commands.memory", "Find the evidence for a question."),
    "deep": ("gateway.commands.deep", "Have an agent search all that is remembered, file by file."),
    "outcome": ("gateway.commands.outcome", "Report which memories of a recall were of use."),
    "turn": ("gateway.commands.turn", "Show what a recall put before the model, and what came of it."),
    "why": ("gateway.commands.why", "Say why something is remembered, or why not."),
    "history": ("gateway.commands.history", "Show all that became of a memory."),
    "profile": ("gateway.commands.profile", "Show what is held of a user and those around them, field by field."),
    "wiki": (
        "gateway.commands.wiki",
        "Show what is held as pages, write them to a folder, and take in what was changed.",
    ),
    "schemas": ("gateway.commands.records", "Compare stored records with the schemas of them."),
    "review": ("gateway.commands.review", "Show what waits for a person before it is remembered, and decide on it."),
    "receipts": ("gateway.commands.memory", "Show all that became of a run."),
    "dead": ("gateway.commands.waiting", "Show the runs that were given up, or have them tried again."),
    "spool": ("gateway.commands.waiting", "Show the runs that are kept on this machine's disk, or send them on."),
    "verify": ("gateway.commands.watching", "Check that the ledger still says what was written."),
    "forget": ("gateway.commands.keeping", "Forget one memory and what was made from it."),
    "erase": ("gateway.commands.keeping", "Erase everything of a user."),
    "quarantine": ("gateway.commands.mistrust", "Hold nothing any more that came from a source, and show first what."),
    "rederive": ("gateway.commands.mistrust", "Read what was said anew, and show what that would change."),
    "replay": ("gateway.commands.keeping", "Work the tables out of the ledger anew, or compare them with it."),
    "reindex": ("gateway.commands.rebuilding", "Build the sparse view anew while the old one serves."),
    "reembed": ("gateway.commands.rebuilding", "Build the dense view anew, of the configured model."),
    "supersede": ("gateway.commands.tidying", "End what a later memory contradicts, and ask where that is not sure."),
    "consolidate": ("gateway.commands.tidying", "Make one memory of what was said or done again and again."),
    "dedupe": ("gateway.commands.tidying", "Make one of memories that say the same twice, or show which."),
    "compress": ("gateway.commands.tidying", "Let old sessions leave what recall searches, or show which."),
    "promote": ("gateway.commands.tidying", "Hold as semantic what recalls often rest on, or show what."),
    "link": ("gateway.commands.tidying", "Tie memories that have to do with each other, or show which."),
    "links": ("gateway.commands.linking", "Show the links of a user's memories, or of one of them."),
    "unlink": ("gateway.commands.linking", "Take back a link, with all that came of it."),
    "reflect": ("gateway.commands.reflect", "Answer a question rung by rung, and have questions stand."),
    "anticipate": ("gateway.commands.tidying", "Put together ahead what is likely to be asked, or show what."),
    "prune": ("gateway.commands.tidying", "Hold as less, or no longer, what is of little worth, or show what."),
    "retain": ("gateway.commands.tidying", "Hold no longer, or forget, what a policy has an end for, or show what."),
    "graph": ("gateway.commands.graph", "Show which names are spoken of together, and what is around one."),
    "batches": ("gateway.commands.tidying", "List what jobs have changed, batch by batch."),
    "revert": ("gateway.commands.tidying", "Hold again what was held before a batch."),
    "schedule": ("gateway.commands.scheduling", "Show what is done when, what became of it, and what is late."),
    "evaluate": ("gateway.commands.evaluate", "Measure how good what is stored is, on labelled runs."),
    "status": ("gateway.commands.watching", "Show what runs, what waits and what was done lately."),
    "health": ("gateway.commands.watching", "Say whether work gets done, once or to process managers."),
    "doctor": ("gateway.commands.watching", "Check everything that must be right, and say what to do."),
}
"""Name of each command, the module it is in, and what it does."""

EPILOG: Final = """\b
Begin with:
  daybook demo
  daybook up
  daybook observe run.json --tenant acme --user mira
  daybook recall "Where are the beehives?" --tenant acme --user mira

\b
Exit codes:
  0    done
  1    a check failed, work does not get done, the ledger is damaged, or what was asked about is not remembered
  2    wrong input, or Daybook is not set up as it must be
  3    a service cannot be reached; the same call may go through later
  130  interrupted

\b
Every command takes --json (one JSON document on stdout, and nothing else) and --debug (tracebacks).
Settings are environment variables that begin with DAYBOOK_; with none set, servers of its own are used.
"""

Command = TypeVar("Command", bound=Callable[..., object])


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        found = getattr(import_module(COMMANDS[cmd_name][0]), name)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])


@click.group(cls=_Lazy, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="daybook-memory", prog_name="daybook")
def daybook() -> None:
    """Long-term memory for AI agents: raw evidence in a ledger, and the right of it for a question."""


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; everything it has to say has been written."""
    terminal = Terminal(as_json="--json" in arguments, debug="--debug" in arguments)
    with interruptible():
        try:
            result = daybook.main(list(arguments), prog_name="daybook", standalone_mode=False, obj=terminal)
        except click.ClickException as error:
            return _usage(terminal, error)
        except (KeyboardInterrupt, click.Abort):
            terminal.complain("interrupted")
            return INTERRUPTED
        except Exception as error:  # noqa: BLE001 - the outermost place: what is not ours is raised again there
            return _failed(terminal, error)
    return result if isinstance(result, int) else OK


def exit_code(error: BaseException) -> int:
    """The exit code that tells a kind of error."""
    from shared.contract.errors import LedgerDamaged, Retryable

    if isinstance(error, LedgerDamaged):
        return FAILED
    return UNREACHABLE if isinstance(error, Retryable) else WRONG_INPUT


def main() -> None:
    """The entry point of the command `daybook`."""
    from shared.log import write_to_stderr

    write_to_stderr("WARNING")
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # says thrice what the error says once
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            Terminal().complain(f"the output could not be written: {error}")
            code = code or FAILED
        # Where whoever read our output has left, there is nobody to tell. Python would try once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _usage(terminal: Terminal, error: click.ClickException) -> int:
    if terminal.as_json:
        terminal.document({"error": {"code": "Usage", "message": error.format_message(), "details": {}}})
    error.show()
    return error.exit_code if isinstance(error, click.UsageError) else WRONG_INPUT


def _failed(terminal: Terminal, error: Exception) -> int:
    from shared.contract.errors import DaybookError, Misconfigured

    if isinstance(error, BrokenPipeError):
        return OK
    if terminal.debug or not isinstance(error, (DaybookError, OSError)):
        raise error
    if isinstance(error, OSError):
        error = Misconfigured(f"the system refused: {error}; --debug shows where")
    terminal.failure(_with_reason(error))
    return exit_code(error)


def _with_reason(error: DaybookError) -> DaybookError:
    """A configured Postgres that does not answer is asked once more for why: a pool cannot tell."""
    from shared.contract.errors import DatabaseUnavailable
    from shared.settings import settings
    from shared.store.server import why_unreachable

    url = settings().database_url if isinstance(error, DatabaseUnavailable) else None
    if url is None:
        return error
    reason = why_unreachable(url.get_secret_value(), timeout_s=settings().connect_timeout_s)
    if not reason or reason in str(error):
        return error
    return DatabaseUnavailable(f"{error}; it says: {reason}", **error.details)


if __name__ == "__main__":
    main()
