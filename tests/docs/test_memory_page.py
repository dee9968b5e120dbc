"""The page on typed memory shows schemas that register and a record that fits them."""

import re
from pathlib import Path

from shared.belief.schemas import BUILT_IN, RecordSchema, Schemas

PAGE = (Path(__file__).parents[2] / "docs" / "memory.md").read_text()
MODULE, STATING, UPGRADE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def names_of(code):
    names = {"__name__": "shop.memory"}
    exec(compile(code, "docs/memory.md", "exec"), names)
    return names


def test_its_schemas_register_and_its_record_fits_them():
    schemas = BUILT_IN.with_(*names_of(MODULE)["SCHEMAS"])
    data = names_of("data = " + re.search(r"\{.*\}", STATING)[0])["data"]
    assert schemas.find("contact").checked(data) == data


def test_its_upgrade_makes_older_records_fit():
    (contact,) = names_of(MODULE)["SCHEMAS"]
    later = RecordSchema(name="contact", model=contact.model, version=2, upgrade=names_of(UPGRADE)["upgraded"])
    fitted = Schemas().with_(later).fitted("contact", {"name": "Anna"})
    assert fitted.data == {"name": "Anna", "tags": ["imported"]}


def test_it_names_every_field_of_a_procedure():
    assert all(f"`{name}`" in PAGE for name in BUILT_IN.find("procedure").model.model_fields)
