"""English words that begin sentences with a capital and are no names, beside the stop words.

They are part of the graph view, which goes by them: a changed list goes together with a reindex.
"""

from __future__ import annotations

from typing import Final

from shared.language.stop_words import STOP_WORDS

_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_WEEKDAYS = """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    mondays tuesdays wednesdays thursdays fridays saturdays sundays
"""
MONTHS: Final = frozenset(_MONTHS.split())
WEEKDAYS: Final = frozenset(_WEEKDAYS.split())

_GREETINGS = """
    hi hello hey hiya howdy yo bye goodbye cheers thanks thank thx ty congrats congratulations welcome please sorry
    dear greetings morning afternoon evening night tonight today tomorrow yesterday
"""
_INTERJECTIONS = """
    ok okay oh ooh ah aha wow whoa yay yes yeah yep yup no nope nah well hmm huh haha hahaha lol omg btw fyi imo ps
    aw aww absolutely actually agreed alright amazing anyway apparently awesome basically bravo certainly clearly
    cool definitely exactly excellent fantastic finally frankly fortunately unfortunately gosh honestly hopefully
    hooray incredible indeed interesting interestingly kudos luckily maybe nice obviously overall perfect perhaps
    personally probably really right sadly seriously sure surely totally true truly ugh wonderful
"""
_ALSO_SAID = """
    appreciate bet catch challenge chat cherish feel hang hoo howd mmm moment oof phew progress remind setback theyd
    whoo woah woohoo yikes gee man ca wo sha ai youd youll theyll itll mustve wont wouldnt shouldnt
"""
_JOINING = """
    according accordingly additionally afterwards almost along already also although always among another anybody
    anyone anything around away back besides beyond consequently despite either else enough even eventually ever
    every everybody everyone everything except first firstly furthermore generally given hence however initially
    instead last lastly later lately least less like likewise many meanwhile moreover mostly much namely near nearly
    neither never nevertheless next nobody none nonetheless normally nothing nowadays occasionally often once one
    originally otherwise others per plus previously quite rather recently regarding second secondly several
    similarly since somebody somehow someone something sometimes somewhere soon specifically still subsequently
    suddenly there thereby therefore thirdly though thus together today toward towards two typically unless unlike
    unlikely upon usually via whatever whenever whether whichever whoever within without yet three four five six
    seven eight nine ten hundred thousand million dozen half third
"""
_VERBS = """
    add agree allow apply ask assume bake become begin believe bring build buy call came can check choose click
    combine come consider continue cook count create cut decide describe did discuss do draw drink drive eat enjoy
    ensure explain explore feel figure fill find finish fix focus follow forget found get getting give glad go going
    gonna got gotta grab guess had happen hear help hold hope imagine improve include invite join keep knew know
    learn leave let lets list listen live look looked looking looks lose lost love loved loving made make makes mean
    meet might mix move must name need note offer open order paint pick plan play practice prepare print provide put
    read recall receive recommend remember remind remove replace reply report respond return ride run said save saw
    say schedule search see seem seems select send set share show sing sit sleep sound sounded sounds speak spend
    spent stand start started stay stop store study suggest summarize take talk teach tell think thought took train
    translate travel treat tried trust try turn understand update use used visit wait walk wanna want wanted wash
    watch wear went wish wonder work write wrote
"""
_THINGS = """
    able age art baby bad beach beautiful best better big birthday black blue book books boy brother business busy
    cake car career cat chapter child children christmas city class clean clear close club coffee cold college color
    common company compare comparison country cousin creative crazy curious dad dance date daughter day days deep
    depending different difficult dinner doctor dog early easy email environment event example excited exciting
    experience extra eye face fact family famous fast father favorite favourite few film final fine fire flower
    folks food fresh friend friends full fun future game games gift girl goal god good grandma grandpa great green
    group guy guys happy hard health healthy high hiking history home hot hour hours house huge husband idea ideas
    image important info inspired jazz job journey key kid kids lady large left life light line little local long
    lots lovely low lucky lunch main man media meeting member men mine mom moment money month months mother mum
    music nature necessary new news number old open option options orange others overview owner painting paper
    parent parents part party past peace people person pet photo photos picture piece place plan plans poor popular
    possible pretty proud question quick quiet rain ready real reason recent red regular relaxing result results
    road room rule running sad safe same school sea season self series shape short similar simple single sister size
    small social son song songs special sport star state step steps story street strong student style summer super
    support sweet table team thing things time times tip tips title today top total tough tour town tree trip type
    ultimate uncle unique usual various video view warm water way ways weather week weekend weeks weird white whole
    wife wild wind winter woman women word words world worth year years yellow yesterday young
"""

LEADING: Final = STOP_WORDS | frozenset(
    word for group in (_GREETINGS, _INTERJECTIONS, _ALSO_SAID, _JOINING, _VERBS) for word in group.split()
)
"""No part of a name where one of these begins a sentence, whatever follows it."""

ORDINARY: Final = LEADING | frozenset(_THINGS.split())
"""No name where one of these alone begins a sentence; what follows it may make it one, as York does New."""

NEVER: Final = (
    STOP_WORDS | MONTHS | WEEKDAYS | frozenset(word for group in (_GREETINGS, _INTERJECTIONS) for word in group.split())
) - frozenset({"us"})
"""No name alone, wherever they stand."""
