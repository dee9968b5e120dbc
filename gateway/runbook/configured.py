"""Which agent answers deep questions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from gateway.runbook.agents import Agent
from gateway.runbook.command import command_agent
from gateway.runbook.loop import Model, model_agent
from shared.contract.errors import Misconfigured
from shared.settings import handed_on, names_of, words_of

if TYPE_CHECKING:
    from shared.settings import Settings

ALWAYS: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Variables that any command needs and that hold no secret."""


def agent_for(settings: Settings, model: Model | None) -> Agent:
    """The agent that asks `model`, or else the command of the settings.

    Raises:
        Misconfigured: there is neither.
    """
    if model is not None:
        return model_agent(model)
    if settings.deep_command is None:
        msg = "no agent is configured for deep questions: set DAYBOOK_DEEP_COMMAND to a command as a JSON list"
        raise Misconfigured(f'{msg}, like ["agent", "--print"], or in Python pass model=')
    environment = partial(handed_on, (*ALWAYS, *names_of(settings.deep_environment)))
    return command_agent(words_of(settings.deep_command), environment)
