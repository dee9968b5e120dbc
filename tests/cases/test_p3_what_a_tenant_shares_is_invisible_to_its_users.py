"""What was stored for a whole tenant was invisible to a user of it: visibility was an exact match of the user.

Seen in hardness1020/learn-agent-memory. A user sees what the tenant shares beside their own, and nothing else.
"""

from __future__ import annotations

import pytest

from tests.cases.adapter import EVERYBODY, Words, said

pytestmark = pytest.mark.usefixtures("no_dense")

QUERY = "When does the warehouse close?"
SHARED = "The warehouse closes at six."
OWN = "My warehouse badge opens the side door."


def texts(words: Words, t: str, u: str) -> set[str]:
    return {item.text for item in words.bundle(t, u, QUERY).items}


def test_a_user_sees_what_the_tenant_shares_beside_their_own(words: Words) -> None:
    words.ingest("acme", EVERYBODY, "handbook", [said(SHARED)])
    words.ingest("acme", "mira", "r1", [said(OWN)])
    assert texts(words, "acme", "mira") == {SHARED, OWN}
    assert texts(words, "acme", "oskar") == {SHARED}


def test_the_watermarks_of_the_bundle_name_the_shared_stream(words: Words) -> None:
    words.ingest("acme", EVERYBODY, "handbook", [said(SHARED)])
    words.ingest("acme", "mira", "r1", [said(OWN)])
    assert {each.owner for each in words.bundle("acme", "mira", QUERY).watermarks} == {"mira", EVERYBODY}


def test_what_is_shared_is_seen_while_it_is_on_its_way(words: Words) -> None:
    words.accept("acme", EVERYBODY, "handbook", [said(SHARED)])
    assert texts(words, "acme", "mira") == {SHARED}


def test_another_tenants_users_see_nothing_of_it(words: Words) -> None:
    words.ingest("acme", EVERYBODY, "handbook", [said(SHARED)])
    assert texts(words, "globex", "mira") == set()


def test_the_tenants_own_scope_sees_nothing_of_its_users(words: Words) -> None:
    words.ingest("acme", "mira", "r1", [said(OWN)])
    assert texts(words, "acme", EVERYBODY) == set()
