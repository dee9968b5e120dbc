"""Any provider's language model, through pydantic-ai's client without its agents.

What the client leaves open is closed here: its timeouts restart with each byte of some servers, its own retries know no
deadline, and its connections belong to one event loop. So each call has a thread, a loop and a connection of its own,
which end with it; beside the seconds that a model takes, that is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from shared.clock import monotonic_s
from shared.contract.errors import DaybookError, ModelUnavailable
from shared.language.tokens import ConservativeCounter
from shared.models._connecting import check, connection, model_at
from shared.models._deadline import DeadlinePassed, within
from shared.models._failures import meaning
from shared.models._prices import at_most, of_response
from shared.models._retrying import NoTimeLeft, Passing, retrying
from shared.models.port import Answer, Endpoint, Finish, Said

_NO_TEMPERATURE: Final = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
_FINISH: Final = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.REFUSED,
}


class ProviderLlm:
    """See `shared.models.port.Llm`; made by `llm` or `connect` of `shared.models.llm`."""

    def __init__(self, endpoint: Endpoint) -> None:
        check(endpoint)
        self._endpoint = endpoint

    def __repr__(self) -> str:
        return f"ProviderLlm({self.name!r})"

    @property
    def name(self) -> str:
        """`provider:model`, as it was configured."""
        return self._endpoint.name

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """See `Llm`."""
        return at_most(self._endpoint, input_tokens, output_tokens)

    def complete(
        self,
        system: str,
        messages: Sequence[Said],
        *,
        schema: type[BaseModel] | None = None,
        max_output_tokens: int,
        deadline_s: float,
    ) -> Answer:
        """See `Llm`."""
        until_s = monotonic_s() + deadline_s
        call = _Call(self._endpoint, system, tuple(messages), schema, max_output_tokens, until_s)
        try:
            return within(deadline_s, lambda: retrying(call.attempt, until_s=until_s))
        except NoTimeLeft as error:
            last, attempts, answers = error.last, error.attempts, error.answers
        except (DeadlinePassed, TimeoutError):
            raise ModelUnavailable(
                f"{self.name} did not answer within {deadline_s:g} s; DAYBOOK_EXTRACTION_DEADLINE_S allows more",
                model=self.name,
            ) from None
        # Outside of the handler, so that nothing a provider said hangs on it.
        raise ModelUnavailable(
            f"{self.name} gave no answer in {attempts} attempts, the last for: {last.what}",
            model=self.name,
            attempts=attempts,
            answers=answers,
            retry_after_s=last.asked_s,
        )


class _Call:
    """One call, which may be attempted more than once."""

    def __init__(
        self,
        endpoint: Endpoint,
        system: str,
        messages: tuple[Said, ...],
        schema: type[BaseModel] | None,
        max_output_tokens: int,
        until_s: float,
    ) -> None:
        self._endpoint = endpoint
        self._system = system
        self._messages = messages
        self._schema = schema
        self._max_output_tokens = max_output_tokens
        self._until_s = until_s
        self._wasted = 0
        """Attempts that were answered with what is no answer."""

    async def attempt(self) -> Answer:
        failure: DaybookError | Exception
        try:
            return self._answer(await self._response())
        except Exception as error:  # noqa: BLE001 - whatever a client raises becomes an error of ours, told in our words
            refused = _declined(error)
            if refused:
                return self._refusal()
            failure = meaning(error, self._endpoint.name)
        self._wasted += isinstance(failure, Passing) and failure.is_answered
        raise failure

    async def _response(self) -> Any:
        from pydantic_ai.direct import model_request

        left_s = max(0.001, self._until_s - monotonic_s())
        async with connection(left_s) as http:
            model = model_at(self._endpoint, http)
            return await model_request(
                model,
                _history(self._system, self._messages),
                model_settings=_settings(model, self._max_output_tokens, left_s),
                model_request_parameters=_shape(model, self._schema, native=self._endpoint.base_url is None),
                instrument=False,
            )

    def _answer(self, response: Any) -> Answer:
        text = response.text or ""
        measured = not response.usage.unmeasured_requests and response.usage.input_tokens
        spent = response.usage
        tokens = (int(spent.input_tokens), int(spent.output_tokens)) if measured else self._at_most(text)
        cost_usd = of_response(self._endpoint, response, *tokens) if measured else at_most(self._endpoint, *tokens)
        wasted = self._wasted * self._at_most("")[0], self._wasted * self._max_output_tokens
        return Answer(
            text=text,
            input_tokens=tokens[0] + wasted[0],
            output_tokens=tokens[1] + wasted[1],
            cost_usd=_together(cost_usd, at_most(self._endpoint, *wasted)) if self._wasted else cost_usd,
            model=response.model_name or self._endpoint.model,
            finish=_FINISH.get(response.finish_reason or "", Finish.UNKNOWN),
        )

    def _refusal(self) -> Answer:
        """Of a filter that answers with an error and no cost: it counts as all that was sent."""
        tokens = self._at_most("")
        cost = at_most(self._endpoint, *tokens)
        return Answer(
            text="",
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cost_usd=cost,
            model=self._endpoint.model,
            finish=Finish.REFUSED,
        )

    def _at_most(self, text: str) -> tuple[int, int]:
        """Tokens of a call whose server does not say: as many as any tokenizer makes of it, never 0."""
        counter = ConservativeCounter()
        sent = counter.count(self._system) + sum(counter.count(said.text) for said in self._messages)
        return sent, counter.count(text)


def _together(one: float | None, other: float | None) -> float | None:
    """Two costs as one; unknown where one of them is."""
    return None if one is None or other is None else one + other


def _declined(error: Exception) -> bool:
    from pydantic_ai.exceptions import ContentFilterError

    return isinstance(error, ContentFilterError)


def _history(system: str, messages: Sequence[Said]) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    history: list[Any] = [ModelRequest(parts=[SystemPromptPart(content=system)])]
    for said in messages:
        if said.role == "user":
            history.append(ModelRequest(parts=[UserPromptPart(content=said.text)]))
        else:
            history.append(ModelResponse(parts=[TextPart(content=said.text)]))
    return history


def _settings(model: Any, max_output_tokens: int, deadline_s: float) -> Any:
    settings: dict[str, Any] = {"max_tokens": max_output_tokens, "request_timeout": deadline_s, "max_retries": 0}
    # Models that reason refuse it.
    if not any(model.profile.get(sign, False) for sign in _NO_TEMPERATURE):
        settings["temperature"] = 0.0
    return settings


def _shape(model: Any, schema: type[BaseModel] | None, *, native: bool) -> Any:
    """How the answer is to look: by the provider's own means where it has them, else JSON as far as it knows that.

    A server of somebody else's is asked for no schema: some refuse a call with one, and the words ask for it anyway.
    """
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if schema is None:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=schema.model_json_schema(), name="answer")
    if native and model.profile.get("supports_json_schema_output", False):
        return ModelRequestParameters(output_mode="native", output_object=wanted, allow_text_output=True)
    return ModelRequestParameters(
        output_mode="prompted", output_object=wanted, prompted_output_template=False, allow_text_output=True
    )
