import numpy as np
import pytest

from shared.contract.errors import Misconfigured
from shared.models import ModelId
from shared.models._vectors import unit_rows


def test_a_key_names_model_revision_and_dimension() -> None:
    assert ModelId(name="minilm-int8", revision="1.0.0", dimension=384).key == "minilm-int8@1.0.0/384"


def test_two_revisions_of_a_model_are_two_models() -> None:
    first = ModelId(name="m", revision="1", dimension=3)
    assert first != ModelId(name="m", revision="2", dimension=3)


def test_rows_come_out_with_length_one_and_their_direction() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]], dtype=np.float32))
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, -1.0]], atol=1e-7)


def test_a_row_of_zeros_gets_a_direction() -> None:
    np.testing.assert_allclose(unit_rows(np.zeros((1, 4), dtype=np.float32)), [[0.5, 0.5, 0.5, 0.5]])


def test_very_long_and_very_short_rows_neither_overflow_nor_vanish() -> None:
    rows = unit_rows(np.array([[1e30, 0.0], [1e-30, 0.0]], dtype=np.float32))
    np.testing.assert_allclose(rows, [[1.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_an_error_and_not_an_answer(bad: float) -> None:
    with pytest.raises(Misconfigured, match="not finite"):
        unit_rows(np.array([[1.0, bad]], dtype=np.float32))
