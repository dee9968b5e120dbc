"""The only door to model providers: the language model that the settings name (the extra `llm`)."""

from __future__ import annotations

import importlib.util

from shared.contract.errors import Misconfigured
from shared.models.port import INSTALL, Endpoint, Llm, Price
from shared.settings import Settings


def llm(settings: Settings) -> Llm | None:
    """The language model that the settings name; None where they name none.

    The first call in a process imports the client, which takes some seconds; it connects to nothing.

    Raises:
        Misconfigured: the extra is not installed, the provider is not known, or its key is missing.
    """
    if settings.extraction_model is None:
        return None
    return connect(
        Endpoint(
            name=settings.extraction_model,
            base_url=settings.extraction_base_url,
            api_key=settings.extraction_api_key,
            price=_price(settings),
        )
    )


def connect(endpoint: Endpoint) -> Llm:
    """The language model at an endpoint. Raises as `llm`."""
    if importlib.util.find_spec("pydantic_ai") is None:
        raise Misconfigured(
            f"the model {endpoint.name!r} needs the extra `llm`: {INSTALL}. Without DAYBOOK_EXTRACTION_MODEL, "
            "rules read the runs, and need neither",
            model=endpoint.name,
        )
    from shared.models._providers import ProviderLlm

    return ProviderLlm(endpoint)


def _price(settings: Settings) -> Price | None:
    if settings.extraction_input_usd is None or settings.extraction_output_usd is None:
        return None
    return Price(input_usd=settings.extraction_input_usd, output_usd=settings.extraction_output_usd)
