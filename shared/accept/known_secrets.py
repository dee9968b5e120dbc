"""Secrets told by their own form: keys with a known prefix, private keys, tokens, credentials in URLs. Pure.

The forms are those that the providers document or that secret scanners publish. A key counts only where it begins: what
stands inside a longer word (or a base64 line) is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept.likeness import is_placeholder, is_random

if TYPE_CHECKING:
    from collections.abc import Iterator

Found = tuple[int, int, str]
"""Start, end and kind of a secret in a text."""

_KEY_FORMS: Final = (
    ("sk-", r"[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse
    ("pk-", r"[A-Za-z0-9_-]{20,}"),
    ("gsk_", r"[A-Za-z0-9]{20,}"),  # Groq
    ("xai-", r"[A-Za-z0-9]{20,}"),
    ("pplx-", r"[A-Za-z0-9]{20,}"),
    ("r8_", r"[A-Za-z0-9]{30,}"),  # Replicate
    ("hf_", r"[A-Za-z0-9]{20,}"),
    ("lsv2_", r"[A-Za-z0-9_]{20,}"),  # LangSmith
    ("tvly-", r"[A-Za-z0-9-]{16,}"),
    ("sk_live_", r"[A-Za-z0-9]{10,}"),  # Stripe
    ("sk_test_", r"[A-Za-z0-9]{10,}"),
    ("rk_live_", r"[A-Za-z0-9]{10,}"),
    ("rk_test_", r"[A-Za-z0-9]{10,}"),
    ("whsec_", r"[A-Za-z0-9+/=]{16,}"),
    ("ghp_", r"[A-Za-z0-9]{20,}"),  # GitHub
    ("gho_", r"[A-Za-z0-9]{20,}"),
    ("ghu_", r"[A-Za-z0-9]{20,}"),
    ("ghs_", r"[A-Za-z0-9]{20,}"),
    ("ghr_", r"[A-Za-z0-9]{20,}"),
    ("github_pat_", r"[A-Za-z0-9_]{20,}"),
    ("glpat-", r"[A-Za-z0-9_.-]{16,}"),  # GitLab
    ("gldt-", r"[A-Za-z0-9_-]{16,}"),
    ("glrt-", r"[A-Za-z0-9_-]{16,}"),
    ("glptt-", r"[A-Za-z0-9_-]{16,}"),
    ("xox", r"[abeoprs]-[A-Za-z0-9-]{10,}"),  # Slack
    ("xapp-", r"[A-Za-z0-9-]{10,}"),
    ("hooks.slack.com/services/", r"[A-Za-z0-9/]{16,}"),
    ("AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # Amazon
    ("ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ABIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AIza", r"[A-Za-z0-9_-]{30,}"),  # Google
    ("GOCSPX-", r"[A-Za-z0-9_-]{20,}"),
    ("ya29.", r"[A-Za-z0-9_-]{20,}"),
    ("npm_", r"[A-Za-z0-9]{20,}"),
    ("pypi-AgE", r"[A-Za-z0-9_-]{16,}"),
    ("dckr_pat_", r"[A-Za-z0-9_-]{16,}"),
    ("SG.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"),  # SendGrid
    ("dop_v1_", r"[a-f0-9]{32,}"),  # DigitalOcean
    ("doo_v1_", r"[a-f0-9]{32,}"),
    ("shpat_", r"[A-Fa-f0-9]{32}"),  # Shopify
    ("shpss_", r"[A-Fa-f0-9]{32}"),
    ("dapi", r"[a-f0-9]{32}(?![A-Za-z0-9])"),  # Databricks
    ("lin_api_", r"[A-Za-z0-9]{20,}"),  # Linear
    ("ntn_", r"[A-Za-z0-9]{30,}"),  # Notion
    ("secret_", r"[A-Za-z0-9]{40,}"),
    ("sq0", r"(?:atp|csp)-[A-Za-z0-9_-]{20,}"),  # Square
    ("hvs.", r"[A-Za-z0-9_-]{20,}"),  # Vault
    ("sbp_", r"[a-f0-9]{40}"),  # Supabase
    ("glsa_", r"[A-Za-z0-9_]{30,}"),  # Grafana
    ("ATATT3", r"[A-Za-z0-9_=-]{20,}"),  # Atlassian
    ("NRAK-", r"[A-Z0-9]{20,}"),  # New Relic
    ("PMAK-", r"[a-f0-9-]{30,}"),  # Postman
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
)
_KEYS: Final = tuple((prefix, re.compile(re.escape(prefix) + rest)) for prefix, rest in _KEY_FORMS)
_AMAZON: Final = frozenset({"AKIA", "ASIA"})
_AMAZON_SECRET: Final = re.compile(
    r"(?<![A-Za-z0-9/+=])(?=[^\sa-z]{0,39}[a-z])(?=[^\sA-Z]{0,39}[A-Z])(?=[^\s0-9]{0,39}[0-9])"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
"""The secret that belongs to a key's id: 40 letters of base64. It has no prefix, and counts only near such an id."""
_NEAR_CHARS: Final = 120
_DOUBTFUL: Final = frozenset({"sk-", "pk-"})
"""Prefixes that ordinary hyphenated words share."""

