import pytest

from shared.contract.errors import Misconfigured
from shared.settings import load


@pytest.mark.parametrize(
    "chosen",
    [
        {"extraction_base_url": "ftp://host/v1"},
        {"extraction_base_url": "https://user:secret@host/v1"},
        {"extraction_base_url": "host/v1"},
        {"extraction_deadline_s": 0.0},
        {"extraction_daily_tokens": -1},
        {"extraction_daily_usd": -0.5},
        {"extraction_input_usd": 1.0, "extraction_output_usd": None},
        {"extraction_output_usd": 1.0},
        {"extraction_window_tokens": 10},
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_its_variable(chosen):
    with pytest.raises(Misconfigured, match="DAYBOOK_EXTRACTION_") as caught:
        load(**chosen)
    assert "secret" not in str(caught.value)


def test_by_default_no_model_reads_and_nothing_is_limited():
    settings = load()
    assert settings.extraction_model is None
    assert settings.extraction_daily_tokens is None
    assert settings.extraction_daily_usd is None


def test_a_key_is_in_no_repr():
    assert "sk-1" not in repr(load(extraction_api_key="sk-1"))
