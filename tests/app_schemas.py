"""Records of an application, for tests: its schemas as they were first, and as they are two releases later."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from shared.belief.schemas import Merge, RecordSchema, Schemas
from shared.contract.records import EpistemicType


class Contact(BaseModel):
    name: str
    phone: str | None = None
    tags: list[str] = []
    met: str | None = None
    size: float | None = None


class Diet(BaseModel):
    kind: str


class LaterContact(BaseModel):
    name: str
    phones: list[str] = Field(min_length=1)
    tags: list[str] = []


def later(data: dict[str, Any], version: int) -> dict[str, Any]:
    """A contact of the first version with its one phone among several."""
    assert version == 1
    phone = data.pop("phone", None)
    return {**data, "phones": [phone] if phone else []}


def raising(data: dict[str, Any], version: int) -> dict[str, Any]:
    """An upgrade that trusts in what is not there."""
    return {"name": data["full_name"], "phones": [str(version)]}


MERGE = {"tags": Merge.UNION, "met": Merge.EARLIEST, "size": Merge.MOST_CERTAIN}
CONTACT = RecordSchema(name="contact", model=Contact, key=("name",), merge=MERGE)
DIET = RecordSchema(name="diet", model=Diet, epistemic_type=EpistemicType.PREFERENCE)
SCHEMAS = Schemas().with_(CONTACT, DIET)
LATER = [RecordSchema(name="contact", model=LaterContact, key=("name",), version=2, upgrade=later), DIET]
RAISING = RecordSchema(name="contact", model=LaterContact, key=("name",), version=2, upgrade=raising)
EMPTY: list[RecordSchema] = []
NUMBER = 7
