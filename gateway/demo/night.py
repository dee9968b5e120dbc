"""What a demonstration shows of a night: what the jobs change, a profile with versions, a page, a batch taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from gateway.demo.believing import Run, believed
from shared.contract.errors import NotFound
from shared.contract.scope import Scope
from shared.work.queues import CONSOLIDATE, DEDUPE, LINK, PROMOTE, PRUNE, SUPERSEDE

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.tidying import Tidied
    from shared.belief.blocks import Shown

SHIPPED: Final = Path(__file__).with_name("night.json")
WHO: Final = "nils"
OFTEN: Final = "first the tide table"
"""Said in three sessions, so that something is concluded of it."""
JOBS: Final = (DEDUPE, PROMOTE, SUPERSEDE, PRUNE, CONSOLIDATE, LINK)
"""In the order of the night, without those that take a model, rebuild or count."""


@dataclass(frozen=True, kw_only=True)
class Night:
    """A night, and what it came to."""

    jobs: tuple[Tidied, ...]
    """Each as it was rehearsed, with its changes, and the batch that then did them."""
    concluded: tuple[str, ...]
    """What was believed after the night that was not before."""
    profile: tuple[Shown, ...]
    """What is held of the user, block by block."""
    history: tuple[Shown, ...]
    """The versions of where they live."""
    page: str
    """The wiki's page of the user, in Markdown."""
    taken_back: int
    """Operations by which the batch of `consolidate` was taken back."""
    left: tuple[str, ...]
    """Of what was concluded, what is believed after that."""

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What is not as it should be."""
        return tuple(self._faults())

    @property
    def right(self) -> bool:
        """Whether all is as it should be."""
        return not self.faults

    def _faults(self) -> Iterator[str]:
        if not any(OFTEN in text for text in self.concluded):
            yield "nothing was concluded of what was said three times"
        if any(OFTEN in text for text in self.left):
            yield "what was taken back is still believed"
        if len(self.history) < 2:  # noqa: PLR2004 - here and there
            yield "the profile has no earlier version"
        if "Oslo" not in self.page:
            yield "the page does not say where they live"
        yield from (f"{each.job}: {each.error}" for each in self.jobs if each.error)


def shipped() -> tuple[Run, ...]:
    """The runs that come with Daybook."""
    return TypeAdapter(tuple[Run, ...]).validate_json(SHIPPED.read_bytes())


def sleep(daybook: Daybook, tenant: str) -> Night:
    """Have the jobs of a night done to what one user has said, and the conclusions taken back."""
    scope = Scope(tenant_id=tenant, user_id=WHO)
    before = _texts(daybook, scope)
    jobs = tuple(_done(daybook, tenant, job) for job in JOBS)
    after = _texts(daybook, scope)
    concluded = tuple(text for text in after if text not in before)
    profile, history = daybook.profile(scope).blocks, tuple(daybook.profile_history(scope, "lives_in"))
    return Night(
        jobs=jobs,
        concluded=concluded,
        profile=tuple(profile),
        history=history,
        page=_page(daybook, scope),
        taken_back=_take_back(daybook, tenant, jobs),
        left=tuple(text for text in _texts(daybook, scope) if text in concluded),
    )


def _done(daybook: Daybook, tenant: str, job: str) -> Tidied:
    from dataclasses import replace

    from gateway import tidying

    database, settings = daybook.database(), daybook.settings
    shown = tidying.rehearse(database, settings, tenant, job, _unheard, user_id=WHO)
    done = tidying.tidy(database, settings, tenant, job, _unheard, user_id=WHO)
    return replace(done, changes=shown.changes)


def _take_back(daybook: Daybook, tenant: str, jobs: tuple[Tidied, ...]) -> int:
    from coldpath.proposals import revert

    batch = next(each.batch_id for each in jobs if each.job == CONSOLIDATE)
    return revert(daybook.database(), tenant, batch).operations if batch else 0


def _page(daybook: Daybook, scope: Scope) -> str:
    """The page of the user; empty where too little is held of them for one."""
    from gateway.wiki.reading import page_named, wiki_of

    wiki = wiki_of(daybook.database(), daybook.settings, scope)
    with suppress(NotFound):
        return page_named(wiki, WHO).text
    return ""


def _texts(daybook: Daybook, scope: Scope) -> list[str]:
    return [each.text for each in believed(daybook.database(), scope)]


def _unheard(_done: int, _total: int | None) -> None:
    """Nobody waits for a few seconds' work."""