_PEM_MARK: Final = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Final = re.compile(r"[A-Za-z0-9+/=]{16}")
_TORN_PEM_BODY: Final = re.compile(r"(?:(?:[\s>]|\\[nr])*+[A-Za-z0-9+/=]{16,}+)*+")
_JWT: Final = re.compile(r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]++){1,4}+")
_HEADER: Final = re.compile(
    r"authorization\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?"
    r"(?:(bearer|basic|token|digest|negotiate|apikey)\s{1,3})?+([A-Za-z0-9+/=_.~:-]{6,}+)",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"\bbearer\s{1,3}([A-Za-z0-9+/=_.~-]{16,}+)", re.IGNORECASE)
_SCHEME_WORDS: Final = frozenset(
    {"authentication", "authorization", "credentials", "required", "scheme", "header", "tokens"}
)
_USERINFO: Final = re.compile(
    r"://([^\s/?#:@\"'<>\[\]]{0,128}):"
    r"((?:[^\s/?#\"'<>]{1,256}|(?!\d{1,5}[/?#])[^\s\"'<>]{1,256}))@(?=[^\s@])"
)
_TOKEN_AS_USER: Final = re.compile(r"://([^\s/?#:@\"'<>\[\]]{16,256})(?::[^\s/?#@\"'<>]{0,64})?@(?=[^\s@])")


def keys(text: str) -> Iterator[Found]:
    """Keys with a known prefix."""
    for prefix, pattern in _KEYS:
        if prefix in text:
            for match in pattern.finditer(text):
                start, end = match.span()
                if text[start - 1 : start].isalnum() or (
                    prefix in _DOUBTFUL and not is_random(match[0][len(prefix) :])
                ):
                    continue
                yield start, end, "api key"
                if prefix in _AMAZON:
                    yield from _amazon_secrets(text, start, end)


def _amazon_secrets(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _AMAZON_SECRET.finditer(text, max(start - _NEAR_CHARS, 0), end + _NEAR_CHARS):
        yield *match.span(), "api key"


def private_keys(text: str) -> Iterator[Found]:
    """Private keys in PEM or PGP armour, the marks included; of one cut short, as much as is there."""
    begin: re.Match[str] | None = None
    for mark in _PEM_MARK.finditer(text):
        if begin and mark[1] == "END":
            if _PEM_BODY.search(text, begin.end(), mark.start()):
                yield begin.start(), mark.end(), "private key"
            begin = None
        elif mark[1] == "BEGIN":
            yield from _torn_key(text, begin)
            begin = mark
    yield from _torn_key(text, begin)


def _torn_key(text: str, begin: re.Match[str] | None) -> Iterator[Found]:
    body = _TORN_PEM_BODY.match(text, begin.end()) if begin else None
    if begin and body and body[0]:
        yield begin.start(), body.end(), "private key"


def tokens(text: str) -> Iterator[Found]:
    """JSON web tokens, and what follows `Authorization:` or `Bearer`."""
    if "eyJ" in text:
        yield from ((*match.span(), "token") for match in _JWT.finditer(text))
    for match in _HEADER.finditer(text):
        scheme, value = match.groups()
        if value.casefold() not in _SCHEME_WORDS and (scheme or is_random(value)):
            yield *match.span(2), "password" if (scheme or "").casefold() == "basic" else "token"
    for match in _BEARER.finditer(text):
        if is_random(match[1]):
            yield *match.span(1), "token"


def url_credentials(text: str) -> Iterator[Found]:
    """The password in `scheme://user:password@host`, and a token that stands in the user's place."""
    for match in _USERINFO.finditer(text):
        if not is_placeholder(match[2]):
            yield *match.span(2), "password"
    for match in _TOKEN_AS_USER.finditer(text):
        if is_random(match[1]):
            yield *match.span(1), "token"
