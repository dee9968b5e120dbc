"""What a Redis server does when its memory is full. A broker that drops keys loses rings without a word."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from shared.contract.errors import BrokerUnavailable, DaybookError, Misconfigured
from shared.log import logger

KEEPS_ALL: Final = "noeviction"

_LOG: Final = logger(__name__)
_TIMEOUT_S: Final = 2.0


def eviction_policy(url: str, *, timeout_s: float) -> str | None:
    """The server's `maxmemory_policy`; None for a broker of another kind, or one that does not say.

    Raises:
        BrokerUnavailable: it does not answer.
        Misconfigured: the URL is none of a Redis server.
    """
    if not urlsplit(url).scheme.startswith("redis"):
        return None
    import redis

    try:
        with redis.Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s) as client:
            # INFO and not CONFIG: the latter is refused by most servers that somebody else runs.
            found = client.info("memory").get("maxmemory_policy")
    except redis.RedisError as error:
        raise BrokerUnavailable(f"the broker does not answer: {error}") from error
    except ValueError as error:
        raise Misconfigured("DAYBOOK_REDIS_URL is no URL of a Redis server, such as redis://host:6379/0") from error
    return str(found) if found else None


def warn_of_eviction(url: str) -> None:
    """Say in the log if the server drops keys when its memory is full. Never raises: whoever needs it says so."""
    try:
        policy = eviction_policy(url, timeout_s=_TIMEOUT_S)
    except DaybookError:
        return
    if policy not in (None, KEEPS_ALL):
        _LOG.warning(
            "the broker's maxmemory-policy is %s: it drops rings when its memory is full, and runs wait for the sweep; "
            "set it to %s",
            policy,
            KEEPS_ALL,
        )
