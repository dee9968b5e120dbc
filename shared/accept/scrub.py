"""Takes secrets out of what comes in, before anything else sees it. Pure.

What is replaced leaves its kind behind, so that the sentence keeps its use: "the api key is [redacted: api key]".
Found are API keys of known forms, private keys, tokens and `Authorization` headers, credentials in URLs, payment card
numbers, and values that the text itself calls a password, key, token or PIN. What only resembles them (commit hashes,
UUIDs, ISBNs, telephone numbers, images in base64, "the password is wrong") stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from shared.accept.cards import card_spans
from shared.accept.commands import commands
from shared.accept.known_secrets import keys, private_keys, tokens, url_credentials
from shared.accept.said_secrets import kind_if_secret, said_secrets
from shared.accept.seen import seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_FURTHER_PASSES: Final = 3
"""A secret taken out can lay open another: in `…lampclient secret: …` the first swallows the word for the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """A text without its secrets."""

    text: str
    found: tuple[str, ...]
    """The kind of each secret removed, in the order they stood in."""


def scrub(text: str) -> Scrubbed:
    """Replace every secret in a text by `[redacted: <kind>]`.

    A text without secrets comes back as it is; scrubbing twice changes nothing more. Linear in the text.
    """
    scrubbed = _scrubbed_once(text)
    for _ in range(_FURTHER_PASSES if scrubbed.found else 0):
        again = _scrubbed_once(scrubbed.text)
        scrubbed = Scrubbed(text=again.text, found=scrubbed.found + again.found)
        if not again.found:
            break
    return scrubbed


def _scrubbed_once(text: str) -> Scrubbed:
    kept: list[str] = []
    kinds: list[str] = []
    end = 0
    shown = seen(text)
    for begins, ends, kind in _disjoint(shown.text):
        start, stop = shown.original(begins, ends)
        kept += [text[end:start], f"[redacted: {kind}]"]
        kinds.append(kind)
        end = stop
    return Scrubbed(text="".join([*kept, text[end:]]), found=tuple(kinds))


def scrub_json(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Scrub every string, whole number and field name inside a JSON value; returns it with what was found.

    A field whose name says what it holds (`{"password": "swordfish"}`) loses its value whole.
    """
    found: list[str] = []
    return _scrubbed(value, "", found), tuple(found)


def _scrubbed(value: Any, name: str, found: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {_scrubbed(key, "", found): _scrubbed(item, key, found) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_scrubbed(item, name, found) for item in value]
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    result = _scrubbed_text(str(value), name)
    found += result.found
    return result.text if result.found else value


def _scrubbed_text(text: str, name: str) -> Scrubbed:
    kind = kind_if_secret(name, text) if name else None
    return Scrubbed(text=f"[redacted: {kind}]", found=(kind,)) if kind else scrub(text)


def _disjoint(text: str) -> Iterator[Found]:
    """The secrets of a text in order; where two overlap, what they cover together, as the one that begins first."""
    current: Found | None = None
    for start, end, kind in sorted(_all(text), key=lambda found: found[0]):
        if current and start < current[1]:
            current = (current[0], max(current[1], end), current[2])
            continue
        if current:
            yield current
        current = (start, end, kind)
    if current:
        yield current


def _all(text: str) -> Iterator[Found]:
    """Every secret found; of two that begin together the one given first, by the surer finder, names the kind."""
    yield from private_keys(text)
    yield from keys(text)
    yield from tokens(text)
    yield from url_credentials(text)
    yield from said_secrets(text)
    yield from commands(text)
    yield from ((start, end, "card number") for start, end in card_spans(text))
