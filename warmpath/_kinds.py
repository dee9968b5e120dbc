"""By what words people speak of a kind of thing: of a home, of work, of what they like. Pure.

Good for: telling that a sentence is certainly not of a kind, so that a shop of coffee ends no liking for coffee.
Not for: finding out of which kind a sentence is; `left` is said of homes, of work and of husbands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from shared.belief.predicates import BUILT_IN
from shared.language.guessing import language_of

_PREDICATES: Final[Mapping[str, str]] = {
    "home": "lives_in address hometown located_in",
    "work": "works_at job second_job worked_at manager income colleague",
    "study": "studies_at learns graduated_from degree",
    "couple": "partner former_partner marital_status",
    "kin": "mother father parent sibling child relative friend doctor dentist therapist",
    "taste": "likes dislikes avoids prefers eats drinks hobby interest plays diet habit",
    "things": "owns uses pet lost wants",
    "health": "has_condition allergic_to intolerant_to takes",
    "plans": "plans goal appointment travels_to task decided scheduled_for",
}
_KINDS: Final = {name: kind for kind, names in _PREDICATES.items() for name in names.split()}
NAMES_ITS_OBJECT: Final = frozenset({"couple", "kin"})
"""Kinds whose word stands for its object: `my sister` is Ana, where Ana is somebody's sister."""

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "home": r"liv(?:e|es|ed|ing)|home|resid\w+|stay\w*|mov(?:e|ed|es|ing)|left|leav(?:e|es|ing)|relocat\w+|settl\w+"
        r"|rent\w*|flat|apartment|house|address|based|cit(?:y|ies)|town|grew up|from|(?:not|longer|still) (?:in|at)",
        "work": r"work\w*|jobs?|employ\w*|hir(?:e|ed|es)|fired?|laid off|let (?:\w+ )?go|quit\w*|resign\w*|left"
        r"|leav(?:e|es|ing)|retir\w*|contract\w*|position|role|career|boss|office|company|firm|start(?:ed|ing)?"
        r"|join(?:ed|ing)?|notice|promot\w*|manag\w*|earn\w*|salary|colleagues?|(?:not|longer|still) (?:at|with|a|an)",
        "study": r"stud(?:y|ies|ied|ying)|student|school|universit\w+|uni|college|degree|courses?|class(?:es)?"
        r"|graduat\w*|enrol\w*|drop\w*|learn\w*|left|leav(?:e|es|ing)|finish\w*|major|quit\w*|(?:not|longer|still) at",
        "couple": r"wife|husband|partner|boyfriend|girlfriend|fianc\w+|spouse|married|marry|engaged|dat(?:e|ed|ing)"
        r"|together|divorc\w*|separat\w*|split\w*|br[oe]\w+ up|ex|wedding|single|widow\w*|left|leav(?:e|es|ing)|seeing",
        "kin": r"sisters?|brothers?|siblings?|mother|mum|mom|father|dad|parents?|sons?|daughters?|child(?:ren)?|kids?"
        r"|cousins?|aunt|uncle|niece|nephew|grand\w+|friends?|related|adopt\w*|died|dead|passed away|knows?"
        r"|doctor|gp|dentist|therapist|in touch",
        "taste": r"lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|ador\w+|fan|fond|hat(?:e|es|ed|ing)|dislik\w+"
        r"|(?:can't|cannot|couldn't) (?:stand|bear)|prefer\w*|favou?rites?|eat\w*|ate|drink\w*|drank|play\w*|tast\w*"
        r"|hobby|interest\w*|avoid\w*|vegan|vegetarian|diet|quit\w*|g(?:ave|iv\w+) (?:\w+ )?up|stop\w*|done with"
        r"|(?:sick|tired) of|fed up|off|switch\w*|crav\w+|care[ds]? for|outgr\w+"
        r"|(?:'m|am|was|not|longer|so|got) into",
        "things": r"hav(?:e|ing)|has|had|own\w*|got|bought|buy|sold|sell\w*|los(?:e|ing)|lost|gave|giv(?:e|en|ing)"
        r"|driv(?:e|es|ing)|drove|us(?:e|es|ed|ing)|keep\w*|kept|pets?|dogs?|cats?|died|dead|pass(?:ed)? away|put down"
        r"|stolen|stole|br[oe]k\w+|switch\w*|replac\w*|return\w*|need\w*|want\w*|wish\w*|drop\w*|delet\w*"
        r"|uninstall\w*|get rid|rid of|scrap\w*|ran away|rehomed|quit|stop\w*|gone|found|need",
        "health": r"tak(?:e|es|en|ing)|took|allerg\w*|toler\w*|intoler\w*|ill\w*|disease|diagnos\w*|condition|suffer\w*"
        r"|have|has|had|cured|recover\w*|heal\w*|better|gone|off|stop\w*|medic\w*|dose|pills?|prescri\w*|free of"
        r"|remission|quit|switch\w*|outgr\w+|react\w*",
        "plans": r"plan\w*|go(?:es|ing)?|went|trips?|travel\w*|fly\w*|flights?|visit\w*|appointment|meeting|cancel\w*"
        r"|call\w* off|postpon\w*|mov(?:e|ed|ing)|resched\w*|goal|aim\w*|want\w*|will|won't|book\w*|decid\w*|tasks?"
        r"|need\w*|off|instead|happen\w*|tak\w+ place|done|have to|dropp?\w*|finish\w*|chang\w*",
    },
    "de": {
        "home": r"wohn\w*|leb\w*|zieh\w*|zog|gezogen|(?:um|weg|aus)\w*zog\w*|verlass\w*|verließ|zuhause|daheim|wohnung",
        "work": r"arbeit\w*|job|stelle|gekündigt|kündig\w*|entlassen|firma|angestellt|rente|verlass\w*|verließ|chef\w*",
        "taste": r"mag|mög\w*|mochte|lieb\w*|hass\w*|trink\w*|ess\w*|esse|isst|spiel\w*|aufgehört|aufgegeben|gern\w*",
    },
    "fr": {
        "home": r"j'?habit\w*|habit\w*|vis|vit|vivre|vivais|vécu|déménag\w*|quitt\w*|maison|chez|parti\w*",
        "work": r"travail\w*|boulot|emploi|poste|démission\w*|quitt\w*|licenci\w*|retraite|entreprise|patron",
        "taste": r"j'?aim\w*|aim\w*|ador\w*|détest\w*|bois|boire|mang\w*|jou\w*|arrêt\w*|préf[éè]r\w*|goût",
    },
    "es": {
        "home": r"viv\w*|mud\w*|casa|dej\w*|resid\w*|march\w*|me fui",
        "work": r"trabaj\w*|empleo|puesto|renunci\w*|despid\w*|despedid\w*|dej\w*|empresa|jub\w*|jefe",
        "taste": r"gust\w*|encant\w*|am[oaé]|odi\w*|beb\w*|tom\w*|com[oeí]\w*|jueg\w*|jug\w*|dej\w*|prefier\w*",
    },
    "it": {
        "home": r"viv\w*|abit\w*|trasfer\w*|lasci\w*|casa|sto|stavo",
        "work": r"lavor\w*|impiego|posto|licenzi\w*|dimess\w*|lasci\w*|azienda|pensione|capo",
        "taste": r"piac\w*|am[oaò]|odi\w*|bev\w*|mangi\w*|gioc\w*|smess\w*|smetto|prefer\w*|ador\w*",
    },
    "pt": {
        "home": r"mor[aoe]\w*|viv\w*|mud\w*|deix\w*|casa|resid\w*|saí",
        "work": r"trabalh\w*|emprego|cargo|demit\w*|deix\w*|empresa|aposent\w*|reform\w*|chefe",
        "taste": r"gost\w*|ador\w*|am[oae]|odei\w*|beb\w*|com[oe]\w*|jog\w*|deix\w*|parei|prefir\w*",
    },
    "nl": {
        "home": r"woon\w*|wonen|leef\w*|leven|verhui[sz]\w*|verlaten|thuis|huis",
        "work": r"werk\w*|baan|ontslag\w*|gestopt|bedrijf|pensioen|verlaten|baas",
        "taste": r"hou|houd\w*|vind\w*|lekker|haat|drink\w*|eet|eten|speel\w*|gestopt|graag",
    },
}


