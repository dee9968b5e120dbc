"""Whether anything is known of a user: what a person mistypes is told as such, and not as a user of whom nothing is."""

from __future__ import annotations

from shared.contract.errors import NotFound
from shared.contract.scope import Scope, checked_scope, room_id_of
from shared.store import inbox, ledger
from shared.store.db import Database, Role


def require_known(database: Database, scope: Scope) -> None:
    """Refuse a scope of whose user nothing was ever stored, nothing waits, and who takes part in no room.

    Raises:
        InvalidScope: the scope is not acceptable.
        NotFound: nothing is known of the user.
    """
    checked_scope(scope)
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        in_rooms = any(room_id_of(owner) is not None for owner in session.owners)
        if in_rooms or ledger.end_of(session, scope.owner) or inbox.fresh(session, limit=1, longest_chars=0):
            return
    msg = f"nothing is known of user {scope.owner!r} of tenant {scope.tenant_id!r}; ids are compared exactly"
    raise NotFound(msg, tenant=scope.tenant_id, user=scope.owner)
