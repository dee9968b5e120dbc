"""The shapes of orders to a model, language by language, in words that reports and listings do not use of themselves.

Each row has hints, one of which stands in every text that its pattern finds, lower-cased. Gaps are bounded and end with
the sentence, so that reading is linear in the text. Who only writes about models ("AI systems must be transparent") is
left alone: an order is addressed ("note to AI:"), is hidden in a comment, or speaks of instructions and memory.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from typing import Final

Row = tuple[tuple[str, ...], re.Pattern[str]]

_AI: Final = (
    r"(?:ais?|a\.i\.|llms?|(?:large )?language models?|(?:ai|llm)[ -](?:assistants?|agents?|models?|systems?|tools?|"
    r"bots?|"
    r"crawlers?|readers?)|chat ?bots?|chatgpt|gpt|claude|gemini|copilot)"
)
_READER: Final = rf"(?:{_AI}|(?:the |this |your |any )?assistants?)"
_WHOSE: Final = r"(?:the |an? |any |all |every |your )?"
_READING: Final = r"(?:read|process|pars|visit|brows|crawl|view|summari[sz])(?:ing|e?s)?"
_PAGE: Final = r"(?:this|the) (?:page|site|website|document|text|e-?mail|message|file|article|content)"
_GAP: Final = r"[^.!?\n]{0,40}"
_NOT_DENIED: Final = (
    r"(?<!\bnot )(?<!n['\u2019]t )(?<!never )(?<!\bno )(?<!\bnon )(?<!não )(?<!\bnie )(?<!\bне )(?<!\bn['\u2019])"
)
"""Not before what tells to keep to something: "do not forget the above rules", "n'oubliez pas les consignes"."""


def row(hints: str, *patterns: str) -> Row:
    """A row of the hints, joined by bars, and of the patterns, case aside."""
    return tuple(hints.split("|")), re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _reversed(verbs: str, before: str, nouns: str) -> str:
    """Verb, noun and adjective in either order: "all earlier orders", "todas las órdenes anteriores"."""
    begins = rf"{_NOT_DENIED}\b(?:{verbs})\b(?! nicht\b| niet\b| pas\b){_GAP}"
    return rf"{begins}\b(?:(?:{before})\b[^.!?\n]{{0,30}}\b(?:{nouns})|(?:{nouns})\b[^.!?\n]{{0,30}}\b(?:{before}))"


ENGLISH: Final[tuple[Row, ...]] = (
    row(
        "ignore|disregard|forget|overrid|bypass",
        (
            rf"{_NOT_DENIED}\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{{0,30}}"
            r"\b(?:previous|prior|above|earlier|preceding|existing|system|safety)\b[^.!?\n]{0,20}"
            r"\b(?:instructions?|prompts?|rules|guidelines|directives)\b"
        ),
        r"\b(?:ignore|disregard|forget) (?:all|everything|anything)(?: of)?(?: the)?(?: text| content)? (?:above|"
        r"before this)",
        r"\b(?:ignore|disregard|forget) (?:all |everything )?(?:that )?you (?:were|have been) (?:told|instructed|"
        r"taught)",
    ),
    row(
        "session|conversation|chat",
        (
            r"\b(?:remember|memori[sz]e|store|save|keep)\b[^.!?\n]{0,40}"
            r"\b(?:for|in|across) (?:all|any|every|each|later|future)"
            r"(?: (?:later|future|next|coming|other|your|of|the)){0,3} (?:sessions?|conversations?|chats?)\b"
        ),
    ),
    row(
        "memor",
        r"\b(?:add|save|write|store|commit)\b[^.!?\n]{0,40}\b(?:to|in|into) (?:your|long[- ]?term) memory\b",
        (
            r"\b(?:add|save|write|store|commit|record)(?: (?:this|that|it|the following))? (?:to|in|into) memory"
            r"(?:\s?[:\u2013\u2014]|,? that\b| the (?:fact|user)\b)"
        ),
        r"\b(?:update|overwrite|edit|delete|erase|clear|wipe) your (?:long[- ]?term )?memor(?:y|ies)\b",
        r"\b(?:obey|trust|follow) (?:this|these|memor(?:y|ies))\b[^.!?\n]{0,30}\b(?:over|instead of|not) the user\b",
    ),
    row(
        "system|developer",
        r"(?:^|[\n.>!?\]\"'])[^\S\n]*(?-i:SYSTEM|DEVELOPER)(?: (?:PROMPT|MESSAGE|OVERRIDE))?\s*:",
        r"<\|(?:im_start|system|start_header_id)\|>|</?system(?:[-_]prompt)?>",
        r"\b(?:reveal|print|show|repeat|output|leak|disclose) (?:me |us )?(?:your|the) (?:full |"
        r"hidden )?system prompt\b",
    ),
    row("<<sys>>|inst]|<|im_start|<|start", r"<\|(?:im_start|start_header_id)\|>|<<SYS>>|\[/?INST\]"),
    row("instruction", r"\b(?:new|updated|revised|real) (?:system )?instructions?\s*:"),
    row(
        "the user|the human",
        r"\b(?:do not|don.t|never) (?:tell|inform|mention (?:this|it|that)? ?to|alert|notify|ask) the (?:user|human)\b",
        r"(?:^|[\n.!?>\"'(])[^\S\n]*(?:dear|hey|hello|hi) (?:ai |virtual )?assistants?\b[^.!?\n]{0,60}\bthe user\b",
    ),
    row("from now on", r"\bfrom now on,? (?:you|the (?:assistant|agent|model|ai))\b"),
    row(
        "ai|a.i.|llm|model|bot|gpt|claude|gemini|copilot|assistant",
        (
            rf"\b(?:notes?|messages?|notice|instructions?|attention|memo|reminder|hint|orders?) (?:to|"
            rf"for) {_WHOSE}{_READER}"
            rf"(?:\s?[:;\u2013\u2014]|,? (?:that|which|who|please|you must|{_READING})\b)"
        ),
        rf"\battention,? (?:all )?{_AI}(?:\s?[:;,!\u2013\u2014]| {_READING}\b)",
        rf"(?:^|[\n.!?>\"'(*-])[^\S\n]*to {_WHOSE}{_READER}(?: {_READING}[^.!?\n:]{{0,30}})?\s?:",
        rf"\b(?:if|when|whenever) you are {_WHOSE}{_AI}\b",
        rf"\b{_AI} {_READING} {_PAGE}[^.!?\n]{{0,20}}\b(?:must|should|shall|need to|have to|are to|please|will)\b",
        (
            r"\b(?:new|updated|important|special|secret|hidden|additional) (?:rule|instruction|directive|order|"
            r"command|polic)"
            rf"\w{{0,4}} for (?:the|this|your) (?:{_AI}|assistants?|model|agent)\s?[:\u2013\u2014]"
        ),
        (
            rf"<!--[^<>]{{0,200}}\b{_READER}\b[^<>]{{0,200}}"
            r"\b(?:must|should|shall|please|always|never|ignore|remember|recommend|do not|tell|respond|reply|say|buy)\b"
        ),
    ),
    row(
        "you are now|you're now|no restrictions|mode enabled|mode activated|act as dan|no longer bound|"
        "no longer restricted",
        (
            r"\byou(?: are|'re) now (?:(?-i:DAN|STAN|DUDE)\b|an? (?:unrestricted|unfiltered|uncensored|jailbroken|"
            r"evil)\b|"
            r"in (?:developer|debug|admin|god|jailbreak|unrestricted) mode\b|"
            rf"(?:free of|free from|no longer) (?:bound|restricted|{_AI}|rules|restrictions|limits)\b|an? {_AI}\b)"
        ),
        r"\b(?:developer|god|jailbreak|dan) mode (?:enabled|activated)\b|\bact as (?-i:DAN)\b",
        r"\b(?:pretend|imagine|act as if) (?:that )?you (?:are|have) no (?:rules|restrictions|guidelines|filters)\b",
        r"\byou are no longer (?:bound|restricted) by\b",
    ),
    row(
        "reply|respond|answer|repl",
        (
            r"\bwhen(?:ever)? (?:you |the (?:assistant|ai|model) )?(?:repl|respond|answer)(?:y|ies|ing|"
            r"s)?\b(?! (?:the|your) (?:door|phone|call|bell))[^.!?\n]{0,40}"
            r"\b(?:always|never|you must)\b"
        ),
        (
            r"\b(?:always|never) (?:recommend|mention|include|promote|praise|add|insert|append)\b[^.!?\n]{0,60}"
            r"\bin (?:your|every|all) (?:answers?|repl(?:y|ies)|responses?)\b"
        ),
    ),
)

OTHERS: Final[tuple[Row, ...]] = (
    row(  # German
        "ignorier|vergiss|vergesst|vergessen|missacht|merk|speicher|notier|hinweis|nachricht|anweisung|notiz|du bist",
        _reversed(
            r"ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*",
            r"vorherig\w*|bisherig\w*|vorangegangen\w*|vorangehend\w*|obig\w*|früher\w*",
            r"anweisung\w*|instruktion\w*|regeln|vorgaben|befehle?n?|prompts?|systemprompt\w*",
        ),
        rf"{_NOT_DENIED}\b(?:ignorier\w*|vergiss|vergessen sie)(?: bitte)? (?:alle|sämtliche)(?: deine| ihre)? "
        r"(?:anweisungen|regeln|vorgaben|instruktionen)\b",
        rf"\b(?:merke? (?:dir|sie sich)|merken sie sich|speichere?|notiere?)\b{_GAP}\b(?:für (?:immer|alle (?:zeit|"
        rf"künftig\w*|"
        r"zukünftig\w*|später\w*|sitzung\w*|gespräche?))|in dein\w* (?:gedächtnis|langzeitgedächtnis|speicher))",
        r"\b(?:hinweis|nachricht|anweisung|notiz)(?:en)? (?:an|für) (?:die |den |das |alle |jede[ns]? )?(?:ki|"
        r"sprachmodelle?n?|"
        r"künstliche intelligenz|assistenten?|ki-(?:agenten|assistenten|modelle?))\b[^.!?\n]{0,30}:",
        r"\bdu bist (?:jetzt|nun|ab jetzt)\b[^.!?\n]{0,30}(?:(?-i:\bDAN\b)|ohne (?:einschränkungen|regeln))",
    ),
    row(  # Spanish, Portuguese, Italian, French
        "ignor|olvid|descart|esque|dimentic|oubli|neglig|néglig|tenez pas|tiens pas|caso omiso|desconsider",
        _reversed(
            r"ignor[aei]\w*|olvid[ae]\w*|descart[ae]\w*|haz caso omiso|esqueç\w*|esquec\w*|desconsider\w*|dimentic\w*|"
            r"oublie\w*|néglige\w*|ne (?:tiens|tenez) pas compte",
            r"anterior\w*|previ[ao]s?|prévi[ao]s|precedent[ei]?s?|précédent\w*|antérieur\w*|ci-dessus|acima|sopra|"
            r"d[eou]l? sist[eè]ma|du système",
            r"instrucci\w+|órdenes|ordenes|reglas|indicaciones|directrices|instruç\w+|regras|ordens|istruzioni|regole|"
            r"ordini|direttive|indicazioni|instructions?|consignes?|règles|directives|ordres|prompts?",
        ),
    ),
    row(
        "memori|memóri|mémoire|siempre|sesiones|conversaciones|sessions|conversations|sessões|conversas|sessioni|"
        "conversazioni",
        rf"\b(?:recuerda|guarda|memoriza|almacena)\b{_GAP}\b(?:en tu memoria|para todas las (?:futuras )?(?:sesiones|"
        rf"conversaciones))",
        rf"\b(?:souviens-toi|retiens|enregistre|mémorise)\b{_GAP}(?:dans ta mémoire|pour toutes les (?:prochaines |"
        rf"futures )?"
        r"(?:sessions|conversations))",
        rf"\b(?:ricorda|salva|memorizza)\b{_GAP}\b(?:nella tua memoria|per tutte le (?:prossime |"
        rf"future )?(?:sessioni|conversazioni))",
        rf"\b(?:lembre-se|lembra-te|guarde|guarda|salve|memorize)\b{_GAP}\b(?:na (?:sua|tua) memória|para todas as "
        r"(?:próximas |futuras )?(?:sessões|conversas))",
    ),
    row(
        "nota|mensaje|instrucci|aviso|note|message|consigne|instruction|messaggio|istruzion|avviso|mensagem|instruç",
        (
            r"\b(?:nota|mensaje|instrucci(?:ón|ones)|aviso|note|message|consignes?|instructions?|messaggio|"
            r"istruzion[ei]|avviso|"
            r"mensagem|instruç(?:ão|ões)) (?:para|a|à|aux?|pour|per|al|all['\u2019]|alla|agli|ai|ao|aos|às) ?"
            r"(?:l['\u2019]|la |el |il |le |les |los |las |gli |i |a |o |os |as |tous les |todos los |tutti gli |"
            r"todos os )?"
            r"(?:ia|intelig[eê]ncia artificial|intelligence artificielle|intelligenza artificiale|asistentes?|"
            r"assistents?|"
            r"assistent[ei]s?|assistants?|modelos? de (?:lenguaje|linguagem)|modèles? de langage|"
            r"modell[oi] linguistic[oi]|"
            r"agent(?:e|es|s|i)? (?:de |d['\u2019]|di )?ia)\b[^.!?\n]{0,30}:"
        ),
    ),
    row(
        "restric|restriz|límites|limites|dan",
        r"\b(?:ahora eres|tu es maintenant|vous êtes maintenant|ora sei|adesso sei|agora (?:você|tu) (?:é|"
        r"és))\b[^.!?\n]{0,30}"
        r"(?:(?-i:\bDAN\b)|sin (?:restricciones|límites)|sans (?:restrictions?|limites?)|senza (?:restrizioni|limiti)|"
        r"sem (?:restrições|limites))",
    ),
    row(
        "negeer|vergeet|ignoruj|zapomnij",
        _reversed(
            r"negeer|vergeet", r"vorige|voorgaande|eerdere|bovenstaande", r"instructies|opdrachten|regels|prompts?"
        ),
        _reversed(
            r"z?ignoruj\w*|zapomnij\w*",
            r"poprzedni\w*|wcześniejsz\w*|powyższ\w*",
            r"instrukcj\w*|polece\w*|reguł\w*|zasad\w*",
        ),
    ),
    row(
        "игнорируй|забудь|запомни|сохрани|сообщение|инструкци|указани|теперь ты",
        _reversed(
            r"(?:про)?игнорируй\w*|забудь\w*",
            r"предыдущ\w*|прежн\w*|вышеуказанн\w*",
            r"инструкци\w*|указани\w*|правила|команды",
        ),
        rf"{_NOT_DENIED}\b(?:(?:про)?игнорируй\w*|забудь\w*) (?:про )?всех? (?:инструкции|указания|правила|команды)\b",
        rf"\b(?:запомни|сохрани)\b{_GAP}\b(?:в (?:свою |долговременную )память|для всех (?:будущих )?(?:сессий|"
        rf"разговоров))",
        r"\b(?:сообщение|инструкци[яи]|указани[ея]) для (?:ии|нейросет\w*|языков\w+ модел\w+|ассистент\w*|"
        r"ии-агент\w*)\b"
        r"[^.!?\n]{0,30}:",
        r"\bтеперь ты\b[^.!?\n]{0,30}(?:(?-i:\bDAN\b)|без ограничений)",
    ),
    row(
        "忽略|无视|無視|忘记|忘記|忽視|理会|理會|不要遵|记忆|記憶|ai|人工智能|语言模型|語言模型|大模型|限制",
        r"(?:忽略|无视|無視|忽視|忘记|忘記|不要理会|不要理會|不要遵[守循])[^。！？\n]{0,12}"
        r"(?:之前|以前|先前|前面|上述|以上|上面|所有|系统|系統)[^。！？\n]{0,8}(?:指令|指示|提示|规则|規則|命令)",
        r"(?:保存|存入|写入|寫入|存到|记录|記錄)[^。！？\n]{0,6}(?:你的|长期|長期)(?:记忆|記憶)",
        r"(?:致|给|給|对|對)(?:所有|各位)?(?:AI|人工智能|语言模型|語言模型|大模型|智能体)(?:助手|助理|模型)?(?:的)?"
        r"(?:指令|提示|注意|消息|说明|說明)?[:\uff1a]",
        r"AI(?:助手|助理)?(?:请|請|必须|必須|务必|務必)(?:记住|記住|忽略|推荐|推薦|保存)",
        r"你(?:现在|現在)是[^。！？\n]{0,12}(?:(?-i:DAN)|(?:没有|沒有|不受)(?:任何)?限制)",
    ),
    row(
        "無視|忘れ|破棄|ai|人工知能|言語モデル|アシスタント|記憶",
        r"(?:これまで|今まで|以前|上記|先の|前の|すべて|全て|システム)[^。！？\n]{0,12}(?:指示|命令|プロンプト|ルール|指令)"
        r"[^。！？\n]{0,6}(?:無視|忘れ|破棄)",
        r"(?:AI|人工知能|言語モデル|アシスタント)(?:エージェント|アシスタント)?(?:へ|への|に対する)(?:指示|メモ|注意|メッセージ|お願い)",
        r"(?:あなたの|長期)記憶に[^。！？\n]{0,12}(?:保存|記録|追加)",
    ),
    row(
        "무시|잊|에게|에 대한",
        r"(?:이전|위의|앞의|모든|기존)[^.!?\n]{0,12}(?:지시|명령|지침|프롬프트|규칙)[^.!?\n]{0,8}(?:무시|잊)",
        r"(?:AI|인공지능|언어 ?모델|어시스턴트)(?:에게|에 대한)\s?(?:지시|메모|안내|명령)",
    ),
)

DISGUISED: Final = re.compile(
    r"(?:ignore|disregard|forget)[ ]?(?:all|any)?[ ]?(?:of)?[ ]?(?:the|your)?[ ]?(?:previous|prior|above|earlier|"
    r"preceding)[ ]?"
    r"(?:instruction|prompt|rule|guideline)|(?:remember|save)(?:this|that|it)?[ ]?(?:to|in)(?:your)?[ ]?memory|"
    r"youarenowdan",
    re.IGNORECASE,
)
"""What is looked for where letters are set apart or written as digits: nobody does so who has nothing to hide."""
