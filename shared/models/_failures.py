"""What a provider's failure means: it may pass, or something must be changed. No word of a provider is repeated.

A provider's message may quote the key that it was sent, so a failure of ours is told in our own words and raised
without the one behind it; what is taken over is the status and a code that looks like one.
"""

from __future__ import annotations

import re
from typing import Any, Final

from shared.contract.errors import Misconfigured
from shared.models._connecting import TooLong
from shared.models._retrying import Passing

_CODE: Final = re.compile(r"[a-z][a-z_]{1,48}")
_ADVICE: Final = {
    "ModelAuthenticationError": "look at DAYBOOK_EXTRACTION_API_KEY and at what it may use",
    "ModelNotFoundError": "look at DAYBOOK_EXTRACTION_MODEL and DAYBOOK_EXTRACTION_BASE_URL",
    "ModelContextWindowExceededError": "lower DAYBOOK_EXTRACTION_WINDOW_TOKENS",
    "ModelQuotaExceededError": "the account with the provider is used up",
}
_OTHER_ADVICE: Final = "look at DAYBOOK_EXTRACTION_MODEL, and whether it takes DAYBOOK_EXTRACTION_OUTPUT_TOKENS"
_LOWEST_OF_SERVERS: Final = 500


def meaning(error: Exception, name: str) -> Passing | Misconfigured:
    """What to raise for a failure of the client's on a call to the model `name`."""
    if _is_refused(error):
        return Misconfigured(f"{name} does not take the call ({_said(error)}): {_advice(error)}", model=name)
    return Passing(what=_what(error), asked_s=getattr(error, "retry_after", None), is_answered=_is_answered(error))


def _is_refused(error: Exception) -> bool:
    """Whether the same call will be refused again."""
    from pydantic_ai import exceptions as theirs

    if isinstance(error, theirs.ModelRateLimitError | theirs.ModelUnavailableError | theirs.ModelServerError):
        return False
    if isinstance(error, theirs.ModelRequestRejectedError | theirs.ModelQuotaExceededError | theirs.UserError):
        return True
    return isinstance(error, theirs.ModelHTTPError) and error.status_code < _LOWEST_OF_SERVERS


def _what(error: Exception) -> str:
    from pydantic_ai import exceptions as theirs

    if _is_endless(error):
        return "an answer that is longer than any, or encoded though that was not asked for"
    if isinstance(error, theirs.ModelRateLimitError):
        return f"too many requests ({_said(error)})"
    if isinstance(error, theirs.ModelUnavailableError | theirs.ModelServerError):
        return f"the server is ailing ({_said(error)})"
    if isinstance(error, theirs.ModelConnectionError):
        return f"no connection, or a broken one (phase: {error.phase or 'unknown'})"
    # No JSON, parts of it missing, or a failure that no class is known for.
    return f"an answer that is none ({type(error).__name__})"


def _is_answered(error: Exception) -> bool:
    """Whether something came with a status that says that all is well, and may have been paid for."""
    from pydantic_ai import exceptions as theirs

    if _is_endless(error):
        return True
    never = (
        theirs.ModelHTTPError
        | theirs.ModelRateLimitError
        | theirs.ModelUnavailableError
        | theirs.ModelServerError
        | theirs.ModelConnectionError
    )
    return not isinstance(error, never)


def _is_endless(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, TooLong):
        error = error.__cause__ or error.__context__
    return error is not None


def _said(error: Any) -> str:
    status = getattr(error, "status_code", None)
    code = getattr(error, "provider_error_code", None) or getattr(error, "provider_error_type", None)
    parts = [f"status {status}"] if status is not None else []
    if isinstance(code, str) and _CODE.fullmatch(code):
        parts.append(code)
    return ", ".join(parts) or type(error).__name__


def _advice(error: Exception) -> str:
    names = (kind.__name__ for kind in type(error).__mro__)
    return next((_ADVICE[name] for name in names if name in _ADVICE), _OTHER_ADVICE)
