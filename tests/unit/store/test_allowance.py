import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contract.candidates import Usage
from shared.settings import load
from shared.store.allowance import Allowance, Verdict


@pytest.mark.parametrize(
    ("left_tokens", "left_usd", "cost_usd", "verdict"),
    [
        (None, None, None, Verdict.CALL),
        (1_000, None, None, Verdict.CALL),
        (999, None, None, Verdict.NO_TOKENS),
        (0, None, None, Verdict.NO_TOKENS),
        (None, 0.5, 0.5, Verdict.CALL),
        (None, 0.5, 0.51, Verdict.NO_MONEY),
        (None, 0.0, 0.0, Verdict.NO_MONEY),
        (None, 0.5, None, Verdict.NO_PRICE),
        (999, 0.5, None, Verdict.NO_TOKENS),
    ],
)
def test_a_call_is_made_only_if_the_most_it_takes_is_left(left_tokens, left_usd, cost_usd, verdict):
    left = Allowance(left_tokens=left_tokens, left_usd=left_usd)
    assert left.verdict(tokens=1_000, cost_usd=cost_usd) is verdict


@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 10**5), st.integers(0, 10**5)), max_size=30))
def test_calls_that_ask_first_never_pass_the_days_tokens(limit, calls):
    left, spent = Allowance(left_tokens=limit), 0
    for sent, answered in calls:
        if left.verdict(tokens=sent + answered, cost_usd=None) is Verdict.CALL:
            left = left.after(Usage(calls=1, input_tokens=sent, output_tokens=answered, cost_usd=None))
            spent += sent + answered
    assert spent <= limit
    assert left.left_tokens == limit - spent


def test_what_cost_nobody_knows_how_much_takes_all_the_money():
    assert Allowance(left_usd=5.0).after(Usage(calls=1, cost_usd=None)).refusal == "no_money_left"


def test_the_settings_say_how_much_a_day_has():
    def left(**chosen):
        return Allowance.of(load(**chosen), Usage(calls=1, input_tokens=900, output_tokens=100, cost_usd=0.25))

    assert left() == Allowance()
    assert left(extraction_daily_tokens=5_000) == Allowance(left_tokens=4_000)
    assert left(extraction_daily_usd=1.0) == Allowance(left_usd=0.75)
    assert left(extraction_daily_tokens=1_000).refusal == "no_tokens_left"
    assert left(extraction_daily_usd=0.25).refusal == "no_money_left"
    assert Allowance.of(load(extraction_daily_tokens=0), Usage()).refusal == "no_tokens_left"
    assert Allowance.of(load(), Usage()).refusal is None


def test_what_a_gate_holds_no_model_is_asked_for():
    held = Allowance.of(load(), Usage(), is_held=True)
    assert held.refusal == "held_by_gate"
    assert held.verdict(tokens=1, cost_usd=0.0) is Verdict.HELD
    assert held.after(Usage(calls=1)).refusal == "held_by_gate"
