"""Invariant 5: nothing of another scope appears anywhere in what recall returns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shared.contract.bundle import Bundle
from shared.contract.errors import InvalidScope
from shared.contract.scope import Scope

Tell = Callable[..., None]
Ask = Callable[..., Bundle]

TENANTS = ("acme", "globex")
USERS = ("mira", "tomas", "eve")
ROOMS = ("harbour", "mira")
"""A room may bear the name of a user."""
MARKER = re.compile(r"marker\d+q")

UNSHRUNK = [Phase.generate]
"""An example takes a second: a failure is shown as it was found."""

_worlds = itertools.count(1)


@dataclass(frozen=True)
class Said:
    """One message, where it was said, and whether a worker has seen it."""

    tenant: str
    user: str
    room: str | None
    participants: frozenset[str]
    wide: bool
    worked_off: bool

    def scope(self, world: str) -> Scope:
        tenant = f"{self.tenant}-{world}"
        return Scope.tenant_wide(tenant) if self.wide else Scope(tenant_id=tenant, user_id=self.user)


said = st.builds(
    Said,
    tenant=st.sampled_from(TENANTS),
    user=st.sampled_from(USERS),
    room=st.one_of(st.none(), st.sampled_from(ROOMS)),
    participants=st.sets(st.sampled_from(USERS), max_size=3).map(frozenset),
    wide=st.booleans(),
    worked_off=st.booleans(),
)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=UNSHRUNK)
@given(everything=st.lists(said, min_size=4, max_size=10))
def test_no_word_of_another_scope_appears_in_any_part_of_a_bundle(everything: list[Said], tell: Tell, ask: Ask) -> None:
    world = str(next(_worlds))
    members: dict[tuple[str, str], set[str]] = {}
    refused: set[int] = set()
    for number, each in sorted(enumerate(everything), key=lambda pair: not pair[1].worked_off):
        scope, marker = each.scope(world), f"marker{number}q"
        room = None if each.wide else each.room
        people = sorted(each.participants | {each.user}) if room else []
        inside = members.get((each.tenant, room or ""))
        allowed = inside is None or each.user in inside
        with nullcontext() if allowed else pytest.raises(InvalidScope, match="takes no part"):
            tell(
                scope,
                {"id": f"id-{marker}", "text": f"The beehives of {marker} hum.", "speaker": f"speaker-{marker}"},
                run_id=f"run-{marker}",
                room=room,
                participants=people,
                work=each.worked_off,
            )
        refused |= set() if allowed else {number}
        if room and allowed:
            members.setdefault((each.tenant, room), set()).update(people)
    for tenant in TENANTS:
        for user in (*USERS, "stranger", None):
            name = f"{tenant}-{world}"
            scope = Scope(tenant_id=name, user_id=user) if user else Scope.tenant_wide(name)
            wanted = {
                f"marker{number}q"
                for number, each in enumerate(everything)
                if each.tenant == tenant and number not in refused and may_read(each, user, members)
            }
            _check(ask(scope, "Which beehives hum?", explain=True, k=100), user, wanted, tenant, members)


def may_read(each: Said, user: str | None, members: dict[tuple[str, str], set[str]]) -> bool:
    if each.wide:
        return True
    if each.room:
        return user in members.get((each.tenant, each.room), set())
    return user == each.user


def _check(
    bundle: Bundle, user: str | None, wanted: set[str], tenant: str, members: dict[tuple[str, str], set[str]]
) -> None:
    assert bundle.degraded == ()
    assert set(MARKER.findall(bundle.text)) == wanted, "all of its own and nothing else"
    assert set(MARKER.findall(repr(bundle))) == wanted
    assert {MARKER.findall(source.run_id or "")[0] for hit in bundle.hits for source in hit.sources} == wanted
    assert not MARKER.search(" ".join(bundle.plan))
    rooms = {f"room:{room}" for (whose, room), people in members.items() if whose == tenant and user in people}
    assert {mark.owner for mark in bundle.watermarks} <= {user, "tenant:", *rooms}
