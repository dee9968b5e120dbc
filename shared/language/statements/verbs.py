"""The verbs that statements are read from, known by their forms, so that a wrong tag does not hide them. Pure data."""

from __future__ import annotations

from typing import Final

_REGULAR: Final = """
    live move relocate reside stay work study graduate join retire start finish quit stop marry divorce adopt
    own use play speak like love enjoy adore prefer hate dislike loathe detest avoid smoke drink eat take
    drive ride cycle run swim visit travel fly plan decide agree settle switch change sell lose buy get have
    need begin learn teach turn train practise practice cook bake collect breed raise rescue foster manage
    lead volunteer intern freelance attend enrol enroll major commute rent share support follow watch read
    listen go come grow leave give want wish hope cancel postpone reschedule book celebrate expect miss cut
    ditch drop wear suffer break meet date tolerate stand promote hire fire lay diagnose name call bear rename
    keep lean tend replace swap choose pick plump fancy crave subscribe board land arrive pass fail hand put
    return migrate upgrade drift base paint sing knit sew garden hike climb surf sail ski row dance box jog
    box camp fish hunt code program blog write draw shop walk push delay shift bring touch head own resign
    manage trade scrap earn bank rehome bury prescribe twist injure sprain tear fracture dislocate aim save
    inherit hoover
    ring phone email pay fix clean collect post renew water feed pack repair opt plump finish invite remind cost
    rise win
    hang sit juggle weld skate crochet complete practise text mend weigh
"""
_IRREGULAR: Final = {
    "split": "splits splitting",
    "separate": "separated separates separating",
    "handle": "handles handled handling",
    "trade": "trades traded trading", "tear": "tore torn tears tearing", "win": "won wins winning",
    "ring": "rang rung rings ringing",
    "rise": "rose risen rises rising", "feed": "fed feeds feeding", "pay": "paid pays paying", "cost": "costs costing",
    "bury": "buried buries burying", "know": "knew known knows knowing", "try": "tried tries trying",
    "bite": "bit bitten bites biting",

    "quit": "quit quitting quits", "have": "has had having", "get": "got gotten gets getting",
    "buy": "bought buys buying", "sell": "sold sells selling", "lose": "lost loses losing",
    "drink": "drank drunk drinks drinking", "eat": "ate eaten eats eating", "take": "took taken takes taking",
    "drive": "drove driven drives driving", "ride": "rode ridden rides riding", "run": "ran runs running",
    "swim": "swam swum swims swimming", "fly": "flew flown flies flying", "begin": "began begun begins beginning",
    "bring": "brought brings bringing", "teach": "taught teaches teaching",
    "lead": "led leads leading", "read": "reads reading",
    "go": "went gone goes going", "come": "came comes coming", "grow": "grew grown grows growing",
    "leave": "left leaves leaving", "give": "gave given gives giving", "cut": "cuts cutting",
    "wear": "wore worn wears wearing", "break": "broke broken breaks breaking", "meet": "met meets meeting",
    "stand": "stood stands standing", "lay": "laid lays laying",
    "bear": "born bore bears", "keep": "kept keeps keeping",
    "choose": "chose chosen chooses choosing", "put": "puts putting", "speak": "spoke spoken speaks speaking",
    "learn": "learnt learned learns learning",
    "sing": "sang sung sings singing", "write": "wrote written writes writing",
    "draw": "drew drawn draws drawing", "study": "studied studies studying", "marry": "married marries marrying",
    "travel": "travelled traveled travels travelling traveling", "swap": "swapped swaps swapping",
    "plan": "planned plans planning", "stop": "stopped stops stopping", "drop": "dropped drops dropping",
    "enrol": "enrolled enrols enrolling", "agree": "agreed agrees agreeing", "jog": "jogged jogs jogging",
    "cancel": "cancelled canceled cancels cancelling", "ski": "skied skis skiing", "tend": "tended tends",
}  # fmt: skip


def _forms(verb: str) -> list[str]:
    if verb in _IRREGULAR:
        return [verb, *_IRREGULAR[verb].split()]
    if verb.endswith("e"):
        return [verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"]
    plural = "es" if verb.endswith(("s", "x", "ch", "sh")) else "s"
    return [verb, f"{verb}{plural}", f"{verb}ed", f"{verb}ing"]


LEMMAS: Final = {form: verb for verb in sorted({*_REGULAR.split(), *_IRREGULAR}) for form in _forms(verb)} | {
    "doing": "do"
}
"""Each form to its verb."""
PAST_FORMS: Final = frozenset(
    form
    for form, verb in LEMMAS.items()
    if form != verb and not form.endswith("ing") and not (form.endswith("s") and form[:-1] != "los")
)


def third_person(verb: str) -> str:
    """As somebody else is said to do it: `works`, `has`, `goes`."""
    if verb in {"have", "be"}:
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "ch", "sh", "o", "z")) else f"{verb}s"
