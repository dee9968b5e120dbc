"""Which parts of a message are its speaker's own words, said in earnest: the rest is blanked out. Pure.

Code, quotations, text handed in to be worked on, and whole messages that are fiction or taken back as a joke say
nothing of their speaker. Blanks keep every other character at its place.
"""

from __future__ import annotations

import re
from typing import Final

from shared.language.statements.verbs import LEMMAS

MAX_CHARS: Final = 4_000
"""A message is read up to here; a longer one is a document."""

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|https?://\S+|<[a-zA-Z/][^>\n]*>", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_QUOTED: Final = re.compile(r'"[^"\n]{2,600}"|\u201c[^\u201d\n]{2,600}\u201d|\u00ab[^\u00bb\n]{2,600}\u00bb')
_BRACKETED: Final = re.compile(r"(?<![:;=\u002d])\((?P<round>[^()\n]{2,300})\)|\[(?P<square>[^\[\]\n]{2,300})\]")
_OF_THE_SPEAKER: Final = re.compile(r"\b(?:i|im|ive|my|me|we|our|mine)\b")
_OF_OTHERS: Final = frozenset(
    {"who", "which", "whose", "that", "where", "whom", "had", *(form for form in LEMMAS if form.endswith("s"))}
)
"""What a clause begins with that is said of somebody else."""
_MOST_WORDS_OF_A_NAME: Final = 4
_SINGLE_QUOTED: Final = re.compile(r"(?<!\w)['\u2018](?!\d\ds?\b)[^'\u2018\u2019\n]{12,400}['\u2019](?!\w)")
_SPOKEN_LINE: Final = re.compile(
    r"^[ \t]*(?:\[?\d{1,2}[:.]\d\d[^\n]{0,20}\]?[ \t]*)?[A-Z][\w ]{0,20}:[ \t]+\S.*$", re.MULTILINE
)
"""A line of a transcript; several of them are one."""
_FEWEST_SPOKEN_LINES: Final = 2
_HANDED_IN: Final = re.compile(
    r"\b(?:translat\w+|rewrit\w+|rephras\w+|proofread\w*|paraphras\w+|summari[sz]\w+|reword\w*|edit|polish|improve"
    r"|grammar|how (?:do|would) (?:you|i|we) say|what does|correct (?:this|my|the)|fix (?:this|my|the)"
    r"|check (?:this|my|the)"
    r"|(?:here(?:'s| is)|below is) (?:my|the|a|an) (?:\w+ ){0,3}?(?:draft|text|email|letter|essay|paragraph|review|bio"
    r"|message|story|poem|abstract|transcript|example|sentence)|example(?: sentence)?|lyrics|the (?:email|letter|post"
    r"|review|message|article|ad|advert|listing) (?:says|reads|said)|dialogue|sample"
    r"|(?:draft|compose|write|prepare|send)(?: (?:me|us|up))? (?:an?|the|this|my|another) (?:[\w-]+ ){0,3}?(?:e-?mail"
    r"|letter|message|reply|response|post|application|complaint))\b[^.!?\n:]{0,120}(?::|\n)",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(
    r"\b(?:draft|compose|write)\b[^\n]{0,150}\bdear (?=sir|madam|mr|ms|dr|all|team|hiring|[A-Z])", re.IGNORECASE
)
_FICTION: Final = re.compile(
    r"\b(?:role-?play(?:ing)?|role play(?:ing)?(?= ?:)"
    r"|pretend (?:that |to be |you|i)|let'?s (?:imagine|pretend)|imagine (?:that |i|you|we|a )"
    r"|my (?:character|protagonist|avatar|persona|narrator)|in my (?:dream|novel|story|game|book|screenplay)"
    r"|i (?:dreamt|dreamed|had a dream)|hypothetically|suppose (?:that |i|we|my)|for the sake of argument"
    r"|thought experiment"
    r"|once upon a time|act as|write (?:me )?(?:a|an|the|some) (?:\w+ ){0,3}(?:story|poem|song|monologue|script|scene"
    r"|dialogue|limerick|haiku|sketch|rap|diary entry|tweet|bio|profile|testimonial|review)|speaking as|in the voice of"
    r"|from the (?:point of view|perspective) of|say (?:that )?i (?:was|were)|let'?s say (?:that )?(?:i|we|my)"
    r"|in the game|(?:reply|answer|respond|write|talk|speak|act)\b[^.!?\n]{0,40}\bas (?:if|though) (?:you|i))\b"
    r"|(?:^|[.!?\n]\s*)(?:(?:ok|okay|so|and|now)[, ]+)*say,? (?:that )?"
    r"(?:(?:i|we)(?:'m|'ve|'re)?\b|my \w+ (?:is|are)\b)"
    r"|(?:^|[.!?\n]\s*)(?:(?:ok|okay|so|and|right|alright|hey|note)[, ]+)*(?:for|in|during) (?:the|this|our|my|a|that"
    r"|today's|tonight's) (?:[\w&-]+ ){0,2}?(?:game|campaign|exercise|role-?play|larp|sketch|skit|scenario|simulation"
    r"|improv|play|musical|story|novel|dungeon)"
    r"(?:,|:| (?=(?:i|my|we|i'm|we're|you|let|our)\b))",
    re.IGNORECASE,
)
"""The last of these are what a message begins with: `For the game, my name is Zorro`."""
_TAKEN_BACK: Final = re.compile(
    r"\b(?:just kidding|jk|only kidding|i'?m kidding|kidding!|just joking|i'?m joking|only joking|as a joke|/s"
    r"|april fools?"
    r"|i wish,? lol|psych!|not really(?=[ ,.!]*(?:lol|haha|$))|that was a joke|it was a joke|sarcasm)(?!\w)"
    r"|[.!\u2026] *(?:not|as if|yeah right)[.!]*\s*$",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """The text with blanks where it is not its speaker's own; all blank where it is fiction or taken back.

    As long as the text, up to `MAX_CHARS`. Never raises.
    """
    text = text[:MAX_CHARS]
    if _FICTION.search(text) or _TAKEN_BACK.search(text):
        return " " * len(text)
    for pattern in (_CODE, _QUOTED_LINE, _SINGLE_QUOTED):
        text = pattern.sub(_blank, text)
    text = _BRACKETED.sub(lambda match: _blank(match) if _is_of_another(match) else match.group(), text)
    text = _QUOTED.sub(lambda match: _unquoted(match.group()) if _is_a_name(match.group()) else _blank(match), text)
    if len(_SPOKEN_LINE.findall(text)) >= _FEWEST_SPOKEN_LINES:
        text = _SPOKEN_LINE.sub(_blank, text)
    if handed_in := _HANDED_IN.search(text) or _LETTER.search(text):
        text = text[: handed_in.end()] + _blanks(text[handed_in.end() :])
    return text


def _is_of_another(bracketed: re.Match[str]) -> bool:
    """`(who hates tea)`, `(works at Heron)`, which are of the one that they stand behind, and not `(I'm vegan)`."""
    words = (bracketed["round"] or bracketed["square"] or "").lower()
    first = re.match(r"\s*([a-z]+)\b", words)
    return first is not None and first[1] in _OF_OTHERS and _OF_THE_SPEAKER.search(words) is None


def _blank(match: re.Match[str]) -> str:
    return _blanks(match.group())


def _unquoted(name: str) -> str:
    return f" {name[1:-1]} "


def _blanks(text: str) -> str:
    return "".join(sign if sign == "\n" else " " for sign in text)


def _is_a_name(quoted: str) -> bool:
    """`"Mo"`, as in `my cat is called "Mo"`, and not what somebody said."""
    words = quoted.strip("\"'\u201c\u201d\u00ab\u00bb ").split()
    return (
        len(words) <= _MOST_WORDS_OF_A_NAME
        and all(word[:1].isupper() or word.islower() for word in words[:1])
        and (words[:1] != ["I"] and not {"i", "i'm", "im", "my", "we"} & {word.lower() for word in words})
    )
