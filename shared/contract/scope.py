"""Whose memory: the first argument of everything."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, NewType

from shared.contract.errors import InvalidScope

Owner = NewType("Owner", str)
"""What a row's `user_id` holds: a user's id, `room:<id>`, `tenant:` or `audit:`."""

MAX_ID_CHARS: Final = 200
TENANT_OWNER: Final = Owner("tenant:")
"""Owner of what every user of the tenant may read."""
AUDIT_OWNER: Final = Owner("audit:")
"""Owner of the audit stream; never in a caller's list."""
SYSTEM_TENANT: Final = "system:"
"""Tenant of work that goes over all tenants; it has no memory, and no caller can name it."""

_RESERVED_PREFIXES: Final = ("room:", "tenant:", "audit:", "system:")
_WILDCARDS: Final = frozenset({"*", "%", "_", "?", "all", "null", "none", "undefined"})
_WILDCARD_CHARACTERS: Final = frozenset("*%")
_NAMES_OF_CONTENT: Final = frozenset({"run_id", "message_id", "session_id"})
"""Ids that say nothing of whose memory is meant: any that other systems make will do."""
_LOOK_ALIKE_SCRIPTS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def checked_id(name: str, value: object) -> str:
    """Return `value` when it can name a tenant, user, agent, session, room, run or message.

    An id is 1 to 200 characters, in NFKC form already (so that two ids that look alike are not two people), without
    spaces at its ends, control or invisible characters, a comma (the list of readable owners is joined by commas), a
    reserved prefix, and is not a word that other systems read as "any". One that says whose memory is meant (a tenant,
    a user, a room, an agent) also holds no wildcard and does not mix scripts whose letters look alike. Case matters.

    Raises:
        InvalidScope: it is not; the message names the rule. The value is never echoed whole.
    """
    if not isinstance(value, str):
        msg = f"{name} must be a string, not {type(value).__name__}; pass the id you know this {name[:-3]} by"
        raise InvalidScope(msg, field=name)
    reason = _why_not(value) or (None if name in _NAMES_OF_CONTENT else _why_mistakable(value))
    if reason:
        msg = f"{name} {value[:40]!r} {reason}"
        raise InvalidScope(msg, field=name)
    return value


def _why_not(value: str) -> str | None:  # noqa: PLR0911 - one return a rule is the clearest form
    if not value.strip():
        return "is missing or blank; pass the id itself"
    if len(value) > MAX_ID_CHARS:
        return f"has {len(value)} characters; the limit is {MAX_ID_CHARS}"
    if value != value.strip():
        return "begins or ends with a space; strip it"
    if value.casefold() in _WILDCARDS:
        return "reads as a wildcard; Daybook has none, name one id"
    if any(unicodedata.category(char) in _FORBIDDEN_CATEGORIES for char in value):
        return "holds a control or invisible character; remove it"
    if unicodedata.normalize("NFKC", value) != value:
        return "is not in Unicode form NFKC, so it could be taken for another id; normalise it first"
    if "," in value:
        return "holds a comma, which ids may not"
    if value.startswith(_RESERVED_PREFIXES):
        return f"begins with one of the reserved prefixes {', '.join(_RESERVED_PREFIXES)}"
    return None


def _why_mistakable(value: str) -> str | None:
    if not _WILDCARD_CHARACTERS.isdisjoint(value):
        return "holds * or %, which read as wildcards; Daybook has none, name one id"
    if len(_LOOK_ALIKE_SCRIPTS.intersection(map(_script, value))) > 1:
        return "mixes Latin, Greek and Cyrillic letters, so it could be taken for another id; use one of them"
    return None


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose memory is meant. A value: compare it, hash it, pass it on.

    `agent_id` and `session_id` label what is written. A read that names an agent does not see what another agent's name
    stands on, but in rooms, which are their participants'; one that names none sees all of the user's. A session hides
    nothing from a read. For what a tenant's users share, use `Scope.tenant_wide`; a missing user is never read as
    "everybody".

    Raises:
        InvalidScope: an id is missing, blank, of a wrong type or otherwise not acceptable.
    """

    tenant_id: str = ""
    user_id: str = ""
    agent_id: str | None = None
    session_id: str | None = None
    is_tenant_wide: bool = False
    """Set by `tenant_wide` alone: no user's id means everybody."""

    def __post_init__(self) -> None:
        checked_id("tenant_id", self.tenant_id)
        if not self.is_tenant_wide:
            checked_id("user_id", self.user_id)
        elif self.user_id != TENANT_OWNER:
            raise InvalidScope("a tenant-wide scope names no user: make it with Scope.tenant_wide(tenant_id)")
        for name in ("agent_id", "session_id"):
            if getattr(self, name) is not None:
                checked_id(name, getattr(self, name))

    @classmethod
    def tenant_wide(cls, tenant_id: str, *, agent_id: str | None = None) -> Scope:
        """The memory that all users of the tenant share, and nothing of any one of them."""
        return cls(tenant_id=tenant_id, user_id=TENANT_OWNER, agent_id=agent_id, is_tenant_wide=True)

    @property
    def owner(self) -> Owner:
        """The owner of rows written for this scope outside any room."""
        return Owner(self.user_id)


def checked_scope(scope: object) -> Scope:
    """Return `scope` if it is one.

    Raises:
        InvalidScope: it is something else; nothing has been read or written.
    """
    if not isinstance(scope, Scope):
        msg = f"the first argument must be a Scope, not {type(scope).__name__}: Scope(tenant_id=…, user_id=…)"
        raise InvalidScope(msg)
    return scope


def room_owner(room_id: str) -> Owner:
    """The owner of rows of a group conversation.

    Raises:
        InvalidScope: the room's id is not acceptable.
    """
    return Owner(f"room:{checked_id('room_id', room_id)}")


def room_id_of(owner: Owner) -> str | None:
    """The id of the room whose owner it is, if it is one's."""
    return owner.removeprefix("room:") if owner.startswith("room:") else None


def stream_of(owner: Owner) -> str:
    """The name of the one stream that an owner's events are written to."""
    if owner in (TENANT_OWNER, AUDIT_OWNER):
        return owner.removesuffix(":")
    return owner if owner.startswith("room:") else f"user:{owner}"


def owner_of(stream: str) -> Owner:
    """Whose events a stream holds: the inverse of `stream_of`."""
    named = {stream_of(owner): owner for owner in (TENANT_OWNER, AUDIT_OWNER)}
    return named.get(stream) or Owner(stream.removeprefix("user:"))
