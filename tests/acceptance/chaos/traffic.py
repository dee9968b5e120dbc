"""The runs that each point feeds: two users and a room of both, whose end state does not depend on their order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from shared.contract.scope import Scope

ROOM: Final = "garden"
PEOPLE: Final = ("mira", "oz")
_BEGUN: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)

_SAID: Final = (
    ("I keep two beehives on the roof.", "Which bees are they?", "Buckfast bees, and they are gentle."),
    ("The boat is called Kestrel and lies in the north harbour.", "Noted: Kestrel, north harbour."),
    ("  ", "My sister Ana moved to Porto in May.", "How does she like it there?"),
    ("Take the tram, line 28, to the dentist.", "ping", "The appointment is at a quarter past four."),
    ("我在屋顶上养了两箱蜜蜂。", "Honey from the roof is ready in July."),
    ("The spare key hangs behind the blue door.", "The spare key hangs behind the blue door."),
    ("Oz is allergic to walnuts, not to hazelnuts.", "I shall leave walnuts out.", "Thank you."),
    ("The lease of the studio ends on 30 September 2027.", "ok", "It can be prolonged by a year."),
    ("Rehearsals are on Tuesdays, in the old chapel.", "Who conducts?", "Benedikta does, since last winter."),
    ("I walked eleven kilometres along the river.", "That is two more than on Sunday."),
    ("The router's light blinks red after every storm.", "Try the other socket first.", "It works now."),
    ("We plant the beans behind the fig tree.", "Then the tomatoes need another bed.", "Beside the shed, perhaps."),
    ("The shed needs a new lock.", "The old one was bought in 2009.", "I can bring one on Friday."),
    ("Who waters the garden in August?", "I do, in the first two weeks.", "And I from the fifteenth on."),
    ("The wasps have built under the eaves.", "Leave them until the frost.", "They keep the aphids down."),
    ("The compost is warm, forty degrees inside.", "It will be ready in spring.", "We share it half and half."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A run to be observed."""

    run_id: str
    user: str
    room: str | None
    session: str | None
    messages: tuple[dict[str, Any], ...]

    def scope(self, tenant: str) -> Scope:
        """Whose run it is, in one tenant."""
        return Scope(tenant_id=tenant, user_id=self.user, session_id=self.session)

    @property
    def people(self) -> tuple[str, ...]:
        """Participants, of a run in the room."""
        return PEOPLE if self.room else ()

    def document(self) -> dict[str, Any]:
        """The run as the command line takes it."""
        room = {"room": self.room, "participants": list(PEOPLE)} if self.room else {}
        return {"run_id": self.run_id, "messages": list(self.messages), **room}


def _said(number: int, texts: tuple[str, ...]) -> Said:
    user = PEOPLE[number % 2]
    shared = number % 3 == 2
    other = PEOPLE[(number + 1) % 2] if shared else "assistant"
    return Said(
        run_id=f"run-{number:02}",
        user=user,
        room=ROOM if shared else None,
        session=f"evening-{user}" if number in {0, 4} else None,
        messages=tuple(
            {
                "id": f"m{number:02}-{place}",
                "role": "assistant" if other == "assistant" and place % 2 else "user",
                "speaker": other if place % 2 else user,
                "ts": (_BEGUN + timedelta(days=number, minutes=place)).isoformat(),
                "text": text,
            }
            for place, text in enumerate(texts)
        ),
    )


RUNS: Final = tuple(_said(number, texts) for number, texts in enumerate(_SAID))
"""Each with texts of its own, so that no decision on one depends on whether another came before."""