def kind_of(predicate: str) -> str | None:
    """The kind that a predicate is of; None where none is known."""
    return _KINDS.get(BUILT_IN.find(predicate).name)


def speaks_of(predicate: str, text: str) -> bool | None:
    """Whether a text has a word by which such a thing is spoken of; None where nobody can tell.

    That is so of a predicate or a language that no words are known for.
    """
    language, kind = language_of(text) or "", kind_of(predicate)
    known = _WORDS.get(language, {})
    if kind not in known:
        return None
    return _pattern(language, kind, predicate).search(_plain(text)) is not None


def speaks_of_another(predicate: str, text: str, language: str | None) -> bool:
    """Whether a text is of some other kind, and has no word by which this one is spoken of."""
    kind = kind_of(predicate)
    if language is None or kind not in _WORDS.get(language, {}):
        return False
    if _pattern(language, kind, predicate).search(_plain(text)):
        return False
    return any(_pattern(language, kind, "").search(_plain(text)) for kind in _WORDS[language])


def word_of(predicate: str) -> re.Pattern[str]:
    """The English words of a predicate's kind."""
    return _pattern("en", kind_of(predicate) or "", predicate)


def _plain(text: str) -> str:
    return text.replace("\u2019", "'").casefold()


@cache
def _pattern(language: str, kind: str, predicate: str) -> re.Pattern[str]:
    words = _WORDS[language].get(kind, "")
    if language == "en" and predicate:
        found = BUILT_IN.find(predicate)
        names = (found.name, *found.aliases)
        words = "|".join(filter(None, [words, *(re.escape(name.replace("_", " ")) for name in names)]))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words else r"(?!)")
