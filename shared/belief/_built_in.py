"""The predicates that are known from the start: name, how it reads between subject and object, other names."""

from __future__ import annotations

from typing import Final

Row = tuple[str, str, str]

SINGLE: Final[tuple[Row, ...]] = (
    # Who somebody is.
    ("name", "is called", "named is_named full_name called is_called legal_name"),
    ("gender", "is of gender", "sex gender_identity"),
    ("pronouns", "uses the pronouns", "has_pronouns uses_pronouns preferred_pronouns"),
    ("birthday", "was born on", "born_on birthdate birth_date date_of_birth dob has_birthday"),
    ("birthplace", "was born in", "born_in birth_place place_of_birth"),
    ("age", "is of age", "aged years_old has_age"),
    ("hometown", "grew up in", "home_town grew_up_in raised_in from comes_from is_from"),
    ("religion", "is of religion", "faith"),
    ("marital_status", "has marital status", "relationship_status"),
    # Where.
    (
        "lives_in",
        "lives in",
        "location home residence lives_at resides_in living_in lives moved_to city home_city place_of_living based_in",
    ),
    ("address", "lives at the address", "home_address street_address postal_address"),
    ("timezone", "is in the time zone", "time_zone tz"),
    ("located_in", "is in", "located_at is_located_in is_located_at kept_in kept_at stored_in place"),
    # Work and study.
    (
        "works_at",
        "works at",
        "employer works_for employed_by employed_at workplace company current_employer joined",
    ),
    (
        "job",
        "works as",
        "job_title occupation profession works_as role position title is_a_professional current_job employed_as",
    ),
    ("studies_at", "studies at", "school university college attends enrolled_at student_at"),
    ("manager", "reports to", "boss reports_to supervisor has_manager has_boss"),
    ("income", "earns", "salary earns"),
    # People one has one of.
    (
        "partner",
        "is together with",
        "spouse husband wife married_to boyfriend girlfriend fiance fiancee engaged_to dating has_partner has_wife",
    ),
    ("mother", "has as mother", "mom mum has_mother"),
    ("father", "has as father", "dad has_father"),
    ("doctor", "has as doctor", "gp physician has_doctor family_doctor"),
    ("dentist", "has as dentist", "has_dentist"),
    ("therapist", "has as therapist", "has_therapist counsellor counselor psychologist"),
    ("emergency_contact", "has as emergency contact", "has_emergency_contact"),
    # Body and diet.
    ("diet", "follows the diet", "eating_habit dietary_preference dietary_restriction follows_diet is_on_diet"),
    ("blood_type", "has blood type", "blood_group"),
    ("height", "has a height of", "is_tall"),
    ("weight", "weighs", "weighs has_weight"),
    ("shoe_size", "has shoe size", "wears_shoe_size"),
    ("clothing_size", "wears size", "shirt_size dress_size wears_size"),
    # How to reach somebody, and things there is one of.
    ("email", "has the e-mail address", "e_mail email_address mail has_email"),
    ("phone", "has the phone number", "phone_number mobile mobile_number cell telephone tel has_phone_number"),
    ("work_email", "has the e-mail address at work", "business_email"),
    ("work_phone", "has the phone number at work", "business_phone office_phone"),
    ("website", "has the website", "homepage url web_site"),
    ("code", "has the code", "pin_of access_code gate_code door_code"),
    ("status", "has the status", "state current_status"),
    ("deadline", "is due on", "due due_date due_on is_due"),
    ("scheduled_for", "takes place on", "takes_place_on happens_on starts_on date_of scheduled_on"),
    ("price", "costs", "cost costs is_priced_at"),
    # How somebody wants to be answered.
    ("preferred_language", "wants answers in", "answer_language reply_language language_preference"),
    ("preferred_name", "wants to be called", "call_me goes_by wants_to_be_called"),
    ("preferred_tone", "wants a tone that is", "answer_style tone response_style"),
)
"""A subject has one of each at a time."""

ATTITUDE: Final = "attitude_to"
ATTITUDES: Final = frozenset({"likes", "dislikes", "avoids"})
"""They contradict each other about one thing."""

