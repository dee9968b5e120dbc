"""Words that British and American English write in two ways, so that one thing is not taken for two. Pure."""

from __future__ import annotations

import re
from typing import Final

_PAIRS: Final = """
    color colour   colors colours   colored coloured   flavor flavour   flavors flavours   neighbor neighbour
    neighbors neighbours   neighborhood neighbourhood   behavior behaviour   harbor harbour   humor humour
    labor labour   honor honour   rumor rumour   odor odour   vapor vapour   parlor parlour   savory savoury
    armor armour   center centre   centers centres   theater theatre   theaters theatres   fiber fibre   liter litre
    liters litres   meter metre   meters metres   gray grey   program programme   programs programmes
    catalog catalogue   dialog dialogue   jewelry jewellery   donut doughnut   donuts doughnuts   yogurt yoghurt
    yogurts yoghurts   pajamas pyjamas   mustache moustache   mom mum   moms mums   aluminum aluminium
    airplane aeroplane   airplanes aeroplanes   tire tyre   tires tyres   plow plough   skeptic sceptic
    anemia anaemia   anemic anaemic   diarrhea diarrhoea   estrogen oestrogen   pediatrician paediatrician
    pediatric paediatric   gynecologist gynaecologist   orthopedic orthopaedic   anesthetist anaesthetist
    celiac coeliac   leukemia leukaemia   apnea apnoea   traveler traveller   traveling travelling
    counselor counsellor   modeling modelling   jeweler jeweller   license licence   defense defence
    chili chilli   chilies chillies   omelet omelette   cozy cosy   organization organisation
    organizations organisations   apologize apologise   summarize summarise   organize organise   emphasize emphasise
    specialty speciality
"""
_WORDS: Final = _PAIRS.split()
_BRITISH: Final = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
_WORD: Final = re.compile(rf"(?<![^\s-])(?:{'|'.join(_BRITISH)})(?![^\s-])")
"""None within an address or a handle: `color.example` is one."""


def in_one_spelling(folded: str) -> str:
    """Words in small letters with one spelling for each: `favorite color` and `favorite colour` are one key.

    Only whole words of a list change; what both countries write alike, and names of it, stay.
    """
    return _WORD.sub(lambda found: _BRITISH[found.group()], folded)
