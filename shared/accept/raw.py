"""A message as a caller hands it in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError, model_validator

from shared.contract.errors import InvalidInput
from shared.contract.stated import StatedRecord
from shared.contract.trust import Origin
from shared.language.text import normalise

_ALIASES: Final = {
    "text": ("text", "content"),
    "ts": ("ts", "at", "timestamp", "created_at"),
    "speaker": ("speaker", "name"),
}


class RawMessage(BaseModel):
    """One message as a caller hands it in; each field also under the names that common chat formats use.

    Fields that are not listed are ignored, with a warning on the message that names them.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: StrictStr | None = None
    """The caller's own id of the message; the same again in a later delivery is the same message."""
    role: StrictStr | None = "user"
    """`user`, `assistant`, `tool`, `system` or `developer`."""
    speaker: StrictStr | None = None
    """Who says it; also `name`. In a room, one of the participants."""
    text: StrictStr | list[Any] | dict[str, Any] | None = None
    """What is said; also `content`, also as a list of parts."""
    ts: Any = None
    """When it was said; also `at`, `timestamp`, `created_at`. Read as `shared.accept.times` says, never refused."""
    origin: Origin | None = None
    """Where the words come from; by default what the role says."""
    importance: StrictFloat | StrictInt | None = Field(default=None, ge=0, le=1)
    """How much it matters by the app's own word, from 0 to 1; 0.5 is as much as what nobody says it of."""
    tool_calls: tuple[dict[str, Any], ...] = Field(default=())
    tool_call_id: StrictStr | None = None
    record: StatedRecord | None = None
    """A record of a registered schema that is stated with it; then it has no text of its own, which is made of it."""

    @model_validator(mode="before")
    @classmethod
    def _by_its_own_name(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        fields = dict(given)
        for name, aliases in _ALIASES.items():
            used = next((alias for alias in aliases if fields.get(alias) is not None), None)
            fields[name] = fields.pop(used) if used else fields.pop(name, None)
            for alias in aliases[1:]:
                if alias in fields and fields[alias] is None:
                    del fields[alias]
        fields["tool_calls"] = fields.get("tool_calls") or ()
        return fields

    @classmethod
    def read(cls, given: Any) -> Self:
        """Validate what a caller handed in.

        Raises:
            InvalidInput: a field does not fit; the message names the field, never its value.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise InvalidInput(f"must be a mapping or a RawMessage, not {type(given).__name__}")
        try:
            return cls.model_validate({_storable(name): value for name, value in given.items()})
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'it'}: {fault['msg']}" for fault in error.errors()
            )
            raise InvalidInput(faults[:500]) from None

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of the fields that mean nothing here."""
        return tuple(sorted(self.model_extra or ()))


def _storable(name: object) -> object:
    return normalise(name)[0] if isinstance(name, str) else name