MULTI: Final[tuple[Row, ...]] = (
    ("also_known_as", "is also known as", "alias aka nickname has_nickname same_as"),
    ("different_from", "is not the same as", "not_same_as distinct_from"),
    ("nationality", "is a citizen of", "citizenship citizen_of"),
    # Likes and dislikes.
    (
        "likes",
        "likes",
        "like loves love enjoys enjoy is_fan_of fan_of fond_of is_fond_of adores is_into positive_about",
    ),
    ("dislikes", "dislikes", "dislike hates hate does_not_like cannot_stand not_fond_of loathes detests"),
    (
        "avoids",
        "avoids",
        "avoid does_not_eat does_not_drink no_longer_eats no_longer_drinks does_not_use gave_up stays_away_from",
    ),
    ("prefers", "prefers", "preference preferred"),
    ("hobby", "has the hobby", "hobbies pastime"),
    ("interest", "is interested in", "interested_in interests curious_about"),
    # People and animals one may have several of.
    ("child", "has as child", "has_child son daughter has_son has_daughter kid parent_of"),
    ("sibling", "has as sibling", "brother sister has_brother has_sister has_sibling"),
    ("parent", "has as parent", "has_parent child_of"),
    ("relative", "is related to", "cousin aunt uncle nephew niece grandmother grandfather grandchild family_member"),
    ("friend", "is a friend of", "has_friend friends_with best_friend"),
    ("colleague", "works with", "coworker co_worker works_with teammate has_colleague"),
    ("former_partner", "was together with", "ex ex_wife ex_husband ex_partner"),
    ("knows", "knows", "acquainted_with met"),
    ("pet", "has as pet", "has_pet dog cat has_dog has_cat"),
    # Things.
    ("owns", "owns", "has possesses possession has_car drives bought has_vehicle own"),
    ("uses", "uses", "uses_tool uses_app uses_software"),
    ("lost", "lost", "has_lost"),
    ("wants", "wants", "wants_to_have wishes_for needs would_like"),
    # Body and health.
    ("allergic_to", "is allergic to", "allergy has_allergy allergies"),
    ("intolerant_to", "does not tolerate", "intolerance has_intolerance"),
    ("has_condition", "has the condition", "condition diagnosis diagnosed_with disease illness suffers_from"),
    ("takes", "takes", "medication takes_medication medicine on_medication prescribed"),
    ("eats", "eats", ""),
    ("drinks", "drinks", ""),
    # What one can and does.
    ("speaks", "speaks", "language languages speaks_language knows_language native_language fluent_in"),
    ("skill", "is able to", "skilled_in skills can has_skill good_at expert_in"),
    ("learns", "is learning", "learning is_learning studies studying major field_of_study subject_of_study"),
    ("graduated_from", "graduated from", "alma_mater degree_from"),
    ("degree", "has the degree", "has_degree qualification"),
    ("worked_at", "worked at", "former_employer past_employer"),
    ("second_job", "has as a second job", "side_job side_gig second_employer also_works_at also_works_as"),
    ("member_of", "is a member of", "belongs_to part_of membership"),
    ("habit", "usually does", "routine usually regularly"),
    ("plays", "plays", "plays_instrument plays_sport instrument sport"),
    ("visited", "has been to", "travelled_to traveled_to has_visited has_been_to went_to"),
    ("believes", "believes", "opinion thinks belief"),
    # What is to come, and what was settled.
    ("plans", "plans", "plan intends intends_to going_to will planning is_planning"),
    ("goal", "wants to reach", "aims_to aim objective resolution"),
    ("appointment", "has the appointment", "has_appointment meeting has_meeting event booked reservation"),
    ("travels_to", "travels to", "trip trip_to is_travelling_to is_traveling_to flies_to"),
    ("task", "has to do", "todo to_do has_to must needs_to"),
    ("decided", "decided", "decision decided_to agreed agreed_on chose"),
    ("instruction", "tells the agent to", "instructs instruction_to_agent asks_agent_to wants_agent_to rule"),
    ("achieved", "achieved", "achievement won completed finished"),
    ("fears", "is afraid of", "fear afraid_of phobia"),
)
"""A subject may have many of each."""
