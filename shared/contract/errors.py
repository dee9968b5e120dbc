"""Every error Daybook raises on purpose.

    DaybookError
    ├── Permanent                 trying again will not help; the message says what to change
    │   ├── InvalidInput          also a ValueError
    │   │   ├── InvalidScope
    │   │   ├── InvalidRun
    │   │   ├── InvalidQuery
    │   │   └── InvalidRecord     data that does not fit its schema
    │   ├── ConflictingMessage    an id that already stands for another text in the same run
    │   ├── NotFound
    │   ├── Misconfigured         settings, packages, roles
    │   │   ├── ExtensionMissing
    │   │   ├── SchemaMismatch
    │   │   ├── ModelMismatch
    │   │   └── InvalidSchema     a record's schema that cannot be registered
    │   ├── LedgerDamaged
    │   ├── ViewsDiffer
    │   └── ReadingsDiffer
    └── Retryable                 the same call may go through later
        ├── DatabaseUnavailable
        ├── BrokerUnavailable
        ├── InboxFull             too many runs of the tenant wait
        ├── LeaseLost         somebody else has taken the work over
        ├── RevertedInPart    a batch, in some streams
        ├── SpoolFailed       this machine's disk
        ├── ModelUnavailable  a provider of language models
        └── ServiceFailed         an embedded server did not start or stop

A class's docstring is its default message. What was involved (ids, values) is kept in `details`.
"""

from __future__ import annotations

import inspect


class DaybookError(Exception):
    """Daybook could not do what was asked."""

    def __init__(self, message: str | None = None, **details: object) -> None:
        super().__init__(message or inspect.getdoc(type(self)))
        self.details = details

    @property
    def code(self) -> str:
        """The stable name of this kind of error, for machines (`--json`, receipts)."""
        return type(self).__name__


class Permanent(DaybookError):
    """The request cannot succeed as it stands."""


class InvalidInput(Permanent, ValueError):
    """An argument is not acceptable."""


class InvalidScope(InvalidInput):
    """The scope is not acceptable."""


class InvalidRun(InvalidInput):
    """The run is not acceptable."""


class InvalidQuery(InvalidInput):
    """The query is not acceptable."""


class InvalidRecord(InvalidInput):
    """The record does not fit its schema."""


class ConflictingMessage(Permanent):
    """A message id of this run already stands for another text."""


class NotFound(Permanent):
    """There is nothing with that id in this scope."""


class Misconfigured(Permanent):
    """Daybook is not set up as it must be."""


class ExtensionMissing(Misconfigured):
    """The database lacks the extension `vector`: a superuser must run CREATE EXTENSION vector."""


class SchemaMismatch(Misconfigured):
    """The database has another schema version than this code: run `daybook migrate`."""


class ModelMismatch(Misconfigured):
    """The stored vectors are of another embedding model than the one configured."""


class InvalidSchema(Misconfigured):
    """The schema of a record cannot be registered."""


class LedgerDamaged(Permanent):
    """The ledger does not match its hash chain."""


class ViewsDiffer(Permanent):
    """The tables do not hold what the ledger comes to."""


class ReadingsDiffer(Permanent):
    """The rules do not read a run as they did under the same version."""


class Retryable(DaybookError):
    """The request may succeed later."""


class DatabaseUnavailable(Retryable):
    """Postgres cannot be reached."""


class BrokerUnavailable(Retryable):
    """The broker cannot be reached."""


class LeaseLost(Retryable):
    """The work is somebody else's: its lease had run out, and another took it over."""


class RevertedInPart(Retryable):
    """In some streams a batch could not be taken back; in all others it is."""


class InboxFull(Retryable):
    """Too many runs of this tenant wait to be worked off."""


class SpoolFailed(Retryable):
    """This machine's disk does not keep the runs that it should."""


class ModelUnavailable(Retryable):
    """The language model did not answer in time."""


class ServiceFailed(Retryable):
    """An embedded server did not do what was asked."""
