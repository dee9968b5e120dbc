"""Words that, after "the password is", tell something about the password rather than give it. Pure.

Three kinds, because they weigh differently: what begins a description whatever follows (`POINTING`), what may stand
inside a phrase of words that is a password (`BETWEEN`), and what ends the value without being part of it (`ENDING`).
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

from typing import Final

ENGLISH_POINTING: Final = frozenset(  # lines of words are easier to read and keep than a word a line
    """
    a an the at in on under over behind below beside inside near within by from of for with without as like than to
    my your his her its our their this that these those it i you he she we they who what which where when why how
    not no nothing none something anything someone somebody everyone everything somewhere nowhere always never
    same still already only also just too very so quite really rather probably maybe all any each both or and if
    ask see check call contact email visit look find read refer use try request choose enter type click press log
    sign login remember forgot forget reset show hide submit send get change create confirm please must should may
    can cannot could will would shall has have had does do did is was are were be been being per via tbd tba todo n/a
    """.split()  # noqa: SIM905
)
POINTING: Final = ENGLISH_POINTING | frozenset(
    """
    am an ans auf aus bei beim das dasselbe dem den der derselbe des die dieselbe dieser dieses ein eine einem einer
    es etwas für gar gleich hier dort hinter ich im immer irgendwo kein keine leider mein meine mit nach nicht nie noch
    nur ob schon sehr sein siehe so steht über und unser unter viel vom von vor wie wieder zu zum zur
    à au aux avec ce celui ces cette chez comme dans de derrière des dessous du elle en encore il je l' la le les leur
    ma mes mon même ne non nos notre nous ou où par pas plus près que qui quelque sa sans ses son sous sur toujours
    trop très un une votre voir déjà demandez
    al algo ahí allí aquí ante cerca como con del demasiado detrás el ella ellos en entre esa ese eso esta este está
    están ha igual las lo los mi mis mismo misma muy más nada ni no nuestra nunca otra otro para pero por pregunta se
    según si siempre sin sobre su sus también tan tu un una unos ver ya yo
    alla allo che ci col come da dal dalla dallo dei del della delle di dietro dove è fra gli ha il io mia mio molto
    nei nel nella nello non più poco qualcosa quella quello questa questo sempre sotto stessa stesso sua sul sulla
    suo tra troppo uguale un uno vedi
    ao aos as atrás até cima com da das debaixo dentro do dos ela ele em essa esse está eu isso mais mesma mesmo meu
    minha muito na nada nas nem no nos nossa num numa o os pela pelo perto quase sempre sem seu sob sua tão também
    uma ver
    aan achter bij dat deze die dit een en ergens heel hem het ik maar met mijn naar naast niet nog onder ons onze op
    te tegen tussen van voor zeer zie zijn zoals
    bardzo do jak jest już moja moje na nadal nie o od po pod przy ta taka takie taki te ten to tylko w we z za ze
    zbyt
    в во на не с со у к по под за от до и или как мой моя моё моего наш он она оно это тот та те такой такая же тоже
    там тут здесь где что кто очень слишком уже ещё всё был была нет спроси спросите
    på under i är för inte samma mycket alltid ej som av til fra ikke samme også meget min mitt mit det den en et ett
    ei on sama ve na je stejné velmi nem a az ugyanaz
    """.split()  # noqa: SIM905
)
"""Function words, and words that send the reader elsewhere: as the first word of a clause they begin a description."""

BETWEEN: Final = frozenset(
    """
    a an the of on in at to over under with and or for by from as into upon up down off out no not all one two three
    am an auf der die das den dem des im in mit ohne ein eine und vom von zu zum zur
    à au aux de des du d' dans en et l' la le les sur sous un une avec sans
    al con del el en la las lo los sin sobre un una y
    al con da dal del della di e il in la lo sul sulla un una
    ao com da das de do dos e em na no o os a um uma
    aan de een en het in met op van zonder
    i na o w we z ze в во и на под с со у
    och på i med utan og på til fra
    """.split()  # noqa: SIM905
)
"""What may stand within a phrase that is a password: "horse on the moon"."""

PRONOUNS: Final = frozenset(
    """
    it he she they we you me him them us it's he's she's they're we're you're ich er sie wir ihr mir dir je tu il elle
    nous vous ils yo él ella nosotros io lui lei noi eu ele ela ik hij zij wij он она они мы вы
    """.split()  # noqa: SIM905
)
"""A clause that goes on with one of these is a sentence of its own."""

ENDING: Final = frozenset(
    """
    for since until till please because but if so though although which who when while unless after before btw thanks
    thank okay ok now again already anyway today yesterday tomorrow tonight currently then everywhere right
    für seit bis bitte weil aber wenn falls danke jetzt heute gestern wieder
    pour depuis jusque jusqu'à parce mais si merci maintenant aujourd'hui hier
    para desde hasta porque pero gracias ahora hoy ayer
    per perché dopo ma grazie ora oggi ieri se
    porque mas obrigado obrigada agora hoje ontem
    voor sinds omdat maar bedankt nu vandaag gisteren
    dla bo ale dziękuję teraz dzisiaj wczoraj для потому но спасибо сейчас сегодня вчера
    """.split()  # noqa: SIM905
)
"""What goes on from a value: "swordfish for the router", "swordfish since May"."""

AND: Final = frozenset("and und et y e ed en och og i и".split())  # noqa: SIM905

PREDICATES: Final = frozenset(
    """
    broken stolen written forgotten taken chosen sent told made found hacked longer shorter stronger weaker older newer
    easier harder better common knowledge policy policies rules requirements says works fails fault problem
    responsibility mine ours theirs nobody's case sensitive alone present
    abgelaufen fehlerhaft gültig ungültig kaputt kompliziert kurz lang leicht nötig notwendig erforderlich schwer
    schwierig unverändert verloren geändert
    court courte difficile facile faible fort forte invalide long longue mauvais mauvaise obligatoire oublié perdu
    expiré requis requise nécessaire valide incorrect incorrecte
    corta débil difícil fuerte fácil inválida larga obligatoria olvidada segura vieja válida errónea caducada
    corta debole difficile facile forte lunga obbligatoria sbagliata scaduta scritta sicura valida vecchia errata
    curta errada esquecida fraca fácil longa obrigatória segura velha inválida expirada
    fout goed kort kwijt lang ongeldig simpel sterk veilig vergeten verkeerd verlopen verplicht zwak
    błędne długie krótkie nieprawidłowe proste silne słabe stare trudne wygasło zapisane złe
    верный верен неверный неверен правильный неправильный новый старый простой сложный забыт изменён устарел записан
    нужен длинный короткий слабый
    fel glömt svagt starkt forkert glemt svak väärä heikko unohtunut špatné slabé rossz gyenge
    """.split()  # noqa: SIM905
)
"""What a password can be said to be, in the languages whose word for it is known; English has more in `likeness.py`."""

QUALITIES: Final = frozenset(
    """
    important unimportant essential crucial vital critical personal confidential unusual awful clever trivial ridiculous
    tricky lengthy weird ugly garbage trash rubbish crap annoying paramount mandatory adequate sufficient insufficient
    apparent relevant irrelevant consistent different identical similar separate sacred universal global final special
    temporary invisible legible illegible messy dead useless pointless overkill everything key time
    wichtig unwichtig persönlich privat vertraulich geschützt lästig egal komisch seltsam verschieden unterschiedlich
    identisch ähnlich eindeutig einzigartig vorhanden bekannt furchtbar blöd doof gespeichert hinterlegt weg falsch
    important importante importants essentiel essentielle personnel personnelle confidentiel confidentielle privé privée
    unique écrit écrite noté notée collé affiché enregistré stocké sensible différent identique introuvable nul nulle
    esencial personal personales confidencial privada privado única único escrita apuntada pegada guardado distinta
    diferente idéntica sensible horrible complicada sencilla
    essenziale personale personali riservata privata unica annotata salvata diversa uguale identica complicata semplice
    essencial pessoal pessoais intransferível confidencial sigilosa privada secreta única anotada guardada diferente
    igual complicada simples importantes
    inaktiv verschlüsselt eingegeben inactif inactive défini définie chiffré occupata inattiva utilizzata cambiata
    definita
    verouderd veranderd vervallen mislukt inactiva cifrada definida inativa utilizada nieaktywne niepoprawne dozwolone
    belangrijk onbelangrijk persoonlijk vertrouwelijk privé uniek opgeschreven opgeslagen verschillend identiek lastig
    ważne ważny osobiste poufne prywatne tajne unikalne zapisane inne identyczne skomplikowane
    важен важно личный секретный уникальный записан разный одинаковый сложен простой
    viktigt viktig vigtigt vigtig personligt personlig hemligt hemlig hemmelig hemmeligt unikt
    """.split()  # noqa: SIM905
)
"""What is said of passwords in general; after a sign, where a value is expected, a word of these is one."""

BEGINNING: Final = frozenset(
    """
    bad better blank correct crazy dumb easy empty fine free funny good great half hard hidden new old open perfect
    plain pretty private public quiet random real safe secret secure short silly simple single strong stupid terrible
    weak
    """.split()  # noqa: SIM905
)
"""Adjectives that a phrase of four words and more may begin with: "correct horse battery staple"."""

PURPOSES: Final = frozenset(
    """
    access add allow avoid be comply connect decrypt edit enable enter fix get improve install join keep let link log
    make match meet open play prevent print protect read recover register restore run save secure share sign start
    stop sync test unlock update upload view watch work
    """.split()  # noqa: SIM905
)
"""What a password is changed or set for: "reset my password to access my account"."""

MEASURES: Final = frozenset(
    """
    character characters char chars letter letters digit digits symbol symbols word words number numbers bit bits byte
    bytes zeichen buchstaben ziffern caractères lettres chiffres caracteres letras dígitos caratteri lettere cifre
    tekens letters cijfers znaków liter cyfr символов букв цифр tecken tegn merkkiä znaků karakter
    """.split()  # noqa: SIM905
)
"""A clause that counts these says how long a password is."""

WITHOUT_SPACES: Final = (
    r"在|错|錯|不|什么|什麼|我的|你的|他的|她的|请|請|见|見|忘|没|沒|已|需|必|多少|和|跟|一样|一樣|正确|正確|无|無|太|很|"
    r"可以|会|應|应|要|放|写|寫|位|字符|这|這|那|谁|誰|哪|吗|嗎|呢|如|未|被|由|默认|空|弱|强|安全|重要|新的|旧的|"
    r"に|ある|あり|違|変|ない|何|同じ|ください|とても|簡単|難|書|以上|以下|文字|正し|秘密|どこ|こちら|これ|それ|私の|"
    r"에(?:\s|$)|있|없|틀|잊|모르|같|뭐|무엇|변경|필요|맞|안\s|못|해야|하세요|주세요|자리|글자|이상|매우|너무"
)
"""What a clause of Chinese, Japanese or Korean that describes a password has in it."""
