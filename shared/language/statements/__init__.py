"""What people state of themselves and others in an English text: by rules over words and their parts of speech. Pure.

Made for what is typed into chats. Each rule would rather miss a statement than make one up: questions, conditions,
guesses, wishes, quotations, what others think, and fiction state nothing.

    contexts      which words are the speaker's own        clauses      one verb each, and whether it asserts
    dates         days, worked out from when it was said   subjects     whom it is about
    saying        the verb, and how it is meant            phrases      how far its object goes
    identity, places, work, relations, tastes, health, plans, settled, corrections      what is stated
    verb_frames   a table of verbs: object, change         frames       what they claim
    presupposed   what is so in a question too             notes        what has no subject or no verb
    duties, routines, whereabouts, bodies      what is to be done, is done often, lies where, hurts
    meant, objects      what is only a figure of speech      journeys      where somebody travels to
    revisions     what is taken back or put right at once  endings      what is over: a trip, a job, a life
    homes         where somebody may have moved to, and no tool or shop
    heightened    `I don't like it, I love it`
    reservations  what a sentence takes away from what it says
    partings      an animal, a tool, a second job that is theirs no longer
    circumstances what is denied or disliked of a circumstance alone
    quitting      a diet, a move, a wedding that is off
    dying         who only died laughing      undone      what was stolen and got back
    labels        words of another behind a label      passing      where one works or lives only for now
    retiring      who has no employer          distinct      each statement once
    leavings      a job, a home, a thing that they told of at another time, and have no longer
    moves         several moves of one sentence      exchanges     what is switched, and switched back
    reschedulings a journey or an appointment that is off, or on another day
    couples       who has parted or died      gaps      a verb that is left out: `and my brother at Acme`
    turns         what has taken another's place           orders       what an agent is told, one by one
    listed_about  lines below `About me`                   families     which rules are asked of whom
    wording       the same in the third person             reading      a whole message
"""

from shared.language.statements.reading import statements_in
from shared.language.statements.stated import Statement
from shared.language.statements.tagged import Token
from shared.language.statements.talk import Talk

__all__ = ["Statement", "Talk", "Token", "statements_in"]
