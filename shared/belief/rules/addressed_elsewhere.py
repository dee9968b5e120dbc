"""The shapes of `addressed.py` in other languages: a page or a tool's answer speaks to the machine that reads it."""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

from typing import Final

from shared.belief.rules.orders import Row, row

_START: Final = r"(?:^|[\n.!?>\"'“(*\]:;-])[^\S\n]*"

ADDRESSED_ELSEWHERE: Final[tuple[Row, ...]] = (
    row(  # German
        "speicher|merk|notier|nutzer|anwender|assistent|chatbot|sprachmodell|ki |ki:|ki,|ki-|ki!|aufgabe|"
        "kontakte|gedächtnis",
        rf"{_START}(?:bitte )?(?:merke?(?: dir| sie sich)?|merken sie sich|speicher[en]?(?: sie)?|"
        rf"notier[en]?(?: sie)?|vermerk\w*)\b[^.!?\n]{{0,30}}"
        r"\b(?:der|die|des|den) (?:be)?nutzers?\b",
        rf"{_START}(?:bitte )?(?:speicher[en]?|merke?|notier[en]?)(?: dir| sie)? (?:diese[ns]?|"
        r"folgende[ns]?) (?:tatsachen?|fakt(?:en)?|vorlieben?|regeln?|anweisung\w*|"
        rf"information\w*)\b[^.!?\n]{{0,20}}:",
        r"\b(?:gedächtnis|speicher|erinnerungs)-?(?:update|eintrag|notiz|aktualisierung)\s?:",
        rf"{_START}der (?:be)?nutzer (?:hat (?:\w+ ){{0,3}}(?:zugestimmt|gebeten|verlangt|erlaubt|eingewilligt)|"
        r"bevorzugt|möchte, dass (?:du|sie)|stimmt)\b",
        rf"{_START}(?:lieber|hallo|hey|achtung,?) (?:chatbot|ki|ki-assistent|sprachmodell|assistent)\s?[,:!]",
        rf"{_START}(?:alle )?(?:chatbots?|ki-(?:assistenten|agenten|modelle|systeme)|sprachmodelle|"
        rf"assistenten) (?:müssen|sollen|sollten) (?:\w+ ){{0,6}}(?:empfehlen|erwähnen|speichern|nennen|bevorzugen|"
        r"merken|weiterleiten|loben)\b",
        rf"{_START}(?:deine|ihre) (?:neue|eigentliche|wahre|nächste) (?:aufgabe|mission|anweisung|ziel) (?:ist|"
        r"lautet)\b",
        r"\b(?:leite|leiten sie|schicke?|schicken sie|sende|senden sie) (?:diese|die)[rns]? (?:e-?mail|mail|"
        r"nachricht) (?:bitte )?an alle (?:\w+ ){0,2}(?:kontakte|freunde|empfänger|kollegen)\b",
        rf"{_START}(?:ki|llm|chatbot|sprachmodell)\s?:\s?(?:der nutzer|empfiehl|merke?|ignoriere|erwähne|sage?|"
        r"speichere|immer|nie)\b",
    ),
    row(  # French
        "enregistr|retien|retene|utilisateur|assistant|chatbot|modèle|ia |ia:|ia,|ia-|ia!|tâche|contacts|mémoire",
        rf"{_START}(?:veuillez )?(?:mémorise[rz]?|retien[sz]|retenez|souviens-toi|souvenez-vous|enregistre[rz]?|"
        rf"note[rz]?|n['\u2019]oublie[rz]? pas)\b[^.!?\n]{{0,30}}\bl['\u2019]utilisat(?:eur|rice)\b",
        rf"{_START}(?:veuillez )?(?:mémorise[rz]?|enregistre[rz]?|retien[sz]|retenez) (?:ce fait|"
        rf"cette (?:préférence|information|règle)|ceci|le fait suivant)\b[^.!?\n]{{0,20}}:",
        rf"{_START}mise à jour de (?:la |ta |votre )?mémoire\s?:",
        rf"{_START}l['\u2019]utilisat(?:eur|rice) (?:a (?:\w+ ){{0,2}}(?:demandé|accepté|consenti|autorisé|"
        r"approuvé)|préfère|consent|accepte|veut que (?:tu|vous))\b",
        rf"{_START}(?:cher|chère|bonjour|attention,?) (?:chatbot|ia|assistant(?:e)? (?:ia|virtuel\w*)|"
        r"modèle(?: de langage)?)\s?[,:!]",
        rf"{_START}(?:les |tous les )?(?:assistants(?: ia| virtuels)?|chatbots|modèles de langage|"
        rf"agents ia) (?:doivent|devraient) (?:\w+ ){{0,2}}(?:recommander|mentionner|mémoriser|citer|préférer|dire|"
        r"promouvoir|transférer)\b",
        rf"{_START}(?:ta|votre) (?:nouvelle|véritable|vraie|prochaine) (?:tâche|mission|instruction|"
        r"consigne)s? (?:est|sont)\b",
        r"\b(?:transfère|transférez|transférer|envoie|envoyez|fais suivre|faites suivre) (?:ce|cet) (?:message|"
        r"e-?mail|mail|courriel) à tous (?:tes|vos|les|ses) (?:contacts|amis|collègues|destinataires)\b",
        rf"{_START}(?:ia|llm|chatbot)\s?:\s?(?:l['\u2019]utilisateur|recommande|mémorise|ignore|toujours|jamais|"
        r"mentionne|dis)\b",
    ),
    row(  # Spanish, Portuguese
        "guard|almacen|recuerd|salve|memoriz|armazen|registr|usuario|usuário|utilizador|asistente|assistente|"
        "chatbot|modelo|ia |ia:|ia,|ia-|ia!|tarea|tarefa|contactos|contatos|memoria|memória",
        rf"{_START}(?:por favor,? )?(?:recuerd[ae]|memori[cz][ae]|guard[ae]|almacen[ae]|anot[ae]|"
        rf"lembre(?:-se)?(?: de)?|memorize|salve|registr[ae]|armazene)\b[^.!?\n]{{0,30}}\b(?:el|la|o|a|del?|do|"
        r"da) (?:usuari[oa]|usuári[oa]|utilizador)\b",
        rf"{_START}(?:por favor,? )?(?:guard[ae]|almacen[ae]|recuerd[ae]|salve|memorize|armazene|"
        r"registr[ae]) (?:este|esta|esto|isto|o seguinte|lo siguiente|el siguiente)(?: (?:hecho|dato|preferencia|"
        r"regla|fato|facto|dado|preferência|regra|información|informação))?\s?:",
        rf"{_START}(?:actualización|atualização) (?:de (?:la )?|da )mem[oó]ria\s?:",
        rf"{_START}(?:el usuario|o usuário|o utilizador) (?:ha |já |ya )?(?:pedido|pidió|pediu|aceptado|aceptó|"
        r"aceitou|consiente|consentiu|autorizó|autorizado|autorizou|prefiere|prefere|quiere que|quer que)\b",
        rf"{_START}(?:querido|estimado|hola,?|olá,?|caro|prezado|atención,?|atenção,?) (?:chatbot|ia|"
        r"asistente(?: virtual| de ia)?|assistente (?:virtual|de ia)|modelo(?: de (?:lenguaje|linguagem))?)\s?[,:!]",
        rf"{_START}(?:los |todos los |os |todos os )?(?:asistentes(?: de ia| virtuales)?|assistentes(?: de ia|"
        r" virtuais)?|chatbots|modelos de (?:lenguaje|linguagem)|agentes de ia) (?:deben|deberán|devem|"
        rf"deverão) (?:\w+ ){{0,2}}(?:recomendar|mencionar|memorizar|recordar|guardar|citar|preferir|decir|dizer|"
        r"reenviar)\b",
        rf"{_START}(?:tu|su|sua|a sua|a tua) (?:nueva|nova|verdadera|verdadeira|próxima) (?:tarea|misión|tarefa|"
        r"missão|instrucción|instrução) (?:es|é)\b",
        r"\b(?:reenvía|reenvíe|reenvie|envía|envíe|encaminhe|envie) (?:este|esta) (?:correo|mensaje|mensagem|"
        r"e-?mail) (?:a|para) tod[oa]s (?:tus|sus|los|os|seus|teus)(?: seus)? (?:contactos|contatos|amigos|"
        r"colegas)\b",
        rf"{_START}(?:ia|llm|chatbot)\s?:\s?(?:el usuario|o usuário|recomienda|recomende|siempre|sempre|recuerda|"
        r"ignora|menciona|nunca)\b",
    ),
    row(  # Italian
        "memorizz|salva|ricord|registr|utente|assistente|assistenti|chatbot|modell|ia |ia:|ia,|ia-|ia!|"
        "compito|contatti|memoria",
        rf"{_START}(?:per favore,? )?(?:ricord[ai]|memorizz[ai]|salv[ai]|annot[ai]|"
        rf"registr[ai])\b[^.!?\n]{{0,30}}\b(?:l['\u2019]|dell['\u2019]|all['\u2019])utente\b",
        rf"{_START}(?:memorizza|salva|ricorda|registra) (?:questo fatto|questa (?:preferenza|informazione|regola)|"
        rf"quanto segue)\b[^.!?\n]{{0,20}}:",
        rf"{_START}aggiornamento (?:della |di )?memoria\s?:",
        rf"{_START}l['\u2019]utente (?:ha (?:\w+ ){{0,2}}(?:chiesto|accettato|acconsentito|autorizzato)|preferisce|"
        r"acconsente|vuole che (?:tu|lei))\b",
        rf"{_START}(?:caro|gentile|ciao|attenzione,?) (?:chatbot|ia|assistente (?:virtuale|ia)|"
        r"modello(?: linguistico)?)\s?[,:!]",
        rf"{_START}(?:gli |tutti gli |i )?(?:assistenti(?: ia| virtuali)?|chatbot|modelli linguistici|"
        rf"agenti ia) (?:devono|dovrebbero) (?:\w+ ){{0,2}}(?:raccomandare|consigliare|menzionare|memorizzare|"
        r"ricordare|citare|dire|inoltrare)\b",
        rf"{_START}(?:il tuo|il suo|la tua) (?:nuov[oa]|ver[oa]|prossim[oa]) (?:compito|missione|incarico|"
        r"obiettivo) è\b",
        r"\b(?:inoltra|inoltri|invia|invii|manda) (?:questo|questa|quest['\u2019]) ?(?:messaggio|e-?mail|"
        r"mail) a tutti (?:i )?(?:tuoi |suoi )?(?:contatti|amici|colleghi)\b",
    ),
    row(  # Russian
        "запомни|сохрани|запиши|пользовател|ассистент|чат-бот|чатбот|языков|ии |ии:|ии,|ии-|ии!|задача|контакт|памят",
        rf"{_START}(?:пожалуйста,? )?(?:запомни\w*|сохрани\w*|запиши\w*|учти\w*)\b[^.!?\n]{{0,30}}\bпользовател",
        rf"{_START}(?:запомни|сохрани|запиши)(?:те)? (?:этот факт|это|следующее|следующий факт)\s?:",
        r"\bобновление памяти\s?:",
        rf"{_START}пользователь (?:попросил|согласен|согласился|разрешил|предпочитает|хочет, чтобы (?:ты|вы)|"
        r"дал согласие)\b",
        rf"{_START}(?:дорогой|уважаемый|привет,?|внимание,?) (?:чат-?бот|ии|ассистент|ии-ассистент)\s?[,:!]",
        rf"{_START}(?:все )?(?:ассистенты|ии-ассистенты|чат-?боты|языковые модели) (?:должны|"
        rf"обязаны) (?:\w+ ){{0,2}}(?:рекомендовать|упоминать|запомнить|советовать|говорить|пересылать)\b",
        rf"{_START}(?:твоя|ваша) (?:новая|настоящая|истинная|следующая) (?:задача|цель|миссия)\b",
        r"\b(?:перешли|перешлите|отправь|отправьте) это (?:письмо|сообщение) всем (?:\w+ )?(?:контактам|друзьям|"
        r"коллегам)\b",
    ),
    row(  # Chinese
        "记住|記住|保存|存储|用户|用戶|助手|助理|机器人|機器人|模型|任务|任務|联系人|聯絡人|记忆|記憶|亲爱|親愛|你好|嗨",
        r"(?:记住|記住|请记|請記|保存|记录|記錄)[^。！？\n]{0,10}用[户戶][的喜偏已希想要]",
        r"(?:记忆|記憶)(?:更新|条目|條目)\s?[:\uff1a]|(?:保存|记住|存储)(?:以下|这个|這個|此)(?:事实|事實|信息|偏好)\s?[:\uff1a]",
        r"(?:^|[。！？\n:\uff1a])\s?用[户戶](?:已经|已經|已)?(?:同意|授权|授權|要求你|希望你|偏好|更喜欢)",
        r"(?:亲爱的|親愛的|你好|嗨)[，,]?(?:AI|聊天机器人|聊天機器人|语言模型|人工智能|智能助手)",
        r"(?:所有)?(?:AI)?(?:助手|聊天机器人|语言模型|智能体)(?:必须|必須|应当|應當|应该|務必|务必)[^。！？\n]{0,10}(?:推荐|推薦|记住|提到|保存|转发)",
        r"你(?:的)?(?:新|真正)的?(?:任务|任務|目标|使命)是",
        r"(?:转发|轉發|发送|發送)[^。！？\n]{0,8}(?:给|給|到)(?:所有|全部)(?:的)?(?:联系人|聯絡人|好友)|(?:把|将|將)[^。！？\n]{0,10}(?:转发|轉發|发送)给所有",
    ),
    row(  # an update of the memory, and to whom it is said, in several
        "gedächtnis|erinnerung|speicher|memori|memória|mémoire|памят|记忆|記憶|attention|atención|atenção|attenzione|achtung|hinweis|"
        "вниман|à l'|记住|note |nota ",
        r"\b(?:aktualisiere|aktualisieren sie|ergänze|ändere) (?:dein|das|ihr|die)\w* (?:gedächtnis|"
        r"erinnerung(?:en)?|speicher)\b[^.!?\n]{0,10}:",
        r"\b(?:actualiza|actualice|atualize|atualiza|aggiorna|aggiorni) (?:la |tu |su |a |sua |tua |"
        r"la tua )*(?:memori[ae]|memória)\b[^.!?\n]{0,10}:",
        r"\b(?:mets|mettez) à jour (?:la |ta |votre )?mémoire\b[^.!?\n]{0,10}:",
        r"\b(?:обнови|обновите|дополни|измени)(?:те)? (?:свою )?память\b[^.!?\n]{0,10}:",
        r"更新(?:你的|您的)?(?:长期|長期)?(?:记忆|記憶)\s?[:\uff1a，,]",
        rf"{_START}(?:à l['\u2019]attention|note|avis|attention)(?: à| aux?| des?| pour)?(?: les| l['\u2019]|"
        r" tous les| toutes les)? ?(?:ia|assistants(?: ia)?|chatbots|modèles(?: de langage)?)\s?:",
        rf"{_START}(?:atención|atenção|attenzione|nota|aviso)(?: a| para| para la| per| per le| às?| aos?)?(?: la|"
        r" las| los| le| gli| as| os)? ?(?:ia|asistentes|assistentes|assistenti|chatbots?|modelos|modelli)\s?[:,]",
        rf"{_START}(?:achtung|hinweis|nachricht)(?: an| für)?(?: die| alle| den)? (?:ki(?:s|-systeme|-assistenten|"
        r"-agenten|-modelle)?|chatbots?|sprachmodelle|assistenten)\s?[:,]",
        rf"{_START}(?:вниманию|внимание,?|для) (?:всех )?(?:ии|ии-\w+|ассистентов|чат-?ботов|языковых моделей)\s?[:,]",
    ),
    row(  # what the machine is to tell its user, in several
        "nutzer|utilisateur|usuario|usuário|utente|пользовател",
        r"\b(?:sag|sage|sagen sie|rate|empfiehl) dem (?:be)?nutzer\b[^.!?\n]{0,40}\b(?:besuch|klick|kauf|install|"
        r"anruf|zahl|gehen|öffne|überweis)",
        r"\b(?:dis|dites|demande|demandez|conseille|conseillez) à l['\u2019]utilisateur d(?:e |"
        r"['\u2019])(?:visiter|cliquer|acheter|installer|appeler|payer|aller|ouvrir)",
        r"\b(?:dile|dígale|diga|diz|pide|peça) (?:al|ao) usu[aá]rio (?:que|para) (?:visit|haga clic|clique|compr|"
        r"instal|llam|pag|abr|vaya)",
        r"\b(?:di['\u2019]|dica|chiedi|consiglia) all['\u2019]utente di (?:visitare|cliccare|comprare|installare|"
        r"chiamare|pagare|aprire)",
        r"\b(?:скажи|скажите|посоветуй|посоветуйте|попроси) пользователю (?:\w+ )?(?:зайти|перейти|купить|"
        r"установить|позвонить|заплатить|открыть|нажать)",
    ),
)
