"""Which messages become episodes: rules without a model, first match wins.

Whatever they say, the message is evidence in the ledger. What they refuse is not searched, not extracted from, and can
be admitted later by other rules, because it is still there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from shared.belief.remains import own_words
from shared.belief.rules.instructions import speaks_to_its_reader
from shared.contract.events import Message, Role
from shared.contract.records import Action, Decision
from shared.contract.trust import TRUST, Origin
from shared.language.asking import asks_memory
from shared.language.text import is_blank

MAX_ANSWER_WORDS: Final = 2
MAX_ANSWER_CHARS: Final = 12
"""What is as short as this answers a question: the same words again may answer another one, and are no repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionContext:
    """What the rules need to know beside the message."""

    said: AbstractSet[tuple[str, str]] = frozenset()
    """(speaker, digest) of what was admitted before in this stream and session."""
    said_elsewhere: AbstractSet[tuple[str, str]] = frozenset()
    """The same of the whole stream, where a message is one that recalled memories came in with."""
    known_ends: AbstractSet[str] = frozenset()
    """Of the torn lines of the messages (`Message.torn`), those that are the ends of open memories of this stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One admission rule: what it decides where it applies."""

    name: str
    applies: Callable[[Message, AdmissionContext], bool]
    action: Action
    reason: str
    confidence: float

    @property
    def decision(self) -> Decision:
        """The verdict of this rule."""
        return Decision(action=self.action, rule=self.name, reason=self.reason, confidence=self.confidence)


def admit(message: Message, context: AdmissionContext) -> Decision:
    """Decide on one message. Never raises, and never quotes the message."""
    return next(rule.decision for rule in RULES if rule.applies(message, context))


def admit_run(messages: Iterable[Message], context: AdmissionContext) -> list[Decision]:
    """Decide on the messages of a run, in their order; what it admits counts as said for those that follow."""
    decisions = []
    for message in messages:
        decision = admit(message, context)
        decisions.append(decision)
        if decision.action is Action.STORE:
            context = replace(context, said=context.said | {(message.speaker, message.digest)})
    return decisions


def _is_recalled_block(message: Message, context: AdmissionContext) -> bool:
    """Whether nothing was left of a message once the front door had cut out what we had recalled into it.

    Nor is there where the caller says that all of it was recalled.
    """
    if message.origin is Origin.RECALLED:
        return True
    if not message.recalled:
        return False
    return is_blank(own_words(message, context.known_ends))


def _is_query(message: Message, context: AdmissionContext) -> bool:
    """Whether all that a user says beside recalled memories is what they were recalled for.

    Without the memories beside it a question is an episode: somebody may have asked a person.
    """
    if not message.recalled or message.role is not Role.USER or message.tool_calls:
        return False
    return asks_memory(own_words(message, context.known_ends))


def _is_blank(message: Message, _context: AdmissionContext) -> bool:
    return is_blank(message.text)


def _is_system(message: Message, _context: AdmissionContext) -> bool:
    return message.role in {Role.SYSTEM, Role.DEVELOPER}


_SHORT_CHARS: Final = 80
"""Longer messages are neither a heartbeat nor an acknowledgement."""
_WORD: Final = re.compile(r"[^\W_]+|[\U0001f300-\U0001faff\u2600-\u27bf]")
_SKIN: Final = re.compile("[\U0001f3fb-\U0001f3ff]")


def _plain(text: str) -> str:
    """A short text as lower-case words and emoji with single spaces; empty for a longer one."""
    if len(text) > _SHORT_CHARS:
        return ""
    folded = unicodedata.normalize("NFKC", _SKIN.sub("", text)).casefold().replace("’", "'").replace("'", "")  # noqa: RUF001 - the apostrophe that phones type
    return " ".join(_WORD.findall(folded))


_HEARTBEAT: Final = re.compile(
    r"(?:(?:type|event|status) )?"
    r"(?:ping|pong|ping pong|heart ?beat|keep ?alive|health ?check|no ?op)"
    r"(?: (?:ok|ack|pong))?"
    r"(?: \d{4} \d\d \d\d[\dtz ]*)?"  # a time after it
)


def _is_heartbeat(message: Message, _context: AdmissionContext) -> bool:
    return bool(_HEARTBEAT.fullmatch(_plain(message.text)))


