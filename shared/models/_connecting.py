"""Makes a provider's client for one call: key and address from the settings alone, what it may read bounded."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any, Final

from shared.contract.errors import Misconfigured
from shared.models.port import INSTALL, Endpoint

MOST_ANSWER_BYTES: Final = 16_000_000
"""Far above any answer; a server that sends without end is cut off before memory is short."""

_OURS: Final = {
    "openai": "https://api.openai.com/v1",
    "openai-chat": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
"""Providers whose client is given our connection, and where they live: left out, the SDKs read it from variables."""
_OUR_CLIENTS: Final = ("AsyncHTTPClient", "_OpenAIHTTPClient", "httpx2.AsyncClient")
"""How providers of the client write that they take one. Others keep the call's deadline, and bound no answer."""
_NO_KEY: Final = "none"
"""What a server of one's own is told where no key is set; left out, the SDKs look for one in variables."""


class TooLong(Exception):
    """An answer of more bytes than any answer has, or in an encoding that was not asked for."""


def check(endpoint: Endpoint) -> None:
    """That a client for the endpoint can be made, as far as that is known without connecting.

    Raises:
        Misconfigured: it cannot; the message says what to set.
    """
    if not endpoint.provider or not endpoint.model:
        raise Misconfigured(
            f"DAYBOOK_EXTRACTION_MODEL {endpoint.name!r} names no provider: write provider:model, for example "
            "openai:gpt-5-mini, anthropic:claude-haiku-4-5, or openai:NAME with DAYBOOK_EXTRACTION_BASE_URL"
        )
    takes = _parameters(_provider_class(endpoint))
    if endpoint.base_url is not None and endpoint.provider not in _OURS and "base_url" not in takes:
        raise Misconfigured(f"{endpoint.provider!r} takes no base URL: unset DAYBOOK_EXTRACTION_BASE_URL")
    if endpoint.api_key is None and endpoint.base_url is None and "api_key" in takes:
        raise Misconfigured(f"{endpoint.name!r} needs a key: set DAYBOOK_EXTRACTION_API_KEY")


def model_at(endpoint: Endpoint, connection: Any) -> Any:
    """The client's `Model` for an endpoint; `connection` is what `connection()` gave, and closes with it."""
    from pydantic_ai.models import infer_model

    # By default the client speaks OpenAI's Responses, which hardly any other server does.
    kind = "openai-chat" if endpoint.provider == "openai" else endpoint.provider
    return infer_model(f"{kind}:{endpoint.model}", provider_factory=lambda _: _provider(endpoint, connection))


def connection(deadline_s: float) -> Any:
    """A client of HTTP that follows no redirect, which would take a key elsewhere, and reads a bounded answer."""
    import httpx2

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(deadline_s),
        follow_redirects=False,
        # A few bytes of an encoded answer may be gigabytes once decoded.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bound]},
    )


async def _bound(response: Any) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise TooLong
    response.stream = _bounded(response.stream)


def _bounded(stream: Any) -> Any:
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_ANSWER_BYTES
            async for chunk in stream:
                left -= len(chunk)
                if left < 0:
                    raise TooLong
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def _provider(endpoint: Endpoint, connection: Any) -> Any:
    key = endpoint.api_key.get_secret_value() if endpoint.api_key else _NO_KEY
    if endpoint.provider in {"openai", "openai-chat"} and endpoint.base_url is not None:
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        return OpenAICompatibleProvider(
            "openai-compatible", base_url=endpoint.base_url, api_key=key, http_client=connection
        )
    made = _provider_class(endpoint)
    takes = _parameters(made)
    given: dict[str, Any] = {}
    if endpoint.provider in _OURS:
        given |= {"http_client": connection, "base_url": endpoint.base_url or _OURS[endpoint.provider]}
    else:
        given |= {"base_url": endpoint.base_url} if endpoint.base_url is not None else {}
        given |= {"http_client": connection} if _takes_ours(made) else {}
    if "api_key" in takes:
        given["api_key"] = key
    return made(**given)


def _provider_class(endpoint: Endpoint) -> Any:
    from pydantic_ai.providers import infer_provider_class

    try:
        return infer_provider_class(endpoint.provider)
    except ValueError:
        raise Misconfigured(
            f"{endpoint.provider!r} is no provider known: a server that speaks OpenAI's protocol is openai:MODEL with "
            "DAYBOOK_EXTRACTION_BASE_URL"
        ) from None
    except ImportError:
        raise Misconfigured(
            f"{endpoint.provider!r} needs a package more: {INSTALL} 'pydantic-ai-slim[{endpoint.provider}]'"
        ) from None


def _takes_ours(made: Any) -> bool:
    """Whether a provider takes a connection of ours, which bounds what is read; one of another library is none."""
    taken = inspect.signature(made.__init__).parameters.get("http_client")
    return taken is not None and any(name in str(taken.annotation) for name in _OUR_CLIENTS)


def _parameters(made: Any) -> frozenset[str]:
    return frozenset(inspect.signature(made.__init__).parameters)
