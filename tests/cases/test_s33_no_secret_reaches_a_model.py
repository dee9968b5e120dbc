"""S33, for what a model is sent: of a message that went through the front door, no secret; and of ours, no key."""

import pytest

from shared.clock import now
from shared.contract.candidates import Reading
from shared.contract.scope import Scope
from shared.settings import load
from tests.model_reading import KEY, asking, entry, facts, line
from tests.scripted_llm import scripted

SECRETS = {
    "sk-test-": "sk-test-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1fG3hJ5kL7m",
    "AKIA": "AKIA" + "Z7Q2M4X8R6T1W5Y3",
    "a PEM block": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
    "a bearer": "Authorization: Bearer q8Zt2Lw9Rr4Xv7Bn1Mk5Hj3",
    "a URL": "postgres://u:Pw9-x@h/db",
    "words": "the api key is quietly7Harbour7lamp",
}
SEEN = ["aB3dE5gH7jK9", "Z7Q2M4X8R6T1W5Y3", "MIIEvQIBADANBg", "q8Zt2Lw9Rr4Xv7", "Pw9-x", "quietly7Harbour7lamp"]
ALIKE = ["3f2a9c1e7b8d4f60a5c3e1d2b4f6a8c0d2e4f6a8", "0b9e7d52-3c41-4f8a-9d27-5e6f1a2b3c4d", "978-3-16-148410-0"]


def admitted(texts):
    from shared.accept.clean import clean_run

    messages = [{"role": "user", "text": text} for text in texts]
    scope = Scope(tenant_id="acme", user_id="mira")
    run = clean_run(scope, messages, run_id="run-1", settings=load(), now=now())
    return [line(each.text, place, speaker=each.speaker) for place, each in enumerate(run.messages, 1)]


def test_what_a_model_is_sent_holds_no_secret_and_every_look_alike():
    said = [f"I use {secret} for the bakery" for secret in SECRETS.values()]
    said += [f"my order is {alike}" for alike in ALIKE] + ["my password manager is Bitvault"]
    unreadable = "what is that?"
    with scripted(unreadable, facts(entry("user uses Bitvault.", about="user", lines=[10]))) as server:
        found = asking(server).extract(Reading(lines=admitted(said)), deadline_s=10.0)
    assert len(server.requests) == 2
    for request in server.requests:
        assert not [secret for secret in SEEN if secret in request.words]
        assert all(alike in request.words for alike in [*ALIKE, "Bitvault"])
    assert not [secret for secret in SEEN if secret in (found.answer or "")]


@pytest.mark.parametrize("part", ["system", "said"])
def test_our_own_key_is_sent_in_its_header_alone(part):
    with scripted(facts()) as server:
        extractor = asking(server)
        extractor.extract(Reading(lines=[line("I keep bees")]), deadline_s=10.0)
    (request,) = server.requests
    assert KEY not in str(getattr(request, part)) + str(request.body) + request.path
    assert [name.lower() for name, value in request.headers.items() if KEY in value] == ["authorization"]
    assert KEY not in repr(extractor)


def test_a_secret_that_a_model_writes_in_escapes_is_in_no_answer_and_in_no_candidate():
    told = facts(entry(f"Mira uses {SECRETS['sk-test-']} for bees.")).replace("sk-test-", r"\u0073k-test-")
    with scripted(told) as server:
        found = asking(server).extract(Reading(lines=[line("I keep bees, and use a key for it")]), deadline_s=10.0)
    texts = " ".join([found.answer or "", *(each.text for each in found.candidates)])
    assert found.candidates
    assert not [secret for secret in SEEN if secret in texts]
