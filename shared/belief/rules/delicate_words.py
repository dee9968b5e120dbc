"""By which words it is told what is delicate. English first, with the commonest words of other languages.

`*` stands for any ending. A word is listed where it hardly occurs but for a person: `prison` may be a sight,
`in prison` is somebody.
"""

from __future__ import annotations

import re
from typing import Final

IDENTITY_NUMBERS: Final = """
    passport, identity card, id card, national id, social security, national insurance, tax id, taxpayer id,
    driver's license, drivers license, driving licence, health insurance, residence permit, personalausweis*,
    reisepass, steuernummer, pasaporte, dni, nie, codice fiscale, cpf, nhs, ssn, iban, bank account
"""
HEALTH: Final = """
    allerg*, intolerant, intolerance, asthma*, diabet*, cancer, tumor*, tumour*, leukemia, leukaemia, hiv, depressed,
    depression, depressive, anxiety, panic attack*, bipolar, adhd, autis*, schizophren*, epilep*, migraine*, dementia,
    alzheimer*, parkinson*, pregnan*, miscarr*, abortion, ivf, disabled, disability, deaf, wheelchair, surgery,
    chemotherapy, dialysis, diagnos*, medication, antidepress*, insulin, therapist, psychiatr*, rehab, sober, alcoholi*,
    addicted, addiction, anorexi*, bulimi*, blood pressure, blood sugar, blood type, celiac, coeliac, arthritis, stroke,
    heart attack, heart condition, illness, chronic pain, ptsd, insomnia, herpes,
    schwanger, krebs, krank*, asma, alérgi*, alergi*, embarazada, enfermedad, enceinte, maladie, malattia, doença,
    аллерги*, диабет*, беременна
"""
HEALTH_WITHOUT_SPACES: Final = "过敏, 糖尿病, 妊娠, アレルギー"
SEXUALITY: Final = """
    came out as, came out to, sex life, sexual orientation, sexual partner*, affair with, slept with, sleeps with,
    one-night stand, open relationship
"""
SEXUALITY_OF: Final = """
    gay, lesbian, bisexual, queer, homosexual, heterosexual, asexual, pansexual, transgender, trans, nonbinary,
    non-binary, intersex, polyamorous, schwul, lesbisch
"""
RELIGION: Final = """
    converted to islam, converted to christianity, converted to judaism, converted to buddhism, converted to hinduism,
    converted to catholicism, believes in god, believe in god, lost his faith, lost her faith, lost my faith,
    lost their faith, prays daily, pray daily, prays every, pray every, prays five times, pray five times,
    fasts for ramadan, fasting for ramadan, fast for ramadan, goes to church, go to church, goes to mass, go to mass,
    goes to the mosque, go to the mosque, goes to synagogue, go to synagogue, keeps kosher, keep kosher, keeps shabbat,
    keep shabbat, religious belief*
"""
RELIGION_OF: Final = """
    muslim*, christian, catholic, protestant, orthodox, jewish, hindu, buddhist, sikh, atheist, agnostic, mormon,
    evangelical, baptist, lutheran, anglican, jehovah's witness, katholisch, evangelisch, musulm*, católic*, catolic*
"""
POLITICS: Final = """
    vote for, votes for, voted for, vote against, votes against, voted against, political view*, political opinion*,
    political affiliation, trade union member, party member, joined the labour party, joined labour, joined the tories,
    joined the greens, joined the spd, joined the cdu, canvasses for, canvassing for, campaigns for, campaigned for
"""
POLITICS_OF: Final = """
    republican, democrat, socialist, communist, conservative, liberal, libertarian, anarchist, left-wing, right-wing,
    marxist, fascist
"""
CRIME: Final = """
    arrested, convicted, indicted, imprisoned, jailed, in prison, in jail, on parole, on probation, criminal record,
    charged with, pleaded guilty, served time, shoplift*, burgl*, drug dealer, restraining order, vorbestraft,
    im gefängnis, en la cárcel
"""
FINANCE: Final = """
    salary, income, earn, earns, earned, wage, wages, mortgage, loan*, debt*, in the red, credit score, credit card*,
    bankrupt*, savings, net worth, overdraft, alimony, inheritance, inherited, unemployment benefit*,
    gehalt, schulden, hypothek, salario, deuda*, hipoteca, salaire, dette*, prêt, stipendio, mutuo, зарплат*, кредит*,
    ипотек*
"""
FINANCE_WITHOUT_SPACES: Final = "工资, 年収"
CHILD: Final = """
    son, daughter, child, children, kid, kids, toddler, baby, grandson, granddaughter, nephew, niece, twins, sohn,
    tochter, kinder, hijo, hija, fils, fille
"""
AT_SCHOOL: Final = """
    school, kindergarten, nursery, preschool, daycare, day care, grade, schule, kita, escuela, colegio, école
"""
YEARS: Final = "years old, year-old, year old, years, months old, jahre, años, ans"


def pattern(listed: str) -> str:
    """A regular expression, of no group, for any of the phrases in a list, as whole words."""
    return rf"\b(?:{'|'.join(_phrases(listed))})\b"


def pattern_without_spaces(listed: str) -> str:
    """The same for scripts without spaces, where no word ends."""
    return f"(?:{'|'.join(_phrases(listed))})"


def _phrases(listed: str) -> list[str]:
    found = (" ".join(phrase.split()) for phrase in listed.split(","))
    return [re.escape(phrase).replace(r"\*", r"\w*").replace("'", "['\u2019]?") for phrase in found]
