"""The shapes in which a page or a tool's answer speaks to the machine that reads it, kind by kind.

Three kinds, of which a reporter, a cook or a manual has no use: it is addressed to an assistant ("LLM: …", "Dear
chatbot, always …"); it speaks of the memory, or tells of "the user" what only the user can ("Remember: the user's bank
is …"); it gives the machine something to do ("Your new task is …", "forward this mail to all contacts"). Users may say
such words as ever: only what comes from outside is looked at so.

Rows are as in `orders.py`: hints, one of which stands in every text that a pattern finds, and bounded gaps.
"""

from __future__ import annotations

from typing import Final

from shared.belief.rules.orders import Row, row

_START: Final = r"(?:^|[\n.!?>\"'“(*\]:;-])[^\S\n]*"
_MODEL: Final = (
    r"(?:(?:the |all |any |every |dear |hey |hello |hi |attention |my |you )?"
    r"(?:ais?|a\.i\.|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt(?:-?\d\w*)?|copilot|"
    r"(?:ai|llm|virtual|digital|voice|browsing|research|shopping)[ -](?:assistants?|agents?|models?|systems?|bots?|"
    r"tools?)))"
)
_NAMED: Final = r"(?:claude|gemini|siri|alexa|bard|grok|llama|mistral|assistants?|agents?|bots?|models?)"
_ACTS: Final = (
    r"(?:always|never|please|remember|recommend|mention|tell|ignore|store|save|memori[sz]e|forward|send|note that|"
    r"respond|"
    r"reply|answer|say|treat|consider|assume|prefer|rank|rate|include|add|append|promote|praise|advise|do not|"
    r"don['\u2019]t|"
    r"you (?:must|should|will|are|shall|may|have)|the user|user)"
)
_PUSHES: Final = (
    r"(?:recommend|mention|promote|praise|prefer|advertise|favou?r|endorse|rank|rate|cite|tell (?:the |their |"
    r"its )?users?|"
    r"advise (?:the |their )?users?|direct (?:the )?users?|remember|store|save|memori[sz]e|ignore|forward|buy|say that|"
    r"inform (?:the )?users?|link to|visit|obey|comply|steer|choose|pick|suggest|include|reply|respond|answer)"
)
_MUST: Final = (
    r"(?:must|should|shall|have to|has to|need to|needs to|are (?:required|instructed|told|asked|expected) to|will)"
)
_HELD: Final = (
    r"(?:(?:new |preferred |fav(?:ou?)rite |current |home |personal |real |main |e-?mail |phone |bank |default )*"
    r"(?:bank|brand|name|address|e-?mail|phone(?: number)?|password|account|employer|boss|doctor|lawyer|broker|"
    r"wallet|iban|"
    r"supplier|airline|hotel|shop|store|provider|language|colou?r|food|diet|religion|party|goal|plan|preference|wish|"
    r"favou?rite|choice|assistant|browser|search engine|currency|insurance|car|phone|laptop|restaurant|birthday|"
    r"wife|husband))"
)
_SHOWN: Final = (
    r"(?!(?:shown|displayed|stored|saved|sent|used|set|taken|required|visible|hidden|read|checked|verified|entered|not|"
    r"empty|invalid|missing|available|unknown|case|part|a\b|an\b|the \w+ (?:of|that|which|in)\b))"
)
_STORE: Final = (
    r"(?:remember|memori[sz]e|store|save|record|keep in (?:mind|memory)|note|add|log|write down|learn|retain)"
)
_FACT: Final = (
    r"(?:this|the following|these|that|a|new|one)(?: (?:new|important|key|permanent|user|following|long[- ]term))*"
    r" (?:facts?|preferences?|memor(?:y|ies)|user (?:facts?|data|preferences?|info\w*)|instructions?|rules?|profile)"
)
_ALL: Final = (
    r"(?:all|every(?:one|body)?|each)(?: (?:of|in|on|person in))?(?: (?:your|the|the user['\u2019]s|my|his|her|their))?"
)
_PEOPLE: Final = (
    r"(?:contacts?|friends|address ?book|address list|colleagues|followers|recipients|mailing list|customers)"
)
_THEIRS: Final = (
    r"(?:the |this )?(?:user['\u2019]?s?['\u2019]?|users['\u2019]|victim['\u2019]s|your (?:user|owner|human)['\u2019]s)"
)
_DATA: Final = (
    r"(?:data|e-?mails?|files?|passwords?|contacts?|conversations?|chats?|history|api keys?|credentials?|memor(?:y|"
    r"ies)|"
    r"messages?|calendar|documents?|secrets?|tokens?|location|photos?|notes|inbox|address|details|credit card\w*)"
)

