"""Invariant 5: a scope that could mean somebody else, or everybody, is no scope."""

from __future__ import annotations

import pytest

from shared.contract.errors import InvalidScope
from shared.contract.scope import TENANT_OWNER, Scope, checked_id, room_owner


@pytest.mark.parametrize("user_id", ["tenant:", "audit:", "room:kitchen", "tenant:x"])
def test_no_users_id_can_stand_for_the_tenant_a_room_or_the_audit(user_id: str) -> None:
    with pytest.raises(InvalidScope, match="reserved"):
        Scope(tenant_id="acme", user_id=user_id)


def test_only_tenant_wide_makes_a_scope_of_the_whole_tenant() -> None:
    wide = Scope.tenant_wide("acme")
    assert (wide.owner, wide.is_tenant_wide) == (TENANT_OWNER, True)
    with pytest.raises(InvalidScope, match="names no user"):
        Scope(tenant_id="acme", user_id="mira", is_tenant_wide=True)


def test_a_missing_user_is_an_error_that_names_it() -> None:
    with pytest.raises(InvalidScope, match="is missing or blank"):
        Scope(tenant_id="acme")


@pytest.mark.parametrize("value", ["*", "%", "u*", "*all*", "50%", "ALL", "None"])
def test_what_reads_as_a_wildcard_names_nobody(value: str) -> None:
    with pytest.raises(InvalidScope, match="wildcard"):
        Scope(tenant_id="acme", user_id=value)


@pytest.mark.parametrize("value", ["\u0430dmin", "adm\u0456n", "\u03bfskar", "\uff41dmin"])
def test_an_id_that_could_be_taken_for_another_is_refused(value: str) -> None:
    with pytest.raises(InvalidScope, match="taken for another id"):
        Scope(tenant_id="acme", user_id=value)


@pytest.mark.parametrize("value", ["мира", "óscar", "美羅", "mira@example.org", "auth0|12", "user_1", "Ωmega"[:1]])
def test_an_id_of_any_one_script_is_welcome(value: str) -> None:
    assert Scope(tenant_id="acme", user_id=value).owner == value


def test_a_run_or_message_may_be_called_what_other_systems_call_it() -> None:
    assert checked_id("run_id", "batch%2F7*") == "batch%2F7*"


def test_a_room_that_is_no_id_is_refused() -> None:
    with pytest.raises(InvalidScope, match="comma"):
        room_owner("a,b")
