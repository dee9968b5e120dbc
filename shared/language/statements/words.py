"""Words that statements are told by: how people are related, what they are by trade, suffer from, eat. Pure data."""

from __future__ import annotations

from typing import Final


def word_set(words: str) -> frozenset[str]:
    """The words of a text, apart by spaces."""
    return frozenset(words.split())


PARTNERS: Final = word_set("wife husband spouse girlfriend boyfriend fiance fiancé fiancee fiancée bf gf hubby wifey")
_KIN: Final = word_set("""
    mother mom mum mama mam father dad papa parent parents sister brother sibling son daughter child kid baby
    stepson stepdaughter stepmother stepfather stepmom stepdad stepbrother stepsister grandmother grandma
    granny nan gran grandfather grandpa grandad granddad grandson granddaughter aunt auntie uncle cousin niece
    nephew godmother godfather godson goddaughter twin mother-in-law father-in-law brother-in-law
    sister-in-law daughter-in-law son-in-law step-daughter step-son great-aunt great-uncle
""")
_SOCIAL: Final = word_set("""
    friend buddy pal mate bestie roommate flatmate housemate neighbour neighbor colleague coworker co-worker boss
    manager supervisor mentor teacher professor tutor coach trainer doctor gp dentist therapist psychologist
    psychiatrist physio physiotherapist vet midwife nurse landlord landlady hairdresser barber accountant
    lawyer solicitor nanny babysitter childminder cleaner gardener plumber mechanic assistant intern cofounder
    co-founder partner ex
""")
RELATIONS: Final = PARTNERS | _KIN | _SOCIAL
MANY: Final[dict[str, str]] = {
    "kids": "child", "children": "child", "sons": "son", "daughters": "daughter", "sisters": "sister",
    "brothers": "brother", "siblings": "sibling", "cousins": "cousin", "twins": "child", "flatmates": "flatmate",
    "roommates": "roommate", "housemates": "housemate", "nieces": "niece", "nephews": "nephew",
    "grandchildren": "grandchild", "grandkids": "grandchild", "boys": "son", "girls": "daughter", "friends": "friend",
    "cats": "cat", "dogs": "dog", "goats": "goat", "hens": "hen", "chickens": "chicken", "horses": "horse",
    "donkeys": "donkey", "parrots": "parrot", "budgies": "budgie", "ferrets": "ferret", "hamsters": "hamster",
    "gerbils": "gerbil", "tortoises": "tortoise", "geckos": "gecko", "canaries": "canary", "ponies": "pony",
    "labradors": "labrador", "greyhounds": "greyhound", "spaniels": "spaniel", "terriers": "terrier",
    "kittens": "cat", "puppies": "dog", "rabbits": "rabbit",
}  # fmt: skip
"""Several of somebody, as one."""
SAME_RELATION: Final = {
    "mom": "mother", "mum": "mother", "mama": "mother", "mam": "mother", "dad": "father", "papa": "father",
    "kid": "child", "baby": "child", "grandma": "grandmother", "granny": "grandmother", "nan": "grandmother",
    "gran": "grandmother", "grandpa": "grandfather", "grandad": "grandfather", "granddad": "grandfather",
    "auntie": "aunt", "bf": "boyfriend", "gf": "girlfriend", "hubby": "husband", "wifey": "wife", "fiance": "fiancé",
    "fiancee": "fiancé", "fiancée": "fiancé", "mate": "friend", "buddy": "friend", "pal": "friend",
    "bestie": "friend", "neighbor": "neighbour",
    "co-worker": "colleague", "coworker": "colleague", "gp": "doctor", "co-founder": "cofounder",
    "physiotherapist": "physio", "stepmom": "stepmother", "stepdad": "stepfather",
}  # fmt: skip
_PREDICATES: Final = {
    "partner": "wife husband spouse girlfriend boyfriend fiancé partner",
    "sibling": "sister brother sibling twin stepbrother stepsister",
    "child": "son daughter child stepson stepdaughter",
    "relative": "grandmother grandfather grandson granddaughter grandchild aunt uncle cousin niece nephew mother-in-law"
    " father-in-law brother-in-law sister-in-law daughter-in-law son-in-law great-aunt great-uncle"
    " stepmother stepfather godmother godfather godson goddaughter",
    "colleague": "colleague", "friend": "friend", "manager": "boss manager supervisor",
    "therapist": "therapist psychologist psychiatrist", "former_partner": "ex", "parent": "parent parents",
}  # fmt: skip
PREDICATE_OF: Final = {relation: name for name, words in _PREDICATES.items() for relation in words.split()}
"""By what predicate a relation is claimed, where that is not its own name."""
ONE_OF_ONES_OWN: Final = word_set("mother father sister brother son daughter stepmother stepfather")
"""Relations for life by which one speaks of somebody: `my sister` is the one whose name was told."""
PETS: Final = word_set("""
    dog cat puppy kitten rabbit bunny hamster parrot budgie canary tortoise turtle horse pony ferret gerbil
    snake lizard gecko goldfish chicken hen goat donkey greyhound labrador lab poodle beagle collie terrier
    spaniel dachshund husky corgi pug retriever whippet cockatiel axolotl chinchilla guinea-pig pig pup doggo
""")
SAME_PET: Final = {"puppy": "dog", "pup": "dog", "doggo": "dog", "kitten": "cat", "bunny": "rabbit"}
THINGS: Final = word_set("""
    car van truck motorbike motorcycle scooter bike bicycle ebike e-bike boat campervan caravan house flat
    apartment condo cottage cabin farm allotment garden piano guitar violin cello telescope drone camera
    laptop tesla studio workshop greenhouse sailboat canoe kayak
""")
GOODS: Final = THINGS | word_set("""
    phone iphone ipad tablet macbook pc computer monitor tv television console playstation xbox printer projector
    kindle watch smartwatch headphones keyboard mouse router camper motorhome moped roadbike hatchback estate suv
    pickup truck tractor trailer lawnmower mower dishwasher dryer fridge freezer oven hob airfryer mixer
    sewing-machine loom kiln sofa couch bed desk wardrobe bookcase treadmill rowing-machine kettlebell surfboard
    skateboard snowboard skis paddleboard tent guitar keyboard ukulele saxophone flute trumpet drums drumkit
    record-player
    turntable synth amp lens typewriter bungalow shed hot-tub caravan yacht dinghy rowboat rifle saddle
""")
PRIZES: Final = word_set("""
    prize award medal cup trophy race competition contest tournament title championship league scholarship grant exam
    exams test degree masters phd marathon half 10k 5k triathlon ironman certificate certification qualification
    apprenticeship course thesis dissertation diploma bar viva theory raffle election
""")
PLATFORMS: Final = word_set("""
    windows linux macos mac android ios ubuntu fedora debian arch mint iphone pixel chromebook
""")
NO_GAMES: Final = word_set("""
    part role music game games song songs video videos host dumb fool trick attention card hand ball catch time
    sport outside nice fair safe havoc truant piece tune note move role
""")
INSTRUMENTS_AND_GAMES: Final = word_set("""
    guitar piano violin cello drums bass flute saxophone trumpet clarinet ukulele harp accordion football soccer
    tennis basketball hockey rugby cricket badminton squash volleyball golf chess padel bridge poker netball baseball
    softball handball oboe viola trombone banjo mandolin harmonica keyboard keyboards organ bassoon tuba fiddle
    bagpipes recorder whistle darts snooker pool bowls lacrosse pickleball futsal croquet backgammon mahjong
""")
VEHICLES: Final = word_set("car van truck motorbike motorcycle scooter bike bicycle ebike boat campervan")
CONDITIONS: Final = word_set("""
    asthma diabetes adhd autism epilepsy migraine migraines arthritis eczema psoriasis anxiety depression
    insomnia dyslexia tinnitus hypertension anaemia anemia endometriosis pcos ibs crohn coeliac celiac
    glaucoma cataracts cataract hypothyroidism fibromyalgia scoliosis vertigo hayfever osteoporosis gout
    sciatica rosacea lupus cough cold flu headache headaches fever rash backache toothache allergy allergies
    intolerance sprain pacemaker
""")
CONDITION_PHRASES: Final = (
    "blood pressure", "high cholesterol", "sleep apnoea", "sleep apnea", "heart condition", "heart failure",
    "slipped disc",
    "chronic pain", "chronic fatigue", "long covid", "hay fever", "type 1 diabetes", "type 2 diabetes", "acid reflux",
    "panic attacks", "carpal tunnel", "kidney stones", "hearing loss", "restless legs",
)  # fmt: skip
LASTING_CONDITIONS: Final = CONDITIONS - word_set("""
    cough cold flu fever rash headache headaches allergy allergies intolerance toothache backache sprain depression
    anxiety cataract cataracts
""")
"""What is somebody's own for long, so that `my asthma` says that they have it."""
STATES: Final = word_set("""
    diabetic asthmatic epileptic autistic dyslexic deaf blind colour-blind colorblind color-blind colourblind
    left-handed lefthanded pregnant anaemic anemic coeliac celiac neurodivergent sober bipolar hard-of-hearing
""")
DIETS: Final = word_set("""
    vegan vegetarian veggie pescatarian pescetarian keto kosher halal teetotal teetotaller paleo gluten-free
    dairy-free flexitarian omnivore plant-based vego
""")
MARITAL: Final = word_set("single married divorced engaged widowed separated")
JOBLESS: Final = word_set("retired unemployed self-employed freelance")
_NATIONS: Final = """
    american british english scottish welsh irish french german spanish italian portuguese dutch belgian swiss
    austrian danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek
    turkish russian ukrainian serbian croatian slovenian bosnian albanian estonian latvian lithuanian chinese
    japanese korean taiwanese thai vietnamese indonesian malaysian filipino indian pakistani bangladeshi
    nepali iranian iraqi israeli lebanese syrian egyptian moroccan algerian tunisian nigerian ghanaian kenyan
    ethiopian south-african canadian mexican brazilian argentinian argentine chilean colombian peruvian
    venezuelan cuban australian jamaican
"""
NATIONS: Final = word_set(_NATIONS)
_TRADES: Final = """
    nurse doctor teacher engineer developer programmer designer architect lawyer solicitor barrister
    accountant chef cook baker butcher barista waiter waitress bartender plumber electrician carpenter joiner
    mechanic welder farmer gardener fisherman pilot driver courier cleaner cashier clerk secretary
    receptionist librarian journalist writer author editor translator interpreter photographer painter
    sculptor musician actor actress dancer singer scientist researcher biologist chemist physicist
    mathematician statistician analyst consultant manager director ceo cto cfo founder entrepreneur
    salesperson salesman realtor broker banker economist auditor administrator sysadmin dentist surgeon
    physician pharmacist physiotherapist physio therapist psychologist psychiatrist paramedic midwife vet
    veterinarian optician radiographer carer caregiver social-worker police-officer policeman firefighter
    soldier officer judge paralegal student undergrad postgrad postdoc professor lecturer tutor apprentice
    intern trainee beekeeper potter tailor hairdresser barber beautician florist jeweller builder bricklayer
    roofer surveyor geologist archaeologist historian philosopher linguist zoologist botanist astronomer
    librarian curator producer animator illustrator copywriter marketer recruiter freelancer contractor
    technician operator sailor captain bookkeeper bookseller shipwright boatbuilder brewer winemaker
    cheesemaker blacksmith landscaper coder planner instructor coach trainer nanny childminder babysitter
    translator statistician meteorologist oceanographer cartographer dietitian nutritionist welder machinist
    conductor composer cellist violinist pianist drummer luthier tester admin janitor porter stay-at-home-mum
    stay-at-home-dad pensioner headmistress headmaster headteacher principal mathematician shopkeeper grocer
    greengrocer stonemason glazier decorator plasterer scaffolder locksmith upholsterer cobbler weaver
    ceramicist zookeeper gamekeeper ranger forester arborist vicar priest pastor rabbi imam monk nun
    politician councillor mayor diplomat ambassador civil-servant detective lifeguard referee athlete
    footballer cyclist-courier jockey model stylist masseur masseuse osteopath chiropractor podiatrist
    audiologist anaesthetist anesthesiologist cardiologist oncologist radiologist neurologist paediatrician
    pediatrician gynaecologist obstetrician pathologist epidemiologist virologist geneticist ecologist
    hydrologist seismologist astrophysicist cosmologist ornithologist entomologist anthropologist sociologist
    criminologist theologian lexicographer proofreader publisher printer bookbinder filmmaker cinematographer
    screenwriter playwright poet novelist blogger podcaster youtuber streamer comedian magician puppeteer
    clown juggler choreographer ballerina soprano tenor organist drummer bassist guitarist dj sound-engineer
    roadie stagehand usher steward stewardess flight-attendant air-hostess cabin-crew trucker trucker
    lorry-driver bus-driver taxi-driver cabbie train-driver conductor signalman dispatcher logistician
    forwarder stevedore docker longshoreman shipbroker fishmonger sommelier bartender barman barmaid
    dishwasher caterer confectioner chocolatier brewmaster distiller vintner beekeeper shepherd rancher
    dairyman agronomist farmhand groom farrier dog-walker dog-trainer groomer actuary underwriter trader
    stockbroker treasurer controller paralegal notary bailiff usher arbitrator mediator negotiator lobbyist
    fundraiser strategist buyer merchandiser estimator quantity-surveyor project-manager product-manager
    scrum-master webmaster
"""
TRADES: Final = word_set(_TRADES)
FIELDS: Final = word_set("""
    finance marketing sales hr it tech advertising publishing logistics insurance banking retail hospitality
    healthcare education construction accounting law media film television tv journalism research consulting
""")
"""What one may work in."""
FOODS_DRUNK: Final = word_set(
    "coffee tea alcohol wine beer rooibos milk soda cola caffeine decaf matcha espresso juice water"
)
SUBSTANCES: Final = word_set("""
    dairy gluten caffeine sugar alcohol booze meat pork beef fish seafood shellfish nuts peanuts wheat carbs
    lactose spice mushrooms nicotine cigarettes drugs coffee milk eggs bread
""")
INTOLERANCES: Final = word_set("lactose gluten dairy fructose histamine wheat egg milk caffeine sulphites")
DRUGS: Final = word_set("penicillin aspirin ibuprofen codeine morphine amoxicillin paracetamol sulfa latex antibiotics")
LANGUAGES: Final = NATIONS | word_set(
    "mandarin cantonese arabic hebrew hindi urdu bengali tamil farsi persian swahili catalan"
)