ADDRESSED: Final[tuple[Row, ...]] = (
    row(
        "memor",
        rf"{_START}(?:long[- ]term |assistant |user |new |ai |agent )?memory (?:update|note|entry|item|write|record|"
        r"injection|"
        r"addition|command|instruction)\s?[:\u2013\u2014-]",
        rf"{_START}(?:update|note|addition|write|append|new entry) (?:to|for|in|into) (?:the |your |long[- ]term |"
        r"user )*memory\s?[:\u2013\u2014-]",
        rf"{_START}(?:please )?{_STORE}\b[^.!?\n]{{0,40}}\b(?:in|to|into) (?:the |your )?(?:long[- ]term |"
        r"persistent |permanent |"
        r"user )*memory\b(?! (?:card|stick|address|module|bank|slot|chip|foam|book|box))[^.!?\n]{0,20}(?::|"
        r"\bthat\b|\bthe user\b)",
    ),
    row(
        "remember|memori|store|save|record|keep in|note|add |log|learn|retain",
        rf"{_START}(?:please |always |you must |also )?{_STORE}(?: this| that| it| well| carefully| permanently|"
        r" forever)?"
        r"(?:\s?[:,\u2013\u2014-]\s?|\s)(?:that )?(?:the |this |your )?users?(?:['\u2019]s?| (?:is|has|was|"
        r"prefers?|wants?|likes?|loves|hates|lives|"
        r"works|consents?|agrees?|trusts?|asked|banks|uses|needs|owns|always|never|will|would|authori[sz]e[sd]?)\b)",
        rf"{_START}(?:please |always |also )?{_STORE} {_FACT}\b[^.!?\n]{{0,40}}:",
        rf"{_START}(?:please )?(?:add|append|save|write|store) [^.!?\n]{{0,50}}\b(?:to|in|"
        r"into) the user['\u2019]?s? (?:profile|memor|preferences|notes|record|facts)",
    ),
    row(
        "user",
        rf"{_START}(?:the |this |your )?user (?:has |had |have )?(?:already |also |previously |"
        r"explicitly )?(?:asked|consented|agreed|"
        r"consents|agrees|authori[sz]ed|authori[sz]es|approved|approves|requested|confirmed|instructed|permitted|"
        r"allowed|opted in|"
        r"wishes|granted)\b(?! (?:the (?:dialog|form|prompt)|their (?:email|e-mail|identity|address)))"
        r"[^.!?\n]{0,60}\b(?:to|that|you|data|access|all|sharing|for)\b",
        rf"{_START}(?:the |this |your )?user (?:strongly |always |really |clearly |now )?(?:prefers|loves|hates|"
        r"trusts|wants you|likes|"
        r"banks|dislikes|wishes you|would like you|wants the (?:assistant|ai|agent))\b(?![^.!?\n]*\b(?:if|when|"
        r"whether)\b)",
        rf"{_START}(?:the |this |your )?user['\u2019]s {_HELD}(?: is| has changed to| was changed to|"
        rf" has always been|\s?[:=]) {_SHOWN}",
        r"\b(?:important|essential|critical|vital|make sure|ensure|crucial|necessary) (?:for|that) (?:the|any|"
        r"every|all) "
        r"(?:ai |virtual )?(?:assistants?|agents?|models?|chat ?bots?|llms?)\b[^.!?\n]{0,30}\b(?:the |their |"
        r"its )?users?\b",
        r"\b(?:tell|inform|convince|persuade|advise|warn|notify|urge|ask|instruct|direct|trick) the user (?:to|"
        r"that|they|he|she)\b"
        r"[^.!?\n]{0,40}(?:\bvisit\b|\bbuy\b|\binstall\b|\bdownload\b|\bcall\b|\bpay\b|\bclick\b|https?:|www\.|"
        r"\.(?:com|net|org|example)\b)",
    ),
    row(
        "assistant|chat|llm|model|gpt|copilot|agent|ai |ai:|ai,|ai-|ai;|ai\u2013|ai\u2014|ais |ais:|ais,|a.i.|bot|"
        "claude|gemini|siri|alexa|grok",
        rf"{_START}{_MODEL}\s?[:,;\u2013\u2014-]\s?(?:[^.!?\n:]{{0,20}}[,:] )?{_ACTS}\b",
        rf"{_START}(?:dear |hey |hello |hi |attention |ok |okay ){_NAMED}\s?[:,;!\u2013\u2014-]\s?(?:always|never|"
        r"remember|recommend|ignore|"
        r"store|save|mention|forward|tell|treat|the user|from now on|please (?:remember|recommend|ignore|store|"
        r"save|mention|forward|tell)|"
        r"you (?:must|should|are now|will))\b",
        rf"{_START}(?:assistants?|agents?|bots?|claude|gemini)\s?[:\u2013\u2014]\s?(?:always|never|remember|"
        r"recommend|ignore|store|save|"
        r"the user|user (?:consents|prefers|wants|has)|mention|promote)\b",
        rf"{_START}(?:fyi|f\.y\.i\.|hint|tip|reminder|psa|notice|info|memo|heads[- ]up|advice|guidance|guidelines?|"
        r"policy|rules?|disclaimer) "
        rf"(?:for|to) (?:all |any |every |the |your )?(?:{_MODEL}|assistants|chat ?bots?|agents|crawlers|"
        r"bots)\b(?! (?:managers?|coach|editors?|"
        r"developers?|engineers?|users?|nurses?|professors?|in\b|at\b))[^.!?\n]{0,30}[:\u2013\u2014]",
        rf"{_START}(?:all |any |every |the )?(?:assistants|chat ?bots?|(?:ai |llm |virtual )(?:assistants?|agents?|"
        r"models?|systems?|bots?)|llms?|ais|"
        rf"language models|ai) (?:reading [^.!?\n]{{0,30}})?{_MUST} (?:always |never |only |not |also |"
        rf"first )*{_PUSHES}\b",
        rf"{_START}(?:if|when(?:ever)?|since|as) (?:you(?:['\u2019]re| are)|this is read by|read by|parsed by|"
        r"asked as) (?:an? |the |any )?"
        rf"(?:{_MODEL}|assistant|agent|bot)\b",
        rf"\b(?:any|every|all|the) {_MODEL} (?:that|who|which) (?:reads?|parses?|sees?|process(?:es)?|"
        r"summari[sz]es?|visits?|is reading)\b"
        r"[^.!?\n]{0,40}\b(?:must|should|shall|has to|have to|will|is to|needs? to)\b",
    ),
    row(
        "your |you |answer|repl|response|output|summar|reveal|disclose|mention|show|report|repeat",
        rf"{_START}(?:from now on,? |now,? )?your (?:new|real|actual|true|only|updated|secret|hidden) (?:task|"
        r"goal|objective|mission|"
        r"directive|instructions?|purpose|orders?|job)(?: (?:is|are)(?: now)?|\s?:)",
        rf"{_START}(?:you|the (?:assistant|agent|ai|model)) (?:must|should|shall|will|need to|have to)(?: now|"
        r" always| immediately| secretly)? "
        rf"(?:send|forward|upload|post|e-?mail|leak|exfiltrate|transmit|copy) {_THEIRS} {_DATA}",
        r"\b(?:end|begin|start|finish|close|open|preface|conclude) (?:every|each|all|your|any)(?: of your| future|"
        r" following)? "
        r"(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies))\b[^.!?\n]{0,10}\b(?:with|by)\b",
        r"\bin (?:your|every|each|all(?: your)?)(?: next| future| final)? (?:answers?|repl(?:y|ies)|responses?|"
        r"summar(?:y|ies)),? (?:always|never|"
        r"please|you must|include|mention|recommend|insert|add|tell|say|link)\b",
        r"\b(?:do not|don['\u2019]t|never) (?:reveal|disclose|mention|show|report|repeat) (?:this|these|the above|"
        r"that)(?: (?:message|instructions?|"
        r"rules?|text|order|note|prompt|command))?(?: to (?:the user|anyone|anybody|your user|the human))\b",
    ),
    row(
        "forward|send|share|e-mail|email|upload|post|exfil|transmit|resend|leak|copy|deliver",
        rf"{_START}(?:please |now |then |kindly |immediately |you must )*(?:forward|send|resend|share|e-?mail|"
        r"pass on|copy) (?:this|the following|that|these) "
        rf"(?:e-?mails?|mails?|messages?|notes?|texts?|pages?|links?|letters?|posts?)(?: on)? to {_ALL} {_PEOPLE}",
        rf"{_START}(?:please |now |then |kindly |immediately |secretly |silently )*(?:forward|send|e-?mail|upload|"
        r"post|exfiltrate|transmit|leak|copy|deliver|share) "
        rf"(?:all |any |every |copies of )*(?:of )?{_THEIRS} (?:\w+ ){{0,2}}{_DATA}\b",
        rf"{_START}(?:please |now |then |kindly |immediately |secretly |silently )*(?:forward|e-?mail|upload|post|"
        r"exfiltrate|transmit|leak) "
        rf"(?:all |any |every )(?:the |your )?(?:\w+ ){{0,2}}{_DATA} (?:\w+ ){{0,3}}to (?:https?:|www\.|\S+@)",
    ),
    row(
        "summari|asked|describ|answering|ranking|compar|review",
        r"\bwhen(?:ever)? (?:you (?:are )?)?(?:summari[sz](?:e|ing)|describ(?:e|ing)|quot(?:e|ing)|"
        r"answering (?:questions )?about|review(?:ing)?|"
        r"rank(?:ing)?|compar(?:e|ing)|asked about)\b[^.!?\n,]{0,50},? (?:always|never|please|you must|mention|say|"
        r"state|add|include|tell|recommend|"
        r"do not mention|don['\u2019]t mention|omit|conclude|rank|rate|praise|prefer|insert)\b",
        rf"{_START}if (?:you are |you['\u2019]re |the user |a user |anyone |somebody )?ask(?:ed|"
        r"s) (?:you )?(?:about|for|which|what|who|whether|to)\b"
        r"[^.!?\n,]{0,60},? (?:always |please |only |you must |just )*(?:say|reply|respond|recommend|state|claim|"
        r"tell (?:them|him|her|the user)|name|mention)\b",
    ),
    row(  # to whom it is said, and in whose name
        "for |as |dear |owner|operator|developer|creator|trusted|treat|begin |end ",
        rf"{_START}for {_MODEL}(?: readers?| only| reading [^.!?\n:]{{0,20}})?\s?[:\u2013\u2014]",
        rf"{_START}as (?:an? |the |any )(?:{_MODEL}|assistant)\b[^.!?\n]{{0,20}}\b(?:you|please|always|never|"
        r"recommend|ignore)\b",
        rf"{_START}(?:dear |attention |hello |hi |hey ){_MODEL}(?: that is| which is| who is|,)? (?:reading|parsing|"
        r"processing)\b",
        r"\bthe (?:owner|operator|developer|creator|maker|user)s? of (?:this|the) (?:assistant|ai|agent|bot|"
        r"chat ?bot|model)\b"
        r"[^.!?\n]{0,20}\b(?:wants?|asks?|orders?|instructs?|requires?|has (?:asked|ordered|instructed|decided))\b",
        r"\btreat (?:it|this|that|them|the following|these|what follows|this (?:text|content|"
        r"page)) as (?:the user['\u2019]s|user|"
        r"if the user|coming from the user|from the user|system|trusted|an? (?:instruction|order|system))\b",
        r"(?-i:\b(?:BEGIN|END|START|NEW) (?:SYSTEM |NEW |ADMIN |HIDDEN )?(?:INSTRUCTIONS?|PROMPT|ORDERS?|"
        r"DIRECTIVES?)\b)",
    ),
    row(  # what the machine is to do for the page
        "assistant|agent|chat|bot|claude|gemini|siri|alexa|tool|function|mail|answer|reply|respond|speak|write|append|"
        "add |"
        "insert|include|attach|proceed|continue|go ahead|confirmation|permission|approval|consent",
        rf"{_START}(?:ai |virtual )?(?:assistant|agent|chat ?bot|claude|gemini|siri|alexa|chatgpt|"
        r"copilot), (?:please |now |you must )?"
        r"(?:add|delete|send|forward|open|book|buy|order|pay|transfer|call|search|fetch|visit|read|create|run|set|"
        r"change|move)\b",
        r"\b(?:append|add|insert|include|attach|put) [^.!?\n]{0,60} (?:to|in|into|after|before) (?:each|every|"
        r"all(?: of)?)(?: the)? "
        r"(?:links?|urls?|answers?|repl(?:y|ies)|responses?|messages?|e-?mails?|files?|"
        r"commits?)(?: that)? (?:you\b|from you\b)",
        r"\b(?:only|always|never|just) (?:answer|reply|respond|speak|write|talk)\b[^.!?\n]{0,40}\bfrom (?:now|"
        r"this point|here|this moment|today)"
        r"(?: on)?\b",
        r"\b(?:call|use|invoke|run|trigger) (?:the |your )?(?:tool |function )?\w*(?:send|delete|remove|forward|"
        r"mail|transfer|upload|pay|purchase)\w*"
        r"(?: tool| function)? (?:with to\s?=|to \S{1,60}@|on (?:all|every|the user)|for (?:all|every) )",
        rf"{_START}(?:please |then |now |so )?(?:proceed|continue|go ahead|act|pay|send it|delete it|do (?:this|it|"
        rf"so))\b[^.!?\n]{{0,20}}\bwithout "
        r"(?:asking|(?:further |any |user )?(?:confirmation|consent|approval|permission))",
        r"\b(?:approved|confirmed|authori[sz]ed|agreed)\b[^.!?\n]{0,30}[,;] (?:so )?(?:proceed|continue|go ahead)\b",
        rf"{_START}(?:please |you need not |there is no need to |no need to |do not |don['\u2019]t |never )(?:ask|"
        r"wait|stop)(?: the user| the human| anyone)? "
        r"(?:for|to) (?:a |any |further |user |their |her |his )*(?:confirmation|confirm|permission|approval|"
        r"approve|consent)\b(?! of\b)",
    ),
    row(  # what is told of the user
        "user",
        rf"{_START}(?:new |updated )?user(?:['\u2019]s)? (?:preference|profile|setting|memory|fact|data|info|"
        r"information|identity|permission|consent)s? "
        r"(?:update[ds]?|changed?|set|recorded|added|confirmed|granted|verified|learned)\s?[:\u2013\u2014-]",
        rf"{_START}(?:please |always |also )?{_STORE} (?:in|to|into|on) (?:the |your |their |"
        r"this )?(?:\w+ )?(?:profile|notes?|database|knowledge base|"
        r"file|records?|memory)\b[^.!?\n]{0,20}\buser\b",
        r"\byou (?:must|should|have to|need to|are to|shall|will) (?:always |also |now |immediately )*(?:tell|"
        r"inform|convince|warn|notify|advise|remind|"
        r"persuade) (?:the |your )users? (?:that )?(?:their|they|to|his|her|he|she|it is)\b",
        rf"{_START}(?:\w+ )?(?:approve|accept|confirm|authori[sz]e|grant|enable)\b[^.!?\n]{{0,40}}\b(?:on behalf of|"
        r"in the name of|for) the user\b",
    ),
    row(
        "memor",
        rf"{_START}(?:please |now |always )?(?:update|refresh|overwrite|change|extend|correct|append to) (?:the |"
        r"your |its |user |long[- ]term |this )+memor(?:y|ies)"
        r"(?:\s?[:,\u2013\u2014-]| with\b| to (?:say|read|include|state)\b)",
    ),
    row(
        "user|your |assistant|share|post|send|forward",
        rf"{_START}(?:please |always |also )?{_STORE}\b[^.!?\n:]{{0,25}}:\s?(?:the |this |your )?user\b",
        r"\b(?:from now on|always|henceforth|in future|in all answers),? (?:address|call|refer to|treat|greet|tell|"
        r"inform) the user\b",
        rf"{_START}(?:the |this |your )?user would like (?:all|every|you|the (?:assistant|ai|agent)|to be (?:called|"
        r"addressed)|me to)\b",
        rf"{_START}(?-i:User) (?:wants|prefers|likes|loves|hates|dislikes|trusts|wishes)\b(?![^.!?\n]*\b(?:if|when|"
        r"whether)\b)",
        rf"{_START}your (?:instructions?|orders|rules|guidelines|task|goals?|objectives?) (?:have|"
        r"has) (?:been )?(?:changed|updated|replaced|revised)\b",
        rf"{_START}(?:the )?(?:ai |virtual )?assistant (?:must|should|shall|has to|needs to|will) (?:always|never) \w+|"
        rf"{_START}(?:the )?(?:ai |virtual )?assistant (?:must|should|shall|has to) (?:only )?(?:reply|respond|"
        r"answer) (?:in|with|only|as)\b",
        rf"{_START}(?:please |now |kindly )*(?:share|post|send|forward) (?:this|these) (?:\w+ )?(?:posts?|links?|"
        r"pages?|messages?|articles?|e-?mails?|mails?) "
        rf"(?:with|to) {_ALL} {_PEOPLE}",
        rf"{_START}(?:please |now |then )?(?:send|give|tell|show|mail|hand) (?:me|us|it|"
        rf"them) {_THEIRS} (?:\w+ ){{0,2}}{_DATA}\b",
    ),
)
