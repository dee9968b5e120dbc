"""What languages call PINs, codes that are sent once, a card's code, and what opens a door, safe or alarm. Pure data.

Each row is a language: alternatives of a pattern, in lower case. A new language is a new row, and where none of `HINTS`
stands in its words, a hint.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_DOOR: Final = (
    r"alarm|burglar alarm|door|front door|back door|gate|garage|entry|entrance|safe|vault|lock|locker|"
    r"padlock|bike lock|"
    r"elevator|lift|lock ?box|key ?box|key ?pad|key ?safe|intercom|unlock|suitcase|luggage|gun safe|hotel safe|storage|"
    r"house|apartment|shed|access|disarm|panic|duress"
)
_DEVICE: Final = r"building|security|screen|phone|sim|voicemail|phone unlock|tablet|bank|card"
_WHOSE: Final = r"(?:the |my |our |your |his |her |their |a |an )?"
_KIND: Final = r"(?:code|combination|combo|number code|pin)"

DOORS: Final[Mapping[str, str]] = {
    "english": (
        rf"(?:{_DOOR})[ -]{_KIND}|combination|(?:unlock|swipe) pattern|"
        r"code to (?:get|let you|let me) in"
        r"(?:to (?:the )?[^\W\d_]{1,20})?|code to (?:open|unlock|enter)(?: the [^\W\d_]{1,20})?|"
        rf"{_KIND} (?:for|to|of|on|at) {_WHOSE}(?:[^\W\d_]{{1,20}} )?(?:{_DOOR}|building)"
    ),
    "german": (
        r"(?:alarm|tür|haustür|eingangs|tor|hoftor|garagen|safe|tresor|schloss|zugangs|sicherheits|entsperr)-?code|"
        r"(?:zahlen|safe|tresor|schloss)-?kombination|code (?:(?:fürs|für das|für die|für den|vom|zum|zur|von der) )?"
        r"(?:tor|tür|haustür|eingangstür|garage|alarmanlage|safe|tresor|schloss|fahrradschloss|keller)"
    ),
    "french": (
        r"digicode|code (?:de |d['\u2019]|du )(?:l['\u2019]|la |le )?"
        r"(?:alarme|porte|entrée|portail|immeuble|accès|coffre|cadenas|garage|portillon)|"
        r"combinaison (?:du coffre|du cadenas)"
    ),
    "spanish": (
        r"(?:c[óo]digo|clave) (?:de |del )(?:la |el )?(?:alarma|puerta|portal|portón|caja fuerte|acceso|"
        r"garaje|entrada|candado)|"
        r"combinación (?:de la caja fuerte|de la caja|del candado)"
    ),
    "catalan": r"codi (?:de |del )?(?:la |l['\u2019])?(?:porta|alarma|portal|caixa forta|garatge)",
    "portuguese": (
        r"c[óo]digo (?:de |do |da )(?:alarme|porta|portão|cofre|acesso|garagem|entrada|prédio|cadeado)|"
        r"combinação do cofre"
    ),
    "italian": (
        r"codice (?:dell['\u2019]|della |del |di )?(?:allarme|porta|portone|cancello|cassaforte|accesso|"
        r"garage|ingresso)|"
        r"combinazione (?:della cassaforte|del lucchetto)"
    ),
    "dutch": (
        r"(?:alarm|deur|toegangs|kluis|voordeur|poort|slot)code|"
        r"code (?:van|voor) (?:de |het )?(?:deur|voordeur|alarm|poort|kluis|garage)"
    ),
    "scandinavian": r"(?:port|dörr|larm|dør|alarm|låse|lås|grind|garage|garasje)kod(?:en?)?",
    "polish": r"kod (?:do |od )?(?:alarmu|drzwi|bramy|domofonu|sejfu|furtki|klatki)",
    "czech_slovak": r"k[óo]d (?:od |k |na |do )?(?:dveří|dverí|dverám|brány|alarmu|vchodu|trezoru|bráně|bráne)",
    "south_slavic": (
        r"(?:kod|[sš]ifra|koda) (?:za |od )(?:vrata|alarm|kapiju|ulaz|sef|garažu|portun)|"
        r"(?:код|шифра) (?:за |од )(?:врата|врати|вратата|аларм|алармата|капију|улаз|входа|сеф)"
    ),
    "russian_ukrainian": (
        r"код (?:от |для |на |від )?(?:сигнализации|двери|домофона|сейфа|подъезда|замка|ворот|калитки|"
        r"дверей|домофону|сигналізації|сейфу|під['\u2019]їзду|воріт)|домофон(?=:)"
    ),
    "romanian": (
        r"codul (?:de la |pentru |de )?(?:poartă|ușă|interfon|alarmă|bloc|intrare|seif)|codul (?:alarmei|"
        r"porții|ușii)"
    ),
    "baltic": r"(?:durvju|vārtu|signalizācijas|seifa) kods|(?:durų|vartų|signalizacijos|seifo) kodas",
    "finnish_estonian": r"(?:ovi|hälytys|portti|kassakaappi)koodi|(?:ukse|alarmi|värava|seifi)kood",
    "hungarian": r"(?:kapu|riasztó|ajtó|széf)kód(?:ja|unk)?",
    "greek": r"κωδικός (?:της |του |για την |για το )?(?:πόρτας|συναγερμού|πόρτα|εισόδου|χρηματοκιβωτίου|γκαράζ)",
    "turkish": r"(?:kapı|alarm|kasa|bina|giriş|site) (?:kodu|şifresi)",
    "vietnamese": r"mã (?:cửa|cổng|báo động|két|khóa cửa)",
    "indonesian_malay": r"kode? (?:pintu|gerbang|alarm|brankas|pagar|peti besi)|kod (?:pintu|pagar|penggera)",
    "arabic": r"رمز (?:الباب|البوابة|الإنذار|الدخول|الخزنة)|كود (?:الباب|البوابة|الدخول)",
    "persian": r"رمز (?:در|گاوصندوق|دزدگیر)|کد (?:در|ورود)",
    "hebrew": r"(?:קוד|הקוד) (?:הדלת|הכניסה|לדלת|לכניסה|לשער|השער|לבניין|האזעקה|לאזעקה|לכספת|הכספת|של הדלת)",
    "hindi": r"(?:दरवाज़े|दरवाज़े|दरवाजे|गेट|अलार्म|तिजोरी) का कोड",
}
"""Their codes may have letters ("4822C")."""

CODES: Final = rf"(?:{_DEVICE})[ -]{_KIND}|{_KIND} (?:for|to|of|on|at) {_WHOSE}(?:[^\W\d_]{{1,20}} )?(?:{_DEVICE})"

PINS: Final[Mapping[str, str]] = {
    "english": (
        r"pass[ -]?code|(?:sim|bank|card|phone|atm|debit|credit|door|my|her|his|our|their|your|the)(?:'s)? pin|"
        r"pin(?:[ -]?(?:code|number))?"
    ),
    "german": r"pin-?(?:nummer|code)|geheimzahl",
    "romance": r"code pin|codice pin|c[oó]digo pin|c[oó]digo secreto|codul pin|codi pin",
    "nordic": r"pin-?kod(?:en?)?|pin-?koodi|tunnusluku",
    "slavic": r"pin-?k[oó]du?|пин(?:[ -]?код)?|пін(?:[ -]?код)?",
    "asian": r"mã pin|รหัส pin|pin(?:'im|im)|पिन",
    "arabic_hebrew": r"رمز pin|پین کد|קוד סודי|קוד pin|קוד ה-?pin",
}

ONCE: Final[Mapping[str, str]] = {
    "english": (
        r"(?:whatsapp|apple id|steam guard|telegram|signal|paypal|microsoft) code|(?:otp|tan|mtan)(?: (?:code|"
        r"nummer))?|one[ -]time (?:pass)?(?:code|word|pin)s?|"
        r"(?:verification|authentication|authenticator|auth|2fa|mfa|two[ -]factor|sms|login|log[ -]in|"
        r"sign[ -]in)"
        r"[ -](?:code|pin)|code (?:you|they|we|i) (?:just )?(?:texted|sent|got)(?: (?:me|us|you))?|"
        r"authenticator(?: app)? (?:shows|says)"
    ),
    "german": r"(?:bestätigungs|verifizierungs|einmal|sms-|anmelde|2fa-)(?:code|passwort|kennwort)",
    "romance": (
        r"code de (?:vérification|confirmation|connexion|sécurité)|c[óo]digo de (?:verificaci[óo]n|"
        r"verificação|seguridad|segurança)|"
        r"codice (?:di verifica|otp|di sicurezza)|c[óo]digo otp|codul de verificare|codi de verificació"
    ),
    "dutch_nordic": (
        r"(?:verificatie|beveiligings|inlog)code|(?:verifierings|engångs|bekräftelse|engangs)kod(?:en?)?|"
        r"vahvistuskoodi"
    ),
    "slavic": (
        r"kod weryfikacyjny|kod sms|ověřovací kód|overovací kód|kod za potvrdu|"
        r"код (?:подтверждения|из смс|підтвердження|з смс|за потвърждение)|одноразовый (?:код|пароль)"
    ),
    "asian": r"doğrulama kodu|mã (?:otp|xác nhận|xác minh)|kode? (?:otp|verifikasi|pengesahan)|รหัส otp|ओटीपी",
    "arabic_hebrew_greek": r"رمز (?:التحقق|التأكيد|تایید)|کد تایید|קוד (?:ה)?אימות|κωδικός επιβεβαίωσης",
}

CARDS: Final = (
    r"(?:cvv2?|cvc2?)(?: (?:code|number))?|card (?:verification|security) (?:code|value|number)|"
    r"3[ -]digit (?:security )?code|"
    r"kartenprüfnummer|cryptogramme(?: visuel)?|"
    r"(?:security )?code on the back(?: of (?:the|my|his|her) (?:card|visa))?"
)

SPACELESS_DOORS: Final = (
    r"(?:アラーム|玄関|ドア|金庫|オートロック)の?(?:コード|暗証番号|番号)|"
    r"(?:알람|현관|문|금고) ?(?:코드|비밀번호|번호)|"
    r"(?:警报|报警|门禁|门锁|保险箱|保险柜)的?(?:代码|密码|号码|码)|密码|密碼|口令|비밀번호|รหัส(?:ประตู|เซฟ|สัญญาณ)\S{0,12}?"
)
SPACELESS_PINS: Final = r"暗証番号|핀 ?번호|pin码|pin番号"
SPACELESS_ONCE: Final = r"(?:验证|驗證)[码碼]|認証(?:コード|番号)|確認コード|인증 ?(?:번호|코드)|รหัส ?otp"

VERBS: Final = (
    r"is|was|are|ist|war|lautet|est|était|es|és|era|é|è|to|jest|-|\u2013|\u2014|used to be|has been|"
    r"remains|reads|är|er|on|"
    r"je|glasi|е|є|это|це|este|e|ir|yra|είναι|là|adalah|ialah|ay|هو|هي|הוא|היא|है"
)
"""What may stand between a label and its number."""

THINGS: Final = (
    r"for|of|on|to|at|für|von|vom|meiner|meines|deiner|unserer|seiner|ihrer|der|de|del|della|do|da|di|van|"
    r"voor|til|till|do|"
    r"od|na|для|от|від"
)
"""What begins "… for my Visa", "… of the card"."""
WHOSE: Final = (
    r"my|our|his|her|their|your|meine|meiner|meines|unserer|ma|mon|notre|mi|mis|nuestra|mia|mio|mijn|onze|"
    r"meu|minha|min|mitt|"
    r"moje|mojej|mojego|моей|моего|моєї"
)
OF_A_PIN: Final = (
    r"visa\w*|master\w*|amex|maestro|girocard|[\w-]*phones?|ipad|tablet|sim\w*|bank\w*|[\w-]*card|"
    r"[\w-]*karte|carte|carta|tarjeta|"
    r"cartão|bankomat\w*|bancomat|pas|konto|account|paypal|atm|watch|laptop|safe|door|gate|alarm|карты|"
    r"картки|kort\w*|karty|kartice"
)
"""What has a PIN."""

LOCKS: Final = r"padlock|bike lock|lockbox|(?:zahlen|fahrrad|vorhänge)schloss|cadenas"
"""What has no use but its number."""
OPENED: Final = r"safe|vault|lock|locker|door|gate|garage|shed|suitcase|tresor|schloss|tür|haustür|tor"
OPENING: Final = r"opens|unlocks|geht"
"""What it does by its number."""

OPENING_HINTS: Final = ("opens ", "unlocks ", "padlock", "bike lock", "lockbox", "schloss ", "geht mit", "cadenas")

HINTS: Final = (
    *(
        "pin",
        "code",
        "combin",
        "kombin",
        "combo",
        "kod",
        "cvv",
        "cvc",
        "geheimzahl",
        "codice",
        "card ver",
        "otp",
        "codul",
    ),
    *("clave", "lock pattern", "swipe pattern", "authenticator"),
    *(
        "tan:",
        "tan ist",
        "tan lautet",
        "mtan",
        "kood",
        "tunnusluku",
        "kartenpr",
        "cryptogr",
        "codigo",
        "codi ",
        "einmal",
    ),
)
HINTS_BEYOND_ASCII: Final = (
    *(
        "código",
        "код",
        "пин",
        "пін",
        "шифра",
        "домофон",
        "暗証",
        "コード",
        "番号",
        "号码",
        "代码",
        "密码",
        "码",
        "코드",
        "번호",
        "碼",
        "口令",
    ),
    *("kód", "šifra", "κωδικ", "şifre", "mã ", "รหัส", "رمز", "كود", "کد", "קוד", "कोड", "ओटीपी", "पिन"),
)
