import pytest

from shared.contract.events import Role
from shared.contract.trust import Origin
from warmpath._heard import is_a_name, is_heard, is_users


@pytest.mark.parametrize(
    ("role", "origin", "heard", "users"),
    [
        ("user", Origin.USER, True, True),
        (Role.USER, Origin.USER, True, True),
        ("assistant", Origin.ASSISTANT, True, False),
        ("user", Origin.WEB, False, False),
        ("user", Origin.DOCUMENT, False, False),
        ("user", Origin.RECALLED, False, False),
        ("assistant", Origin.TOOL, False, False),
        ("tool", Origin.TOOL, False, False),
        ("system", Origin.UNKNOWN, False, False),
        (None, Origin.USER, False, False),
    ],
)
def test_whose_words_are_read(role, origin, heard, users):
    assert (is_heard(role, origin), is_users(role, origin)) == (heard, users)


@pytest.mark.parametrize(
    ("speaker", "named"), [("Mira", True), ("Anne-Marie O'Neil Jr.", True), ("u-77", False), ("李雷", True)]
)
def test_an_id_is_no_name(speaker, named):
    assert is_a_name(speaker) is named
