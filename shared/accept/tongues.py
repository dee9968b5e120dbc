"""How languages beside the best known ones call a password, say what it is, and say something of it. Pure data.

A tongue is a row: its words for a password, the verbs that lead to the value or close the sentence after it, and the
beginnings of words that describe a password ("wrong", "old", "the same", "where"). A new language is a new row.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """A language's words about passwords; `labels`, `verbs` and `last` are alternatives of a pattern, in lower case."""

    labels: str
    hints: tuple[str, ...]
    """One of these stands in every label."""
    verbs: str = ""
    """What stands between the label and the value: "is"."""
    last: str = ""
    """What stands after the value, in languages whose verb is the last word."""
    describing: str = ""
    """Beginnings of words that tell something of a password; at most three letters may follow."""
    own_words: bool = True
    """Whether a word alone in this language's letters is taken for a value: not where too little is known of it."""
    spaced: bool = True
    """Whether words stand apart."""


_ADJECTIVES_OF_SOUTH_SLAVS: Final = """
    pogrešn pogresn netačn netočn neispravn tačn točn ispravn istekl zaboravljen izgubljen promenjen promijenjen
    prekratk kratk dug slab jak lak lagan tešk težak ist nov star tajn sigurn važn potrebn obavezn loš dobr
    jednostavn složen ova moj tvoj njegov ona to na u kod ispod iza kao gde gdje šta što negde nepoznat zapisan
"""
_ADJECTIVES_OF_SERBIAN_CYRILLIC: Final = """
    погрешн нетачн неисправн тачн исправн истекл заборављен изгубљен промењен прекратк кратк дуг слаб јак лак тешк
    исти иста нов стар тајн сигурн важн потребн обавезн лош добр једноставн на у код испод иза као где шта негде
    непознат
"""

