import asyncio

import pytest
from pydantic import SecretStr

from shared.models._connecting import connection, model_at
from shared.models.port import Endpoint


@pytest.mark.parametrize("name", ["openai:m", "openrouter:a/m", "deepseek:deepseek-chat", "together:m", "fireworks:m"])
def test_every_provider_that_takes_a_connection_is_given_ours_which_is_bounded(name):
    async def client():
        async with connection(5.0) as ours:
            model = model_at(Endpoint(name=name, api_key=SecretStr("a-key")), ours)
            return model.client._client is ours

    assert asyncio.run(client())