EVENTS: Final = word_set("""
    sabbatical leave evening appointment meeting interview exam flight checkup check-up surgery operation call
    class test reservation booking viewing scan deadline presentation party dinner lunch wedding launch day
    trip holiday vacation conference concert race marathon graduation ceremony funeral gig festival match game
    defense defence hearing visit release workshop demo review retro standup session lesson course term
    semester move open-day ferry train delivery inspection audit vet dentist doctor physio barber haircut
    standup stand-up kickoff retro sync catch-up club choir practice rehearsal mot parents-evening checkin
    supper brunch breakfast barbecue bbq reunion tournament recital premiere opening closing rehearsal sprint
    submission due-date start shift ward baptism christening shower housewarming training webinar hackathon
    talk lecture seminar exhibition fair market sale auction election trial procedure consultation mot service
    pickup drop-off date
""")
MOVED: Final = frozenset({"move", "push", "postpone", "reschedule", "shift", "bring", "delay", "change", "put"})
"""What takes place on a day, and how it comes to be on another one."""


def predicate_of(relation: str) -> str:
    """By what predicate it is claimed that somebody is another's `relation`, or that an animal is theirs."""
    return "pet" if relation in PETS else PREDICATE_OF.get(relation, relation)


GREETINGS: Final = word_set("hi hello hey hiya howdy yo heya hej")
LEADS: Final = GREETINGS | word_set("""
    well so oh ah ok okay yeah yep yes yup no nope nah actually honestly basically btw fyi lol haha hahaha
    anyway anyways also and but plus then like just um uh hmm hm erm right alright sure thanks thx cheers
    please sorry currently nowadays still already recently lately finally apparently personally unfortunately
    sadly luckily fortunately obviously generally usually mostly originally update reminder note correction
    wait ugh wow cool great good nice fine ps tbh imo fwiw guys everyone folks team now today yesterday
    tomorrow tonight maybe-not because cos cuz cause since as though although while ooh yay welp damn omg
    again too
""")
"""What may stand before a statement without changing what it says."""
OPENINGS: Final = (
    "by the way", "just so you know", "for the record", "for your information", "to be honest", "as you know",
    "you should know that", "you should know", "i should mention that", "i should mention", "worth mentioning that",
    "fun fact", "quick update", "small update", "big news", "good news", "bad news", "good to know", "for context",
    "some context", "a bit about me", "about me", "one more thing", "one thing", "another thing", "i forgot to mention",
    "forgot to mention", "forgot to say", "did i mention", "did i tell you", "remember that", "remember", "note that",
    "please note that", "please note", "please remember that", "please remember", "keep in mind that", "keep in mind",
    "bear in mind that", "bear in mind", "just to clarify", "to clarify", "to be clear", "the thing is", "you know",
    "these days", "at the moment", "right now", "at this point", "as of now", "of course", "in fact", "turns out",
    "it turns out", "if it helps", "if it matters", "if it counts", "if you're curious", "in case it matters",
    "in case it helps", "in case you're wondering", "in case you wondered", "in case it's relevant",
    "if that helps", "if you must know", "don't forget that", "don't forget", "just remember", "i told you",
    "i already told you", "as i said", "like i said", "as mentioned", "i mean", "long story short", "at home",
    "at work",
    "i'm happy to say", "heads up", "not sure if i mentioned", "not sure if i said", "i have to say", "i must say",
    "i have to admit", "i must admit", "confession time", "confession", "side note", "context", "background",
    "change of plans", "change of plan", "new plan", "on another note", "in other news", "first of all", "for one",
)  # fmt: skip
