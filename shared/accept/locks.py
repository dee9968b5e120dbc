"""What opens a lock, a phone or an account by a number: PINs, alarm and door codes, combinations, in digits or words.

A number counts only where it is called so ("the alarm code is 9981", "PIN: four seven one one"): an error code, a dress
code and "the gate code is 11" stay. Pure.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept.windows import windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_HINTS: Final = ("pin", "code", "combin", "kombin", "combo", "kod ", "cvv", "cvc", "geheimzahl", "codice", "card ver")
_HINTS_BEYOND_ASCII: Final = (
    "código",
    "код",
    "пин",
    "暗証",
    "コード",
    "番号",
    "号码",
    "代码",
    "密码",
    "码",
    "番号",
    "코드",
    "번호",
)

_WHAT: Final = (
    r"alarm|burglar alarm|door|front door|gate|garage|entry|entrance|safe|vault|lock|locker|padlock|bike lock|building|"
    r"elevator|lift|lock ?box|key ?box|key ?pad|key ?safe|intercom|unlock|suitcase|luggage|gun safe|hotel safe|storage|"
    r"house|apartment|shed|security|access|disarm|panic|duress|screen|phone|sim|voicemail|phone unlock|tablet|bank|card"
)
_WHOSE: Final = r"(?:the |my |our |your |his |her |their |a |an )?"
_CODE: Final = (
    rf"(?:{_WHAT})[ -](?:code|combination|combo|number code|pin)|combination|"
    rf"(?:code|combination|combo|pin) (?:for|to|of|on|at) {_WHOSE}(?:[^\W\d_]{{1,20}} )?(?:{_WHAT})|"
    r"(?:alarm|tür|haustür|tor|garagen|safe|tresor|schloss|zugangs|sicherheits|entsperr)-?code|"
    r"(?:zahlen|safe|tresor|schloss)-?kombination|digicode|code (?:fürs|für das|für die|für den|vom|zum|zur) "
    r"(?:tor|tür|haustür|garage|alarmanlage|safe|tresor|schloss|fahrradschloss)|"
    r"code (?:de |d['\u2019])(?:l['\u2019]|la |le )?(?:alarme|porte|entrée|portail|immeuble|accès|coffre|cadenas)|"
    r"combinaison (?:du coffre|du cadenas)|código (?:de |del |do |da )(?:la |el )?"
    r"(?:alarma|alarme|puerta|porta|portal|portão|caja fuerte|cofre|acceso|acesso)|"
    r"combina(?:ción|ção) (?:de la caja fuerte|de la caja|do cofre|del candado)|"
    r"codice (?:dell['\u2019]|della |del |di )?(?:allarme|porta|cancello|cassaforte|accesso)|"
    r"combinazione (?:della cassaforte|del lucchetto)|"
    r"(?:alarm|deur|toegangs|kluis|voordeur)code|kod (?:do |od )?(?:alarmu|drzwi|bramy|domofonu|sejfu)|"
    r"код (?:от |для )?(?:сигнализации|двери|домофона|сейфа|подъезда|замка|ворот)"
)
_PIN: Final = (
    r"pass[ -]?code|(?:sim|bank|card|phone|atm|debit|credit|door|my|her|his|our|their|your|the)(?:'s)? pin|"
    r"pin(?:[ -]?(?:code|number|nummer|kod))?|code pin|geheimzahl|codice pin|código pin|c[oó]digo secreto|"
    r"пин(?:[ -]?код)?"
)
_CARD_CODE: Final = r"(?:cvv2?|cvc2?|card verification (?:code|value))"
_LINK: Final = (
    r"(?:\s?[:=\uff1a]\s?|['\u2019]s\s|\s(?:is|was|are|ist|war|lautet|est|es|era|é|è|to|jest|-|"
    r"\u2013|\u2014|used to be|has been|"
    r"remains|reads)(?:\s(?:now|still|currently|set to|jetzt|ahora))?\s?:?\s|\s?(?:是|为|為|は|는|은)\s?|\s)"
    r"[\"'`“‘*_]{0,3}"
)
_DIGITS: Final = r"[0-9\uff10-\uff19]"
_NUMBER: Final = rf"(?P<number>#?{_DIGITS}{{1,12}}(?:[ .\-/]{_DIGITS}{{1,6}}){{0,7}}[#*]?)"
_NUMERALS: Final = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|"
    "zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|"
    "due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen|"
    "jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять"
)
_NUMERAL: Final = rf"(?:(?:double |triple )?(?:{_NUMERALS}))"
_SPELT: Final = rf"(?P<spelt>{_NUMERAL}(?:(?:\s?[,-]\s?|\s){_NUMERAL}){{2,11}})"
_AFTER: Final = (
    r"(?![\w]|[.,:/]\d|\s?(?:%|st\b|nd\b|rd\b|th\b|am\b|pm\b|digits?\b|characters?\b|numbers?\b|times?\b|o'clock))"
)
_LABELLED: Final = re.compile(
    rf"(?<![^\W\d_])(?:(?P<card>{_CARD_CODE})|(?P<pin>{_PIN})|(?P<code>{_CODE}))(?![^\W\d_])"
    rf"{_LINK}(?:{_NUMBER}|{_SPELT}){_AFTER}"
)
_SPACELESS: Final = re.compile(
    r"(?P<card>(?!))?(?:(?P<pin>暗証番号|핀 ?번호|pin码|pin番号)|"
    r"(?P<code>(?:アラーム|玄関|ドア|金庫|オートロック)の?(?:コード|暗証番号|番号)|"
    r"(?:알람|현관|문|금고) ?(?:코드|비밀번호|번호)|(?:警报|报警|门禁|门锁|保险箱|保险柜)的?(?:代码|密码|号码|码)|"
    r"密码|密碼|口令|비밀번호))"
    rf"{_LINK}{_NUMBER}(?P<spelt>(?!))?(?!\d)"
)
_FURTHER: Final = re.compile(
    r"[\"'`”’*_]{0,3}(?:\s\([^()\n]{1,30}\))?[,;.]?\s(?:and |but |while |und |et |y |e |и )?"
    rf"(?:[^\s\d.;!?]{{1,20}} ){{0,4}}?(?:[^\s\d.;!?]{{1,20}}['\u2019]s )?(?:is|was|ist|war|est|es|è|é|to)\s"
    rf"(?:now |still )?{_NUMBER}{_AFTER}|"
    rf"(?:,|\s?/|\s(?:and|or|then|und|oder|et|y|e|и))\s?(?P<next>{_DIGITS}{{3,8}})(?=[\s.,;)]*(?:$|[,.;)]|\s(?:and|or)))",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(_DIGITS)
_NUMERAL_WORDS: Final = re.compile(rf"(?<!\w){_NUMERAL}[\s,-]{{1,3}}{_NUMERAL}")
_LONGEST_BEFORE: Final = 26
_LONGEST_AFTER: Final = 130
_LEAST_OF_PIN: Final = 4
_LEAST_OF_CODE: Final = 3
_MOST: Final = 16
_YEAR: Final = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")


def locks(lowered: str) -> Iterator[Found]:
    """The numbers that a text calls a PIN, a door's or an alarm's code, or a combination. Linear in the text."""
    end = 0
    for label in _labels(lowered):
        if label.start() < end or not _is_number(label):
            continue
        kind = "card code" if label["card"] else "pin" if label["pin"] else "code"
        yield *(label.span("number") if label["number"] else label.span("spelt")), kind
        end = label.end()
        while further := _FURTHER.match(lowered, end):
            group = "number" if further["number"] else "next"
            if len(_FIGURES.findall(further[group])) < _LEAST_OF_CODE:
                break
            yield *further.span(group), kind
            end = further.end()


def _labels(lowered: str) -> Iterator[re.Match[str]]:
    hints = _HINTS if lowered.isascii() else (*_HINTS, *_HINTS_BEYOND_ASCII)
    for start, end in windows(lowered, hints, before=_LONGEST_BEFORE, after=_LONGEST_AFTER):
        if _FIGURES.search(lowered, start, end) or _NUMERAL_WORDS.search(lowered, start, end):
            yield from _LABELLED.finditer(lowered, start, end)
            if not lowered.isascii():
                yield from _SPACELESS.finditer(lowered, start, end)


def _is_number(label: re.Match[str]) -> bool:
    if label["spelt"]:
        return True
    said = label["number"]
    figures = len(_FIGURES.findall(said))
    if figures > _MOST or _YEAR.fullmatch(said):
        return False
    if label["card"]:
        return figures in {3, 4} and said.isdigit()
    if label["pin"]:
        return figures >= _LEAST_OF_PIN
    return figures >= _LEAST_OF_CODE
