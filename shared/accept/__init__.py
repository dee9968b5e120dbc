"""The front door of every write: what comes in is checked, cleaned, scrubbed, dated and keyed, and then stands in the
inbox.

The parts that work on values alone: `raw` (what callers hand in), `content` (chat formats), `times` (one rule for
times), `scrub` (secrets; with `known_secrets`, `said_secrets`, `likeness`, `cards`), `clean` (all of it, to a run).
`scrub` is both a module and its function, so import that one from its module: `from shared.accept.scrub import scrub`.
"""

from __future__ import annotations

from shared.accept.clean import clean_run, derived_room, digest_of
from shared.accept.raw import RawMessage

__all__ = ["RawMessage", "clean_run", "derived_room", "digest_of"]
