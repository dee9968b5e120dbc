"""Tells a text that only asks memory something from one that tells or wants something. Pure, by rules.

They are made to err on one side: what is not known to be a bare question is none. A question that carries what may be
news (a number, a clause with a verb of its own, an aside) or that asks for advice or a deed ("should", "can you", "why
don't we") is none either. A fact can still hide in a noun ("my daughter Lena"); that is the price.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_WORDS: Final = 25
"""A longer text is no bare question, however it is put."""
MAX_WORDS_ELSEWHERE: Final = 10
"""The same in the languages of which fewer words are known here."""
MAX_CHARS_WITHOUT_SPACES: Final = 40
_MAX_CHARS: Final = 300

_SENTENCE: Final = re.compile(r"[^.!?؟。\n]+[.!?؟。\s]*")
_AS_TYPED: Final = str.maketrans({"’": "'", "‘": "'", "\ufeff": "", "\u200b": ""})  # noqa: RUF001 - phones type it
_NEWS: Final = re.compile(r"[\d:;()\[\]{}<>\"“”„«»–—…、，]|\s-+\s")  # noqa: RUF001 - marks people write with


def asks_memory(text: str) -> bool:
    """Whether a text is one short question or several, put to memory, and says nothing besides."""
    if len(text) > _MAX_CHARS:
        return False
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_AS_TYPED)
    sentences = [" ".join(found.split()) for found in _SENTENCE.findall(folded) if found.strip()]
    short = len(folded.split()) <= MAX_WORDS
    return short and bool(sentences) and all(map(_is_question, sentences))


def _is_question(sentence: str) -> bool:
    body = sentence.rstrip(".!?؟。 ").lstrip("¿ ")
    marked, cried = sentence.endswith(("?", "؟")), "!" in sentence[len(body) :]
    if not body or cried or _NEWS.search(body):
        return False
    return _asks_in_english(body, marked=marked) or (marked and (_asks_elsewhere(body) or _asks_without_spaces(body)))


_WH: Final = r"(?:what|where|when|who|whom|whose|which|why|how)"
_VERB: Final = r"(?:is|are|was|were|am|do|does|did|has|have|had|will|isn't|aren't|wasn't|don't|doesn't|didn't)"
_GREETING: Final = re.compile(r"^(?:(?:hi|hello|hey|ok|okay|so|and|well|thanks),? )+")
_OPENER: Final = re.compile(
    r"(?:please )?(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind) me (?:again )?(?!when|why)"
    r"|do you (?:still )?(?:know|remember|recall) "
)
_WHAT_YOU_KNOW: Final = re.compile(r"what (?:can|could) you (?:tell me|say|remember|recall)\b")
_BEGINS: Final = re.compile(rf"{_WH}(?:'s|'re|'d|s)?\b")
_INVERTED: Final = re.compile(
    rf"(?:{_WH}(?:'s|'re)|(?:{_WH}|(?:which|whose) \w+|what (?:time|(?:kind|sort) of \w+)"
    rf"|how (?:many|much|long|old|often|far)(?: \w+)?) {_VERB})\b"
)
_YES_OR_NO: Final = re.compile(r"(?:am|is|are|was|were|do|did|has|have|had) (?:i|we|my|our)\b")
_TELLING: Final = re.compile(r"\b(?:tell|told|mention|mentioned|say|said|explain|explained|show|showed|shown)\b")
_KNOWN_THING: Final = re.compile(r"(?:anything|something|much) about .+|(?:my|our) \w+(?: \w+)?")
_FINITE: Final = re.compile(rf"\b(?:{_VERB}|'(?:s|re|m|ve|ll))\b|\w'(?:re|m|ve|ll)\b")
_CLAUSE: Final = re.compile(
    r"\b(?:should|shall|could|would|might|may|must|ought|can|cannot|can't|let's|wanna)\b"
    r"|\b(?:because|since|although|though|given|considering|if|unless|while|whereas|after|before|until|once|except)\b"
    r"|\bas (?:i|we|you|he|she|it|they|my|our)\b|\bnow that\b"
    r"|(?<!\bof)(?<!\bin)(?<!\bat)(?<!\bto)(?<!\bis)(?<!\bwas)(?<!\bfor)(?<!\bwith)(?<!\bfrom)(?<!\babout) that\b"
    rf"|(?<!\band)(?<!\bor) {_WH}\b"
    r"|\b(?:and|then|also),? (?:please )?(?:add|book|buy|call|cancel|create|delete|find|forget|get|give|keep|let|make|"
    r"note|order|put|remember|remind|remove|save|schedule|send|set|store|tell|update|write|i|we|he|she|they|it|you)\b"
    r"|^(?:why (?:not|don't|do not)|how (?:about|come)|what (?:about|if)|what(?: an?)\b)"
)
_PRONOUN: Final = re.compile(r"(?:and |but |so )?(?:i|we|he|she|it|they|you|there|this|that)\b")
_MOST_LISTED_WORDS: Final = 4


def _asks_in_english(body: str, *, marked: bool) -> bool:
    body = _WHAT_YOU_KNOW.sub("what do you know", _GREETING.sub("", body, count=1), count=1)
    opener = _OPENER.match(body)
    rest = body[opener.end() :] if opener else body
    if _CLAUSE.search(rest) or not _only_lists(rest):
        return False
    if opener and _BEGINS.match(rest):
        return True
    if opener:
        return marked and body.startswith("do ") and bool(_KNOWN_THING.fullmatch(rest)) and not _FINITE.search(rest)
    if _BEGINS.match(rest):
        return marked or (bool(_INVERTED.match(rest)) and len(_FINITE.findall(rest)) == 1)
    return marked and bool(_YES_OR_NO.match(rest)) and not _TELLING.search(rest)


def _only_lists(body: str) -> bool:
    """Whether what follows commas are things listed, or one word ("please"), and no clause or aside."""
    _, *parts = [part.strip() for part in body.split(",")]
    if not parts:
        return True
    if any(_PRONOUN.match(part) or _FINITE.search(part) or len(part.split()) > _MOST_LISTED_WORDS for part in parts):
        return False
    listed = re.search(r"\b(?:and|or)\b", parts[-1]) is not None
    return listed or (len(parts) == 1 and len(parts[0].split()) <= 1)


# Words that ask: es, pt, fr, it, de, nl, pl, ru, uk, ar. Left out is what also begins a statement or a wish.
_ASKING_WORDS: Final = (
    r"qué|dónde|cuándo|quién|quiénes|cuál|cuáles|cómo|cuánto|cuánta|cuántos|cuántas|"
    r"o que|onde|quando|quem|qual|quais|como|quanto|quantos|quantas|"
    r"où|quand|qui|quel|quelle|quels|quelles|comment|pourquoi|combien|quoi|qu'est-ce que?|qu'est-ce qu'\w+|"
    r"che|cosa|dove|chi|quale|quali|perché|quanti|quante|dov'è|qual è|"
    r"was|wo|wann|wer|wen|wem|wessen|welche|welcher|welches|welchen|welchem|warum|wieso|wie|wohin|woher|"
    r"wat|waar|wanneer|welk|welke|waarom|hoe|"
    r"co|gdzie|kiedy|kto|który|która|które|jak|jaki|jaka|jakie|dlaczego|ile|"
    r"что|где|когда|кто|чей|чья|чьё|какой|какая|какое|какие|почему|как|сколько|куда|откуда|"
    r"що|де|коли|хто|який|яка|яке|чому|скільки|"
    r"ما|ماذا|أين|اين|متى|من|لماذا|كيف|كم|أي"
)
_PREPOSITIONS: Final = (
    r"de|do|da|di|a|à|en|em|con|com|mit|in|an|zu|von|für|auf|avec|pour|por|para|per|z|w|na|u|"
    r"в|из|с|у|от|на|في|إلى"  # noqa: RUF001
)
_BEGINS_ELSEWHERE: Final = re.compile(rf"(?:(?:{_PREPOSITIONS}) )?(?:{_ASKING_WORDS})\b")
_CLAUSE_ELSEWHERE: Final = re.compile(
    r"[,،]| (?:porque|ya|puesto|si|se|que|parce|puisque|perché|poiché|siccome|pois|weil|wenn|falls|dass|da|omdat|want|"
    r"als|dat|потому|если|бо|якщо|bo|gdyż|jeśli|że|لأن|إذا)\b|\b(?:"  # noqa: RUF001
    r"kannst|könntest|könnten|können|kann|soll|sollen|sollte|sollten|würdest|würde|wäre|möchtest|"
    r"puedes|podrías|puede|podría|debo|debería|quieres|peux|pouvez|pourrais|pourriez|dois|devrais|puoi|potresti|devo|dovrei|"
    r"vuoi|pode|podes|poderia|deveria|kun|kunt|zou|moet|wil|możesz|mógłbyś|mogłabyś|powinienem|powinnam|"
    r"можешь|можете|можна|можно|мог|могли|должен|должна|можеш|можете|هل|ممكن|يمكنك"
    r")\b"
)


def _asks_elsewhere(body: str) -> bool:
    asking = _BEGINS_ELSEWHERE.match(body)
    short = len(body.split()) <= MAX_WORDS_ELSEWHERE
    return short and asking is not None and not _CLAUSE_ELSEWHERE.search(body, asking.end())


# Japanese, Chinese and Korean ask anywhere in the sentence. 何か, 谁都, 哪儿也 and the like do not ask.
_ASKING_SIGNS: Final = re.compile(
    r"(?:何|誰|だれ|どこ|いつ|どれ|どの|どんな|なに|なぜ|どう|いくつ|いくら)(?![かも])"
    r"|(?:什么|什麼|哪[里裡儿兒个個]|谁|誰|为什么|為什麼|怎么|怎麼|几点|幾點|多少)(?![都也])"
    r"|(?:뭐|무엇|어디|언제|누구|누가|왜|어떻게|몇|얼마|어느|무슨)(?!든)"
)
_WISHES: Final = re.compile(
    r",|ください|下さい|くれ|もらえ|もらい|いただ|頂|お願い|べき|ましょう|ませんか|たら|れば|から[^のにきま]|ので|けど"
    r"|请|請|帮|幫|麻烦|麻煩|可以|能不能|应该|應該|因为|因為|如果|怎么样|怎麼樣|吧"
    r"|줘|줄래|줄 수|주세요|주시|부탁|까요|할까|때문|니까|는데|면 "
)


def _asks_without_spaces(body: str) -> bool:
    short = len(body) <= MAX_CHARS_WITHOUT_SPACES
    return short and bool(_ASKING_SIGNS.search(body)) and not _WISHES.search(body)
