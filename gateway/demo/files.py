"""Files that a demonstration can be fed from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from gateway.demo.corpus import Corpus
from gateway.demo.locomo import corpus_of
from shared.contract.errors import InvalidInput

_SHOWN: Final = 3


def read(path: Path, *, questions: int) -> Corpus:
    """The conversation in a file of this demonstration's own kind, or the first one in a LoCoMo file.

    Of the questions of a LoCoMo file, `questions` are taken.

    Raises:
        InvalidInput: the file cannot be read, or is neither; the message says why.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from error
    try:
        if isinstance(found, list):
            return corpus_of(found, questions=questions)
        return Corpus.model_validate(found)
    except ValidationError as error:
        raise InvalidInput(f"{path} is not {_meant(found)}: {_faults(error)}") from error


def _meant(found: Any) -> str:
    return (
        "a LoCoMo file"
        if isinstance(found, list)
        else "a conversation with title, room, participants, sessions, questions"
    )


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False)
    shown = [f"{'.'.join(map(str, each['loc'])) or 'as a whole'}: {each['msg']}" for each in faults[:_SHOWN]]
    more = f" (and {len(faults) - _SHOWN} more)" if len(faults) > _SHOWN else ""
    return "; ".join(shown) + more