TONGUES: Final[Mapping[str, Tongue]] = {
    "borrowed": Tongue(  # the English word in Indonesian, Malay, Filipino, Hindi in Latin letters
        labels=r"pass?word-?nya|password(?=(?:\s[^\s:=]{1,20}){0,4}?\s(?:adalah|ialah|ay|hai)(?!\w))",
        hints=("passwordnya", "passwortnya"),
        verbs="adalah|ialah|yaitu|ay",
        last="hai|h",
        describing="""
            salah benar rahasia sama lupa lama baru kuat lemah pendek panjang penting apa mali tama luma bago pareho
            lihim mahaba maikli nakalimutan ano galat sahi kya kaha kaunsa nahi purana naya same strong weak wrong
            bhool yaad change reset
        """,
    ),
    "catalan": Tongue(
        labels="contrasenya|contrasenyes(?=:)|contrasinal",
        hints=("contrase", "contrasi"),
        verbs="és|era|é",
        describing="""
            incorrect correct massa molt mol la el el mateix mateixa llarg curt feble fort dèbil segur oblidad
            caducad nov vell secret important obligatòri en a al sota darrere com
        """,
    ),
    "romanian": Tongue(
        labels=r"parolă|parola(?=(?:\s[^\s:=]{1,20}){0,4}?\seste\s)|parola (?:mea|noastră|ta|lui|ei|wi-?fi)|parolei",
        hints=("parol",),
        verbs="este|e|era|a fost|va fi",
        describing="""
            greșit gresit incorect corect expirat uitat pierdut schimbat lung scurt slab puternic simpl complicat
            nou nouă vech veche secret important necesar obligatori aceeași aceeasi la fel pe în in sub ce unde a
            mea personal sigur foarte prea inactiv neschimb dezactiv criptat
        """,
    ),
    "turkish": Tongue(
        labels="şifre(?:m|si|miz|niz|n)?|sifre(?:m|si|miz|niz)|parola(?:m|sı|mız|nız)",
        hints=("şifre", "sifre", "parol"),
        describing="yanlış doğru zayıf güçlü kısa uzun eski yeni aynı gizli çok ne nerede unut değiş",
    ),
    "hungarian": Tongue(
        labels="jelsz(?:ó|avam|ava|avunk)",
        hints=("jelsz",),
        describing="""
            rossz hibás helyes lejárt elfelejt hossz rövid gyenge erős régi új titkos ugyan fontos mi hol nem túl
        """,
    ),
    "scandinavian": Tongue(
        labels="lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?",
        hints=("lösenord", "adgangs", "kodeord", "passord"),
        verbs="är|er|var",
        describing="""
            felaktig fel oförändra uppdater inaktiv krypter upptag ogiltig glöm svag stark lång långt kort gammal
            gammel ny nytt samma hemlig viktig inte för bort byt spara allerede allereie god udløb utløp endr ændr
            uændr glemt svak stærk sterk lang langt samme hemmelig vigtig ikke blitt blevet forkert feil ugyldig
            personlig på i under skrevet skriv
        """,
    ),
    "finnish": Tongue(
        labels="salasana(?:mme|ni|si|nsa)?",
        hints=("salasana",),
        verbs="on|oli",
        describing="""
            väär oike heikko vahva lyhyt pitkä vanha uusi sama salainen tärkeä unohtunut vanhentunut mikä missä
            liian pakollinen henkilökohtai helppo vaikea jo väärin käyt vaihde inaktiiv passiivi
        """,
    ),
    "estonian": Tongue(
        labels="(?<!het )parool|salasõna",
        hints=("parool", "salasõna"),
        verbs="on|oli",
        describing="vale õige nõrk tugev lühike pikk vana uus sama salajane aegunud unustatud kadunud oluline mis kus",
    ),
    "latvian": Tongue(
        labels=r"parole(?=\s(?:[^\s:=]{1,20}\s){0,4}?ir\s)|(?:mana|tava|mūsu|jaunā|vecā|wi-?fi) parole|paroli",
        hints=("parol",),
        verbs="ir|bija",
        describing="nepareiz pareiz vāj stipr īs gar vec jaun tā pat slepen aizmirst svarīg beigus kas kur",
    ),
    "lithuanian": Tongue(
        labels="slaptažod(?:is|į|žio|žiai)",
        hints=("slapta",),
        verbs="yra|buvo|–|—",
        describing="neteising teising silpn stipr trump ilg sen nauj tas pats slapt pamirš svarb pasibaig kas kur ant",
    ),
    "czech_slovak": Tongue(
        labels="hesl(?:o|om|em|u|a)(?! dne| dňa)",
        hints=("hesl",),
        verbs="je|bolo|bylo|znie|zní",
        describing="""
            správn nesprávn špatn chybn zl zapomenut zabudnut ztracen stratené dlouh dlh krátk slab siln star nov
            stejn rovnak tajn důležit dôležit jednoduch složit co čo kde na v pod za moje povinn osobn vypršel
            příliš príliš použit použitý změn zmen vypnut neaktiv neaktív potřeb potreb potrebn definov dán
        """,
    ),
    "croatian_serbian": Tongue(
        labels=r"lozink[aeu]|zapork[aeu]|(?:moja|naša|wi-?fi|nova|stara) šifra|šifra za(?=\s(?:wi-?fi|vaj|ruter|mail))",
        hints=("lozink", "zapork", "šifra"),
        verbs="je|glasi|bila je|su",
        describing=_ADJECTIVES_OF_SOUTH_SLAVS,
    ),
    "serbian_cyrillic": Tongue(
        labels="лозинк[аеу]|(?:моја|наша) шифра|шифра за(?=\\s(?:вај|wi-?fi))",
        hints=("лозинк", "шифра"),
        verbs="је|гласи|била је",
        describing=_ADJECTIVES_OF_SERBIAN_CYRILLIC,
    ),
    "slovene": Tongue(
        labels="gesl(?:o|a)",
        hints=("gesl",),
        verbs="je|se glasi|je bilo",
        describing="""
            napačn pravil nepravil pozablj izgublj kratk dolg šibk močn star nov ist tajn pomemb potreb obvez na v
            pod za kot kje kaj moje bilo osebn lahk težk predolg prekrat neaktiv spremenj
        """,
    ),
    "polish": Tongue(
        labels="hasł(?:o|em|a)",
        hints=("hasł",),
        verbs="to|jest|brzmi|było",
        describing="""
            błędn nieprawidłow złe prawidłow dobr dług krótk słab siln star now tak sam tajn ważn prost trudn
            nieznan zapomnian wygas zmienion potrzebn wymagan obowiązkow co gdzie na w pod za moje osobist niepopraw
            nieaktyw dozwolon zaszyfrow ustaw
        """,
    ),
    "russian_ukrainian": Tongue(
        labels="парол(?:ь|и|я|ем|ем)(?!\\w)",
        hints=("парол",),
        verbs="[-\u2013\u2014]|это|це|был|був|є",
        describing="""
            неверн верн неправильн правильн нов стар прост сложн забы измен устар запис нужн длинн коротк слаб сильн
            важн секретн общ личн так тот же что где на в под как мой невірн вірн забут змін складн довг потрібн
            однаков сам той самий що де у обов использова порожн неактив просроч зашифр это це
        """,
    ),
    "bulgarian": Tongue(
        labels="парола(?:та)?(?!\\w)",
        hints=("парол",),
        verbs="е|беше|[-\u2013\u2014]",
        describing="""
            грешн вярн нов стар прост сложн забрав смен изтекл нужн дълг къс слаб силн важн тайн същ как къде на в
            неправил прекрат използв промен неактив
        """,
    ),
    "greek": Tongue(
        labels=r"κωδικ[όο]ς πρ[όο]σβασης|συνθηματικό|κωδικός (?:μου|μας|του wi-?fi|για το wi-?fi)",
        hints=("κωδικ", "συνθημ"),
        verbs="είναι|ήταν",
        describing="λάθος σωστ νέο παλι ίδι μυστικ μικρ μεγάλ αδύναμ δυνατ σημαντικ τι πού στο στη πολύ ο η ανενεργ",
    ),
    "vietnamese": Tongue(
        labels=r"mật khẩu|mat khau|(?<!\w)(?:pass|mk|mật mã) wi-?fi",
        hints=("mật khẩu", "mat khau", "mật mã wi", "mk wi", "pass wi"),
        verbs="là|la",
        describing="gì gi sai đúng cũ mới yếu mạnh dài ngắn bí mật như do ở cần quan thông một của bắt",
    ),
    "indonesian_malay": Tongue(
        labels="kata (?:sandi|laluan)(?:nya)?|sandi (?:wi-?fi|akun|email)",
        hints=("sandi", "laluan"),
        verbs="adalah|ialah|yaitu|iaitu",
        describing="""
            salah betul benar rahasia rahsia sama lupa lama baru baharu kuat lemah pendek panjang penting apa wajib
            pribadi peribadi di yang sudah telah
        """,
    ),
    "thai": Tongue(
        labels="รหัส(?:ผ่าน|ไวไฟ| ?wi-?fi)|พาสเวิร์ด",
        hints=("รหัส", "พาสเวิร์ด"),
        verbs="คือ|เป็น",
        own_words=False,
        spaced=False,
    ),
    "arabic": Tongue(
        labels="كلم[ةه] ?(?:ال)?(?:مرور|سر)|(?:ال)?باسورد|الرقم السري",
        hints=("كلم", "باسورد", "السري"),
        verbs="هي|هو|كانت|كان",
        own_words=False,
    ),
    "persian": Tongue(
        labels="رمز (?:عبور|ورود|وای ?\u200c?فای)|گذرواژه|پسوردم?|کلمه عبور",
        hints=("رمز", "گذرواژه", "پسورد", "عبور"),
        verbs="اینه|این است",
        last="است|هست|ه|بود",
        own_words=False,
    ),
    "urdu": Tongue(
        labels="پاس ?و?ورڈ",
        hints=("ورڈ",),
        verbs="ہے|یہ ہے|تھا",
        last="ہے|تھا",
        own_words=False,
    ),
    "hebrew": Tongue(
        labels="סיסמ[האת]",
        hints=("סיסמ",),
        verbs="היא|הייתה|היתה|זה|זו",
        own_words=False,
    ),
    "hindi": Tongue(
        labels="पासवर्ड",
        hints=("पासवर्ड",),
        verbs="है|था|हैं",
        last="है|था",
        own_words=False,
    ),
    "bengali": Tongue(
        labels="পাসও(?:\u09df|\u09af\u09bc)ার্ড",
        hints=("পাসও",),
        verbs="হলো|হল|হচ্ছে|ছিল",
        last="ছিল",
        own_words=False,
    ),
}

LABELS: Final = "|".join(tongue.labels for tongue in TONGUES.values())
HINTS: Final = tuple(dict.fromkeys(hint for tongue in TONGUES.values() for hint in tongue.hints if hint.isascii()))
ALL_HINTS: Final = tuple(dict.fromkeys(hint for tongue in TONGUES.values() for hint in tongue.hints))
_ANY: Final = re.compile("|".join(f"(?P<{name}>{tongue.labels})" for name, tongue in TONGUES.items()))


def tongue_of(label: re.Match[str]) -> Tongue | None:
    """The language that a label's word is of; None where it is of one of the best known, or of several."""
    match = _ANY.match(label.string, label.start())
    return TONGUES[match.lastgroup] if match and match.lastgroup else None
