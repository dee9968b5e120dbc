"""What an answer costs: by the settings, else by the table that comes with the client, else unknown.

The client's table (genai-prices) is of the day it was released; a price that changed since is in the next release, or
in the settings.
"""

from __future__ import annotations

from typing import Any, Final

from shared.models.port import Endpoint

_A_MILLION: Final = 1_000_000
_OTHER_NAMES: Final = {"openai-chat": "openai", "openai-responses": "openai"}
"""Of providers in the table."""


def of_response(endpoint: Endpoint, response: Any, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars of an answer whose provider measured it, with what it had cached; None where no price is known."""
    if endpoint.price is not None or endpoint.base_url is not None:
        return at_most(endpoint, input_tokens, output_tokens)
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return None


def at_most(endpoint: Endpoint, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars of so many tokens, none of them cached; None where no price is known."""
    if endpoint.price is not None:
        price = endpoint.price
        return (input_tokens * price.input_usd + output_tokens * price.output_usd) / _A_MILLION
    return _by_table(endpoint, input_tokens, output_tokens)


def _by_table(endpoint: Endpoint, input_tokens: int, output_tokens: int) -> float | None:
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        # A server of somebody else's may ask anything for a model of the same name.
        if endpoint.base_url is not None:
            found = calc_price(usage, endpoint.model, provider_api_url=endpoint.base_url)
        else:
            found = calc_price(
                usage, endpoint.model, provider_id=_OTHER_NAMES.get(endpoint.provider, endpoint.provider)
            )
    except (LookupError, ValueError):
        return None
    return float(found.total_price)
