from hypothesis import given
from hypothesis import strategies as st

from tests.model_reading import memory
from warmpath._nearness import nearest

HELD = [memory(f"Mira keeps crate number {n}.") for n in range(100)]


def test_an_old_memory_is_shown_beside_a_run_that_speaks_of_it():
    held = [*HELD, memory("Mira sings in a choir in Lisbon.")]
    shown = nearest(held, ["I left the choir."], 10)
    assert [each.text for each in shown[-1:]] == ["Mira sings in a choir in Lisbon."]
    assert shown[:5] == held[:5]
    assert len(shown) == 10


def test_the_newest_are_shown_where_nothing_is_near():
    assert nearest(HELD, ["Good morning"], 10) == HELD[:10]


@given(st.integers(0, 30), st.integers(0, 12), st.lists(st.sampled_from(["crate 3", "crates", "choir"])))
def test_what_is_shown_is_of_what_is_held_in_its_order_and_as_many_as_may_be(count, most, texts):
    held = HELD[:count]
    shown = nearest(held, texts, most)
    assert shown == [each for each in held if each in shown]
    assert len(shown) == min(count, most)
