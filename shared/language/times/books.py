"""How languages other than English write times: a table each. Pure data."""
# ruff: noqa: RUF001 - Cyrillic letters that look like Latin ones are meant

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

ENGLISH_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
ENGLISH_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ENGLISH_UNITS: Final = ("day", "week", "month", "year", "weekend")
ENGLISH_SEASONS: Final = ("spring", "summer", "autumn", "winter")
ENGLISH_YEARS: Final = ("last year", "this year", "next year")
ENGLISH_NUMBERS: Final = ("a", "two", "three", "four", "five", "six", "a few")


class Phrase(NamedTuple):
    """A time as a text has it, and the same in English."""

    start: int
    end: int
    english: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """How a language writes times. Names are patterns, apart by spaces, in the order of their English ones."""

    common: str
    """Words by which a text is known to be of the language."""
    months: str
    weekdays: str
    units: str
    seasons: str
    numbers: str
    years: str
    """As they stand behind a day, a month or a season."""
    said: dict[str, str]
    """Whole phrases."""
    forms: tuple[tuple[str, str], ...]
    """Patterns over `{n}`, `{unit}`, `{month}`, `{weekday}`, `{season}`, `{year}` and `{day}`, and how English says
    each; there, `{}` is whichever of them was found."""


BOOKS: Final = {
    "de": Book(
        common="ich wir was wer wo wann der die das den dem ein eine ist war hat habe haben mein meine mit und wie",
        months="januar|jänner februar märz april mai juni juli august september oktober november dezember",
        weekdays="montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        units="tag(?:en?)? wochen? monat(?:en?)? jahr(?:en?)? wochenenden?",
        seasons="frühling|frühjahr sommer herbst winter",
        numbers="eine[mnrs]?|ein zwei drei vier fünf sechs einigen|paar",
        years="(?:letzte[sn]|vorige[sn]|vergangene[sn])\\sjahres (?:dieses\\sjahres) (?:nächsten|kommenden)\\sjahres",
        said={"gestern": "yesterday", "vorgestern": "the day before yesterday", "heute": "today"},
        forms=(
            (r"vor (?:ein )?{n} {unit}", "{n} {unit} ago"),
            (r"(?:in den )?(?:letzten|vergangenen) {n} {unit}", "past {n} {unit}"),
            (r"(?:letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?) (?:{unit}|{month}|{weekday}|{season})", "last {}"),
            (r"diese[mnrs]? (?:{unit}|{month}|{weekday}|{season})", "this {}"),
            (r"(?:am |vom |den )?{day}\. {month}(?: {year})?", "{day} {month} {year}"),
            (r"(?:im )?{month} {year}", "{month} {year}"),
            (r"(?:im )?{season} {year}", "{season} {year}"),
            (r"im {month}", "in {month}"),
            (r"im {season}", "in {season}"),
            (r"am {weekday}", "on {weekday}"),
            (r"(?:im jahr|im jahre|in) {year}", "in {year}"),
            (r"seit {year}", "since {year}"),
        ),
    ),
    "fr": Book(
        common="je j' nous que qu' qui où quand quel quelle le la les un une est était ai avons mon ma mes avec et",
        months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
        units="jours? semaines? mois ans?|années? week-ends?|weekends?",
        seasons="printemps été automne hiver",
        numbers="une? deux trois quatre cinq six quelques",
        years="(?:de\\s)?l'(?:an(?:née)?)\\s(?:derni(?:er|ère)|passée?) "
        "(?:de\\s)?cette\\sannée (?:de\\s)?l'an(?:née)?\\sprochaine?",
        said={
            "hier": "yesterday", "avant-hier": "the day before yesterday", "aujourd'hui": "today",
        },
        forms=(
            (r"il y a {n} {unit}", "{n} {unit} ago"),
            (r"(?:ces |les )?{n} derni(?:er|ère)s {unit}", "past {n} {unit}"),
            (r"(?:l'|la |le )?(?:{unit}|{weekday}|{season}) derni(?:er|ère)", "last {}"),
            (r"(?:en )?{month} derni(?:er|ère)", "last {month}"),
            (r"c(?:e|et|ette) (?:{unit}|{season})", "this {}"),
            (r"(?:le )?{day}(?:er)? {month}(?: {year})?", "{day} {month} {year}"),
            (r"(?:en |au mois de |d')?{month} {year}", "{month} {year}"),
            (r"(?:à |à l'|en |l')?{season} {year}", "{season} {year}"),
            (r"en {month}", "in {month}"),
            (r"en {year}", "in {year}"),
            (r"depuis {year}", "since {year}"),
        ),
    ),
    "es": Book(
        common="yo qué que quién dónde cuándo cuál el la los las un una es fue era he mi mis con y en cómo cuántos",
        months="enero febrero marzo abril mayo junio julio agosto sep?tiembre octubre noviembre diciembre",
        weekdays="lunes martes miércoles jueves viernes sábado domingo",
        units="días? semanas? mes(?:es)? años? fin(?:es)?\\sde\\ssemana",
        seasons="primavera verano otoño invierno",
        numbers="una?|un dos tres cuatro cinco seis unos|unas|algunos|algunas|pocos|pocas",
        years="(?:del?\\s)?(?:el\\s)?año\\spasado (?:de\\s)?este\\saño "
        "(?:del?\\s)?(?:el\\s)?(?:año\\s(?:que\\sviene|próximo)|próximo\\saño)",
        said={"ayer": "yesterday", "anteayer|antier": "the day before yesterday", "hoy": "today"},
        forms=(
            (r"hace {n} {unit}", "{n} {unit} ago"),
            (r"(?:los|las) últim[oa]s {n} {unit}", "past {n} {unit}"),
            (r"(?:el |la )?(?:{unit}|{weekday}|{season}) pasad[oa]", "last {}"),
            (r"(?:en )?{month} pasado", "last {month}"),
            (r"est[ea] (?:{unit}|{season})", "this {}"),
            (r"(?:el )?{day} de {month}(?: (?:de|del) {year})?", "{day} {month} {year}"),
            (r"(?:en )?{month} (?:de |del )?{year}", "{month} {year}"),
            (r"(?:en )?(?:el |la )?{season} (?:de |del )?{year}", "{season} {year}"),
            (r"en {month}", "in {month}"),
            (r"en {year}", "in {year}"),
            (r"desde {year}", "since {year}"),
        ),
    ),
    "it": Book(
        common="io dov' ero chi dove quando cosa quale il lo gli un una è era ho hai mio mia con e di come quanti sono",
        months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        weekdays="lunedì martedì mercoledì giovedì venerdì sabato domenica",
        units="giorn[oi] settiman[ae] mes[ei] ann[oi] fine\\ssettimana|weekend",
        seasons="primavera estate autunno inverno",
        numbers="una?|un due tre quattro cinque sei alcuni|alcune|qualche",
        years="(?:dell'|l')?(?:anno\\s(?:scorso|passato)|dello\\sscorso\\sanno) (?:di\\s)?quest'anno "
        "(?:dell'|l')?anno\\sprossimo",
        said={"ieri": "yesterday", "l'altro ieri": "the day before yesterday", "oggi": "today"},
        forms=(
            (r"{n} {unit} fa", "{n} {unit} ago"),
            (r"(?:gli |le |negli |nelle )?ultim[ie] {n} {unit}", "past {n} {unit}"),
            (r"(?:l'|la |il |lo )?(?:{unit}|{weekday}|{season}) scors[oa]", "last {}"),
            (r"(?:a |in )?{month} scorso", "last {month}"),
            (r"lo scorso {month}", "last {month}"),
            (r"quest[oa] (?:{unit}|{season})", "this {}"),
            (r"(?:il |l')?{day} {month}(?: (?:del )?{year})?", "{day} {month} {year}"),
            (r"(?:in |a |nel )?{month} (?:del )?{year}", "{month} {year}"),
            (r"(?:nell'|in |l')?{season} (?:del )?{year}", "{season} {year}"),
            (r"(?:a|in) {month}", "in {month}"),
            (r"nel {year}", "in {year}"),
        ),
    ),
    "pt": Book(
        common="eu que quem onde quando qual o os as um uma é foi era fiz meu minha com e em como quantos estive nós",
        months="janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        weekdays="segunda-feira terça-feira quarta-feira quinta-feira sexta(?:-feira)? sábado domingo",
        units="dias? semanas? m[êe]s(?:es)? anos? fi(?:m|ns)\\sde\\ssemana",
        seasons="primavera verão outono inverno",
        numbers="uma?|um dois|duas três quatro cinco seis alguns|algumas|poucos|poucas",
        years="(?:do\\s|no\\s)?ano\\spassado (?:deste|neste|este)\\sano "
        "(?:do\\s|no\\s)?(?:próximo\\sano|ano\\sque\\svem)",
        said={"ontem": "yesterday", "anteontem": "the day before yesterday", "hoje": "today"},
        forms=(
            (r"há {n} {unit}", "{n} {unit} ago"),
            (r"{n} {unit} atrás", "{n} {unit} ago"),
            (r"(?:nos |nas |os |as )?últim[oa]s {n} {unit}", "past {n} {unit}"),
            (r"(?:no |na |o |a )?(?:{unit}|{weekday}|{season}) passad[oa]", "last {}"),
            (r"(?:em )?{month} passado", "last {month}"),
            (r"(?:n?est[ea]) (?:{unit}|{season})", "this {}"),
            (r"(?:em |no dia |dia )?{day} de {month}(?:(?: de)? {year})?", "{day} {month} {year}"),
            (r"(?:em )?{month}(?: de)? {year}", "{month} {year}"),
            (r"(?:no |na |o |a )?{season}(?: de)? {year}", "{season} {year}"),
            (r"em {month}", "in {month}"),
            (r"em {year}", "in {year}"),
            (r"desde {year}", "since {year}"),
        ),
    ),
    "nl": Book(
        common="ik wij we wat wie waar wanneer de het een is was heb hebben had mijn met en hoe hoeveel deed",
        months="januari februari maart april mei juni juli augustus september oktober november december",
        weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        units="dag(?:en)? we(?:ek|ken) maand(?:en)? ja(?:ar|ren) weekend(?:en)?",
        seasons="lente|voorjaar zomer herfst|najaar winter",
        numbers="een|één twee drie vier vijf zes paar|enkele",
        years="(?:van\\s)?(?:vorig|afgelopen)\\sjaar (?:van\\s)?dit\\sjaar (?:van\\s)?volgend\\sjaar",
        said={"gisteren": "yesterday", "eergisteren": "the day before yesterday", "vandaag": "today"},
        forms=(
            (r"(?:een )?{n} {unit} geleden", "{n} {unit} ago"),
            (r"(?:de )?(?:afgelopen|laatste) {n} {unit}", "past {n} {unit}"),
            (r"(?:vorige?|afgelopen) (?:{unit}|{month}|{weekday}|{season})", "last {}"),
            (r"(?:de[zs]e|dit) (?:{unit}|{season})", "this {}"),
            (r"(?:op )?{day} {month}(?: {year})?", "{day} {month} {year}"),
            (r"(?:in )?{month} {year}", "{month} {year}"),
            (r"(?:in de )?{season} (?:van )?{year}", "{season} {year}"),
            (r"in {month}", "in {month}"),
            (r"op {weekday}", "on {weekday}"),
            (r"in {year}", "in {year}"),
            (r"sinds {year}", "since {year}"),
        ),
    ),
    "ar": Book(
        common="ماذا من أين متى كيف في هل ما هو هي أنا كنت فعلت فعل إلى على عن مع كان كانت قلت قال التي الذي كم لي",
        months="يناير|كانون\\sالثاني فبراير|شباط مارس|آذار [أإا]بريل|نيسان مايو|أيار يونيو|حزيران يوليو|تموز "
        "[أا]غسطس|آب سبتمبر|أيلول [أا]كتوبر|تشرين\\sالأول نوفمبر|تشرين\\sالثاني ديسمبر|كانون\\sالأول",
        weekdays="ال[إا]ثنين الثلاثاء ال[أا]ربعاء الخميس الجمعة السبت ال[أا]حد",
        units="(?:ال)?يوم|[أا]يام (?:ال)?[أا]سبوع|[أا]سابيع "
        "(?:ال)?شهر|[أا]شهر|شهور (?:ال)?(?:سنة|عام)|سنوات|سنين|[أا]عوام "
        "نهاية\\sال[أا]سبوع|عطلة\\sنهاية\\sال[أا]سبوع",
        seasons="(?:ال)?ربيع (?:ال)?صيف (?:ال)?خريف (?:ال)?شتاء",
        numbers="واحدة? [إا]ثنين|[إا]ثنتين ثلاثة?|ثلاث [أا]ربعة? خمسة? ستة? بضعة?",
        years="(?:من\\s)?(?:العام\\s(?:الماضي|الفائت)|السنة\\s(?:الماضية|الفائتة)) "
        "(?:من\\s)?(?:هذا\\sالعام|هذه\\sالسنة|العام\\sالحالي) "
        "(?:من\\s)?(?:العام\\s(?:القادم|المقبل)|السنة\\s(?:القادمة|المقبلة))",
        said={
            "(?:ب?ال)?[أا]مس": "yesterday", "(?:ال)?بارحة": "yesterday", "[أا]ول [أا]مس": "the day before yesterday",
            "[أا]مس ال[أا]ول": "the day before yesterday", "اليوم": "today", "الليلة الماضية": "last night",
            "(?:قبل|منذ) يومين": "two days ago", "(?:قبل|منذ) [أا]سبوعين": "two weeks ago",
            "(?:قبل|منذ) شهرين": "two months ago", "(?:قبل|منذ) (?:سنتين|عامين)": "two years ago",
            "(?:قبل|منذ) يوم": "a day ago", "(?:قبل|منذ) [أا]سبوع": "a week ago", "(?:قبل|منذ) شهر": "a month ago",
            "(?:قبل|منذ) (?:سنة|عام)": "a year ago",
        },
        forms=(
            (r"(?:قبل|منذ) {n} {unit}", "{n} {unit} ago"),
            (r"(?:يوم )?(?:{unit}|{weekday}|{season}) (?:الماضي|الفائت)ة?", "last {}"),
            (r"هذ[اه] (?:{unit}|{season})", "this {}"),
            (r"{day} (?:من )?{month}(?: (?:عام |سنة )?{year})?", "{day} {month} {year}"),
            (r"(?:في )?(?:شهر )?{month} (?:عام |سنة )?{year}", "{month} {year}"),
            (r"(?:في )?(?:شهر )?{month} الماضي", "last {month}"),
            (r"(?:في )?{season} (?:عام |سنة )?{year}", "{season} {year}"),
            (r"في (?:شهر )?{month}", "in {month}"),
            (r"(?:في|عام|سنة) {year}", "in {year}"),
            (r"منذ (?:عام )?{year}", "since {year}"),
        ),
    ),
    "ru": Book(
        common="я мы что кто где когда как какой какая и в на с мой моя был была было были делал делала сколько",
        months="январ[ьяе] феврал[ьяе] марта?|марте апрел[ьяе] ма[йяе] июн[ьяе] июл[ьяе] августа?|августе сентябр[ьяе] "
        "октябр[ьяе] ноябр[ьяе] декабр[ьяе]",
        weekdays="понедельник вторник сред[уа] четверг пятниц[уа] суббот[уа] воскресенье",
        units="день|дня|дней недел[яюиье]|недель месяца?|месяцев|месяце год(?:а|у)?|лет выходны[ехм]",
        seasons="весн(?:ой|а|ы) лет(?:ом|о|а) осен(?:ью|ь|и) зим(?:ой|а|ы)",
        numbers="одну|один дв[ае] три четыре пять шесть несколько",
        years="прошлого\\sгода (?:этого|текущего)\\sгода (?:следующего|будущего)\\sгода",
        said={"вчера": "yesterday", "позавчера": "the day before yesterday", "сегодня": "today"},
        forms=(
            (r"{n} {unit} назад", "{n} {unit} ago"),
            (r"(?:за )?последни[ех] {n} {unit}", "past {n} {unit}"),
            (r"(?:в |на )?прошл(?:ый|ую|ом|ой|ое|ым|ых) (?:{unit}|{month}|{weekday}|{season})", "last {}"),
            (r"(?:в |на )?эт(?:от|ой|ом|у) (?:{unit}|{season})", "this {}"),
            (r"{day} {month}(?: {year}(?: года)?)?", "{day} {month} {year}"),
            (r"(?:в )?{month} {year}(?: года?)?", "{month} {year}"),
            (r"{season} {year}(?: года)?", "{season} {year}"),
            (r"в {month}", "in {month}"),
            (r"в {year} году", "in {year}"),
        ),
    ),
}  # fmt: skip
