from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hotpath._verdict import Claim, Grounds, conflicting, judge, stale
from shared.contract.bundle import Verdict

NOW = datetime(2031, 6, 1, tzinfo=UTC)
YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)
PORTO = Claim(says="Porto", group="mira/lives in")
FARO = Claim(says="Faro", group="mira/lives in")
BEARING = Grounds(found=True, evident=True, shown=True)


@pytest.mark.parametrize(
    ("grounds", "verdict", "reason"),
    [
        (Grounds(), Verdict.UNKNOWN, "nothing was found"),
        (Grounds(failure="the deadline passed"), Verdict.UNKNOWN, "the deadline passed"),
        (Grounds(found=True, shown=True), Verdict.UNKNOWN, "what was found is not near enough"),
        (BEARING, Verdict.SUPPORTED, "found memories that bear on the query"),
        (
            BEARING._replace(shown=False),
            Verdict.SUPPORTED,
            "found memories that bear on the query, and none of it fits the budget",
        ),
        (BEARING._replace(claims=(PORTO, PORTO)), Verdict.SUPPORTED, "found memories that bear on the query"),
        (
            BEARING._replace(claims=(PORTO, FARO)),
            Verdict.CONFLICTING,
            "2 memories that are held contradict each other about mira/lives in",
        ),
        (
            BEARING._replace(claims=(PORTO._replace(until=YESTERDAY), FARO)),
            Verdict.STALE,
            "the best memory ended on 2031-05-31",
        ),
        (Grounds(found=True, claims=(PORTO, FARO)), Verdict.UNKNOWN, None),
    ],
)
def test_the_first_that_applies_is_the_verdict(grounds: Grounds, verdict: Verdict, reason: str | None) -> None:
    judged = judge(grounds, NOW)
    assert judged[0] is verdict
    assert reason is None or judged[1].startswith(reason)


def test_claims_conflict_where_both_sides_hold_and_are_about_the_same() -> None:
    assert conflicting([PORTO, FARO], NOW)
    assert conflicting([PORTO._replace(until=TOMORROW), FARO], NOW)
    for other in (
        FARO._replace(until=YESTERDAY),
        FARO._replace(replaced=True),
        FARO._replace(group="tove/lives in"),
        FARO._replace(group=None),
        PORTO,
    ):
        assert conflicting([PORTO, other], NOW) == ""
    assert conflicting([PORTO._replace(group=None), FARO._replace(group=None)], NOW) == ""


def test_evidence_is_stale_where_the_best_of_it_is() -> None:
    ended = PORTO._replace(until=YESTERDAY)
    assert "ended on 2031-05-31" in stale([ended], NOW)
    assert "replaced" in stale([PORTO._replace(replaced=True)], NOW)
    old = PORTO._replace(at=NOW - timedelta(days=40), good_for=timedelta(days=30))
    assert stale([old], NOW) == "the best memory is 40 days old, and such a claim is good for 30"
    for best in (
        PORTO,
        PORTO._replace(until=TOMORROW),
        old._replace(good_for=timedelta(days=50)),
        old._replace(at=None),
    ):
        assert stale([best, ended], NOW) == ""
    assert stale([], NOW) == ""
    assert stale([ended], YESTERDAY - timedelta(days=1)) == "", "it held at the time that is asked about"