def _is_repeat(message: Message, context: AdmissionContext) -> bool:
    """Whether it was said before: in the session, or at any time by a message that had recalled memories in it.

    An agent that recalls puts the same words into every run, each a session of its own where it names none.
    """
    if message.record is not None:
        return False  # the same again after another one is a change back
    answer = len(message.text) <= MAX_ANSWER_CHARS and len(message.text.split()) <= MAX_ANSWER_WORDS
    key = (message.speaker, message.digest)
    return not answer and (key in context.said or (message.recalled > 0 and key in context.said_elsewhere))


def _is_injection(message: Message, _context: AdmissionContext) -> bool:
    """Whether a text of low trust gives orders.

    Refused rather than kept at low trust: kept, it would be put before a model whenever it is found, and escaping alone
    does not stop a model from obeying. What the user says is theirs to say, in whatever shape.
    """
    return TRUST[message.origin] <= TRUST[Origin.TOOL] and speaks_to_its_reader(message.text)


# A word is here only if it can hardly be an answer: no "yes" and "no", none that is also a name or a place ("nice").
_ACKNOWLEDGEMENTS: Final = frozenset(
    (  # noqa: SIM905 - easier to review than a line a word
        "hi|hello|hey|hiya|hi there|hello there|hey there|good morning|good evening|good night|goodnight|bye|goodbye|"
        "see you|see you later|cya|thanks|thank you|thx|tysm|thanks a lot|thank you so much|many thanks|cheers|"
        "youre welcome|you are welcome|no problem|np|ok|okay|kk|okey|alright|got it|sounds good|great|awesome|perfect|"
        "cool|wow|lol|lmao|rofl|haha|hahaha|hehe|hmm|oh|"
        "hola|gracias|muchas gracias|hallo|danke|danke schön|vielen dank|tschüss|bonjour|salut|merci|merci beaucoup|"
        "ciao|grazie|olá|obrigado|obrigada|cześć|dzięki|dziękuję|привет|спасибо|"
        "你好|谢谢|谢谢你|好的|再见|こんにちは|ありがとう|ありがとうございます|안녕하세요|감사합니다|"
        "👍|👌|🙏|😂|🤣|😄|😊|🙂|👋|❤"
    ).split("|")
)
_LONGEST_ACKNOWLEDGEMENT: Final = max(len(phrase.split()) for phrase in _ACKNOWLEDGEMENTS)


def _is_acknowledgement(message: Message, _context: AdmissionContext) -> bool:
    words = _plain(message.text).split()
    return bool(words) and message.role in {Role.USER, Role.ASSISTANT} and _are_acknowledgements(words)


def _are_acknowledgements(words: list[str]) -> bool:
    """Whether the words are such phrases from end to end, the longest first."""
    while words:
        sizes = range(min(_LONGEST_ACKNOWLEDGEMENT, len(words)), 0, -1)
        size = next((size for size in sizes if " ".join(words[:size]) in _ACKNOWLEDGEMENTS), 0)
        if not size:
            return False
        words = words[size:]
    return True


def _always(_message: Message, _context: AdmissionContext) -> bool:
    return True


def _refusal(name: str, applies: Callable[[Message, AdmissionContext], bool], reason: str, confidence: float) -> Rule:
    return Rule(name=name, applies=applies, action=Action.IGNORE, reason=reason, confidence=confidence)


RULES: Final = (
    _refusal("recalled_block", _is_recalled_block, "its text held nothing but memories recalled into the run", 1.0),
    _refusal("blank", _is_blank, "it has no letter, digit or picture", 1.0),
    _refusal("system_text", _is_system, "it is the application's text to the model, not part of the conversation", 1.0),
    _refusal("heartbeat", _is_heartbeat, "it only shows that something runs", 0.95),
    _refusal("exact_repeat", _is_repeat, "the same speaker said exactly this before", 0.95),
    _refusal("query", _is_query, "it only asks, and what memory holds stood beside it", 0.8),
    _refusal("injection", _is_injection, "it comes from an origin of low trust and gives orders to its reader", 0.8),
    _refusal("acknowledgement", _is_acknowledgement, "it greets, thanks or agrees and says nothing else", 0.9),
    Rule(name="default", applies=_always, action=Action.STORE, reason="nothing speaks against it", confidence=0.6),
)
"""In the order they are tried. The last always applies."""
